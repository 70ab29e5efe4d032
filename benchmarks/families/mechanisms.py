"""Mixtures of mechanisms of which everything is known: 58 families of eleven topics.

``draw(name, n, seed)`` returns a data set with the mechanism of each row, and the log-likelihood of
every mechanism, by which a classifier that knows the truth labels the rows (the oracle).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import stats

from anmmm.datasets.synthetic import MECHANISMS
from benchmarks.families.settings import FOUR_RANGES

Curve = Callable[[np.ndarray], np.ndarray]
Rng = np.random.Generator
# Of a row of no mechanism.
OUTLIER = -1


class Labeled(NamedTuple):
    """A data set with known mechanisms."""

    x: np.ndarray  # (n,) or (n, 2)
    y: np.ndarray  # (n,)
    truth: np.ndarray  # (n,), mechanism of each row or OUTLIER
    log_likelihood: np.ndarray  # (n, n_mechanisms), log weight and log density
    curves: tuple[Curve, ...]  # none where rows differ continuously


Draw = Callable[[Rng, int], Labeled]


def laplace(rng: Rng, n: int) -> np.ndarray:
    return rng.laplace(size=n) / np.sqrt(2)


def skewed(rng: Rng, n: int) -> np.ndarray:
    return (rng.gamma(2.0, 1.0, n) - 2) / np.sqrt(2)


def student(rng: Rng, n: int) -> np.ndarray:
    return rng.standard_t(2, n)


# How noise is drawn, and its log density.
NOISE: dict[str, tuple[Callable[[Rng, int], np.ndarray], Curve]] = {
    "gaussian": (lambda rng, n: rng.standard_normal(n), stats.norm.logpdf),
    "laplace": (laplace, lambda e: stats.laplace.logpdf(e * np.sqrt(2)) + np.log(2) / 2),
    "student": (student, stats.t(2).logpdf),
    "skewed": (skewed, lambda e: stats.gamma(2.0).logpdf(e * np.sqrt(2) + 2) + np.log(2) / 2),
}


def wide_cause(rng: Rng, n: int) -> np.ndarray:
    return rng.uniform(-2, 2, n)


def unit_cause(rng: Rng, n: int) -> np.ndarray:
    return rng.uniform(0, 1, n)


def normal_cause(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(0, 1.2, n)


def five_levels(rng: Rng, n: int) -> np.ndarray:
    return rng.integers(-2, 3, n).astype(float)


@dataclass(frozen=True)
class Mixture:
    """Curves with noise of one size, of one each, or of sizes that depend on the cause.

    gate: probabilities (n, C) of the mechanisms given the cause; supports: range of the cause of
    each mechanism.
    """

    curves: Sequence[Curve]
    sizes: float | Sequence[float | Curve]
    weights: Sequence[float] | None = None
    gate: Curve | None = None
    supports: Sequence[tuple[float, float]] | None = None
    noise: str = "gaussian"
    cause: Callable[[Rng, int], np.ndarray] = wide_cause

    def __call__(self, rng: Rng, n: int) -> Labeled:
        """Draw a data set."""
        n_curves = len(self.curves)
        x = self.cause(rng, n)
        weights = np.full(n_curves, 1 / n_curves)
        if self.weights is not None:
            weights = np.asarray(self.weights)
        prior = np.tile(weights, (n, 1))
        if self.gate is not None:
            prior = self.gate(x)
            uniform = rng.random((n, 1))
            truth = (uniform > prior.cumsum(axis=1)).sum(axis=1).clip(0, n_curves - 1)
        else:
            truth = rng.choice(n_curves, n, p=weights)
        if self.supports is not None:
            low, high = np.array(self.supports).T
            x = rng.uniform(low[truth], high[truth])
            column = x[:, np.newaxis]
            prior = weights * ((column >= low) & (column <= high)) / (high - low)
            prior = prior / prior.sum(axis=1, keepdims=True)
        scales = np.stack([_size(size, x) for size in self._sizes()], axis=1)
        means = np.stack([curve(x) for curve in self.curves], axis=1)
        rows = np.arange(n)
        draw_noise, log_density = NOISE[self.noise]
        y = means[rows, truth] + scales[rows, truth] * draw_noise(rng, n)
        standardized = (y[:, np.newaxis] - means) / scales
        with np.errstate(divide="ignore"):
            log_likelihood = np.log(prior) + log_density(standardized) - np.log(scales)
        return Labeled(x, y, truth, log_likelihood, tuple(self.curves))

    def _sizes(self) -> Sequence[float | Curve]:
        if isinstance(self.sizes, (list, tuple)):
            return self.sizes
        return [self.sizes] * len(self.curves)  # type: ignore[list-item]


def _size(size: float | Curve, x: np.ndarray) -> np.ndarray:
    return size(x) if callable(size) else np.full(len(x), size)


def paper(function: str, n_mechanisms: int) -> Draw:
    """Return the paper's mixture of a function."""

    def draw(rng: Rng, n: int) -> Labeled:
        thetas = [rng.uniform(*bounds) for bounds in FOUR_RANGES[:n_mechanisms]]
        curves = [partial(MECHANISMS[function], theta=theta) for theta in thetas]
        return Mixture(curves, 0.05, cause=unit_cause)(rng, n)

    return draw


def line(intercept: float, slope: float) -> Curve:
    return lambda x: intercept + slope * x


def parallel(*shifts: float, weights: Sequence[float] | None = None) -> Mixture:
    """Return a root, and as many of it that are shifted."""
    curves = [lambda x, shift=shift: np.sqrt(x) + shift for shift in (0.0, *shifts)]
    return Mixture(curves, 0.1, weights, cause=unit_cause)


def wave(x: np.ndarray) -> np.ndarray:
    return np.sin(2 * x)


def bowl(x: np.ndarray) -> np.ndarray:
    return -2 - 0.4 * x**2


def high_wave(x: np.ndarray) -> np.ndarray:
    return 3.5 - 0.8 * np.cos(2 * x)


def falling_wave(x: np.ndarray) -> np.ndarray:
    return -0.6 * wave(x) - 0.7 * x


def half_line(x: np.ndarray) -> np.ndarray:
    return -0.5 * x


def above_line(shift: float) -> Curve:
    return lambda x: shift + np.sin(x)


def many(n_mechanisms: int) -> list[Curve]:
    return [lambda x, c=c: 1.6 * c + 0.6 * np.sin(2 * x + c) for c in range(n_mechanisms)]


def logistic(slope: float) -> Curve:
    return lambda x: np.stack([1 / (1 + np.exp(slope * x)), 1 / (1 + np.exp(-slope * x))], axis=1)


def threshold(x: np.ndarray) -> np.ndarray:
    return np.stack([x <= 0.3, x > 0.3], axis=1).astype(float)


def band(x: np.ndarray) -> np.ndarray:
    is_inside = np.abs(x) < 0.8
    return np.stack([np.where(is_inside, 0.05, 0.9), np.where(is_inside, 0.95, 0.1)], axis=1)


def with_outliers(curves: Sequence[Curve], size: float) -> Draw:
    """Return a mixture of which one row in twenty is uniform."""

    def draw(rng: Rng, n: int) -> Labeled:
        drawn = Mixture(curves, size)(rng, n)
        is_outlier = rng.random(n) < 0.05
        y = np.where(is_outlier, rng.uniform(-6, 6, n), drawn.y)
        truth = np.where(is_outlier, OUTLIER, drawn.truth)
        means = np.stack([curve(drawn.x) for curve in curves], axis=1)
        log_likelihood = -0.5 * ((y[:, np.newaxis] - means) / size) ** 2
        return Labeled(drawn.x, y, truth, log_likelihood, drawn.curves)

    return draw


def two_causes(rng: Rng, n: int) -> Labeled:
    x = rng.uniform(-2, 2, (n, 2))
    truth = rng.integers(2, size=n)
    first = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1]
    means = np.stack([first, 1.6 + 0.5 * x[:, 0] - 0.5 * x[:, 1] ** 2], axis=1)
    y = means[np.arange(n), truth] + 0.25 * rng.standard_normal(n)
    return Labeled(x, y, truth, stats.norm.logpdf((y[:, np.newaxis] - means) / 0.25), ())


def rounded(rng: Rng, n: int) -> Labeled:
    drawn = Mixture(TWO, 0.25)(rng, n)
    return drawn._replace(y=np.round(drawn.y / 0.5) * 0.5)


def one(x: np.ndarray, y: np.ndarray) -> Labeled:
    return Labeled(x, y, np.zeros(len(x), int), np.zeros((len(x), 1)), ())


def random_slopes(rng: Rng, n: int) -> Labeled:
    x = rng.uniform(0, 2, n)
    return one(x, x * rng.normal(1, 0.4, n) + 0.1 * rng.standard_normal(n))


def continuous_theta(rng: Rng, n: int) -> Labeled:
    x = rng.uniform(0, 1, n)
    return one(x, np.exp(-rng.uniform(0.5, 3.5, n) * x) + 0.05 * rng.standard_normal(n))


TWO = (wave, line(1.6, 0.5))
FOUR = (*TWO, bowl, high_wave)
GATED = {"sizes": 0.25, "gate": logistic(2), "cause": normal_cause}

TOPICS: dict[str, dict[str, Draw]] = {
    "the paper's functions": {
        **{f"{function}-c2": paper(function, 2) for function in MECHANISMS},
        **{f"{function}-c3": paper(function, 3) for function in ("f2", "f3", "f4")},
        "f3-c4": paper("f3", 4),
    },
    "unequal sizes": {
        "size-5050": Mixture(TWO, 0.25, (0.5, 0.5)),
        "size-7030": Mixture(TWO, 0.25, (0.7, 0.3)),
        "size-8515": Mixture(TWO, 0.25, (0.85, 0.15)),
        "size-9505": Mixture(TWO, 0.25, (0.95, 0.05)),
        "size-60-25-10-5": Mixture(FOUR, 0.25, (0.6, 0.25, 0.1, 0.05)),
    },
    "parallel curves": {
        "parallel-3": parallel(0.3),
        "parallel-5": parallel(0.5),
        "parallel-10": parallel(1.0),
        "parallel-20": parallel(2.0),
        "parallel-10-8515": parallel(1.0, weights=(0.85, 0.15)),
        "parallel-20-8515": parallel(2.0, weights=(0.85, 0.15)),
        "parallel-10-801505": parallel(1.0, 2.0, weights=(0.8, 0.15, 0.05)),
    },
    "curves that cross": {
        "cross-once": Mixture([wave, falling_wave], 0.15),
        "cross-twice": Mixture([lambda x: x**2 - 1.5, lambda x: 1 - 0.5 * x**2], 0.2),
        "lines-x": Mixture([line(0, 1), line(0, -1)], 0.2),
        "lines-unequal": Mixture([line(0, 1), line(1, 0.3)], 0.15),
        "lines-parallel": Mixture([line(0, 1), line(1, 1)], 0.15),
    },
    "noise of unequal size": {
        "noise-1:3": Mixture(TWO, [0.12, 0.36]),
        "noise-1:10": Mixture(TWO, [0.05, 0.5]),
        "same-curve-noise-1:8": Mixture([wave, wave], [0.1, 0.8]),
    },
    "noise that grows": {
        "hetero-one-of-two": Mixture(
            [wave, line(2.0, 0.5)], [lambda x: 0.05 + 0.2 * (x + 2), 0.15]
        ),
        "hetero-both": Mixture([wave, line(2.4, 0.5)], [lambda x: 0.05 + 0.15 * (x + 2)] * 2),
    },
    "skewed or heavy noise, outliers": {
        "two-skew": Mixture(TWO, 0.3, noise="skewed"),
        "two-laplace": Mixture(TWO, 0.3, noise="laplace"),
        "two-t2": Mixture(TWO, 0.15, noise="student"),
        "two-outliers": with_outliers(TWO, 0.25),
    },
    "the cause chooses": {
        "gate-logistic": Mixture([half_line, above_line(2)], **GATED),
        "gate-logistic-near": Mixture([half_line, above_line(0.6)], **GATED),
        "gate-threshold": Mixture([half_line, above_line(1)], 0.25, gate=threshold),
        "gate-band": Mixture(TWO, 0.25, gate=band),
        "supports": Mixture(TWO, 0.25, supports=[(-2, 1), (-0.5, 2)]),
    },
    "two causes, few values": {
        "x-2d": two_causes,
        "x-5-levels": Mixture(TWO, 0.25, cause=five_levels),
        "y-rounded": rounded,
    },
    "five, six, eight mechanisms": {
        f"many-{number}": Mixture(many(number), 0.15) for number in (5, 6, 8)
    },
    "one mechanism": {
        "k1-hetero": Mixture([np.sqrt], [lambda x: 0.1 + 0.4 * x], cause=unit_cause),
        "k1-hetero-strong": Mixture([wave], [lambda x: 0.05 + 0.5 * np.abs(x)]),
        "k1-skew": Mixture([wave], 0.3, noise="skewed"),
        "k1-laplace": Mixture([wave], 0.3, noise="laplace"),
        "k1-t2": Mixture([wave], 0.15, noise="student"),
        "k1-outliers": with_outliers([wave], 0.25),
        "k1-curve": Mixture([wave], 0.3),
        "k1-step": Mixture([lambda x: 1.5 * (x > 0)], 0.25),
        "k1-line": Mixture([line(0, 1)], 0.5),
        "k1-sawtooth": Mixture([lambda x: 2 * ((1.5 * x) % 1)], 0.2),
        "k1-nothing": Mixture([line(0, 0)], 1.0),
        "k1-random-slopes": random_slopes,
        "k1-theta-uniform": continuous_theta,
    },
}
FAMILIES = {name: draw for topic in TOPICS.values() for name, draw in topic.items()}
TOPIC_OF = {name: topic for topic, families in TOPICS.items() for name in families}


def draw(name: str, n: int, seed: int) -> Labeled:
    """Draw a data set of a family."""
    return FAMILIES[name](np.random.default_rng([zlib.crc32(name.encode()), n, seed]), n)
