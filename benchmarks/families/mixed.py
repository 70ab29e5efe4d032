"""One family of many: the pairs among which a confidence is calibrated, 30 to 500 rows each.

The number of rows and the kind follow from the seed. Seeds from `FIT_SEEDS` on, which the map of
`anmmm.confidence` is fitted to, take designed families of even places, those below take the others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from anmmm.datasets import make_anm_mixture, make_single_mechanism
from anmmm.datasets.families import CAUSES, CONTINUOUS, OTHER_EFFECTS
from benchmarks.families.base import CAUSE, Family, Pair
from benchmarks.families.designed import DESIGNED
from benchmarks.families.nothing import NOTHING, process

MIN_ROWS, MAX_ROWS = 30, 500
# Shares of 48 of each kind. They decide what a confidence means: among such pairs.
SHARES = {
    "mixture": 7,
    "single mechanism": 5,
    "general": 5,
    "weak": 4,
    "noisy": 2,
    "linear Gaussian": 2,
    "other effect": 6,
    "independent": 3,
    "common cause": 2,
    "designed": 9,
    "designed, neither": 3,
}
KINDS = [kind for kind, share in SHARES.items() for _ in range(share)]
FIT_SEEDS = 10_000
THETA_RANGES = ((1, 1.1), (3, 3.1), (0.5, 0.6), (2, 2.1))


class MixedFamily(Family):
    """Pairs of many kinds, each with its own truth."""

    def __call__(self, n: int, rng: Generator) -> tuple[np.ndarray, np.ndarray, int]:
        """Draw a pair of a random kind."""
        return draw_kind(rng, str(rng.choice(KINDS)), 0)

    def pair(self, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, int]:
        """Draw the pair of a seed."""
        rng = np.random.default_rng([seed, 99])
        return draw_kind(rng, KINDS[seed % len(KINDS)], 0 if seed >= FIT_SEEDS else 1)


def draw_kind(rng: Generator, kind: str, half: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Draw x, y and the truth; half: whether designed families of even places or of odd ones."""
    n = round(np.exp(rng.uniform(np.log(MIN_ROWS), np.log(MAX_ROWS))))
    if kind.startswith("designed"):
        is_caused = kind == "designed"
        families = [family for family in DESIGNED if (family.truth == CAUSE) == is_caused]
        families = families[half::2]
        return families[int(rng.choice(len(families)))](n, rng)
    for family in NOTHING:
        if family.title == kind:
            return family(n, rng)
    return (*DRAWS[kind](rng, n), CAUSE)


def mixture(rng: Generator, n: int) -> Pair:
    """Draw two to four of the paper's mechanisms."""
    count = int(rng.choice([2, 2, 3, 4]))
    x, y, _ = make_anm_mixture(
        str(rng.choice(["f1", "f2", "f3", "f4"])),
        n,
        theta_ranges=THETA_RANGES[:count],
        noise_std=np.exp(rng.uniform(np.log(0.01), np.log(0.3))),
        proportions=rng.dirichlet(np.full(count, 5.0)),
        random_state=rng,
    )
    return x, y


def single(rng: Generator, n: int) -> Pair:
    """Draw one mechanism of a Gaussian cause."""
    return make_single_mechanism(str(rng.choice(CONTINUOUS)), n, random_state=rng)


def noisy(rng: Generator, n: int) -> Pair:
    """Draw one mechanism with more noise."""
    x, y = single(rng, n)
    return x, y + rng.uniform(0.5, 2.0) * y.std() * rng.standard_normal(n)


def other_effect(rng: Generator, n: int) -> Pair:
    """Draw an effect of another kind of values."""
    cause = str(rng.choice(list(CAUSES)))
    family = str(rng.choice(tuple(OTHER_EFFECTS)))
    return make_single_mechanism(family, n, cause=cause, random_state=rng)


def weak(rng: Generator, n: int) -> Pair:
    """Draw a nearly linear mechanism with various causes and noises."""
    draws = {
        "normal": rng.standard_normal,
        "uniform": lambda n: rng.uniform(-1.7, 1.7, n),
        "laplace": lambda n: rng.laplace(scale=0.7, size=n),
        "skew": lambda n: rng.gamma(4.0, 0.5, n) - 2.0,
        "two": lambda n: 0.9 * rng.choice([-1.0, 1.0], n) + 0.4 * rng.standard_normal(n),
    }
    x = draws[str(rng.choice(list(draws)))](n)
    noise = draws[str(rng.choice(list(draws)))](n)
    bend = np.exp(rng.uniform(np.log(0.02), np.log(0.5)))
    bent = x**2 if rng.uniform() < 0.5 else np.sin(2.0 * x)
    return x, x + bend * bent + rng.uniform(0.2, 1.5) * noise


def general(rng: Generator, n: int) -> Pair:
    """Draw an effect ``f(x, e)``, f a Gaussian process of both, and measure it with noise.

    Cause and e are warped normals, much as Mooij et al. (JMLR 2016) simulate pairs. The noise is
    not additive, so none of the models that evidence compares is the true one.
    """
    x = warped_normal(rng, n)
    e = warped_normal(rng, n)
    lengths = np.exp(rng.uniform(np.log([0.7, 1.0]), np.log([3.0, 10.0])))
    distance = ((x[:, None] - x) / lengths[0]) ** 2 + ((e[:, None] - e) / lengths[1]) ** 2
    y = process(rng, np.exp(-0.5 * distance))
    y = (y - y.mean()) / y.std()
    error = np.exp(rng.uniform(np.log(0.01), np.log(0.2), size=2))
    return x + error[0] * rng.standard_normal(n), y + error[1] * rng.standard_normal(n)


def warped_normal(rng: Generator, n: int) -> np.ndarray:
    """Draw a standardized, increasing function of normal variables, the function at random."""
    z = np.sort(rng.standard_normal(n))
    steepness = np.exp(process(rng, np.exp(-0.5 * (z[:, None] - z) ** 2)))
    x = np.concatenate([[0.0], np.cumsum(0.5 * (steepness[1:] + steepness[:-1]) * np.diff(z))])
    return rng.permutation((x - x.mean()) / x.std())


DRAWS: dict[str, Callable[[Generator, int], Pair]] = {
    "mixture": mixture,
    "single mechanism": single,
    "general": general,
    "weak": weak,
    "noisy": noisy,
    "other effect": other_effect,
}
MIXED = MixedFamily("mixed", mixture, CAUSE, lambda seed, n: (seed, 99))
