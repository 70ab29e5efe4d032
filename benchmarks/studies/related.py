"""Whether tests of independence keep what they promise: ``python -m benchmarks.studies.related``.

Studies: ``tables`` draws tables of twelve columns, of which six pairs are a cause and its effect
and all others are independent, and prints the shares of independent pairs among those called
related at a false discovery rate of 0.05, and of related ones that were found; ``nulls`` prints how
often independent pairs have a p-value below a level. Both by the null chosen.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np

from anmmm import hsic_test
from anmmm.collection.summary import largest_related
from benchmarks.paper.tables import markdown_table
from benchmarks.studies.common import mean_and_error, print_header, print_row

RELATED = 6
CAUSES = (
    lambda rng, n: rng.normal(size=n),
    lambda rng, n: rng.exponential(size=n),
    lambda rng, n: rng.uniform(size=n),
)

LEVELS = (0.05, 0.01, 0.001)
MARGINS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "heavy": lambda rng, n: rng.standard_t(2, n),
    "binary": lambda rng, n: (rng.permutation(n) < 0.3 * n) * 1.0,
    "counts": lambda rng, n: rng.poisson(2.0, n) * 1.0,
}
PAIRS_OF_MARGINS = [(kind, kind) for kind in MARGINS] + [
    (kind, "normal") for kind in MARGINS if kind != "normal"
]


def drawn_table(n: int, seed: int) -> list[np.ndarray]:
    """Return columns of which number 2k and 2k + 1 are a cause and its effect."""
    rng = np.random.default_rng(seed)
    columns = []
    for _ in range(RELATED):
        cause = CAUSES[rng.choice(len(CAUSES))](rng, n)
        cause = (cause - cause.mean()) / cause.std()
        columns += [cause, np.tanh(cause) + rng.normal(size=n)]
    return columns


def measure(n: int, seed: int, null: str) -> tuple[float, float, float]:
    """Return false ones among the called, found ones among the true, and small p-values."""
    columns = drawn_table(n, seed)
    places = list(combinations(range(len(columns)), 2))
    related = np.array([at // 2 == other // 2 for at, other in places])
    pvalues = np.array([pvalue_of(columns[at], columns[other], null) for at, other in places])
    called = pvalues <= largest_related(pvalues)
    false = (called & ~related).sum() / max(called.sum(), 1)
    return false, called[related].mean(), (pvalues[~related] < 0.01).mean()


def pvalue_of(x: np.ndarray, y: np.ndarray, null: str) -> float:
    return hsic_test(x, y, null=null).pvalue


def tables(seeds: range, samples: list[int], null: str) -> None:
    """Print the false discovery rate kept."""
    rows = []
    for n in samples:
        values = np.array([measure(n, seed, null) for seed in seeds])
        errors = values.std(axis=0, ddof=1) / np.sqrt(len(values))
        shown = zip(values.mean(axis=0), errors, strict=True)
        rows.append([f"{n}", *(f"{mean:.3f} ± {error:.3f}" for mean, error in shown)])
    heads = ["N", "unrelated among the called", "related that are called", "p < 0.01, unrelated"]
    print(markdown_table("Twelve columns, six related pairs", heads, rows))


def nulls(seeds: range, samples: list[int], null: str) -> None:
    """Print shares of independent pairs below each level."""
    print_header("N", "margins", *(f"p < {level}" for level in LEVELS))
    for n in samples:
        for kinds in PAIRS_OF_MARGINS:
            draws = (np.random.default_rng([seed, n]) for seed in seeds)
            pvalues = [pvalue_of(*(MARGINS[kind](rng, n) for kind in kinds), null) for rng in draws]
            below = (np.array(pvalues) < level for level in LEVELS)
            print_row(n, " and ".join(dict.fromkeys(kinds)), *map(mean_and_error, below))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=["tables", "nulls"])
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--samples", type=int, action="append")
    parser.add_argument("--null", choices=["gamma", "permutation"], default="permutation")
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.count)
    study = {"tables": tables, "nulls": nulls}[options.study]
    study(seeds, options.samples or [30, 100, 300], options.null)


if __name__ == "__main__":
    main()
