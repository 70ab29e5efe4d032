"""A page about the rows of a collection."""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tqdm.auto import tqdm

from anmmm._compiling import can_report
from anmmm._files import atomic_writer, refuse_source, with_filename
from anmmm._text import counted, cut, hypotheses, valid_utf8
from anmmm._threads import single_thread
from anmmm._typing import StrPath
from anmmm._validation import check_count
from anmmm._warning import suppress_convergence_warnings
from anmmm.collection import as_pairs, read_rows, summarize
from anmmm.collection.records import PairResult
from anmmm.collection.summary import SCREENED
from anmmm.datasets import Pair
from anmmm.direction import infer_direction
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    INDEPENDENT,
    format_confidence,
    format_decision,
)
from anmmm.evaluation import Evaluation
from anmmm.evaluation.run import measure
from anmmm.evidence import model_text
from anmmm.plotting import plot_pairs
from anmmm.plotting.direction import draw_hypothesis, one_group, shown_pair
from anmmm.plotting.groups import draw_points
from anmmm.plotting.rates import draw_rates
from anmmm.plotting.style import as_text
from anmmm.report.page import MOST_PLOTS, base_name, open_template, picture

# Most points of one picture.
MOST_POINTS = 1500
# Texts of notes that are listed.
MOST_NOTES = 40
# Models that are listed.
MOST_MODELS = 12
# Letters of a name at an axis.
LONGEST_LABEL = 24

_FOLDERS = re.compile(r"(?<!\S)(?:[A-Za-z]:)?[\\/]\S*[\\/]")
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?(?!\w)")


def write_report(
    rows: StrPath | Iterable[PairResult],
    output: StrPath,
    *,
    source: Any = None,
    n_plots: int = 12,
    name: str | None = None,
    progress: bool = False,
    force: bool = False,
) -> None:
    """Write one HTML page about the rows of a collection.

    Counts and accuracies, what was assumed, accuracy against the fraction of decided pairs (if
    directions are known), a map (of the pairs of a table), the most and the least certain pairs,
    and the notes. The page needs no other file, no script and no network.

    Parameters
    ----------
    rows : path-like or iterable of PairResult
        File of ``anmmm directions -o``, see `anmmm.collection.read_rows`, or the results of
        `anmmm.infer_directions`.
    output : path-like
        File for the page.
    source : PairSource or anything of `anmmm.collection.as_pairs`, optional
        Observations of the pairs, to draw them; open it with ``as_pairs`` if it needs options.
        Without it pairs are only listed. A picture shows the model that decided the pair.
    n_plots : int
        Number of the most certain pairs to show, and of the least certain ones; 0 to 500.
    name : str, optional
        Name of the rows on the page; by default the name of their file.
    progress : bool
        Whether to show a progress bar on standard error.
    force : bool
        Whether to replace an existing file.

    Raises
    ------
    ImportError
        If Jinja2 or Matplotlib is not installed, or PyArrow for a file.
    TypeError, ValueError
        If an argument is wrong, or a file is not a table of directions (`SourceError`).
    OSError
        If a file cannot be read or the page not be written, or `output` exists or is read.

    Notes
    -----
    Equal rows give equal pages with equal versions of the libraries. Time: some tenths of a second
    per drawn pair. Memory: a kilobyte per row, but for those that a screen left out. Accuracies,
    errors and decision rates are those of `anmmm.evaluate`. See docs/guide/report.md.

    Examples
    --------
    >>> import tempfile, os
    >>> from anmmm import infer_directions
    >>> from anmmm.datasets import make_anm_mixture
    >>> pairs = {"first": make_anm_mixture("f3", 60, random_state=1)[:2]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = os.path.join(folder, "report.html")
    ...     write_report(infer_directions(pairs, random_state=0), page, source=pairs)
    """
    n_plots = check_count(n_plots, "n_plots", minimum=0, maximum=MOST_PLOTS)
    template = open_template("pairs.html.j2", output, force=force)
    pairs = None if source is None else as_pairs(source)
    if pairs is not None:
        refuse_source(output, pairs.name, "the source of the pairs")
    rows_name = "rows in memory"
    if isinstance(rows, (str, os.PathLike)):
        refuse_source(output, os.fspath(rows), "the file of the rows")
        rows_name = base_name(rows)
        rows = read_rows(rows)
    kept: list[PairResult] = []
    summary = summarize(_keeping(rows, kept))
    measured = measure(kept)
    order, most, least = _extremes(kept, n_plots)
    pictures: dict[str, tuple[str, str]] = {}
    if pairs is not None:
        pictures = _draw_pairs([*most, *least], pairs, progress)
    contents = template.generate(
        rows_name=name or rows_name,
        source_name=None if pairs is None else base_name(pairs.name),
        summary=summary,
        measured=measured,
        accuracies=_accuracies(measured),
        assumptions=_assumptions(kept),
        rates_picture=_rates_picture(measured),
        map_picture=_map_picture(kept),
        order=order,
        ranked={"most": most, "least": least},
        pictures=pictures,
        decisions=Counter(format_decision(row) for row in kept if row.status == "ok"),
        models=Counter(row.model for row in kept if row.model).most_common(MOST_MODELS),
        notes=_notes(kept),
        decision_of=lambda row: format_decision(row, hypotheses(row.x, row.y)),
        format_confidence=format_confidence,
    )
    with atomic_writer(output) as file, with_filename(output):
        file.writelines(contents)


def _keeping(rows: Iterable[PairResult], kept: list[PairResult]) -> Iterator[PairResult]:
    """Yield rows, and keep those that a screen did not leave out."""
    for row in rows:
        if not isinstance(row, PairResult):
            raise TypeError(
                f"rows must be a path or an iterable of PairResult, found {type(row).__name__} "
                "among them"
            )
        if SCREENED not in row.notes:
            kept.append(row)
        yield row


def _extremes(rows: list[PairResult], count: int) -> tuple[str, list[PairResult], list[PairResult]]:
    """Return the order, and the most and the least certain rows with a direction; none twice."""
    ranked = [
        row
        for row in rows
        if row.score is not None and row.relation not in (INDEPENDENT, COMMON_CAUSE)
    ]
    has_confidence = all(row.confidence is not None for row in ranked)
    ranked.sort(key=lambda row: abs(row.score or 0.0), reverse=True)
    if has_confidence:
        ranked.sort(key=lambda row: row.confidence or 0.0, reverse=True)
    n_most = min(count, -(-len(ranked) // 2))
    n_least = min(count, len(ranked) - n_most)
    order = "confidence" if has_confidence else "|score|"
    return order, ranked[:n_most], ranked[::-1][:n_least]


def _accuracies(measured: Evaluation) -> list[tuple[str, float, str]]:
    """Return names, values and notes of the accuracies that are known."""
    summary = measured.summary
    accuracies = []
    if summary.accuracy is not None:
        error = measured.accuracy_error
        note = f"{summary.n_correct} of {summary.n_scored} pairs"
        accuracies.append(("accuracy", summary.accuracy, _with_error(error, note)))
    if summary.weighted_accuracy is not None:
        error = measured.weighted_accuracy_error
        note = f"total weight {summary.total_weight:.6g}"
        accuracies.append(
            ("weighted accuracy", summary.weighted_accuracy, _with_error(error, note))
        )
    return accuracies


def _with_error(error: float | None, note: str) -> str:
    return note if error is None else f"± {error:.3f}, {note}"


def _assumptions(rows: list[PairResult]) -> list[str]:
    """Return what the decisions assume and leave out, a sentence each."""
    analyzed = [row for row in rows if row.status == "ok"]
    sentences = [
        "The observations of a pair are independent of each other: rows in time or space can make "
        "a wrong direction sure."
    ]
    if any(row.probabilities for row in analyzed):
        sentences.append(
            "A common cause of x and y that nobody measured forms groups or one curve. Any other "
            "one can look like a direction."
        )
    elif analyzed:
        sentences.append("x and y have no common cause that nobody measured.")
    n_dropped = [row.n_dropped for row in analyzed if row.n_dropped]
    if n_dropped:
        sentences.append(
            f"Left out: {counted(sum(n_dropped), 'incomplete row')} of "
            f"{counted(len(n_dropped), 'pair')}."
        )
    n_explained = sum(bool(row.explained_by) for row in analyzed)
    if n_explained:
        pairs = counted(n_explained, "pair")
        sentences.append(
            f"In {pairs} no further dependence was found given other columns: an arrow may be "
            "indirect, and its confidence is at most 0.5."
        )
    if any(row.is_right is not None for row in analyzed):
        sentences.append("A pair of known direction without a decision counts as wrong.")
    return sentences


def _rates_picture(measured: Evaluation) -> str:
    rates = measured.decision_rates
    if rates is None:
        return ""
    curves = {"accuracy ± standard error": rates}
    return picture(lambda ax: draw_rates(ax, curves), (5.2, 3.0), font=9.0)


def _map_picture(rows: list[PairResult]) -> str:
    """Return a map of the pairs of a table, in which pairs share their variables."""
    pairs = {(row.x, row.y) for row in rows}
    names = {name for pair in pairs for name in pair}
    if len(pairs) < max(len(rows), len(names)) or len(names) < 3:
        return ""
    return picture(lambda ax: plot_pairs(rows, ax=ax), (5.5, 4.6), font=8.0)


def _draw_pairs(
    rows: Sequence[PairResult], source: Iterable[Pair], progress: bool
) -> dict[str, tuple[str, str]]:
    """Return the address of a picture, and a remark, for each id of these rows."""
    wanted = {row.pair_id: row for row in rows}
    pictures: dict[str, tuple[str, str]] = {}
    is_hidden = not (progress and can_report())
    with tqdm(total=len(wanted), unit="plot", disable=is_hidden, leave=False) as bar:
        for pair in source:
            pair_id = valid_utf8(pair.pair_id)
            if pair_id in wanted and pair_id not in pictures:
                with single_thread(), suppress_convergence_warnings():
                    pictures[pair_id] = _draw_pair(wanted[pair_id], pair)
                bar.update()
            if len(pictures) == len(wanted):
                break
    n_missing = len(wanted) - len(pictures)
    if n_missing:
        warnings.warn(
            f"{n_missing} of {len(wanted)} pairs to be drawn are not in the source",
            UserWarning,
            stacklevel=3,
        )
    return pictures


def _draw_pair(row: PairResult, pair: Pair) -> tuple[str, str]:
    """Return the picture of a pair with the model that decided it, and a remark.

    The model is fitted again. To a sample of the rows another one may fit best, which is remarked.
    """
    try:
        used = pair.univariate().subsample(min(row.n or MOST_POINTS, MOST_POINTS), 0)
        if row.n is not None and row.n > len(pair.x):
            raise ValueError(f"{len(pair.x)} observations in the source, {row.n} in the row")
        result = infer_direction(used.x, used.y, random_state=0)
        labels = (as_text(cut(row.x, LONGEST_LABEL)), as_text(cut(row.y, LONGEST_LABEL)))
        x, y = shown_pair(used.x, used.y, result, labels)
    except (TypeError, ValueError) as error:
        return "", f"not drawn: {error}"
    is_backward = row.direction == -1 or (not row.direction and result.score < 0.0)

    def draw(ax: Any) -> None:
        if row.model is None:
            # Another criterion than the description length: no model of the effect.
            draw_points(ax, x.values, y.values, one_group(x), area=6.0)
            ax.set(xlabel=x.name, ylabel=y.name)
        else:
            draw_hypothesis(ax, result, int(is_backward), x, y, marker_size=2.5)
        ax.locator_params(nbins=4)

    fits = (result.models.forward, result.models.backward)
    model = getattr(fits[is_backward], "model", "")
    is_same = row.model is None or row.model == model
    return picture(draw), "" if is_same else f"drawn with {len(x.values)} rows: {model_text(model)}"


def _notes(rows: list[PairResult]) -> list[tuple[str, int, str]]:
    """Return each text of notes without numbers, how many pairs have it, and the first."""
    counts: Counter[str] = Counter()
    first: dict[str, str] = defaultdict(str)
    for row in rows:
        if not row.notes:
            continue
        text = _FOLDERS.sub("", row.notes)
        if row.pair_id:
            text = re.sub(rf"(?<!\w){re.escape(row.pair_id)}(?!\w)", "‹id›", text)
        text = _NUMBER.sub("#", text)
        if row.explained_by:
            text = text.replace(row.explained_by, "other columns")
        if row.status != "ok":
            text = f"{row.status}: {text}"
        counts[text] += 1
        first.setdefault(text, row.pair_id)
    return [(text, count, first[text]) for text, count in counts.most_common(MOST_NOTES)]
