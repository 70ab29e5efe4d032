"""Effects that are smooth on another scale of the cause, with zeros, or clipped at limits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from benchmarks.families.base import CAUSE, UNRELATED, Draw, Family, Pair, Rows

Values = np.ndarray
Cause = Callable[[Generator, int], Values]


def additive(cause: Cause, f: Callable[[Values], Values], noise: float = 0.3) -> Draw:
    """Draw ``f(x)`` plus Gaussian noise, a fraction of the deviation of f(x)."""

    def draw(rng: Rows) -> Pair:
        x = cause(rng)
        return x, f(x) + noise * f(x).std() * rng.normal()

    return draw


def product(cause: Cause, f: Callable[[Values], Values], noise: float = 0.3) -> Draw:
    """Draw ``f(x)`` times lognormal noise."""

    def draw(rng: Rows) -> Pair:
        x = cause(rng)
        return x, f(x) * np.exp(noise * rng.normal())

    return draw


def zeros(share: Callable[[Values], Values], effect: Draw) -> Draw:
    """Draw an effect that is zero with a probability that may depend on the cause."""

    def draw(rng: Rows) -> Pair:
        x, y = effect(rng)
        return x, np.where(rng.random() < share(x), 0.0, y)

    return draw


def clipped(effect: Draw, low: float, high: float, which: int) -> Draw:
    """Clip the cause (0) or the effect (1) of a pair at two of its quantiles."""

    def draw(rng: Rows) -> Pair:
        pair = list(effect(rng))
        pair[which] = np.clip(pair[which], *np.quantile(pair[which], [low, high]))
        return pair[0], pair[1]

    return draw


def normal(rng: Rows) -> Values:
    """Draw a Gaussian cause."""
    return rng.normal()


def lognormal(rng: Rows) -> Values:
    """Draw a lognormal cause."""
    return rng.lognormal()


def saturating(x: Values) -> Values:
    """Return x / (x + 1)."""
    return x / (x + 1.0)


def cubic(x: Values) -> Values:
    """Return x + 0.3 x³."""
    return x + 0.3 * x**3


DRAWS: dict[str, Draw] = {
    "x ÷ (x + 1), lognormal": additive(lognormal, saturating),
    "the same, times noise": product(lognormal, saturating),
    "x ÷ (x + 1), Pareto": additive(lambda rng: rng.pareto(1.5), saturating),
    "log x, Pareto": additive(lambda rng: 1.0 + rng.pareto(1.5), np.log),
    "x^0.75 times noise, lognormal": product(lognormal, lambda x: x**0.75),
    "cube root, Weibull": additive(lambda rng: rng.weibull(0.6), np.cbrt),
    "arctan, Cauchy": additive(lambda rng: rng.standard_cauchy(), np.arctan),
    "counted cause, x ÷ (x + 3)": additive(
        lambda rng: rng.negative_binomial(0.7, 0.08) * 1.0, lambda x: x / (x + 3.0), 0.5
    ),
    "counts of mean 8 x ÷ (x + 1)": lambda rng: (
        lambda x: (x, rng.plain.poisson(8.0 * saturating(x)) * 1.0)
    )(rng.lognormal()),
    "linear, lognormal": additive(lognormal, lambda x: x, 0.5),
    "step, Gaussian": additive(normal, lambda x: (x > 0.3) * 1.0),
    "exp(x + Gaussian)": product(normal, np.exp, 0.5),
    "exp(tanh 2x + Gaussian)": product(normal, lambda x: np.exp(np.tanh(2.0 * x)), 0.4),
    "zeros by a logit, exp(x + ε)": zeros(
        lambda x: expit(-1.0 - 2.0 * x), product(normal, lambda x: np.exp(0.7 * x), 0.4)
    ),
    "zeros by a logit, exp(tanh 2x + ε)": zeros(
        lambda x: expit(-1.0 - 2.0 * x), product(normal, lambda x: np.exp(np.tanh(2.0 * x)), 0.4)
    ),
    "zeros at random, 2 + tanh 2x + ε": zeros(
        lambda x: np.full(len(x), 0.3), additive(normal, lambda x: 2.0 + np.tanh(2.0 * x))
    ),
    "effect clipped below": clipped(additive(normal, np.tanh, 0.5), 0.4, 1.0, 1),
    "effect clipped at both ends": clipped(additive(normal, cubic, 0.4), 0.15, 0.85, 1),
    "cause clipped above": clipped(additive(normal, cubic), 0.0, 0.85, 0),
    "cause clipped at both ends": clipped(additive(normal, cubic), 0.12, 0.88, 0),
    "cause clipped, sin 2x": clipped(additive(normal, lambda x: np.sin(2.0 * x)), 0.15, 1.0, 0),
    "a jump at zeros of the cause": lambda rng: (
        lambda x: (x, np.tanh(x) + (x == 0.0) + 0.3 * rng.normal())
    )(np.where(rng.random() < 0.3, 0.0, rng.normal())),
    "unrelated, zeros": lambda rng: (
        rng.normal(),
        np.where(rng.random() < 0.3, 0.0, rng.lognormal()),
    ),
}


def _stream(place: int, seed: int, n: int) -> tuple[int, int]:
    return seed, place


TRANSFORMED: list[Family] = []
for _title, _draw in DRAWS.items():
    _truth = UNRELATED if _title.startswith("unrelated") else CAUSE
    _by_place = partial(_stream, len(TRANSFORMED))
    TRANSFORMED.append(Family(f"transformed/{_title}", _draw, _truth, _by_place))
