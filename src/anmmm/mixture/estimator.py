"""The estimator of a mixture of smooth mechanisms."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from anmmm._estimators import all_or_nothing, check_fit_input, check_new_input
from anmmm._typing import ArrayLike, FloatArray, IntArray
from anmmm._validation import check_count, check_nonnegative
from anmmm._warning import default_float_errors
from anmmm.mixture.em import is_auto, smallest_noise
from anmmm.mixture.mechanisms import Mechanisms, Sample
from anmmm.mixture.prediction import ScaledMechanisms
from anmmm.mixture.search import (
    MAX_NUMBER,
    MAX_SEARCHED,
    SEARCH_ITER,
    SEARCH_TOLERANCE,
    search_mechanisms,
)
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells, standardize

# Share of an observation that counts for the noise of a mechanism to which none belongs.
LEAST_SHARE = 1e-200


class ANMMixture(BaseEstimator):  # type: ignore[misc]
    """Mixture of C smooth mechanisms with Gaussian noise, ``y = f_c(x) + ε``.

    Parameters
    ----------
    n_mechanisms : int or "auto", default=2
        Number of mechanisms; ``"auto"`` chooses it by `criterion_`.
    max_mechanisms : int, default=6
        Largest number that ``"auto"`` tries, at most 8.
    tol : float, default=1e-5
        Stop when an iteration raises the bound by less than this many nats per observation.
    max_iter : int, default=150
        Most iterations of a run.

    Attributes
    ----------
    n_mechanisms_ : int
        Number of mechanisms fitted.
    labels_ : ndarray of int, shape (n_samples,)
        Most probable mechanism, numbered by first appearance.
    probabilities_ : ndarray of shape (n_samples, n_mechanisms_)
        Probability of each mechanism.
    weights_ : ndarray of shape (n_mechanisms_,)
        Mixture weight of each mechanism, averaged over the observations.
    noise_std_ : ndarray of shape (n_mechanisms_,)
        Standard deviation of each mechanism's noise, in the unit of y, averaged over its
        observations.
    lower_bound_ : float
        Lower bound on the log marginal likelihood of the standardized effect, the curves
        integrated out.
    criterion_ : float
        ``-lower_bound_`` plus the cost of weights and noise; the smaller the better.
    criteria_ : dict of int to float
        The smallest criterion of each number of mechanisms that was tried.
    n_iter_ : int
        Iterations of the last run.
    converged_ : bool
        Whether it ended by its tolerance.
    fit_result_ : Mechanisms
        Everything else, on the standardized scale.
    n_features_in_ : int
        Columns of X.

    Notes
    -----
    Curves are smoothing splines whose smoothness is fitted by marginal likelihood, together or each
    on its own. Mechanisms share the size of their noise, or each has its own, which may grow with
    the cause; weights are equal, free, or depend on the cause: whatever has the smallest criterion.
    Linear in the number of observations. Nothing is random: beyond 4000 observations mechanisms are
    searched on 2000 of them, at equal distances in the order of the cause.

    `predict` and `predict_proba` are about mechanisms, as those of scikit-learn's mixtures are, and
    take the effect in addition to the cause, since a mechanism shows in both together; `mean` is
    the prediction of a regression.

    Examples
    --------
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from anmmm import ANMMixture
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> model = ANMMixture("auto").fit(x.reshape(-1, 1), y)
    >>> model.n_mechanisms_
    2
    >>> bool(adjusted_rand_score(labels, model.labels_) > 0.8)
    True
    >>> model.curves([[0.0], [1.0]]).shape
    (2, 2)
    >>> new_x, new_y, new_labels = make_anm_mixture("f3", random_state=3)
    >>> bool(adjusted_rand_score(new_labels, model.predict(new_x.reshape(-1, 1), new_y)) > 0.8)
    True
    """

    def __init__(
        self,
        n_mechanisms: int | str = 2,
        *,
        max_mechanisms: int = MAX_NUMBER,
        tol: float = SEARCH_TOLERANCE,
        max_iter: int = SEARCH_ITER,
    ) -> None:
        self.n_mechanisms = n_mechanisms
        self.max_mechanisms = max_mechanisms
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        """Declare that y is needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> ANMMixture:
        """Fit curves, weights and noise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Cause.
        y : array-like of shape (n_samples,)
            Effect.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If the data or a parameter cannot be used; the message names it.
        """
        cause, effect = check_fit_input(self, X, y, pair=False)
        effect = _one_column(effect)
        n_samples = len(cause)
        wanted = (
            None
            if is_auto(self.n_mechanisms)
            else check_count(self.n_mechanisms, "n_mechanisms", maximum=n_samples)
        )
        x, scale_x = standardize(cause)
        z, scale_y = standardize(effect)
        basis = SplineBasis.of(x)
        sample = Sample(basis, x, z[:, 0], smallest_noise(Cells.of(z[:, 0])))
        most = check_count(self.max_mechanisms, "max_mechanisms", maximum=MAX_SEARCHED)
        fits = search_mechanisms(
            sample,
            number=wanted,
            max_mechanisms=min(most, n_samples),
            tol=check_nonnegative(self.tol, "tol"),
            max_iter=check_count(self.max_iter, "max_iter"),
        )
        best = {}
        for number, candidates in fits.items():
            best[number] = min(candidates, key=_unused_and_criterion)
        self.criteria_ = {number: fit.criterion for number, fit in best.items()}
        if wanted is None:
            best = {number: fit for number, fit in best.items() if not _n_unused(fit)}
            wanted = min(best, key=self.criteria_.__getitem__)
        self.fit_result_ = fit = best[wanted].numbered()
        self._scaled = ScaledMechanisms(fit, (scale_x, scale_y))
        self.n_mechanisms_ = fit.n_mechanisms
        self.probabilities_ = fit.probabilities
        self.labels_ = fit.labels
        self.weights_ = fit.weights
        # A mechanism that has no observation takes its noise at all of them.
        shares = np.maximum(fit.probabilities, LEAST_SHARE)
        variances = np.average(fit.noise_std**2, axis=0, weights=shares)
        self.noise_std_ = self._scaled.unit * np.sqrt(variances)
        self.lower_bound_ = fit.bound
        self.criterion_ = fit.criterion
        self.n_iter_ = fit.n_iter
        self.converged_ = fit.converged
        return self

    @default_float_errors()
    def curves(self, X: ArrayLike) -> FloatArray:
        """Every mechanism's curve at new points, in the unit of y.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms_)
        """
        check_is_fitted(self)
        cause, _ = check_new_input(self, X, None)
        return self._scaled.curves(cause)

    @default_float_errors()
    def mean(self, X: ArrayLike) -> FloatArray:
        """Curves averaged by the weights of their mechanisms: the expected effect at new points.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)

        Returns
        -------
        ndarray of shape (n_new,)
            No mechanism need have an effect near it.
        """
        check_is_fitted(self)
        cause, _ = check_new_input(self, X, None)
        return np.asarray((self._scaled.curves(cause) * self._scaled.weights(cause)).sum(axis=1))

    def predict(self, X: ArrayLike, y: ArrayLike | None = None) -> IntArray:
        """Most probable mechanism of new observations, numbered as in `labels_`.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
        y : array-like of shape (n_new,), optional
            Without the effect an observation is given the mechanism of the largest weight.

        Returns
        -------
        ndarray of int, shape (n_new,)
        """
        return np.asarray(self.predict_proba(X, y).argmax(axis=1))

    @default_float_errors()
    def predict_proba(self, X: ArrayLike, y: ArrayLike | None = None) -> FloatArray:
        """Probability of each mechanism for new observations.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
        y : array-like of shape (n_new,), optional
            Without the effect the weights, which are those of every cause unless they depend on it.

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms_)
        """
        check_is_fitted(self)
        if y is None:
            cause, _ = check_new_input(self, X, None)
            return self._scaled.weights(cause)
        return np.asarray(softmax(self._log_densities(X, y), axis=1))

    @default_float_errors()
    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Mean log density of the effects of new observations, given their causes.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
        y : array-like of shape (n_new,)

        Returns
        -------
        float
            A lower bound in nats per observation, for y in its own unit; larger is better.
        """
        return float(logsumexp(self._log_densities(X, y), axis=1).mean())

    def _log_densities(self, X: ArrayLike, y: ArrayLike) -> FloatArray:
        """Log weight and density (n_new, n_mechanisms_) of effects in the unit of y."""
        check_is_fitted(self)
        cause, effect = check_new_input(self, X, y)
        if effect is None:
            raise ValueError("y is None: a mechanism shows in cause and effect together; pass y")
        return self._scaled.log_densities(cause, _one_column(effect))


def _one_column(effect: FloatArray) -> FloatArray:
    if effect.shape[1] != 1:
        raise ValueError(f"y must have one column, found {effect.shape[1]}; fit each on its own")
    return effect


def _n_unused(fit: Mechanisms) -> int:
    return fit.n_mechanisms - max(fit.n_used, 1)


def _unused_and_criterion(fit: Mechanisms) -> tuple[int, float]:
    return _n_unused(fit), fit.criterion
