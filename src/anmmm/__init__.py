"""Causal direction and mechanism clustering of variable pairs (ANM mixture model).

The public names below are loaded when they are first used, so that importing the package costs
next to nothing.
"""

from anmmm._lazy import lazily
from anmmm._version import __version__

# As type checkers know it; ``typing`` takes longer to load than all else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from anmmm import datasets
    from anmmm._ahead import warm_up
    from anmmm.clustering import ClusteringResult, MechanismClustering, cluster_mechanisms
    from anmmm.collection import cluster_pairs, infer_directions
    from anmmm.collection.records import PairClusters, PairResult
    from anmmm.dependence import LatentFits
    from anmmm.direction import CausalDirection, DirectionResult, infer_direction
    from anmmm.evaluation import Evaluation, evaluate
    from anmmm.evidence import DirectionEvidence, EvidenceResult, description_lengths
    from anmmm.gppom import GPPOM, FitOptions, FitResult, Hyperparameters
    from anmmm.gppom.objective import GPPOMObjective
    from anmmm.graph import CausalGraph, GraphEdge, GraphNode, HiddenGroups, infer_graph, orient
    from anmmm.independence import HSICTest, hsic, hsic_test
    from anmmm.mixture import ANMMixture

_NAMES = {
    "anmmm._ahead": "warm_up",
    "anmmm.clustering": "ClusteringResult MechanismClustering cluster_mechanisms",
    "anmmm.collection": "cluster_pairs infer_directions",
    "anmmm.collection.records": "PairClusters PairResult",
    "anmmm.datasets": "datasets",
    "anmmm.dependence": "LatentFits",
    "anmmm.direction": "CausalDirection DirectionResult infer_direction",
    "anmmm.evaluation": "Evaluation evaluate",
    "anmmm.evidence": "DirectionEvidence EvidenceResult description_lengths",
    "anmmm.gppom": "GPPOM FitOptions FitResult GPPOMObjective Hyperparameters",
    "anmmm.graph": "CausalGraph GraphEdge GraphNode HiddenGroups infer_graph orient",
    "anmmm.independence": "HSICTest hsic hsic_test",
    "anmmm.mixture": "ANMMixture",
}
# Attributes too, as ``anmmm.plotting.plot_graph``; loaded by that, and not by ``import *``.
_MODULES = (
    "clustering collection dependence direction evaluation evidence gppom graph "
    "independence interop mixture permutation plotting preprocessing report"
)

__all__ = [
    "GPPOM",
    "ANMMixture",
    "CausalDirection",
    "CausalGraph",
    "ClusteringResult",
    "DirectionEvidence",
    "DirectionResult",
    "Evaluation",
    "EvidenceResult",
    "FitOptions",
    "FitResult",
    "GPPOMObjective",
    "GraphEdge",
    "GraphNode",
    "HSICTest",
    "HiddenGroups",
    "Hyperparameters",
    "LatentFits",
    "MechanismClustering",
    "PairClusters",
    "PairResult",
    "__version__",
    "cluster_mechanisms",
    "cluster_pairs",
    "datasets",
    "description_lengths",
    "evaluate",
    "hsic",
    "hsic_test",
    "infer_direction",
    "infer_directions",
    "infer_graph",
    "orient",
    "warm_up",
]

__getattr__, __dir__ = lazily(
    __name__,
    {name: f"anmmm.{name}" for name in _MODULES.split()}
    | {name: home for home, names in _NAMES.items() for name in names.split()},
)
