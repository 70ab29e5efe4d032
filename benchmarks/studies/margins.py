"""What is said of variables of unusual distributions: ``python -m benchmarks.studies.margins``.

Atoms, clipped and heaped values, heavy tails, clusters: each against an independent Gaussian,
against an independent copy of itself, and as the cause in ``y = tanh(2 z) + 0.4 ε``, where z is x
less its median by its standard deviation. The laws of single variables were completed on seeds
30 000 to 31 019 and 7000 to 7011; 0 to 99 and 20 000 to 20 099 are for reporting.

``--copula`` takes instead all pairs of these distributions, with a Gaussian copula: monotone
functions of linear Gaussian pairs, for which few directions should be sure.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import combinations_with_replacement

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.studies.common import (
    mean_and_error,
    print_header,
    print_row,
    seeds_of,
    seeds_parser,
)
from benchmarks.studies.outcomes import decided

Draw = Callable[[np.random.Generator, int], np.ndarray]


def zeros(share: float, others: Draw) -> Draw:
    """Draw zeros with a probability, other values otherwise."""
    return lambda rng, n: np.where(rng.random(n) < share, 0.0, others(rng, n))


def clusters(centers: list[float], spread: float) -> Draw:
    """Draw from narrow Gaussians of equal weights."""
    return lambda rng, n: rng.choice(centers, n) + spread * rng.normal(size=n)


def gaussian(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw what nothing is unusual about."""
    return rng.normal(size=n)


MARGINS: dict[str, Draw] = {
    "Gaussian": gaussian,
    "70 % zeros, exponential": zeros(0.7, lambda rng, n: rng.exponential(size=n)),
    "30 % zeros, lognormal": zeros(0.3, lambda rng, n: rng.lognormal(size=n)),
    "rain: 50 % zeros, in tenths": lambda rng, n: np.round(
        zeros(0.5, lambda rng, n: rng.gamma(0.7, 10.0, n))(rng, n), 1
    ),
    "clipped on both sides": lambda rng, n: np.clip(rng.normal(size=n), -0.5, 0.5),
    "clipped below": lambda rng, n: np.maximum(rng.normal(size=n), -1.0),
    "in tenths": lambda rng, n: np.round(rng.normal(size=n), 1),
    "heaped at tens": lambda rng, n: (
        lambda tens, x: np.where(tens, 10.0 * np.round(x / 10.0), np.round(x))
    )(rng.random(n) < 0.6, 50.0 * rng.normal(size=n)),
    "ages": lambda rng, n: np.round(np.clip(rng.normal(45.0, 18.0, n), 18.0, 90.0)),
    "Zipf's counts": lambda rng, n: rng.zipf(1.5, n).astype(float),
    "rounded lognormal": lambda rng, n: np.round(rng.lognormal(2.0, 1.5, n)),
    "Poisson, mean 0.3": lambda rng, n: rng.poisson(0.3, n).astype(float),
    "Poisson, mean 200": lambda rng, n: rng.poisson(200.0, n).astype(float),
    "Cauchy": lambda rng, n: rng.standard_cauchy(n),
    "Cauchy, square with its sign": lambda rng, n: (lambda x: x * np.abs(x))(
        rng.standard_cauchy(n)
    ),
    "lognormal, σ = 3": lambda rng, n: rng.lognormal(0.0, 3.0, n),
    "beta(0.1, 0.1)": lambda rng, n: rng.beta(0.1, 0.1, n),
    "arcsine": lambda rng, n: np.sin(rng.uniform(0.0, 2.0 * np.pi, n)),
    "two scales": lambda rng, n: np.where(rng.random(n) < 0.5, 0.01, 1.0) * rng.normal(size=n),
    "three clusters": clusters([0.0, 1.0, 5.0], 0.1),
    "four clusters": clusters([0.0, 1.0, 2.5, 7.0], 0.05),
    "1 % at -999": lambda rng, n: np.where(rng.random(n) < 0.01, -999.0, rng.normal(size=n)),
}


def effect_of(x: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a cause and its effect."""
    return x, np.tanh(2.0 * (x - np.median(x)) / x.std()) + 0.4 * rng.normal(size=len(x))


def margins(seeds: list[int], n: int, names: list[str]) -> None:
    """Print a line a distribution."""
    print(f"\nN = {n}, {len(seeds)} pairs a row from seed {seeds[0]}\n")
    print_header(
        "distribution",
        "with a Gaussian: independent",
        "sure",
        "with its like: independent",
        "sure",
        "as a cause: right",
        "sure",
        "sure and wrong",
    )
    for name in names:
        draw = MARGINS[name]
        rngs = [np.random.default_rng([seed, 11]) for seed in seeds]
        one = decided((draw(rng, n), gaussian(rng, n)) for rng in rngs)
        like = decided((draw(rng, n), draw(rng, n)) for rng in rngs)
        cause = decided(effect_of(draw(rng, n), rng) for rng in rngs)
        shares = [facts[key] for facts in (one, like) for key in ("independent", "sure")]
        shares += [cause[key] for key in ("right", "sure", "sure and wrong")]
        print_row(name, *map(mean_and_error, shares))


def with_copula(
    names: tuple[str, str], n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a pair of two distributions, by ranks of a linear Gaussian pair of correlation 0.8."""
    z, noise = rng.normal(size=(2, n))
    order = (z.argsort().argsort(), (0.8 * z + 0.6 * noise).argsort().argsort())
    x, y = (np.sort(MARGINS[name](rng, n))[at] for name, at in zip(names, order, strict=True))
    return x, y


def copulas(seeds: list[int], n: int, names: list[str]) -> None:
    """Print the share of sure directions a distribution, over all others beside it."""
    found: dict[str, list[float]] = {name: [] for name in names}
    for pair in combinations_with_replacement(names, 2):
        rngs = [np.random.default_rng([seed, 12]) for seed in seeds]
        sure = decided(with_copula(pair, n, rng) for rng in rngs)["sure"]
        for name in set(pair):
            found[name].append(float(np.mean(sure)))
    print(f"\nN = {n}, {len(seeds)} pairs of two distributions from seed {seeds[0]}\n")
    print_header("distribution", "sure")
    for name, shares in found.items():
        print_row(name, f"{np.mean(shares):.3f}")


def main() -> None:
    """Run the study."""
    parser = seeds_parser(__doc__, samples=300, first=0, count=100)
    parser.add_argument("--only", action="append", choices=MARGINS)
    parser.add_argument("--copula", action="store_true", help="pairs of two distributions")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    seeds = seeds_of(arguments)
    study = copulas if arguments.copula else margins
    study(seeds, arguments.samples, arguments.only or list(MARGINS))


if __name__ == "__main__":
    main()
