"""Algorithm 2: which observations share a mechanism.

A cause and its effect come in; a GPPOM is fitted, Θ is clustered by k-means, the clusters are
refined by a mixture of smooth mechanisms, and a `ClusteringResult` goes out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from anmmm._pickled import VersionedPickle
from anmmm._record import Record
from anmmm._threads import blas_threads_for, single_thread
from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._validation import (
    as_pair,
    check_choice,
    check_count,
    check_fit_input,
    check_n_mechanisms,
    check_new_input,
    check_nonnegative,
    check_rng,
)
from anmmm.gppom import FitOptions, FitResult, NestedFitOptions, fit_gppom
from anmmm.gppom.laplace import mechanism_probabilities
from anmmm.gppom.prediction import MechanismPredictor
from anmmm.mixture import (
    MAX_MECHANISMS,
    EffectMixtures,
    MixtureFit,
    by_first_appearance,
    is_auto,
)
from anmmm.preprocessing import standardize

__all__ = ["ClusteringResult", "MechanismClustering", "cluster_mechanisms"]

# Lloyd's algorithm from so many seedings; on a one-dimensional Θ a few already agree.
KMEANS_STARTS = 10
REFINEMENTS = ("auto", "em")
# Nats by which the data speak for one mechanism against C before "auto" takes C curves to be an
# unsuitable description; "very strong" evidence by Kass and Raftery's scale (J. Am. Stat. Assoc.
# 90, 1995).
VERY_STRONG = 5.0


@dataclass(frozen=True, eq=False, repr=False)
class ClusteringResult(Record):
    """Mechanism labels of Algorithm 2, refined or not.

    Attributes
    ----------
    labels : ndarray of int, shape (n_samples,)
        Mechanism of each observation, 0 to ``n_mechanisms - 1``, numbered by first appearance. A
        refined mechanism that is no observation's most probable one has the last number.
    latent : ndarray of shape (n_samples, n_latent)
        Θ, whose k-means clusters are the labels or, where they were refined, their start.
    n_mechanisms : int
        Number of mechanisms asked for, or chosen by ``"auto"``.
    centers : ndarray of shape (n_mechanisms, n_latent)
        Mean Θ of each mechanism; fewer rows where fewer labels occur (duplicated observations).
    fit : FitResult
        The fitted GPPOM.
    membership : ndarray of shape (n_samples, n_mechanisms) or None
        Probability of each mechanism under the refined mixture; `labels` are its largest entries.
        None without refinement: k-means says which cluster, not with what probability.
    refined : bool
        Whether the labels are those of the mixture and not k-means's own.
    reason : str
        Why they are not refined; empty if they are.
    criteria : ndarray of shape (n_tried,) or None
        Criterion of the mixture with 1, 2, … mechanisms where ``"auto"`` chose, the smallest
        winning; otherwise None.
    mixture : anmmm.mixture.MixtureFit or None
        The refined mixture on the scale of the standardized variables; None without refinement.
    """

    labels: NDArray[np.intp]
    latent: FloatArray
    n_mechanisms: int
    centers: FloatArray
    fit: FitResult
    membership: FloatArray | None = None
    refined: bool = False
    reason: str = ""
    criteria: FloatArray | None = None
    mixture: MixtureFit | None = field(default=None, repr=False)

    @property
    def probabilities(self) -> FloatArray | None:
        """Probability of each mechanism (n_samples, n_mechanisms) by Θ and its uncertainty alone.

        None where the fit was made without ``uncertainty=True``. `membership` is another one, by
        the refined mixture. docs/method/uncertainty.md says what it is worth.
        """
        found = self.fit.uncertainty
        if found is None:
            return None
        return mechanism_probabilities(
            self.latent, found.covariance, self.labels, self.n_mechanisms
        )


@dataclass(frozen=True, eq=False, repr=False)
class ClusteringOptions(Record):
    """Options of `cluster_mechanisms`, checked, which hold for any pair."""

    # 0 for "auto".
    n_mechanisms: int
    refine: str | None
    max_mechanisms: int
    lam: float
    fit: FitOptions

    @classmethod
    def check(
        cls,
        *,
        n_mechanisms: int | str = 2,
        refine: str | None = "auto",
        max_mechanisms: int = MAX_MECHANISMS,
        lam: float = 1.0,
        **fit_options: Any,
    ) -> ClusteringOptions:
        """Refuse what no clustering can use."""
        automatic = is_auto(n_mechanisms)
        return cls(
            n_mechanisms=0 if automatic else check_count(n_mechanisms, "n_mechanisms"),
            refine=None if refine is None else check_choice(refine, "refine", REFINEMENTS),
            max_mechanisms=check_count(max_mechanisms, "max_mechanisms"),
            lam=check_nonnegative(lam, "lam"),
            fit=FitOptions.from_keywords(fit_options),
        )


def cluster_mechanisms(
    x: ArrayLike,
    y: ArrayLike,
    n_mechanisms: int | str = 2,
    *,
    refine: str | None = "auto",
    max_mechanisms: int = MAX_MECHANISMS,
    lam: float = 1.0,
    random_state: RandomState = None,
    **fit_options: Any,
) -> ClusteringResult:
    """Group observations by the mechanism that turned x into y.

    The clusters of Θ (Algorithm 2 of the paper) are refined by a mixture of smooth mechanisms.

    Parameters
    ----------
    x : array-like of shape (n_samples,) or (n_samples, n_features)
        Cause.
    y : array-like of shape (n_samples,) or (n_samples, n_features)
        Effect.
    n_mechanisms : int or "auto"
        Number of mechanisms, between 1 and the number of observations; ``"auto"`` chooses it by
        the mixture's criterion, which needs an effect of one column.
    refine : {"auto", "em"} or None
        ``"em"``: a mixture of smooth mechanisms with shared noise is fitted by EM, starting from
        the clusters of Θ, which also tell it a little of each observation; needs an effect of one
        column. None: the clusters themselves, the paper's Algorithm 2. ``"auto"``: ``"em"``, but
        None for an effect of several columns, and where the mixture's criterion speaks very
        strongly (by 5 nats) for one mechanism against `n_mechanisms`, up to 4; the result says
        which and why.
    max_mechanisms : int
        Largest number that ``n_mechanisms="auto"`` tries.
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
        ``labels``, ``membership``, ``latent``, ``centers``, the fit and the mixture.

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
    One fit, scikit-learn's k-means on Θ, then EM, linear in the number of observations. What each
    of them reaches: docs/method/decisions.md.

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
    checked = ClusteringOptions.check(
        n_mechanisms=n_mechanisms, refine=refine, max_mechanisms=max_mechanisms, lam=lam,
        **fit_options,
    )  # fmt: skip
    automatic = checked.n_mechanisms == 0
    number = 0 if automatic else check_n_mechanisms(n_mechanisms, len(cause))
    most = min(checked.max_mechanisms, len(cause))
    refined, reason = _whether_to_refine(refine, effect.shape[1])
    if automatic and effect.shape[1] > 1:
        raise ValueError(
            "n_mechanisms='auto' needs an effect of one column, found "
            f"{effect.shape[1]}; give the number of mechanisms"
        )
    rng = check_rng(random_state)
    X, Y = standardize(cause)[0], standardize(effect)[0]
    fit = fit_gppom(X, Y, lam=checked.lam, options=checked.fit, random_state=rng)
    seed = int(rng.integers(2**31))

    effects = EffectMixtures(X, Y[:, 0], number, most) if refined or automatic else None
    criteria = None
    if automatic and effects is not None:
        criteria = np.array([mixture.criterion for mixture in effects.fits])
        number = 1 + int(criteria.argmin())
    if refine == "auto" and effects is not None and number <= len(effects.fits):
        gap = effects.fits[number - 1].criterion - effects.fits[0].criterion
        if gap > VERY_STRONG:
            refined = False
            reason = (
                f"the mixture takes one mechanism for likelier than {number}, by {gap:.1f} nats"
            )
    # Threads of OpenMP, once started, leave a forked process waiting for them for ever.
    with single_thread():
        labels = KMeans(number, n_init=KMEANS_STARTS, random_state=seed).fit(fit.latent).labels_
    mixture = effects.refined(labels, number) if refined and effects is not None else None
    if mixture is not None:
        labels = mixture.labels
    # Numbered by first appearance, so that equal partitions have equal labels.
    order = by_first_appearance(labels, number)
    labels = np.argsort(order)[labels].astype(np.intp)
    if mixture is not None:
        mixture = mixture.reordered(order)
    return ClusteringResult(
        labels=labels,
        latent=fit.latent,
        n_mechanisms=number,
        centers=np.array([fit.latent[labels == c].mean(axis=0) for c in range(labels.max() + 1)]),
        fit=fit,
        membership=None if mixture is None else mixture.membership,
        refined=refined,
        reason=reason,
        criteria=criteria,
        mixture=mixture,
    )


class MechanismClustering(NestedFitOptions, VersionedPickle, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Mechanism labels as a scikit-learn clusterer.

    Parameters
    ----------
    n_mechanisms, lam, refine, max_mechanisms
        See `cluster_mechanisms`.
    fit_options : dict, optional
        Fields of `anmmm.gppom.FitOptions`; each is a parameter ``fit_options__NAME`` too.
    random_state : None, int or RandomState
        Seeds k-means and what is drawn in the fit.

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
            cause, effect, self.n_mechanisms, refine=self.refine,
            max_mechanisms=self.max_mechanisms, lam=self.lam, random_state=self.random_state,
            **options,
        )  # fmt: skip
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

    def fit_predict(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.intp]:
        """Fit, and return the labels of the observations fitted; see `fit`."""
        return self.fit(X, y).labels_

    def predict(self, X: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.intp]:
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


def _whether_to_refine(refine: Any, n_outputs: int) -> tuple[bool, str]:
    """Whether to refine and, if not, why."""
    if refine is None:
        return False, "refine is None"
    if n_outputs == 1:
        return True, ""
    if refine == "em":
        raise ValueError(
            f"refine='em' needs an effect of one column, found {n_outputs}; pass refine=None for "
            "the clusters of Θ"
        )
    return False, f"the effect has {n_outputs} columns, and the mixture takes one"
