"""Algorithm 2: which observations share a mechanism.

A GPPOM is fitted to a cause and its effect, and Θ is clustered by k-means. The clusters are noisy
labels of a mixture of smooth mechanisms, whose number has the shortest description.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from anmmm._categories import complete_numbers
from anmmm._columns import takes_pairs, variable_names
from anmmm._threads import single_thread
from anmmm._typing import ArrayLike, FloatArray, IntArray, Missing, RandomState
from anmmm._validation import check_rng
from anmmm.clustering.choice import Described, describe_numbers, shortest_single
from anmmm.clustering.options import ClusteringOptions
from anmmm.clustering.result import ClusteringResult
from anmmm.evidence.variable import Variable
from anmmm.gppom import FitOptions
from anmmm.gppom.model import fit_gppom
from anmmm.mixture.em import smallest_noise
from anmmm.mixture.mechanisms import Sample, by_first_appearance
from anmmm.mixture.search import MAX_NUMBER, refine_by_labels, search_mechanisms
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import least_squares_parts
from anmmm.preprocessing import standardize

# Distinct values below which an effect has no curves.
MIN_DISTINCT = 3
# Starts of k-means in several latents.
STARTS = 10
# Groups of one latent, and gaps that split them: no outlier is grouped with others.
MOST_GROUPS = 200
GAPS = 50


@takes_pairs
def cluster_mechanisms(
    x: ArrayLike,
    y: ArrayLike,
    n_mechanisms: int | str = "auto",
    *,
    refine: bool = True,
    max_mechanisms: int = MAX_NUMBER,
    fit_options: FitOptions | Mapping[str, Any] | None = None,
    missing: Missing = "raise",
    random_state: RandomState = None,
) -> ClusteringResult:
    """Group observations by the mechanism that turned x into y.

    The clusters of Θ (Algorithm 2 of the paper) are noisy labels in the fit of a mixture of smooth
    mechanisms, whose labels are returned.

    Parameters
    ----------
    x : array-like of shape (n_samples,) or (n_samples, n_features)
        Cause.
    y : array-like of shape (n_samples,) or (n_samples, n_features)
        Effect, a number. A frame and two names stand for both:
        ``cluster_mechanisms(frame, "age", "crp")``.
    n_mechanisms : int or "auto"
        Number of mechanisms, between 1 and the number of observations. ``"auto"`` takes the number
        from 1 to `max_mechanisms` with the shortest description of the effect, and needs an effect
        of one column.
    refine : bool
        True: the labels of the mixture. False, and for an effect of several columns: the clusters
        of Θ themselves, the paper's Algorithm 2.
    max_mechanisms : int
        Largest number that ``n_mechanisms="auto"`` tries, at most 8.
    fit_options : FitOptions or mapping, optional
        How Θ is fitted, ``{"lam": 0.5}`` for instance; see `anmmm.FitOptions`.
    missing : {"raise", "drop"}
        Whether a missing value is an error, or leaves its observation out; the result counts them,
        and has labels for the others, which `ClusteringResult.rows` are.
    random_state : None, int or Generator
        Seeds k-means of several latents, and the random starts of the fit.

    Returns
    -------
    ClusteringResult
        ``labels``, ``probabilities``, ``curves``, ``predict``, the fit and the mixture.

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
    One fit, k-means on Θ, then EM, linear in the number of observations. Mechanisms
    share the size of their noise, or each has its own, which may grow with the cause; weights are
    equal, free, or depend on the cause. The shortest description chooses. One mechanism competes as
    the shortest of all models of one mechanism that `anmmm.infer_direction` has. The accuracy:
    docs/results/quality.md.

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
    names = variable_names(x, y)
    cause, effect, dropped = complete_numbers(x, y, missing, names)
    options = ClusteringOptions.check(
        n_mechanisms=n_mechanisms,
        refine=refine,
        max_mechanisms=max_mechanisms,
        fit_options=fit_options,
    )
    if effect.shape[1] == 1:
        refuse_levels(effect, names[1])
    result = cluster_pair(cause, effect, options, random_state)
    rows = np.delete(np.arange(len(cause) + len(dropped)), dropped)
    return replace(result, names=names, n_dropped=len(dropped), rows=rows)


def refuse_levels(effect: FloatArray, name: str) -> None:
    """Raise if an effect (n_samples, 1) is constant or binary."""
    n_distinct = len(np.unique(effect))
    if n_distinct < MIN_DISTINCT:
        raise ValueError(
            f"the effect {name} has {n_distinct} distinct values, but mechanisms are curves of a "
            "number; pass a numeric effect"
        )


def cluster_pair(
    cause: FloatArray, effect: FloatArray, options: ClusteringOptions, random_state: RandomState
) -> ClusteringResult:
    """Cluster a checked cause (n_samples, n_features) and effect (n_samples, n_outputs)."""
    options.check_pair(*effect.shape)
    rng = check_rng(random_state)
    X, scale_x = standardize(cause)
    Y, scale_y = standardize(effect)
    fit = fit_gppom(X, Y, fit_options=options.fit, random_state=rng)
    seed = int(rng.integers(2**31))

    described: dict[int, Described] = {}
    if Y.shape[1] == 1 and (options.automatic or options.refine):
        variable = Variable.of(Y[:, 0], effect[:, 0])
        sample = Sample(SplineBasis.of(X), X, Y[:, 0], smallest_noise(variable.cells))
        described = _describe(sample, variable, options)
    lengths = {number: description.length for number, description in described.items()}
    number = options.n_mechanisms
    if options.automatic:
        number = min(lengths, key=lengths.__getitem__)
    labels = kmeans_labels(fit.latent, number, seed)
    mixture = None
    if options.refine and number in described:
        mixture = described[number].mechanisms
        if number > 1:
            mixture = refine_by_labels(sample, mixture, labels)
        labels = mixture.labels
    # Numbered by first appearance, so that equal partitions have equal labels.
    order = by_first_appearance(labels, number)
    labels = np.argsort(order)[labels].astype(np.intp)
    return ClusteringResult(
        labels=labels,
        latent=fit.latent,
        n_mechanisms=number,
        fit=fit,
        notes=() if mixture is not None else (_unrefined(options, number, Y.shape[1]),),
        lengths=lengths,
        mixture=None if mixture is None else mixture.reordered(order),
        rows=np.arange(len(X)),
        _points=(X, Y),
        _scales=(scale_x, scale_y),
    )


def _describe(sample: Sample, effect: Variable, options: ClusteringOptions) -> dict[int, Described]:
    """Describe the effect by 1, 2, … mechanisms, or by 1 and the requested number."""
    fits = search_mechanisms(
        sample,
        number=options.n_mechanisms or None,
        max_mechanisms=min(options.max_mechanisms, len(sample.y)),
    )
    described = describe_numbers(fits, effect.cells)
    single = shortest_single(sample.points, sample.basis, effect)
    if single.length < described[1].length:
        described[1] = replace(described[1], length=single.length)
    return described


def _unrefined(options: ClusteringOptions, number: int, n_outputs: int) -> str:
    """Return why labels are the clusters of Θ."""
    if not options.refine:
        return "refine is False"
    if n_outputs > 1:
        return f"the effect has {n_outputs} columns, but the mixture takes one"
    return f"a mixture of {number} mechanisms leaves some without observations"


def kmeans_labels(latent: FloatArray, n_clusters: int, seed: int) -> IntArray:
    """Cluster Θ (n_samples, n_latent) by k-means; for one latent, by its global optimum."""
    if latent.shape[1] == 1:
        return least_squares_parts(latent[:, 0], n_clusters, n_groups=MOST_GROUPS, n_gaps=GAPS)
    # Imported here because it loads for long, and one latent does without.
    from sklearn.cluster import KMeans

    model = KMeans(n_clusters, n_init=STARTS, random_state=seed)
    # Threads of OpenMP, once started, leave a forked process waiting for them for ever.
    with single_thread():
        return np.asarray(model.fit(latent).labels_)
