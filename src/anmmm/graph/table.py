"""What is given: the columns of a table that make a graph, and its edges, checked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anmmm._categories import Column
from anmmm._tables import Columns, SourceError, Table
from anmmm._tables.table import missing_text
from anmmm._text import brief, counted, listed
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm._validation import MISSING, check_choice
from anmmm._warning import warn_caller
from anmmm.direction.caveats import copies_note, distinct_fraction, distinct_rows
from anmmm.direction.prior import Prior
from anmmm.graph.forms import PartialGraph
from anmmm.graph.sample import Sample
from anmmm.graph.score import MIN_ROWS
from anmmm.graph.search import Rules, causal_order
from anmmm.preprocessing import standardize

# Fraction of complete rows from which others are left out: hidden groups need complete rows.
MIN_COMPLETE = 0.9
# Omitted columns that a warning names.
MOST_NAMED = 8
# Bytes that the curves over all columns may take.
MOST_BYTES = 4e9
BYTES_A_VALUE = 14 * 8
# Standardized columns that differ by no more, in any row, are copies.
COPY_TOLERANCE = 1e-9

Nodes = Sequence[Hashable]


def with_columns(graph: PartialGraph, table: Table, columns: Any, argument: str) -> PartialGraph:
    """Return a graph whose nodes are the columns of a table that its nodes name.

    The nodes of an array are all columns, or those of the argument `columns`.
    """
    nodes = list(graph.nodes)
    names = table.names
    if graph.by_position:
        if columns is not None:
            names = tuple(_distinct(columns, table, "columns"))
        if len(nodes) != len(names):
            raise ValueError(
                f"{argument} is an adjacency of {len(nodes)} nodes, but data has {len(names)} "
                "columns; pass a row and a column for each column of data, or list its nodes in "
                "columns="
            )
        return graph.renamed(names)
    return graph.renamed([table.column(node, argument) for node in nodes])


def read_columns(
    table: Table, columns: Any, categories: Any, missing: str
) -> tuple[Sample, int, dict[Hashable, str]]:
    """Read columns of a table, by default all that hold numbers or categories and vary.

    Also return the number of rows left out and, by their names, the problems of columns left out.
    Raise TypeError or ValueError if the columns make no graph.
    """
    check_choice(missing, "missing", MISSING)
    declared = [] if categories is None else _distinct(categories, table, "categories")
    names = list(table.names) if columns is None else _distinct(columns, table, "columns")
    usable, problems = table.values(names, declared)
    for name, column in usable.items():
        if np.isinf(column.values).any():
            problem = f"column {name!r} holds infinite numbers; remove them"
            raise SourceError(table.name, None, problem)
    for name, text in _useless_in_kept_rows(usable).items():
        remedy = "" if columns is None else "; leave it out"
        problems[name] = SourceError(table.name, None, f"column {name!r} {text}{remedy}")
    if columns is not None and problems:
        raise next(iter(problems.values()))
    if columns is None:
        for name in table.row_numbers:
            if name not in declared:
                problem = f"{name!r} has no name and numbers the rows; name it in columns to use it"
                problems[name] = SourceError(table.name, None, problem)
    _warn_of_problems(list(map(str, problems.values())))
    names = [name for name in names if name not in problems]
    if len(names) < 2:
        problem = (
            "a graph needs 2 or more columns of numbers or categories that vary, found "
            f"{len(names)}"
        )
        raise SourceError(table.name, None, problem)
    used = {name: usable[name] for name in names}
    is_complete = _complete(used)
    n_incomplete = int(np.count_nonzero(~is_complete))
    if missing == "raise" and n_incomplete:
        text = missing_text({f"column {name!r}": column for name, column in used.items()})
        remedy = f"leaves out the {counted(n_incomplete, 'incomplete row')}"
        if not _are_enough(used, is_complete):
            remedy = "uses the rows that have the columns of each fit"
        raise SourceError(table.name, None, f"{text}; missing='drop' {remedy}")
    kept = _kept_rows(used)
    _refuse_size(table.name, len(names), int(np.count_nonzero(kept)))
    used = {name: column.take(kept) for name, column in used.items()}
    sample = Sample(
        np.column_stack([column.values for column in used.values()]),
        tuple(column.is_categorical for column in used.values()),
        tuple(names),
        tuple(column.levels for column in used.values()),
    )
    sample = _without_copies(sample, table.name)
    n_dropped = len(kept) - len(sample.values)
    return sample, n_dropped, {name: problem.problem for name, problem in problems.items()}


def _distinct(names: Any, table: Table, argument: str) -> list[Hashable]:
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


def _without_copies(sample: Sample, table_name: str) -> Sample:
    """Return the table without copies of rows, with a warning if there are any.

    Raise SourceError if the distinct rows are too few for a graph, or for a column.
    """
    # A missing value is one more value.
    filled = np.where(np.isnan(sample.values), -np.inf, sample.values)
    fraction = distinct_fraction(filled)
    if fraction == 1.0:
        return sample
    warn_caller(copies_note(fraction), UserWarning)
    values = sample.values[np.sort(distinct_rows(filled))]
    _refuse_size(table_name, values.shape[1], len(values))
    for name, column in zip(sample.names, values.T, strict=True):
        present = column[~np.isnan(column)]
        if len(present) < MIN_ROWS or present.min() == present.max():
            problem = (
                f"column {name!r} has {counted(len(present), 'value')} in the {len(values)} "
                f"distinct rows; a graph needs {MIN_ROWS} that differ; leave the column out"
            )
            raise SourceError(table_name, None, problem)
    return replace(sample, values=values)


def _refuse_size(name: str, n_columns: int, n_rows: int) -> None:
    """Refuse too few rows, or more than memory takes."""
    if n_rows < MIN_ROWS:
        problem = f"a graph needs {MIN_ROWS} complete rows or more, found {n_rows}"
        raise SourceError(name, None, problem)
    size = BYTES_A_VALUE * n_columns * n_rows
    if size > MOST_BYTES:
        problem = (
            f"{n_columns} columns of {n_rows} rows need {size / 1e9:.0f} GB; pass fewer columns, "
            f"or at most {int(MOST_BYTES / BYTES_A_VALUE / n_columns)} rows"
        )
        raise SourceError(name, None, problem)


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
            for first, other in columns.items():
                if first == name:
                    break
                if first not in useless and _are_copies(other, column):
                    useless[name] = f"repeats {first!r}"
                    break
    return useless


def _are_copies(first: Column, second: Column) -> bool:
    """Return whether columns are linear in each other, or differ by the names of categories."""
    rows = np.flatnonzero(~(first.missing | second.missing))
    if len(rows) < MIN_ROWS:
        return False
    # Few rows show of most pairs that they differ.
    for part in (rows[:MIN_ROWS], rows):
        numbers = np.column_stack([_numbers(first, part), _numbers(second, part)])
        if np.any(numbers.min(axis=0) == numbers.max(axis=0)):
            if part is rows:
                return False
            continue
        standardized = standardize(numbers)[0]
        signs = np.where(standardized[0] < 0.0, -1.0, 1.0)
        differences = np.subtract(*(standardized * signs).T)
        if np.abs(differences).max() > COPY_TOLERANCE:
            return False
    return True


def _numbers(column: Column, rows: IntArray) -> FloatArray:
    """Return the values of rows; of categories the row in which each occurs first."""
    values = np.asarray(column.values[rows], dtype=np.float64)
    if column.is_ordered:
        return values
    _, first_rows, places = np.unique(values, return_index=True, return_inverse=True)
    return first_rows[places].astype(np.float64)


def rules_of(
    table: Table,
    names: Nodes,
    left_out: Mapping[Hashable, str],
    *,
    required: Any,
    forbidden: Any,
    tiers: Any,
    within: PartialGraph | None,
    max_parents: int,
    min_gain: float,
    prior: Prior,
) -> tuple[Rules, dict[str, list[tuple[Hashable, ...]]]]:
    """Return the rules of a search, and the arguments that are not empty, by names of columns.

    Raise TypeError or ValueError if they contradict. `names` are those of the graph among the
    columns of the table; forbidden edges and tiers of columns left out have no effect.
    """
    n = len(names)
    allowed = ~np.eye(n, dtype=bool)
    fixed = {"required": _matrix(table, names, required, "required")}
    if within is not None:
        fixed["within"] = _matrix(table, names, within.marked("->"), "within")
        lines = _matrix(table, names, within.marked("--"), "within")
        allowed = fixed["within"] | lines | lines.T
    known = [*names, *left_out]
    ruled_out = _matrix(table, known, forbidden, "forbidden")[:n, :n]
    allowed &= ~ruled_out
    tier = _tier_of_each(table, known, tiers)[:n]
    allowed &= ~((tier[:, np.newaxis] > tier) & (tier >= 0))
    for argument, edges in fixed.items():
        for i, j in np.argwhere(edges & ~allowed):
            raise ValueError(
                f"{argument} has the edge {names[i]} → {names[j]}, which forbidden, tiers or "
                "within rules out; change one of them"
            )
    must = np.logical_or.reduce([*fixed.values()])
    allowed &= ~must.T
    rules = Rules(allowed, must, max_parents, min_gain, prior)
    on_cycle = sorted({*range(n)}.difference(causal_order(rules.start)))
    if on_cycle:
        cyclic = listed([names[place] for place in on_cycle])
        given = " and ".join(argument for argument in fixed if fixed[argument].any())
        raise ValueError(
            f"the directed edges of {given} make a cycle among {cyclic}; take one of them out"
        )
    places = sorted(range(n), key=lambda place: table.names.index(names[place]))

    def pairs(matrix: BoolArray) -> list[tuple[Hashable, ...]]:
        return [(names[i], names[j]) for i in places for j in places if matrix[i, j]]

    constraints: dict[str, list[tuple[Hashable, ...]]] = {
        "tiers": [
            tuple(names[place] for place in places if tier[place] == number)
            for number in range(max(tier) + 1)
        ],
        "required": pairs(fixed["required"]),
        "forbidden": pairs(ruled_out),
    }
    constraints = {name: values for name, values in constraints.items() if values}
    if within is not None:
        constraints["within"] = [*within.edges]
    return rules, constraints


def _place(table: Table, names: Nodes, name: Any, argument: str) -> int:
    """Return the place of a column in the graph; raise ValueError if there is none."""
    column = table.column(name, argument)
    if column not in names:
        raise ValueError(
            f"{argument} names {brief(name)}, which is none of the columns of the graph: "
            f"{listed(names)}"
        )
    return names.index(column)


def _tier_of_each(table: Table, names: Nodes, tiers: Any) -> IntArray:
    """Return the number of the tier of each column, (n,), or -1; raise TypeError at no tiers."""
    if not _is_list(tiers):
        raise TypeError(
            "tiers must be a list of groups of names, the earliest first, e.g. [['a'], "
            f"['b', 'c']]; found {brief(tiers)}"
        )
    tier_of_each = np.full(len(names), -1)
    for tier, group in enumerate(tiers):
        if not isinstance(group, str) and not _is_list(group):
            raise TypeError(
                f"tiers must hold groups of names, e.g. ['b', 'c']; found {brief(group)}"
            )
        for name in [group] if isinstance(group, str) else group:
            place = _place(table, names, name, "tiers")
            if tier_of_each[place] >= 0:
                raise ValueError(f"tiers has {brief(name)} in two groups; keep one")
            tier_of_each[place] = tier
    return tier_of_each


def _is_list(values: Any) -> bool:
    """Return whether an argument holds items; the values of a mapping would be ignored."""
    return isinstance(values, Iterable) and not isinstance(values, (str, Mapping))


def _matrix(table: Table, names: Nodes, edges: Any, argument: str) -> BoolArray:
    """Return pairs of names as a matrix (n, n) that is true at [cause, effect]."""
    if not _is_list(edges):
        raise TypeError(
            f"{argument} must be a list of edges, e.g. [('cause', 'effect')]; found {brief(edges)}"
        )
    matrix = np.zeros((len(names), len(names)), dtype=bool)
    for edge in edges:
        is_pair = isinstance(edge, (Sequence, np.ndarray)) and not isinstance(edge, str)
        if not is_pair or len(edge) != 2:
            raise TypeError(
                f"{argument} must hold pairs of names (cause, effect); found {brief(edge)}"
            )
        cause, effect = (_place(table, names, name, argument) for name in edge)
        if cause == effect:
            raise ValueError(f"{argument} joins {brief(edge[0])} to itself; leave that out")
        matrix[cause, effect] = True
    return matrix
