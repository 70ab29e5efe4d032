"""A table with a variable in each column, whatever it is read from."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from anmmm._categories import Column, as_categories, as_column
from anmmm._tables.errors import SourceError
from anmmm._text import brief, has_digits, listed

# Names that pandas gives to a column without one, and Parquet files to an index without one.
UNNAMED = ("Unnamed: ", "__index_level_")
# Columns of equal length by name; numbers are float64.
Columns = dict[Hashable, Column]
Faults = dict[Hashable, SourceError]


class Table:
    """A table of variables; subclasses implement `load`."""

    # Line of each row in its file; None if rows have no lines.
    lines: Sequence[int] | None = None

    def __init__(self, name: str, names: Iterable[Hashable]) -> None:
        # A path, or the type of the object.
        self.name = name
        self.names = tuple(names)
        # Columns without a name of their own.
        self.unnamed = [n for n in self.names if n == "" or str(n).startswith(UNNAMED)]
        if len(set(self.names)) < len(self.names):
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise SourceError(name, None, f"several columns are called {twice!r}; rename them")

    def load(self, names: Sequence[Hashable]) -> Mapping[Hashable, Any]:
        """Return columns as arrays or series of any library."""
        raise NotImplementedError

    def read(
        self, names: Sequence[Hashable], declared: Collection[Hashable] = ()
    ) -> tuple[Columns, Faults]:
        """Read columns, of categories if `declared`, and say why some hold no variable."""
        columns: Columns = {}
        faults: Faults = {}
        loaded = self.load(names)
        for name in names:
            try:
                columns[name] = self.variable(name, loaded[name], name in declared)
            except SourceError as error:
                faults[name] = error
            except (TypeError, ValueError) as error:
                faults[name] = SourceError(self.name, None, str(error))
        return columns, faults

    def variable(self, name: Hashable, values: Any, is_declared: bool) -> Column:
        """Return what was loaded of a column as a variable; raise ValueError if it is none."""
        label = f"column {name!r}"
        if is_declared:
            return as_categories(values, label)
        column = as_column(values, label, spells_numbers=True)
        return column._replace(values=np.ascontiguousarray(column.values, dtype=np.float64))

    def values(
        self, names: Sequence[Hashable], declared: Collection[Hashable] = ()
    ) -> tuple[Columns, Faults]:
        """Read columns as `read` does; too many categories are a fault."""
        columns, faults = self.read(names, declared)
        for name in list(columns):
            if problem := columns[name].too_many_levels():
                del columns[name]
                faults[name] = SourceError(self.name, None, f"column {name!r} {problem}")
        return columns, faults

    @cached_property
    def row_numbers(self) -> list[Hashable]:
        """Columns without a name that number the rows, as the index of a data frame does."""
        columns, _ = self.read(self.unnamed)
        return [name for name, column in columns.items() if _numbers_rows(column)]

    def place(self, row: int) -> str:
        """Return the place of a row, counted from 0, in messages."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def column(self, name: Any, argument: str) -> Hashable:
        """Return the column of a name or, of text, of its spelling; else of a position."""
        if isinstance(name, np.generic):
            name = name.item()
        is_whole = isinstance(name, int) and not isinstance(name, bool)
        for known in self.names:
            # False, 0 and 0.0 are equal, but different names.
            is_same = type(known) is type(name) and known == name
            if is_same or (not is_whole and str(known) == str(name)):
                column: Hashable = known
                return column
        if is_whole and not has_digits(self.names) and 0 <= name < len(self.names):
            by_position: Hashable = self.names[name]
            return by_position
        raise ValueError(
            f"{argument} names {brief(name)}, but {self.name} has no such column; the columns are "
            f"{listed([repr(known) for known in self.names])}"
        )

    def columns_of(self, names: Any, argument: str) -> list[Hashable]:
        """Return the columns of a list of names; raise TypeError or ValueError at others."""
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise TypeError(
                f"{argument} must be a list of names of columns, e.g. ['a']; found {brief(names)}"
            )
        return [self.column(name, argument) for name in names]


def _numbers_rows(column: Column) -> bool:
    """Return whether values are distinct whole numbers, as of rows in any order, some left out."""
    values = column.values
    is_whole = column.levels is None and np.all((values >= 0.0) & (values == np.rint(values)))
    return bool(is_whole) and len(np.unique(values)) == len(values)


def missing_text(columns: Mapping[str, Column]) -> str:
    """Describe the missing values of the first column that has some; rows count from 0."""
    for name, column in columns.items():
        rows = column.missing
        if rows.any():
            lacks = f"{name} lacks {rows.sum()} of {len(rows)} values"
            return f"{lacks}, the first in row {rows.argmax()} (from 0)"
    return ""
