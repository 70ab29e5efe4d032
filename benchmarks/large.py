"""Many observations: ``python -m benchmarks.large fit N ...`` or ``... evaluation N ...``.

``fit``: a default clustering of an f3 mixture of two mechanisms, seed 0: seconds, evaluations,
rank, peak memory of the process, ARI, and the ARI of the classifier that knows f, θ and noise.
``evaluation``: value and gradient where a default fit of 10 000 observations ends, each observation
repeated N / 10 000 times; one N a process, or the peak memory is that of the largest.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms, warm_up
from anmmm.datasets.synthetic import draw_anm_mixture
from anmmm.gppom.objective import GPPOMObjective
from benchmarks.speed.common import fitted_objective

FITTED = 10_000


def measure_fit(n_samples: int) -> str:
    """One row of the table."""
    sample = draw_anm_mixture("f3", n_samples, random_state=0)
    start = time.perf_counter()
    result = cluster_mechanisms(sample.x, sample.y, random_state=0)
    seconds = time.perf_counter() - start
    fit = result.fit
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    found = adjusted_rand_score(sample.labels, result.labels)
    best = adjusted_rand_score(sample.labels, sample.bayes_labels())
    return (
        f"| {n_samples} | {seconds:.1f} | {fit.n_evaluations} | {fit.rank} | {fit.status} "
        f"| {peak:.2f} | {found:.3f} | {best:.3f} |"
    )


def measure_evaluation(n_samples: int) -> str:
    """One row of the other table."""
    few, z = fitted_objective(FITTED)
    theta, omega = few.unpack(z)
    times = n_samples // FITTED
    X, Y, latent = (np.tile(array, (times, 1)) for array in (few.X, few.Y, theta))
    objective = GPPOMObjective(X, Y, engine="lowrank", lam=few.lam, hyper_prior=few.hyper_prior)
    z = objective.pack(latent, omega)
    seconds = []
    for _ in range(6):
        start = time.perf_counter()
        objective.value_and_grad(z)
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return (
        f"| {n_samples} | {np.median(seconds[1:]):.4f} | {objective.terms(z).rank} | {peak:.2f} |"
    )


def main() -> None:
    """Print one of the tables."""
    warm_up()
    kind, sizes = sys.argv[1], [int(float(size)) for size in sys.argv[2:]]
    if kind == "evaluation":
        print("| N | s | rank | peak GB |\n|---|---|---|---|")
        for n_samples in sizes:
            print(measure_evaluation(n_samples), flush=True)
        return
    print("| N | s | evaluations | rank | status | peak GB | ARI | Bayes |")
    print("|---|---|---|---|---|---|---|---|")
    for n_samples in sizes:
        print(measure_fit(n_samples), flush=True)


if __name__ == "__main__":
    main()
