"""What an engine is asked and what it answers."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from anmmm._record import Record, frozen
from anmmm._typing import FloatArray
from anmmm.gppom.parameters import Hyperparameters


@frozen
class DataTerms(Record):
    """The data terms and the gradient of -L + λ log(HSIC_b + ε₀)."""

    # False without a factor of the covariance: nothing but engine and rank is then meant
    valid: bool
    log_likelihood: float
    hsic: float  # HSIC_b
    d_theta: FloatArray  # (n_samples, n_latent)
    d_log_amplitude: float
    d_noise: float  # by the noise variance 1/β + ν
    d_log_gamma_x: FloatArray
    d_log_gamma_theta: FloatArray
    engine: str
    # of the factor of a K_X ∘ K_θ; if not valid, the largest, which did not suffice
    rank: int | None = None
    residual: float = 0.0  # trace of what the factor leaves of a K_X ∘ K_θ


class Engine(Protocol):
    """What the objective asks of an engine."""

    name: str

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        ...


def failed(engine: str, rank: int | None = None) -> DataTerms:
    """Terms of a point where there are none."""
    nan, nothing = float("nan"), np.empty(0)
    return DataTerms(False, nan, nan, nothing, nan, nan, nothing, nothing, engine, rank)


def finite(*values: Any) -> bool:
    """Whether all numbers of all values are finite."""
    # Of a float `math` is told twenty times sooner, and an evaluation asks ten times.
    return all(
        math.isfinite(value) if isinstance(value, float) else bool(np.isfinite(value).all())
        for value in values
    )
