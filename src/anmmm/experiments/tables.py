"""Records come in; means with standard errors and aligned Markdown go out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from anmmm.evaluation import standard_error
from anmmm.experiments.study import Record, Table

__all__ = ["difference", "failures", "grouped", "markdown", "mean_error", "plus_minus"]


def grouped(records: Iterable[Record], *names: str) -> dict[Any, list[Record]]:
    """Group records by the values of one column, or by the tuples of several.

    Returns
    -------
    dict
        In order of first appearance.
    """
    groups: dict[Any, list[Record]] = {}
    for record in records:
        key = record[names[0]] if len(names) == 1 else tuple(record[name] for name in names)
        groups.setdefault(key, []).append(record)
    return groups


def mean_error(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard error of the mean.

    Parameters
    ----------
    values : sequence of float
        Shares of right decisions are means of zeros and ones.

    Returns
    -------
    mean, error : float
        The error of a single value is NaN.
    """
    array = np.asarray(values, dtype=float)
    return float(array.mean()), standard_error(array)


def plus_minus(mean: float, error: float, digits: int = 3) -> str:
    """Return ``mean ± error`` in print."""
    if np.isnan(error):
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def difference(mean: float, error: float, printed: float, digits: int = 3) -> str:
    """Return how far a mean is from a printed number, whose own error is not known."""
    told = f"{mean - printed:+.{digits}f}"
    return told if np.isnan(error) else f"{told} ± {error:.{digits}f}"


def failures(records: Iterable[Record]) -> list[str]:
    """Tell which methods failed, how often and how first.

    Returns
    -------
    list of str
        One sentence a method.
    """
    told = []
    for method, group in grouped(records, "method").items():
        problems = [record["problem"] for record in group if record.get("problem")]
        if problems:
            told.append(f"{method} failed on {len(problems)} of {len(group)}: {problems[0]}")
    return told


def markdown(table: Table) -> str:
    """Return a table as Markdown whose columns line up in a text editor too.

    Parameters
    ----------
    table : Table

    Returns
    -------
    str
        Title in bold, table, note.
    """
    rows = [list(map(str, row)) for row in (table.header, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        rest = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        return "| " + " | ".join([cells[0].ljust(widths[0]), *rest]) + " |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    text = [f"**{table.title}**", "", line(rows[0]), line(rule), *map(line, rows[1:])]
    return "\n".join([*text, "", table.note] if table.note else text)
