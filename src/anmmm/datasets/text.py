"""Reader of tables of numbers in text files, with the line of every row."""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._record import Record
from anmmm._text import brief, cut
from anmmm._typing import FloatArray, StrPath
from anmmm._validation import AS_NAMES, LIMIT, NUMBER, check_flag, text_advice
from anmmm._warning import warn_caller
from anmmm.datasets.errors import SourceError

# Errors that spreadsheets write into cells.
_ERRORS = ("#n/a", "#na", "#div/0!", "#num!", "#value!", "#ref!", "#name?", "#null!")
MISSING = frozenset({"", "na", "n/a", "nan", "<na>", "null", "?", *_ERRORS})

# Lines used to find the delimiter; some may be broken.
_SAMPLE = 50
_SEPARATOR = re.compile(r'"?sep=(\S)"?')
_QUOTED = re.compile(r'"[^"]*"')
_BLANK_SEPARATED = re.compile(r'"[^"]*"|\S+')
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
# Could also be a whole number with a thousands separator.
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_ERROR_CELL = re.compile(rf"(?:{'|'.join(map(re.escape, _ERRORS))})(?=[\s,;]|$)", re.IGNORECASE)
_COMMENT = "a comment below the first line has a blank after its #"
# Names that pandas gives to a column without one, and Parquet files to an index without one.
UNNAMED = re.compile(r"(Unnamed: \d+(\.\d+)?|__index_level_\d+__)?")
_WHOLE = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_LIKE_NUMBER = re.compile(rf"{NUMBER}|{LIMIT}")
_YEARS = range(1800, 2101)
# Whole numbers among decimals, at most; a first line of whole numbers is then none of theirs.
_FEW_WHOLE = 0.05

# Kinds of files by their beginning, and the remedy.
_KINDS = {
    rb"PK\x03\x04": "a workbook (.xlsx) or a zip archive; save its sheet as CSV, or unpack it",
    rb"\xd0\xcf\x11\xe0": "a workbook (.xls); save its sheet as CSV",
    rb"\xff\xfe|\xfe\xff": "UTF-16 text; save it as UTF-8",
    rb"\x1f\x8b|BZh|\xfd7zXZ\0|\x28\xb5\x2f\xfd": "compressed (gzip, bzip2, xz or zstd); unpack it",
    rb"[^\0]*\0": "binary, or UTF-16 text; save the table as UTF-8 text",
    rb"\s*(\{\s*[\"}]|\[\s*[\[{\"\d-])": "JSON; save the table as CSV",
    rb"\s*<([!?]|(?i:html|head|body|table|div)\b)": "HTML or XML; save the table as CSV",
}


class TextTable(Record):
    """Cells of a text table, not yet turned into numbers."""

    path: str
    # None if the file has no header line.
    names: tuple[str, ...] | None
    # Stripped of blanks and quotes; every row has as many cells.
    rows: list[list[str]]
    # Line number of each row in the file, counted from 1.
    lines: list[int]
    # Whether ``1,5`` means one and a half.
    decimal_comma: bool = False

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.rows[0])

    def label(self, column: int) -> str:
        """Return the name of a column, counted from 0, or ``column 1`` if it has none."""
        name = self.names[column] if self.names else ""
        return name or f"column {column + 1}"

    @property
    def unnamed(self) -> list[int]:
        """Columns that the header gives no name."""
        return [c for c, name in enumerate(self.names or ()) if UNNAMED.fullmatch(name)]

    def row_numbers(self) -> list[int]:
        """Return the columns without a name that number the rows, as an index does."""
        return [c for c in self.unnamed if number_rows(np.array(self._parsed(c), dtype=float))]

    def is_text(self, column: int) -> bool:
        """Return whether a column holds text and no number."""
        parsed = self._parsed(column)
        return None in parsed and not any(n is not None and not math.isnan(n) for n in parsed)

    def numbers(self, columns: Sequence[int] | None = None) -> FloatArray:
        """Return columns, all by default, as numbers (n_rows, n_columns), NaN for missing."""
        chosen = range(self.n_columns) if columns is None else columns
        values = np.empty((len(self.rows), len(chosen)))
        for place, column in enumerate(chosen):
            self._warn_of_thousands(column)
            parsed = self._parsed(column)
            if None in parsed:
                raise self._no_number(parsed.index(None), column)
            values[:, place] = parsed
        return values

    def texts(self, column: int) -> NDArray[Any]:
        """Return a column as text, None for missing: an array of objects."""
        cells = [row[column] for row in self.rows]
        return np.array([None if c.lower() in MISSING else c for c in cells], dtype=object)

    def _parsed(self, column: int) -> list[float | None]:
        cells = [row[column] for row in self.rows]
        if self.decimal_comma:
            cells = [cell.replace(",", ".") for cell in cells]
        return [as_number(cell) for cell in cells]

    def _no_number(self, index: int, column: int) -> SourceError:
        cell = self.rows[index][column]
        problem = f"{self.label(column)} holds {brief(cell)}, which is not a number"
        remedy = text_advice(cell)
        if column == 0 and cell.startswith("#"):
            remedy = _COMMENT
        elif index == 0 and self.names is None and remedy == AS_NAMES:
            remedy = "pass header=True (--header) if this line names the columns"
        elif index == 0 and all(as_number(cell) is None for cell in self.rows[0]):
            remedy = "keep one line of names or units above the numbers"
        return SourceError(self.path, self.lines[index], f"{problem}; {remedy}")

    def _warn_of_thousands(self, column: int) -> None:
        if not self.decimal_comma:
            return
        decimals = [row[column] for row in self.rows if "," in row[column]]
        if decimals and all(map(_THOUSANDS.fullmatch, decimals)):
            warn_caller(
                f"{self.path}: every comma of {self.label(column)} is followed by three digits, as "
                f"a thousands separator, but is read as a decimal comma: {decimals[0]} is "
                f"{decimals[0].replace(',', '.')}; write thousands without commas",
                UserWarning,
            )


def number_rows(values: FloatArray) -> bool:
    """Return whether values are distinct whole numbers, as of rows in any order, some left out."""
    whole = np.all((values >= 0.0) & (values == np.rint(values)))
    return bool(whole) and len(np.unique(values)) == len(values)


def check_header(header: Any) -> bool | None:
    """Return the option ``header``, None for "auto"."""
    return None if header is None or header == "auto" else check_flag(header, "header")


def read_table(path: StrPath, *, header: bool | None = None, comments: bool = False) -> TextTable:
    """Read a table of numbers from a file in UTF-8; see `parse_table`."""
    data = Path(path).read_bytes()
    return parse_table(data, os.fspath(path), header=header, comments=comments)


def parse_table(
    data: bytes, path: str, *, header: bool | None = None, comments: bool = False
) -> TextTable:
    """Parse the bytes of a text table; see docs/guide/sources.md."""
    text = _decode(data, path)
    numbered = [
        (number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()
    ]
    separator = _SEPARATOR.fullmatch(numbered[0][1].strip()) if numbered else None
    if separator:
        numbered = numbered[1:]
    first = next((at for at, (_, line) in enumerate(numbered) if not _starts_with_hash(line)), None)
    if first is None:
        raise SourceError(path, None, "the file is empty")
    numbered = numbered[first:]
    plain = [line for _, line in numbered if not line.lstrip().startswith("#")]
    delimiter = separator[1] if separator else _delimiter(plain or [line for _, line in numbered])
    numbered = [
        (number, line)
        for number, line in numbered
        if not (_starts_with_hash(line) and (comments or _is_comment(line, delimiter)))
    ]
    rows = [_split(line, delimiter, path, number) for number, line in numbered]
    lines = [number for number, _ in numbered]
    width = len(rows[-1])
    if width > 1 and not any(row[-1] for row in rows[len(rows[0]) < width :]):
        # Every line ends with a delimiter, perhaps without the header.
        rows = [row[:-1] if len(row) == width else row for row in rows]

    words = any(rows[0]) and not any(
        _looks_numeric(cell, delimiter) or _LIKE_NUMBER.fullmatch(cell) for cell in rows[0]
    )
    if header is False and words:
        raise SourceError(
            path,
            lines[0],
            f"header=False (--no-header), but this line holds no number: {brief(rows[0][0])}; it "
            "names the columns",
        )
    has_names = words if header is None else header
    first_lines = [line for _, line in numbered[:2]]
    if (
        header is None
        and not words
        and (
            _numbers_are_names(rows, delimiter)
            or _only_names_are_quoted(first_lines, rows[0], delimiter)
        )
    ):
        has_names = True
        warn_caller(
            f"{path}:{lines[0]}: the first line ({cut(', '.join(rows[0]))}) is taken as names of "
            "the columns; header=False (--no-header) takes it as values",
            UserWarning,
        )
    if has_names:
        if len(rows) == 1:
            raise SourceError(path, lines[0], "a header, but no row of numbers after it")
        # R's write.table gives the column of row names no header.
        if len(rows[0]) == len(rows[1]) - 1 and len(rows[1]) > 2:
            rows[0] = ["", *rows[0]]
    _check_widths(rows, lines, path)
    names = None
    if has_names:
        names, rows, lines = tuple(rows[0]), rows[1:], lines[1:]
    decimal_comma = delimiter != "," and _has_decimal_comma(rows)
    return TextTable(path, names, rows, lines, decimal_comma)


def refuse_binary(start: bytes, path: str) -> None:
    """Refuse a workbook, a compressed file and others that are no table, by their first bytes."""
    for beginning, kind in _KINDS.items():
        if re.match(rb"(\xef\xbb\xbf)?(" + beginning + b")", start):
            raise SourceError(path, None, f"the file is {kind}")


def _starts_with_hash(line: str) -> bool:
    """Return whether a line begins with a ``#`` that is not an error of a spreadsheet."""
    line = line.lstrip()
    return line.startswith("#") and not _ERROR_CELL.match(line)


def _is_comment(line: str, delimiter: str | None) -> bool:
    after = line.lstrip()[1:2]
    blank = after == "" or (after.isspace() and after != delimiter)
    return blank or len(line.split(delimiter)) == 1


def _decode(data: bytes, path: str) -> str:
    refuse_binary(data, path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8"
        raise SourceError(path, line, problem) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _delimiter(lines: list[str]) -> str | None:
    """Return the character between cells, or None for runs of blanks."""
    sample = [_QUOTED.sub("", line) for line in lines[:_SAMPLE]]
    # First, because commas may be decimal marks.
    for blank in ("\t", None):
        if _has_decimals_between(sample, blank):
            return blank
    for candidate in (";", ",", "|"):
        if 2 * sum(candidate in line for line in sample) >= len(sample):
            return candidate
    # Tabs separate cells if no cell then has blanks inside (except in headers) and no column is
    # empty; otherwise they align.
    split = [[cell.strip() for cell in line.split("\t")] for line in sample]
    widths = {len(cells) for cells in split}
    if widths == {1} or len(widths) > 1:
        return None
    body = split[1:] if len(split) > 1 else split
    n_words = {len(" ".join(cells).split()) for cells in body}
    if any(len(cell.split()) > 1 for cells in body for cell in cells) and len(n_words) == 1:
        return None
    return "\t" if all(any(column) for column in zip(*split, strict=True)) else None


def _has_decimals_between(lines: list[str], delimiter: str | None) -> bool:
    """Return whether most lines hold numbers with decimal commas between these separators."""
    split = [[cell.strip() for cell in line.split(delimiter)] for line in lines]
    width = len(split[0])
    body = [cells for cells in split if any(map(_DECIMAL_COMMA.fullmatch, cells))]
    fitting = [
        cells
        for cells in body
        if len(cells) == width
        and not any(cell and (cell[0] == "," or not _looks_numeric(cell, None)) for cell in cells)
    ]
    return width > 1 and 2 * len(fitting) >= len(lines) - 1 and len(fitting) > 0


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
        raise SourceError(path, number, "a double quote is opened but not closed") from None


def _only_names_are_quoted(lines: list[str], cells: list[str], delimiter: str | None) -> bool:
    """Return whether the first line quotes all cells, and the second line does not."""
    first, *others = (line.count('"') for line in lines)
    if first != 2 * len(cells) or not others or others[0] >= first:
        return False
    # Decimal commas are quoted, too.
    return not any((delimiter or " ") in cell for cell in cells)


def _numbers_are_names(rows: list[list[str]], delimiter: str | None) -> bool:
    """Return whether a first line with numbers names the columns.

    Its numbers are then distinct and whole, and count the columns, are years above other values, or
    stand above columns with few whole numbers.
    """
    first, body = rows[0], [row for row in rows[1:] if len(row) == len(rows[1])]
    if len(first) < 2 or not body or len(body[0]) - len(first) not in (0, 1):
        return False
    # From the right, because a column of row names may have no name.
    places = [p - len(first) for p, cell in enumerate(first) if _looks_numeric(cell, delimiter)]
    if not places or not all(_WHOLE.fullmatch(first[place]) for place in places):
        return False
    numbers = [int(first[place]) for place in places]
    if min(numbers) < 0 or len(set(numbers)) < len(numbers):
        return False
    counted = [*range(numbers[0], numbers[0] + len(numbers))]
    if delimiter is not None and numbers == counted and numbers[0] < min(2, len(numbers) - 1):
        return True
    below = [row[place] for row in body for place in places if row[place].lower() not in MISSING]
    whole = [int(cell) for cell in below if _WHOLE.fullmatch(cell)]
    if len(whole) <= _FEW_WHOLE * len(below):
        return len(below) > 0
    n_years = sum(number in _YEARS for number in whole)
    return all(number in _YEARS for number in numbers) and 2 * n_years < len(below)


def _check_widths(rows: list[list[str]], lines: list[int], path: str) -> None:
    expected = len(rows[0])
    for row, line in zip(rows, lines, strict=True):
        if len(row) != expected:
            raise SourceError(
                path,
                line,
                f"expected {expected} {'field' if expected == 1 else 'fields'} as on line "
                f"{lines[0]}, found {len(row)}"
                + (f"; {_COMMENT}" if row[0].startswith("#") else ""),
            )


def _looks_numeric(cell: str, delimiter: str | None) -> bool:
    if delimiter != "," and _DECIMAL_COMMA.fullmatch(cell):
        return True
    return cell != "" and as_number(cell) is not None


def _has_decimal_comma(rows: list[list[str]]) -> bool:
    cells = chain.from_iterable(rows)
    if any("." in cell and as_number(cell) is not None for cell in cells):
        return False
    return any(map(_DECIMAL_COMMA.fullmatch, chain.from_iterable(rows)))


def as_number(cell: str) -> float | None:
    """Return the number in a stripped cell, NaN if it is missing, None if it is something else."""
    try:
        number = float(cell)
    except ValueError:
        return math.nan if cell.lower() in MISSING else None
    # Python reads 1_000 as a number.
    return None if "_" in cell else number
