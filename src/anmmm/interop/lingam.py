"""lingam: its adjacency is [effect, cause], and so is its prior knowledge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from anmmm._arrays import as_real
from anmmm._tables import is_frame
from anmmm._typing import FloatArray, IntArray
from anmmm._validation import as_finite
from anmmm.graph import CausalGraph
from anmmm.graph.forms import MarkedEdge, PartialGraph, edges_of_arcs


def adjacency(graph: CausalGraph, names: Sequence[Hashable] | None = None) -> FloatArray:
    """Return the directed edges as lingam's ``adjacency_matrix_``: 1 at [effect, cause].

    Parameters
    ----------
    graph : CausalGraph
    names : sequence, optional
        Order of the rows, which may have others than the nodes; `CausalGraph.nodes` by default.

    Returns
    -------
    ndarray of shape (n_names, n_names)
    """
    ordered = graph.names if names is None else names
    _refuse_repeated(ordered)
    lacking = [node for node in graph.names if node not in ordered]
    if lacking:
        raise ValueError(f"names lacks the node {lacking[0]!r} of the graph; name all of them")
    arrows = [(cause, "->", effect) for cause, effect in graph.directed]
    return PartialGraph(ordered, arrows).adjacency.T.astype(np.float64)


def prior_knowledge(graph: CausalGraph, names: Sequence[Hashable] | None = None) -> IntArray:
    """Return the directed edges as ``prior_knowledge`` of lingam's methods; see `adjacency`.

    1 at [effect, cause], there is a directed path from the cause; 0 at [cause, effect], there is
    none back; -1 elsewhere, not known. This is how lingam's ``make_prior_knowledge`` fills it and
    its methods read it; their docstrings have it the other way round.
    """
    known = adjacency(graph, names).astype(np.intp)
    return np.where(known, 1, known.T - 1)


def edges(adjacency_matrix: Any, names: Sequence[Hashable] | None = None) -> list[MarkedEdge]:
    """Return an ``adjacency_matrix_`` of lingam as edges that `anmmm.orient` takes.

    Both directions, or a NaN (lingam: a common cause that was not measured), make an undirected
    edge.

    Parameters
    ----------
    adjacency_matrix : array-like of shape (n_nodes, n_nodes)
    names : sequence, optional
        Of the nodes; by default those of a data frame, or their places.

    Returns
    -------
    list of (source, mark, target)
    """
    if names is None and is_frame(adjacency_matrix):
        names = list(adjacency_matrix.columns)
    known = np.asarray(as_real(adjacency_matrix, "adjacency_matrix"), dtype=float)
    if known.ndim != 2 or known.shape[0] != known.shape[1]:
        raise ValueError(f"adjacency_matrix must be square, found shape {known.shape}")
    missing = np.isnan(known)
    matrix = as_finite(np.where(missing | missing.T, 1.0, known), "adjacency_matrix")
    nodes: Sequence[Hashable] = range(len(matrix)) if names is None else names
    if len(nodes) != len(matrix):
        raise ValueError(f"names has {len(nodes)} entries for {len(matrix)} nodes")
    _refuse_repeated(nodes)
    arcs = np.argwhere(matrix.T * ~np.eye(len(matrix), dtype=bool)).tolist()
    # The arcs of two nodes are next to each other.
    return edges_of_arcs((nodes[i], nodes[j]) for i, j in sorted(arcs, key=sorted))


def _refuse_repeated(names: Sequence[Hashable]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"names has {repeated[0]!r} more than once; each node needs its own")
