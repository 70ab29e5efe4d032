"""When linear kernels are right: mixtures of lines, beside other methods for them.

``python -m benchmarks.studies.linear clusters [--first-seed SEED] [--count COUNT]`` prints the
adjusted Rand index of clusters of two mechanisms, ``directions`` the share of right directions.
Without a seed both report on seeds 0 to 99.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms, infer_direction
from benchmarks.baselines import LiNGAM
from benchmarks.studies.common import mean_and_error, print_header, print_row

N = 200
CAUSES = {
    "gaussian": lambda rng: rng.normal(size=N),
    "uniform": lambda rng: rng.uniform(-np.sqrt(3), np.sqrt(3), N),
    "bimodal": lambda rng: rng.choice([-0.9, 0.9], N) + 0.44 * rng.normal(size=N),
}
NOISES = {"gaussian": CAUSES["gaussian"], "uniform": CAUSES["uniform"]}
LINEAR = {"kernel_x": "linear", "kernel_theta": "linear"}
BILINEAR = {"kernel_x": "affine", "kernel_theta": "affine"}


def draw(family: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw a pair of one family, its cause and noise drawn as well, and its mechanisms."""
    rng = np.random.default_rng(seed)
    x = CAUSES[rng.choice([*CAUSES])](rng)
    noise = rng.choice([0.1, 0.2, 0.4]) * NOISES[rng.choice([*NOISES])](rng)
    labels = rng.integers(2, size=N)
    sign, shift = rng.choice([-1.0, 1.0]), rng.uniform(1.0, 2.5)
    slope = sign * rng.uniform(0.4, 1.5)
    other = slope - np.sign(slope) * rng.uniform(0.7, 2.5)
    slopes = np.where(labels == 1, other, slope)
    effects = {
        "one line": lambda: slope * x,
        "shifted lines": lambda: slope * x + shift * labels,
        "crossing lines": lambda: slopes * x,
        "two lines": lambda: slopes * x + shift * labels,
        "shifted parabolas": lambda: slope * x**2 + shift * labels,
        "scaled parabolas": lambda: slopes * x**2,
        # They meet at an end of x, so that one mechanism is above the other throughout.
        "fan of lines": lambda: slopes * (x - x.min()),
    }
    return x, effects[family]() + noise, labels


FAMILIES = (
    "one line",
    "shifted lines",
    "fan of lines",
    "crossing lines",
    "two lines",
    "shifted parabolas",
    "scaled parabolas",
)


def lines_by_em(x: np.ndarray, y: np.ndarray, seed: int, starts: int = 20) -> np.ndarray:
    """Labels of a mixture of two linear regressions, one noise a mechanism, best of random starts.

    Maximum likelihood by EM; the noise keeps a floor, for otherwise two points have a line alone.
    """
    rng = np.random.default_rng(seed)
    design = np.column_stack([np.ones_like(x), x])
    floor = 1e-4 * y.var()
    best, labels = -np.inf, np.zeros(len(x), dtype=int)
    for _ in range(starts):
        R = rng.dirichlet(np.ones(2), len(x))
        previous = -np.inf
        for _ in range(500):
            log_p = np.empty_like(R)
            for c in range(2):
                weighted = design * R[:, [c]]
                normal = weighted.T @ design + 1e-9 * np.eye(2)
                squares = (y - design @ np.linalg.solve(normal, weighted.T @ y)) ** 2
                variance = max((R[:, c] @ squares) / max(R[:, c].sum(), 1e-9), floor)
                log_p[:, c] = np.log(max(R[:, c].mean(), 1e-9)) - 0.5 * (
                    squares / variance + np.log(2 * np.pi * variance)
                )
            total = np.logaddexp(*log_p.T)
            R = np.exp(log_p - total[:, np.newaxis])
            if total.sum() - previous < 1e-6 * len(x):
                break
            previous = total.sum()
        if total.sum() > best:
            best, labels = total.sum(), R.argmax(axis=1)
    return labels


def clustered(**options: object) -> Callable:
    return lambda x, y, seed: cluster_mechanisms(x, y, 2, random_state=seed, **options).labels


def of_latent(**fit_options: object) -> Callable:
    return clustered(refine=False, fit_options=fit_options)


def scored(criterion: str = "evidence", **fit_options: object) -> Callable:
    options = {"criterion": criterion, "fit_options": fit_options or None}
    return lambda x, y, seed: infer_direction(x, y, random_state=seed, **options).score


CLUSTERINGS = {
    "linear (sum)": of_latent(**LINEAR),
    "affine (product)": of_latent(**BILINEAR),
    "rbf + linear (sum)": of_latent(kernel_theta="linear", combine="sum"),
    "rbf (default)": of_latent(),
    "rbf, refined": clustered(),
    "lines by EM": lines_by_em,
}
DIRECTIONS = {
    "linear, hsic_ratio": scored(criterion="hsic_ratio", **LINEAR),
    "affine, hsic_ratio": scored(criterion="hsic_ratio", **BILINEAR),
    "linear, hsic": scored(criterion="hsic", **LINEAR),
    "affine, hsic": scored(criterion="hsic", **BILINEAR),
    "rbf, hsic": scored(criterion="hsic"),
    "evidence (default)": scored(),
    "LiNGAM": lambda x, y, seed: LiNGAM().direction(x, y),
}
TABLES = {
    "clusters": (FAMILIES[1:], CLUSTERINGS, adjusted_rand_score),
    "directions": (FAMILIES, DIRECTIONS, None),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=[*TABLES])
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--family", choices=FAMILIES, help="this one alone")
    parser.add_argument("--method", action="append", help="these alone, as the table names them")
    arguments = parser.parse_args()
    families, methods, index = TABLES[arguments.table]
    if arguments.family:
        families = (arguments.family,)
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_header("", *families, "CPU s")
    for name in arguments.method or methods:
        method = methods[name]
        cells, spent = [], 0.0
        for family in families:
            values = []
            for seed in range(arguments.first_seed, arguments.first_seed + arguments.count):
                x, y, labels = draw(family, seed)
                started = time.process_time()
                answer = method(x, y, seed)
                spent += time.process_time() - started
                values.append(float(answer > 0) if index is None else index(labels, answer))
            cells.append(mean_and_error(values))
        print_row(name, *cells, f"{spent / len(families) / arguments.count:.3f}")


if __name__ == "__main__":
    main()
