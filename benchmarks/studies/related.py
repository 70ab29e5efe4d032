"""Whether the pairs called related at a false discovery rate of 0.05 are, in tables of columns.

``python -m benchmarks.studies.related [--first-seed SEED] [--count COUNT]`` draws tables of twelve
columns, of which six pairs are a cause and its effect and all others are independent, and prints
the shares of independent pairs among those called related, and of related ones that were found.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np

from anmmm import hsic_test
from anmmm.collection.related import largest_related
from anmmm.experiments.tables import markdown_table

SAMPLES = (30, 100, 300)
RELATED = 6
CAUSES = (
    lambda rng, n: rng.normal(size=n),
    lambda rng, n: rng.exponential(size=n),
    lambda rng, n: rng.uniform(size=n),
)


def drawn_table(n: int, seed: int) -> list[np.ndarray]:
    """Return columns of which number 2k and 2k + 1 are a cause and its effect."""
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(RELATED):
        cause = CAUSES[rng.choice(len(CAUSES))](rng, n)
        cause = (cause - cause.mean()) / cause.std()
        columns += [cause, np.tanh(cause) + rng.normal(size=n)]
    return columns


def measure(n: int, seed: int) -> tuple[float, float, float]:
    """Return false ones among the called, found ones among the true, and small p-values."""
    columns = drawn_table(n, seed)
    places = list(combinations(range(len(columns)), 2))
    related = np.array([at // 2 == other // 2 for at, other in places])
    pvalues = np.array([hsic_test(columns[at], columns[other]).pvalue for at, other in places])
    called = pvalues <= largest_related(pvalues)
    false = (called & ~related).sum() / max(called.sum(), 1)
    return false, called[related].mean(), (pvalues[~related] < 0.01).mean()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.count)
    rows = []
    for n in SAMPLES:
        values = np.array([measure(n, seed) for seed in seeds])
        errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        shown = zip(values.mean(axis=0), errors, strict=True)
        rows.append([f"{n}", *(f"{mean:.3f} ± {error:.3f}" for mean, error in shown)])
    heads = ["N", "unrelated among the called", "related that are called", "p < 0.01, unrelated"]
    print(markdown_table("Twelve columns, six related pairs", heads, rows))


if __name__ == "__main__":
    main()
