"""GPPOM: a Gaussian process with one latent θ per observation, independent of the cause."""

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.gppom.options import FitOptions
from anmmm.gppom.parameters import Hyperparameters
from anmmm.gppom.result import FitResult

if TYPE_CHECKING:
    from anmmm.gppom.estimator import GPPOM
    from anmmm.gppom.objective import GPPOMObjective

__all__ = [
    "GPPOM",
    "FitOptions",
    "FitResult",
    "GPPOMObjective",
    "Hyperparameters",
]

# A decision by evidence checks options but makes no fit: it must start without the engines.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "GPPOM": "anmmm.gppom.estimator",
        "GPPOMObjective": "anmmm.gppom.objective",
    },
)
