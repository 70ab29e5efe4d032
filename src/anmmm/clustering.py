"""Algorithm 2: which observations share a mechanism.

A cause and its effect come in; a GPPOM is fitted, Θ is clustered by k-means, and a
`ClusteringResult` goes out.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from anmmm._threads import blas_threads_for
from anmmm._validation import (
    as_pair,
    check_fit_input,
    check_n_mechanisms,
    check_new_input,
    check_nonnegative,
    check_rng,
)
from anmmm.gppom import FitOptions, fit_gppom
from anmmm.prediction import MechanismPredictor
from anmmm.preprocessing import Standardisation, standardise
from anmmm.results import ClusteringResult

__all__ = ["MechanismClustering", "cluster_mechanisms"]

FloatArray = NDArray[np.float64]

# Lloyd's algorithm from so many seedings; on a one-dimensional Θ a few already agree.
KMEANS_STARTS = 10


def cluster_mechanisms(
    x: Any,
    y: Any,
    n_mechanisms: int = 2,
    *,
    lam: float = 1.0,
    random_state: Any = None,
    **fit_options: Any,
) -> ClusteringResult:
    """Group observations by the mechanism that turned x into y (Algorithm 2 of the paper).

    Parameters
    ----------
    x : array-like of shape (n_samples,) or (n_samples, n_features)
        Cause.
    y : array-like of shape (n_samples,) or (n_samples, n_features)
        Effect.
    n_mechanisms : int
        Number of mechanisms, between 1 and the number of observations.
    lam : float
        Weight λ of the HSIC term of the objective, at up to 100 observations; it grows with more
        (``weight_growth``).
    random_state : None, int or Generator
        Seeds k-means and what is drawn in the fit.
    **fit_options
        Fields of `anmmm.gppom.FitOptions`.

    Returns
    -------
    ClusteringResult
        ``labels``, ``latent``, ``centres`` and the fit.

    Raises
    ------
    TypeError, ValueError
        If the data or an option cannot be used; the message names it.

    Warns
    -----
    ConvergenceWarning
        If the fit did not converge.

    Notes
    -----
    One fit, then scikit-learn's k-means on Θ.

    References
    ----------
    Hu, Chen, Partovi Nia, Chan, Geng: Causal Inference and Mechanism Clustering of a Mixture of
    Additive Noise Models. NeurIPS 2018, Algorithm 2.

    Examples
    --------
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from anmmm import cluster_mechanisms
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> result = cluster_mechanisms(x, y, 2, random_state=0)
    >>> bool(adjusted_rand_score(labels, result.labels) > 0.8)
    True
    """
    cause, effect = as_pair(x, y)
    return _cluster(cause, effect, n_mechanisms, lam, random_state, fit_options)


class MechanismClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Mechanism labels as a scikit-learn clusterer; see `cluster_mechanisms`.

    Parameters
    ----------
    n_mechanisms : int, default=2
        Number of mechanisms.
    lam : float, default=1.0
        Weight λ of the HSIC term.
    fit_options : dict, optional
        Fields of `anmmm.gppom.FitOptions`.
    random_state : None, int or RandomState
        Seeds k-means and what is drawn in the fit.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n_samples,)
        Mechanism of each observation.
    latent_ : ndarray of shape (n_samples, n_latent)
        Fitted Θ.
    cluster_centers_ : ndarray of shape (n_mechanisms, n_latent)
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
        n_mechanisms: int = 2,
        lam: float = 1.0,
        *,
        fit_options: dict[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_mechanisms = n_mechanisms
        self.lam = lam
        self.fit_options = fit_options
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that y may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any = None) -> MechanismClustering:
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
        options = dict(self.fit_options or {})
        result = _cluster(cause, effect, self.n_mechanisms, self.lam, self.random_state, options)
        standard_x, record_x = standardise(cause)
        standard_y, record_y = standardise(effect)
        self.result_ = result
        self.labels_ = result.labels
        self.latent_ = result.latent
        self.cluster_centers_ = result.centres
        self.n_iter_ = result.fit.n_iter
        self._records: tuple[Standardisation, Standardisation] = (record_x, record_y)
        self._pair_in_X = y is None
        self._standard = (standard_x, standard_y)
        self._options = FitOptions.from_keywords(options)
        self._predictor: MechanismPredictor | None = None
        return self

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.intp]:
        """Fit, and return the labels of the observations fitted; see `fit`."""
        return self.fit(X, y).labels_

    def predict(self, X: Any, y: Any = None) -> NDArray[np.intp]:
        """Label new observations by the mechanism under which they are most probable.

        Parameters
        ----------
        X, y : array-like
            As in `fit`. An observation's mechanism shows only in cause and effect together: where
            `fit` had a y and this call has none, every observation gets the most frequent
            mechanism, which is all that the model knows (Θ is independent of X), with a warning.

        Returns
        -------
        ndarray of int, shape (n_new,)

        Raises
        ------
        NotFittedError
            If called before `fit`.
        TypeError, ValueError
            If the data cannot be used.

        Warns
        -----
        UserWarning
            If `y` is missing.

        Notes
        -----
        See `anmmm.prediction.MechanismPredictor`: O(N³) at the first call and then
        O(min(N, 128) N²) an observation. Where the mechanisms overlap, an observation of the fit
        may get another label than ``labels_`` has, which k-means gave.
        """
        check_is_fitted(self)
        cause, effect = check_new_input(self, X, y)
        if self._pair_in_X and effect is None:
            cause, effect = cause[:, :1], cause[:, 1:]
        if effect is None:
            warnings.warn(
                "y is None: without the effect every observation gets the most frequent mechanism; "
                "pass y to label observations by their own",
                UserWarning,
                stacklevel=2,
            )
            return np.full(len(cause), np.bincount(self.labels_).argmax())
        with blas_threads_for(len(self.labels_)):
            if self._predictor is None:
                self._predictor = MechanismPredictor(*self._standard, self.result_, self._options)
            record_x, record_y = self._records
            return self._predictor.predict(record_x.apply(cause), record_y.apply(effect))


def _cluster(
    x: FloatArray,
    y: FloatArray,
    n_mechanisms: Any,
    lam: Any,
    random_state: Any,
    fit_options: dict[str, Any],
) -> ClusteringResult:
    n_mechanisms = check_n_mechanisms(n_mechanisms, len(x))
    lam = check_nonnegative(lam, "lam")
    options = FitOptions.from_keywords(fit_options)
    rng = check_rng(random_state)
    fit = fit_gppom(
        standardise(x)[0], standardise(y)[0], lam=lam, options=options, random_state=rng
    )
    kmeans = KMeans(n_mechanisms, n_init=KMEANS_STARTS, random_state=int(rng.integers(2**31)))
    raw = kmeans.fit(fit.latent).labels_
    # Numbered by first appearance, so that equal partitions have equal labels.
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    labels = rank[inverse].astype(np.intp)
    centres = np.array([fit.latent[labels == c].mean(axis=0) for c in range(len(first))])
    return ClusteringResult(
        labels=labels,
        latent=fit.latent,
        n_mechanisms=n_mechanisms,
        centres=centres,
        fit=fit,
    )
