"""Read two columns of a file, and report errors as ``file:line: problem``."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import as_given, as_variables, missing_of, refuse_empty, without_objects
from anmmm._record import Record
from anmmm._text import counted, has_digits, listed
from anmmm._typing import BoolArray, IntArray
from anmmm.cli.messages import STANDARD_OUTPUT, InputError, say
from anmmm.datasets.errors import SourceError
from anmmm.datasets.text import TextTable, parse_table

# Arguments of the library whose names are not words, and options of other names.
_ARGUMENT = re.compile(
    r"\b(fit_options|max_(parents|samples)|min_(confidence|gain)"
    r"|n_(jobs|mechanisms|pairs|plots)|random_state)\b"
)
_RENAMED = {"fit_options": "lam", "n_jobs": "jobs", "n_plots": "plots", "random_state": "seed"}
# Words that name an argument only in these positions.
_WORD = re.compile(
    r"(?<!-)(n_samples|lam|criterion|cause|format|columns|categories|targets|header)\b(?=[ =])"
    r"|^screen(?= (must|tests))"
    r"|^(required|forbidden|tiers|within)(?= (has|names|joins))"
)


# Values and lists of arguments anywhere in a message.
_VALUES = {
    "missing='drop' (--drop-missing)": "--drop-missing",
    "missing='drop'": "--drop-missing",
    "columns=[('a', 'b'), ...]": "--columns a,b",
    "columns='all'": "--columns all",
    "columns= ": "--columns ",
    "format=,": "--format,",
    "forbidden, tiers or within": "--forbidden, --tiers or --within",
}
_VALUE = re.compile("|".join(map(re.escape, _VALUES)))


@contextmanager
def input_errors(place: str = "") -> Iterator[None]:
    """Raise the library's errors about bad input as an `InputError`, after the `place`."""
    prefix = f"{place}: " if place else ""
    try:
        yield
    except OSError as error:
        if error.filename == STANDARD_OUTPUT:
            raise
        where = os.fsdecode(error.filename) if error.filename else place or "error"
        raise InputError(f"{where}: {error.strerror or error}") from None
    except SourceError as error:
        raise InputError(_with_options(str(error))) from None
    except MemoryError as error:
        raise InputError(f"{prefix}not enough memory: {error}; see --max-samples") from None
    except (TypeError, ValueError, FloatingPointError) as error:
        # With a place, the words may be names of columns.
        named = _with_options(str(error)) if place else _as_typed(str(error))
        raise InputError(f"{prefix}{named}") from None
    except ImportError as error:
        # The library raises ImportError for optional modules; other missing ones are faults.
        if isinstance(error, ModuleNotFoundError):
            raise
        raise InputError(f"{prefix}{error}") from None


def _as_typed(message: str) -> str:
    """Return a message with options instead of the library's arguments."""

    def option(match: re.Match[str]) -> str:
        return f"--{_RENAMED.get(match[0], match[0]).replace('_', '-')}"

    return _ARGUMENT.sub(option, _WORD.sub(option, _with_options(message), count=1))


def _with_options(message: str) -> str:
    """Return a message with options instead of values of arguments."""
    return _VALUE.sub(lambda match: _VALUES[match[0]], message)


@contextmanager
def echo_warnings() -> Iterator[None]:
    """Print the library's warnings as messages, without a line of code."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if category is UserWarning:
                say(_with_options(str(message)))
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        yield


class Columns(Record):
    """The two columns of a file to analyze: numbers, or text, of shape (n,)."""

    x: NDArray[Any]
    y: NDArray[Any]
    # From the header, or ``column 1`` and so on.
    names: tuple[str, str]
    # Line of each row in the file.
    lines: IntArray
    # Rows left out for missing values.
    n_dropped: int


def load_columns(
    file: str,
    x: str | None,
    y: str | None,
    *,
    pair: Sequence[str] = (),
    drop_missing: bool,
    header: bool | None = None,
    categories: Sequence[str] = (),
) -> Columns:
    """Read two columns of a file, ``-`` for standard input; raise an `InputError` on any fault."""
    place = "<stdin>" if file == "-" else file
    if len(pair) > 2 or (pair and (x or y)):
        raise InputError(
            f"name two columns after {file}, or by --x and --y; for all pairs use "
            f"anmmm directions {file} --columns all, or anmmm graph {file}"
        )
    x, y = (*pair, x, y)[:2]
    with input_errors(place), echo_warnings():
        if file != "-":
            table = _read(file, header)
        elif sys.stdin is None:
            raise ValueError("standard input is closed; name a file, or pipe a table in")
        else:
            table = parse_table(sys.stdin.buffer.read(), place, header=header)
        first, second = _choose(table, x, y)
        named = {_find(table, column, "--categories") for column in categories}
        each = [
            table.texts(column)
            if column in named
            else as_given(table.texts(column), table.label(column))
            if table.is_text(column)
            else table.numbers([column])[:, 0]
            for column in (first, second)
        ]
        names = table.label(first), table.label(second)
        if names[0] == names[1]:
            names = f"{names[0]} (column {first + 1})", f"{names[1]} (column {second + 1})"
        missing = np.column_stack([missing_of(values) for values in each])
        refuse_empty(missing.T, names)
        infinite = np.column_stack(
            [np.zeros(len(v), bool) if v.dtype.hasobject else np.isinf(v) for v in each]
        )
        complete = np.flatnonzero(~missing.any(axis=1))
        n_missing = len(missing) - len(complete)
        if n_missing and not drop_missing:
            rows, lack = ("row", "lacks") if n_missing == 1 else ("rows", "lack")
            count = f"{n_missing} {rows} of {len(missing)} {lack} one"
            fault = f"missing ({count}); --drop-missing leaves such rows out"
            raise _fault(table, names, missing, fault)
        if infinite.any():
            raise _fault(table, names, infinite, "infinite")
        lines = np.asarray(table.lines)[complete]
        one, other = (without_objects(values[complete]) for values in each)
        # Checked here so that messages have the names of the columns.
        as_variables(one, other, names=names)
    if n_missing:
        say(f"{counted(n_missing, 'row')} with a missing value left out")
    return Columns(one, other, names, lines, n_missing)


def _read(file: str, header: bool | None) -> TextTable:
    """Read a text table, or a Parquet file as one."""
    data = Path(file).read_bytes()
    if not data.startswith(b"PAR1"):
        return parse_table(data, file, header=header)
    # Here, because text does without it.
    from anmmm.collection.sources.parquet import open_parquet, source_errors

    with open_parquet(file) as parquet, source_errors(file, None):
        table = parquet.read(use_threads=False)
    columns = [["" if v is None else str(v) for v in c.to_pylist()] for c in table.columns]
    rows = [list(row) for row in zip(*columns, strict=True)]
    if not rows:
        raise SourceError(file, None, "the file has no rows")
    return TextTable(file, tuple(table.column_names), rows, list(range(1, len(rows) + 1)))


def _fault(table: TextTable, names: tuple[str, str], bad: BoolArray, fault: str) -> SourceError:
    """Return the error about the first bad cell."""
    row, column = np.argwhere(bad)[0]
    return SourceError(table.path, table.lines[row], f"the value of {names[column]} is {fault}")


def _choose(table: TextTable, x: str | None, y: str | None) -> tuple[int, int]:
    if table.n_columns < 2:
        raise SourceError(table.path, None, "two columns are needed, found 1")
    first = None if x is None else _find(table, x, "X")
    second = None if y is None else _find(table, y, "Y")
    unused = {first, second, *table.row_numbers()}
    left = [column for column in range(table.n_columns) if column not in unused]
    n_open = [first, second].count(None)
    if n_open and len(left) != n_open:
        raise SourceError(
            table.path,
            None,
            f"{table.n_columns} columns; name two after the file, from {_listing(table)}",
        )
    if first is None:
        first = left.pop(0)
    if second is None:
        second = left.pop(0)
    if first == second:
        raise SourceError(table.path, None, f"X and Y are both {table.label(first)}")
    return first, second


def _find(table: TextTable, wanted: str, option: str) -> int:
    matches = [index for index in range(table.n_columns) if table.label(index) == wanted]
    if len(matches) == 1:
        return matches[0]
    by_position = not has_digits(table.names or ())
    if not matches and by_position and wanted.isdecimal() and 1 <= int(wanted) <= table.n_columns:
        return int(wanted) - 1
    problem = f"no such column; there are {_listing(table)}"
    if matches:
        remedy = "give the number of one" if by_position else "rename them"
        problem = f"{len(matches)} columns have this name; {remedy}"
    raise SourceError(table.path, None, f"{option} {wanted}: {problem}")


def _listing(table: TextTable) -> str:
    if table.names is None:
        return f"1 to {table.n_columns}"
    return listed([name or f"{index} (unnamed)" for index, name in enumerate(table.names, 1)])
