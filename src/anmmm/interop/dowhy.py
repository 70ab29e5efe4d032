"""DoWhy: tests of independence in its form, and a graph learner that it loads by its name."""

from __future__ import annotations

from typing import Any

from anmmm._tables import open_table
from anmmm._typing import FloatArray
from anmmm.graph import CausalGraph, infer_graph
from anmmm.interop._pairs import conditional_pvalue
from anmmm.interop.lingam import adjacency


def independence_test(X: Any, Y: Any, conditioned_on: Any = None, **kwargs: Any) -> float:
    """P-value of the HSIC test in the form of ``dowhy.gcm.independence_test``.

    With `conditioned_on`, the residuals of X and Y from smoothing splines in it are tested, which
    assumes that its effects are additive. For ``dowhy.gcm.falsify.falsify_graph(...,
    independence_test=independence_test, conditional_independence_test=independence_test)``.

    Parameters
    ----------
    X, Y, conditioned_on : array-like of shape (n_samples,) or (n_samples, n_features)
    **kwargs
        Not used; for example ``method`` of DoWhy's own function.

    Returns
    -------
    float
    """
    return conditional_pvalue(X, Y, conditioned_on)


class PairGraph:
    """Graph learner with the two methods that DoWhy calls on classes it is given by name.

    For ``dowhy.graph_learners.lingam.LINGAM(data, "anmmm.interop.dowhy.PairGraph")``. DoWhy's other
    door, ``graph_learners.cdt.CDT``, draws the graph of `predict` with cause and effect exchanged
    (0.14): do not use it.

    Attributes
    ----------
    adjacency_matrix_ : ndarray of shape (n_features, n_features)
        1 at [effect, cause], as in lingam, which is how DoWhy reads it.
    graph_ : CausalGraph
        Everything.
    """

    graph_: CausalGraph
    adjacency_matrix_: FloatArray

    def fit(self, X: Any) -> PairGraph:
        """Learn the graph of a data frame, or array, with a variable in each column."""
        self.graph_ = infer_graph(X)
        self.adjacency_matrix_ = adjacency(self.graph_, open_table(X).names)
        return self

    def predict(self, X: Any) -> Any:
        """Learn the graph, and return it as a ``networkx.DiGraph``.

        Raise ValueError if an edge has no direction, since DoWhy would fail at its cycle.
        """
        return self.fit(X).graph_.to_dag()
