"""Text tables: cells between delimiters, perhaps below a header, with the line of every row.

NumPy reads a table that holds only numbers, pandas any other one. Both get lines of one width.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Hashable, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._cells import AS_NAMES, MISSING_CELLS, as_number, is_limit, text_advice, warn_of_codes
from anmmm._optional import require
from anmmm._tables.errors import SourceError
from anmmm._tables.table import NUMBER, TEXT, Columns, Table
from anmmm._text import brief, cut
from anmmm._typing import FloatArray, StrPath
from anmmm._validation import check_flag
from anmmm._warning import warn_caller

# Lines used to find the delimiter and the header.
_SAMPLED_LINES = 50
# Below the first other line, a comment has a blank after its #.
_COMMENT = re.compile(r"\s*#(\s|$)")
_QUOTED = re.compile(r'"[^"]*"')
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
# Could also be a whole number with a thousands separator.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_WHOLE = re.compile(r"\d{1,9}", re.ASCII)
# A cell such as 007.
_LEADING_ZERO = re.compile(r"(?<![^\s,;|\"])0\d+(?![^\s,;|\"])", re.ASCII)
_YEARS = range(1800, 2101)
# Share of numbers below a first line of whole numbers that may be like them, if it names columns.
_FEW_WHOLE, _FEW_YEARS = 0.05, 0.5
# Beginnings of workbooks, archives, compressed files and UTF-16; others hold a zero byte.
_NO_TEXT = re.compile(
    rb"PK\x03\x04|\xd0\xcf\x11\xe0|\xff\xfe|\xfe\xff|\x1f\x8b|BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|[^\0]*\0"
)


def check_header(header: Any) -> bool | None:
    """Return the option ``header``, None for "auto"."""
    return None if header is None or header == "auto" else check_flag(header, "header")


def read_text(path: StrPath, header: bool | None = None) -> TextTable:
    """Read a text table from a file in UTF-8."""
    table = parse_text(Path(path).read_bytes(), os.fspath(path), header)
    table.files, table.options = (Path(path),), {"header": header}
    return table


def parse_text(data: bytes, path: str, header: bool | None = None) -> TextTable:
    """Read a text table from its bytes; see docs/guide/sources.md."""
    text = decode(data, path)
    numbered = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    while numbered and numbered[0][1].lstrip().startswith(("#", "sep=")):
        del numbered[0]
    numbered = [(n, line) for n, line in numbered if not _COMMENT.match(line)]
    if not numbered:
        raise SourceError(path, None, "the file is empty")
    lines = [n for n, _ in numbered]
    rows = [line for _, line in numbered]
    delimiter = _delimiter(rows[:_SAMPLED_LINES])
    split = [_split(row, delimiter, path, n) for n, row in numbered[:_SAMPLED_LINES]]
    names = None
    if _has_header(split, delimiter, f"{path}:{lines[0]}") if header is None else header:
        if len(rows) == 1:
            raise SourceError(path, lines[0], "a header, but no row of numbers after it")
        names = split[0]
        if len(names) == len(split[1]) - 1:
            # R's write.table gives row names no header; or a delimiter ends all other lines.
            names = ["", *names] if split[1][-1] else [*names, ""]
        del rows[0], lines[0]
    expected = len(names or split[0])
    for row, line in zip(rows, lines, strict=True):
        width = _width(row, delimiter, path, line)
        if width != expected:
            advice = "; a comment has a blank after its #" if row.startswith("#") else ""
            problem = f"expected {expected} fields as in the lines above, found {width}{advice}"
            raise SourceError(path, line, problem)
    return TextTable(path, names or [""] * expected, rows, lines, delimiter, names is not None)


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
        unnamed = [
            label
            for label, name in zip(labels, names, strict=True)
            if has_header and (not name or name.startswith("Unnamed: "))
        ]
        super().__init__(path, labels, {}, {}, unnamed)
        self.lines, self.has_header = lines, has_header
        self._rows, self._delimiter = rows, delimiter
        self._columns: Columns = {}
        faults: dict[Hashable, SourceError] = {}
        matrix = self._numbers_alone()
        if matrix is not None:
            self._columns = dict(zip(labels, matrix.T, strict=True))
        else:
            cells = self._cells()
            has_commas = delimiter != "," and _has_decimal_commas(cells)
            for place, label in enumerate(labels):
                try:
                    self._columns[label] = self._column(cells[place], label, has_commas)
                except SourceError as error:
                    faults[label] = error
        self.faults = faults
        self.kinds = {
            label: TEXT if column.dtype.hasobject else NUMBER
            for label, column in self._columns.items()
        }

    def read(self, numbers: Sequence[Hashable], labels: Sequence[Hashable]) -> Columns:
        """Read columns as numbers, NaN for missing, and others as texts, None for missing."""
        columns = {name: self._columns[name] for name in [*numbers, *labels] if name in self.kinds}
        spelled = [name for name in labels if self.kinds.get(name) != TEXT]
        if spelled:
            cells = self._cells()
            for name in spelled:
                columns[name] = _texts(cells[self.names.index(name)])
        return columns

    def _numbers_alone(self) -> FloatArray | None:
        """Return all columns (n_rows, n_columns) if every cell is a number, else None."""
        if _LEADING_ZERO.search("\n".join(self._rows)):
            return None
        try:
            return np.loadtxt(
                self._rows, delimiter=self._delimiter, comments=None, quotechar='"', ndmin=2
            )
        except ValueError:
            return None

    def _cells(self) -> Any:
        """Return all cells as a data frame of text."""
        pandas = require("pandas", "files", "this text file needs pandas")
        cells = pandas.read_csv(
            StringIO("\n".join(self._rows)),
            sep=self._delimiter or r"\s+",
            header=None,
            dtype=str,
            na_filter=False,
            skipinitialspace=True,
            skip_blank_lines=False,
        )
        return cells.apply(lambda column: column.str.strip())

    def _column(self, texts: Any, label: str, has_decimal_comma: bool) -> NDArray[Any]:
        """Return a column of cells as numbers or, if none is a number, as texts."""
        pandas = require("pandas", "files", "this text file needs pandas")
        spelled = texts.str.replace(",", ".") if has_decimal_comma else texts
        numbers = pandas.to_numeric(spelled, errors="coerce").to_numpy(dtype=np.float64)
        is_number = ~np.isnan(numbers)
        is_text = ~is_number & ~texts.str.lower().isin(MISSING_CELLS).to_numpy()
        if is_text.any() and not is_number.any():
            return _texts(texts)
        if is_text.any():
            row = int(is_text.argmax())
            remedy = text_advice(texts[row])
            if row == 0 and remedy == AS_NAMES:
                remedy = "header=True (--header) takes this line as names of the columns"
                if self.has_header:
                    remedy = "only one line of names or units may be above the numbers"
            problem = f"{label} holds {brief(texts[row])}, which is not a number; {remedy}"
            raise SourceError(self.name, self.place(row), problem)
        warn_of_codes(texts.tolist(), f"{self.name}: {label} has")
        values: FloatArray = numbers
        return values


def decode(data: bytes, path: str) -> str:
    r"""Return the text of a file with line ends ``\n``; refuse what is no text in UTF-8."""
    if _NO_TEXT.match(data[:4096].removeprefix(b"\xef\xbb\xbf")):
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
    candidates = [";", "\t", "|", ","]
    # First those that occur equally often in every line.
    regular = [c for c in candidates if len({row.count(c) for row in sample}) == 1]
    for candidate in [*regular, *candidates]:
        is_used = 2 * sum(candidate in row for row in sample) >= len(sample)
        if candidate == "\t":
            is_used = is_used and _tabs_separate(sample)
        if candidate == ",":
            is_used = is_used and not _commas_are_decimal(sample)
        if is_used:
            return candidate
    return None


def _commas_are_decimal(rows: list[str]) -> bool:
    """Return whether blanks separate numbers with decimal commas, such as ``1,5 2,5``."""
    body = rows[1:] or rows
    for row in body:
        words = row.split()
        has_other_comma = any("," in word and not _DECIMAL_COMMA.fullmatch(word) for word in words)
        if len(words) < 2 or has_other_comma:
            return False
    # Blanks may also separate thousands between commas: 1 234,5 678.
    return not all(is_limit(cell.strip()) for row in body for cell in row.split(","))


def _tabs_separate(rows: list[str]) -> bool:
    """Return whether tabs are between cells; else they align numbers between blanks."""
    split = [[cell.strip() for cell in row.split("\t")] for row in rows[1:] or rows]
    for cells in split:
        for cell in cells:
            words = cell.split()
            if len(words) > 1 and all(as_number(word) is not None for word in words):
                return False
    is_regular = len({len(cells) for cells in split}) == 1
    return is_regular and all(any(column) for column in zip(*split, strict=True))


def _split(row: str, delimiter: str | None, path: str, line: int) -> list[str]:
    """Return the cells of a line without blanks around them."""
    if delimiter is None:
        row, delimiter = row.replace("\t", " ").strip(), " "
    try:
        reader = csv.reader([row], delimiter=delimiter, skipinitialspace=True, strict=True)
        return [cell.strip() for cell in next(reader)]
    except csv.Error:
        raise SourceError(path, line, "a double quote is opened but not closed") from None


def _width(row: str, delimiter: str | None, path: str, line: int) -> int:
    """Return the number of cells of a line."""
    if '"' in row:
        return len(_split(row, delimiter, path, line))
    return len(row.split()) if delimiter is None else row.count(delimiter) + 1


def _has_header(split: list[list[str]], delimiter: str | None, place: str) -> bool:
    """Return whether the first line names the columns; warn if it has numbers that do."""
    first = split[0]
    missing = [cell for cell in first if cell and cell.lower() in MISSING_CELLS]
    numeric = [_looks_numeric(cell, delimiter) for cell in first]
    is_words = not any(numeric) and any(cell.lower() not in MISSING_CELLS for cell in first)
    if is_words and not missing:
        return True
    if not is_words and not _numbers_are_names(split, numeric, delimiter):
        return False
    warn_caller(
        f"{place}: the first line ({cut(', '.join(first))}) is taken as names of the columns; "
        "header=False (--no-header) takes it as values",
        UserWarning,
    )
    return True


def _numbers_are_names(split: list[list[str]], numeric: list[bool], delimiter: str | None) -> bool:
    """Return whether the numbers of a first line name the columns.

    They are then distinct and whole, and count the columns, are years above other values, or stand
    above columns with few whole numbers.
    """
    first = split[0]
    # From the right, because a column of row names may have no name.
    places = [at - len(first) for at, is_number in enumerate(numeric) if is_number]
    numbers = [int(first[place]) for place in places if _WHOLE.fullmatch(first[place])]
    if len(split) < 2 or len(first) < 2 or not numbers or len(set(numbers)) < len(places):
        return False
    is_counted = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    if delimiter is not None and is_counted and numbers[0] < min(2, len(numbers) - 1):
        return True
    body = [cells for cells in split[1:] if len(cells) - len(first) in (0, 1)]
    below = [cells[place] for cells in body for place in places]
    below = [cell for cell in below if cell.lower() not in MISSING_CELLS]
    whole = [int(cell) for cell in below if _WHOLE.fullmatch(cell.lstrip("+-"))]
    if below and len(whole) <= _FEW_WHOLE * len(below):
        return True
    n_years = sum(number in _YEARS for number in whole)
    are_years = all(number in _YEARS for number in numbers)
    return are_years and n_years < _FEW_YEARS * len(below)


def _looks_numeric(cell: str, delimiter: str | None) -> bool:
    """Return whether a cell is a number, or a limit such as ``<0.35``."""
    if delimiter != "," and _DECIMAL_COMMA.fullmatch(cell):
        return True
    number = as_number(cell)
    return is_limit(cell) or (number is not None and not math.isnan(number))


def _has_decimal_commas(cells: Any) -> bool:
    """Return whether numbers have decimal commas: no point, and not all with three digits after."""
    texts = cells.to_numpy(dtype=object).ravel().tolist()
    decimals = [text for text in texts if _DECIMAL_COMMA.fullmatch(text)]
    if not decimals or all(map(_THOUSANDS.fullmatch, decimals)):
        return False
    return not any("." in text and as_number(text) is not None for text in texts)


def _texts(texts: Any) -> NDArray[Any]:
    """Return a column of text as objects, None for missing."""
    labels: NDArray[Any] = texts.to_numpy(dtype=object, copy=True)
    labels[texts.str.lower().isin(MISSING_CELLS).to_numpy()] = None
    return labels
