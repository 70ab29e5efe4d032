"""The pairs of columns of a table that belong to the undirected edges of a graph."""

from __future__ import annotations

from collections.abc import Hashable

from anmmm._validation import brief
from anmmm.collection.sources.columns import Table
from anmmm.datasets.errors import listed
from anmmm.orientation.graph import Edge, PartialGraph


def column_pairs(graph: PartialGraph, table: Table, *, numbered: bool) -> list[Edge]:
    """Return the columns of the ends of each undirected edge; `numbered`: nodes are places."""
    if not numbered:
        column = _columns_by_name(graph, table)
    elif len(graph.nodes) == len(table.names):
        column = dict(zip(graph.nodes, table.names, strict=True))
    else:
        raise ValueError(
            f"graph is an adjacency of {len(graph.nodes)} nodes, but data has "
            f"{len(table.names)} columns; pass a row and a column for each column of data"
        )
    return [(column[u], column[v]) for u, v in graph.undirected]


def _columns_by_name(graph: PartialGraph, table: Table) -> dict[Hashable, Hashable]:
    """Return the column of the name of each node, or else of the same spelling."""
    names, spelled = set(table.names), {str(name): name for name in table.names}
    column = {n: n if n in names else spelled.get(str(n)) for n in graph.nodes}
    lacking = [node for node, name in column.items() if name is None]
    if not lacking:
        return column
    if table.names == tuple(range(len(table.names))):
        raise ValueError(
            f"graph has nodes that are no columns of data: {listed(lacking)}; pass a DataFrame "
            f"with these names, or node numbers 0 to {len(names) - 1}: the columns have no names"
        )
    raise ValueError(
        f"graph has nodes that the data lack: {listed(lacking)}; the data have "
        f"{listed(table.names)}. Rename one of both, e.g. {brief(lacking[0])}"
    )
