"""Baselines on data that their own assumptions fit: ``python -m benchmarks.studies.baselines``.

Prints, for each direction method, the share of right decisions and the CPU seconds per pair; for
each clustering method the mean ARI on clusters of three shapes. Seeds from 5000; choices were made
on seeds below 100.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from anmmm.datasets import draw_anm_mixture, make_single_mechanism
from benchmarks.baselines import CLUSTERING_BASELINES, DIRECTION_BASELINES
from benchmarks.studies.common import print_header, print_row

FloatArray = NDArray[np.float64]
FIRST_SEED = 5000


def additive(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw one smooth mechanism with additive Gaussian noise."""
    return make_single_mechanism("AN", n, random_state=seed)


def post_nonlinear(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """``y = exp(x + x² + 0.4 u)``, u uniform: additive noise below an exponential."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.5, 1.5, n)
    return x, np.exp(x + x**2 + 0.4 * rng.uniform(-1.0, 1.0, n))


def invertible_of_uniform(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """``y = x^p`` without noise, x uniform, log p uniform and away from 0."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    return x, x ** _power(rng)


def invertible_of_gaussian(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """``y = sign(x) |x|^p`` without noise, x Gaussian."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x, np.sign(x) * np.abs(x) ** _power(rng)


def linear(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw a line with uniform cause and noise of equal variance."""
    x, noise = np.random.default_rng(seed).uniform(-1.0, 1.0, (2, n))
    return x, x + noise


def blocks(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Draw f3 with two mechanisms, one after the other."""
    sample = draw_anm_mixture("f3", n, random_state=seed)
    order = np.argsort(sample.labels, kind="stable")
    return sample.x[order], sample.y[order]


def _power(rng: np.random.Generator) -> float:
    return float(np.exp(rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.2)))


OWN_PAIRS: dict[str, Callable[[int, int], tuple[FloatArray, FloatArray]]] = {
    "anm": additive,
    "pnl": post_nonlinear,
    "igci": invertible_of_uniform,
    "igci-uniform-entropy": invertible_of_uniform,
    "igci-gaussian-slope": invertible_of_gaussian,
    "igci-gaussian-entropy": invertible_of_gaussian,
    "ecp": blocks,
    "lingam": linear,
}


def blobs(n: int, seed: int) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Draw two round clusters."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    return (*(3.0 * labels + 0.4 * rng.standard_normal((2, n))), labels)


def lines(n: int, seed: int) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Draw two long parallel clusters."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    x = rng.standard_normal(n)
    return x, x + 2.0 * labels + 0.1 * rng.standard_normal(n), labels


def rings(n: int, seed: int) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Draw one cluster around another; both rings are equally dense, and even."""
    rng = np.random.default_rng(seed)
    labels = (np.arange(n) % 6 > 0).astype(np.intp)
    angle = 2.0 * np.pi * np.arange(n) / n
    radius = 0.4 + 1.6 * labels + 0.05 * rng.standard_normal(n)
    return radius * np.cos(angle), radius * np.sin(angle), labels


SHAPES = {"blobs": blobs, "lines": lines, "rings": rings}


def right(name: str, data: str, n: int, seeds: list[int]) -> tuple[float, float]:
    """Share of right decisions, 0 counting half, and CPU seconds per pair."""
    method: Any = DIRECTION_BASELINES[name]()
    pairs = [OWN_PAIRS[data](n, seed) for seed in seeds]
    start = time.process_time()
    scores = np.array([method.direction(x, y) for x, y in pairs])
    seconds = (time.process_time() - start) / len(pairs)
    return float(np.mean(0.5 + 0.5 * np.sign(scores))), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100, help="data sets of each kind")
    parser.add_argument("-n", type=int, default=100, help="observations")
    options = parser.parse_args()
    seeds = list(range(FIRST_SEED, FIRST_SEED + options.seeds))
    # Compilation is no part of a pair's time.
    for factory in DIRECTION_BASELINES.values():
        factory().direction(*additive(20, 0))

    print_header("method", *(OWN_PAIRS[key].__name__ for key in _DATA), "CPU s / pair")
    for name in DIRECTION_BASELINES:
        cells = []
        for data in _DATA:
            share, seconds = right(name, data, options.n, seeds)
            mark = "**" if OWN_PAIRS[data] is OWN_PAIRS[name] else ""
            cells.append(f"{mark}{share:.2f}{mark}")
            if mark:
                own_seconds = seconds
        print_row(f"`{name}`", *cells, f"{own_seconds:.4f}")

    print()
    print_header("method", *SHAPES, "CPU s / pair")
    for name, clustering in CLUSTERING_BASELINES.items():
        cells = []
        start = time.process_time()
        for shape in SHAPES.values():
            aris = []
            for seed in seeds:
                x, y, truth = shape(options.n, seed)
                labels = clustering().labels(x, y, 2, random_state=seed)
                aris.append(adjusted_rand_score(truth, labels))
            cells.append(f"{np.mean(aris):.2f}")
        seconds = (time.process_time() - start) / len(seeds) / len(SHAPES)
        print_row(f"`{name}`", *cells, f"{seconds:.4f}")


# One method's own data for each kind.
_DATA = ("anm", "pnl", "igci", "igci-gaussian-slope", "ecp", "lingam")


if __name__ == "__main__":
    main()
