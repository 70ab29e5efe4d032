"""The columns of a table that make a graph, checked."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import MOST_CATEGORIES, Names, missing_of
from anmmm._typing import BoolArray, FloatArray
from anmmm._validation import DATES, MISSING, brief, check_choice
from anmmm._warning import warn_caller
from anmmm._words import counted
from anmmm.collection.sources.columns import Table
from anmmm.collection.sources.table import text_problem
from anmmm.datasets.errors import SourceError, listed
from anmmm.graph.lengths import Sample
from anmmm.graph.partial import PartialGraph
from anmmm.preprocessing import standardize

MIN_ROWS = 20
# Columns left out that a warning names.
MOST_NAMED = 8
# Bytes that the curves over all columns may take.
MOST_BYTES = 4e9
BYTES_A_VALUE = 14 * 8
# Standardized columns that differ by no more, in any row, are one.
SAME = 1e-9


class Columns(NamedTuple):
    """Names of columns of a table, their values, and the rows left out as incomplete."""

    table: Table
    names: tuple[Hashable, ...]
    sample: Sample
    n_dropped: int


def read_columns(
    table: Table, columns: Any, categories: Any, missing: str, within: PartialGraph | None = None
) -> Columns:
    """Read and check columns of a table, by default all or those of a graph.

    Raise TypeError or ValueError at what is wrong.
    """
    check_choice(missing, "missing", MISSING)
    if within is not None and columns is None:
        columns = [name for name in table.names if name in within.nodes]
    listed_names = _listed(categories, table, "categories")
    named = {*table.categories, *listed_names}
    if columns is None:
        problems = _problems(table, listed_names)
        names = [name for name in table.names if name not in problems]
        if problems:
            lines = "\n  ".join(map(str, [*problems.values()][:MOST_NAMED]))
            more = len(problems) - MOST_NAMED
            rest = f"\n  and {more} more" if more > 0 else ""
            warn_caller(
                f"{counted(len(problems), 'column')} left out:\n  {lines}{rest}", UserWarning
            )
    else:
        names = _listed(columns, table, "columns")
        for name in names:
            if name in table.faults and name not in named:
                raise table.faults[name]
    if len(names) < 2:
        raise SourceError(
            table.name,
            None,
            f"a graph needs 2 or more columns of numbers or categories, found {listed(names)}",
        )
    read = table.read([n for n in names if n not in named], [n for n in names if n in named])
    present = _present([read[name] for name in names], names, table.name, missing)
    values = [_numbers(read[name][present], name, table.name) for name in names]
    # Ordered categories are read as numbers.
    categorical = [
        read[name].dtype.hasobject and len(np.unique(v)) > 2
        for name, v in zip(names, values, strict=True)
    ]
    _check(values, names, table.name)
    sample = Sample(np.column_stack(values), tuple(categorical))
    return Columns(table, tuple(names), sample, int((~present).sum()))


def _problems(table: Table, categories: list[Hashable]) -> dict[Hashable, SourceError]:
    """Return why columns are left out by default, in the order of the table."""
    texts = table.read([], [name for name in table.texts if name not in categories])
    found = {name: fault for name, fault in table.faults.items() if name not in categories}
    for name, values in texts.items():
        if problem := text_problem(values):
            words = problem if problem == DATES else f"holds {problem}"
            found[name] = SourceError(table.name, None, f"column {name!r} {words}")
    for name in table.row_numbers:
        if name not in categories:
            text = f"{name!r} has no name and numbers the rows; columns= takes it if named there"
            found[name] = SourceError(table.name, None, text)
    return {name: found[name] for name in table.names if name in found}


def _listed(names: Any, table: Table, argument: str) -> list[Hashable]:
    if names is None:
        return []
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"{argument} must be a list of names of columns; found {brief(names)}")
    columns = [table.column(name, argument) for name in names]
    if len(set(columns)) < len(columns):
        raise ValueError(f"{argument} names a column twice; found {brief(list(names))}")
    return columns


def _present(
    columns: list[NDArray[Any]], names: list[Hashable], table: str, missing: str
) -> BoolArray:
    """Tell which rows (n_rows,) are complete."""
    absent = [missing_of(column) for column in columns]
    incomplete = np.any(absent, axis=0)
    if missing == "raise" and incomplete.any():
        at = next(place for place, column in enumerate(absent) if column.any())
        raise SourceError(
            table,
            None,
            f"column {names[at]!r} lacks {absent[at].sum()} values, the first in row "
            f"{int(absent[at].argmax())} (from 0); pass missing='drop' to leave out the "
            f"{incomplete.sum()} incomplete rows",
        )
    n_left = len(incomplete) - int(incomplete.sum())
    if n_left < MIN_ROWS:
        raise SourceError(
            table, None, f"a graph needs {MIN_ROWS} complete rows or more, found {n_left}"
        )
    return np.asarray(~incomplete)


def _numbers(column: NDArray[Any], name: Hashable, table: str) -> FloatArray:
    """Return a column as numbers, those of categories by their names in order."""
    if not column.dtype.hasobject:
        if not np.isfinite(column).all():
            raise SourceError(table, None, f"column {name!r} holds infinite numbers; remove them")
        return np.asarray(column, dtype=np.float64)
    categories = Names(column.astype(np.str_))
    if len(categories.distinct) > MOST_CATEGORIES:
        raise SourceError(
            table,
            None,
            f"column {name!r} has {len(categories.distinct)} categories, more than "
            f"{MOST_CATEGORIES}; leave it out, or join some of them",
        )
    return categories.codes


def _check(values: list[FloatArray], names: list[Hashable], table: str) -> None:
    """Refuse constant and repeated columns, and more than memory has room for."""
    constant = [name for name, column in zip(names, values, strict=True) if not np.ptp(column)]
    if constant:
        raise SourceError(
            table, None, f"constant columns have no causes: {listed(constant)}; leave them out"
        )
    size = BYTES_A_VALUE * len(values) * len(values[0])
    if size > MOST_BYTES:
        raise SourceError(
            table,
            None,
            f"{len(values)} columns of {len(values[0])} rows need {size / 1e9:.0f} GB; pass fewer "
            f"columns, or at most {math.floor(MOST_BYTES / BYTES_A_VALUE / len(values))} rows",
        )
    columns = standardize(np.column_stack(values))[0].T
    # Copies, whichever way they point, are neighbors in the order of what they start with.
    signed = columns * np.where(columns[:, :1] < 0.0, -1.0, 1.0)
    order = sorted(range(len(names)), key=lambda at: signed[at, :MIN_ROWS].round(6).tolist())
    for one, other in pairwise(order):
        if np.abs(signed[one] - signed[other]).max() <= SAME:
            first, second = (names[at] for at in sorted((one, other)))
            raise SourceError(
                table, None, f"column {second!r} repeats {first!r}; leave one of them out"
            )
