"""What is known of the edges of a graph: those that it may have, and those that it must have."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from anmmm._tables import Table
from anmmm._text import brief, listed
from anmmm._typing import BoolArray, IntArray
from anmmm.graph.forms import ARROW, BOTH, LINE, PartialGraph
from anmmm.graph.search import causal_order, parents_of
from anmmm.graph.table import distinct_columns

Nodes = Sequence[Hashable]


def with_columns(graph: PartialGraph, table: Table, columns: Any, argument: str) -> PartialGraph:
    """Return a graph whose nodes are the columns of a table that its nodes name.

    The nodes of an array are all columns, or those of the argument `columns`.
    """
    nodes = list(graph.nodes)
    names = table.names
    if graph.by_position:
        if columns is not None:
            names = tuple(distinct_columns(columns, table, "columns"))
        if len(nodes) != len(names):
            raise ValueError(
                f"{argument} is an adjacency of {len(nodes)} nodes, but data has {len(names)} "
                "columns; pass a row and a column for each column of data, or list its nodes in "
                "columns="
            )
        return graph.renamed(names)
    return graph.renamed([table.column(node, argument) for node in nodes])


def read_knowledge(
    table: Table,
    names: Nodes,
    left_out: Mapping[Hashable, str],
    *,
    required: Any,
    forbidden: Any,
    tiers: Any,
    within: PartialGraph | None,
) -> tuple[BoolArray, BoolArray, dict[str, list[tuple[Hashable, ...]]]]:
    """Return the edges that are allowed and required, (n, n) each, and what says so, by names.

    Raise TypeError or ValueError if the arguments contradict. `names` are those of the graph among
    the columns of the table; forbidden edges and tiers of columns left out have no effect.
    """
    n = len(names)
    is_allowed = ~np.eye(n, dtype=bool)
    # By the argument that requires them.
    matrices = {"required": _matrix(table, names, required, "required")}
    if within is not None:
        matrices["within"] = _matrix(table, names, within.marked(ARROW), "within")
        # Whether a common cause joins two columns is found again.
        lines = _matrix(table, names, within.marked(LINE) + within.marked(BOTH), "within")
        is_allowed = matrices["within"] | lines | lines.T
    known = [*names, *left_out]
    is_forbidden = _matrix(table, known, forbidden, "forbidden")[:n, :n]
    is_allowed &= ~is_forbidden
    tier = _tier_of_each(table, known, tiers)[:n]
    is_allowed &= ~((tier[:, np.newaxis] > tier) & (tier >= 0))
    for argument, arrows in matrices.items():
        for i, j in np.argwhere(arrows & ~is_allowed):
            raise ValueError(
                f"{argument} has the edge {names[i]} → {names[j]}, which forbidden, tiers or "
                "within rules out; change one of them"
            )
    is_required = np.logical_or.reduce([*matrices.values()])
    is_allowed &= ~is_required.T
    on_cycle = sorted({*range(n)}.difference(causal_order(parents_of(is_required))))
    if on_cycle:
        cyclic = listed([names[place] for place in on_cycle])
        arguments = " and ".join(name for name, arrows in matrices.items() if arrows.any())
        raise ValueError(
            f"the directed edges of {arguments} make a cycle among {cyclic}; take one of them out"
        )
    constraints: dict[str, list[tuple[Hashable, ...]]] = {
        "tiers": [
            tuple(names[place] for place in np.flatnonzero(tier == number).tolist())
            for number in range(max(tier) + 1)
        ],
        "required": [(names[i], names[j]) for i, j in np.argwhere(matrices["required"])],
        "forbidden": [(names[i], names[j]) for i, j in np.argwhere(is_forbidden)],
    }
    constraints = {name: values for name, values in constraints.items() if values}
    if within is not None:
        constraints["within"] = [*within.edges]
    return is_allowed, is_required, constraints


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
    tier_of_each = np.full(len(names), -1)
    groups = [] if tiers is None else tiers
    for tier, group in enumerate(_items_of(groups, "tiers", "[['a'], ['b', 'c']], earliest first")):
        for name in _items_of(group, "tiers", "groups such as ['b', 'c']"):
            place = _place(table, names, name, "tiers")
            if tier_of_each[place] >= 0:
                raise ValueError(f"tiers has {brief(name)} in two groups; keep one")
            tier_of_each[place] = tier
    return tier_of_each


def _items_of(values: Any, argument: str, example: str) -> Iterable[Any]:
    """Return what holds items; the values of a mapping would be ignored."""
    if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{argument} must be a list, {example}; found {brief(values)}")
    return values


def _matrix(table: Table, names: Nodes, edges: Any, argument: str) -> BoolArray:
    """Return pairs of names as a matrix (n, n) that is true at [cause, effect]."""
    edges = [] if edges is None else edges
    matrix = np.zeros((len(names), len(names)), dtype=bool)
    for edge in _items_of(edges, argument, "e.g. [('cause', 'effect')]"):
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
