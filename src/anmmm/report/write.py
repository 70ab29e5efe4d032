"""Rows of a collection come in; a page about them goes out to a file, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from anmmm._files import atomic_writer, check_writable
from anmmm._validation import check_count
from anmmm.collection import CollectionSummary, as_pairs, read_rows
from anmmm.collection.records import PairResult
from anmmm.plotting import matplotlib_module
from anmmm.report.digest import Digest
from anmmm.report.drawing import NOT_IN_SOURCE, draw_pairs
from anmmm.report.view import page, page_template

N_PLOTS = 12
# A page of more pictures is slow to open, and nobody looks at all of them.
MOST_PLOTS = 500


@dataclass(frozen=True)
class Report:
    """What `write_report` put on a page.

    Attributes
    ----------
    summary : CollectionSummary
        Counts and accuracies, as on the page.
    n_drawn : int
        Pairs that are drawn.
    n_not_in_source : int
        Pairs that were to be drawn and are not in the source.
    """

    summary: CollectionSummary
    n_drawn: int
    n_not_in_source: int


def write_report(
    rows: str | os.PathLike[str] | Iterable[PairResult],
    output: str | os.PathLike[str],
    *,
    source: Any = None,
    n_plots: int = N_PLOTS,
    name: str | None = None,
    progress: bool = False,
) -> Report:
    """Write one HTML page about the rows of a collection.

    Summary, accuracy against the decided share (where directions are known) or a histogram of the
    scores (where not), the most and the least certain pairs, reasons of failures. The page needs no
    other file, no script and no network.

    Parameters
    ----------
    rows : path-like or iterable of PairResult
        File of ``anmmm directions -o``, see `anmmm.collection.read_rows`, or the results of
        `anmmm.infer_directions`. Read once, row by row.
    output : path-like
        File for the page.
    source : PairSource or anything of `anmmm.collection.as_pairs`, optional
        Where the observations of the pairs are, to draw them; open it with ``as_pairs`` where it
        needs options. Walked once, no further than needed. Without it pairs are listed. A pair
        whose id others have, too, is not drawn.
    n_plots : int
        Number of the most certain pairs to show, and of the least certain ones; 0 to 500.
    name : str, optional
        What the rows are called on the page; by default the name of their file.
    progress : bool
        Whether to show on standard error how many pairs are drawn.

    Returns
    -------
    Report
        Summary and number of the pictures.

    Raises
    ------
    ImportError
        If Jinja2 or Matplotlib is not installed, or PyArrow for a Parquet file.
    TypeError, ValueError
        If an argument cannot be used, or a file is no table of directions (`SourceError`, with the
        line).
    OSError
        If a file cannot be read or the page not be written.

    Notes
    -----
    Equal rows make equal pages with equal versions of the libraries. Time: some 30 microseconds a
    row, and some tenths of a second for each pair that is drawn. Memory: some 200 bytes a row.
    Accuracies, errors and decision rates are those of `anmmm.evaluate`. How pairs are drawn:
    docs/guide/report.md.

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
    # Before the work.
    template = page_template()
    matplotlib_module("figure")
    check_writable(output)
    pairs = None if source is None else as_pairs(source)
    rows_name = "rows in memory"
    if isinstance(rows, (str, os.PathLike)):
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
    contents = page(
        template,
        digest,
        most,
        least,
        drawings,
        rows_name=name or rows_name,
        source_name=None if pairs is None else base_name(pairs.name),
    )
    with atomic_writer(output) as file:
        file.writelines(contents)
    return Report(
        summary=digest.summary(),
        n_drawn=sum(bool(drawing.address) for drawing in drawings.values()),
        n_not_in_source=sum(drawing.remark == NOT_IN_SOURCE for drawing in drawings.values()),
    )


def base_name(path: Any) -> str:
    """Return the last part of a path: where it lies on this machine is nobody else's business."""
    text = os.fsdecode(path)
    return os.path.basename(text.rstrip("/\\")) or text
