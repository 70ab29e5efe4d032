"""A graph in whatever form the caller has it comes in; a `PartialGraph` goes out, and back.

networkx, causal-learn and pandas are known by what their objects have, and none is imported to
read; to write a networkx graph networkx is.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Hashable, Iterable
from copy import deepcopy
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from anmmm._optional import require
from anmmm._validation import as_real, brief
from anmmm.collection.sources.columns import is_frame
from anmmm.datasets import SourceError
from anmmm.orientation.graph import Edge, PartialGraph
from anmmm.orientation.records import MARKS

# Marks at the ends of an edge in causal-learn.
TAIL, ARROW = -1, 1

MarkedEdge = tuple[Hashable, str, Hashable]


def read_graph(graph: Any) -> PartialGraph:
    """Read a graph.

    Parameters
    ----------
    graph : networkx graph, data frame, ndarray, causal-learn graph, path or iterable
        See `anmmm.orient`.

    Returns
    -------
    PartialGraph

    Raises
    ------
    TypeError, ValueError
        If it is no graph, or has edges that no graph of causes has.
    """
    if isinstance(graph, PartialGraph):
        return PartialGraph(graph.nodes, graph.directed, graph.undirected, graph.fixed)
    if isinstance(graph, (str, os.PathLike)):
        return _marked(_edges_of_file(graph))
    if hasattr(graph, "is_directed") and hasattr(graph, "edges"):
        return _from_networkx(graph)
    if _is_causallearn(graph):
        return _from_causallearn(getattr(graph, "G", graph))
    if isinstance(graph, np.ndarray) or hasattr(graph, "toarray"):
        # Of a sparse matrix it says what to pass instead.
        return _from_adjacency(tuple(range(graph.shape[0])), as_real(graph, "graph"))
    if is_frame(graph):
        return _from_frame(graph)
    if isinstance(graph, Iterable):
        return _marked(_triple(item) for item in graph)
    raise TypeError(
        f"graph must be a networkx graph, an adjacency (data frame or square array), a graph of "
        f"causal-learn, a file of edges, or an iterable of them; found {type(graph).__name__}"
    )


def _marked(edges: Iterable[MarkedEdge]) -> PartialGraph:
    kept: dict[str, list[Edge]] = {mark: [] for mark in MARKS}
    nodes: dict[Hashable, None] = {}
    for first, mark, second in edges:
        try:
            nodes[first] = nodes[second] = None
        except TypeError:
            raise TypeError(
                f"graph must have nodes that can be the names of columns; found an edge of "
                f"{brief(first)} and {brief(second)}"
            ) from None
        kept[mark].append((first, second))
    return PartialGraph(nodes, *(kept[mark] for mark in MARKS))


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


def _edges_of_file(path: str | os.PathLike[str]) -> Iterable[MarkedEdge]:
    """Read a CSV file with a header that has ``source``, ``target`` and perhaps ``edge``."""
    name = os.fspath(path)
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        try:
            yield from _edges_of_rows(name, rows)
        except (UnicodeDecodeError, csv.Error) as error:
            raise SourceError(
                name, rows.line_num + 1, f"is no line of CSV in UTF-8 ({error}); save it as such"
            ) from None


def _edges_of_rows(name: str, rows: csv.DictReader[str]) -> Iterable[MarkedEdge]:
    header = rows.fieldnames or []
    if "source" not in header or "target" not in header:
        raise SourceError(
            name,
            None,
            "the header must name the columns source and target, and may name "
            f"edge; found {', '.join(header) or 'no header'}",
        )
    for row in rows:
        first, second, mark = row["source"], row["target"], row.get("edge") or "--"
        if not first or not second or mark not in MARKS:
            raise SourceError(
                name,
                rows.line_num,
                f"expected a source, a target and an edge of {', '.join(MARKS)}; found "
                f"{brief(first)}, {brief(second)}, {brief(mark)}",
            )
        yield first, mark, second


def _from_networkx(graph: Any) -> PartialGraph:
    pairs = list(dict.fromkeys((u, v) for u, v, *_ in graph.edges))
    if not graph.is_directed():
        return PartialGraph(graph.nodes, undirected=pairs)
    return _from_arcs(graph.nodes, pairs)


def _from_arcs(nodes: Iterable[Hashable], arcs: Iterable[Edge]) -> PartialGraph:
    """Read arcs of which two opposite ones are one undirected edge."""
    there = dict.fromkeys(arcs)
    directed = [(u, v) for u, v in there if (v, u) not in there]
    undirected: dict[Edge, None] = {}
    for u, v in there:
        if (v, u) in there and (v, u) not in undirected:
            undirected[u, v] = None
    return PartialGraph(nodes, directed, undirected)


def _is_causallearn(graph: Any) -> bool:
    inner = getattr(graph, "G", graph)
    return hasattr(inner, "get_nodes") and isinstance(getattr(inner, "graph", None), np.ndarray)


def _from_causallearn(graph: Any) -> PartialGraph:
    names = [node.get_name() for node in graph.get_nodes()]
    kept: dict[str, list[Edge]] = {mark: [] for mark in MARKS}
    ends = np.asarray(graph.graph)
    for i, first in enumerate(names):
        for j in range(i + 1, len(names)):
            # What stands at the end of i, and of j.
            marks = int(ends[i, j]), int(ends[j, i])
            if marks == (0, 0):
                continue
            if marks == (TAIL, ARROW):
                kept["->"].append((first, names[j]))
            elif marks == (ARROW, TAIL):
                kept["->"].append((names[j], first))
            elif marks == (TAIL, TAIL):
                kept["--"].append((first, names[j]))
            elif marks == (ARROW, ARROW):
                kept["<->"].append((first, names[j]))
            else:
                raise ValueError(
                    f"graph has other marks than tails and arrows at {first} and {names[j]}: it "
                    f"is a PAG, in which unmeasured causes are allowed; orient a CPDAG, as PC and "
                    f"GES return it"
                )
    return PartialGraph(names, *(kept[mark] for mark in MARKS))


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


def edges_of(graph: PartialGraph) -> list[MarkedEdge]:
    """List all edges as they now are: in the order in which the graph named them."""
    edges: list[MarkedEdge] = [(u, "->", v) for u, v in graph.directed]
    for u, v in graph.undirected:
        if graph.is_undirected(u, v):
            edges.append((u, "--", v))
        else:
            edges.append((u, "->", v) if graph.is_directed(u, v) else (v, "->", u))
    return edges + [(u, "<->", v) for u, v in graph.fixed]


def rebuilt(original: Any, graph: PartialGraph) -> Any:
    """Return an oriented graph in the form of the one that was read, which stays as it is.

    Files and iterables come back as a list of ``(source, mark, target)``.
    """
    if hasattr(original, "is_directed") and hasattr(original, "edges"):
        return networkx_graph(graph, original)
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
    return edges_of(graph)


def _arcs(graph: PartialGraph) -> Iterable[Edge]:
    for first, mark, second in edges_of(graph):
        yield first, second
        if mark != "->":
            yield second, first


def networkx_graph(graph: PartialGraph, original: Any = None) -> Any:
    """Return a ``networkx.DiGraph`` in which an undirected edge is two opposite arcs.

    Nodes and edges keep the attributes that they have in `original`.
    """
    networkx = require("networkx", "graph", "a networkx graph needs networkx")
    result = networkx.DiGraph()
    if original is None:
        result.add_nodes_from(graph.nodes)
    else:
        result.add_nodes_from(original.nodes(data=True))
    for first, second in _arcs(graph):
        kept: dict[str, Any] = {}
        if original is not None and not original.is_multigraph():
            known = original.get_edge_data(first, second)
            kept = known if known is not None else original.get_edge_data(second, first) or {}
        result.add_edge(first, second, **kept)
    return result


def _to_adjacency(graph: PartialGraph) -> Any:
    place = {node: at for at, node in enumerate(graph.nodes)}
    matrix = np.zeros((len(place), len(place)), dtype=np.int64)
    for first, second in _arcs(graph):
        matrix[place[first], place[second]] = 1
    return matrix


def _to_causallearn(original: Any, graph: PartialGraph) -> Any:
    copy = deepcopy(original)
    inner = getattr(copy, "G", copy)
    nodes = {node.get_name(): node for node in inner.get_nodes()}
    for cause, effect in graph.oriented:
        edge = inner.get_edge(nodes[cause], nodes[effect])
        inner.remove_edge(edge)
        inner.add_directed_edge(nodes[cause], nodes[effect])
    return copy
