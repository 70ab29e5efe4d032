"""Algorithm 2: which observations share a mechanism.

A GPPOM is fitted to a cause and its effect, Θ is clustered by k-means, and the clusters are refined
by a mixture of smooth mechanisms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._record import Record, frozen
from anmmm._typing import ArrayLike, FloatArray, IntArray, RandomState
from anmmm._validation import (
    as_pair,
    check_choice,
    check_count,
    check_n_mechanisms,
    check_nonnegative,
    check_rng,
)
from anmmm.clustering.kmeans import kmeans_labels
from anmmm.gppom import FitOptions, FitResult, fit_gppom
from anmmm.mixture import MAX_MECHANISMS, EffectMixtures, MixtureFit, by_first_appearance, is_auto
from anmmm.mixture.labels import LEFT
from anmmm.preprocessing import standardize

REFINEMENTS = ("auto", "em")
# Nats by which the data speak for one mechanism against C before "auto" takes C curves to be an
# unsuitable description; "very strong" evidence by Kass and Raftery's scale (J. Am. Stat. Assoc.
# 90, 1995).
VERY_STRONG = 5.0


@frozen
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

    @property
    def automatic(self) -> bool:
        """Whether the mixture's criterion chooses the number."""
        return self.n_mechanisms == 0

    def check_pair(self, n_samples: int, n_outputs: int) -> None:
        """Refuse more mechanisms than observations, and what needs an effect of one column."""
        if not self.automatic:
            check_n_mechanisms(self.n_mechanisms, n_samples)
        if n_outputs == 1:
            return
        if self.refine == "em":
            raise ValueError(
                f"refine='em' needs an effect of one column, found {n_outputs}; pass refine=None "
                "for the clusters of Θ"
            )
        if self.automatic:
            raise ValueError(
                f"n_mechanisms='auto' needs an effect of one column, found {n_outputs}; give the "
                "number of mechanisms"
            )


@frozen
class ClusteringResult(Record):
    """Mechanism labels of Algorithm 2, refined or not.

    Attributes
    ----------
    labels : ndarray of int, shape (n_samples,)
        Mechanism of each observation, 0 to ``n_mechanisms - 1``, numbered by first appearance. A
        refined mechanism that is no observation's most probable one has the last number.
    latent : ndarray of shape (n_samples, n_latent)
        Θ, whose k-means clusters are the labels or, where they were refined, speak for them.
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
        Why they are not refined, or why Θ's clusters were not heard in it; otherwise empty.
    criteria : ndarray of shape (n_tried,) or None
        Criterion of the mixture with 1, 2, … mechanisms where ``"auto"`` chose, the smallest
        winning; otherwise None.
    mixture : anmmm.mixture.MixtureFit or None
        The refined mixture on the scale of the standardized variables; None without refinement.
    """

    labels: IntArray
    latent: FloatArray
    n_mechanisms: int
    centers: FloatArray
    fit: FitResult
    reason: str = ""
    criteria: FloatArray | None = None
    mixture: MixtureFit | None = None

    @property
    def membership(self) -> FloatArray | None:
        """Probability of each mechanism under the refined mixture."""
        return None if self.mixture is None else self.mixture.membership

    @property
    def refined(self) -> bool:
        """Whether the labels are those of the mixture."""
        return self.mixture is not None


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
        Seeds k-means of several latents, and what is drawn in the fit.
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
    options = ClusteringOptions.check(
        n_mechanisms=n_mechanisms,
        refine=refine,
        max_mechanisms=max_mechanisms,
        lam=lam,
        **fit_options,
    )
    options.check_pair(len(cause), effect.shape[1])
    rng = check_rng(random_state)
    X, Y = standardize(cause)[0], standardize(effect)[0]
    fit = fit_gppom(X, Y, lam=options.lam, options=options.fit, random_state=rng)
    seed = int(rng.integers(2**31))

    mixtures = None
    if Y.shape[1] == 1 and (options.automatic or options.refine):
        most = min(options.max_mechanisms, len(X))
        mixtures = EffectMixtures(X, Y[:, 0], options.n_mechanisms, most)
    number, criteria = options.n_mechanisms, None
    if options.automatic and mixtures is not None:
        criteria = np.array([mixture.criterion for mixture in mixtures.fits])
        number = 1 + int(criteria.argmin())
    labels = kmeans_labels(fit.latent, number, seed)
    mixture, reason = _refined(labels, number, mixtures, options.refine, Y.shape[1])
    if mixture is not None:
        labels = mixture.labels
    # Numbered by first appearance, so that equal partitions have equal labels.
    order = by_first_appearance(labels, number)
    labels = np.argsort(order)[labels].astype(np.intp)
    return ClusteringResult(
        labels=labels,
        latent=fit.latent,
        n_mechanisms=number,
        centers=np.array([fit.latent[labels == c].mean(axis=0) for c in range(labels.max() + 1)]),
        fit=fit,
        reason=reason,
        criteria=criteria,
        mixture=None if mixture is None else mixture.reordered(order),
    )


def _refined(
    labels: IntArray,
    number: int,
    mixtures: EffectMixtures | None,
    refine: str | None,
    n_outputs: int,
) -> tuple[MixtureFit | None, str]:
    """Refine the clusters of Θ; say why they are not refined, or left for others."""
    if refine is None:
        return None, "refine is None"
    if mixtures is None:
        return None, f"the effect has {n_outputs} columns, and the mixture takes one"
    if refine == "auto" and number <= len(mixtures.fits):
        gap = mixtures.fits[number - 1].criterion - mixtures.fits[0].criterion
        if gap > VERY_STRONG:
            return None, (
                f"the mixture takes one mechanism for likelier than {number}, by {gap:.1f} nats"
            )
    mixture = mixtures.refined(labels, number)
    left = "Θ's clusters are not heard, as others are likelier (do curves cross?)"
    return mixture, left if mixture.start == LEFT else ""
