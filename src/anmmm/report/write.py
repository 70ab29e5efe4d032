"""A page about the rows of a collection."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anmmm._files import (
    STEERING,
    atomic_writer,
    check_overwrite,
    check_writable,
    refuse_source,
    with_filename,
)
from anmmm._optional import require
from anmmm._text import hypotheses, valid_utf8, with_error
from anmmm._typing import StrPath
from anmmm._validation import check_count
from anmmm._version import __version__
from anmmm.collection import SCHEMA_VERSION, CollectionSummary, as_pairs, read_rows
from anmmm.collection.records import PairResult
from anmmm.collection.summary import FALSE_DISCOVERIES, is_right
from anmmm.direction.outcome import (
    LACK_OF_FIT_PVALUE,
    SURE,
    UNRELATED_GIVEN,
    format_confidence,
    format_decision,
)
from anmmm.evidence import model_text
from anmmm.plotting import matplotlib_module
from anmmm.report.digest import Digest
from anmmm.report.drawing import (
    MOST_POINTS,
    NOT_IN_SOURCE,
    draw_pairs,
    histogram_picture,
    rates_picture,
)

N_PLOTS = 12
# Pages with more pictures are slow to open.
MOST_PLOTS = 500
# Kinds of reasons that are listed one by one.
MOST_REASONS = 60
STATUSES = {
    "ok": "analyzed",
    "unusable": "unusable: the data cannot be analyzed",
    "error": "failed unexpectedly",
}
# Control characters that HTML does not allow.
_CONTROL = re.compile(f"[\x00-\x08\x0b-\x1f{STEERING}]")


@dataclass(frozen=True)
class Report:
    """Summary of a page that `write_report` has written.

    Attributes
    ----------
    summary : CollectionSummary
        Counts and accuracies, as on the page.
    n_drawn : int
        Pairs that are drawn.
    n_not_in_source : int
        Pairs that could not be drawn because they are not in the source.
    """

    summary: CollectionSummary
    n_drawn: int
    n_not_in_source: int


def write_report(
    rows: StrPath | Iterable[PairResult],
    output: StrPath,
    *,
    source: Any = None,
    n_plots: int = N_PLOTS,
    name: str | None = None,
    progress: bool = False,
    force: bool = False,
) -> Report:
    """Write one HTML page about the rows of a collection.

    Summary, accuracy against the fraction of decided pairs (if directions are known) or a histogram
    of the scores (if not), the most and the least certain pairs, reasons of failures. The page
    needs no other file, no script and no network.

    Parameters
    ----------
    rows : path-like or iterable of PairResult
        File of ``anmmm directions -o``, see `anmmm.collection.read_rows`, or the results of
        `anmmm.infer_directions`. Read once, row by row.
    output : path-like
        File for the page.
    source : PairSource or anything of `anmmm.collection.as_pairs`, optional
        Observations of the pairs, to draw them; open it with ``as_pairs`` if it needs options. Read
        once, until all are found. Without it pairs are only listed. Pairs with equal ids are not
        drawn.
    n_plots : int
        Number of the most certain pairs to show, and of the least certain ones; 0 to 500.
    name : str, optional
        Name of the rows on the page; by default the name of their file.
    progress : bool
        Whether to show a progress bar on standard error.
    force : bool
        Whether to replace an existing file.

    Returns
    -------
    Report
        Summary and number of the pictures.

    Raises
    ------
    ImportError
        If Jinja2 or Matplotlib is not installed, or PyArrow for a Parquet file.
    TypeError, ValueError
        If an argument is wrong, or a file is not a table of directions (`SourceError`, with the
        line).
    OSError
        If a file cannot be read or the page not be written, or `output` exists or is read.

    Notes
    -----
    Equal rows give equal pages with equal versions of the libraries. Time: some 30 microseconds per
    row, and some tenths of a second per drawn pair. Memory: some 200 bytes per row. Accuracies,
    errors and decision rates are those of `anmmm.evaluate`. See docs/guide/report.md.

    Examples
    --------
    >>> import tempfile, os
    >>> from anmmm import infer_directions
    >>> from anmmm.datasets import make_anm_mixture
    >>> pairs = {"first": make_anm_mixture("f3", 60, random_state=1)[:2]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = os.path.join(folder, "report.html")
    ...     report = write_report(infer_directions(pairs, random_state=0), page, source=pairs)
    >>> report.summary.n_pairs, report.n_drawn
    (1, 1)
    """
    n_plots = check_count(n_plots, "n_plots", minimum=0, maximum=MOST_PLOTS)
    # Check the output before the work.
    template = check_page(output, "page.html.j2", force=force)
    pairs = None if source is None else as_pairs(source)
    if pairs is not None:
        refuse_source(output, pairs.name, "the source of the pairs")
    rows_name = "rows in memory"
    if isinstance(rows, (str, os.PathLike)):
        refuse_source(output, os.fspath(rows), "the file of the rows")
        rows, rows_name = read_rows(rows), base_name(rows)
    digest = Digest(n_plots)
    for row in rows:
        if not isinstance(row, PairResult):
            raise TypeError(
                f"rows must be a path or an iterable of PairResult, found {type(row).__name__} "
                "among them"
            )
        digest.add(row)
    most, least = digest.shown()
    shown = [*most, *least]
    drawings = {}
    if pairs is not None:
        drawings = draw_pairs(shown, pairs, repeated=digest.repeated(shown), progress=progress)
    contents = template.generate(
        digest=digest,
        statuses=[(STATUSES.get(name, name), n) for name, n in digest.statuses.most_common()],
        models=[(f"{name}: {model_text(name)}", n) for name, n in digest.models.most_common()],
        most=most,
        least=least,
        drawings=drawings,
        rows_name=name or rows_name,
        source_name=None if pairs is None else base_name(pairs.name),
    )
    with atomic_writer(output) as file, with_filename(output):
        file.writelines(contents)
    return Report(
        summary=digest.summary(),
        n_drawn=sum(bool(drawing.address) for drawing in drawings.values()),
        n_not_in_source=sum(drawing.remark == NOT_IN_SOURCE for drawing in drawings.values()),
    )


def base_name(path: Any) -> str:
    """Return the last part of a path, without the folders of this machine."""
    text = os.fsdecode(path)
    return os.path.basename(text.rstrip("/\\")) or text


def check_page(path: StrPath, template: str, *, force: bool = False) -> Any:
    """Return the template of a page; raise an error if it cannot be written to this file."""
    jinja2 = require("jinja2", "report", "a report needs Jinja2")
    matplotlib_module("figure")
    check_overwrite(path, force=force)
    check_writable(path)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("anmmm", "report"),
        autoescape=True,
        finalize=lambda value: (
            value if hasattr(value, "__html__") else _CONTROL.sub("\ufffd", valid_utf8(str(value)))
        ),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    numbers = np.mean, np.median, percent, signed, thousands, with_error, format_confidence
    others = is_right, decision, model_text, rates_picture, histogram_picture
    environment.filters.update({each.__name__: each for each in (*numbers, *others)})
    environment.globals.update(
        version=__version__,
        schema_version=SCHEMA_VERSION,
        most_points=MOST_POINTS,
        most_reasons=MOST_REASONS,
        not_in_source=NOT_IN_SOURCE,
        false_discoveries=FALSE_DISCOVERIES,
        poor_fit=LACK_OF_FIT_PVALUE,
        unrelated_given=UNRELATED_GIVEN,
        sure=SURE,
    )
    return environment.get_template(template)


def decision(row: PairResult) -> str:
    """Return the decision in words, with the names of the variables."""
    return format_decision(row, hypotheses(row.x, row.y))


def percent(count: int, total: int) -> str:
    """Return a fraction in percent; only zero is shown as zero."""
    percent = 100 * count / total
    return "< 1 %" if 0.0 < percent < 0.5 else f"{percent:.0f} %"


def signed(value: float | None) -> str:
    """Return a score with its sign; only zero is shown as zero."""
    if value is None:
        return "—"
    shown = f"{value:+.4f}" if abs(value) >= 5e-5 or value == 0.0 else f"{value:+.0e}"
    return shown.replace("-", "−")


def thousands(value: int) -> str:
    """Return a count with a thousands separator."""
    return f"{value:,}".replace(",", "\u202f")
