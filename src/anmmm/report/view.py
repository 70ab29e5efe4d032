"""The digest of a collection and the pictures of its pairs come in; the text of a page goes out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from anmmm._optional import require
from anmmm._version import __version__
from anmmm._words import hypotheses, spelled, with_error
from anmmm.collection import SCHEMA_VERSION
from anmmm.collection.records import PairResult
from anmmm.collection.summary import FALSE_DISCOVERIES, is_right
from anmmm.direction import POOR_FIT, SURE, said_of
from anmmm.evidence import model_text
from anmmm.report.digest import Digest
from anmmm.report.drawing import MOST_POINTS, NOT_IN_SOURCE, Drawing
from anmmm.report.pictures import histogram_picture, rates_picture

# Kinds of reasons that are listed one by one.
MOST_REASONS = 60
STATUSES = {
    "ok": "analyzed",
    "unusable": "unusable: the data cannot be analyzed",
    "error": "failed unexpectedly",
    "lost": "ended their worker process",
}
# HTML has no control characters but tab and line end.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def page_template() -> Any:
    """Return the template of a page; needs Jinja2."""
    jinja2 = require("jinja2", "report", "a report needs Jinja2")
    return _environment(jinja2).get_template("page.html.j2")


@cache
def _environment(jinja2: Any) -> Any:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("anmmm", "report"),
        autoescape=True,
        finalize=lambda value: value if hasattr(value, "__html__") else _readable(str(value)),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (np.mean, np.median, is_right, said, share, signed, thousands, with_error)
    environment.filters.update({filter.__name__: filter for filter in filters})
    return environment


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
    # Only the criterion that compares lengths names a model.
    unit = "nats per observation" if digest.models else "units of the criterion"
    certainty, rates = digest.rates()
    texts: Iterator[str] = template.generate(
        version=__version__,
        schema_version=SCHEMA_VERSION,
        most_points=MOST_POINTS,
        most_reasons=MOST_REASONS,
        not_in_source=NOT_IN_SOURCE,
        rows_name=rows_name,
        source_name=source_name,
        digest=digest,
        summary=digest.summary(),
        n_analyzed=digest.statuses["ok"],
        false_discoveries=FALSE_DISCOVERIES,
        largest_related=digest.largest_related,
        poor_fit=POOR_FIT,
        sure=SURE,
        errors=digest.accuracy_errors(),
        unit=unit,
        relations=digest.relations.most_common(),
        statuses=[(STATUSES.get(name, name), n) for name, n in digest.statuses.most_common()],
        models=[(f"{name}: {model_text(name)}", n) for name, n in digest.models.most_common()],
        certainty=certainty,
        rates=rates,
        rates_picture="" if rates is None else rates_picture(rates),
        scores=_scores(digest, unit),
        most=most,
        least=least,
        drawings=drawings,
    )
    return texts


def _scores(digest: Digest, unit: str) -> dict[str, Any] | None:
    """Return the histogram of the pairs of unknown direction with its counts, if there are any."""
    if not digest.unknown_scores:
        return None
    scores = np.array(digest.unknown_scores)
    picture, n_beyond = histogram_picture(scores, unit)
    signs = {"forward": int((scores > 0).sum()), "backward": int((scores < 0).sum())}
    return {"picture": picture, "total": len(scores), "beyond": n_beyond, **signs}


def _readable(text: str) -> str:
    return _CONTROL.sub("\ufffd", spelled(text))


def said(row: PairResult) -> str:
    """Return the relation of a row; what is not sure is a leaning."""
    return said_of(row, hypotheses())


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
