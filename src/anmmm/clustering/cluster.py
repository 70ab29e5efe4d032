"""Algorithm 2: which observations share a mechanism.

A cause and its effect come in; a GPPOM is fitted, Θ is clustered by k-means, the clusters are
refined by a mixture of smooth mechanisms, and a `ClusteringResult` goes out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._typing import ArrayLike, RandomState
from anmmm._validation import as_pair, check_n_mechanisms, check_rng
from anmmm.clustering.kmeans import kmeans_labels
from anmmm.clustering.options import ClusteringOptions
from anmmm.clustering.result import ClusteringResult
from anmmm.gppom import fit_gppom
from anmmm.mixture import MAX_MECHANISMS, EffectMixtures, by_first_appearance
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
    checked = ClusteringOptions.check(
        n_mechanisms=n_mechanisms,
        refine=refine,
        max_mechanisms=max_mechanisms,
        lam=lam,
        **fit_options,
    )
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
    labels = kmeans_labels(fit.latent, number, seed)
    mixture = effects.refined(labels, number) if refined and effects is not None else None
    if mixture is not None:
        labels = mixture.labels
        if mixture.start == LEFT:
            reason = "Θ's clusters are not heard, as others are likelier (do curves cross?)"
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
