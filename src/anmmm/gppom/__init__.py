"""GPPOM: a Gaussian process with one latent θ per observation, independent of the cause.

Checked variables walk from `model` through `start`, `objective` (on `parameters` and an engine of
`engines`) and `optimize` to a `FitResult`.
"""

from anmmm.gppom.model import GPPOM, FitOptions, check_fit, fit_gppom
from anmmm.gppom.objective import GPPOMObjective

__all__ = ["GPPOM", "FitOptions", "GPPOMObjective", "check_fit", "fit_gppom"]
