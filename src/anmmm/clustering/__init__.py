"""Algorithm 2 of the paper: which observations share a mechanism.

`ClusteringOptions` say how; `cluster` fits a GPPOM and refines the clusters of its Θ into a
`ClusteringResult`; `MechanismClustering` is the estimator.
"""

from anmmm.clustering.cluster import cluster_mechanisms
from anmmm.clustering.estimator import MechanismClustering
from anmmm.clustering.options import ClusteringOptions
from anmmm.clustering.result import ClusteringResult

__all__ = ["ClusteringOptions", "ClusteringResult", "MechanismClustering", "cluster_mechanisms"]
