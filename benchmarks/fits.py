"""Milliseconds an evaluation during whole fits, by engine: ``python -m benchmarks.fits N ...``.

Mixtures of f1 to f4 (seeds from 0), both directions, engines by turns on the same data. Prints
medians over fits of the time a fit takes for each evaluation, the part of it that is not spent in
`value_and_grad` (SciPy's L-BFGS-B, set-up, the record), the evaluations, the mean final rank, and
the largest relative difference of the final J between the engines.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm import FitOptions, warm_up
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import fit_gppom
from anmmm.gppom.objective import GPPOMObjective
from anmmm.preprocessing import standardise

MECHANISMS = ("f1", "f2", "f3", "f4")
# A dense fit of more takes minutes.
LARGEST_DENSE = 1100


class Clock:
    """Adds up the time spent in `GPPOMObjective.value_and_grad`."""

    def __init__(self) -> None:
        self.seconds = 0.0
        original = GPPOMObjective.value_and_grad

        def timed(objective: GPPOMObjective, z: np.ndarray) -> tuple[float, np.ndarray]:
            start = time.perf_counter()
            result = original(objective, z)
            self.seconds += time.perf_counter() - start
            return result

        GPPOMObjective.value_and_grad = timed  # type: ignore[method-assign]


def measure(n_samples: int, clock: Clock) -> str:
    """One row of the table."""
    engines = ["lowrank"] if n_samples > LARGEST_DENSE else ["dense", "lowrank"]
    times: dict[str, list[float]] = {engine: [] for engine in engines}
    ranks, differences, outside, evaluations = [], [], [], []
    for seed in range(max(2, min(8, 2000 // n_samples))):
        x, y, _ = make_anm_mixture(MECHANISMS[seed % 4], n_samples, random_state=seed)
        pair = standardise(x[:, None])[0], standardise(y[:, None])[0]
        for X, Y in (pair, pair[::-1]):
            ends = {}
            for engine in engines:
                clock.seconds = 0.0
                start = time.perf_counter()
                fit = fit_gppom(X, Y, lam=1.0, options=FitOptions(engine=engine))
                elapsed = time.perf_counter() - start
                times[engine].append(1e3 * elapsed / fit.n_evaluations)
                outside.append(1e3 * (elapsed - clock.seconds) / fit.n_evaluations)
                evaluations.append(fit.n_evaluations)
                ends[engine] = fit
            ranks.append(ends["lowrank"].rank)
            if "dense" in ends:
                exact = ends["dense"].objective
                differences.append(abs(ends["lowrank"].objective - exact) / abs(exact))
    dense = f"{np.median(times['dense']):8.2f}" if "dense" in times else " " * 8
    worst = f"{max(differences):.1e}" if differences else ""
    return (
        f"| {n_samples:6d} | {dense} | {np.median(times['lowrank']):8.2f} "
        f"| {np.median(outside):8.3f} | {np.median(evaluations):6.0f} "
        f"| {np.mean(ranks):6.1f} | {worst:8s} |"
    )


def main() -> None:
    """Print the table."""
    warm_up()
    warnings.simplefilter("ignore", ConvergenceWarning)
    clock = Clock()
    print("| N      | dense    | low rank | outside  | evals  | rank   | J apart  |")
    print("|---|---|---|---|---|---|---|")
    for n_samples in map(int, sys.argv[1:] or ("100", "200", "400")):
        print(measure(n_samples, clock), flush=True)


if __name__ == "__main__":
    main()
