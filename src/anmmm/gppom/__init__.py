"""GPPOM: a Gaussian process with one latent θ per observation, independent of the cause.

`FitOptions` say how; a fit walks from `start` through `objective` (on `parameters` and one of the
`engines`) and `optimize` to a `FitResult`. `prediction` labels observations that were not in it.
"""

from anmmm.gppom.model import GPPOM, fit_gppom
from anmmm.gppom.nested import NestedFitOptions
from anmmm.gppom.objective import GPPOMObjective
from anmmm.gppom.options import FitOptions, ObjectiveOptions
from anmmm.gppom.result import FitResult, Hyperparameters

__all__ = [
    "GPPOM",
    "FitOptions",
    "FitResult",
    "GPPOMObjective",
    "Hyperparameters",
    "NestedFitOptions",
    "ObjectiveOptions",
    "fit_gppom",
]
