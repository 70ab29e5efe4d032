"""Description lengths of a pair in both directions, and the models behind them."""

from anmmm.evidence.check import check_model, integral_transform
from anmmm.evidence.code import RESOLUTION
from anmmm.evidence.common_cause import CommonCause
from anmmm.evidence.lengths import DirectionEvidence, EvidenceResult, compare, evidence, sign_of
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models import ConditionalModel, model_text
from anmmm.evidence.side import ColumnEvidence, SideEvidence
from anmmm.evidence.variable import Variable
from anmmm.evidence.vectors import VectorEvidence, beyond_limits

__all__ = [
    "RESOLUTION",
    "ColumnEvidence",
    "CommonCause",
    "ConditionalModel",
    "DirectionEvidence",
    "EvidenceResult",
    "Marginal",
    "SideEvidence",
    "Variable",
    "VectorEvidence",
    "beyond_limits",
    "check_model",
    "compare",
    "evidence",
    "integral_transform",
    "model_text",
    "sign_of",
]
