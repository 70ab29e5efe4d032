"""Description lengths of a pair in both directions, and the models that make them.

Each `Variable` has a `density` (how long it is as a cause); `models` make it short as an effect;
`lengths` compares both directions in an `EvidenceResult`, `curves` draws the models, and
`check` tests them.
"""

from anmmm.evidence.check import check_model, integral_transform
from anmmm.evidence.lengths import DirectionEvidence, EvidenceResult, evidence
from anmmm.evidence.marginal import Marginal
from anmmm.evidence.models import ConditionalModel, model_text
from anmmm.evidence.sign import RESOLUTION, sign_of
from anmmm.evidence.variable import Variable

__all__ = [
    "RESOLUTION",
    "ConditionalModel",
    "DirectionEvidence",
    "EvidenceResult",
    "Marginal",
    "Variable",
    "check_model",
    "evidence",
    "integral_transform",
    "model_text",
    "sign_of",
]
