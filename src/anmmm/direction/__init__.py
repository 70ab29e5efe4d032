"""Which of two variables is the cause: by description length, or by Algorithm 1 of the paper."""

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.dependence import LatentFits
from anmmm.direction.infer import infer_direction
from anmmm.direction.result import DirectionResult

if TYPE_CHECKING:
    from anmmm.direction.estimator import CausalDirection

__all__ = [
    "CausalDirection",
    "DirectionResult",
    "LatentFits",
    "infer_direction",
]

# It derives from scikit-learn's estimators, which take longer to load than all else here.
__getattr__, __dir__ = lazily(__name__, {"CausalDirection": "anmmm.direction.estimator"})
