"""pgmpy: a pairwise estimator for its causal discovery, and an orientation function."""

from __future__ import annotations

from typing import Any, ClassVar

from anmmm._optional import require
from anmmm._validation import check_choice
from anmmm.direction import DirectionResult, infer_direction

__all__ = ["ANMMM", "Orientation"]

_module = require("pgmpy.causal_discovery._base", "interop", "this adapter needs pgmpy")
# The first one is that of the versions after 1.1.2.
_Base: Any = getattr(_module, "BaseCausalDiscovery", None) or _module._BaseCausalDiscovery


class ANMMM(_Base):  # type: ignore[misc]
    """Causal direction of two variables as an estimator of pgmpy's causal discovery.

    Parameters
    ----------
    on_undecided : {"raise", "abstain"}
        What to do if no direction is decided: raise a ``ValueError``, as pgmpy's own pairwise
        estimators do on ties, or give a graph without an edge, which ``ExpertInLoop`` takes for no
        answer.

    Attributes
    ----------
    causal_graph_ : pgmpy.base.DAG
        Both variables and the edge from cause to effect.
    adjacency_matrix_ : pandas.DataFrame
        1 in the row of the cause and the column of the effect.
    forward_score_, backward_score_ : float
        Lower is better; forward is the first column as the cause. They differ by the log-odds.
    result_ : anmmm.DirectionResult
        Everything.
    """

    _tags: ClassVar[dict[str, Any]] = {
        "name": "anmmm",
        "data_types": ("continuous",),
        "requires_target": False,
        "capability:multivariate": False,
        "capability:expert_knowledge": False,
        "assumption:causal_sufficiency": True,
        "assumption:acyclicity": True,
        "assumption:faithfulness": False,
        "assumption:linearity": False,
        "assumption:additive_noise": False,
        "assumption:gaussian_noise": False,
        "assumption:non_gaussian_noise": False,
        "assumption:low_noise": False,
    }

    def __init__(self, on_undecided: str = "raise") -> None:
        self.on_undecided = on_undecided

    def __sklearn_tags__(self) -> Any:
        """Declare that variables are numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        return tags

    def _fit(self, X: Any, **fit_params: Any) -> ANMMM:
        check_choice(self.on_undecided, "on_undecided", ("raise", "abstain"))
        names = list(X.columns)
        if len(names) != 2:
            raise ValueError(f"X must have the 2 columns of a pair, found n_features={len(names)}")
        self.result_ = infer_direction(X.iloc[:, 0], X.iloc[:, 1])
        edge = _edge(self.result_, names[0], names[1])
        if edge is None and self.on_undecided == "raise":
            raise ValueError(
                f"no direction is decided between {names[0]} and {names[1]} "
                f"({self.result_.relation}); on_undecided='abstain' gives a graph without an edge"
            )
        log_odds = self.result_.log_odds or 0.0
        self.forward_score_ = -0.5 * log_odds
        self.backward_score_ = 0.5 * log_odds
        self.causal_graph_ = require("pgmpy.base", "interop", "this needs pgmpy").DAG()
        self.causal_graph_.add_nodes_from(names)
        if edge is not None:
            self.causal_graph_.add_edge(*edge)
        networkx = require("networkx", "interop", "this needs networkx")
        self.adjacency_matrix_ = networkx.to_pandas_adjacency(
            self.causal_graph_, nodelist=names, weight=None, dtype="int"
        )
        return self


class Orientation:
    """An ``orientation_fn`` of pgmpy's ``ExpertInLoop`` (1.1.2): names in, an edge out.

    Parameters
    ----------
    data : pandas.DataFrame
        The data of the search: pgmpy passes only names.
    """

    def __init__(self, data: Any) -> None:
        self.data = data

    def __call__(self, u: Any, v: Any, **kwargs: Any) -> tuple[Any, Any] | None:
        """Return ``(cause, effect)``, or None if no direction is decided."""
        return _edge(infer_direction(self.data[u], self.data[v]), u, v)


def _edge(result: DirectionResult, first: Any, second: Any) -> tuple[Any, Any] | None:
    """Return cause and effect, None without a direction."""
    if not result.direction:
        return None
    return (first, second) if result.direction == 1 else (second, first)
