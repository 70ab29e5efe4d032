"""Which observations share a mechanism: Algorithm 2 of the paper, refined by a mixture."""

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.clustering.cluster import cluster_mechanisms
from anmmm.clustering.result import ClusteringResult

if TYPE_CHECKING:
    from anmmm.clustering.estimator import MechanismClustering

__all__ = ["ClusteringResult", "MechanismClustering", "cluster_mechanisms"]

# It derives from scikit-learn's estimators, which take longer to load than all else here.
__getattr__, __dir__ = lazily(__name__, {"MechanismClustering": "anmmm.clustering.estimator"})
