"""What is given: the columns of a table that make a graph, and its edges, checked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._categories import MOST_CATEGORIES, Names, missing_of
from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm._validation import DATES, MISSING, brief, check_choice
from anmmm._warning import warn_caller
from anmmm._words import counted
from anmmm.collection.sources.columns import Table
from anmmm.collection.sources.protocol import missing_text
from anmmm.collection.sources.table import text_problem
from anmmm.datasets.errors import SourceError, listed
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


def read_columns(table: Table, columns: Any, categories: Any, missing: str) -> tuple[Sample, int]:
    """Read columns of a table, by default all that hold numbers or categories; count rows left out.

    Raise TypeError or ValueError if they make no graph.
    """
    fault = partial(SourceError, table.name, None)
    check_choice(missing, "missing", MISSING)
    chosen = [] if categories is None else _distinct(categories, table, "categories")
    categorical = {*table.categories, *chosen}
    if columns is None:
        names = _usable(table, chosen, fault)
    else:
        names = _distinct(columns, table, "columns")
        for name in names:
            if name in table.faults and name not in categorical:
                raise table.faults[name]
    if len(names) < 2:
        raise fault(
            f"a graph needs 2 or more columns of numbers or categories, found {listed(names)}"
        )
    numbers = [name for name in names if name not in categorical]
    read = table.read(numbers, [name for name in names if name in categorical])
    absent = [missing_of(read[name]) for name in names]
    complete = ~np.any(absent, axis=0)
    n_dropped = int(np.count_nonzero(~complete))
    if missing == "raise" and n_dropped:
        words = missing_text([f"column {name!r}" for name in names], absent)
        rows = counted(n_dropped, "incomplete row")
        raise fault(f"{words}; missing='drop' leaves out the {rows}")
    if empty := [name for name, each in zip(names, absent, strict=True) if each.all()]:
        raise fault(f"columns without values: {listed(empty)}; leave them out")
    n_rows = len(complete) - n_dropped
    if n_rows < MIN_ROWS:
        raise fault(f"a graph needs {MIN_ROWS} complete rows or more, found {n_rows}")
    values = np.column_stack([_as_numbers(read[name][complete], name, fault) for name in names])
    _check(values, names, fault)
    # Ordered categories are read as numbers; two categories need no order.
    unordered = [
        read[name].dtype.hasobject and len(np.unique(column)) > 2
        for name, column in zip(names, values.T, strict=True)
    ]
    return Sample(values, tuple(unordered), tuple(names)), n_dropped


def _distinct(names: Any, table: Table, argument: str) -> list[Hashable]:
    columns = table.columns_of(names, argument)
    if len(set(columns)) < len(columns):
        raise ValueError(f"{argument} names a column twice; found {brief(list(names))}")
    return columns


def _usable(table: Table, categories: list[Hashable], fault: Fault) -> list[Hashable]:
    """Return the columns of numbers or categories; warn of the other columns."""
    problems: dict[Hashable, SourceError] = dict(table.faults)
    texts = [name for name in table.texts if name not in categories]
    for name, values in table.read([], texts).items():
        if problem := text_problem(values):
            words = problem if problem == DATES else f"holds {problem}"
            problems[name] = fault(f"column {name!r} {words}")
    for name in table.row_numbers:
        problems[name] = fault(
            f"{name!r} has no name and numbers the rows; columns= takes it if named there"
        )
    omitted = [name for name in table.names if name in problems and name not in categories]
    if omitted:
        lines = [str(problems[name]) for name in omitted[:MOST_NAMED]]
        if len(omitted) > MOST_NAMED:
            lines.append(f"and {len(omitted) - MOST_NAMED} more")
        text = "\n  ".join(lines)
        warn_caller(f"{counted(len(omitted), 'column')} left out:\n  {text}", UserWarning)
    return [name for name in table.names if name not in omitted]


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


def _check(values: FloatArray, names: list[Hashable], fault: Fault) -> None:
    """Refuse constant columns, copies, and more values than fit into memory."""
    constant = [name for name, size in zip(names, np.ptp(values, axis=0), strict=True) if not size]
    if constant:
        raise fault(f"constant columns have no causes: {listed(constant)}; leave them out")
    if (size := BYTES_A_VALUE * values.size) > MOST_BYTES:
        raise fault(
            f"{len(names)} columns of {len(values)} rows need {size / 1e9:.0f} GB; pass fewer "
            f"columns, or at most {int(MOST_BYTES / BYTES_A_VALUE / len(names))} rows"
        )
    columns = standardize(values)[0].T
    # With equal signs of their first values, copies are next to each other in lexical order.
    signed = columns * np.where(columns[:, :1] < 0.0, -1.0, 1.0)
    order = sorted(range(len(names)), key=lambda at: signed[at, :MIN_ROWS].round(6).tolist())
    for one, other in pairwise(order):
        if np.abs(signed[one] - signed[other]).max() <= COPY_TOLERANCE:
            first, second = (names[at] for at in sorted((one, other)))
            raise fault(f"column {second!r} repeats {first!r}; leave one of them out")


def rules_of(
    table: Table,
    names: Nodes,
    *,
    required: Any,
    forbidden: Any,
    tiers: Any,
    within: PartialGraph | None,
    max_parents: int,
    min_gain: float,
) -> Rules:
    """Return the rules of a search; raise TypeError or ValueError if arguments contradict.

    `names` are those of the graph among the columns of the table.
    """
    n = len(names)
    allowed = ~np.eye(n, dtype=bool)
    fixed = {"required": _matrix(table, names, required, "required")}
    if within is not None:
        fixed["within"] = _matrix(table, names, within.marked("->"), "within")
        lines = _matrix(table, names, within.marked("--"), "within")
        allowed = fixed["within"] | lines | lines.T
    allowed &= ~_matrix(table, names, forbidden, "forbidden")
    tier = _tier_of_each(table, names, tiers)
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
    return rules


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
