"""Description lengths of a pair in both directions, and the models that make them.

Each `Variable` has a `density` (how long it is as a cause); `models` make it short as an effect;
`lengths` compares both directions in an `EvidenceResult`, `vectors` does so for variables of
several columns, `curves` draws the models, and `check` tests them.
"""

from anmmm.evidence.check import check_model, integral_transform
from anmmm.evidence.code import RESOLUTION
from anmmm.evidence.common_cause import CommonCause
from anmmm.evidence.lengths import (
    DirectionEvidence,
    EvidenceResult,
    compare,
    evidence,
    sign_of,
)
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
