"""Algorithm 2: which observations share a mechanism.

A GPPOM is fitted to a cause and its effect, Θ is clustered by k-means, and the clusters are refined
by a mixture of smooth mechanisms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._typing import ArrayLike, IntArray, RandomState
from anmmm._validation import as_pair, check_rng
from anmmm.clustering.kmeans import kmeans_labels
from anmmm.clustering.options import ClusteringOptions
from anmmm.clustering.result import ClusteringResult
from anmmm.gppom import fit_gppom
from anmmm.mixture import MAX_MECHANISMS, EffectMixtures, MixtureFit, by_first_appearance
from anmmm.mixture.labels import LEFT
from anmmm.preprocessing import standardize

# Nats by which the data speak for one mechanism against C before "auto" takes C curves to be an
# unsuitable description; "very strong" evidence by Kass and Raftery's scale (J. Am. Stat. Assoc.
# 90, 1995).
VERY_STRONG = 5.0


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
