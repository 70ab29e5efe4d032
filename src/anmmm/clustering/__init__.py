"""Which observations share a mechanism: Algorithm 2 of the paper, refined by a mixture."""

from anmmm.clustering.cluster import ClusteringOptions, ClusteringResult, cluster_mechanisms
from anmmm.clustering.estimator import MechanismClustering

__all__ = ["ClusteringOptions", "ClusteringResult", "MechanismClustering", "cluster_mechanisms"]
