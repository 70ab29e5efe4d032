"""Description lengths of a pair in both directions, and the models behind them."""

from anmmm.evidence.check import check_model, integral_transform
from anmmm.evidence.code import RESOLUTION
from anmmm.evidence.common_cause import CommonCause
from anmmm.evidence.directions import ColumnEvidence, DirectionEvidence
from anmmm.evidence.lengths import EvidenceResult, compare, description_lengths, sign_of
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models import ConditionalModel, model_text
from anmmm.evidence.variable import Variable
from anmmm.evidence.vectors import column_limit_error

__all__ = [
    "RESOLUTION",
    "ColumnEvidence",
    "CommonCause",
    "ConditionalModel",
    "DirectionEvidence",
    "EvidenceResult",
    "Marginal",
    "Variable",
    "check_model",
    "column_limit_error",
    "compare",
    "description_lengths",
    "integral_transform",
    "model_text",
    "sign_of",
]
