"""Graphs of other libraries and files, read as a `PartialGraph` and written in their own form.

networkx, causal-learn and pandas are recognized by attributes of their objects, without an import.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._arrays import as_real
from anmmm._optional import require
from anmmm._tables.text import decode
from anmmm._text import brief
from anmmm._typing import IntArray, StrPath
from anmmm.datasets import SourceError

# The cause first, if it is directed.
Edge = tuple[Hashable, Hashable]
MarkedEdge = tuple[Hashable, str, Hashable]
# Directed, undirected, bidirected.
ARROW = "->"
LINE = "--"
BOTH = "<->"
MARKS = (ARROW, LINE, BOTH)
# The same in print.
PRINTED_MARKS = {ARROW: "→", LINE: "–", BOTH: "↔"}
# Marks of causal-learn at both ends of an edge: -1 is a tail, 1 an arrowhead.
CAUSALLEARN = {(-1, 1): ARROW, (1, -1): "<-", (-1, -1): LINE, (1, 1): BOTH}


class PartialGraph:
    """Nodes and edges (node, mark, node), by mark and in the order given, one for two nodes.

    `by_position`: whether the nodes are the positions of columns, as in an array.
    """

    def __init__(
        self, nodes: Iterable[Hashable], edges: Iterable[MarkedEdge], *, by_position: bool = False
    ) -> None:
        self.by_position = by_position
        all_nodes = dict.fromkeys(nodes)
        edge_of = dict[frozenset[Hashable], MarkedEdge]()
        for edge in sorted(edges, key=lambda edge: MARKS.index(edge[1])):
            first, _, second = edge
            ends = frozenset((first, second))
            if first == second:
                raise ValueError(f"graph joins {brief(first)} to itself; leave such edges out")
            if ends in edge_of:
                raise ValueError(
                    f"graph joins {brief(first)} and {brief(second)} by two edges; keep one of "
                    "them, or pass an adjacency as an array"
                )
            edge_of[ends] = edge
            all_nodes |= {first: None, second: None}
        self.nodes = tuple(all_nodes)
        self.edges = list(edge_of.values())

    def marked(self, mark: str) -> list[Edge]:
        """Return the edges with this mark."""
        return [(edge[0], edge[2]) for edge in self.edges if edge[1] == mark]

    @property
    def adjacency(self) -> IntArray:
        """1 at [cause, effect], (n_nodes, n_nodes), and both ways if it is no arrow."""
        matrix = np.zeros((len(self.nodes), len(self.nodes)), dtype=np.int64)
        for first, mark, second in self.edges:
            i = self.nodes.index(first)
            j = self.nodes.index(second)
            matrix[i, j] = 1
            if mark != ARROW:
                matrix[j, i] = 1
        return matrix

    def renamed(self, names: Sequence[Hashable]) -> PartialGraph:
        """Return the graph with these names of its nodes, in their order."""
        if len({*names}) < len(names):
            raise ValueError(
                f"graph has two nodes for one column; its nodes are {brief(self.nodes)}"
            )
        name_of = dict(zip(self.nodes, names, strict=True))
        edges = [(name_of[first], mark, name_of[second]) for first, mark, second in self.edges]
        return PartialGraph(names, edges)

    def with_directed(self, arrows: Iterable[Edge]) -> PartialGraph:
        """Direct the undirected edges that these arrows join."""
        arrow_of = {frozenset(ends): ends for ends in arrows}
        edges: list[MarkedEdge] = []
        for first, mark, second in self.edges:
            ends = frozenset((first, second))
            if mark == LINE and ends in arrow_of:
                cause, effect = arrow_of[ends]
                edges.append((cause, ARROW, effect))
            else:
                edges.append((first, mark, second))
        return PartialGraph(self.nodes, edges)


def read_graph(graph: Any) -> PartialGraph:
    """Read a graph of a form that `anmmm.orient` takes; raise TypeError or ValueError at others."""
    # That of a CausalGraph, or the graph itself.
    partial = getattr(graph, "_partial", graph)
    if isinstance(partial, PartialGraph):
        return partial
    if isinstance(graph, (str, os.PathLike)):
        return PartialGraph((), _edges_of_file(graph))
    if _is_networkx(graph):
        arcs = [(first, second) for first, second, *_ in graph.edges]
        if not graph.is_directed():
            arcs += [(second, first) for first, second in arcs]
        return PartialGraph(graph.nodes, _edges_of_arcs(arcs))
    if _is_causallearn(graph):
        inner = _inner(graph)
        names = [node.get_name() for node in inner.get_nodes()]
        return PartialGraph(names, _edges_of_causallearn(names, np.asarray(inner.graph)))
    if isinstance(graph, np.ndarray):
        matrix = as_real(graph, "graph")
        nodes = range(len(matrix) if matrix.ndim else 0)
        return PartialGraph(nodes, _edges_of_adjacency(nodes, matrix), by_position=True)
    if _is_pandas(graph):
        names = list(graph.columns)
        if list(graph.index) != names:
            raise ValueError(
                "graph is a data frame whose index and columns differ; an adjacency has the same "
                "nodes in both, in one order; pass edges as a list of pairs, e.g. [('a', 'b')]"
            )
        matrix = as_real(graph.to_numpy(), "graph")
        return PartialGraph(names, _edges_of_adjacency(names, matrix))
    # The marks in a mapping would be ignored.
    if isinstance(graph, Iterable) and not isinstance(graph, Mapping):
        return PartialGraph((), map(_marked_edge, graph))
    raise TypeError(
        "graph must be a graph of networkx or causal-learn, an adjacency (pandas frame or square "
        f"array), a file of edges, or an iterable of edges; found {type(graph).__name__}"
    )


def _marked_edge(item: Any) -> MarkedEdge:
    parts = tuple(item) if isinstance(item, (tuple, list)) else ()
    if len(parts) == 2:
        return parts[0], LINE, parts[1]
    if len(parts) == 3 and parts[1] in MARKS:
        return parts
    raise TypeError(
        f"graph must hold edges (a, b), which are undirected, or (a, mark, b) with a mark of "
        f"{', '.join(MARKS)}; found {brief(item)}"
    )


def _edges_of_file(path: StrPath) -> Iterator[MarkedEdge]:
    """Read a CSV file of edges, such as `anmmm.CausalGraph.write` makes."""
    name = os.fspath(path)
    text = decode(Path(path).read_bytes(), name)
    rows = csv.DictReader(io.StringIO(text, newline=""))
    if not {"cause", "effect"} <= set(rows.fieldnames or ()):
        raise SourceError(
            name,
            None,
            "a file of edges has the columns cause, effect and perhaps kind; the first line is "
            f"{brief(','.join(rows.fieldnames or ()))}",
        )
    for row in rows:
        cause = row.get("cause")
        effect = row.get("effect")
        mark = row.get("kind") or LINE
        if not cause or not effect or mark not in MARKS:
            raise SourceError(
                name,
                rows.line_num,
                f"expected columns cause, effect and perhaps kind, one of {', '.join(MARKS)}; "
                f"found {brief(row)}",
            )
        yield cause, mark, effect


def _edges_of_arcs(arcs: Iterable[Edge]) -> list[MarkedEdge]:
    """Return the edges of arcs; two opposite ones are one undirected edge."""
    marks: dict[Edge, str] = {}
    for first, second in arcs:
        if (second, first) in marks:
            marks[second, first] = LINE
        else:
            marks.setdefault((first, second), ARROW)
    return [(first, mark, second) for (first, second), mark in marks.items()]


def _is_pandas(graph: Any) -> bool:
    return hasattr(graph, "columns") and hasattr(graph, "index")


def _is_networkx(graph: Any) -> bool:
    return hasattr(graph, "is_directed") and hasattr(graph, "edges")


def _inner(graph: Any) -> Any:
    """Return the graph of the result of ``pc``, of the dict of ``ges``, or the graph itself."""
    return graph.get("G") if isinstance(graph, Mapping) else getattr(graph, "G", graph)


def _is_causallearn(graph: Any) -> bool:
    inner = _inner(graph)
    return hasattr(inner, "get_nodes") and isinstance(getattr(inner, "graph", None), np.ndarray)


def _edges_of_causallearn(names: list[str], ends: Any) -> Iterable[MarkedEdge]:
    """Read a matrix that has the mark at node i of its edge with j in [i, j]."""
    for i, j in np.argwhere(np.triu((ends != 0) | (ends != 0).T)):
        first = names[i]
        second = names[j]
        mark = CAUSALLEARN.get((ends[i, j], ends[j, i]))
        if mark is None:
            raise ValueError(
                f"graph has other marks than tails and arrows at {first} and {second}: it is a "
                f"PAG, in which unmeasured causes are allowed; orient a CPDAG, as PC and GES "
                f"return it"
            )
        yield (second, ARROW, first) if mark == "<-" else (first, mark, second)


def _edges_of_adjacency(names: Sequence[Hashable], matrix: Any) -> Iterable[MarkedEdge]:
    if matrix.shape != (len(names), len(names)):
        raise ValueError(f"graph is an adjacency of shape {matrix.shape}; it must be square")
    # NaN means no edge in some libraries.
    return _edges_of_arcs((names[i], names[j]) for i, j in np.argwhere(np.nan_to_num(matrix)))


def to_form_of(original: Any, graph: PartialGraph) -> Any:
    """Return an oriented graph in the form of the original; files and iterables become a list."""
    if hasattr(original, "directed_edges") and hasattr(original, "undirected_edges"):
        # A PDAG of pgmpy.
        result = type(original)(
            directed_ebunch=graph.marked(ARROW), undirected_ebunch=graph.marked(LINE)
        )
        result.add_nodes_from(original.nodes(data=True))
        return result
    if _is_networkx(original):
        # Both arcs of each undirected edge, with its attributes.
        result = require("networkx", "graph", "a networkx graph needs networkx").DiGraph(original)
        result.remove_edges_from([(effect, cause) for cause, effect in graph.marked(ARROW)])
        return result
    if _is_causallearn(original):
        result = deepcopy(original)
        inner = _inner(result)
        nodes = {node.get_name(): node for node in inner.get_nodes()}
        for cause, effect in graph.marked(ARROW):
            inner.remove_edge(inner.get_edge(nodes[cause], nodes[effect]))
            inner.add_directed_edge(nodes[cause], nodes[effect])
        return result
    if isinstance(original, np.ndarray):
        return graph.adjacency
    if _is_pandas(original):
        return type(original)(graph.adjacency, index=graph.nodes, columns=graph.nodes)
    return graph.edges
