"""A graph and a table come in; the pairs of its undirected edges go out, one at a time."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._hash import content_hash
from anmmm._typing import FloatArray
from anmmm._validation import MIN_SAMPLES, as_matrix, brief
from anmmm.collection.sources.columns import (
    Table,
    array_table,
    frame_table,
    is_frame,
    parquet_table,
    text_table,
)
from anmmm.collection.sources.parquet import PARQUET_SUFFIXES
from anmmm.collection.sources.table import column_pair_id
from anmmm.datasets import Pair
from anmmm.datasets.errors import listed
from anmmm.datasets.files import FromFiles
from anmmm.orientation.graph import Edge, PartialGraph


def open_table(data: Any) -> Table:
    """Open a table with a variable in each column: a data frame, an array, or a file of one."""
    if isinstance(data, (str, os.PathLike)):
        parquet = Path(data).suffix.lower() in PARQUET_SUFFIXES
        return parquet_table(data) if parquet else text_table(data)
    if isinstance(data, np.ndarray):
        return array_table(data)
    if is_frame(data):
        return frame_table(data)
    raise TypeError(
        f"data must be a data frame, an array, or the name of a file, with a variable in each "
        f"column; found {type(data).__name__}"
    )


class EdgePairs(FromFiles):
    """Pairs of the undirected edges of a graph, with the causes that the graph gives to both.

    Attributes
    ----------
    adjusted : dict of edge to tuple
        Common parents that both ends are told; only edges that have some. They are further columns
        of the pair's first variable (see `EdgeTask`).
    """

    kind = "edges"

    def __init__(self, graph: PartialGraph, table: Table, *, adjust: bool) -> None:
        self.name, self.files, self._table = table.name, table.files, table
        self._edges = graph.undirected
        self._columns = _columns_of(graph.nodes, table)
        self.adjusted: dict[Edge, tuple[Hashable, ...]] = {}
        if adjust:
            common = {edge: graph.common_parents(*edge) for edge in self._edges}
            self.adjusted = {edge: parents for edge, parents in common.items() if parents}
        faults = {n: table.faults[c] for n, c in self._columns.items() if c in table.faults}
        faults |= {
            n: f"column {c!r} holds categories, and edges are oriented by numbers; make it numbers "
            "if it has an order, or leave the node out"
            for n, c in self._columns.items()
            if c in table.categories
        }
        # What no undirected edge has to do with is not looked at.
        faults = {node: faults[node] for node in self._nodes() if node in faults}
        if faults:
            raise ValueError("; ".join(dict.fromkeys(faults.values())))
        used = [
            (str(u), str(v), [*map(str, self.adjusted.get((u, v), ()))]) for u, v in self._edges
        ]
        self.options = table.options | {"edges": content_hash(used), "given": "lengths"}

    def __iter__(self) -> Iterator[Pair]:
        """Read the columns used, then make the pairs in the order of the edges.

        Rows in which a value of the pair or of a common parent is missing are dropped and counted.
        """
        nodes = self._nodes()
        values = self._table.read([self._columns[node] for node in self._columns if node in nodes])
        for edge in self._edges:
            parents = self.adjusted.get(edge, ())
            columns = [values[self._columns[node]] for node in (*edge, *parents)]
            yield _pair(column_pair_id(*edge), np.column_stack(columns), parents)

    def _nodes(self) -> dict[Hashable, None]:
        """Return the nodes of undirected edges and their common parents."""
        edges = self._edges
        return {node: None for e in edges for node in (*e, *self.adjusted.get(e, ()))}

    def __length_hint__(self) -> int:
        """Return the number of undirected edges."""
        return len(self._edges)


def _pair(pair_id: str, rows: FloatArray, parents: Sequence[Hashable]) -> Pair:
    """Return the pair of the first two columns; those of the parents follow the first variable."""
    complete = ~np.isnan(rows).any(axis=1)
    n_dropped = int(len(rows) - np.count_nonzero(complete))
    rows = rows[complete]
    x, y = rows[:, 0], rows[:, 1]
    # Too few rows are a fault of the pair, which is said of it.
    if len(parents) and len(rows) >= MIN_SAMPLES:
        columns = dict(zip(parents, rows.T[2:], strict=True))
        try:
            # What does not vary says nothing, and is no fault of the pair.
            kept = [
                as_matrix(column, f"the common parent {brief(name)}")
                for name, column in columns.items()
                if np.ptp(column) > 0.0
            ]
        except ValueError as error:
            return Pair.unreadable(pair_id, str(error))
        x = np.hstack([x[:, np.newaxis], *kept]) if kept else x
    return Pair(pair_id, x, y, n_dropped=n_dropped)


def _columns_of(nodes: Sequence[Hashable], table: Table) -> Mapping[Hashable, Hashable]:
    """Return the column of each node: of its name, or in an array of its place."""
    there = set(table.names)
    if all(node in there for node in nodes):
        return {node: node for node in nodes}
    by_text = {str(name): name for name in table.names}
    if all(str(node) in by_text for node in nodes):
        return {node: by_text[str(node)] for node in nodes}
    if table.name == "numpy.ndarray" and len(nodes) == len(table.names):
        return dict(zip(nodes, table.names, strict=True))
    lacking = [node for node in nodes if str(node) not in by_text]
    raise ValueError(
        f"graph has nodes that the data lack: {listed(lacking)}; the data have "
        f"{listed(table.names)}"
        + (
            ". An array has no names: give it a column for each node, in the order of the nodes"
            if table.name == "numpy.ndarray"
            else f". Rename one of both, e.g. {brief(lacking[0])}"
        )
    )
