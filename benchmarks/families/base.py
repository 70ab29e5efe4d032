"""What a family of pairs is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.random import Generator
from scipy.stats import zscore

Pair = tuple[np.ndarray, np.ndarray]


# Truths: x causes y; neither is related to the other; both have a hidden common cause; they are
# related, and no direction is right (selection, time, parts of a whole) or nothing shows it.
CAUSE, UNRELATED, COMMON_CAUSE, NEITHER = 1, 0, 2, 3


class Noise:
    """What rows and sources of rows draw alike."""

    plain: Generator
    normal: Callable[..., np.ndarray]

    def errors(self, low: float, high: float) -> np.ndarray:
        """Draw additive noise whose standard deviation is random from low to high."""
        return self.normal(0.0, self.plain.uniform(low, high))

    def factors(self, low: float, high: float) -> np.ndarray:
        """Draw multiplicative noise whose log has a random standard deviation from low to high."""
        return np.exp(self.errors(low, high))


class Rows(Noise):
    """A generator whose methods draw a number for each row of a pair, as ``normal(mean, sd)``."""

    def __init__(self, plain: Generator, n: int) -> None:
        self.plain = plain
        self.n = n

    def __getattr__(self, name: str) -> Callable[..., np.ndarray]:
        return partial(getattr(self.plain, name), size=self.n)

    def between(self, low: float, high: float) -> float:
        """Draw a parameter of the pair."""
        return self.plain.uniform(low, high)

    def sources(self, low: int, high: int, evenness: float = 4.0) -> Sources:
        """Draw unrecorded sources; parameters are drawn up to the last one that has a row."""
        count = int(self.plain.integers(low, high + 1))
        labels = self.choice(count, p=self.plain.dirichlet(np.full(count, evenness)))
        return Sources(self.plain, labels, int(labels.max()) + 1)

    def some(self, low: float, high: float) -> np.ndarray:
        """Draw which rows something happens in, with a random probability from low to high."""
        happens = self.random()
        return happens < self.between(low, high)

    def counted(self, mean: np.ndarray, low: float, high: float) -> np.ndarray:
        """Draw overdispersed counts, with a gamma shape between low and high."""
        shape = self.between(low, high)
        return self.poisson(mean * self.gamma(shape, 1.0 / shape))

    def settings(self, levels: list[float], low: int) -> np.ndarray:
        """Set each row to one of at least low of the levels, some used more often than others."""
        count = int(self.plain.integers(low, len(levels) + 1))
        used = np.sort(self.plain.choice(np.array(levels), size=count, replace=False))
        return self.choice(used, p=self.plain.dirichlet(np.full(count, 8.0)))


class Sources(Noise):
    """Unrecorded sources of rows; methods draw a number for each source, and return it by row."""

    def __init__(self, plain: Generator, labels: np.ndarray, count: int) -> None:
        self.plain = plain
        self.labels = labels
        self.count = count

    def __getattr__(self, name: str) -> Callable[..., np.ndarray]:
        return lambda *parameters: getattr(self.plain, name)(*parameters, self.count)[self.labels]

    def between(self, low: float, high: float) -> np.ndarray:
        """Draw a parameter from a random part of low to high."""
        a, b = np.sort(self.plain.uniform(low, high, 2))
        return self.uniform(a, b)


Draw = Callable[[Rows], Pair]


@dataclass(frozen=True)
class Family:
    """A way to draw pairs: its name begins with its groups, each followed by a slash."""

    name: str
    draw: Draw
    truth: int
    # Numbers that seed the generator, by the seed and the number of rows.
    stream: Callable[[int, int], Sequence[int]]

    def __call__(self, n: int, rng: Generator) -> tuple[np.ndarray, np.ndarray, int]:
        """Draw x, y and the truth."""
        return (*self.draw(Rows(rng, n)), self.truth)

    def pair(self, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Draw the pair of a seed."""
        return self(n, np.random.default_rng(self.stream(seed, n)))

    @property
    def title(self) -> str:
        """The name without its groups."""
        return self.name.rpartition("/")[2]


def mapped(draw: Draw, function: Callable[[np.ndarray], np.ndarray]) -> Draw:
    """Return a family of a function of both variables of another one."""

    def drawn(rng: Rows) -> Pair:
        x, y = draw(rng)
        return function(x), function(y)

    return drawn


def smooth_waves(rng: Generator, t: np.ndarray) -> np.ndarray:
    """Draw a smooth function of numbers between 0 and 1, standardized."""
    orders = np.arange(1, 6)
    return zscore(np.cos(np.pi * np.outer(t, orders)) @ (rng.standard_normal(5) / orders**1.2))


def placed(group: str, draws: Mapping[str, Draw], truth: int, first: int = 0) -> list[Family]:
    """Return families whose streams differ by their place, counted from `first`."""
    families = []
    for place, (title, draw) in enumerate(draws.items(), start=first):
        families.append(Family(f"{group}/{title}", draw, truth, by_place(place)))
    return families


def by_place(place: int) -> Callable[[int, int], Sequence[int]]:
    """Return the stream of a place in a list of families."""
    return lambda seed, n: (seed, n, place)


def by_name(families: Iterable[Family]) -> dict[str, Family]:
    """Return families by their names, which must differ."""
    registry: dict[str, Family] = {}
    for family in families:
        if family.name in registry:
            raise ValueError(f"two families are called {family.name!r}")
        registry[family.name] = family
    return registry
