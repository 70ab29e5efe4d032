"""Pairs in which there is nothing to decide: unrelated, linear Gaussian, with a common cause."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.families.base import COMMON_CAUSE, NEITHER, UNRELATED, Family, Pair, Rows
from benchmarks.families.direct import number_from_categories


def draw_margin(rng: Rows) -> np.ndarray:
    """Draw a variable of some kind."""
    draws = [
        lambda: rng.normal(),
        lambda: rng.uniform(),
        lambda: rng.exponential(),
        lambda: np.exp(rng.normal()),
        lambda: rng.standard_t(3),
        lambda: 0.9 * rng.choice([-1.0, 1.0]) + 0.44 * rng.normal(),
        lambda: (rng.plain.permutation(rng.n) < max(2, 0.35 * rng.n)) * 1.0,
        lambda: rng.poisson(2.0) * 1.0,
        lambda: np.round(rng.normal(), 1),
        lambda: rng.integers(0, 5) * 1.0,
    ]
    return draws[rng.plain.integers(len(draws))]()


def two_numbers(rng: Rows) -> Pair:
    """Draw two unrelated numbers."""
    return draw_margin(rng), draw_margin(rng)


def category_and_number(rng: Rows) -> Pair:
    """Draw a category and an unrelated number."""
    return number_from_categories(rng)[0], draw_margin(rng)


def linear_gaussian(rng: Rows) -> Pair:
    """Draw a linear Gaussian pair: nothing shows its direction."""
    x = rng.standard_normal()
    return x, rng.between(-2.0, 2.0) * x + rng.standard_normal()


def common_cause(rng: Rows) -> Pair:
    """Draw two effects of a hidden cause, each by a function and a noise of its own."""
    z = rng.standard_normal()
    covariance = np.exp(-0.5 * (z[:, None] - z) ** 2)
    x = process(rng.plain, covariance) + rng.between(0.1, 0.5) * rng.standard_normal()
    return x, process(rng.plain, covariance) + rng.between(0.1, 0.5) * rng.standard_normal()


def process(rng: Generator, covariance: np.ndarray) -> np.ndarray:
    """Draw a Gaussian process of this covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.standard_normal(len(values)))


def _stream(seed: int, n: int) -> tuple[int, int]:
    return seed, 7


NOTHING = [
    Family("nothing/independent", two_numbers, UNRELATED, _stream),
    Family("nothing/independent, one a category", category_and_number, UNRELATED, _stream),
    Family("nothing/linear Gaussian", linear_gaussian, NEITHER, _stream),
    Family("nothing/common cause", common_cause, COMMON_CAUSE, _stream),
]
