"""gCastle: a learner with its ``learn`` and ``causal_matrix``, without importing it."""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._tables import is_frame, open_table
from anmmm._typing import FloatArray
from anmmm.graph import CausalGraph, infer_graph
from anmmm.interop.lingam import adjacency


class ANMMM:
    """A learner in the form of ``castle.algorithms.ANMNonlinear``.

    Parameters
    ----------
    graph : optional
        The edges that the graph may have, see `anmmm.infer_graph`; None for any.

    Attributes
    ----------
    causal_matrix : ndarray of shape (n_features, n_features)
        1 at [cause, effect]. Never both ways: an undecided pair is 0 in both.
    graph_ : CausalGraph
        Everything.
    """

    causal_matrix: FloatArray
    graph_: CausalGraph

    def __init__(self, graph: Any = None) -> None:
        self.graph = graph

    def learn(self, data: Any, columns: Any = None, **kwargs: Any) -> None:
        """Learn the graph of a table with a variable in each column, whose order the matrix has."""
        table: Any = data if is_frame(data) else np.asarray(data)
        self.graph_ = infer_graph(table, within=self.graph)
        # gCastle's rows are causes, lingam's are effects.
        self.causal_matrix = adjacency(self.graph_, open_table(table).names).T
