"""Engines: how the data terms of J and their gradient are evaluated."""

from __future__ import annotations

from collections.abc import Callable

from anmmm._typing import FloatArray
from anmmm.gppom.covariance import Covariance
from anmmm.gppom.engines.auto import LARGEST_DENSE, AutoEngine
from anmmm.gppom.engines.base import Engine
from anmmm.gppom.engines.dense import DenseEngine
from anmmm.gppom.engines.linear import LinearEngine
from anmmm.gppom.engines.lowrank import LowRankEngine
from anmmm.gppom.options import FitOptions

ENGINES: dict[str, Callable[..., Engine]] = {
    "auto": AutoEngine,
    "dense": DenseEngine,
    "lowrank": LowRankEngine,
}


def make_engine(
    X: FloatArray, Y: FloatArray, lam: float, options: FitOptions, covariance: Covariance
) -> Engine:
    """Return the engine of the options, for the kernels of their covariance."""
    if covariance.smooth:
        return ENGINES[options.engine](X, Y, lam, options)
    if options.engine == "auto" and len(X) > LARGEST_DENSE:
        raise ValueError(
            f"linear kernels and sums are evaluated in O(N³), up to {LARGEST_DENSE} observations, "
            f"found {len(X)}; fit some of them, or pass engine='dense' for all"
        )
    return LinearEngine(X, Y, lam, options, covariance)
