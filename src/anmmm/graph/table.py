"""The columns of a table that make a graph, checked."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from anmmm._categories import Column
from anmmm._tables import Columns, SourceError, Table
from anmmm._tables.table import missing_text
from anmmm._text import brief, counted
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm._validation import MISSING, check_choice
from anmmm._warning import warn_caller
from anmmm.direction.caveats import copies_note, distinct_fraction, distinct_rows
from anmmm.graph.sample import Sample
from anmmm.graph.score import MIN_ROWS
from anmmm.preprocessing import standardize

# Fraction of complete rows from which others are left out: hidden groups need complete rows.
MIN_COMPLETE = 0.9
# Omitted columns that a warning names.
MOST_NAMED = 8
# Standardized columns that differ by no more, in any row, are copies.
COPY_TOLERANCE = 1e-9


def read_columns(
    table: Table, columns: Any, categories: Any, missing: str
) -> tuple[Sample, int, dict[Hashable, str]]:
    """Read columns of a table, by default all that hold numbers or categories and vary.

    Also return the number of rows left out and, by their names, the problems of columns left out.
    Raise TypeError or ValueError if the columns make no graph.
    """
    check_choice(missing, "missing", MISSING)
    declared = [] if categories is None else distinct_columns(categories, table, "categories")
    names = list(table.names) if columns is None else distinct_columns(columns, table, "columns")
    usable, problems = table.values(names, declared)
    if columns is None:
        for name in table.row_numbers:
            if name not in declared and name in usable:
                del usable[name]
                problem = f"{name!r} has no name and numbers the rows; name it in columns to use it"
                problems[name] = SourceError(table.name, None, problem)
    for name, column in usable.items():
        if np.isinf(column.values).any():
            problem = f"column {name!r} holds infinite numbers; remove them"
            raise SourceError(table.name, None, problem)
    for name, text in _useless_in_kept_rows(usable).items():
        remedy = "" if columns is None else "; leave it out"
        problems[name] = SourceError(table.name, None, f"column {name!r} {text}{remedy}")
    if columns is not None and problems:
        raise next(iter(problems.values()))
    _warn_of_problems([str(problem) for problem in problems.values()])
    used = {name: column for name, column in usable.items() if name not in problems}
    if len(used) < 2:
        problem = (
            f"a graph needs 2 or more columns of numbers or categories that vary, found {len(used)}"
        )
        raise SourceError(table.name, None, problem)
    if missing == "raise":
        _refuse_missing(table.name, used)
    kept = _kept_rows(used)
    values = np.column_stack([column.values[kept] for column in used.values()])
    sample = Sample(
        _without_copies(values),
        tuple(column.is_categorical for column in used.values()),
        tuple(used),
        tuple(column.levels for column in used.values()),
    )
    n_rows = len(sample.values)
    if n_rows < MIN_ROWS:
        problem = f"a graph needs {MIN_ROWS} complete rows or more, found {n_rows}"
        raise SourceError(table.name, None, problem)
    _refuse_short_columns(table.name, sample)
    left_out = {name: problem.problem for name, problem in problems.items()}
    return sample, len(kept) - n_rows, left_out


def _refuse_missing(table_name: str, columns: Columns) -> None:
    """Refuse missing values, and say what may be done about them."""
    is_complete = _complete(columns)
    if is_complete.all():
        return
    remedy = "uses the rows that have the columns of each fit"
    if _are_enough(columns, is_complete):
        n_incomplete = int(np.count_nonzero(~is_complete))
        remedy = f"leaves out the {counted(n_incomplete, 'incomplete row')}"
    text = missing_text({f"column {name!r}": column for name, column in columns.items()})
    raise SourceError(table_name, None, f"{text}; missing='drop' {remedy}")


def _refuse_short_columns(table_name: str, sample: Sample) -> None:
    """Refuse a column of which the distinct rows have too few values."""
    for name, column in zip(sample.names, sample.values.T, strict=True):
        n_values = int(np.count_nonzero(~np.isnan(column)))
        if n_values < MIN_ROWS:
            problem = (
                f"column {name!r} has {counted(n_values, 'value')} in {len(column)} distinct rows; "
                f"a graph needs {MIN_ROWS}; leave the column out"
            )
            raise SourceError(table_name, None, problem)


def distinct_columns(names: Any, table: Table, argument: str) -> list[Hashable]:
    """Return the columns that an argument names; raise ValueError if it names one twice."""
    columns = table.columns_of(names, argument)
    if len(set(columns)) < len(columns):
        raise ValueError(f"{argument} names a column twice; found {brief(list(names))}")
    return columns


def _warn_of_problems(lines: list[str]) -> None:
    """Warn of the columns that are left out."""
    if not lines:
        return
    title = f"{counted(len(lines), 'column')} left out"
    if len(lines) > MOST_NAMED:
        lines[MOST_NAMED:] = [f"and {len(lines) - MOST_NAMED} more"]
    text = "\n  ".join([f"{title}:", *lines])
    warn_caller(text, UserWarning)


def _without_copies(values: FloatArray) -> FloatArray:
    """Return the distinct rows of a table, with a warning if there are copies."""
    # A missing value is one more value.
    filled = np.where(np.isnan(values), -np.inf, values)
    fraction = distinct_fraction(filled)
    if fraction == 1.0:
        return values
    warn_caller(copies_note(fraction), UserWarning)
    order, first = distinct_rows(filled)
    return values[np.sort(order[first])]


def _complete(columns: Columns) -> BoolArray:
    """Return which rows have a value in all columns."""
    missing = [column.missing for column in columns.values()]
    return np.asarray(~np.logical_or.reduce(missing))


def _are_enough(columns: Columns, is_complete: BoolArray) -> bool:
    """Return whether the incomplete rows may be left out: they are few, and all columns vary."""
    if is_complete.mean() < MIN_COMPLETE:
        return False
    return not any(column.take(is_complete).is_constant() for column in columns.values())


def _kept_rows(columns: Columns) -> BoolArray:
    """Return which rows are used: the complete ones, or all with two values if these are few."""
    is_complete = _complete(columns)
    if _are_enough(columns, is_complete):
        return is_complete
    # A row with one value has nothing to compare.
    return np.asarray(np.sum([~column.missing for column in columns.values()], axis=0) >= 2)


def _useless_in_kept_rows(columns: Columns) -> dict[Hashable, str]:
    """Return what is wrong with columns in the rows that are used if these are left out."""
    useless = _useless(columns)
    while True:
        used = {name: column for name, column in columns.items() if name not in useless}
        if len(used) < 2:
            return useless
        kept = _kept_rows(used)
        if kept.all():
            return useless
        more = _useless({name: column.take(kept) for name, column in used.items()})
        if not more:
            return useless
        for name, text in more.items():
            useless[name] = f"{text} in the rows that are used"


def _useless(columns: Columns) -> dict[Hashable, str]:
    """Return what is wrong with columns that have few values, are constant or copies of others."""
    useless: dict[Hashable, str] = {}
    for name, column in columns.items():
        n_values = int(np.count_nonzero(~column.missing))
        if n_values == 0:
            useless[name] = "has no values"
        elif column.is_constant():
            useless[name] = "is constant"
        elif n_values < min(MIN_ROWS, len(column.values)):
            useless[name] = f"has {counted(n_values, 'value')}; a graph needs {MIN_ROWS}"
        else:
            for first_name, first in columns.items():
                if first_name == name:
                    break
                if first_name not in useless and _are_copies(first, column):
                    useless[name] = f"repeats {first_name!r}"
                    break
    return useless


def _are_copies(first: Column, second: Column) -> bool:
    """Return whether columns are linear in each other, or differ by the names of categories."""
    rows = np.flatnonzero(~(first.missing | second.missing))
    if len(rows) < MIN_ROWS:
        return False
    numbers = np.column_stack([_numbers(first, rows), _numbers(second, rows)])
    if np.any(numbers.min(axis=0) == numbers.max(axis=0)):
        return False
    standardized = standardize(numbers)[0]
    signs = np.where(standardized[0] < 0.0, -1.0, 1.0)
    differences = np.subtract(*(standardized * signs).T)
    return bool(np.abs(differences).max() <= COPY_TOLERANCE)


def _numbers(column: Column, rows: IntArray) -> FloatArray:
    """Return the values of rows; of categories the row in which each occurs first."""
    values = np.asarray(column.values[rows], dtype=np.float64)
    if column.is_ordered:
        return values
    _, first_rows, places = np.unique(values, return_index=True, return_inverse=True)
    return first_rows[places].astype(np.float64)
