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
    from anmmm.direction import (
        CausalDirection,
        DirectionResult,
        description_lengths,
        infer_direction,
    )
    from anmmm.evaluation import Evaluation, evaluate
    from anmmm.evidence import DirectionEvidence, EvidenceResult
    from anmmm.gppom import GPPOM, FitOptions, FitResult, Hyperparameters
    from anmmm.gppom.objective import GPPOMObjective
    from anmmm.graph import CausalGraph, GraphEdge, GraphNode, Mixing, infer_graph, orient
    from anmmm.independence import HSICTest, hsic, hsic_test
    from anmmm.mixture import ANMMixture

_HOMES = {
    "ANMMixture": "anmmm.mixture",
    "ClusteringResult": "anmmm.clustering",
    "DirectionEvidence": "anmmm.evidence",
    "DirectionResult": "anmmm.direction",
    "EvidenceResult": "anmmm.evidence",
    "FitResult": "anmmm.gppom",
    "GraphEdge": "anmmm.graph",
    "GraphNode": "anmmm.graph",
    "HSICTest": "anmmm.independence",
    "Hyperparameters": "anmmm.gppom",
    "LatentFits": "anmmm.dependence",
    "Mixing": "anmmm.graph",
    "PairClusters": "anmmm.collection.records",
    "PairResult": "anmmm.collection.records",
    "CausalDirection": "anmmm.direction",
    "CausalGraph": "anmmm.graph",
    "Evaluation": "anmmm.evaluation",
    "FitOptions": "anmmm.gppom",
    "GPPOM": "anmmm.gppom",
    "GPPOMObjective": "anmmm.gppom",
    "MechanismClustering": "anmmm.clustering",
    "cluster_pairs": "anmmm.collection",
    "cluster_mechanisms": "anmmm.clustering",
    "datasets": "anmmm.datasets",
    "description_lengths": "anmmm.direction",
    "evaluate": "anmmm.evaluation",
    "hsic": "anmmm.independence",
    "hsic_test": "anmmm.independence",
    "infer_direction": "anmmm.direction",
    "infer_directions": "anmmm.collection",
    "infer_graph": "anmmm.graph",
    "orient": "anmmm.graph",
    "warm_up": "anmmm._ahead",
}

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
    "Hyperparameters",
    "LatentFits",
    "MechanismClustering",
    "Mixing",
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

__getattr__, __dir__ = lazily(__name__, _HOMES)
