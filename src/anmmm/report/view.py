"""The digest of a collection and the pictures of its pairs come in; the text of a page goes out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from anmmm._optional import require
from anmmm._version import __version__
from anmmm._words import chosen, spelled, with_error
from anmmm.collection import SCHEMA_VERSION, CollectionSummary
from anmmm.collection.summary import is_right
from anmmm.evidence import model_text
from anmmm.report.digest import Digest
from anmmm.report.drawing import MOST_POINTS, NOT_IN_SOURCE, Drawing
from anmmm.report.pictures import histogram_picture, rates_picture
from anmmm.results import PairResult

__all__ = ["page", "page_template"]

# Kinds of reasons that are listed one by one.
MOST_REASONS = 60
# Letters of an id that are shown.
LONGEST = 120
_STATUSES = {
    "ok": "analysed",
    "unusable": "unusable: the data cannot be analysed",
    "error": "failed unexpectedly",
    "timeout": "took longer than allowed",
    "lost": "ended their worker process",
}
# HTML has no control characters but tab and line end.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def page_template() -> Any:
    """Return the template of a page; needs Jinja2."""
    jinja2 = require("jinja2", "report", "a report needs Jinja2")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("anmmm", "report"),
        autoescape=True,
        finalize=lambda value: value if hasattr(value, "__html__") else readable(str(value)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (cut, decision, is_right, observations, share, signed, thousands, with_error)
    environment.filters.update({filter.__name__: filter for filter in filters})
    return environment.get_template("page.html.j2")


def page(
    template: Any,
    digest: Digest,
    most: list[PairResult],
    least: list[PairResult],
    drawings: dict[str, Drawing],
    *,
    rows_name: str,
    source_name: str | None,
) -> Iterator[str]:
    """Return the text of a page, piece by piece."""
    summary, errors = digest.summary(), digest.accuracy_errors()
    # Only the criterion that compares lengths names a model.
    unit = "nats per observation" if digest.models else "units of the criterion"
    certainty, rates = digest.rates()
    texts: Iterator[str] = template.generate(
        version=__version__,
        schema_version=SCHEMA_VERSION,
        most_points=MOST_POINTS,
        most_reasons=MOST_REASONS,
        rows_name=rows_name,
        source_name=source_name,
        summary=summary,
        n_analysed=digest.statuses["ok"],
        has_errors=errors[0] is not None,
        unit=unit,
        facts=_facts(digest, summary, errors, unit),
        counts=_counts(digest),
        certainty=certainty,
        rates=rates,
        rates_picture="" if rates is None else rates_picture(rates),
        scores=_scores(digest, unit),
        ordered_by=digest.ordered_by,
        most=most,
        least=least,
        drawings=drawings,
        n_drawn=sum(bool(drawing.address) for drawing in drawings.values()),
        n_missing=sum(drawing.remark == NOT_IN_SOURCE for drawing in drawings.values()),
        failures=digest.failures.groups(),
        remarks=digest.remarks.groups(),
    )
    return texts


def _facts(
    digest: Digest,
    summary: CollectionSummary,
    errors: tuple[float | None, float | None],
    unit: str,
) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and note of what stands on top."""
    n_analysed = digest.statuses["ok"]
    yield "pairs", thousands(summary.n_pairs), f"{thousands(n_analysed)} of them analysed"
    yield "decided", thousands(summary.n_decided), f"{thousands(summary.n_undecided)} undecided"
    right = f"{thousands(summary.n_correct)} of {thousands(summary.n_scored)} of known direction"
    weight = f"total weight {summary.total_weight:.6g}"
    for name, value, error, note in (
        ("accuracy", summary.accuracy, errors[0], right),
        ("weighted accuracy", summary.weighted_accuracy, errors[1], weight),
    ):
        if value is not None:
            yield name, f"{value:.3f}", note if error is None else f"± {error:.3f}, {note}"
    if digest.median_size is not None:
        yield "median |score|", f"{digest.median_size:.3g}", unit
    if digest.mean_confidence is not None:
        note = "that the sign of the score is right"
        if digest.n_confident < n_analysed:
            note = f"of the {thousands(digest.n_confident)} pairs that have one"
        yield "mean confidence", f"{digest.mean_confidence:.3f}", note
    if digest.median_seconds is not None:
        yield "seconds per pair", f"{digest.median_seconds:.3g}", "median"


def _counts(digest: Digest) -> list[list[tuple[str, str, list[tuple[str, int]]]]]:
    """Return caption, head and rows of the tables of counts, those to the left first."""
    statuses = [(_STATUSES.get(name, name), n) for name, n in digest.statuses.most_common()]
    mechanisms = [(str(number), n) for number, n in sorted(digest.mechanisms.items())]
    models = [(f"{name}: {model_text(name)}", n) for name, n in digest.models.most_common()]
    left = [("Status", "status", statuses), ("Number of mechanisms", "mechanisms", mechanisms)]
    return [left, [("Model of the effect", "model", models)]]


def _scores(digest: Digest, unit: str) -> dict[str, Any] | None:
    """Return the histogram of the pairs of unknown direction with its counts, if there are any."""
    scores = digest.unknown_scores
    if not len(scores):
        return None
    picture, n_beyond = histogram_picture(scores, unit)
    signs = {"forward": int((scores > 0).sum()), "backward": int((scores < 0).sum())}
    return {"picture": picture, "total": len(scores), "beyond": n_beyond, **signs}


def readable(text: str) -> str:
    """Return text without what a page cannot hold."""
    return _CONTROL.sub("\ufffd", spelled(text))


def cut(pair_id: str) -> str:
    """Return an id, shorter where it is very long."""
    return pair_id if len(pair_id) <= LONGEST else f"{pair_id[: LONGEST - 1]}…"


def decision(row: PairResult) -> str:
    """Return the decision of a row in words."""
    return chosen(row.direction, ("x causes y", "y causes x"))


def observations(row: PairResult, drawing: Drawing) -> str:
    """Return how many observations a pair has, and how many of them are drawn if not all."""
    total = row.n if row.n is not None else row.n_used
    if total is None:
        return "n unknown"
    size = f"n = {thousands(total)}"
    if drawing.address and drawing.n_drawn != total:
        return f"{size}, {thousands(drawing.n_drawn)} drawn"
    return size


def share(count: int, total: int) -> str:
    """Return a share in percent, never a zero for what is none."""
    percent = 100 * count / total
    return "< 1 %" if 0.0 < percent < 0.5 else f"{percent:.0f} %"


def signed(value: float | None) -> str:
    """Return a score with its sign, never a zero for what is none."""
    if value is None:
        return "—"
    shown = f"{value:+.4f}" if abs(value) >= 5e-5 or value == 0.0 else f"{value:+.0e}"
    return shown.replace("-", "−")


def thousands(value: int) -> str:
    """Return a count with its thousands apart."""
    return f"{value:,}".replace(",", "\u202f")
