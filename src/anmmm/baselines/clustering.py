"""Clustering of the points (x, y), blind to mechanisms.

Two variables come in, are standardised and put side by side; a label for each observation goes
out. Everything that clusters is scikit-learn's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn import cluster, mixture
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from anmmm._threads import single_thread
from anmmm._typing import FloatArray
from anmmm._validation import (
    check_choice,
    check_count,
    check_n_mechanisms,
    check_positive,
    check_rng,
)
from anmmm.baselines.base import integer_seed, standardised_points

__all__ = ["DBSCAN", "GaussianMixture", "KMeans", "PCAKMeans", "SpectralClustering"]

Labels = NDArray[np.intp]

# Relative differences of distances that are none.
ROUNDING = 1e-9


@dataclass(frozen=True)
class KMeans:
    """k-means on the standardised points.

    Parameters
    ----------
    n_init : int
        Random starts; the one of least inertia is kept.

    References
    ----------
    MacQueen: Some methods for classification and analysis of multivariate observations. Berkeley
    Symposium, 1967.
    """

    n_init: int = 10
    label: ClassVar[str] = "k-means"

    def __post_init__(self) -> None:
        check_count(self.n_init, "n_init")

    def labels(self, x: Any, y: Any, n_mechanisms: int, *, random_state: Any = None) -> Labels:
        """Label the observations of one pair; see `ClusteringBaseline.labels`."""
        points = standardised_points(x, y)
        return _k_means(points, n_mechanisms, self.n_init, random_state)


@dataclass(frozen=True)
class PCAKMeans:
    """k-means on the first principal component of the standardised points.

    Parameters
    ----------
    n_init : int
        Random starts; the one of least inertia is kept.

    Notes
    -----
    The first component of two standardised variables is their sum or their difference.
    """

    n_init: int = 10
    label: ClassVar[str] = "PCA-km"

    def __post_init__(self) -> None:
        check_count(self.n_init, "n_init")

    def labels(self, x: Any, y: Any, n_mechanisms: int, *, random_state: Any = None) -> Labels:
        """Label the observations of one pair; see `ClusteringBaseline.labels`."""
        points = PCA(1, svd_solver="full").fit_transform(standardised_points(x, y))
        return _k_means(points, n_mechanisms, self.n_init, random_state)


@dataclass(frozen=True)
class GaussianMixture:
    """Gaussian mixture with a full covariance for each component, by EM.

    Parameters
    ----------
    n_init : int
        k-means starts; the likeliest fit is kept.
    max_iter : int
        Most EM steps of one start.
    """

    n_init: int = 10
    max_iter: int = 500
    label: ClassVar[str] = "GMM"

    def __post_init__(self) -> None:
        check_count(self.n_init, "n_init")
        check_count(self.max_iter, "max_iter")

    def labels(self, x: Any, y: Any, n_mechanisms: int, *, random_state: Any = None) -> Labels:
        """Label the observations of one pair; see `ClusteringBaseline.labels`."""
        points = standardised_points(x, y)
        model = mixture.GaussianMixture(
            check_n_mechanisms(n_mechanisms, len(points)),
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=integer_seed(random_state),
        )
        return _as_labels(model.fit_predict(points))


@dataclass(frozen=True)
class SpectralClustering:
    """Spectral clustering of the standardised points.

    Parameters
    ----------
    affinity : {"rbf", "nearest_neighbors"}
        Similarity ``exp(-gamma d²)``, or 1 among neighbours.
    gamma : float
        Positive; for ``"rbf"``. On standardised points 1 is a width of 0.7 standard deviations.
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

    def labels(self, x: Any, y: Any, n_mechanisms: int, *, random_state: Any = None) -> Labels:
        """Label the observations of one pair; see `ClusteringBaseline.labels`."""
        points = standardised_points(x, y)
        n_clusters = check_n_mechanisms(n_mechanisms, len(points))
        seed = integer_seed(random_state)
        if n_clusters == 1:
            # An embedding of no dimension has nothing to tell.
            return np.zeros(len(points), dtype=np.intp)
        model = cluster.SpectralClustering(
            n_clusters,
            affinity=self.affinity,
            gamma=self.gamma,
            n_neighbors=min(self.n_neighbors, len(points)),
            random_state=seed,
        )
        return _as_labels(model.fit_predict(points))


@dataclass(frozen=True)
class DBSCAN:
    """Density-based clustering with noise; finds its own number of clusters.

    Parameters
    ----------
    min_samples : int
        Points within eps, itself included, that make a core point. The authors recommend 4 in the
        plane.
    eps : float, optional
        Radius on the standardised points, positive. By default halfway from the knee of the sorted
        distances to the `min_samples`-th point (itself included) to the next distance. The knee is
        the distance furthest below the chord between the smallest and the largest. No label is
        looked at.

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

    def labels(self, x: Any, y: Any, n_mechanisms: int, *, random_state: Any = None) -> Labels:
        """Label the observations of one pair; see `ClusteringBaseline.labels`.

        Parameters
        ----------
        x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        n_mechanisms : int
            Checked, not used: the number of clusters follows from eps and `min_samples`.
        random_state
            Checked, not used.

        Returns
        -------
        ndarray of int, shape (n_samples,)
            -1 marks noise. Any number of clusters, none included.

        Raises
        ------
        TypeError, ValueError
            If an argument cannot be used.
        """
        points = standardised_points(x, y)
        check_n_mechanisms(n_mechanisms, len(points))
        check_rng(random_state)
        if self.min_samples > len(points):
            raise ValueError(
                f"min_samples must be at most n_samples, found {self.min_samples} for "
                f"{len(points)} observations"
            )
        eps = _knee(points, self.min_samples) if self.eps is None else self.eps
        model = cluster.DBSCAN(eps=eps, min_samples=self.min_samples)
        return _as_labels(model.fit_predict(points))


def _k_means(points: FloatArray, n_mechanisms: int, n_init: int, random_state: Any) -> Labels:
    model = cluster.KMeans(
        check_n_mechanisms(n_mechanisms, len(points)),
        n_init=n_init,
        random_state=integer_seed(random_state),
    )
    # As in `anmmm.clustering`, for processes that are forked later.
    with single_thread():
        return _as_labels(model.fit_predict(points))


def _as_labels(labels: Any) -> Labels:
    return np.asarray(labels, dtype=np.intp)


def _knee(points: FloatArray, k: int) -> float:
    distances = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(points)[0][:, -1]
    # Points that tie k times say nothing about the spacing of the others.
    heights = np.sort(distances[distances > 0.0])
    if len(heights) == 0:
        # All observations tie: each set of ties is a cluster at any radius below their spacing.
        return float(np.finfo(np.float64).eps)
    chord = np.linspace(heights[0], heights[-1], len(heights))
    knee = int(np.argmax(chord - heights))
    # Between two distances, and a hair above those that are equal: rounding must not tell whether
    # a point is within the radius.
    following = heights[min(knee + 1, len(heights) - 1)]
    return (1.0 + ROUNDING) * float(0.5 * (heights[knee] + following))
