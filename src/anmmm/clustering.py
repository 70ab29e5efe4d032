"""Algorithm 2: which observations share a mechanism.

A cause and its effect come in; a GPPOM is fitted, Θ is clustered by k-means, the clusters are
refined by a mixture of smooth mechanisms, and a `ClusteringResult` goes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from anmmm._threads import blas_threads_for, single_thread
from anmmm._typing import FloatArray
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
from anmmm.gppom import FitOptions, fit_gppom
from anmmm.gppom.prediction import MechanismPredictor
from anmmm.mixture import (
    MAX_MECHANISMS,
    MixtureFit,
    by_first_appearance,
    choose_mixture,
    fit_single,
    is_auto,
    refine_labels,
    smallest_noise,
)
from anmmm.mixture.em import VARIANCE_FLOOR
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells, Standardisation, standardise
from anmmm.results import ClusteringResult

__all__ = ["MechanismClustering", "cluster_mechanisms"]

# Lloyd's algorithm from so many seedings; on a one-dimensional Θ a few already agree.
KMEANS_STARTS = 10
REFINEMENTS = ("auto", "em")
# Nats by which the data speak for one mechanism against C before "auto" takes C curves to be an
# unsuitable description; "very strong" evidence by Kass and Raftery's scale (J. Am. Stat. Assoc.
# 90, 1995).
VERY_STRONG = 5.0


def cluster_mechanisms(
    x: Any,
    y: Any,
    n_mechanisms: int | str = 2,
    *,
    refine: str | None = "auto",
    max_mechanisms: int = MAX_MECHANISMS,
    lam: float = 1.0,
    random_state: Any = None,
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
        ``labels``, ``membership``, ``latent``, ``centres``, the fit and the mixture.

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
    clustered = _cluster(
        cause, effect, n_mechanisms, refine, max_mechanisms, lam, random_state, fit_options
    )
    return clustered.result


class MechanismClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Mechanism labels as a scikit-learn clusterer; see `cluster_mechanisms`.

    Parameters
    ----------
    n_mechanisms : int or "auto", default=2
        Number of mechanisms.
    lam : float, default=1.0
        Weight λ of the HSIC term.
    refine : {"auto", "em"} or None, default="auto"
        Whether Θ's clusters are refined by a mixture of smooth mechanisms.
    max_mechanisms : int, default=4
        Largest number that ``n_mechanisms="auto"`` tries.
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
        random_state: Any = None,
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
        self._fitted = _cluster(
            cause, effect, self.n_mechanisms, self.refine, self.max_mechanisms, self.lam,
            self.random_state, options,
        )  # fmt: skip
        result = self._fitted.result
        self.result_ = result
        self.labels_ = result.labels
        self.latent_ = result.latent
        self.membership_ = result.membership
        self.n_mechanisms_ = result.n_mechanisms
        self.cluster_centers_ = result.centres
        self.n_iter_ = result.fit.n_iter
        self._pair_in_X = y is None
        return self

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[np.intp]:
        """Fit, and return the labels of the observations fitted; see `fit`."""
        return self.fit(X, y).labels_

    def predict(self, X: Any, y: Any = None) -> NDArray[np.intp]:
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
        fitted = self._fitted
        x, z = fitted.record_x.apply(cause), fitted.record_y.apply(effect)
        if fitted.basis is not None:
            design = fitted.basis.evaluate(x)
            membership = self.result_.mixture.assign(design, np.ascontiguousarray(z[:, 0]))
            return np.asarray(membership.argmax(axis=1))
        with blas_threads_for(len(self.labels_)):
            return fitted.predictor.predict(x, z)


@dataclass(frozen=True, eq=False)
class _Clustered:
    """A result with what `MechanismClustering.predict` needs; `basis` where it was refined."""

    result: ClusteringResult
    options: FitOptions
    x: FloatArray
    y: FloatArray
    record_x: Standardisation
    record_y: Standardisation
    basis: SplineBasis | None

    @cached_property
    def predictor(self) -> MechanismPredictor:
        """What answers where labels are not refined; made when first asked for, and kept."""
        return MechanismPredictor(self.x, self.y, self.result, self.options)


def _cluster(
    cause: FloatArray,
    effect: FloatArray,
    n_mechanisms: Any,
    refine: Any,
    max_mechanisms: Any,
    lam: Any,
    random_state: Any,
    fit_options: dict[str, Any],
) -> _Clustered:
    automatic = is_auto(n_mechanisms)
    number = 0 if automatic else check_n_mechanisms(n_mechanisms, len(cause))
    most = check_count(max_mechanisms, "max_mechanisms")
    refined, reason = _whether_to_refine(refine, effect.shape[1])
    if automatic and effect.shape[1] > 1:
        raise ValueError(
            "n_mechanisms='auto' needs an effect of one column, found "
            f"{effect.shape[1]}; give the number of mechanisms"
        )
    lam = check_nonnegative(lam, "lam")
    options = FitOptions.from_keywords(fit_options)
    rng = check_rng(random_state)
    x, record_x = standardise(cause)
    y, record_y = standardise(effect)
    fit = fit_gppom(x, y, lam=lam, options=options, random_state=rng)
    seed = int(rng.integers(2**31))

    basis, fits, criteria = None, [], None
    floor = VARIANCE_FLOOR
    if refined or automatic:
        basis, floor = SplineBasis.of(x), smallest_noise(Cells.of(y[:, 0]))
        fits = _mixtures(basis, y[:, 0], number, min(most, len(x)), floor)
    if automatic:
        criteria = np.array([mixture.criterion for mixture in fits])
        number = 1 + int(criteria.argmin())

    if refine == "auto" and refined and number <= len(fits):
        gap = fits[number - 1].criterion - fits[0].criterion
        if gap > VERY_STRONG:
            refined = False
            reason = (
                f"the mixture takes one mechanism for likelier than {number}, by {gap:.1f} nats"
            )
    # Threads of OpenMP, once started, leave a forked process waiting for them for ever.
    with single_thread():
        labels = KMeans(number, n_init=KMEANS_STARTS, random_state=seed).fit(fit.latent).labels_
    mixture = None
    if refined and basis is not None:
        mixture = refine_labels(basis, y[:, 0], labels, number, fits=fits, floor=floor)
        labels = mixture.labels
    # Numbered by first appearance, so that equal partitions have equal labels.
    order = by_first_appearance(labels, number)
    labels = np.argsort(order)[labels].astype(np.intp)
    if mixture is not None:
        mixture = mixture.reordered(order)
    result = ClusteringResult(
        labels=labels,
        latent=fit.latent,
        n_mechanisms=number,
        centres=np.array([fit.latent[labels == c].mean(axis=0) for c in range(labels.max() + 1)]),
        fit=fit,
        membership=None if mixture is None else mixture.membership,
        refined=refined,
        reason=reason,
        criteria=criteria,
        mixture=mixture,
    )
    return _Clustered(result, options, x, y, record_x, record_y, basis if refined else None)


def _whether_to_refine(refine: Any, n_outputs: int) -> tuple[bool, str]:
    """Whether to refine and, if not, why."""
    if refine is None:
        return False, "refine is None"
    check_choice(refine, "refine", REFINEMENTS)
    if n_outputs == 1:
        return True, ""
    if refine == "em":
        raise ValueError(
            f"refine='em' needs an effect of one column, found {n_outputs}; pass refine=None for "
            "the clusters of Θ"
        )
    return False, f"the effect has {n_outputs} columns, and the mixture takes one"


def _mixtures(
    basis: SplineBasis, y: FloatArray, number: int, most: int, floor: float
) -> list[MixtureFit]:
    """Fits of the effect alone: to choose from (`number` 0), or to start beside Θ's clusters.

    With many mechanisms only the first is made, because each number is built on all before it.
    """
    if number > MAX_MECHANISMS:
        return [fit_single(basis, y, floor=floor)[0]]
    return choose_mixture(basis, y, n_mechanisms=number or None, max_mechanisms=most, floor=floor)
