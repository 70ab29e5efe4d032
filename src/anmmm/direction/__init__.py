"""Which of two variables is the cause: by description length, or by Algorithm 1 of the paper.

Both directions of a pair are described by generative models, or fitted by a GPPOM whose Θ is tested
against its hypothetical cause; a `DirectionResult` is what is found.
"""

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.dependence import LatentFits, dependence_scores, latent_test
from anmmm.direction.infer import CRITERIA, DirectionOptions, infer_direction
from anmmm.direction.lengths import describe
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    INDEPENDENT,
    NO_GAIN,
    NO_MODEL_FITS,
    POOR_FIT,
    RELATIONS,
    SURE,
    TWO_EFFECTS,
    said_of,
    sure_of,
)
from anmmm.direction.result import DirectionResult

if TYPE_CHECKING:
    from anmmm.direction.estimator import CausalDirection

__all__ = [
    "COMMON_CAUSE",
    "CRITERIA",
    "INDEPENDENT",
    "NO_GAIN",
    "NO_MODEL_FITS",
    "POOR_FIT",
    "RELATIONS",
    "SURE",
    "TWO_EFFECTS",
    "CausalDirection",
    "DirectionOptions",
    "DirectionResult",
    "LatentFits",
    "dependence_scores",
    "describe",
    "infer_direction",
    "latent_test",
    "said_of",
    "sure_of",
]

# It derives from scikit-learn's estimators, which take longer to load than all else here.
__getattr__, __dir__ = lazily(__name__, {"CausalDirection": "anmmm.direction.estimator"})
