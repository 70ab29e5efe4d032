"""Means with standard errors of records, and aligned Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from anmmm.evaluation.rates import standard_error
from benchmarks.paper.study import Record


def grouped(records: Iterable[Record], *names: str) -> dict[Any, list[Record]]:
    """Group records by one column, or by tuples of several, in order of first appearance."""
    groups: dict[Any, list[Record]] = {}
    for record in records:
        key = record[names[0]] if len(names) == 1 else tuple(record[name] for name in names)
        groups.setdefault(key, []).append(record)
    return groups


def mean_error(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error, which is NaN for a single value."""
    array = np.asarray(values, dtype=float)
    return float(array.mean()), standard_error(array)


def plus_minus(mean: float, error: float, digits: int = 3, sign: str = "") -> str:
    """Return ``mean ± error`` in print; the sign ``"+"`` shows that of positive means too."""
    printed = f"{mean:{sign}.{digits}f}"
    return printed if np.isnan(error) else f"{printed} ± {error:.{digits}f}"


def difference(mean: float, error: float, printed: float) -> str:
    """Return how far a mean is from a printed number, whose error is not known."""
    return plus_minus(mean - printed, error, sign="+")


def failures(records: Iterable[Record]) -> list[str]:
    """Return one sentence for each method that failed: how often, and its first problem."""
    sentences = []
    for method, group in grouped(records, "method").items():
        problems = [record["problem"] for record in group if record["problem"]]
        if problems:
            sentences.append(f"{method} failed on {len(problems)} of {len(group)}: {problems[0]}")
    return sentences


def markdown_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> str:
    """Return title, table and note in Markdown, its columns in line in a text editor too."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        rest = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        return "| " + " | ".join([cells[0].ljust(widths[0]), *rest]) + " |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    text = [f"**{title}**", "", line(header), line(rule), *map(line, rows)]
    return "\n".join([*text, "", note] if note else text)
