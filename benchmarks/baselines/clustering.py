"""Clustering of the points (x, y), blind to mechanisms; all that clusters is scikit-learn's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn import cluster, mixture
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from anmmm._threads import single_thread
from anmmm._typing import FloatArray
from benchmarks.baselines.base import ClusteringBaseline

# Relative differences of distances that are none.
ROUNDING = 1e-9


@dataclass(frozen=True)
class KMeans(ClusteringBaseline):
    """k-means on the standardized points, the best of `n_init` random starts."""

    n_init: int = 10
    label: ClassVar[str] = "k-means"

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        # As in `anmmm.clustering.cluster`, for processes that are forked later.
        with single_thread():
            model = cluster.KMeans(n_clusters, n_init=self.n_init, random_state=seed)
            return model.fit_predict(points)


@dataclass(frozen=True)
class PCAKMeans(KMeans):
    """k-means on the first principal component: of two variables their sum or difference."""

    label: ClassVar[str] = "PCA-km"

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        component = PCA(1, svd_solver="full").fit_transform(points)
        return super()._cluster(component, n_clusters, seed)


@dataclass(frozen=True)
class GaussianMixture(ClusteringBaseline):
    """Gaussian mixture with full covariances by EM, the likeliest of `n_init` k-means starts."""

    n_init: int = 10
    max_iter: int = 500
    label: ClassVar[str] = "GMM"

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        model = mixture.GaussianMixture(
            n_clusters, n_init=self.n_init, max_iter=self.max_iter, random_state=seed
        )
        return model.fit_predict(points)


@dataclass(frozen=True)
class SpectralClustering(ClusteringBaseline):
    """Spectral clustering by the similarity ``exp(-gamma d²)``, or 1 among neighbors.

    On standardized points a gamma of 1 is a width of 0.7 standard deviations; O(N²) memory and up
    to O(N³) time.

    References
    ----------
    Shi, Malik: Normalized cuts and image segmentation. IEEE PAMI 22, 2000. Ng, Jordan, Weiss: On
    spectral clustering: analysis and an algorithm. NIPS 2001.
    """

    affinity: Literal["rbf", "nearest_neighbors"] = "rbf"
    gamma: float = 1.0
    n_neighbors: int = 10
    label: ClassVar[str] = "SpeClu"

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        if n_clusters == 1:
            # An embedding of no dimension separates nothing.
            return np.zeros(len(points))
        model = cluster.SpectralClustering(
            n_clusters,
            affinity=self.affinity,
            gamma=self.gamma,
            n_neighbors=min(self.n_neighbors, len(points)),
            random_state=seed,
        )
        return model.fit_predict(points)


@dataclass(frozen=True)
class DBSCAN(ClusteringBaseline):
    """Density-based clustering with noise (label -1); chooses the number of clusters itself.

    A core point has `min_samples` points within `eps`, itself included; the authors recommend 4 in
    the plane. The default radius lies halfway from the knee of the sorted distances to the
    `min_samples`-th point to the next distance; the knee is the distance furthest below the chord
    between the smallest and the largest. No label is looked at.

    References
    ----------
    Ester, Kriegel, Sander, Xu: A density-based algorithm for discovering clusters in large spatial
    databases with noise. KDD 1996 (section 4.2: sorted k-distances, min_samples = 4).
    """

    min_samples: int = 4
    eps: float | None = None
    label: ClassVar[str] = "DBSCAN"

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        eps = _knee(points, self.min_samples) if self.eps is None else self.eps
        return cluster.DBSCAN(eps=eps, min_samples=self.min_samples).fit_predict(points)


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
