"""What a descent costs by its settings: ``python -m benchmarks.descent [COUNT] [N]``.

COUNT mixtures of each of f1 to f4 (seeds from 10 000), both directions: mean evaluations, and the
median and upper decile of how much higher J ends than with the settings of the first row.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm import FitOptions
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import fit_gppom, optimize, parameters
from anmmm.preprocessing import standardise

# Unit of log Ω, pairs of L-BFGS memory, tol.
SETTINGS = (
    (1.0, 10, 1e-7),
    (1.0, 20, 1e-7),
    (0.3, 10, 1e-7),
    (3.0, 10, 1e-7),
    (3.0, 20, 1e-7),
    (3.0, 20, 1e-6),
    (3.0, 40, 1e-6),
    (8.0, 20, 1e-6),
)


def descend(
    pairs: list[tuple[np.ndarray, np.ndarray]], unit: float, memory: int, tol: float
) -> tuple[np.ndarray, np.ndarray]:
    """Fit every pair; return evaluations and final J."""
    parameters.LOG_UNIT = unit
    optimize.minimise_from.__kwdefaults__["memory"] = memory
    fits = [fit_gppom(X, Y, lam=1.0, options=FitOptions(tol=tol)) for X, Y in pairs]
    return np.array([f.n_evaluations for f in fits]), np.array([f.objective for f in fits])


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    count, n_samples = (*map(int, sys.argv[1:]), *(20, 100)[len(sys.argv) - 1 :])
    pairs = []
    for mechanism in ("f1", "f2", "f3", "f4"):
        for seed in range(10_000, 10_000 + count):
            x, y, _ = make_anm_mixture(mechanism, n_samples, random_state=seed)
            pair = standardise(x[:, None])[0], standardise(y[:, None])[0]
            pairs += [pair, pair[::-1]]
    print("| unit of log Ω | memory | tol | evaluations | J above the first row, median | 90 % |")
    print("|---|---|---|---|---|---|")
    reference = None
    for unit, memory, tol in SETTINGS:
        evaluations, ends = descend(pairs, unit, memory, tol)
        reference = ends if reference is None else reference
        middle, high = np.quantile(ends - reference, [0.5, 0.9])
        print(
            f"| {unit} | {memory} | {tol:.0e} | {evaluations.mean():.0f} | {middle:+.4f} "
            f"| {high:+.4f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
