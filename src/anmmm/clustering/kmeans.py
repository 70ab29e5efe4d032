"""Clusters of Θ by k-means, the paper's Algorithm 2: for one latent, the global optimum."""

from __future__ import annotations

import numpy as np

from anmmm._threads import single_thread
from anmmm._typing import FloatArray, IntArray
from anmmm.mixture.starts import least_squares_parts

# Starts of k-means in several latents.
STARTS = 10
# Groups of one latent, and gaps that split them: no outlier is grouped with others.
MOST_GROUPS = 200
GAPS = 50


def kmeans_labels(latent: FloatArray, n_clusters: int, seed: int) -> IntArray:
    """Cluster Θ (n_samples, n_latent) by k-means."""
    if latent.shape[1] == 1:
        return least_squares_parts(latent[:, 0], n_clusters, n_groups=MOST_GROUPS, n_gaps=GAPS)
    # Imported here because it loads for long, and one latent does without.
    from sklearn.cluster import KMeans

    model = KMeans(n_clusters, n_init=STARTS, random_state=seed)
    # Threads of OpenMP, once started, leave a forked process waiting for them for ever.
    with single_thread():
        return np.asarray(model.fit(latent).labels_)
