"""Pairs of a single mechanism, as Tagasovska, Chavez-Demoulin and Vatter (ICML 2020) draw them.

The cause is Gaussian with variance 2. AN: ``f(x) + ε``; LS: ``f(x) + g(x) ε``, f and g drawn from a
Gaussian process of unit length scale; forms ending in -s draw sigmoid functions (Bühlmann,
Peters, Ernest 2014); MN-U: ``f(x) u`` with a sigmoid f and u uniform on (0, 1). ε is Gaussian of a
standard deviation drawn uniformly from (1/5, √(2/5)).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAMILIES", "draw_pair"]

FloatArray = NDArray[np.float64]

FAMILIES = ("AN", "AN-s", "LS", "LS-s", "MN-U")


def draw_pair(family: str, n_samples: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw cause and effect of one pair; the families share no stream of random numbers."""
    rng = np.random.default_rng([seed, FAMILIES.index(family) + 1])
    x = np.sqrt(2.0) * rng.standard_normal(n_samples)
    noise = rng.uniform(1 / 5, np.sqrt(2 / 5)) * rng.standard_normal(n_samples)
    function = sigmoid if family.endswith("-s") or family == "MN-U" else gaussian_process
    if family == "MN-U":
        return x, function(x, rng) * rng.uniform(size=n_samples)
    if family.startswith("LS"):
        return x, function(x, rng) + function(x, rng) * noise
    return x, function(x, rng) + noise


def gaussian_process(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw a function with a squared exponential covariance of length scale 1. O(N³)."""
    covariance = np.exp(-0.5 * (x[:, None] - x) ** 2)
    values, vectors = np.linalg.eigh(covariance)
    return vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.standard_normal(len(x)))


def sigmoid(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw ``a b (x + c) / (1 + |b (x + c)|)`` with random a, b, c."""
    a = rng.exponential(4.0) + 1.0
    b = rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0])
    z = b * (x + rng.uniform(-2.0, 2.0))
    return a * z / (1.0 + np.abs(z))
