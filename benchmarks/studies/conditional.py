"""P-values of the test that searches take from here: how often a true independence is rejected.

``python -m benchmarks.studies.conditional [--first-seed SEED] [--count COUNT]`` prints, by the null
distribution of HSIC, the share of p-values below 0.05 and 0.01 of two variables that are
independent, of two that are so given a common cause, which splines regress out, and of two that are
dependent given it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from anmmm import ANMMixture, hsic_test
from anmmm.independence import NULLS
from benchmarks.studies.common import mean_and_error, print_header, print_row

SIZES = (30, 100, 300)
Columns = tuple[np.ndarray, np.ndarray]


def independent(rng: np.random.Generator, n: int) -> Columns:
    return _noise(rng, n), _noise(rng, n)


def by_a_common_cause(rng: np.random.Generator, n: int) -> Columns:
    p = rng.normal(size=(n, 1))
    u, v = np.tanh(2 * p[:, 0]) + _noise(rng, n), np.sin(2 * p[:, 0]) + _noise(rng, n)
    return residual(u, p), residual(v, p)


def dependent(rng: np.random.Generator, n: int) -> Columns:
    p = rng.normal(size=(n, 1))
    u = np.tanh(2 * p[:, 0]) + _noise(rng, n)
    v = 0.3 * u**2 + np.sin(2 * p[:, 0]) + _noise(rng, n)
    return residual(u, p), residual(v, p)


def residual(u: np.ndarray, p: np.ndarray) -> np.ndarray:
    return u - ANMMixture(n_mechanisms=1).fit(p, u).curves(p)[:, 0]


def _noise(rng: np.random.Generator, n: int) -> np.ndarray:
    kind = rng.integers(3)
    if kind == 0:
        return rng.normal(size=n)
    # Light tails and heavy ones.
    return rng.uniform(-1.7, 1.7, n) if kind == 1 else rng.standard_t(3, size=n) / np.sqrt(3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.count)
    print_header("pairs", "N", "null", "below 0.05", "below 0.01", "CPU ms a test")
    kinds: dict[str, Callable[[np.random.Generator, int], Columns]] = {
        "independent": independent,
        "independent given p": by_a_common_cause,
        "dependent given p": dependent,
    }
    for name, draw in kinds.items():
        for n in SIZES:
            drawn = [draw(np.random.default_rng([seed, n, 9]), n) for seed in seeds]
            for null in NULLS:
                began = time.process_time()
                pvalues = np.array([hsic_test(*pair, null=null).pvalue for pair in drawn])
                cpu = 1000 * (time.process_time() - began) / len(drawn)
                rates = [mean_and_error((pvalues < level).astype(float)) for level in (0.05, 0.01)]
                print_row(name, str(n), null, *rates, f"{cpu:.1f}")


if __name__ == "__main__":
    main()
