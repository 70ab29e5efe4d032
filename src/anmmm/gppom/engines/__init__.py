"""Engines: how the data terms of J are evaluated.

Standardized data, Θ and Ω come in; the data terms and their gradient go out to ``objective``. An
engine owns its workspace and knows nothing of the flat vector, of priors or of the back-constraint.
"""

from __future__ import annotations

from collections.abc import Callable

from anmmm.gppom.engines.auto import AutoEngine
from anmmm.gppom.engines.base import DataTerms, Engine
from anmmm.gppom.engines.dense import DenseEngine
from anmmm.gppom.engines.lowrank import TOLERANCE, LowRankEngine

__all__ = [
    "ENGINES",
    "TOLERANCE",
    "AutoEngine",
    "DataTerms",
    "DenseEngine",
    "Engine",
    "LowRankEngine",
]

ENGINES: dict[str, Callable[..., Engine]] = {
    "auto": AutoEngine,
    "dense": DenseEngine,
    "lowrank": LowRankEngine,
}
