"""One reader for tables of numbers in text files.

The bytes of a CSV, tab-separated or blank-separated file come in; cells, column names and the line
number of every row go out, so that whoever finds a fault later can say where it is.
"""

from __future__ import annotations

import codecs
import csv
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anmmm._record import Record
from anmmm.datasets.errors import SourceError

__all__ = ["TableError", "TextTable", "as_number", "parse_table", "read_table"]

MISSING = frozenset({"", "na", "n/a", "nan", "null", "?"})

# Enough lines to tell the delimiter although some of them are broken.
_SAMPLE = 50
_QUOTED = re.compile(r'"[^"]*"')
_BLANK_SEPARATED = re.compile(r'"[^"]*"|\S+')
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")


class TableError(SourceError):
    """A text table cannot be read; the text reads ``file:line: what is wrong``.

    Parameters
    ----------
    path : str
        File, as the caller named it.
    line : int or None
        Line, counted from 1, where there is one to name.
    problem : str
        What is wrong, without the place.
    """

    def __init__(self, path: str, line: int | None, problem: str) -> None:
        super().__init__(path, None if line is None else f"line {line}", problem)
        # What pickle makes the error from again, with which it comes out of another process.
        self.args = (path, line, problem)
        self.line = line


@dataclass(frozen=True, eq=False, repr=False)
class TextTable(Record):
    """Cells of a text table, not yet turned into numbers.

    Attributes
    ----------
    path : str
        File, as the caller named it.
    names : tuple of str or None
        Column names, or None if the file has no header line.
    rows : list of list of str
        Cells, stripped of blanks and quotes; every row has as many.
    lines : list of int
        Line number of each row in the file, counted from 1.
    decimal_comma : bool
        Whether ``1,5`` means one and a half.
    """

    path: str
    names: tuple[str, ...] | None
    rows: list[list[str]]
    lines: list[int]
    decimal_comma: bool = False

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.rows[0])

    def label(self, column: int) -> str:
        """Return the name of a column, or ``column 1`` and so on where it has none.

        Parameters
        ----------
        column : int
            Index from 0.

        Returns
        -------
        str
        """
        name = self.names[column] if self.names else ""
        return name or f"column {column + 1}"

    def any_number(self, column: int) -> bool:
        """Return whether a cell of a column holds a number.

        Parameters
        ----------
        column : int
            Index from 0.

        Returns
        -------
        bool
            Missing cells do not count.
        """
        cells = (row[column] for row in self.rows)
        if self.decimal_comma:
            cells = (cell.replace(",", ".") for cell in cells)
        numbers = (as_number(cell) for cell in cells)
        return any(number is not None and not math.isnan(number) for number in numbers)

    def numbers(self, columns: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Return columns as numbers.

        Parameters
        ----------
        columns : sequence of int, optional
            Indices from 0, in the order wanted; all by default. Only these need to be numeric.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            Missing cells (empty, ``NA``, ``N/A``, ``nan``, ``null`` or ``?``) are NaN.

        Raises
        ------
        TableError
            If a cell holds something else than a number; names its line and column.
        """
        chosen = range(self.n_columns) if columns is None else columns
        values = np.empty((len(self.rows), len(chosen)))
        for place, column in enumerate(chosen):
            cells = [row[column] for row in self.rows]
            if self.decimal_comma:
                cells = [cell.replace(",", ".") for cell in cells]
            for index, cell in enumerate(cells):
                number = as_number(cell)
                if number is None:
                    raise TableError(
                        self.path,
                        self.lines[index],
                        f"{self.label(column)} holds {self.rows[index][column]!r}, "
                        f"which is not a number",
                    )
                values[index, place] = number
        return values


def read_table(path: str | os.PathLike[str], *, header: bool | None = None) -> TextTable:
    """Read a table of numbers from a text file.

    Parameters
    ----------
    path : path-like
        File in UTF-8, or UTF-16 with a byte order mark.
    header : bool, optional
        Whether the first line names the columns; see `parse_table`.

    Returns
    -------
    TextTable

    Raises
    ------
    OSError
        If the file cannot be opened.
    TableError
        See `parse_table`.
    """
    return parse_table(Path(path).read_bytes(), os.fspath(path), header=header)


def parse_table(data: bytes, path: str, *, header: bool | None = None) -> TextTable:
    """Parse the bytes of a text table.

    Commas, semicolons, tabs and runs of blanks separate cells; which of them, the file itself
    tells. Blank lines and lines that start with ``#`` are skipped, cells may stand in double
    quotes, and a comma between digits is the decimal mark in a file that has semicolons between
    cells and no decimal point.

    Parameters
    ----------
    data : bytes
        The file.
    path : str
        Its name, for messages.
    header : bool, optional
        Whether the first line names the columns. By default it does if none of its cells is a
        number; say so where the names are numbers, such as years.

    Returns
    -------
    TextTable

    Raises
    ------
    TableError
        If the file is empty, is not text, or a line has another number of cells than the first; if
        there is to be no header and no cell of the first line is a number.
    """
    text = _decode(data, path)
    numbered = [
        (number, line)
        for number, line in enumerate(text.split("\n"), start=1)
        if not (line.isspace() or line == "" or line.lstrip().startswith("#"))
    ]
    if not numbered:
        raise TableError(path, None, "the file is empty")
    delimiter = _delimiter([line for _, line in numbered])
    rows = [_split(line, delimiter, path, number) for number, line in numbered]
    lines = [number for number, _ in numbered]

    names = None
    words = any(rows[0]) and not any(_looks_numeric(cell, delimiter) for cell in rows[0])
    if header is False and words:
        raise TableError(
            path,
            lines[0],
            f"header=False (--no-header), but this line holds no number: {rows[0][0]!r}; it names "
            "the columns",
        )
    if words if header is None else header:
        top, top_line = rows.pop(0), lines.pop(0)
        if not rows:
            raise TableError(path, top_line, "a header, but no row of numbers after it")
        # R's write.table gives the column of row names no header.
        if len(top) == len(rows[0]) - 1 and len(rows[0]) > 2:
            top = ["", *top]
        _check_widths([top, *rows], [top_line, *lines], path)
        names = tuple(top)
    else:
        _check_widths(rows, lines, path)

    if len(rows[0]) > 1 and (names is None or names[-1] == "") and not any(r[-1] for r in rows):
        # A delimiter at the end of every line is punctuation, not a column.
        rows = [row[:-1] for row in rows]
        names = names[:-1] if names else None
    decimal_comma = delimiter == ";" and _has_decimal_comma(rows)
    return TextTable(path, names, rows, lines, decimal_comma)


def _decode(data: bytes, path: str) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif b"\0" in data:
        raise TableError(path, None, "this is not a text file (it holds zero bytes)")
    else:
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise TableError(
            path,
            line,
            f"byte 0x{data[error.start]:02x} is not {encoding.upper().removesuffix('-SIG')} "
            f"text; save the file as UTF-8",
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _delimiter(lines: list[str]) -> str | None:
    """Return the character between cells, or None for runs of blanks."""
    sample = [_QUOTED.sub("", line) for line in lines[:_SAMPLE]]
    for candidate in (";", ","):
        if 2 * sum(candidate in line for line in sample) >= len(sample):
            return candidate
    # Tabs separate cells where that leaves no cell with blanks inside (headers may have them) and
    # no column empty throughout; otherwise they are alignment.
    split = [[cell.strip() for cell in line.split("\t")] for line in sample]
    widths = {len(cells) for cells in split}
    if widths == {1} or len(widths) > 1:
        return None
    body = split[1:] if len(split) > 1 else split
    if any(len(cell.split()) > 1 for cells in body for cell in cells):
        return None
    return "\t" if all(any(column) for column in zip(*split, strict=True)) else None


def _split(line: str, delimiter: str | None, path: str, number: int) -> list[str]:
    if delimiter is None:
        if '"' not in line:
            return line.split()
        return [cell.strip('"').strip() for cell in _BLANK_SEPARATED.findall(line)]
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    try:
        reader = csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True)
        return [cell.strip() for cell in next(reader)]
    except csv.Error:
        raise TableError(path, number, "a double quote is opened but not closed") from None


def _check_widths(rows: list[list[str]], lines: list[int], path: str) -> None:
    expected = len(rows[0])
    for row, line in zip(rows, lines, strict=True):
        if len(row) != expected:
            raise TableError(
                path,
                line,
                f"expected {expected} {'field' if expected == 1 else 'fields'} as on line "
                f"{lines[0]}, found {len(row)}",
            )


def _looks_numeric(cell: str, delimiter: str | None) -> bool:
    if delimiter == ";" and _DECIMAL_COMMA.fullmatch(cell):
        return True
    return cell != "" and as_number(cell) is not None


def _has_decimal_comma(rows: list[list[str]]) -> bool:
    found = False
    for row in rows:
        for cell in row:
            if "." in cell and as_number(cell) is not None:
                return False
            found = found or _DECIMAL_COMMA.fullmatch(cell) is not None
    return found


def as_number(cell: str) -> float | None:
    """Return the number in a cell, NaN if it is missing, None if it is something else.

    Parameters
    ----------
    cell : str
        Without blanks around it.

    Returns
    -------
    float or None
    """
    try:
        number = float(cell)
    except ValueError:
        return math.nan if cell.lower() in MISSING else None
    # Python reads 1_000 as a number; a data file does not mean it so.
    return None if "_" in cell else number
