"""Rows from several sources that nobody recorded, and noise, as kinds of pairs draw them."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator


def sources(
    rng: Generator, n: int, low: int = 2, high: int = 20, evenness: float = 6.0
) -> np.ndarray:
    """Give every row one of low to high unrecorded sources of unequal size."""
    k = int(rng.integers(low, high + 1))
    return rng.choice(k, size=n, p=rng.dirichlet(np.full(k, evenness)))


def per_source(rng: Generator, source: np.ndarray, low: float, high: float) -> np.ndarray:
    """Draw one parameter per source from a random part of low to high, spread over the rows."""
    a, b = np.sort(rng.uniform(low, high, 2))
    return rng.uniform(a, b, int(source.max()) + 1)[source]


def rounded(values: np.ndarray, step: float) -> np.ndarray:
    """Round to the nearest multiple of a step."""
    return np.round(np.round(values / step) * step, 6) + 0.0


def factors(rng: Generator, n: int, low: float, high: float) -> np.ndarray:
    """Draw multiplicative noise whose log has a random spread between low and high."""
    return np.exp(rng.normal(0.0, rng.uniform(low, high), n))


def counted(rng: Generator, mean: np.ndarray, low: float, high: float) -> np.ndarray:
    """Draw overdispersed counts, with a gamma shape between low and high."""
    shape = rng.uniform(low, high)
    return rng.poisson(mean * rng.gamma(shape, 1.0 / shape, mean.size)).astype(float)
