"""DoWhy: tests of independence in its form, and a graph learner that it loads by its name."""

from __future__ import annotations

from typing import Any

from anmmm._typing import FloatArray
from anmmm.interop._pairs import conditional_pvalue, learned, names_of
from anmmm.interop.lingam import adjacency
from anmmm.orientation import OrientedGraph

__all__ = ["PairGraph", "independence_test"]


def independence_test(X: Any, Y: Any, conditioned_on: Any = None, **kwargs: Any) -> float:
    """Test of independence in the form of ``dowhy.gcm.independence_test``.

    Parameters
    ----------
    X, Y : array-like of shape (n_samples,) or (n_samples, n_features)
    conditioned_on : array-like of shape (n_samples,) or (n_samples, n_features), optional
        What smoothing splines in it leave of X and Y is tested then, which assumes that its effects
        are additive.
    **kwargs
        Not used; ``method`` of DoWhy's own function, say.

    Returns
    -------
    float
        P-value of the HSIC test against permutations; independence is the null hypothesis.

    Notes
    -----
    For ``dowhy.gcm.falsify.falsify_graph(..., independence_test=independence_test,
    conditional_independence_test=independence_test)``.
    """
    return conditional_pvalue(X, Y, conditioned_on)


class PairGraph:
    """Graph learner with the two methods that DoWhy calls on classes it is given by name.

    Parameters
    ----------
    graph : optional
        See `anmmm.orient`: the edges to orient. None: every pair of columns that is related, see
        Notes.
    **options
        Keyword arguments of `anmmm.orient`.

    Attributes
    ----------
    adjacency_matrix_ : ndarray of shape (n_features, n_features)
        1 at [effect, cause], as in lingam, which is how DoWhy reads it.
    oriented_ : OrientedGraph
        Everything.

    Notes
    -----
    For ``dowhy.graph_learners.lingam.LINGAM(data, "anmmm.interop.dowhy.PairGraph")``. DoWhy's other
    door, ``graph_learners.cdt.CDT``, takes the graph of `predict` and draws it with cause and
    effect exchanged (0.14): do not use it.

    Without a graph all pairs are taken whose independence is rejected at a false discovery rate of
    0.05, also where a third variable lies between them: the result tells ancestors, not parents.
    """

    oriented_: OrientedGraph
    adjacency_matrix_: FloatArray

    def __init__(self, graph: Any = None, **options: Any) -> None:
        self.graph = graph
        self.options = options

    def fit(self, X: Any) -> PairGraph:
        """Learn the graph of a data frame, or array, with a variable in each column.

        Parameters
        ----------
        X : data frame or ndarray

        Returns
        -------
        self
        """
        self.oriented_ = learned(X, self.graph, self.options)
        self.adjacency_matrix_ = adjacency(self.oriented_, names_of(X))
        return self

    def predict(self, X: Any) -> Any:
        """Learn the graph, and return it as a ``networkx.DiGraph``.

        Parameters
        ----------
        X : data frame or ndarray

        Returns
        -------
        networkx.DiGraph
        """
        return self.fit(X).oriented_.to_networkx()
