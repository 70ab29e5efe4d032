"""pgmpy: a pairwise estimator for its causal discovery, and an orientation function."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from anmmm._optional import require
from anmmm._validation import check_choice
from anmmm.direction import DirectionResult, infer_direction
from anmmm.direction.infer import Criterion
from anmmm.gppom import FitOptions
from anmmm.interop._pairs import decision, hsic_score

__all__ = ["ANMMM", "Orientation", "hsic_score"]

_module = require("pgmpy.causal_discovery._base", "interop", "this adapter needs pgmpy")
# The first one is that of the versions after 1.1.2.
_Base: Any = getattr(_module, "BaseCausalDiscovery", None) or _module._BaseCausalDiscovery

ON_UNDECIDED = ("raise", "abstain")


class ANMMM(_Base):  # type: ignore[misc]
    """Causal direction of two variables as an estimator of pgmpy's causal discovery.

    Parameters
    ----------
    criterion, fit_options, random_state
        See `anmmm.infer_direction`.
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
        Lower is better; forward is the first column as the cause. They differ by the log-odds,
        under other criteria than ``"evidence"`` they are those of the fits.
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

    def __init__(
        self,
        criterion: Criterion = "evidence",
        fit_options: FitOptions | Mapping[str, Any] | None = None,
        on_undecided: str = "raise",
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.fit_options = fit_options
        self.on_undecided = on_undecided
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that variables are numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        return tags

    def _fit(self, X: Any, **fit_params: Any) -> ANMMM:
        check_choice(self.on_undecided, "on_undecided", ON_UNDECIDED)
        names = list(X.columns)
        if len(names) != 2:
            raise ValueError(f"X must have the 2 columns of a pair, found n_features={len(names)}")
        options = self.get_params(deep=False)
        on_undecided = options.pop("on_undecided")
        result = infer_direction(X.iloc[:, 0], X.iloc[:, 1], **options)
        edge = _edge(result, names[0], names[1], on_undecided)
        self.result_ = result
        if result.log_odds is None:
            self.forward_score_ = result.models.forward_score
            self.backward_score_ = result.models.backward_score
        else:
            self.forward_score_ = -0.5 * result.log_odds
            self.backward_score_ = 0.5 * result.log_odds
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
    on_undecided : {"abstain", "raise"}
        ``"abstain"`` returns None, and pgmpy leaves the edge out.
    **options
        Keyword arguments of `anmmm.infer_direction`; the seed is 0 by default.

    Attributes
    ----------
    decisions : dict of (str, str) to DirectionResult
        Of the pairs requested so far, each of which is decided once.
    """

    def __init__(self, data: Any, on_undecided: str = "abstain", **options: Any) -> None:
        self.data = data
        self.on_undecided = check_choice(on_undecided, "on_undecided", ON_UNDECIDED)
        self.options = options
        self.decisions: dict[tuple[Hashable, Hashable], DirectionResult] = {}

    def __call__(self, u: Any, v: Any, **kwargs: Any) -> tuple[Any, Any] | None:
        """Return ``(cause, effect)``, or None if no direction is decided."""
        if (v, u) in self.decisions:
            u, v = v, u
        if (u, v) not in self.decisions:
            self.decisions[u, v] = decision(self.data[u], self.data[v], **self.options)
        return _edge(self.decisions[u, v], u, v, self.on_undecided)


def _edge(
    result: DirectionResult, first: Any, second: Any, on_undecided: str
) -> tuple[Any, Any] | None:
    if result.direction:
        return (first, second) if result.direction == 1 else (second, first)
    if on_undecided == "raise":
        raise ValueError(
            f"no direction is decided between {first} and {second} ({result.relation}); "
            f"on_undecided='abstain' gives a graph without an edge"
        )
    return None
