"""A default clustering of many observations, whole: ``python -m benchmarks.large N ...``.

f3 mixtures of two mechanisms, seed 0: seconds, evaluations, rank, peak memory of the process, ARI,
and the ARI of the classifier that knows f, θ and noise. At the fitted point, the seconds of one
evaluation.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms, warm_up
from anmmm.datasets.synthetic import draw_anm_mixture
from anmmm.objective import GPPOMObjective
from anmmm.preprocessing import standardise


def measure(n_samples: int) -> str:
    """One row of the table."""
    sample = draw_anm_mixture("f3", n_samples, random_state=0)
    start = time.perf_counter()
    result = cluster_mechanisms(sample.x, sample.y, random_state=0)
    seconds = time.perf_counter() - start
    fit = result.fit
    objective = GPPOMObjective(
        standardise(sample.x[:, None])[0],
        standardise(sample.y[:, None])[0],
        lam=fit.lam,
        hyper_prior=fit.hyper_prior,
    )
    times = []
    for _ in range(4):
        start = time.perf_counter()
        objective.value_and_grad(fit.parameters)
        times.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    found = adjusted_rand_score(sample.labels, result.labels)
    best = adjusted_rand_score(sample.labels, sample.bayes_labels())
    return (
        f"| {n_samples} | {seconds:.1f} | {fit.n_evaluations} | {fit.rank} | {fit.status} "
        f"| {np.median(times[1:]):.3f} | {peak:.2f} | {found:.3f} | {best:.3f} |"
    )


def main() -> None:
    """Print the table."""
    warm_up()
    print("| N | s | evaluations | rank | status | s an evaluation | peak GB | ARI | Bayes |")
    print("|---|---|---|---|---|---|---|---|---|")
    for n_samples in map(int, sys.argv[1:] or ("1000", "20000")):
        print(measure(n_samples), flush=True)


if __name__ == "__main__":
    main()
