"""Both engines against the bound at fitted points: ``python -m benchmarks.fitted N ...``.

A default fit of an f3 mixture (seed 0) ends somewhere; there value and gradient are evaluated by
turns with each engine and with one potrf and potri of the very covariance. Medians and quartiles of
ratios to the bound; ranks of the factors of the covariance, K_X and K_θ are not chosen but found.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from anmmm import warm_up
from anmmm._kernels._lapack import potrf, potri
from benchmarks.speed.common import fitted_objective

SECONDS = 4.0


def measure(n_samples: int) -> str:
    """One row of the table."""
    lowrank, z = fitted_objective(n_samples, engine="lowrank")
    dense, _ = fitted_objective(n_samples, engine="dense")
    theta, omega = lowrank.unpack(z)
    apart = omega.gamma_theta[0] * (theta - theta.T) ** 2
    apart += omega.gamma_x[0] * (lowrank.X - lowrank.X.T) ** 2
    matrix = omega.amplitude * np.exp(-apart)
    matrix[np.diag_indices(n_samples)] += 1.0 / omega.beta + lowrank.noise_floor
    work = np.empty_like(matrix)

    def bound() -> float:
        np.copyto(work, matrix)
        start = time.perf_counter()
        potrf(work)
        potri(work)
        return time.perf_counter() - start

    def timed(call: Callable[[np.ndarray], object]) -> float:
        start = time.perf_counter()
        call(z)
        return time.perf_counter() - start

    rows = []
    stop = time.perf_counter() + SECONDS
    while time.perf_counter() < stop or len(rows) < 5:
        rows.append((bound(), timed(dense.value_and_grad), timed(lowrank.value_and_grad)))
    times = np.array(rows[1:])
    ratios = times[:, 1:] / np.median(times[:, 0])
    cells = [
        "{1:.3g} ({0:.3g} to {2:.3g})".format(*np.quantile(column, [0.25, 0.5, 0.75]))
        for column in ratios.T
    ]
    milliseconds = " | ".join(f"{1e3 * m:.3g}" for m in np.median(times, axis=0))
    return f"| {n_samples} | {' | '.join(cells)} | {lowrank.terms(z).rank} | {milliseconds} |"


def main() -> None:
    """Print the table."""
    warm_up()
    print("| N | dense ÷ bound | low rank ÷ bound | rank | bound, ms | dense, ms | low rank, ms |")
    print("|---|---|---|---|---|---|---|")
    for n_samples in map(int, sys.argv[1:] or ("100", "300", "1000", "2000")):
        print(measure(n_samples), flush=True)


if __name__ == "__main__":
    main()
