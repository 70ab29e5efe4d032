"""Description lengths of a pair in both directions, and the models that make them.

A pair walks from `density` (how long a variable is as a cause) through `models` (how long it is as
an effect) to `lengths`, whose `EvidenceResult` decides the direction; `curves` draws the models.
"""

from anmmm.evidence.lengths import (
    DirectionEvidence,
    EvidenceResult,
    Variable,
    evidence,
    fit_linked,
    model_text,
)

__all__ = [
    "DirectionEvidence",
    "EvidenceResult",
    "Variable",
    "evidence",
    "fit_linked",
    "model_text",
]
