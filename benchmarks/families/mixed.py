"""One family of many: the pairs among which a confidence is calibrated, 30 to 500 rows each.

The number of rows and the kind follow from the seed. Seeds from `FIT_SEEDS` on, which the map of
the probabilities are fitted to, take designed families of even places, those below take the others.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from anmmm.datasets import make_anm_mixture, make_single_mechanism
from anmmm.datasets.families import CAUSES, FAMILIES
from benchmarks.families.base import CAUSE, Draw, Family, Pair, Rows
from benchmarks.families.designed import DESIGNED
from benchmarks.families.effects import OTHER_EFFECTS, draw_effect
from benchmarks.families.nothing import NOTHING, process
from benchmarks.families.settings import FOUR_RANGES

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
    return (*DRAWS[kind](Rows(rng, n)), CAUSE)


def mixture(rng: Rows) -> Pair:
    """Draw two to four of the paper's mechanisms."""
    count = int(rng.plain.choice([2, 2, 3, 4]))
    x, y, _ = make_anm_mixture(
        str(rng.plain.choice(["f1", "f2", "f3", "f4"])),
        rng.n,
        theta_ranges=FOUR_RANGES[:count],
        noise_std=np.exp(rng.between(np.log(0.01), np.log(0.3))),
        proportions=rng.plain.dirichlet(np.full(count, 5.0)),
        random_state=rng.plain,
    )
    return x, y


def single(rng: Rows) -> Pair:
    """Draw one mechanism of a Gaussian cause."""
    return make_single_mechanism(str(rng.plain.choice(FAMILIES)), rng.n, random_state=rng.plain)


def noisy(rng: Rows) -> Pair:
    """Draw one mechanism with more noise."""
    x, y = single(rng)
    return x, y + rng.between(0.5, 2.0) * y.std() * rng.standard_normal()


def other_effect(rng: Rows) -> Pair:
    """Draw an effect of another kind of values."""
    cause = str(rng.plain.choice(list(CAUSES)))
    family = str(rng.plain.choice(tuple(OTHER_EFFECTS)))
    return draw_effect(family, rng.n, cause=cause, random_state=rng.plain)


def weak(rng: Rows) -> Pair:
    """Draw a nearly linear mechanism with various causes and noises."""
    draws = {
        "normal": rng.standard_normal,
        "uniform": lambda: rng.uniform(-1.7, 1.7),
        "laplace": lambda: rng.laplace(scale=0.7),
        "skew": lambda: rng.gamma(4.0, 0.5) - 2.0,
        "two": lambda: 0.9 * rng.choice([-1.0, 1.0]) + 0.4 * rng.standard_normal(),
    }
    x = draws[str(rng.plain.choice(list(draws)))]()
    noise = draws[str(rng.plain.choice(list(draws)))]()
    bend = np.exp(rng.between(np.log(0.02), np.log(0.5)))
    bent = x**2 if rng.plain.uniform() < 0.5 else np.sin(2.0 * x)
    return x, x + bend * bent + rng.between(0.2, 1.5) * noise


def general(rng: Rows) -> Pair:
    """Draw an effect ``f(x, e)``, f a Gaussian process of both, and measure it with noise.

    Cause and e are warped normals, much as Mooij et al. (JMLR 2016) simulate pairs. The noise is
    not additive, so none of the models that evidence compares is the true one.
    """
    x = warped_normal(rng)
    e = warped_normal(rng)
    lengths = np.exp(rng.between(np.log([0.7, 1.0]), np.log([3.0, 10.0])))
    distance = ((x[:, None] - x) / lengths[0]) ** 2 + ((e[:, None] - e) / lengths[1]) ** 2
    y = process(rng.plain, np.exp(-0.5 * distance))
    y = (y - y.mean()) / y.std()
    error = np.exp(rng.plain.uniform(np.log(0.01), np.log(0.2), size=2))
    return x + error[0] * rng.standard_normal(), y + error[1] * rng.standard_normal()


def warped_normal(rng: Rows) -> np.ndarray:
    """Draw a standardized, increasing function of normal variables, the function at random."""
    z = np.sort(rng.standard_normal())
    steepness = np.exp(process(rng.plain, np.exp(-0.5 * (z[:, None] - z) ** 2)))
    x = np.concatenate([[0.0], np.cumsum(0.5 * (steepness[1:] + steepness[:-1]) * np.diff(z))])
    return rng.plain.permutation((x - x.mean()) / x.std())


DRAWS: dict[str, Draw] = {
    "mixture": mixture,
    "single mechanism": single,
    "general": general,
    "weak": weak,
    "noisy": noisy,
    "other effect": other_effect,
}
MIXED = MixedFamily("mixed", mixture, CAUSE, lambda seed, n: (seed, 99))
