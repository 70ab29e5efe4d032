"""The screen of all pairs of a table: ``python -m benchmarks.studies.screen levels`` or ``power``.

``levels``: p-values of independent columns, how many are below a level over how many should be.
``power``: shares of related pairs below a level, beside those of the HSIC test.
"""

from __future__ import annotations

import argparse

import numpy as np

from anmmm import hsic_test
from anmmm.collection.sources.screen import dependence_pvalues
from benchmarks.studies.common import print_header, print_row

LEVELS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def levels(sizes: list[int], n_columns: int, seed: int) -> None:
    """Print how often p-values of independent columns are below each level."""
    print_header("N", "pairs", *(f"{level:g}" for level in LEVELS))
    for n in sizes:
        columns = list(np.random.default_rng([seed, n]).standard_normal((n_columns, n)))
        pvalues = dependence_pvalues(columns, [False] * n_columns)
        print_row(n, len(pvalues), *(f"{(pvalues < a).mean() / a:.2f}" for a in LEVELS))


def draw(n: int, rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Draw a pair of each relation."""
    x, e = rng.standard_normal((2, n))
    heavy = rng.standard_t(2, (2, n))
    group = rng.integers(2, size=n)
    return {
        "line": (x, 0.45 * x + e),
        "square": (x, 0.5 * x**2 + e),
        "sin 2x": (x, np.sin(2 * x) + e),
        "sin 4x": (x, np.sin(4 * x) + 0.5 * e),
        "sin 8x": (x, np.sin(8 * x) + 0.3 * e),
        "spread": (x, (0.5 + 0.5 * np.abs(x)) * e),
        "crossing lines": (x, np.where(group, x, -x) + 0.5 * e),
        "hidden groups": (2 * group + x, 2 * group + e),
        "heavy tails": (heavy[0], 0.4 * heavy[0] + heavy[1]),
    }


def power(sizes: list[int], count: int, seed: int) -> None:
    """Print shares of related pairs below 1e-6, by the screen and by HSIC."""
    print_header("relation", *(f"{test}, N = {n}" for n in sizes for test in ("screen", "HSIC")))
    shares: dict[str, list[str]] = {}
    for n in sizes:
        found: dict[str, list[tuple[float, float]]] = {}
        for number in range(count):
            for name, pair in draw(n, np.random.default_rng([seed, n, number])).items():
                screened = float(dependence_pvalues(pair, [False, False])[0])
                found.setdefault(name, []).append((screened, hsic_test(*pair).pvalue))
        for name, pvalues in found.items():
            below = (np.array(pvalues) < 1e-6).mean(axis=0)
            shares.setdefault(name, []).extend(f"{share:.2f}" for share in below)
    for name, cells in shares.items():
        print_row(name, *cells)


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("study", choices=["levels", "power"])
    parser.add_argument("--samples", type=int, nargs="+", default=[50, 100, 300, 1000])
    parser.add_argument("--columns", type=int, default=3000)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.study == "levels":
        levels(arguments.samples, arguments.columns, arguments.seed)
    else:
        power(arguments.samples, arguments.count, arguments.seed)


if __name__ == "__main__":
    main()
