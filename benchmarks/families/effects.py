"""Single mechanisms: the package's families, and effects of other kinds of values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from anmmm._typing import FloatArray, RandomState
from anmmm._validation import check_rng
from anmmm.datasets.families import (
    CAUSES,
    draw_noise,
    gaussian_process,
    make_single_mechanism,
    seed_of_family,
)
from anmmm.datasets.families import FAMILIES as PUBLISHED

# Levels of an ordered effect; step of a grouped one.
MIN_LEVELS = 3
MAX_LEVELS = 6
STEP = 0.5


def _additive(x: FloatArray, rng: Generator) -> FloatArray:
    noise = draw_noise(len(x), rng)
    return gaussian_process(x, rng) + noise


def _arcsinh(x: FloatArray, rng: Generator) -> FloatArray:
    noise = rng.standard_normal(len(x))
    return np.arcsinh(5.0 * (x + 0.3 * x * np.abs(x) + 0.4 * noise))


def _logistic(x: FloatArray, rng: Generator) -> FloatArray:
    noise = rng.standard_normal(len(x))
    return np.asarray(expit(2.0 * (x + np.sin(x) + 0.5 * noise)))


def _cbrt(x: FloatArray, rng: Generator) -> FloatArray:
    return np.cbrt(x**3 + x + 0.5 * rng.standard_normal(len(x)))


def _binary(x: FloatArray, rng: Generator) -> FloatArray:
    """Draw whether the value of AN exceeds a quantile of it."""
    value = _additive(x, rng)
    return np.asarray(value > np.quantile(value, rng.uniform(0.3, 0.7)), dtype=np.float64)


def _event(x: FloatArray, rng: Generator) -> FloatArray:
    """Draw 1 with a probability that is a function of a Gaussian process."""
    probability = expit(4.0 * gaussian_process(x, rng))
    return (probability > rng.uniform(size=len(x))).astype(np.float64)


def _ordered(x: FloatArray, rng: Generator) -> FloatArray:
    """Draw the interval that the value of AN falls into."""
    value = _additive(x, rng)
    n_levels = rng.integers(MIN_LEVELS, MAX_LEVELS + 1)
    # No level has less than a third of its expected size.
    widths = 1.0 / 3.0 + rng.dirichlet(np.ones(n_levels)) * 2.0 * n_levels / 3.0
    cuts = np.quantile(value, np.cumsum(widths)[:-1] / n_levels)
    return np.asarray(np.searchsorted(cuts, value), dtype=np.float64)


def _grouped(x: FloatArray, rng: Generator) -> FloatArray:
    """Draw the value of AN, rounded."""
    return np.asarray(STEP * np.rint(_additive(x, rng) / STEP))


def _count(x: FloatArray, rng: Generator) -> FloatArray:
    return rng.poisson(np.exp(x + 0.3)).astype(np.float64)


# Effects of a cause of variance 1.
OTHER_EFFECTS: dict[str, Callable[[FloatArray, Generator], FloatArray]] = {
    "PNL-arcsinh": _arcsinh,
    "PNL-logistic": _logistic,
    "PNL-cbrt": _cbrt,
    "binary": _binary,
    "logistic": _event,
    "ordered": _ordered,
    "grouped": _grouped,
    "count": _count,
}
NAMES = (*PUBLISHED, *OTHER_EFFECTS)


def draw_effect(
    family: str,
    n_samples: int,
    *,
    cause: str = "gaussian",
    random_state: RandomState = None,
) -> tuple[FloatArray, FloatArray]:
    """Draw cause and effect of a pair with one mechanism; see `make_single_mechanism`."""
    if family in PUBLISHED:
        return make_single_mechanism(family, n_samples, cause=cause, random_state=random_state)
    rng = check_rng(seed_of_family(random_state, NAMES.index(family)))
    x = CAUSES[cause](rng, n_samples)
    return x, OTHER_EFFECTS[family](x, rng)
