"""How λ and v should grow with N: ``python -m benchmarks.growth N COUNT [GROWTH ...]``.

COUNT mixtures of each of f1 to f4 (seeds from 10 000, which nothing is reported on): mean ARI of
k-means on Θ, and share of right directions by the HSIC term, by the exponent `weight_growth`.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from anmmm import infer_direction
from anmmm.datasets import make_anm_mixture


def measure(n_samples: int, count: int, growth: float) -> str:
    """One row of the table."""
    ari, right = [], []
    for mechanism in ("f1", "f2", "f3", "f4"):
        found, decided = [], []
        for seed in range(10_000, 10_000 + count):
            x, y, labels = make_anm_mixture(mechanism, n_samples, random_state=seed)
            result = infer_direction(x, y, criterion="hsic", weight_growth=growth)
            clusters = KMeans(2, n_init=5, random_state=0).fit_predict(result.forward.latent)
            found.append(adjusted_rand_score(labels, clusters))
            decided.append(result.direction == 1)
        ari.append(np.mean(found))
        right.append(np.mean(decided))
    cells = [f"{value:.3f}" for value in ari] + [f"{value:.2f}" for value in right]
    return f"| {n_samples} | {growth} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    n_samples, count = int(sys.argv[1]), int(sys.argv[2])
    print("| N | growth | ARI f1 | f2 | f3 | f4 | direction f1 | f2 | f3 | f4 |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for growth in map(float, sys.argv[3:] or ("0", "0.25", "0.5", "1")):
        print(measure(n_samples, count, growth), flush=True)


if __name__ == "__main__":
    main()
