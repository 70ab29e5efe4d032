"""A clustering by mechanism as a scikit-learn clusterer."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from anmmm._pickled import VersionedPickle
from anmmm._threads import blas_threads_for
from anmmm._typing import ArrayLike, IntArray, RandomState
from anmmm._validation import all_or_nothing, check_fit_input, check_new_input
from anmmm.clustering.cluster import cluster_mechanisms
from anmmm.gppom import FitOptions, NestedFitOptions
from anmmm.gppom.prediction import MechanismPredictor
from anmmm.mixture import MAX_MECHANISMS
from anmmm.preprocessing import standardize


class MechanismClustering(NestedFitOptions, VersionedPickle, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Mechanism labels as a scikit-learn clusterer.

    Parameters
    ----------
    n_mechanisms, lam, refine, max_mechanisms
        See `cluster_mechanisms`.
    fit_options : dict, optional
        Fields of `anmmm.gppom.FitOptions`; each is a parameter ``fit_options__NAME`` too.
    random_state : None, int or RandomState
        Seeds k-means of several latents, and what is drawn in the fit.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        Mechanism of each observation.
    latent_ : ndarray of shape (n_samples, n_latent)
        Fitted Θ.
    membership_ : ndarray of shape (n_samples, n_mechanisms_) or None
        Probability of each mechanism; None without refinement.
    n_mechanisms_ : int
        Number of mechanisms.
    cluster_centers_ : ndarray of shape (n_mechanisms_, n_latent)
        Mean Θ of each mechanism.
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
        lam: float = 1.0,
        *,
        refine: str | None = "auto",
        max_mechanisms: int = MAX_MECHANISMS,
        fit_options: dict[str, Any] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.n_mechanisms = n_mechanisms
        self.lam = lam
        self.refine = refine
        self.max_mechanisms = max_mechanisms
        self.fit_options = fit_options
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that y may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

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
        options = self.fit_options or {}
        result = cluster_mechanisms(
            cause,
            effect,
            self.n_mechanisms,
            refine=self.refine,
            max_mechanisms=self.max_mechanisms,
            lam=self.lam,
            random_state=self.random_state,
            **options,
        )
        x, self._record_x = standardize(cause)
        z, self._record_y = standardize(effect)
        noise_floor = FitOptions.from_keywords(options).noise_floor
        self._predictor = MechanismPredictor(x, z, result.fit, result.labels, noise_floor)
        self.result_ = result
        self.labels_ = result.labels
        self.latent_ = result.latent
        self.membership_ = result.membership
        self.n_mechanisms_ = result.n_mechanisms
        self.cluster_centers_ = result.centers
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
            If the data cannot be used, if `y` is missing, or if the fit was not refined and has
            more observations than `anmmm.gppom.prediction.MAX_SAMPLES`.

        Notes
        -----
        A refined fit answers by its mixture, in time proportional to the number of new
        observations. Otherwise the GPPOM does (`anmmm.gppom.prediction`): O(N³) at the first call
        and then O(min(N, 128) N²) an observation. Where the mechanisms overlap, an observation of
        the fit may get another label than ``labels_`` has, in which its θ counts.
        """
        check_is_fitted(self)
        cause, effect = check_new_input(self, X, y)
        if self._pair_in_X and effect is None:
            cause, effect = cause[:, :1], cause[:, 1:]
        if effect is None:
            raise ValueError(
                "y is None: a mechanism shows in cause and effect together, and fit was given a y; "
                "pass y"
            )
        x, z = self._record_x.apply(cause), self._record_y.apply(effect)
        mixture = self.result_.mixture
        if mixture is not None:
            membership = mixture.assign(mixture.splines.evaluate(x), np.ascontiguousarray(z[:, 0]))
            return np.asarray(membership.argmax(axis=1))
        with blas_threads_for(len(self.labels_)):
            return self._predictor.predict(x, z)
