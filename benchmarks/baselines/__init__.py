"""The methods that the paper compares with, each a small frozen object.

DIRECTION_BASELINES["anm"]().direction(x, y)  # > 0: x causes y, < 0: y causes x, 0: undecided
CLUSTERING_BASELINES["gmm"]().labels(x, y, 2, random_state=0)  # one label an observation
"""

from collections.abc import Callable

from benchmarks.baselines.anm import ANM
from benchmarks.baselines.base import ClusteringBaseline, DirectionBaseline
from benchmarks.baselines.clustering import (
    DBSCAN,
    GaussianMixture,
    KMeans,
    PCAKMeans,
    SpectralClustering,
)
from benchmarks.baselines.ecp import ECP
from benchmarks.baselines.igci import IGCI
from benchmarks.baselines.lingam import LiNGAM
from benchmarks.baselines.pnl import PNL

DIRECTION_BASELINES: dict[str, Callable[..., DirectionBaseline]] = {
    "anm": ANM,
    "pnl": PNL,
    "igci": IGCI,
    "ecp": ECP,
    "lingam": LiNGAM,
}

CLUSTERING_BASELINES: dict[str, Callable[..., ClusteringBaseline]] = {
    "k-means": KMeans,
    "pca-k-means": PCAKMeans,
    "gmm": GaussianMixture,
    "spectral": SpectralClustering,
    "dbscan": DBSCAN,
}
