"""Variables of unusual distributions: with a Gaussian, with another of their kind, as a cause.

Atoms, clipped and heaped values, heavy tails, clusters. As a cause they act by ``tanh(2 z)``, where
z is x less its median by its standard deviation, plus noise.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator

from benchmarks.families.base import CAUSE, UNRELATED, Family, Pair, by_place

Marginal = Callable[[Generator, int], np.ndarray]


def zeros(share: float, others: Marginal) -> Marginal:
    """Marginal zeros with a probability, other values otherwise."""
    return lambda rng, n: np.where(rng.random(n) < share, 0.0, others(rng, n))


def clusters(centers: list[float], spread: float) -> Marginal:
    """Marginal from narrow Gaussians of equal weights."""
    return lambda rng, n: rng.choice(centers, n) + spread * rng.normal(size=n)


def gaussian(rng: Generator, n: int) -> np.ndarray:
    """Marginal what nothing is unusual about."""
    return rng.normal(size=n)


MARGINS: dict[str, Marginal] = {
    "Gaussian": gaussian,
    "70 % zeros, exponential": zeros(0.7, lambda rng, n: rng.exponential(size=n)),
    "30 % zeros, lognormal": zeros(0.3, lambda rng, n: rng.lognormal(size=n)),
    "rain: 50 % zeros, in tenths": lambda rng, n: np.round(
        zeros(0.5, lambda rng, n: rng.gamma(0.7, 10.0, n))(rng, n), 1
    ),
    "clipped on both sides": lambda rng, n: np.clip(rng.normal(size=n), -0.5, 0.5),
    "clipped below": lambda rng, n: np.maximum(rng.normal(size=n), -1.0),
    "in tenths": lambda rng, n: np.round(rng.normal(size=n), 1),
    "heaped at tens": lambda rng, n: (
        lambda tens, x: np.where(tens, 10.0 * np.round(x / 10.0), np.round(x))
    )(rng.random(n) < 0.6, 50.0 * rng.normal(size=n)),
    "ages": lambda rng, n: np.round(np.clip(rng.normal(45.0, 18.0, n), 18.0, 90.0)),
    "Zipf's counts": lambda rng, n: rng.zipf(1.5, n).astype(float),
    "rounded lognormal": lambda rng, n: np.round(rng.lognormal(2.0, 1.5, n)),
    "Poisson, mean 0.3": lambda rng, n: rng.poisson(0.3, n).astype(float),
    "Poisson, mean 200": lambda rng, n: rng.poisson(200.0, n).astype(float),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "Cauchy, square with its sign": lambda rng, n: (lambda x: x * np.abs(x))(
        rng.standard_cauchy(n)
    ),
    "lognormal, σ = 3": lambda rng, n: rng.lognormal(0.0, 3.0, n),
    "beta(0.1, 0.1)": lambda rng, n: rng.beta(0.1, 0.1, n),
    "arcsine": lambda rng, n: np.sin(rng.uniform(0.0, 2.0 * np.pi, n)),
    "two scales": lambda rng, n: np.where(rng.random(n) < 0.5, 0.01, 1.0) * rng.normal(size=n),
    "three clusters": clusters([0.0, 1.0, 5.0], 0.1),
    "four clusters": clusters([0.0, 1.0, 2.5, 7.0], 0.05),
    "1 % at -999": lambda rng, n: np.where(rng.random(n) < 0.01, -999.0, rng.normal(size=n)),
}


def with_gaussian(rng: Generator, n: int, marginal: str) -> Pair:
    """Draw it and an unrelated Gaussian."""
    return MARGINS[marginal](rng, n), gaussian(rng, n)


def with_its_like(rng: Generator, n: int, marginal: str) -> Pair:
    """Draw two unrelated variables of one distribution."""
    return MARGINS[marginal](rng, n), MARGINS[marginal](rng, n)


def as_cause(rng: Generator, n: int, marginal: str) -> Pair:
    """Draw it and an effect of it."""
    x = MARGINS[marginal](rng, n)
    return x, np.tanh(2.0 * (x - np.median(x)) / x.std()) + 0.4 * rng.normal(size=n)


MARGINAL: list[Family] = []
for _role, _draw, _truth in (
    ("with a Gaussian", with_gaussian, UNRELATED),
    ("with its like", with_its_like, UNRELATED),
    ("as a cause", as_cause, CAUSE),
):
    for _marginal in MARGINS:
        _name = f"marginals/{_role}/{_marginal}"
        _stream = by_place(len(MARGINAL))
        MARGINAL.append(Family(_name, partial(_draw, marginal=_marginal), _truth, _stream))
