"""A table with a variable in each column, whatever it is read from."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._cells import read_texts
from anmmm._tables.errors import SourceError
from anmmm._text import brief, has_digits, listed
from anmmm._typing import BoolArray

# Numbers are float64, NaN for missing; texts are objects, None for missing.
Columns = dict[Hashable, NDArray[Any]]
# Kinds of columns. Text may spell numbers; values of a category type are names, whatever they are.
NUMBER, BOOLEAN, TEXT, CATEGORIES = "number", "boolean", "text", "categories"


class Table:
    """A table of variables; subclasses implement `read` and perhaps `level_names`.

    `kinds` has the kind of each column that can be read, `faults` why others cannot; `unnamed` are
    those without a name in their file.
    """

    files: tuple[Path, ...] = ()
    # Options that the values depend on.
    options: Mapping[str, Any] = {}
    # Line of each row in its file; None if rows have no lines.
    lines: Sequence[int] | None = None

    def __init__(
        self,
        name: str,
        names: Iterable[Hashable],
        kinds: Mapping[Hashable, str],
        faults: Mapping[Hashable, SourceError],
        unnamed: Collection[Hashable] = (),
    ) -> None:
        # A path, or the type of the object.
        self.name, self.names = name, tuple(names)
        self.kinds, self.faults, self.unnamed = kinds, faults, unnamed
        if len(set(self.names)) < len(self.names):
            twice = next(n for n in self.names if self.names.count(n) > 1)
            raise SourceError(name, None, f"several columns are called {twice!r}; rename them")

    def read(self, numbers: Sequence[Hashable], labels: Sequence[Hashable]) -> Columns:
        """Read columns as numbers, and others as texts or, with an order, as numbers."""
        raise NotImplementedError

    def level_names(self, name: Hashable) -> tuple[str, ...] | None:
        """Return the names of the values 0, 1, … of categories or booleans; None of numbers."""
        return None

    def is_categorical(self, name: Hashable) -> bool:
        """Return whether a column holds text or has a category type."""
        return self.kinds.get(name) in (TEXT, CATEGORIES)

    @cached_property
    def row_numbers(self) -> list[Hashable]:
        """Columns without a name that number the rows, as the index of a data frame does."""
        names = [name for name in self.unnamed if self.kinds.get(name) == NUMBER]
        columns = self.read(names, [])
        return [name for name in names if _number_rows(columns[name])]

    def values(
        self, names: Collection[Hashable], declared: Collection[Hashable] = ()
    ) -> tuple[Columns, dict[Hashable, SourceError]]:
        """Read columns as numbers or, also if `declared`, categories; say why some are neither."""
        labels = [name for name in names if name in declared or self.is_categorical(name)]
        faults = {name: self.faults[name] for name in names if name in self.faults}
        faults = {name: fault for name, fault in faults.items() if name not in declared}
        numbers = [name for name in names if name not in labels and name not in faults]
        columns = self.read(numbers, labels)
        for name in labels:
            if self.kinds.get(name) != TEXT or name in declared:
                continue
            columns[name], problem = read_texts(columns[name].tolist())
            if problem:
                del columns[name]
                faults[name] = SourceError(self.name, None, f"column {name!r} {problem}")
        return columns, faults

    def place(self, row: int) -> str:
        """Return the place of a row, counted from 0, in messages."""
        return f"row {row + 1}" if self.lines is None else f"line {self.lines[row]}"

    def column(self, name: Any, argument: str) -> Hashable:
        """Return the column of a name or, of text, of its spelling; else of a position."""
        if isinstance(name, np.generic):
            name = name.item()
        for known in self.names:
            # False, 0 and 0.0 are equal, but different names.
            if type(known) is type(name) and known == name:
                found: Hashable = known
                return found
        is_whole = isinstance(name, int) and not isinstance(name, bool)
        spelled = {str(known): known for known in self.names}
        if not is_whole and str(name) in spelled:
            return spelled[str(name)]
        if is_whole and not has_digits(self.names) and 0 <= name < len(self.names):
            by_position: Hashable = self.names[name]
            return by_position
        hint = f"the columns are {listed(self.names)}"
        similar = get_close_matches(str(name), spelled, 1)
        if similar:
            hint = f"did you mean {similar[0]!r}?"
        if is_whole and str(name) in spelled:
            hint = f"names are digits here, not positions; give the name as text: {str(name)!r}"
        raise ValueError(
            f"{argument} names {brief(name)}, but {self.name} has no such column; {hint}"
        )

    def columns_of(self, names: Any, argument: str) -> list[Hashable]:
        """Return the columns of a list of names; raise TypeError or ValueError at others."""
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise TypeError(
                f"{argument} must be a list of names of columns, e.g. ['a']; found {brief(names)}"
            )
        return [self.column(name, argument) for name in names]


def _number_rows(values: NDArray[Any]) -> bool:
    """Return whether values are distinct whole numbers, as of rows in any order, some left out."""
    is_whole = np.all((values >= 0.0) & (values == np.rint(values)))
    return bool(is_whole) and len(np.unique(values)) == len(values)


def missing_text(names: Sequence[str], missing: Sequence[BoolArray]) -> str:
    """Describe the missing values of the first variable that has some; `missing`: (n_rows,) each.

    The rows are counted from 0.
    """
    for name, rows in zip(names, missing, strict=True):
        if rows.any():
            lacks = f"{name} lacks {rows.sum()} of {len(rows)} values"
            return f"{lacks}, the first in row {rows.argmax()} (from 0)"
    return ""


def refuse_same_spelling(names: Iterable[Hashable], table: str) -> None:
    """Refuse names that files and ids of pairs could not tell apart."""
    spelled: dict[str, Hashable] = {}
    for name in names:
        # As in a line of CSV.
        first = spelled.setdefault("" if name is None else str(name), name)
        if first is not name:
            problem = (
                f"the columns {brief(first)} and {brief(name)} have the same spelling, so results "
                "could not tell them apart; rename one"
            )
            raise SourceError(table, None, problem)
