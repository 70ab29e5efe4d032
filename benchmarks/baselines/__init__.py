"""The methods that the paper compares with.

DIRECTION_BASELINES["anm"].direction(x, y)  # > 0: x causes y, < 0: y causes x, 0: undecided
CLUSTERING_BASELINES["gmm"].labels(x, y, 2, random_state=0)  # one label an observation
"""

from benchmarks.baselines.anm import anm
from benchmarks.baselines.base import ClusteringBaseline, DirectionBaseline
from benchmarks.baselines.clustering import dbscan, gaussian_mixture, k_means, pca_k_means, spectral
from benchmarks.baselines.ecp import ecp
from benchmarks.baselines.igci import igci
from benchmarks.baselines.lingam import lingam
from benchmarks.baselines.pnl import pnl

DIRECTION_BASELINES = {
    "anm": DirectionBaseline("ANM", anm),
    "pnl": DirectionBaseline("PNL", pnl),
    "igci": DirectionBaseline("IGCI", igci),
    "ecp": DirectionBaseline("ECP", ecp),
    "lingam": DirectionBaseline("LiNGAM", lingam),
}

CLUSTERING_BASELINES = {
    "k-means": ClusteringBaseline(k_means),
    "pca-k-means": ClusteringBaseline(pca_k_means),
    "gmm": ClusteringBaseline(gaussian_mixture),
    "spectral": ClusteringBaseline(spectral),
    "dbscan": ClusteringBaseline(dbscan),
}
