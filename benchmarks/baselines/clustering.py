"""Clustering of the points (x, y), blind to mechanisms; all that clusters is scikit-learn's."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn import cluster, mixture
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from anmmm._threads import single_thread
from anmmm._typing import FloatArray

# Relative differences of distances that are none.
ROUNDING = 1e-9
# Of a core point of DBSCAN.
MIN_SAMPLES = 4


def k_means(points: FloatArray, n_clusters: int, seed: int) -> Any:
    """k-means on the standardized points, the best of 10 random starts."""
    # As in `anmmm.clustering.cluster`, for processes that are forked later.
    with single_thread():
        return cluster.KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(points)


def pca_k_means(points: FloatArray, n_clusters: int, seed: int) -> Any:
    """k-means on the first principal component: of two variables their sum or difference."""
    return k_means(PCA(1, svd_solver="full").fit_transform(points), n_clusters, seed)


def gaussian_mixture(points: FloatArray, n_clusters: int, seed: int) -> Any:
    """Gaussian mixture with full covariances by EM, the likeliest of 10 k-means starts."""
    model = mixture.GaussianMixture(n_clusters, n_init=10, max_iter=500, random_state=seed)
    return model.fit_predict(points)


def spectral(
    points: FloatArray,
    n_clusters: int,
    seed: int,
    affinity: Literal["rbf", "nearest_neighbors"] = "rbf",
    gamma: float = 1.0,
    n_neighbors: int = 10,
) -> Any:
    """Spectral clustering by the similarity ``exp(-gamma d²)``, or 1 among neighbors.

    On standardized points a gamma of 1 is a width of 0.7 standard deviations; O(N²) memory and up
    to O(N³) time.

    References
    ----------
    Shi, Malik: Normalized cuts and image segmentation. IEEE PAMI 22, 2000. Ng, Jordan, Weiss: On
    spectral clustering: analysis and an algorithm. NIPS 2001.
    """
    if n_clusters == 1:
        # An embedding of no dimension separates nothing.
        return np.zeros(len(points))
    model = cluster.SpectralClustering(
        n_clusters,
        affinity=affinity,
        gamma=gamma,
        n_neighbors=min(n_neighbors, len(points)),
        random_state=seed,
    )
    return model.fit_predict(points)


def dbscan(points: FloatArray, n_clusters: int, seed: int, eps: float | None = None) -> Any:
    """Density-based clustering with noise (label -1); chooses the number of clusters itself.

    A core point has 4 points within `eps`, itself included, as the authors recommend in the plane.
    The default radius lies halfway from the knee of the sorted distances to the 4th point to the
    next distance; the knee is the distance furthest below the chord between the smallest and the
    largest. No label is looked at.

    References
    ----------
    Ester, Kriegel, Sander, Xu: A density-based algorithm for discovering clusters in large spatial
    databases with noise. KDD 1996 (section 4.2: sorted k-distances, min_samples = 4).
    """
    eps = _knee(points, MIN_SAMPLES) if eps is None else eps
    return cluster.DBSCAN(eps=eps, min_samples=MIN_SAMPLES).fit_predict(points)


def _knee(points: FloatArray, k: int) -> float:
    distances = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(points)[0][:, -1]
    # Points that tie k times say nothing about the spacing of the others.
    heights = np.sort(distances[distances > 0.0])
    if len(heights) == 0:
        # All observations tie: each set of ties is a cluster at any radius below their spacing.
        return float(np.finfo(np.float64).eps)
    chord = np.linspace(heights[0], heights[-1], len(heights))
    knee = int(np.argmax(chord - heights))
    # Between two distances, and a hair above those that are equal: rounding must not decide
    # whether a point is within the radius.
    following = heights[min(knee + 1, len(heights) - 1)]
    return (1.0 + ROUNDING) * float(0.5 * (heights[knee] + following))
