"""Pairs with a hidden common cause, and comparable pairs without one.

Families of even places were looked at when limits and priors were chosen; those of odd places only
report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.random import Generator
from scipy.special import expit
from scipy.stats import zscore

from anmmm.datasets.families import FAMILIES as PUBLISHED
from benchmarks.families.base import (
    CAUSE,
    COMMON_CAUSE,
    Draw,
    Family,
    Pair,
    Rows,
    placed,
    smooth_waves,
)
from benchmarks.families.direct import mechanism, mixture
from benchmarks.families.effects import OTHER_EFFECTS

DISTRIBUTIONS: dict[str, Callable[[Rows], np.ndarray]] = {
    "normal": lambda rng: rng.standard_normal(),
    "exponential": lambda rng: rng.exponential() - 1.0,
    "uniform": lambda rng: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0)),
    "Laplace": lambda rng: rng.laplace() / np.sqrt(2.0),
    "Student": lambda rng: rng.standard_t(4) / np.sqrt(2.0),
}


def groups(
    rng: Rows,
    count: int = 2,
    laws: tuple[str, str] = ("normal", "normal"),
    noise: float = 0.4,
    own: bool = False,
) -> Pair:
    """Draw hidden groups with means of their own; `own` scales of the noise in each."""
    labels = rng.choice(count, p=rng.plain.dirichlet(np.full(count, 8.0)))
    drawn = []
    for law in laws:
        means = 1.5 * (rng.plain.permutation(count) + rng.plain.uniform(-0.2, 0.2, count))
        scales = noise * (rng.plain.uniform(0.4, 1.6, count) if own else np.ones(count))
        drawn.append(means[labels] + scales[labels] * DISTRIBUTIONS[law](rng))
    return drawn[0], drawn[1]


def correlated_groups(
    rng: Rows, own: bool = False, against: bool = False, logarithmic: bool = False
) -> Pair:
    """Draw hidden groups, as species, within which both numbers are correlated.

    own: covariances of their own; against: the tendency between groups; logarithmic: exp of both.
    """
    count = int(rng.plain.integers(2, 5))
    labels = rng.choice(count, p=rng.plain.dirichlet(np.full(count, 4.0)))
    means = rng.plain.normal(size=(count, 2)) * rng.plain.uniform(1.0, 3.0, 2)
    r, scales = np.full(count, rng.between(0.3, 0.85)), np.ones((2, count))
    if against:
        means, r = np.outer(np.arange(count), [1.0, 1.0]) * rng.between(1.5, 3.0), -r
    if own:
        r = np.clip(r + 0.25 * rng.plain.normal(size=count), -0.9, 0.9)
        scales = np.exp(0.4 * rng.plain.normal(size=(2, count)))
    e = rng.plain.normal(size=(2, rng.n))
    e[1] = r[labels] * e[0] + np.sqrt(1.0 - r[labels] ** 2) * e[1]
    x, y = means[labels].T + scales[:, labels] * e
    return (np.exp(0.3 * x), np.exp(0.3 * y)) if logarithmic else (x, y)


def group_counts(rng: Rows, kinds: tuple[str, str], count: int = 3) -> Pair:
    """Draw hidden groups that shift a number, a count or the shares of categories."""
    labels, drawn = rng.integers(count), []
    for kind in kinds:
        place = rng.plain.permutation(count)
        if kind == "count":
            means = np.array([1.0, 4.0, 10.0, 20.0])[place]
            drawn.append(rng.poisson(means[labels]).astype(float))
        elif kind == "category":
            shares = rng.plain.dirichlet(np.full(4, 0.4), count)
            drawn.append(np.array([rng.plain.choice(4, p=shares[g]) for g in labels]).astype(float))
        else:
            drawn.append(1.5 * place[labels] + 0.4 * DISTRIBUTIONS[kind](rng))
    return drawn[0], drawn[1]


def smooth_function(rng: Generator, t: np.ndarray, monotone: bool = False) -> np.ndarray:
    """Draw a smooth function, standardized."""
    z = (t - t.min()) / np.ptp(t)
    if monotone:
        a, b, c = rng.uniform(2.0, 8.0), rng.uniform(0.2, 0.8), rng.uniform(0.0, 1.0)
        values = rng.choice([-1.0, 1.0]) * (expit(a * (z - b)) + c * z)
        return zscore(values)
    return smooth_waves(rng, z)


def smooth(
    rng: Rows,
    noises: tuple[float, float] = (0.3, 0.3),
    laws: tuple[str, str] = ("normal", "normal"),
    monotone: bool = False,
    hidden: str = "uniform",
    growing: bool = False,
) -> Pair:
    """Draw two smooth functions of a hidden variable; `growing` noise, with the hidden variable."""
    t = DISTRIBUTIONS[hidden](rng)
    drawn = []
    for noise, law in zip(noises, laws, strict=True):
        scale = noise * np.exp(0.5 * t) if growing else noise
        drawn.append(smooth_function(rng.plain, t, monotone) + scale * DISTRIBUTIONS[law](rng))
    return drawn[0], drawn[1]


FUNCTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "": lambda z: z,
    "sinh": lambda z: np.sinh(1.5 * z),
    "tanh": lambda z: np.tanh(1.2 * z),
    "cube root": np.cbrt,
}


def seen_through(rng: Rows, functions: tuple[str, str], noise: float = 0.2) -> Pair:
    """Draw two smooth functions of a hidden number, seen through monotone functions."""
    x, y = smooth(rng, noises=(noise, noise))
    return FUNCTIONS[functions[0]](x), FUNCTIONS[functions[1]](y)


def circle(rng: Rows, noise: float = 0.15) -> Pair:
    """Draw an ellipse, seen with noise."""
    t = rng.uniform(0.0, 2.0 * np.pi)
    return np.cos(t) + noise * rng.normal(), np.sin(t + 0.4) + noise * rng.normal()


def linear(rng: Rows, hidden: str, law: str, noise: float) -> Pair:
    """Draw two linear effects of a hidden variable that is not normal, or has such noise."""
    t = DISTRIBUTIONS[hidden](rng)
    x = t + noise * DISTRIBUTIONS[law](rng)
    return x, rng.between(0.7, 1.3) * t + noise * DISTRIBUTIONS[law](rng)


def measured(rng: Rows, shape: str, error: float, noise: float = 0.2) -> Pair:
    """Draw an effect of a cause that is measured with noise."""
    t = rng.standard_normal()
    shapes = {
        "step": lambda: np.sign(t),
        "curve": lambda: smooth_function(rng.plain, t),
        "sigmoid": lambda: np.tanh(2.0 * t),
    }
    return t + error * rng.normal(), shapes[shape]() + noise * rng.normal()


def beside(rng: Rows, noise: float = 0.3) -> Pair:
    """Draw an effect of a cause, and of a hidden cause of both."""
    t = rng.standard_normal()
    x = t + rng.standard_normal()
    return x, np.tanh(2.0 * x) + 0.7 * t + noise * rng.normal()


CONFOUNDED: dict[str, Draw] = {
    "groups 2 normal": groups,
    "groups 2 normal, exponential": partial(groups, laws=("normal", "exponential")),
    "groups 3 normal": partial(groups, count=3),
    "groups 3 exponential": partial(groups, count=3, laws=("exponential", "exponential")),
    "groups 4 normal": partial(groups, count=4),
    "groups 4 normal, exponential": partial(groups, count=4, laws=("normal", "exponential")),
    "groups 3 uniform": partial(groups, count=3, laws=("uniform", "uniform")),
    "groups 2 Laplace": partial(groups, laws=("Laplace", "Laplace")),
    "groups 3 own scales": partial(groups, count=3, own=True),
    "groups 2 own scales": partial(groups, own=True),
    "groups 5 normal": partial(groups, count=5, noise=0.3),
    "groups 2 wide": partial(groups, noise=0.6),
    "groups 3 count, normal": partial(group_counts, kinds=("count", "normal")),
    "groups 3 category, normal": partial(group_counts, kinds=("category", "normal")),
    "groups 3 category, count": partial(group_counts, kinds=("category", "count")),
    "groups 3 count, count": partial(group_counts, kinds=("count", "count")),
    "smooth .1 .1": partial(smooth, noises=(0.1, 0.1)),
    "smooth .3 .3": smooth,
    "smooth .1 .6": partial(smooth, noises=(0.1, 0.6)),
    "smooth .05 .05": partial(smooth, noises=(0.05, 0.05)),
    "smooth .2 .2 Laplace": partial(smooth, noises=(0.2, 0.2), laws=("Laplace", "Laplace")),
    "smooth .2 .2 Student": partial(smooth, noises=(0.2, 0.2), laws=("Student", "Student")),
    "smooth monotone .2": partial(smooth, noises=(0.2, 0.2), monotone=True),
    "smooth monotone .4": partial(smooth, noises=(0.4, 0.4), monotone=True),
    "smooth normal cause .2": partial(smooth, noises=(0.2, 0.2), hidden="normal"),
    "smooth exponential cause .2": partial(smooth, noises=(0.2, 0.2), hidden="exponential"),
    "smooth growing .2": partial(smooth, noises=(0.2, 0.2), growing=True),
    "smooth 1 1": partial(smooth, noises=(1.0, 1.0)),
    "circle": circle,
    "circle .3": partial(circle, noise=0.3),
    "seen through sinh .2": partial(seen_through, functions=("sinh", "")),
    "seen through tanh .2": partial(seen_through, functions=("tanh", "")),
    "seen through a cube root .2": partial(seen_through, functions=("cube root", "")),
    "seen through sinh and tanh .2": partial(seen_through, functions=("sinh", "tanh")),
    "linear exponential cause": partial(linear, hidden="exponential", law="normal", noise=0.5),
    "linear exponential noise": partial(linear, hidden="normal", law="exponential", noise=0.5),
    "linear uniform cause": partial(linear, hidden="uniform", law="normal", noise=0.3),
    "linear uniform": partial(linear, hidden="uniform", law="uniform", noise=0.5),
    "measured curve .3": partial(measured, shape="curve", error=0.3),
    "measured curve .6": partial(measured, shape="curve", error=0.6),
    "measured step .6": partial(measured, shape="step", error=0.6),
    "measured step 1": partial(measured, shape="step", error=1.0),
    "measured sigmoid .6": partial(measured, shape="sigmoid", error=0.6),
    "measured sigmoid 1": partial(measured, shape="sigmoid", error=1.0),
    "beside a direct effect": beside,
    "beside a direct effect, .6": partial(beside, noise=0.6),
}


# Written after the others, with the model of such groups.
CORRELATED: dict[str, Draw] = {
    "groups correlated within": correlated_groups,
    "groups correlated within, own scales": partial(correlated_groups, own=True),
    "groups correlated within, against": partial(correlated_groups, against=True),
    "groups correlated within, logarithmic": partial(correlated_groups, logarithmic=True),
}


def effect(rng: Rows, shape: str, law: str = "normal", noise: float = 0.3, cause: str = "") -> Pair:
    """Draw an effect of a written mechanism."""
    x = DISTRIBUTIONS[cause or "normal"](rng)
    e = DISTRIBUTIONS[law](rng)
    values = {
        "linear": lambda: x + noise * e,
        "threshold": lambda: 1.5 * (x > 0.2) + noise * e,
        "cubic": lambda: x**3 / 3.0 + x + noise * e,
        "circle": lambda: np.sin(2.0 * x) + noise * e,
        "modulated": lambda: (1.0 + 0.5 * rng.normal()) * np.tanh(2.0 * x) + noise * e,
        "multiplied": lambda: np.exp(0.7 * x + noise * e),
        "parabola": lambda: x**2 + noise * e,
    }
    return x, values[shape]()


DIRECT: dict[str, Draw] = {
    **{name: partial(mechanism, family=name, cause="gaussian") for name in PUBLISHED},
    "AN uniform": partial(mechanism, family="AN", cause="uniform"),
    "AN bimodal": partial(mechanism, family="AN", cause="bimodal"),
    "AN exponential": partial(mechanism, family="AN", cause="exponential"),
    **{name: partial(mixture, setting=name) for name in ("f1", "f2", "f3", "f4")},
    **{name: partial(mechanism, family=name, cause="gaussian") for name in OTHER_EFFECTS},
    "linear, exponential noise": partial(effect, shape="linear", law="exponential", noise=0.5),
    "linear, uniform noise": partial(effect, shape="linear", law="uniform", noise=0.5),
    "linear, exponential cause": partial(effect, shape="linear", cause="exponential", noise=0.5),
    "linear, uniform cause": partial(effect, shape="linear", cause="uniform", noise=0.5),
    "threshold": partial(effect, shape="threshold"),
    "cubic": partial(effect, shape="cubic", noise=0.7),
    "waves": partial(effect, shape="circle"),
    "modulated": partial(effect, shape="modulated", noise=0.2),
    "multiplied": partial(effect, shape="multiplied"),
    "parabola": partial(effect, shape="parabola", noise=0.5),
    "parabola, Laplace noise": partial(effect, shape="parabola", law="Laplace", noise=0.5),
    "cubic, uniform cause": partial(effect, shape="cubic", cause="uniform", noise=0.3),
}


# Place of the families that were written last.
FIRST_CORRELATED = 198


def _confounded() -> list[Family]:
    """Return all families; those with an arrow beside the hidden cause have a direction."""
    families = placed("confounded", CONFOUNDED, COMMON_CAUSE)
    families += placed("unconfounded", DIRECT, CAUSE, len(families))
    families += placed("confounded", CORRELATED, COMMON_CAUSE, FIRST_CORRELATED)
    return [
        replace(family, truth=CAUSE) if family.title.startswith("beside") else family
        for family in families
    ]


CONFOUNDED_FAMILIES = _confounded()
