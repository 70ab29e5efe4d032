"""Families of the package: one mechanism by distribution of the cause, and the paper's mixtures."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from anmmm.datasets.families import CAUSES, FAMILIES, gaussian_process
from benchmarks.families.base import CAUSE, Family, Pair, Rows
from benchmarks.families.effects import NAMES, draw_effect
from benchmarks.families.settings import SETTINGS, draw_setting

# Number of categories, at least and at most.
MIN_CATEGORIES, MAX_CATEGORIES = 3, 6
# Standard deviation of the functions behind the probabilities of an effect's categories.
STRENGTH = 2.5


def mechanism(rng: Rows, family: str, cause: str) -> Pair:
    """Draw one mechanism."""
    return draw_effect(family, rng.n, cause=cause, random_state=rng.plain)


def mixture(rng: Rows, setting: str) -> Pair:
    """Draw one of the paper's settings."""
    return draw_setting(setting, rng.n, rng.plain)[:2]


def categories_from_number(rng: Rows, shape: str) -> Pair:
    """Draw a number, and the category of the largest utility.

    Each category has 2.5 times a function of the number from a Gaussian process plus Gumbel noise.
    """
    names = category_names(rng.plain)
    x = CAUSES[shape](rng.plain, rng.n)
    utility = STRENGTH * np.column_stack([gaussian_process(x, rng.plain) for _ in names])
    return x, names[(utility + rng.plain.gumbel(size=utility.shape)).argmax(axis=1)]


def number_from_categories(rng: Rows, shape: str = "gaussian") -> Pair:
    """Draw categories with shares from Dirichlet's distribution, and a number about each mean.

    Gaussian groups of one scale have logistic posterior probabilities: with Gaussian noise both
    directions differ by the density of the number alone.
    """
    names = category_names(rng.plain)
    group = rng.choice(len(names), p=rng.plain.dirichlet(np.full(len(names), 5.0)))
    centers = 1.5 * rng.plain.standard_normal(len(names))
    scale = rng.between(0.3, 0.8)
    return names[group], centers[group] + scale * CAUSES[shape](rng.plain, rng.n)


def category_names(rng: Generator) -> Any:
    """Draw a number of categories, and return their names."""
    count = int(rng.integers(MIN_CATEGORIES, MAX_CATEGORIES + 1))
    return np.array([chr(ord("a") + place) for place in range(count)])


def _single_mechanisms(group: str, names: list[str]) -> list[Family]:
    families = []
    for name in names:
        place = NAMES.index(name) + 1
        for cause in CAUSES:
            draw = partial(mechanism, family=name, cause=cause)
            stream = partial(_by_seed_and, place)
            families.append(Family(f"{group}/{name}, {cause}", draw, CAUSE, stream))
    return families


def _by_seed_and(place: int, seed: int, n: int) -> tuple[int, int]:
    return seed, place


def _by_seed(seed: int, n: int) -> tuple[int]:
    return (seed,)


_CONTINUOUS = [name for name in NAMES if name in FAMILIES or name.startswith("PNL")]
_OTHERS = [name for name in NAMES if name not in _CONTINUOUS]

DIRECT = _single_mechanisms("direct", _CONTINUOUS)
DISCRETE = _single_mechanisms("discrete", _OTHERS)
for _shape in CAUSES:
    for _title, _draw in (
        ("categories, ", categories_from_number),
        ("categories as a cause, ", number_from_categories),
    ):
        DISCRETE.append(
            Family(f"discrete/{_title}{_shape}", partial(_draw, shape=_shape), CAUSE, _by_seed)
        )
MIXTURES = [
    Family(f"mixtures/{name}", partial(mixture, setting=name), CAUSE, _by_seed) for name in SETTINGS
]
