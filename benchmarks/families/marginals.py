"""Causes of unusual distributions: atoms, clipped and heaped values, heavy tails, clusters.

They act by ``tanh(2 z)``, where z is x less its median by its standard deviation, plus noise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.families.base import CAUSE, Pair, Rows, placed

Marginal = Callable[[Rows], np.ndarray]


def zeros(share: float, others: Marginal) -> Marginal:
    """Marginal zeros with a probability, other values otherwise."""
    return lambda rng: np.where(rng.random() < share, 0.0, others(rng))


def clusters(centers: list[float], spread: float) -> Marginal:
    """Marginal from narrow Gaussians of equal weights."""
    return lambda rng: rng.choice(centers) + spread * rng.normal()


MARGINS: dict[str, Marginal] = {
    "Gaussian": lambda rng: rng.normal(),
    "70 % zeros, exponential": zeros(0.7, lambda rng: rng.exponential()),
    "30 % zeros, lognormal": zeros(0.3, lambda rng: rng.lognormal()),
    "rain: 50 % zeros, in tenths": lambda rng: np.round(
        zeros(0.5, lambda rng: rng.gamma(0.7, 10.0))(rng), 1
    ),
    "clipped on both sides": lambda rng: np.clip(rng.normal(), -0.5, 0.5),
    "clipped below": lambda rng: np.maximum(rng.normal(), -1.0),
    "in tenths": lambda rng: np.round(rng.normal(), 1),
    "heaped at tens": lambda rng: (
        lambda tens, x: np.where(tens, 10.0 * np.round(x / 10.0), np.round(x))
    )(rng.random() < 0.6, 50.0 * rng.normal()),
    "ages": lambda rng: np.round(np.clip(rng.normal(45.0, 18.0), 18.0, 90.0)),
    "Zipf's counts": lambda rng: rng.zipf(1.5).astype(float),
    "rounded lognormal": lambda rng: np.round(rng.lognormal(2.0, 1.5)),
    "Poisson, mean 0.3": lambda rng: rng.poisson(0.3).astype(float),
    "Poisson, mean 200": lambda rng: rng.poisson(200.0).astype(float),
    "Cauchy": lambda rng: rng.standard_cauchy(),
    "Cauchy, square with its sign": lambda rng: (lambda x: x * np.abs(x))(rng.standard_cauchy()),
    "lognormal, σ = 3": lambda rng: rng.lognormal(0.0, 3.0),
    "beta(0.1, 0.1)": lambda rng: rng.beta(0.1, 0.1),
    "arcsine": lambda rng: np.sin(rng.uniform(0.0, 2.0 * np.pi)),
    "two scales": lambda rng: np.where(rng.random() < 0.5, 0.01, 1.0) * rng.normal(),
    "three clusters": clusters([0.0, 1.0, 5.0], 0.1),
    "four clusters": clusters([0.0, 1.0, 2.5, 7.0], 0.05),
    "1 % at -999": lambda rng: np.where(rng.random() < 0.01, -999.0, rng.normal()),
}


def as_cause(rng: Rows, marginal: Marginal) -> Pair:
    """Draw it and an effect of it."""
    x = marginal(rng)
    return x, np.tanh(2.0 * (x - np.median(x)) / x.std()) + 0.4 * rng.normal()


# Before these were two lists of as many pairs without a direction, of which places remain.
FIRST_PLACE = 2 * len(MARGINS)
AS_CAUSE = {title: partial(as_cause, marginal=marginal) for title, marginal in MARGINS.items()}
MARGINAL = placed("marginals/as a cause", AS_CAUSE, CAUSE, FIRST_PLACE)
