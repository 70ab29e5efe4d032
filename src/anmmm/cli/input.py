"""Read two columns of a file, and report errors as ``file:line: problem``."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence

import numpy as np

from anmmm._categories import Column, as_variables, complete_columns
from anmmm._record import Record
from anmmm._tables import SourceError, Table, open_table, parse_text
from anmmm._text import counted, has_digits, listed
from anmmm._typing import IntArray
from anmmm.cli.messages import InputError, say


class Columns(Record):
    """The two columns of a file to analyze, without incomplete rows."""

    x: Column
    y: Column
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
    missing: str,
    header: bool | None = None,
    categories: Sequence[str] | None = None,
) -> Columns:
    """Read two columns of a file, ``-`` for standard input; raise an `InputError` on any fault.

    `pair`: their names, or fewer if the file has only two columns.
    """
    if len(pair) > 2:
        raise InputError(
            f"name two columns after {file}; for all pairs use "
            f"anmmm directions {file} --pairs all, or anmmm graph {file}"
        )
    if file == "-":
        table: Table = parse_text(sys.stdin.buffer.read(), "<stdin>", header)
    else:
        table = open_table(file, header)
    first, second = _choose(table, pair)
    declared = [_find(table, name, "--categories") for name in categories or ()]
    columns, faults = table.values([first, second], declared)
    for fault in faults.values():
        raise fault
    _refuse_cells(table, columns, missing)
    names = (str(first), str(second))
    try:
        x, y, dropped = complete_columns(columns[first], columns[second], "drop", names)
        # Checked here so that messages have the names of the file and the columns.
        as_variables(x, y, names=names)
    except ValueError as error:
        raise SourceError(table.name, None, str(error)) from None
    if len(dropped):
        say(f"{counted(len(dropped), 'row')} with a missing value left out")
    n_rows = len(columns[first].values)
    lines = np.arange(1, n_rows + 1) if table.lines is None else np.asarray(table.lines)
    return Columns(x, y, names, np.delete(lines, dropped), len(dropped))


def _refuse_cells(table: Table, columns: dict[Hashable, Column], missing: str) -> None:
    """Refuse infinite and, if they are not dropped, missing values by their place."""
    incomplete = np.logical_or.reduce([column.missing for column in columns.values()])
    for name, column in columns.items():
        is_missing = column.missing
        if missing == "raise" and is_missing.any() and not is_missing.all():
            problem = (
                f"the value of {name} is missing; --missing drop leaves out "
                f"{counted(int(incomplete.sum()), 'incomplete row')} of {len(incomplete)}"
            )
            raise SourceError(table.name, table.place(int(is_missing.argmax())), problem)
        is_infinite = np.isinf(column.values)
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
    is_number = wanted.isdecimal() and not has_digits(table.names)
    if is_number and 1 <= int(wanted) <= len(table.names):
        return table.names[int(wanted) - 1]
    return table.column(wanted, option)
