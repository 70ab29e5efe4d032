"""The records that functions return, wherever they are made."""

from __future__ import annotations

from anmmm.clustering import ClusteringResult
from anmmm.collection.records import PairClusters, PairResult
from anmmm.dependence import LatentFits
from anmmm.direction import DirectionResult, WithoutFar
from anmmm.evidence import DirectionEvidence, EvidenceResult, sign_of
from anmmm.gppom import FitResult, Hyperparameters
from anmmm.independence import HSICTest

__all__ = [
    "ClusteringResult",
    "DirectionEvidence",
    "DirectionResult",
    "EvidenceResult",
    "FitResult",
    "HSICTest",
    "Hyperparameters",
    "LatentFits",
    "PairClusters",
    "PairResult",
    "WithoutFar",
    "sign_of",
]
