"""Texts for users: values, counts and names in messages, and aligned lines."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any


def hypotheses(x: str = "x", y: str = "y") -> tuple[str, str]:
    """Return the names of both hypotheses, that x causes y first."""
    return f"{x} → {y}", f"{y} → {x}"


def renamed(text: str, names: tuple[str, str]) -> str:
    """Return a text with x → y and y → x replaced by the names of both hypotheses."""
    return re.sub("x → y|y → x", lambda found: names[found[0] == "y → x"], text)


def has_digits(names: Iterable[Hashable]) -> bool:
    """Return whether some names are whole numbers, also as text; then none is a position."""
    return any(str(name).isdecimal() for name in names)


# Letters of a value that a message repeats.
LONGEST = 80
# From here on two digits of a probability would be 1.
CERTAIN = 0.995


def brief(value: Any) -> str:
    """Return the repr of a value for a message, shortened if it is long."""
    return cut(repr(value))


def cut(text: str, most: int = LONGEST) -> str:
    """Return text of at most so many letters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def format_probability(probability: float) -> str:
    """Return a probability in two digits; never one of 1."""
    return ">0.99" if probability >= CERTAIN else f"{probability:.2f}"


def listed(names: Sequence[Hashable]) -> str:
    """Return the first eight names for a message, long ones cut."""
    shown = ", ".join(cut(str(name)) for name in names[:8]) if names else "none"
    return shown if len(names) <= 8 else f"{shown} and {len(names) - 8} more"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, ``1 pair`` or ``2 pairs``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def valid_utf8(text: str) -> str:
    """Return text as files spell it, with backslashes for invalid Unicode."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(text: str) -> str:
    """Return text on one line: letters that are not printed, line ends among them, as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def table_lines(columns: Mapping[str, str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return cells below each other: the line of heads and a line for each row.

    `columns` has the heads with their alignments and least widths, such as ``">10"``.
    """
    cells = [list(columns), *rows]
    specs = []
    for spec, column in zip(columns.values(), zip(*cells, strict=True), strict=True):
        specs.append(f"{spec[0]}{max(int(spec[1:]), *map(len, column))}")
    lines = []
    for row in cells:
        padded = [f"{cell:{spec}}" for cell, spec in zip(row, specs, strict=True)]
        lines.append("  ".join(padded).rstrip())
    return lines
