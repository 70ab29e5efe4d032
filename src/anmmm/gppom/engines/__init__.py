"""Engines: how the data terms of J are evaluated.

Standardized data, Θ and Ω come in; the data terms and their gradient go out to ``objective``. An
engine owns its workspace and knows nothing of the flat vector, of priors or of the back-constraint.
"""

from __future__ import annotations

from collections.abc import Callable

from anmmm._typing import FloatArray
from anmmm.gppom.covariance import Covariance
from anmmm.gppom.engines.auto import AutoEngine
from anmmm.gppom.engines.base import DataTerms, Engine
from anmmm.gppom.engines.dense import DenseEngine
from anmmm.gppom.engines.features import FeatureEngine
from anmmm.gppom.engines.lowrank import LowRankEngine
from anmmm.gppom.options import TOLERANCE, ObjectiveOptions

__all__ = [
    "ENGINES",
    "TOLERANCE",
    "AutoEngine",
    "DataTerms",
    "DenseEngine",
    "Engine",
    "FeatureEngine",
    "LowRankEngine",
    "make_engine",
]

ENGINES: dict[str, Callable[..., Engine]] = {
    "auto": AutoEngine,
    "dense": DenseEngine,
    "lowrank": LowRankEngine,
}


def make_engine(
    X: FloatArray, Y: FloatArray, lam: float, options: ObjectiveOptions, covariance: Covariance
) -> Engine:
    """Return the engine that options ask for, or the one that evaluates their covariance."""
    arguments = (X, Y, options.n_latent, lam, options.hsic_floor, options.n_chunks)
    if covariance.smooth:
        return ENGINES[options.engine](*arguments, options.engine_tol)
    return FeatureEngine(*arguments, covariance=covariance)
