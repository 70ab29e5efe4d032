"""The methods that the ANM Mixture Model is compared with, behind one protocol.

Variables come in as anywhere in the package; a score of the direction, or a label for each
observation, goes out. Methods are small frozen objects that hold their options; the registries
name them. What each assumes and where it comes from is in docs/guide/baselines.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from anmmm.baselines.anm import ANM
from anmmm.baselines.base import ClusteringBaseline, DirectionBaseline
from anmmm.baselines.clustering import (
    DBSCAN,
    GaussianMixture,
    KMeans,
    PCAKMeans,
    SpectralClustering,
)
from anmmm.baselines.ecp import ECP
from anmmm.baselines.igci import IGCI
from anmmm.baselines.lingam import LiNGAM
from anmmm.baselines.pnl import PNL

__all__ = [
    "ANM",
    "CLUSTERING_BASELINES",
    "DBSCAN",
    "DIRECTION_BASELINES",
    "ECP",
    "IGCI",
    "PNL",
    "ClusteringBaseline",
    "DirectionBaseline",
    "GaussianMixture",
    "KMeans",
    "LiNGAM",
    "PCAKMeans",
    "SpectralClustering",
]

DIRECTION_BASELINES: dict[str, Callable[..., DirectionBaseline]] = {
    "anm": ANM,
    "pnl": PNL,
    "igci": IGCI,
    "igci-uniform-entropy": partial(IGCI, estimator="entropy"),
    "igci-gaussian-slope": partial(IGCI, reference="gaussian"),
    "igci-gaussian-entropy": partial(IGCI, reference="gaussian", estimator="entropy"),
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
