"""How often `anmmm.hsic_test` rejects independent columns of unusual kinds.

    python -m benchmarks.independence --n 50 200 1000 10000 --orders 10000 -o rates.csv

Orders of one column are drawn at random, for ten draws of each pair of columns; a row a pair of
kinds has the fraction of p-values at most 0.001, 0.01 and 0.05.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
from tqdm import tqdm

from anmmm.independence import HSICVariable, permutation_test

LEVELS = (0.001, 0.01, 0.05)
N_PAIRS = 10


def events(n: int, rng: np.random.Generator, count: int) -> np.ndarray:
    """Column with a number of ones among zeros."""
    return rng.permutation((np.arange(n) < count) * 1.0)


def amounts(n: int, rng: np.random.Generator) -> np.ndarray:
    """Column of zeros but for one amount in fifty rows."""
    return events(n, rng, max(n // 50, 1)) * rng.exponential(size=n)


def circle(n: int, rng: np.random.Generator) -> np.ndarray:
    """Points on a circle, (n, 2)."""
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)])


KINDS: dict[str, Callable[[int, np.random.Generator], np.ndarray]] = {
    "one event": lambda n, rng: events(n, rng, 1),
    "3 events": lambda n, rng: events(n, rng, 3),
    "7 events": lambda n, rng: events(n, rng, 7),
    "20 events": lambda n, rng: events(n, rng, 20),
    "coin": lambda n, rng: events(n, rng, n // 2),
    "3 levels": lambda n, rng: rng.integers(0, 3, n) * 1.0,
    "counts": lambda n, rng: rng.poisson(0.2, n) + (np.arange(n) == 0),
    "amounts": amounts,
    "two peaks": lambda n, rng: events(n, rng, n // 2) + 0.01 * rng.normal(size=n),
    "circle": circle,
    "outlier": lambda n, rng: rng.normal(size=n) + 50.0 * (np.arange(n) == 0),
    "normal": lambda n, rng: rng.normal(size=n),
    "heavy tails": lambda n, rng: rng.standard_t(2, size=n),
}


def pvalues(first: str, second: str, n: int, n_orders: int) -> Iterator[float]:
    """Yield p-values of random orders of the second column."""
    for seed in range(N_PAIRS):
        rng = np.random.default_rng([seed, n])
        x, y = (HSICVariable(KINDS[kind](n, rng).reshape(n, -1)) for kind in (first, second))
        points = y.points
        for _ in range(n_orders // N_PAIRS):
            y.points = points[:, rng.permutation(n)]
            yield permutation_test(x, y, again=True).pvalue


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[50, 200, 1000])
    parser.add_argument("--orders", type=int, default=10_000)
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    rows = []
    for n in arguments.n:
        for first, second in tqdm(list(combinations_with_replacement(KINDS, 2)), desc=str(n)):
            values = np.fromiter(pvalues(first, second, n, arguments.orders), float)
            rates = {str(level): np.mean(values <= level) for level in LEVELS}
            rows.append({"n": n, "first": first, "second": second, "orders": len(values)} | rates)
        # After each size, so that a run that ends early has the earlier ones.
        pd.DataFrame(rows).to_csv(arguments.output, index=False)


if __name__ == "__main__":
    main()
