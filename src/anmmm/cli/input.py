"""Read two columns of a file, and report errors as ``file:line: problem``."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import as_variables, complete_columns
from anmmm._record import Record
from anmmm._tables import SourceError, Table, is_parquet, open_table, parse_text
from anmmm._tables.text import TextTable
from anmmm._text import counted, has_digits, listed
from anmmm._typing import IntArray
from anmmm.cli.messages import STANDARD_OUTPUT, InputError, say

# An argument of the library at the beginning of a message, and those that are no options.
_ARGUMENT = re.compile(r"[a-z_]+(?= (must|is for|has|names|tests|joins) )")
_NO_OPTIONS = {"source", "table", "data", "x", "y"}
# Values of arguments anywhere in a message.
_VALUES = {
    "missing='drop'": "--missing drop",
    "pairs=[('a', 'b'), ...]": "--pairs a,b",
    "pairs='all'": "--pairs all",
}


@contextmanager
def input_errors(place: str = "") -> Iterator[None]:
    """Raise the library's errors about bad input as an `InputError`, after the `place`."""
    try:
        yield
    except OSError as error:
        if error.filename == STANDARD_OUTPUT:
            raise
        where = os.fsdecode(error.filename) if error.filename else place or "error"
        raise InputError(f"{where}: {error.strerror or error}") from None
    except (TypeError, ValueError, ArithmeticError, ImportError, MemoryError) as error:
        message = _with_values(str(error))
        if isinstance(error, SourceError):
            raise InputError(message) from None
        # With a place, the first word may be the name of a column.
        message = f"{place}: {message}" if place else _with_option(message)
        if isinstance(error, MemoryError):
            message += "; see --max-samples"
        raise InputError(message) from None


def _with_option(message: str) -> str:
    """Return a message with an option instead of the argument that it begins with."""
    match = _ARGUMENT.match(message)
    if match is None or match[0] in _NO_OPTIONS:
        return message
    option = match[0].replace("_", "-")
    return f"--{option}{message[match.end() :]}"


def _with_values(message: str) -> str:
    """Return a message with options instead of values of arguments."""
    for value, option in _VALUES.items():
        message = message.replace(value, option)
    return message


@contextmanager
def echo_warnings() -> Iterator[None]:
    """Print the library's warnings as messages, without a line of code."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if category is UserWarning:
                say(_with_values(str(message)))
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
    # Line of each row in the file; its number if the file has no lines.
    lines: IntArray
    # Rows left out for missing values.
    n_dropped: int


def load_columns(
    file: str,
    pair: Sequence[str],
    *,
    drop_missing: bool,
    header: bool | None = None,
    categories: Sequence[str] = (),
) -> Columns:
    """Read two columns of a file, ``-`` for standard input; raise an `InputError` on any fault.

    `pair`: their names, or fewer if the file has only two columns.
    """
    place = "<stdin>" if file == "-" else file
    if len(pair) > 2:
        raise InputError(
            f"name two columns after {file}; for all pairs use "
            f"anmmm directions {file} --pairs all, or anmmm graph {file}"
        )
    with input_errors(place), echo_warnings():
        table = _open(file, place, header)
        chosen = _choose(table, pair)
        declared = [_find(table, column, "--categories") for column in categories]
        columns, faults = table.values(chosen, declared)
        for fault in faults.values():
            raise fault
        _refuse_cells(table, chosen, columns, drop_missing)
        names = (str(chosen[0]), str(chosen[1]))
        x_column, y_column = columns[chosen[0]], columns[chosen[1]]
        first, second, dropped = complete_columns(x_column, y_column, "drop", names)
        # Checked here so that messages have the names of the columns.
        as_variables(first, second, names=names)
    if len(dropped):
        say(f"{counted(len(dropped), 'row')} with a missing value left out")
    n_rows = len(first.values) + len(dropped)
    lines = np.arange(1, n_rows + 1) if table.lines is None else np.asarray(table.lines)
    kept = np.delete(lines, dropped)
    return Columns(first.to_array(), second.to_array(), names, kept, len(dropped))


def _open(file: str, place: str, header: bool | None) -> Table:
    """Open a file, or the text of standard input."""
    if file != "-":
        return open_table(file, header if header is None or not is_parquet(file) else None)
    if sys.stdin is None:
        raise ValueError("standard input is closed; name a file, or pipe a table in")
    return parse_text(sys.stdin.buffer.read(), place, header)


def _refuse_cells(
    table: Table, chosen: Sequence[Hashable], columns: Any, drop_missing: bool
) -> None:
    """Refuse infinite and, if they are not dropped, missing values by their place."""
    is_missing = np.column_stack([columns[name].missing for name in chosen])
    n_missing = int(np.count_nonzero(is_missing.any(axis=1)))
    if n_missing and not drop_missing and not is_missing.all(axis=0).any():
        row, place = np.argwhere(is_missing)[0]
        problem = (
            f"the value of {chosen[place]} is missing ({counted(n_missing, 'row')} of "
            f"{len(is_missing)} with one); --missing drop leaves such rows out"
        )
        raise SourceError(table.name, table.place(row), problem)
    for name in chosen:
        is_infinite = np.isinf(columns[name].values)
        if is_infinite.any():
            problem = f"the value of {name} is infinite"
            raise SourceError(table.name, table.place(int(is_infinite.argmax())), problem)


def _choose(table: Table, pair: Sequence[str]) -> list[Hashable]:
    """Return the columns of up to two names, and those that are left of only two."""
    columns = [_find(table, name, "XY"[place]) for place, name in enumerate(pair)]
    if len(columns) < 2:
        columns += [name for name in table.names if name not in [*columns, *table.row_numbers]]
    if len(columns) != 2:
        found = counted(len(table.names), "column")
        problem = f"{found}; name two after the file, from {listed(table.names)}"
        raise SourceError(table.name, None, problem)
    if columns[0] == columns[1]:
        raise SourceError(table.name, None, f"X and Y are both {columns[0]}")
    return columns


def _find(table: Table, wanted: str, option: str) -> Hashable:
    """Return the column of a name or, if no name is digits, of a number from 1."""
    if wanted in table.names:
        return wanted
    has_names = not isinstance(table, TextTable) or table.has_header
    by_number = not has_names or not has_digits(table.names)
    if by_number and wanted.isdecimal() and 1 <= int(wanted) <= len(table.names):
        return table.names[int(wanted) - 1]
    problem = f"{option} {wanted}: no such column; there are {listed(table.names)}"
    raise SourceError(table.name, None, problem)
