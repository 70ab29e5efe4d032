"""What a family of pairs is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

Pair = tuple[np.ndarray, np.ndarray]
Draw = Callable[[Generator, int], Pair]

# Truths: x causes y; neither is related to the other; both have a hidden common cause; they are
# related, and no direction is right (selection, time, parts of a whole) or nothing shows it.
CAUSE, UNRELATED, COMMON_CAUSE, NEITHER = 1, 0, 2, 3


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
        return (*self.draw(rng, n), self.truth)

    def pair(self, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Draw the pair of a seed."""
        return self(n, np.random.default_rng(self.stream(seed, n)))

    @property
    def title(self) -> str:
        """The name without its groups."""
        return self.name.rpartition("/")[2]


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
