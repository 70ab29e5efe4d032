"""What is given: the columns of a table that make a graph, and its edges, checked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import Names, is_constant, level_names, missing_of
from anmmm._cells import MOST_CATEGORIES
from anmmm._tables import Columns, SourceError, Table
from anmmm._tables.table import missing_text, refuse_same_spelling
from anmmm._text import brief, counted, listed
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm._validation import MISSING, check_choice
from anmmm._warning import warn_caller
from anmmm.graph.forms import PartialGraph
from anmmm.graph.lengths import Sample
from anmmm.graph.search import Rules, causal_order
from anmmm.preprocessing import standardize

MIN_ROWS = 20
# Omitted columns that a warning names.
MOST_NAMED = 8
# Bytes that the curves over all columns may take.
MOST_BYTES = 4e9
BYTES_A_VALUE = 14 * 8
# Standardized columns that differ by no more, in any row, are copies.
COPY_TOLERANCE = 1e-9

Fault = Callable[[str], SourceError]
Nodes = Sequence[Hashable]


def with_columns(graph: PartialGraph, table: Table, columns: Any, argument: str) -> PartialGraph:
    """Return a graph whose nodes are the columns of a table that its nodes name.

    The nodes of an array are all columns, or those of the argument `columns`.
    """
    nodes, names = list(graph.nodes), table.names
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
    unnamed = [f"X{at}" for at in range(1, len(nodes) + 1)]
    if nodes and nodes == unnamed and not {*unnamed} & {*map(str, names)}:
        raise ValueError(
            f"{argument} has the nodes {listed(nodes)}, which are causal-learn's names for "
            f"unnamed columns, but {table.name} has {listed(names)}; pass the names to the "
            "search (node_names=), and a data frame here"
        )
    return graph.renamed([table.column(node, argument) for node in nodes])


def read_columns(
    table: Table, columns: Any, categories: Any, missing: str
) -> tuple[Sample, int, dict[Hashable, str]]:
    """Read columns of a table, by default all that hold numbers or categories and vary.

    Also return the number of rows and, by their names, the problems of columns left out. Raise
    TypeError or ValueError if they make no graph.
    """
    fault = partial(SourceError, table.name, None)
    check_choice(missing, "missing", MISSING)
    declared = [] if categories is None else _distinct(categories, table, "categories")
    names = list(table.names) if columns is None else _distinct(columns, table, "columns")
    read, problems = table.values(names, declared)
    row_numbers = [name for name in table.row_numbers if name not in declared]
    for name in row_numbers if columns is None else ():
        problems[name] = fault(
            f"{name!r} has no name and numbers the rows; columns= takes it if named there"
        )
    remedy = "" if columns is None else "; leave it out"
    usable = {name: read[name] for name in names if name not in problems}
    for name, text in _useless(usable, fault).items():
        problems[name] = fault(f"column {name!r} {text}{remedy}")
    if columns is not None and problems:
        raise next(iter(problems.values()))
    if problems:
        lines = list(map(str, problems.values()))
        if len(lines) > MOST_NAMED:
            lines[MOST_NAMED:] = [f"and {len(lines) - MOST_NAMED} more"]
        text = "\n  ".join(lines)
        warn_caller(f"{counted(len(problems), 'column')} left out:\n  {text}", UserWarning)
    names = [name for name in names if name not in problems]
    if len(names) < 2:
        raise fault(
            "a graph needs 2 or more columns of numbers or categories that vary, found "
            f"{len(names)}"
        )
    refuse_same_spelling(names, table.name)
    absent = [missing_of(read[name]) for name in names]
    complete = ~np.any(absent, axis=0)
    n_dropped = int(np.count_nonzero(~complete))
    if missing == "raise" and n_dropped:
        words = missing_text([f"column {name!r}" for name in names], absent)
        rows = counted(n_dropped, "incomplete row")
        raise fault(f"{words}; missing='drop' leaves out the {rows}")
    n_rows = len(complete) - n_dropped
    if n_rows < MIN_ROWS:
        raise fault(f"a graph needs {MIN_ROWS} complete rows or more, found {n_rows}")
    values = np.column_stack([_as_numbers(read[name][complete], name, fault) for name in names])
    if (size := BYTES_A_VALUE * values.size) > MOST_BYTES:
        raise fault(
            f"{len(names)} columns of {len(values)} rows need {size / 1e9:.0f} GB; pass fewer "
            f"columns, or at most {int(MOST_BYTES / BYTES_A_VALUE / len(names))} rows"
        )
    # Ordered categories are read as numbers; two categories need no order.
    unordered = [
        read[name].dtype.hasobject and len(np.unique(column)) > 2
        for name, column in zip(names, values.T, strict=True)
    ]
    left_out = {name: problem.problem for name, problem in problems.items()}
    # Categories of complete rows are numbered anew, but not ordered ones.
    levels = [
        level_names(read[name][complete]) if read[name].dtype.hasobject else table.level_names(name)
        for name in names
    ]
    sample = Sample(values, tuple(unordered), tuple(names), tuple(levels))
    return sample, n_dropped, left_out


def _distinct(names: Any, table: Table, argument: str) -> list[Hashable]:
    columns = table.columns_of(names, argument)
    if len(set(columns)) < len(columns):
        raise ValueError(f"{argument} names a column twice; found {brief(list(names))}")
    return columns


def _useless(read: Columns, fault: Fault) -> dict[Hashable, str]:
    """Return what is wrong with columns that have no values, are constant or copies of others."""
    useless = {}
    for name, values in read.items():
        present = values[~missing_of(values)]
        if not len(present) or is_constant(present):
            useless[name] = "is constant" if len(present) else "has no values"
    # Again after each change, because rows are complete that only such a column made incomplete.
    while True:
        kept = {name: values for name, values in read.items() if name not in useless}
        complete = ~np.any([missing_of(values) for values in kept.values()], axis=0)
        n_rows = int(np.count_nonzero(complete))
        if n_rows < MIN_ROWS:
            return useless
        kept = {name: values[complete] for name, values in kept.items()}
        constant = f"is constant in the {n_rows} complete rows"
        found = {name: constant for name, values in kept.items() if is_constant(values)}
        useless |= found or _copies(kept, fault)
        if kept.keys().isdisjoint(useless):
            return useless


def _as_numbers(column: NDArray[Any], name: Hashable, fault: Fault) -> FloatArray:
    """Return a column as numbers, of categories their places in the order of their names."""
    if not column.dtype.hasobject:
        if not np.isfinite(column).all():
            raise fault(f"column {name!r} holds infinite numbers; remove them")
        return np.asarray(column, dtype=np.float64)
    categories = Names(column.astype(np.str_))
    if len(categories.distinct) > MOST_CATEGORIES:
        raise fault(
            f"column {name!r} has {len(categories.distinct)} categories, more than "
            f"{MOST_CATEGORIES}; leave it out, or join some of them"
        )
    return categories.codes


def _copies(columns: Columns, fault: Fault) -> dict[Hashable, str]:
    """Return of which earlier column others are linear, or differ by the names of categories."""
    names = list(columns)
    numbers = []
    for name, column in columns.items():
        codes = _as_numbers(column, name, fault)
        if column.dtype.hasobject:
            # The row in which a category occurs first, whatever its name.
            _, first_rows, places = np.unique(codes, return_index=True, return_inverse=True)
            codes = first_rows[places].astype(np.float64)
        numbers.append(codes)
    standardized = standardize(np.column_stack(numbers))[0].T
    # With equal signs of their first values, copies are next to each other in lexical order.
    signed = standardized * np.where(standardized[:, :1] < 0.0, -1.0, 1.0)
    order = sorted(range(len(names)), key=lambda at: signed[at, :MIN_ROWS].round(6).tolist())
    copies = {}
    for one, other in pairwise(order):
        if np.abs(signed[one] - signed[other]).max() <= COPY_TOLERANCE:
            first, second = (names[at] for at in sorted((one, other)))
            copies[second] = f"repeats {first!r}"
    return copies


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
    rules = Rules(allowed, must, max_parents, min_gain)
    on_cycle = sorted({*range(n)}.difference(causal_order(rules.start)))
    if on_cycle:
        cyclic = listed([names[at] for at in on_cycle])
        given = " and ".join(argument for argument in fixed if fixed[argument].any())
        raise ValueError(
            f"the directed edges of {given} make a cycle among {cyclic}; take one of them out"
        )
    places = sorted(range(n), key=lambda at: table.names.index(names[at]))

    def pairs(matrix: BoolArray) -> list[tuple[Hashable, ...]]:
        return [(names[i], names[j]) for i in places for j in places if matrix[i, j]]

    constraints: dict[str, list[tuple[Hashable, ...]]] = {
        "tiers": [tuple(names[at] for at in places if tier[at] == t) for t in range(max(tier) + 1)],
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
    found = np.full(len(names), -1)
    for at, group in enumerate(tiers):
        if not isinstance(group, str) and not _is_list(group):
            raise TypeError(
                f"tiers must hold groups of names, e.g. ['b', 'c']; found {brief(group)}"
            )
        for name in [group] if isinstance(group, str) else group:
            place = _place(table, names, name, "tiers")
            if found[place] >= 0:
                raise ValueError(f"tiers has {brief(name)} in two groups; keep one")
            found[place] = at
    return found


def _is_list(values: Any) -> bool:
    """Return whether an argument holds items; the values of a mapping would be ignored."""
    return isinstance(values, Iterable) and not isinstance(values, (str, Mapping))


def _matrix(table: Table, names: Nodes, edges: Any, argument: str) -> BoolArray:
    """Return pairs of names as a matrix (n, n) that is true at [cause, effect]."""
    if not _is_list(edges):
        raise TypeError(
            f"{argument} must be a list of edges, e.g. [('cause', 'effect')]; found {brief(edges)}"
        )
    found = np.zeros((len(names), len(names)), dtype=bool)
    for edge in edges:
        is_pair = isinstance(edge, (Sequence, np.ndarray)) and not isinstance(edge, str)
        if not is_pair or len(edge) != 2:
            raise TypeError(
                f"{argument} must hold pairs of names (cause, effect); found {brief(edge)}"
            )
        cause, effect = (_place(table, names, name, argument) for name in edge)
        if cause == effect:
            raise ValueError(f"{argument} joins {brief(edge[0])} to itself; leave that out")
        found[cause, effect] = True
    return found
