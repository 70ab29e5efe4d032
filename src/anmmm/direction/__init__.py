"""Which of two variables is the cause: by description length, or by Algorithm 1 of the paper."""

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.dependence import LatentFits
from anmmm.direction.description import description_lengths
from anmmm.direction.infer import CRITERIA, DirectionOptions, infer_direction
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    INDEPENDENT,
    LACK_OF_FIT_NOTE,
    LACK_OF_FIT_PVALUE,
    LEANING,
    NO_PREFERENCE,
    RELATIONS,
    SURE,
    UNMODELED_NOTE,
    certainty_of,
    format_confidence,
    format_decision,
    format_probability,
    is_decided,
    is_sure,
)
from anmmm.direction.result import DirectionResult

if TYPE_CHECKING:
    from anmmm.direction.estimator import CausalDirection

__all__ = [
    "COMMON_CAUSE",
    "CRITERIA",
    "INDEPENDENT",
    "LACK_OF_FIT_NOTE",
    "LACK_OF_FIT_PVALUE",
    "LEANING",
    "NO_PREFERENCE",
    "RELATIONS",
    "SURE",
    "UNMODELED_NOTE",
    "CausalDirection",
    "DirectionOptions",
    "DirectionResult",
    "LatentFits",
    "certainty_of",
    "description_lengths",
    "format_confidence",
    "format_decision",
    "format_probability",
    "infer_direction",
    "is_decided",
    "is_sure",
]

# It derives from scikit-learn's estimators, which take longer to load than all else here.
__getattr__, __dir__ = lazily(__name__, {"CausalDirection": "anmmm.direction.estimator"})
