"""DoWhy: tests of independence in its form, and a graph learner that it loads by its name."""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._tables import open_table
from anmmm._typing import FloatArray
from anmmm._validation import as_pair, check_aligned
from anmmm.graph import CausalGraph, infer_graph
from anmmm.independence import hsic_test
from anmmm.interop.lingam import adjacency
from anmmm.mixture import ANMMixture


def independence_test(X: Any, Y: Any, conditioned_on: Any = None, **kwargs: Any) -> float:
    """P-value of the HSIC test in the form of ``dowhy.gcm.independence_test``.

    With `conditioned_on`, the residuals of X and Y from smoothing splines in it are tested, which
    assumes that its effects are additive; the p-value does not include the regression, and is too
    small if that is poor (Zhang et al., AAAI 2017). For ``dowhy.gcm.falsify.falsify_graph(...,
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
    x, y = as_pair(X, Y, names=("X", "Y"), resolved=False)
    if conditioned_on is not None:
        names = ("X", "conditioned_on")
        check_aligned(Y, conditioned_on, ("Y", "conditioned_on"))
        given = as_pair(X, conditioned_on, names=names, resolved=False)[1]
        x = _residuals(x, given)
        y = _residuals(y, given)
    # Searches look at the tail, for which the published gamma distribution is too light.
    return hsic_test(x, y).pvalue


def _residuals(values: FloatArray, given: FloatArray) -> FloatArray:
    """Return the residuals of smoothing splines in `given`, of fitted smoothness."""
    fits = [ANMMixture(n_mechanisms=1).fit(given, column) for column in values.T]
    return values - np.column_stack([fit.curves(given)[:, 0] for fit in fits])


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
