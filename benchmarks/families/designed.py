"""Pairs that were designed to be unlike the models: causes, selection, time, parts of a whole.

The first list was used to choose limits (families of even places) and to report; the later one was
written after the limits were chosen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit
from scipy.stats import norm, rankdata

from benchmarks.families.base import CAUSE, Draw, Family, Pair, Rows, mapped, placed
from benchmarks.families.base import NEITHER as NO_DIRECTION

# Functions of cause, normal noise and further draws.
Cause = Callable[[Rows], np.ndarray]
Effect = Callable[[np.ndarray, np.ndarray, Rows], np.ndarray]


def caused_by(cause: Cause) -> Callable[[Effect], Draw]:
    """Return what makes a family of an effect of the cause, of normal noise and further draws."""

    def with_effect(effect: Effect) -> Draw:
        def draw(rng: Rows) -> Pair:
            x = cause(rng)
            return x, effect(x, rng.standard_normal(), rng)

        return draw

    return with_effect


# Families of an effect of these causes.
normal = caused_by(lambda rng: rng.standard_normal())
uniform = caused_by(lambda rng: rng.uniform(-2.0, 2.0))
lognormal = caused_by(lambda rng: np.exp(rng.standard_normal()))
pareto = caused_by(lambda rng: 1.0 + rng.pareto(2.0))
bimodal = caused_by(lambda rng: rng.choice([-1.5, 1.5]) + 0.4 * rng.standard_normal())
halves = caused_by(lambda rng: median_split(rng.standard_normal()))
gamma = caused_by(lambda rng: rng.gamma(2.0, 1.0))
linear_gaussian = normal(lambda x, e, _: x + 0.8 * e)


def kept(draw: Draw, keep: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Draw:
    """Return a family of those of 50 times as many rows that are kept."""

    def drawn(rng: Rows) -> Pair:
        x, y = draw(Rows(rng.plain, 50 * rng.n))
        rows = np.flatnonzero(keep(x, y))[: rng.n]
        return x[rows], y[rows]

    return drawn


# Two independent variables.
unrelated = normal(lambda x, e, _: e)


def in_square(rng: Rows) -> Pair:
    """Draw points of a square."""
    return rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0)


def repeated(rng: Rows, copies: int, noise: float = 0.0) -> Pair:
    """Draw a linear Gaussian pair whose rows stand several times, one after the other."""
    x = rng.plain.standard_normal(rng.n // copies)
    y = 0.7 * x + 0.7 * rng.plain.standard_normal(len(x))
    x, y = np.repeat(x, copies), np.repeat(y, copies)
    x = x + noise * rng.plain.standard_normal(len(x))
    return x, y + noise * rng.plain.standard_normal(len(y))


def lagged(rng: Rows, coupling: float) -> Pair:
    """Draw an autoregressive cause that acts on an autoregressive effect a step later."""
    x, y = np.zeros((2, rng.n + 50))
    for t in range(1, len(x)):
        noise = rng.plain.standard_normal(2)
        x[t] = 0.8 * x[t - 1] + noise[0]
        y[t] = 0.6 * y[t - 1] + coupling * np.tanh(x[t - 1]) + 0.5 * noise[1]
    return x[50:], y[50:]


def season(rng: Rows) -> Pair:
    """Draw two variables that follow the same season with a lag."""
    t = 2.0 * np.pi * np.arange(rng.n) / 50.0
    return np.sin(t) + 0.3 * rng.standard_normal(), np.sin(t + 1.0) + 0.3 * rng.standard_normal()


def feedback(rng: Rows) -> Pair:
    """Draw equilibria of two variables that act on values other."""
    u, v = rng.standard_normal(), rng.laplace()
    x, y = u.copy(), v.copy()
    for _ in range(200):
        x, y = np.tanh(0.8 * y) + u, 0.7 * np.tanh(x) + v
    return x, y


def both_ways(rng: Rows) -> Pair:
    """Draw rows in half of which x causes y, and y causes x in the others."""
    cause = rng.uniform(-2.0, 2.0)
    effect = np.tanh(2.0 * cause) + 0.3 * rng.standard_normal()
    forward = rng.random() < 0.5
    return np.where(forward, cause, effect), np.where(forward, effect, cause)


def ratios(rng: Rows) -> Pair:
    """Draw two quotients with the same denominator."""
    a, b, c = np.exp(0.5 * rng.plain.standard_normal((3, rng.n)))
    return a / c, b / c


def sums(rng: Rows) -> Pair:
    """Draw sum and difference of two uniform variables."""
    a, b = rng.plain.uniform(-1.0, 1.0, (2, rng.n))
    return a + b, a - b


def softly_selected(rng: Rows) -> Pair:
    """Draw independent variables, values row kept with a probability that grows with their sum."""
    x, y = unrelated(Rows(rng.plain, 50 * rng.n))
    rows = np.flatnonzero(rng.plain.random(50 * rng.n) < expit(4 * (x + y - 1)))[: rng.n]
    return x[rows], y[rows]


def elliptic(rng: Rows) -> Pair:
    """Draw a bivariate Student variable."""
    x, e = rng.plain.standard_normal((2, rng.n)) / np.sqrt(rng.chisquare(3) / 3)
    return x, 0.6 * x + 0.8 * e


def predators(rng: Rows) -> Pair:
    """Draw logarithms of both populations of a model of Lotka and Volterra, in steps of time."""
    x, y, series = 1.0, 0.5, np.empty((2, rng.n))
    for t in range(20 * rng.n):
        x, y = x + 0.01 * x * (1 - y), y + 0.01 * y * (x - 1)
        x, y = (values * np.exp(0.01 * rng.plain.standard_normal()) for values in (x, y))
        series[:, t // 20] = x, y
    return np.log(series[0]), np.log(series[1])


def random_curve(x: np.ndarray, rng: Rows) -> np.ndarray:
    """Return a random smooth function, a draw of a Gaussian process by random features."""
    waves = rng.plain.standard_normal(100)
    phases = rng.plain.uniform(0.0, 2.0 * np.pi, 100)
    return np.cos(np.outer(x, waves) + phases) @ rng.plain.standard_normal(100) / np.sqrt(50.0)


def median_split(values: np.ndarray) -> np.ndarray:
    """Return whether values are above their median, as a number."""
    return (values > np.median(values)).astype(float)


DIRECT: dict[str, Draw] = {
    "saturating, lognormal cause": lognormal(lambda x, e, _: x / (x + 1) + 0.1 * e),
    "the same, noise multiplies": lognormal(lambda x, e, _: x / (x + 1) * np.exp(0.3 * e)),
    "saturating, Pareto cause": pareto(lambda x, e, _: x / (x + 2) + 0.05 * e),
    "logarithm of a Pareto cause": pareto(lambda x, e, _: np.log(x) + 0.3 * e),
    "allometry": lognormal(lambda x, e, _: x**0.75 * np.exp(0.4 * e)),
    "Michaelis-Menten, gamma noise": lognormal(
        lambda x, e, rng: 3 * x / (x + 1) * rng.gamma(8.0, 1 / 8.0)
    ),
    "power of a lognormal cause": lognormal(lambda x, e, _: x**1.5 + 0.5 * e),
    "square root": gamma(lambda x, e, _: np.sqrt(x) + 0.2 * e),
    "zeros by the cause": normal(
        lambda x, e, rng: np.where(rng.random() < expit(-2 * x), 0, np.exp(x + 0.4 * e))
    ),
    "zeros at random": normal(
        lambda x, e, rng: np.where(rng.random() < 0.3, 0, np.exp(x + 0.4 * e))
    ),
    "censored effect": normal(lambda x, e, _: np.maximum(x + 0.5 * e, 0)),
    "cause clipped at both ends": caused_by(lambda rng: rng.standard_normal().clip(-1, 1))(
        lambda x, e, _: x + x**3 + 0.3 * e
    ),
    "cause below a limit of detection": caused_by(
        lambda rng: np.maximum(rng.standard_normal(), -0.5)
    )(lambda x, e, _: np.exp(0.7 * x) + 0.3 * e),
    "saw teeth": uniform(lambda x, e, _: x % 1 + 0.1 * e),
    "larger of cause and noise": normal(lambda x, e, _: np.maximum(x, e)),
    "smaller of cause and noise, Laplace": uniform(lambda x, e, rng: np.minimum(x, rng.laplace())),
    "angle, wave": caused_by(lambda rng: rng.uniform(0, 2 * np.pi))(
        lambda x, e, _: np.cos(x) + 0.3 * e
    ),
    "cause rounded in its logarithm": caused_by(
        lambda rng: 2.0 ** np.round(1.5 * rng.standard_normal())
    )(lambda x, e, _: np.log(x) ** 2 + 0.5 * e),
    "rare binary response": normal(
        lambda x, e, rng: (rng.random() < expit(2 * x - 4)).astype(float)
    ),
    "effect rounded": uniform(lambda x, e, _: np.round(x**2 + 0.5 * e)),
    "step": uniform(lambda x, e, _: (x > 0.3) + 0.2 * e),
    "step of a bimodal cause": bimodal(lambda x, e, _: (x > 0) + 0.3 * e),
    "bimodal cause, curve": bimodal(lambda x, e, _: np.tanh(x) + 0.5 * x + 0.4 * e),
    "heavy noise": uniform(lambda x, e, rng: x + 0.3 * rng.standard_t(2)),
    "heavy cause": caused_by(lambda rng: rng.standard_t(2))(lambda x, e, _: np.arctan(x) + 0.3 * e),
    "autoregressive cause": caused_by(lambda rng: lagged(rng, 0.0)[0])(
        lambda x, e, _: np.tanh(x) + 0.3 * e
    ),
    "effect a step later": lambda rng: lagged(rng, 1.5),
    "selected by the cause": kept(normal(lambda x, e, _: x**2 + 0.5 * e), lambda x, y: x > 0.3),
    "selected by the effect": kept(uniform(lambda x, e, _: x + 0.5 * e), lambda x, y: y > 0),
    "linear, exponential noise": normal(lambda x, e, rng: x + 0.7 * rng.exponential()),
    "linear, uniform cause": uniform(lambda x, e, _: x + 0.5 * e),
    "linear, bimodal noise": normal(lambda x, e, rng: x + rng.choice([-0.7, 0.7]) + 0.2 * e),
    "noise multiplies, positive": lognormal(lambda x, e, _: x * np.exp(0.5 * e)),
    "noise multiplies, two signs": uniform(lambda x, e, _: x * e),
    "spread alone": normal(lambda x, e, _: np.exp(0.7 * x) * e),
    "wave and spread": uniform(lambda x, e, _: np.sin(2 * x) + 0.1 * (2 + x) * e),
    "count": normal(lambda x, e, rng: rng.poisson(np.exp(1 + 0.6 * x)).astype(float)),
    "count, overdispersed": uniform(
        lambda x, e, rng: rng.negative_binomial(2, 1 / (1 + np.exp(x))).astype(float)
    ),
    "four ordered answers": normal(
        lambda x, e, _: np.digitize(x + 0.6 * e, [-1, 0, 1.2]).astype(float)
    ),
    "binary response": uniform(lambda x, e, rng: (rng.random() < expit(3 * x)).astype(float)),
    "binary cause, exponential noise": halves(lambda x, e, rng: x + rng.exponential()),
    "share between 0 and 1": uniform(lambda x, e, _: expit(1.5 * x + 0.7 * e)),
    "wave of four periods": uniform(lambda x, e, _: np.sin(6 * x) + 0.3 * e),
    "three mechanisms": uniform(lambda x, e, rng: rng.choice([-1.0, 0.3, 1.5]) * x + 0.2 * e),
    "hidden modulation": uniform(lambda x, e, rng: x * rng.uniform(0.2, 2) + 0.2 * e),
    "through a mediator": uniform(
        lambda x, e, rng: np.tanh(np.sin(2 * x) + 0.5 * rng.standard_normal()) + 0.3 * e
    ),
    "cause of five levels": caused_by(lambda rng: rng.integers(0, 5).astype(float))(
        lambda x, e, _: (x - 2) ** 2 + 0.8 * e
    ),
    "both as ranks": mapped(uniform(lambda x, e, _: np.tanh(2 * x) + 0.3 * e), rankdata),
    "effect exponentiated": uniform(lambda x, e, _: np.exp(np.sin(2 * x) + 0.5 * e)),
    "codes for missing effects": uniform(
        lambda x, e, rng: np.where(rng.random() < 0.05, -99.0, x**2 + 0.4 * e)
    ),
    "noise of one sign": uniform(lambda x, e, _: np.sin(x) + 0.7 * np.abs(e)),
    "spread, heavy noise": uniform(
        lambda x, e, rng: x + (0.1 + 0.2 * np.abs(x)) * rng.standard_t(4)
    ),
    "random curve and spread": normal(
        lambda x, e, rng: random_curve(x, rng) + 0.3 * np.exp(0.5 * random_curve(x, rng)) * e
    ),
    "survival time": uniform(lambda x, e, rng: np.exp(-x) * rng.exponential()),
    "survival time, censored": uniform(
        lambda x, e, rng: np.minimum(np.exp(-x) * rng.exponential(), 2.0)
    ),
    "plateau": uniform(lambda x, e, _: np.clip(x, -0.5, 0.5) + 0.15 * e),
    "kink": uniform(lambda x, e, _: np.abs(x) + 0.3 * e),
    "little noise": normal(lambda x, e, _: x + x**3 / 3 + 0.01 * e),
    "weak": uniform(lambda x, e, _: 0.2 * np.sin(2 * x) + 0.7 * e),
}
NEITHER: dict[str, Draw] = {
    "random walks": lambda rng: rng.plain.standard_normal((2, rng.n)).cumsum(axis=1),
    "trends": lambda rng: (
        np.arange(rng.n) / rng.n + 0.2 * rng.standard_normal(),
        (np.arange(rng.n) / rng.n) ** 2 + 0.1 * rng.standard_normal(),
    ),
    "seasons": season,
    "rows five times": lambda rng: repeated(rng, 5),
    "rows ten times, jittered": lambda rng: repeated(rng, 10, 0.01),
    "selected by their sum": kept(unrelated, lambda x, y: x + y > 1),
    "selected by the larger": kept(unrelated, lambda x, y: np.maximum(x, y) > 1),
    "softly selected by their sum": softly_selected,
    "triangle": kept(in_square, lambda x, y: x + y > 0),
    "rhombus": kept(in_square, lambda x, y: np.abs(x) + np.abs(y) < 1),
    "disk": kept(in_square, lambda x, y: x**2 + y**2 < 1),
    "ring": kept(in_square, lambda x, y: (x**2 + y**2 < 1) & (x**2 + y**2 > 0.4)),
    "sum and difference": sums,
    "rows of both directions": both_ways,
    "feedback": feedback,
    "parts of a whole": lambda rng: rng.dirichlet([1.0, 2.0, 2.0]).T[:2],
    "common denominator": ratios,
    "linear Gaussian": linear_gaussian,
    "linear Gaussian, rounded": mapped(linear_gaussian, lambda values: np.round(2 * values)),
    "elliptic, heavy tails": elliptic,
    "monotone of a linear Gaussian pair": mapped(linear_gaussian, np.exp),
}
# Written after the rules that keep decisions from being sure were chosen.
LATER_DIRECT: dict[str, Draw] = {
    "reciprocal": gamma(lambda x, e, _: 1 / (x + 0.3) + 0.1 * e),
    "growth, noise multiplies": uniform(lambda x, e, _: expit(3 * x) * np.exp(0.3 * e)),
    "damped wave": uniform(lambda x, e, _: np.exp(-np.abs(x)) * np.sin(4 * x) + 0.1 * e),
    "whole cause": caused_by(lambda rng: np.round(3 * rng.standard_normal()))(
        lambda x, e, _: np.tanh(x / 2) + 0.3 * e
    ),
    "square, Student noise": normal(lambda x, e, rng: x**2 + 0.5 * rng.standard_t(3)),
    "cause at its ends": caused_by(lambda rng: rng.beta(0.5, 0.5))(
        lambda x, e, _: (2 * x - 1) ** 3 + 0.2 * e
    ),
    "effect clipped above": uniform(lambda x, e, _: np.minimum(x + 0.4 * e, 1.0)),
    "share with zeros and ones": uniform(
        lambda x, e, _: np.clip(0.5 + 0.4 * x + 0.2 * e, 0.0, 1.0)
    ),
    "linear, Gumbel noise": normal(lambda x, e, rng: x + 0.7 * rng.gumbel()),
    "spread by a hidden group": uniform(
        lambda x, e, rng: np.sin(2 * x) + rng.choice([0.1, 0.8]) * e
    ),
    "binary cause, count": halves(lambda x, e, rng: rng.poisson(2 + 6 * x).astype(float)),
    "three steps": caused_by(lambda rng: rng.exponential())(
        lambda x, e, _: np.digitize(x, [0.5, 1.5]) + 0.3 * e
    ),
    "divided by noise": lognormal(lambda x, e, rng: x / rng.gamma(3.0, 1.0)),
    "linear, uniform noise": normal(lambda x, e, rng: x + rng.uniform(-1.5, 1.5)),
    "some causes far off": caused_by(
        lambda rng: rng.standard_normal() * np.where(rng.random() < 0.02, 15.0, 1.0)
    )(lambda x, e, _: np.tanh(x) + 0.3 * e),
    "noise in time": normal(lambda x, e, rng: x**2 / 2 + 0.4 * lagged(rng, 0.0)[0]),
}
LATER_NEITHER: dict[str, Draw] = {
    "corner": kept(in_square, lambda x, y: np.minimum(x, y) < -0.3),
    "cross": kept(in_square, lambda x, y: np.minimum(np.abs(x), np.abs(y)) < 0.3),
    "sum and difference of dice": lambda rng: (
        (dice := rng.plain.integers(1, 7, (2, rng.n)).astype(float)).sum(axis=0),
        dice[0] - dice[1],
    ),
    "unrelated series": lambda rng: tuple(lagged(rng, 0.0)[0] for _ in "xy"),
    "rows some times, shuffled": lambda rng: tuple(
        rng.plain.standard_normal((2, rng.n // 5))[:, rng.integers(rng.n // 5)]
    ),
    "smaller and larger of two": lambda rng: tuple(
        np.sort(rng.plain.standard_normal((2, rng.n)), 0)
    ),
    "predators and prey": predators,
    "Gaussian copula, exponential margins": mapped(
        normal(lambda x, e, _: 0.7 * x + np.sqrt(0.51) * e), lambda values: -np.log(norm.sf(values))
    ),
}


@normal
def zero_inflated_count(x: np.ndarray, _: np.ndarray, rng: Rows) -> np.ndarray:
    """Draw overdispersed counts, with zeros in three of ten rows."""
    count = rng.negative_binomial(2, 1 / (1 + np.exp(1 + 0.8 * x)))
    return np.where(rng.random() < 0.3, 0.0, count)


@normal
def censored_time(x: np.ndarray, _: np.ndarray, rng: Rows) -> np.ndarray:
    """Draw survival times, censored at random ones."""
    return np.minimum(np.exp(-x) * rng.weibull(1.5), 3 * rng.random())


def growths(rng: Rows) -> Pair:
    """Draw two growths whose rows are shuffled."""
    t = rng.uniform(-4, 4)
    first = expit(t) + 0.03 * rng.standard_normal()
    return first, expit(t - 1) * np.exp(0.05 * rng.standard_normal())


def _designed() -> list[Family]:
    """Return all families; streams differ by their place in this order."""
    families: list[Family] = []
    for part, draws, truth in (
        ("first", DIRECT, CAUSE),
        ("first", NEITHER, NO_DIRECTION),
        ("later", LATER_DIRECT, CAUSE),
        ("later", LATER_NEITHER, NO_DIRECTION),
    ):
        families += placed(f"designed/{part}", draws, truth, len(families))
    # Of the kinds that reviews found to be surely wrong, those that still are.
    for title, draw, truth, place in (
        ("overdispersed count, zeros at random", zero_inflated_count, CAUSE, 105),
        ("censored at random times", censored_time, CAUSE, 129),
        ("two growths, shuffled", growths, NO_DIRECTION, 132),
    ):
        families += placed("designed/reviewed", {title: draw}, truth, place)
    return families


DESIGNED = _designed()
