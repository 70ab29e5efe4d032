"""Clustering of the points (x, y), blind to mechanisms.

Two variables come in, are standardized and put side by side; a label for each observation goes
out. Everything that clusters is scikit-learn's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn import cluster, mixture
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from anmmm._threads import single_thread
from anmmm._typing import FloatArray
from anmmm._validation import check_choice, check_count, check_positive
from anmmm.baselines.base import ClusteringBaseline

# Relative differences of distances that are none.
ROUNDING = 1e-9


@dataclass(frozen=True)
class KMeans(ClusteringBaseline):
    """k-means on the standardized points.

    Parameters
    ----------
    n_init : int
        Random starts; the one of least inertia is taken.

    References
    ----------
    MacQueen: Some methods for classification and analysis of multivariate observations. Berkeley
    Symposium, 1967.
    """

    n_init: int = 10
    label: ClassVar[str] = "k-means"

    def __post_init__(self) -> None:
        check_count(self.n_init, "n_init")

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        # As in `anmmm.clustering.cluster`, for processes that are forked later.
        with single_thread():
            model = cluster.KMeans(n_clusters, n_init=self.n_init, random_state=seed)
            return model.fit_predict(points)


@dataclass(frozen=True)
class PCAKMeans(KMeans):
    """k-means on the first principal component of the standardized points.

    Parameters
    ----------
    n_init : int
        Random starts; the one of least inertia is taken.

    Notes
    -----
    The first component of two standardized variables is their sum or their difference.
    """

    label: ClassVar[str] = "PCA-km"

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        component = PCA(1, svd_solver="full").fit_transform(points)
        return super()._cluster(component, n_clusters, seed)


@dataclass(frozen=True)
class GaussianMixture(ClusteringBaseline):
    """Gaussian mixture with a full covariance for each component, by EM.

    Parameters
    ----------
    n_init : int
        k-means starts; the likeliest fit is taken.
    max_iter : int
        Most EM steps of one start.
    """

    n_init: int = 10
    max_iter: int = 500
    label: ClassVar[str] = "GMM"

    def __post_init__(self) -> None:
        check_count(self.n_init, "n_init")
        check_count(self.max_iter, "max_iter")

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        model = mixture.GaussianMixture(
            n_clusters, n_init=self.n_init, max_iter=self.max_iter, random_state=seed
        )
        return model.fit_predict(points)


@dataclass(frozen=True)
class SpectralClustering(ClusteringBaseline):
    """Spectral clustering of the standardized points.

    Parameters
    ----------
    affinity : {"rbf", "nearest_neighbors"}
        Similarity ``exp(-gamma d²)``, or 1 among neighbors.
    gamma : float
        Positive; for ``"rbf"``. On standardized points 1 is a width of 0.7 standard deviations.
    n_neighbors : int
        For ``"nearest_neighbors"``.

    Notes
    -----
    With ``"rbf"`` O(N²) memory and up to O(N³) time.

    References
    ----------
    Shi, Malik: Normalized cuts and image segmentation. IEEE PAMI 22, 2000. Ng, Jordan, Weiss: On
    spectral clustering: analysis and an algorithm. NIPS 2001.
    """

    affinity: Literal["rbf", "nearest_neighbors"] = "rbf"
    gamma: float = 1.0
    n_neighbors: int = 10
    label: ClassVar[str] = "SpeClu"

    def __post_init__(self) -> None:
        check_choice(self.affinity, "affinity", ("rbf", "nearest_neighbors"))
        check_positive(self.gamma, "gamma")
        check_count(self.n_neighbors, "n_neighbors")

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
    """Density-based clustering with noise; chooses the number of clusters itself.

    Parameters
    ----------
    min_samples : int
        Points within eps, itself included, that make a core point. The authors recommend 4 in the
        plane.
    eps : float, optional
        Radius on the standardized points, positive. By default halfway from the knee of the sorted
        distances to the `min_samples`-th point (itself included) to the next distance. The knee is
        the distance furthest below the chord between the smallest and the largest. No label is
        looked at.

    Notes
    -----
    The number of mechanisms and the random state are checked and not used. The label -1 marks
    noise; there may be any number of clusters, none included.

    References
    ----------
    Ester, Kriegel, Sander, Xu: A density-based algorithm for discovering clusters in large spatial
    databases with noise. KDD 1996 (section 4.2: sorted k-distances, min_samples = 4).
    """

    min_samples: int = 4
    eps: float | None = None
    label: ClassVar[str] = "DBSCAN"

    def __post_init__(self) -> None:
        check_count(self.min_samples, "min_samples", minimum=2)
        if self.eps is not None:
            check_positive(self.eps, "eps")

    def _cluster(self, points: FloatArray, n_clusters: int, seed: int) -> Any:
        if self.min_samples > len(points):
            raise ValueError(
                f"min_samples must be at most n_samples, found {self.min_samples} for "
                f"{len(points)} observations"
            )
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
