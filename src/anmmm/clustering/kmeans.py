"""Clusters of Θ by k-means, the paper's Algorithm 2: for one latent, the global optimum."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from anmmm._threads import single_thread
from anmmm._typing import FloatArray, IntArray

# Starts of k-means in several latents.
STARTS = 10
# Groups of adjacent points that stay together while clusters of one latent are compared, of equal
# counts, also split at the widest gaps: no outlier is grouped with others.
MOST_GROUPS, GAPS = 200, 50


def kmeans_labels(latent: FloatArray, n_clusters: int, seed: int) -> IntArray:
    """Cluster Θ (n_samples, n_latent) by k-means."""
    if latent.shape[1] == 1:
        model = KMeans(n_clusters, init=_best_centers(latent[:, 0], n_clusters), n_init=1)
    else:
        model = KMeans(n_clusters, n_init=STARTS, random_state=seed)
    # Threads of OpenMP, once started, leave a forked process waiting for them for ever.
    with single_thread():
        return np.asarray(model.fit(latent).labels_)


def _best_centers(values: FloatArray, n_clusters: int) -> FloatArray:
    """Centers (n_clusters, 1) of the clusters with the least squares within."""
    # Clusters of numbers are ranges: the best ones up to a number end where the best ones of one
    # cluster less do, by dynamic programming.
    n_groups = max(n_clusters, min(len(values), MOST_GROUPS))
    ordered = np.sort(values - values.mean())
    ends = np.linspace(0, len(values), n_groups + 1).astype(np.intp)
    if n_groups < len(values):
        gaps = 1 + np.argpartition(np.diff(ordered), -GAPS)[-GAPS:]
        ends = np.union1d(ends, gaps)
        n_groups = len(ends) - 1
    sums = np.concatenate([[0.0], np.cumsum(ordered)])[ends]
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of the groups from each end to each later one, less the squares of the numbers.
        within = -((sums - sums[:, np.newaxis]) ** 2) / (ends - ends[:, np.newaxis])
    within[np.tril_indices(n_groups + 1)] = np.inf
    # Up to each end, by one cluster and more; and where the last of them begins.
    best, begins = within[0], []
    for _ in range(n_clusters - 1):
        joined = best[:, np.newaxis] + within
        begins.append(joined.argmin(axis=0))
        best = joined.min(axis=0)
    cuts = [n_groups]
    for last in reversed(begins):
        cuts.append(last[cuts[-1]])
    cuts = [0, *reversed(cuts)]
    centers = values.mean() + np.diff(sums[cuts]) / np.diff(ends[cuts])
    return np.asarray(centers[:, np.newaxis])
