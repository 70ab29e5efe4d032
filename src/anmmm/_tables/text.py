"""Text tables: cells between delimiters, perhaps below a header, with the line of every row.

NumPy reads a table that holds only numbers, the module csv any other one.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._categories import Column, as_categories
from anmmm._cells import MISSING_CELLS, as_number, read_texts
from anmmm._tables.errors import SourceError
from anmmm._tables.table import Table
from anmmm._text import cut
from anmmm._typing import FloatArray, StrPath
from anmmm._validation import check_flag
from anmmm._warning import warn_caller

# Lines used to find the delimiter and the header.
SAMPLED_LINES = 50
# Below the first other line, a comment has a blank after its #; #N/A is a cell.
_COMMENT = re.compile(r"\s*#(\s|$)")
_QUOTED = re.compile(r'"[^"]*"')
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
# Could also be a whole number with a thousands separator.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
# Share of whole numbers among the values below numbers that name columns.
MAX_WHOLE = 0.05


def check_header(header: Any) -> bool | None:
    """Return the option ``header``, None for "auto"."""
    return None if header is None or header == "auto" else check_flag(header, "header")


def read_text(path: StrPath, header: bool | None = None) -> TextTable:
    """Read a text table from a file in UTF-8."""
    return parse_text(Path(path).read_bytes(), os.fspath(path), header)


def parse_text(data: bytes, path: str, header: bool | None = None) -> TextTable:
    """Read a text table from its bytes; see docs/guide/collections.md."""
    numbered = [(n, row) for n, row in enumerate(decode(data, path).split("\n"), 1) if row.strip()]
    while numbered and numbered[0][1].lstrip().startswith(("#", "sep=")):
        del numbered[0]
    numbered = [(n, row) for n, row in numbered if not _COMMENT.match(row)]
    if not numbered:
        raise SourceError(path, None, "the file is empty")
    lines = [n for n, _ in numbered]
    rows = [row for _, row in numbered]
    delimiter = _delimiter(rows[:SAMPLED_LINES])
    sample = _split(rows[:SAMPLED_LINES], lines, delimiter, path)
    names = [""] * len(sample[0])
    if header is None:
        header = _has_header(sample, delimiter, f"{path}:{lines[0]}")
    if header:
        if len(rows) == 1:
            raise SourceError(path, lines[0], "a header, but no row of numbers after it")
        names = sample[0]
        if len(names) == len(sample[1]) - 1:
            # R's write.table gives row names no header; or a delimiter ends all other lines.
            names = ["", *names] if sample[1][-1] else [*names, ""]
        del rows[0], lines[0]
    return TextTable(path, names, rows, lines, delimiter, header)


class TextTable(Table):
    """The table of a text file: `rows` are its lines, the places of `lines` their numbers."""

    def __init__(
        self,
        path: str,
        names: list[str],
        rows: list[str],
        lines: list[int],
        delimiter: str | None,
        has_header: bool,
    ) -> None:
        labels = [name or f"column {number}" for number, name in enumerate(names, start=1)]
        super().__init__(path, labels)
        if has_header:
            self.unnamed += [label for label, name in zip(labels, names, strict=True) if not name]
        self.lines: list[int] = lines
        self.has_header = has_header
        self._rows = rows
        self._delimiter = delimiter
        self._matrix = _numbers(rows, delimiter, len(names))
        if self._matrix is None:
            # A line of another number of cells is an error now.
            _ = self._texts

    def load(self, names: Sequence[Hashable]) -> Mapping[Hashable, int]:
        """Return the places of columns."""
        return {name: self.names.index(name) for name in names}

    def variable(self, name: Hashable, place: int, is_declared: bool) -> Column:
        """Return a column; one with a number among its cells is of numbers, unless declared."""
        if is_declared:
            return as_categories(self._texts[place], str(name))
        if self._matrix is not None:
            return Column(np.ascontiguousarray(self._matrix[:, place]))
        numbers, problem, row = read_texts(self._texts[place])
        if row == 0 and not self.has_header:
            problem += "; header=True (--header) takes this line as names of the columns"
        if row is not None:
            raise SourceError(self.name, self.place(row), f"{name} {problem}")
        if problem:
            raise SourceError(self.name, None, f"column {name!r} {problem}")
        return as_categories(self._texts[place], str(name)) if numbers is None else Column(numbers)

    @cached_property
    def _texts(self) -> list[list[str | None]]:
        """The cells of each column, None for missing, decimal commas as points."""
        cells = _split(self._rows, self.lines, self._delimiter, self.name)
        for row, line in zip(cells, self.lines, strict=True):
            if len(row) != len(self.names):
                raise SourceError(
                    self.name,
                    line,
                    f"expected {len(self.names)} fields as in the lines above, found {len(row)}",
                )
        if self._delimiter != "," and _has_decimal_commas(cells):
            cells = [[_with_point(cell) for cell in row] for row in cells]
        return [
            [None if cell.lower() in MISSING_CELLS else cell for cell in column]
            for column in zip(*cells, strict=True)
        ]


def _numbers(rows: list[str], delimiter: str | None, width: int) -> FloatArray | None:
    """Return all columns (n_rows, n_columns) if every cell is a number, else None."""
    try:
        matrix = np.loadtxt(rows, delimiter=delimiter, comments=None, quotechar='"', ndmin=2)
    except ValueError:
        return None
    return matrix if matrix.shape[1] == width else None


def decode(data: bytes, path: str) -> str:
    r"""Return the text of a file, with line ends ``\n``; refuse what is no text in UTF-8."""
    is_compressed = data.startswith((b"\x1f\x8b", b"PK\x03\x04"))
    if is_compressed or b"\0" in data[:4096]:
        problem = "no text, but a workbook, compressed, binary or UTF-16; save it as CSV in UTF-8"
        raise SourceError(path, None, problem)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        raise SourceError(path, line, problem) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _delimiter(rows: list[str]) -> str | None:
    """Return the character between cells, or None for runs of blanks."""
    sample = [_QUOTED.sub("", row) for row in rows]
    candidates = [c for c in ";\t|," if 2 * sum(c in row for row in sample) >= len(sample)]
    if "\t" in candidates and not _tabs_separate(sample[1:] or sample):
        candidates.remove("\t")
    # First those that occur equally often in every line.
    regular = [c for c in candidates if len({row.count(c) for row in sample}) == 1]
    return next(iter([*regular, *candidates]), None)


def _tabs_separate(rows: list[str]) -> bool:
    """Return whether tabs are between cells; else they align numbers between blanks."""
    split = [row.split("\t") for row in rows]
    for words in (cell.split() for cells in split for cell in cells):
        if len(words) > 1 and all(as_number(word) is not None for word in words):
            return False
    is_regular = len({len(cells) for cells in split}) == 1
    return is_regular and all("".join(column).strip() for column in zip(*split, strict=True))


def _split(
    rows: Sequence[str], lines: Sequence[int], delimiter: str | None, path: str
) -> list[list[str]]:
    """Return the cells of lines without blanks around them."""
    for row, line in zip(rows, lines, strict=False):
        if row.count('"') % 2:
            raise SourceError(path, line, "a double quote is opened but not closed")
    if delimiter is None:
        rows = [row.replace("\t", " ").strip() for row in rows]
    reader = csv.reader(rows, delimiter=delimiter or " ", skipinitialspace=True)
    try:
        return [[cell.strip() for cell in cells] for cells in reader]
    except csv.Error as error:
        raise SourceError(path, lines[reader.line_num - 1], str(error)) from None


def _has_header(sample: list[list[str]], delimiter: str | None, place: str) -> bool:
    """Return whether the first line names the columns; warn if that is not evident."""
    first = sample[0]
    numeric = [_looks_numeric(cell, delimiter) for cell in first]
    named = [cell for cell in first if cell]
    missing = [cell for cell in named if cell.lower() in MISSING_CELLS]
    has_header = len(missing) < len(named)
    if any(numeric):
        has_header = _are_names(sample, numeric, delimiter)
    if has_header and (missing or any(numeric)):
        warn_caller(
            f"{place}: the first line ({cut(', '.join(first))}) is taken as names of the columns; "
            "header=False (--no-header) takes it as values",
            UserWarning,
        )
    return has_header


def _are_names(sample: list[list[str]], numeric: list[bool], delimiter: str | None) -> bool:
    """Return whether the numbers of a first line name the columns.

    They are whole and distinct, and count the columns, or few values below are whole, such as
    measurements below years.
    """
    first = sample[0]
    # From the right, because a column of row names may have no name.
    places = [place - len(first) for place, is_number in enumerate(numeric) if is_number]
    names = [int(first[place]) for place in places if first[place].isdecimal()]
    if len(first) < 2 or len(sample) < 2 or len(set(names)) < len(places):
        return False
    # Of two columns 1 and 2 may be values.
    is_counted = names == list(range(names[0], names[0] + len(names)))
    if delimiter is not None and is_counted and names[0] < min(2, len(names) - 1):
        return True
    below = [row[place] for row in sample[1:] if len(row) >= len(first) for place in places]
    n_whole = sum(cell.lstrip("+-").isdecimal() for cell in below)
    return n_whole < MAX_WHOLE * len(below)


def _looks_numeric(cell: str, delimiter: str | None) -> bool:
    """Return whether a cell is a number, or a limit such as ``<0.35``."""
    number = cell.lstrip("<> ")
    has_comma = delimiter != "," and _DECIMAL_COMMA.fullmatch(number) is not None
    return has_comma or as_number(number) is not None


def _has_decimal_commas(cells: list[list[str]]) -> bool:
    """Return whether numbers have decimal commas: no point, and not all with three digits after."""
    texts = [cell for row in cells for cell in row]
    decimals = [text for text in texts if _DECIMAL_COMMA.fullmatch(text)]
    if not decimals or all(map(_THOUSANDS.fullmatch, decimals)):
        return False
    return not any("." in text and as_number(text) is not None for text in texts)


def _with_point(cell: str) -> str:
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell
