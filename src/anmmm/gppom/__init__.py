"""GPPOM: a Gaussian process with one latent θ per observation, independent of the cause.

`FitOptions` say how; a fit walks from `start` through `objective` (on `parameters` and one of the
`engines`) and `optimize` to a `FitResult`. `prediction` labels observations that were not in it.
"""

from typing import TYPE_CHECKING

from anmmm._lazy import lazily
from anmmm.gppom.options import FitOptions, TakesFitOptions
from anmmm.gppom.parameters import Hyperparameters
from anmmm.gppom.result import FitResult

if TYPE_CHECKING:
    from anmmm.gppom.estimator import GPPOM
    from anmmm.gppom.model import fit_gppom
    from anmmm.gppom.objective import GPPOMObjective

__all__ = [
    "GPPOM",
    "FitOptions",
    "FitResult",
    "GPPOMObjective",
    "Hyperparameters",
    "TakesFitOptions",
    "fit_gppom",
]

# A decision by evidence checks options of fits and makes none: it is to start without the engines.
__getattr__, __dir__ = lazily(
    __name__,
    {
        "GPPOM": "anmmm.gppom.estimator",
        "GPPOMObjective": "anmmm.gppom.objective",
        "fit_gppom": "anmmm.gppom.model",
    },
)
