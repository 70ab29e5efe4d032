"""A clustering by mechanism as a scikit-learn clusterer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from anmmm._columns import variable_names
from anmmm._estimators import TakesOutputs, all_or_nothing, check_fit_input, check_new_input
from anmmm._typing import ArrayLike, FloatArray, IntArray, RandomState
from anmmm._warning import default_float_errors
from anmmm.clustering.cluster import cluster_pair
from anmmm.clustering.options import ClusteringOptions
from anmmm.gppom import FitOptions
from anmmm.mixture.search import MAX_NUMBER


class MechanismClustering(TakesOutputs, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Mechanism labels as a scikit-learn clusterer.

    Parameters
    ----------
    n_mechanisms, refine, max_mechanisms
        See `cluster_mechanisms`.
    fit_options : FitOptions or mapping, optional
        How Θ is fitted.
    random_state : None, int or RandomState
        Seeds k-means of several latents, and the random starts of the fit.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        Mechanism of each observation.
    latent_ : ndarray of shape (n_samples, n_latent)
        Fitted Θ.
    probabilities_ : ndarray of shape (n_samples, n_mechanisms_) or None
        Probability of each mechanism; None without refinement.
    n_mechanisms_ : int
        Number of mechanisms.
    result_ : ClusteringResult
        Everything, with the fit.
    n_iter_ : int
        L-BFGS iterations.
    n_features_in_ : int
        Columns of X.

    Examples
    --------
    >>> from anmmm import MechanismClustering
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> model = MechanismClustering(2, random_state=0).fit(x.reshape(-1, 1), y)
    >>> model.predict(x[:3].reshape(-1, 1), y[:3]).shape
    (3,)
    """

    def __init__(
        self,
        n_mechanisms: int | str = 2,
        *,
        refine: bool = True,
        max_mechanisms: int = MAX_NUMBER,
        fit_options: FitOptions | Mapping[str, Any] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_mechanisms = n_mechanisms
        self.refine = refine
        self.max_mechanisms = max_mechanisms
        self.fit_options = fit_options
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> MechanismClustering:
        """Fit Θ and label every observation.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Cause; or, without `y`, the two columns cause and effect.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), optional
            Effect.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If the data or a parameter cannot be used.
        """
        cause, effect = check_fit_input(self, X, y, pair=True)
        options = ClusteringOptions.check(
            n_mechanisms=self.n_mechanisms,
            refine=self.refine,
            max_mechanisms=self.max_mechanisms,
            fit_options=self.fit_options,
        )
        result = cluster_pair(cause, effect, options, self.random_state)
        self.result_ = result = replace(result, names=variable_names(X, y))
        self.labels_ = result.labels
        self.latent_ = result.latent
        self.probabilities_ = result.probabilities
        self.n_mechanisms_ = result.n_mechanisms
        self.n_iter_ = result.fit.n_iter
        self._pair_in_X = y is None
        return self

    def fit_predict(self, X: ArrayLike, y: ArrayLike | None = None) -> IntArray:
        """Fit, and return the labels of the observations fitted; see `fit`."""
        return self.fit(X, y).labels_

    def predict(self, X: ArrayLike, y: ArrayLike | None = None) -> IntArray:
        """Label new observations by the mechanism under which they are most probable.

        Parameters
        ----------
        X, y : array-like
            As in `fit`. An observation's mechanism shows only in cause and effect together (Θ is
            independent of X): where `fit` had a y, this call needs one.

        Returns
        -------
        ndarray of int, shape (n_new,)

        Raises
        ------
        NotFittedError
            If called before `fit`.
        TypeError, ValueError
            If the data cannot be used, or `y` is missing; see `ClusteringResult.predict`.
        """
        pair = self._new_pair(X, y)
        return self.result_.predict(*pair)

    def predict_proba(self, X: ArrayLike, y: ArrayLike | None = None) -> FloatArray:
        """Return the probability of each mechanism for new observations.

        Parameters
        ----------
        X, y : array-like
            As in `predict`.

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms_)
        """
        pair = self._new_pair(X, y)
        return self.result_.predict_proba(*pair)

    @default_float_errors()
    def score(self, X: ArrayLike, y: ArrayLike | None = None) -> float:
        """Mean log density of new effects given their causes, for `GridSearchCV` and its kin.

        Parameters
        ----------
        X, y : array-like
            As in `predict`.

        Returns
        -------
        float
            Nats per observation, for y in its own unit; larger is better. Of a refined fit a lower
            bound; otherwise the density of the GPPOM, whatever the number of clusters.
        """
        pair = self._new_pair(X, y)
        log_densities = self.result_._log_densities(*pair)
        return float(logsumexp(log_densities, axis=1).mean())

    def _new_pair(self, X: ArrayLike, y: ArrayLike | None) -> tuple[FloatArray, FloatArray]:
        """Return cause and effect of new observations, as `fit` had them."""
        check_is_fitted(self)
        cause, effect = check_new_input(self, X, y)
        if self._pair_in_X and effect is None:
            cause, effect = cause[:, :1], cause[:, 1:]
        if effect is None:
            raise ValueError(
                "y is None: a mechanism shows in cause and effect together, and fit was given a y; "
                "pass y"
            )
        return cause, effect
