"""Algorithm 2 of the paper: which observations share a mechanism.

`ClusteringOptions` say how; `cluster` fits a GPPOM and refines the clusters of its Θ into a
`ClusteringResult`; `MechanismClustering` is the estimator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.clustering.options import ClusteringOptions
from anmmm.clustering.result import ClusteringResult

if TYPE_CHECKING:
    from anmmm.clustering.cluster import cluster_mechanisms
    from anmmm.clustering.estimator import MechanismClustering

__all__ = ["ClusteringOptions", "ClusteringResult", "MechanismClustering", "cluster_mechanisms"]

# Rows of a collection can hold results, and are to be written without scikit-learn.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "MechanismClustering": "anmmm.clustering.estimator",
        "cluster_mechanisms": "anmmm.clustering.cluster",
    },
)
