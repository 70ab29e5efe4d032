"""The digest of a collection and the pictures of its pairs come in; the text of a page goes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from anmmm._version import __version__
from anmmm.collection import SCHEMA_VERSION
from anmmm.evaluation import DecisionRates
from anmmm.evidence import model_text
from anmmm.report.digest import Digest
from anmmm.report.drawing import MOST_POINTS, NOT_IN_SOURCE, Drawing
from anmmm.report.pictures import histogram_picture, rates_picture
from anmmm.report.reasons import Group
from anmmm.report.style import STYLE
from anmmm.report.text import (
    direction_text,
    escaped,
    named,
    number,
    share,
    signed,
    verdict,
    with_error,
)
from anmmm.results import PairResult

__all__ = ["Contents", "page"]

# Kinds of reasons that are listed one by one.
MOST_REASONS = 60
_STATUSES = {
    "ok": "analysed",
    "unusable": "unusable: the data cannot be analysed",
    "error": "failed unexpectedly",
    "timeout": "took longer than allowed",
    "lost": "ended their worker process",
}


@dataclass(frozen=True)
class Contents:
    """What a page is made of.

    Attributes
    ----------
    digest : Digest
        Of all rows.
    rows_name : str
        What the rows are called.
    source_name : str or None
        What the source of the pictures is called; None without one.
    most, least : list of PairResult
        The most and the least certain pairs.
    drawings : dict of str to Drawing
        By id; empty without a source.
    """

    digest: Digest
    rows_name: str
    source_name: str | None
    most: list[PairResult]
    least: list[PairResult]
    drawings: dict[str, Drawing] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        """Unit of the scores."""
        # Only the criterion that compares lengths names a model.
        return "nats per observation" if self.digest.models else "units of the criterion"


def page(contents: Contents) -> Iterator[str]:
    """Yield the text of a page, piece by piece.

    Parameters
    ----------
    contents : Contents

    Yields
    ------
    str
        HTML that needs no other file and no script.
    """
    count = contents.digest.summary.n_pairs
    title = f"Causal directions of {number(count)} {'pair' if count == 1 else 'pairs'}"
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}: {escaped(contents.rows_name)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<header>\n<h1>{title}</h1>\n"
        f'<p class="soft">{escaped(contents.rows_name)}</p>\n</header>\n<main>\n'
    )
    for section in (_summary, _decisions, _scores, _pairs, _reasons):
        yield from section(contents)
    yield "</main>\n"
    yield from _making(contents)
    yield "</body>\n</html>\n"


def _summary(contents: Contents) -> Iterator[str]:
    digest = contents.digest
    summary = digest.summary
    n_analysed = summary.n_decided + summary.n_undecided
    errors = digest.accuracy_errors()
    facts = [
        ("pairs", number(summary.n_pairs), f"{number(n_analysed)} of them analysed"),
        ("decided", number(summary.n_decided), f"{number(summary.n_undecided)} undecided"),
    ]
    right = f"{number(summary.n_correct)} of {number(summary.n_scored)} of known direction"
    weight = f"total weight {summary.total_weight:.6g}"
    for name, value, error, note in (
        ("accuracy", summary.accuracy, errors[0], right),
        ("weighted accuracy", summary.weighted_accuracy, errors[1], weight),
    ):
        if value is not None:
            spread = "" if error is None else f"± {error:.3f}, "
            facts.append((name, f"{value:.3f}", spread + note))
    if digest.median_size is not None:
        facts.append(("median |score|", f"{digest.median_size:.3g}", contents.unit))
    if digest.mean_confidence is not None:
        note = "that the sign of the score is right"
        if digest.n_confident < n_analysed:
            note = f"of the {number(digest.n_confident)} pairs that have one"
        facts.append(("mean confidence", f"{digest.mean_confidence:.3f}", note))
    if digest.median_seconds is not None:
        facts.append(("seconds per pair", f"{digest.median_seconds:.3g}", "median"))
    yield '<section>\n<dl class="facts">\n'
    for name, shown, note in facts:
        yield f'<div><dt>{name}</dt><dd class="value">{shown}</dd><dd class="note">{note}</dd>'
        yield "</div>\n"
    yield "</dl>\n"
    if not summary.n_pairs:
        yield "<p>There are no rows.</p>\n"
    elif summary.accuracy is None:
        yield '<p class="soft">Accuracy is unknown: no analysed pair has a known direction.</p>\n'
    elif summary.n_undecided:
        yield '<p class="soft">An undecided pair of known direction counts as wrong.</p>\n'
    if n_analysed:
        yield (
            f'<p class="soft">The score is in {contents.unit}; positive means that x causes y, and '
            "near 0 it says little."
            + ("" if errors[0] is None else " ± is one standard error.")
            + "</p>\n"
        )
    yield '<div class="beside">\n<div>\n'
    yield from _counts("Status", "status", digest.statuses.most_common(), _STATUSES)
    mechanisms = sorted(digest.mechanisms.items())
    yield from _counts("Number of mechanisms", "mechanisms", mechanisms, {})
    yield "</div>\n<div>\n"
    models = digest.models.most_common()
    words = {name: f"{name}: {model_text(name)}" for name, _ in models}
    yield from _counts("Model of the effect", "model", models, words)
    yield "</div>\n</div>\n</section>\n"


def _counts(
    caption: str, head: str, counts: Sequence[tuple[object, int]], words: dict[str, str]
) -> Iterator[str]:
    total = sum(count for _, count in counts)
    rows = [
        (
            escaped(words.get(str(name), name)),
            number(count),
            (share(count, total), f"--share: {100 * count / total:.1f}%"),
        )
        for name, count in counts
    ]
    if rows:
        yield from _table(caption, (head, "pairs", "share"), rows, numbers={1, 2})


Cell = str | tuple[str, str]


def _table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    numbers: set[int],
    headed: bool = False,
) -> Iterator[str]:
    """Yield a table.

    A cell that is a pair has a bar, whose length is its second part. The caption is for readers
    that hear the page only, where a heading above says the same (`headed`).
    """
    kind = ' class="unseen"' if headed else ""
    yield f'<div class="scroll"><table>\n<caption{kind}>{caption}</caption>\n<thead><tr>'
    for at, head in enumerate(heads):
        yield f'<th scope="col"{" class=n" if at in numbers else ""}>{head}</th>'
    yield "</tr></thead>\n<tbody>\n"
    for row in rows:
        yield "<tr>"
        for at, cell in enumerate(row):
            text, style = cell if isinstance(cell, tuple) else (cell, "")
            kinds = " ".join(["n"] * (at in numbers) + ["bar"] * bool(style))
            tag = "th" if at == 0 else "td"
            yield f"<{tag}"
            yield ' scope="row"' if at == 0 else ""
            yield f' class="{kinds}"' if kinds else ""
            yield f' style="{style}"' if style else ""
            yield f">{text}</{tag}>"
        yield "</tr>\n"
    yield "</tbody>\n</table></div>\n"


def _decisions(contents: Contents) -> Iterator[str]:
    ordered_by, rates = contents.digest.rates()
    if rates is None:
        return
    yield "<section>\n<h2>How far to trust a decision</h2>\n"
    yield (
        f"<p>Accuracy among the most certain pairs, ordered by {ordered_by}, for several shares of "
        f"the total weight, as if every pair were decided by the sign of its score. An error of 0, "
        f"where all or none are right, does not mean certainty.</p>\n"
    )
    yield '<div class="wide">\n'
    yield _figure(rates_picture(rates), "Curve of the accuracies in the table beside.")
    yield from _rates_table(rates, ordered_by)
    yield "</div>\n</section>\n"


def _rates_table(rates: DecisionRates, ordered_by: str) -> Iterator[str]:
    rows = [
        (f"{rate:.0%}".replace("%", " %"), with_error(accuracy, error), f"{least:.4f}")
        for rate, accuracy, error, least in zip(
            rates.rates, rates.accuracy, rates.error, rates.thresholds, strict=True
        )
    ]
    heads = ("decided", "accuracy", f"least {ordered_by}")
    yield "<div>\n"
    yield from _table("Decision rates", heads, rows, numbers={0, 1, 2})
    yield "</div>\n"


def _scores(contents: Contents) -> Iterator[str]:
    scores = contents.digest.unknown_scores
    if not len(scores):
        return
    address, n_beyond = histogram_picture(scores, contents.unit)
    forward, backward = int((scores > 0).sum()), int((scores < 0).sum())
    yield "<section>\n<h2>Scores</h2>\n"
    yield (
        f"<p>Of {number(len(scores))} analysed pairs whose direction is not known, "
        f"{number(forward)} speak for x → y and {number(backward)} for y → x."
    )
    if n_beyond:
        noun = "score" if n_beyond == 1 else "scores"
        yield f" {number(n_beyond)} {noun} beyond the axis are counted in its outermost bars."
    yield "</p>\n"
    alternative = "Histogram of the scores; its counts are in the sentence above."
    yield f'<div class="alone">{_figure(address, alternative)}</div>\n'
    yield "</section>\n"


def _figure(address: str, alternative: str) -> str:
    return f'<figure><img src="{address}" alt="{escaped(alternative)}"></figure>\n'


def _pairs(contents: Contents) -> Iterator[str]:
    if not contents.most:
        return
    ordered_by = contents.digest.ordered_by
    yield "<section>\n<h2>The most certain pairs</h2>\n"
    yield f"<p>Ordered by {ordered_by}, the most certain first. "
    if contents.source_name is None:
        yield (
            "</p>\n<p class=hint>To see these pairs drawn, name the source of the data: "
            f"<code>anmmm report {escaped(contents.rows_name)} "
            '<span class="whole">--source SOURCE</span></code></p>\n'
        )
    else:
        yield (
            "The cause is on the horizontal axis; colours are mechanisms, as "
            "<code>cluster_mechanisms</code> finds them in the decided direction, each with its "
            f"curve and one standard deviation of the noise. At most {number(MOST_POINTS)} points "
            "are drawn.</p>\n"
        )
        yield from _missing(contents)
    show = _cards if contents.source_name is not None else _list
    yield from show(contents, contents.most, "The most certain pairs")
    yield "</section>\n"
    if contents.least:
        yield "<section>\n<h2>The least certain pairs</h2>\n"
        yield f"<p>Ordered by {ordered_by}, the least certain first.</p>\n"
        yield from show(contents, contents.least, "The least certain pairs")
        yield "</section>\n"


def _missing(contents: Contents) -> Iterator[str]:
    count = sum(drawing.remark == NOT_IN_SOURCE for drawing in contents.drawings.values())
    if count:
        yield (
            f"<p class=hint>{count} of these {len(contents.drawings)} pairs "
            f"{'is' if count == 1 else 'are'} not in the source "
            f"{escaped(contents.source_name)}.</p>\n"
        )


def _cards(contents: Contents, rows: list[PairResult], title: str) -> Iterator[str]:
    yield '<ul class="cards">\n'
    for row in rows:
        drawing = contents.drawings[row.pair_id]
        yield "<li><figure>"
        if drawing.address:
            yield (
                f'<img src="{drawing.address}" width="440" height="340" '
                f'alt="{escaped(f"{row.pair_id}: {drawing.alternative}")}">'
            )
        else:
            yield f'<div class="none">{escaped(drawing.remark)}</div>'
        yield f'<figcaption><div class="name"><b>{named(row.pair_id)}</b>{_mark(row)}</div>'
        yield f"<div>{direction_text(row)}</div>"
        yield f"<div>{_whole(f'score {signed(row.score)}')}"
        if row.confidence is not None:
            yield f" · {_whole(f'confidence {row.confidence:.3f}')}"
        yield f'</div><div class="soft">{_observations(row, drawing)}</div>'
        if row.model is not None:
            yield f'<div class="soft">{escaped(row.model)}</div>'
        if drawing.address and drawing.remark:
            yield f'<div class="soft">{escaped(drawing.remark)}</div>'
        yield "</figcaption></figure></li>\n"
    yield "</ul>\n"


def _observations(row: PairResult, drawing: Drawing) -> str:
    total = row.n if row.n is not None else row.n_used
    if total is None:
        return "n unknown"
    if drawing.address and drawing.n_drawn != total:
        return f"n = {number(total)}, {number(drawing.n_drawn)} drawn"
    return f"n = {number(total)}"


def _mark(row: PairResult) -> str:
    known = verdict(row)
    sign = {"right": "✓", "wrong": "✗"}.get(known, "")
    return f'<span class="{known}">{sign} {known}</span>' if known else ""


def _list(contents: Contents, rows: list[PairResult], title: str) -> Iterator[str]:
    columns = {
        "pair": [named(row.pair_id) for row in rows],
        "n": ["—" if row.n is None else number(row.n) for row in rows],
        "direction": [_whole(direction_text(row)) for row in rows],
        "score": [signed(row.score) for row in rows],
        "confidence": [
            "" if row.confidence is None else f"{row.confidence:.3f}" for row in rows
        ],
        "model": [_whole(escaped(row.model or "")) for row in rows],
        "truth": [_mark(row) for row in rows],
    }  # fmt: skip
    # Not every collection has the last three.
    told = {head: cells for head, cells in columns.items() if any(cells)}
    numbers = {at for at, head in enumerate(told) if head in ("n", "score", "confidence")}
    body = zip(*told.values(), strict=True)
    yield from _table(title, tuple(told), body, numbers=numbers, headed=True)


def _whole(text: str) -> str:
    return f'<span class="whole">{text}</span>' if text else ""


def _reasons(contents: Contents) -> Iterator[str]:
    failures = contents.digest.failures.groups()
    remarks = contents.digest.remarks.groups()
    if failures:
        count = sum(group.count for group in failures)
        yield "<section>\n<h2>Pairs without a result</h2>\n"
        yield (
            f"<p>{number(count)} of {number(contents.digest.summary.n_pairs)} pairs, by reason. "
            "# stands for a number, ‹id› for the pair's own name.</p>\n"
        )
        yield from _groups("Pairs without a result, by reason", failures)
        yield "</section>\n"
    if remarks:
        yield "<section>\n<h2>Remarks on analysed pairs</h2>\n"
        yield from _groups("Remarks, by text", remarks)
        yield "</section>\n"


def _groups(caption: str, groups: list[Group]) -> Iterator[str]:
    rows = [
        (
            escaped(group.pattern if group.status == "ok" else f"{group.status}: {group.pattern}"),
            number(group.count),
            ", ".join(map(named, group.first_ids))
            + (" …" if group.count > len(group.first_ids) else ""),
        )
        for group in groups[:MOST_REASONS]
    ]
    rest = groups[MOST_REASONS:]
    if rest:
        total = sum(group.count for group in rest)
        rows.append((f"{number(len(rest))} further reasons", number(total), ""))
    yield from _table(caption, ("reason", "pairs", "first ids"), rows, numbers={1}, headed=True)


def _making(contents: Contents) -> Iterator[str]:
    drawn = sum(bool(drawing.address) for drawing in contents.drawings.values())
    facts = [
        ("rows", f"{number(contents.digest.summary.n_pairs)}, {escaped(contents.rows_name)}"),
        ("schema", f"version {SCHEMA_VERSION}"),
        ("made by", f"anmmm {escaped(__version__)}, <code>anmmm report</code>"),
    ]
    if contents.source_name is not None:
        text = f"{escaped(contents.source_name)}, {drawn} pairs drawn"
        facts.insert(1, ("source", text))
    yield "<footer>\n<section>\n<h2>How this page was made</h2>\n"
    yield from _table("This page", ("what", "value"), facts, numbers=set(), headed=True)
    yield "</section>\n</footer>\n"
