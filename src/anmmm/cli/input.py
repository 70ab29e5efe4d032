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

from anmmm._categories import as_variables, missing_of, refuse_empty, without_objects
from anmmm._record import Record
from anmmm._tables import SourceError, Table, is_parquet, open_table, parse_text
from anmmm._tables.text import TextTable
from anmmm._text import counted, has_digits, listed
from anmmm._typing import IntArray
from anmmm.cli.messages import STANDARD_OUTPUT, InputError, say

# Arguments of the library whose names are not words, and options of other names.
_ARGUMENT = re.compile(
    r"\b(fit_options|max_(parents|samples)|min_(confidence|gain)"
    r"|n_(jobs|mechanisms|pairs|plots)|random_state)\b"
)
_RENAMED = {"fit_options": "lam", "n_jobs": "jobs", "n_plots": "plots", "random_state": "seed"}
# Words that name an argument only in these positions.
_WORD = re.compile(
    r"(?<!-)(n_samples|lam|criterion|cause|columns|pairs|categories|header)\b(?=[ =])"
    r"|^screen(?= (must|tests))"
    r"|^(required|forbidden|tiers|within)(?= (has|names|joins))"
)


# Values and lists of arguments anywhere in a message.
_VALUES = {
    "missing='drop' (--drop-missing)": "--drop-missing",
    "missing='drop'": "--drop-missing",
    "pairs=[('a', 'b'), ...]": "--pairs a,b",
    "pairs='all'": "--pairs all",
    "columns= ": "--columns ",
    " (a category type, categories= or --categories)": " by --categories",
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
    # Line of each row in the file; its number if the file has no lines.
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
            f"anmmm directions {file} --pairs all, or anmmm graph {file}"
        )
    x, y = (*pair, x, y)[:2]
    with input_errors(place), echo_warnings():
        if file != "-":
            table = open_table(file, header if header is None or not is_parquet(file) else None)
        elif sys.stdin is None:
            raise ValueError("standard input is closed; name a file, or pipe a table in")
        else:
            table = parse_text(sys.stdin.buffer.read(), place, header)
        chosen = _choose(table, x, y)
        declared = [_find(table, column, "--categories") for column in categories]
        columns, faults = table.values(chosen, declared)
        for fault in faults.values():
            raise fault
        values = [columns[name] for name in chosen]
        first, second = map(str, chosen)
        missing = np.column_stack([missing_of(column) for column in values])
        refuse_empty(missing.T, (first, second))
        is_complete = ~missing.any(axis=1)
        n_missing = int(np.count_nonzero(~is_complete))
        if n_missing and not drop_missing:
            row, at = np.argwhere(missing)[0]
            problem = (
                f"the value of {chosen[at]} is missing ({counted(n_missing, 'row')} of "
                f"{len(missing)} with one); --drop-missing leaves such rows out"
            )
            raise SourceError(table.name, table.place(row), problem)
        for name, column in zip(chosen, values, strict=True):
            if not column.dtype.hasobject and np.isinf(column).any():
                row = int(np.isinf(column).argmax())
                raise SourceError(table.name, table.place(row), f"the value of {name} is infinite")
        first_values, second_values = (without_objects(column[is_complete]) for column in values)
        # Checked here so that messages have the names of the columns.
        as_variables(first_values, second_values, names=(first, second))
    if n_missing:
        say(f"{counted(n_missing, 'row')} with a missing value left out")
    lines = np.arange(1, len(missing) + 1) if table.lines is None else np.asarray(table.lines)
    return Columns(first_values, second_values, (first, second), lines[is_complete], n_missing)


def _choose(table: Table, x: str | None, y: str | None) -> list[Hashable]:
    """Return the two columns, of which the caller may leave open those that are the only ones."""
    chosen = [
        None if name is None else _find(table, name, option)
        for name, option in ((x, "X"), (y, "Y"))
    ]
    left = [name for name in table.names if name not in [*chosen, *table.row_numbers]]
    n_open = chosen.count(None)
    if n_open and len(left) != n_open:
        found = counted(len(table.names), "column")
        problem = f"{found}; name two after the file, from {listed(table.names)}"
        raise SourceError(table.name, None, problem)
    columns: list[Hashable] = [left.pop(0) if name is None else name for name in chosen]
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
