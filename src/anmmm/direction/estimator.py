"""The decision on one pair as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from anmmm._columns import variable_names
from anmmm._estimators import TakesOutputs, all_or_nothing, check_fit_input
from anmmm._typing import ArrayLike, RandomState
from anmmm.direction.infer import Criterion, infer_direction
from anmmm.direction.prior import Prior
from anmmm.gppom import FitOptions


class CausalDirection(TakesOutputs, BaseEstimator):  # type: ignore[misc]
    """Causal direction of a pair as a scikit-learn estimator.

    Parameters
    ----------
    criterion, fit_options, common_cause, prior, random_state
        See `infer_direction`.

    Attributes
    ----------
    direction_ : int
        1: the first variable causes the second; -1: the reverse; 0: undecided.
    score_ : float
        ``backward_score_ - forward_score_``.
    forward_score_, backward_score_ : float
        Values of the criterion; lower is better.
    relation_ : {"x->y", "y->x", "common cause", "independent", "undecided"}
        How both variables are related; see `DirectionResult`.
    confidence_ : float or None
        Probability of the direction; see `DirectionResult`.
    dependence_ : float or None
        Nats per observation that the shortest model saves over independence; None under another
        criterion than ``"evidence"``.
    independence_pvalue_ : float
        HSIC test of both variables, computed at the first access.
    check_pvalue_ : float or None
        Whether the model in the decided direction fits, computed at the first access; see
        `DirectionResult`.
    result_ : DirectionResult
        Everything.
    n_features_in_ : int
        Columns of X.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm import CausalDirection
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> CausalDirection().fit(np.column_stack([x, y])).direction_
    1
    """

    def __init__(
        self,
        *,
        criterion: Criterion = "evidence",
        fit_options: FitOptions | Mapping[str, Any] | None = None,
        common_cause: bool = True,
        prior: Prior = "learned",
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.common_cause = common_cause
        self.prior = prior
        self.fit_options = fit_options
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> CausalDirection:
        """Decide the direction of one pair.

        Parameters
        ----------
        X : array-like of shape (n_samples, 2), or (n_samples, n_features) with `y`
            The two variables as columns; or only the first variable.
        y : array-like of shape (n_samples,) or (n_samples, n_features), optional
            The second variable, if X is the first.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If the data or a parameter cannot be used.
        """
        x_columns, y_columns = check_fit_input(self, X, y, pair=True)
        # The parameters are the options of the function.
        result = infer_direction(x_columns, y_columns, **self.get_params(deep=False))
        self.result_ = result = replace(result, names=variable_names(X, y))
        self.direction_ = result.direction
        self.score_ = result.score
        self.forward_score_ = result.models.forward_score
        self.backward_score_ = result.models.backward_score
        self.relation_ = result.relation
        self.confidence_ = result.confidence
        self.dependence_ = result.dependence
        return self

    @property
    def independence_pvalue_(self) -> float:
        """P-value of the HSIC test of both variables."""
        check_is_fitted(self)
        return self.result_.independence_pvalue

    @property
    def check_pvalue_(self) -> float | None:
        """P-value of the check of the model in the decided direction."""
        check_is_fitted(self)
        return self.result_.check_pvalue
