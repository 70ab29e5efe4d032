"""lingam: its adjacency is [effect, cause], and so is its prior knowledge."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from anmmm._arrays import as_real
from anmmm._tables import is_frame
from anmmm._typing import FloatArray, IntArray
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
    is_missing = np.isnan(known)
    has_arc = (known != 0.0) | is_missing | is_missing.T
    np.fill_diagonal(has_arc, False)
    nodes: Sequence[Hashable] = range(len(known)) if names is None else names
    if len(nodes) != len(known) or len(set(nodes)) != len(nodes):
        raise ValueError(f"names must be {len(known)} different names, found {list(nodes)}")
    # The arcs of two nodes are next to each other.
    arcs = sorted(np.argwhere(has_arc.T).tolist(), key=sorted)
    return edges_of_arcs((nodes[cause], nodes[effect]) for cause, effect in arcs)
