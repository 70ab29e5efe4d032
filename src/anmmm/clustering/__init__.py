"""Algorithm 2 of the paper: which observations share a mechanism.

`ClusteringOptions` are the options; `cluster` fits a GPPOM and refines the clusters of its Θ into a
`ClusteringResult`; `MechanismClustering` is the estimator.
"""

from anmmm.clustering.cluster import ClusteringOptions, ClusteringResult, cluster_mechanisms
from anmmm.clustering.estimator import MechanismClustering

__all__ = ["ClusteringOptions", "ClusteringResult", "MechanismClustering", "cluster_mechanisms"]
