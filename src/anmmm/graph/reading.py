"""Graphs of all forms read as a `PartialGraph`, and written in the form that they had.

networkx, causal-learn and pandas are known by what their objects have, and none is imported to
read; to write a networkx graph networkx is.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Hashable, Iterable, Mapping
from copy import deepcopy
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from anmmm._optional import require
from anmmm._typing import StrPath
from anmmm._validation import as_real, brief
from anmmm.collection.sources.columns import is_frame
from anmmm.datasets import SourceError
from anmmm.graph.partial import MARK_OF, MARKS, Edge, MarkedEdge, PartialGraph

# Marks at the ends of an edge in causal-learn.
TAIL, ARROW = -1, 1
CAUSALLEARN = {
    (TAIL, ARROW): "->",
    (ARROW, TAIL): "->",
    (TAIL, TAIL): "--",
    (ARROW, ARROW): "<->",
}
# Columns of files of edges.
HEADS = ("source", "target", "edge"), ("cause", "effect", "kind")


def read_graph(graph: Any) -> PartialGraph:
    """Read a graph of a form that `anmmm.orient` takes; raise TypeError or ValueError at others."""
    if isinstance(graph, PartialGraph):
        return graph
    if hasattr(graph, "directed") and hasattr(graph, "undirected"):
        # A result of ours.
        marked = ((edge.cause, MARK_OF[edge.kind], edge.effect) for edge in graph.edges)
        return _marked(marked, graph.names)
    if isinstance(graph, (str, os.PathLike)):
        return _marked(_edges_of_file(graph))
    if hasattr(graph, "is_directed") and hasattr(graph, "edges"):
        pairs = list(dict.fromkeys((u, v) for u, v, *_ in graph.edges))
        if graph.is_directed():
            return _from_arcs(graph.nodes, pairs)
        return PartialGraph(graph.nodes, undirected=pairs)
    if _is_causallearn(graph):
        inner = _inner(graph)
        names = [node.get_name() for node in inner.get_nodes()]
        return _marked(_edges_of_causallearn(names, np.asarray(inner.graph)), names)
    if isinstance(graph, np.ndarray) or hasattr(graph, "toarray"):
        # Of a sparse matrix it says what to pass instead.
        return _from_adjacency(tuple(range(graph.shape[0])), as_real(graph, "graph"))
    if is_frame(graph):
        return _from_frame(graph)
    if isinstance(graph, Iterable):
        return _marked(_triple(item) for item in graph)
    raise TypeError(
        "graph must be a graph of networkx or causal-learn, an adjacency (data frame or square "
        f"array), a file of edges, or an iterable of edges; found {type(graph).__name__}"
    )


def _marked(edges: Iterable[MarkedEdge], nodes: Iterable[Hashable] = ()) -> PartialGraph:
    kept: dict[str, list[Edge]] = {mark: [] for mark in MARKS}
    named = dict.fromkeys(nodes)
    for first, mark, second in edges:
        try:
            named[first] = named[second] = None
        except TypeError:
            raise TypeError(
                f"graph must have nodes that can be the names of columns; found an edge of "
                f"{brief(first)} and {brief(second)}"
            ) from None
        kept[mark].append((first, second))
    return PartialGraph(named, *kept.values())


def _triple(item: Any) -> MarkedEdge:
    parts = tuple(item) if isinstance(item, (tuple, list)) else ()
    if len(parts) == 2:
        return parts[0], "--", parts[1]
    if len(parts) == 3 and parts[1] in MARKS:
        return parts
    raise TypeError(
        f"graph must hold edges (a, b), which are undirected, or (a, mark, b) with a mark of "
        f"{', '.join(MARKS)}; found {brief(item)}"
    )


def _edges_of_file(path: StrPath) -> Iterable[MarkedEdge]:
    """Read a CSV file of edges, such as `anmmm.CausalGraph.write` makes."""
    name = os.fspath(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        try:
            header = rows.fieldnames or []
            columns = next((each for each in HEADS if set(each[:2]) <= set(header)), None)
            if columns is None:
                raise SourceError(
                    name,
                    None,
                    "the header must name the columns source and target, and may name edge; found "
                    f"{', '.join(header) or 'no header'}",
                )
            for row in rows:
                first, second, mark = (row.get(column) for column in columns)
                mark = MARK_OF.get(mark or "--", mark or "--")
                if not first or not second or mark not in MARKS:
                    raise SourceError(
                        name,
                        rows.line_num,
                        f"expected a source, a target and an edge of {', '.join(MARKS)}; found "
                        f"{brief(first)}, {brief(second)}, {brief(mark)}",
                    )
                yield first, mark, second
        except (UnicodeDecodeError, csv.Error) as error:
            raise SourceError(
                name, rows.line_num + 1, f"is no line of CSV in UTF-8 ({error}); save it as such"
            ) from None


def _from_arcs(nodes: Iterable[Hashable], arcs: Iterable[Edge]) -> PartialGraph:
    """Read arcs of which two opposite ones are one undirected edge."""
    there = dict.fromkeys(arcs)
    directed, undirected = [], dict[Edge, None]()
    for u, v in there:
        if (v, u) not in there:
            directed.append((u, v))
        elif (v, u) not in undirected:
            undirected[u, v] = None
    return PartialGraph(nodes, directed, undirected)


def _inner(graph: Any) -> Any:
    """Return the graph of what ``pc`` returns, of the dict of ``ges``, or of a graph itself."""
    return graph.get("G") if isinstance(graph, Mapping) else getattr(graph, "G", graph)


def _is_causallearn(graph: Any) -> bool:
    inner = _inner(graph)
    return hasattr(inner, "get_nodes") and isinstance(getattr(inner, "graph", None), np.ndarray)


def _edges_of_causallearn(names: list[str], ends: Any) -> Iterable[MarkedEdge]:
    """List the edges of a matrix that has at [i, j] the mark at the end of i."""
    for i, j in np.argwhere(np.triu((ends != 0) | (ends != 0).T)):
        first, second, marks = names[i], names[j], (int(ends[i, j]), int(ends[j, i]))
        if marks not in CAUSALLEARN:
            raise ValueError(
                f"graph has other marks than tails and arrows at {first} and {second}: it is a "
                f"PAG, in which unmeasured causes are allowed; orient a CPDAG, as PC and GES "
                f"return it"
            )
        if marks == (ARROW, TAIL):
            first, second = second, first
        yield first, CAUSALLEARN[marks], second


def _from_frame(frame: Any) -> PartialGraph:
    table: Any = nw.from_native(frame, eager_only=True)
    # Of the table, as those of an Arrow table are its values.
    names = list(table.columns)
    index = getattr(frame, "index", None)
    if index is not None and list(index) != names:
        raise ValueError(
            "graph is a data frame whose index and columns differ; an adjacency has the same nodes "
            "in both, in one order"
        )
    return _from_adjacency(tuple(names), table.to_numpy())


def _from_adjacency(names: tuple[Hashable, ...], matrix: Any) -> PartialGraph:
    if matrix.ndim != 2 or matrix.shape != (len(names), len(names)):
        raise ValueError(f"graph is an adjacency of shape {matrix.shape}; it must be square")
    # NaN stands for no edge in some libraries.
    there = np.nan_to_num(np.asarray(as_real(matrix, "graph"), dtype=float)) != 0.0
    return _from_arcs(names, [(names[i], names[j]) for i, j in np.argwhere(there)])


def rebuilt(original: Any, graph: PartialGraph) -> Any:
    """Return an oriented graph in the form of the original; files and iterables become a list."""
    if hasattr(original, "directed_edges") and hasattr(original, "undirected_edges"):
        return _to_pdag(original, graph)
    if hasattr(original, "is_directed") and hasattr(original, "edges"):
        return networkx_graph(graph.nodes, graph.edges, original)
    if _is_causallearn(original):
        return _to_causallearn(original, graph)
    if isinstance(original, np.ndarray):
        return _to_adjacency(graph)
    if is_frame(original):
        frame: Any = nw.from_native(original, eager_only=True)
        # Names need not be text in pandas.
        if frame.implementation.is_pandas():
            names = list(graph.nodes)
            return type(original)(_to_adjacency(graph), index=names, columns=names)
        return nw.from_numpy(
            _to_adjacency(graph), schema=list(map(str, graph.nodes)), backend=frame.implementation
        ).to_native()
    return graph.edges


def _arcs(edges: Iterable[MarkedEdge]) -> Iterable[Edge]:
    for first, mark, second in edges:
        yield first, second
        if mark != "->":
            yield second, first


def networkx_graph(
    nodes: Iterable[Hashable], edges: Iterable[MarkedEdge], original: Any = None
) -> Any:
    """Return a ``networkx.DiGraph`` with the attributes of `original`; undirected: both arcs."""
    networkx = require("networkx", "graph", "a networkx graph needs networkx")
    result = networkx.DiGraph()
    result.add_nodes_from(nodes if original is None else original.nodes(data=True))
    for first, second in _arcs(edges):
        kept: dict[str, Any] = {}
        if original is not None and not original.is_multigraph():
            known = original.get_edge_data(first, second)
            kept = known if known is not None else original.get_edge_data(second, first) or {}
        result.add_edge(first, second, **kept)
    return result


def _to_pdag(original: Any, graph: PartialGraph) -> Any:
    """Return a ``PDAG`` of pgmpy, which has edges of both kinds."""
    kinds = {"directed_ebunch": graph.directed, "undirected_ebunch": graph.undirected}
    result = type(original)(**{name: list(edges) for name, edges in kinds.items()})
    result.add_nodes_from(original.nodes(data=True))
    return result


def _to_adjacency(graph: PartialGraph) -> Any:
    place = {node: at for at, node in enumerate(graph.nodes)}
    matrix = np.zeros((len(place), len(place)), dtype=np.int64)
    for first, second in _arcs(graph.edges):
        matrix[place[first], place[second]] = 1
    return matrix


def _to_causallearn(original: Any, graph: PartialGraph) -> Any:
    copy = deepcopy(original)
    inner = _inner(copy)
    nodes = {node.get_name(): node for node in inner.get_nodes()}
    for cause, effect in graph.directed:
        edge = inner.get_edge(nodes[cause], nodes[effect])
        inner.remove_edge(edge)
        inner.add_directed_edge(nodes[cause], nodes[effect])
    return copy
