"""Description lengths of a pair in both directions, and the models behind them."""

from anmmm.evidence.common_cause import CommonCause
from anmmm.evidence.directions import DirectionEvidence
from anmmm.evidence.lengths import EvidenceResult, description_lengths
from anmmm.evidence.models import ConditionalModel

__all__ = [
    "CommonCause",
    "ConditionalModel",
    "DirectionEvidence",
    "EvidenceResult",
    "description_lengths",
]
