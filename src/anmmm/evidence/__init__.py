"""Description lengths of a pair in both directions, and the models behind them."""

from anmmm.evidence.base import BaseEvidence, ColumnEvidence
from anmmm.evidence.check import check_model, integral_transform
from anmmm.evidence.code import RESOLUTION
from anmmm.evidence.hidden_code import CommonCause
from anmmm.evidence.lengths import DirectionEvidence, EvidenceResult, compare, evidence, sign_of
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models import ConditionalModel, model_text
from anmmm.evidence.variable import Variable
from anmmm.evidence.vectors import VectorEvidence, column_limit_error

__all__ = [
    "RESOLUTION",
    "BaseEvidence",
    "ColumnEvidence",
    "CommonCause",
    "ConditionalModel",
    "DirectionEvidence",
    "EvidenceResult",
    "Marginal",
    "Variable",
    "VectorEvidence",
    "check_model",
    "column_limit_error",
    "compare",
    "evidence",
    "integral_transform",
    "model_text",
    "sign_of",
]
