"""Which observations share a mechanism: Algorithm 2 of the paper, refined by a mixture."""

from anmmm.clustering.cluster import cluster_mechanisms
from anmmm.clustering.estimator import MechanismClustering
from anmmm.clustering.result import ClusteringResult

__all__ = ["ClusteringResult", "MechanismClustering", "cluster_mechanisms"]
