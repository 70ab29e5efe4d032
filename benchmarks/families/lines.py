"""Mixtures of lines and parabolas: where linear kernels are right, and where they are not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.families.base import CAUSE, Family, Pair, Rows

CAUSES: dict[str, Callable[[Rows], np.ndarray]] = {
    "gaussian": lambda rng: rng.normal(),
    "uniform": lambda rng: rng.uniform(-np.sqrt(3), np.sqrt(3)),
    "bimodal": lambda rng: rng.choice([-0.9, 0.9]) + 0.44 * rng.normal(),
}
NOISES = ("gaussian", "uniform")
TITLES = (
    "one line",
    "shifted lines",
    "fan of lines",
    "crossing lines",
    "two lines",
    "shifted parabolas",
    "scaled parabolas",
)


def draw_labeled(rng: Rows, title: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw cause, effect and the mechanism of each row, with a random cause and noise."""
    x = CAUSES[rng.plain.choice([*CAUSES])](rng)
    noise = rng.plain.choice([0.1, 0.2, 0.4]) * CAUSES[rng.plain.choice(NOISES)](rng)
    labels = rng.integers(2)
    sign = rng.plain.choice([-1.0, 1.0])
    shift = rng.between(1.0, 2.5)
    slope = sign * rng.between(0.4, 1.5)
    second = slope - np.sign(slope) * rng.between(0.7, 2.5)
    slopes = np.where(labels == 1, second, slope)
    effects = {
        "one line": slope * x,
        "shifted lines": slope * x + shift * labels,
        "crossing lines": slopes * x,
        "two lines": slopes * x + shift * labels,
        "shifted parabolas": slope * x**2 + shift * labels,
        "scaled parabolas": slopes * x**2,
        # They meet at an end of x, so that one mechanism is above the other throughout.
        "fan of lines": slopes * (x - x.min()),
    }
    return x, effects[title] + noise, labels


def draw(rng: Rows, title: str) -> Pair:
    """Draw cause and effect."""
    return draw_labeled(rng, title)[:2]


LINES = [
    Family(f"lines/{title}", partial(draw, title=title), CAUSE, lambda seed, n: (seed,))
    for title in TITLES
]
