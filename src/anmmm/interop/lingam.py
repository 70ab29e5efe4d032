"""lingam: its adjacency is [effect, cause], and so is its prior knowledge.

`anmmm.orient` and ``within=`` take the transposed ``adjacency_matrix_`` of its methods.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from anmmm._typing import FloatArray, IntArray
from anmmm.graph import CausalGraph
from anmmm.graph.forms import PartialGraph


def adjacency(graph: CausalGraph, names: Sequence[Hashable] | None = None) -> FloatArray:
    """Return the directed edges as lingam's ``adjacency_matrix_``: 1 at [effect, cause].

    Parameters
    ----------
    graph : CausalGraph
    names : sequence, optional
        Order of the rows, which may have others than the nodes; `CausalGraph.names` by default.

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
