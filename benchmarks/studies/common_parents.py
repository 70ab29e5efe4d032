"""Pairs whose ends have common parents: as they are, and given the parents.

``python -m benchmarks.studies.common_parents [--first-seed SEED] [--count COUNT] [--kind KIND]``
prints for each kind of pair u -> v how many are decided rightly, how sure, and how well the
confidence is calibrated (log loss, in nats; ln 2 is that of a coin).
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

from anmmm import infer_direction
from anmmm.confidence import confidence_of
from anmmm.evidence import compare_given
from benchmarks.studies.common import mean_and_error, print_header, print_row
from benchmarks.studies.graph_data import SHAPES, noise_of

# Nothing tells the direction of the last two.
KINDS = (
    "one parent",
    "2 to 4 parents",
    "6 to 13 parents",
    "mixture",
    "scaled by the parent",
    "another, hidden parent",
    "weak",
    "parents of neither",
    "linear, Gaussian",
    "no edge",
)
COINS = KINDS[-2:]


def draw(kind: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return u, v and their parents, 80 to 800 observations, 160 or more of many parents."""
    rng = np.random.default_rng([seed, 7])
    n = int(np.exp(rng.uniform(np.log(80), np.log(800))))
    count = 1
    if kind == "2 to 4 parents":
        count = int(rng.integers(2, 5))
    elif kind == "6 to 13 parents":
        count, n = int(rng.integers(6, 14)), max(n, 160)
    parents = np.column_stack([noise_of(rng, n) for _ in range(count)])
    strength = rng.uniform(0.3, 1.2)

    def by_parents() -> np.ndarray:
        return strength * sum(_curve(rng, parent) for parent in parents.T)

    if kind == "linear, Gaussian":
        u = strength * parents[:, 0] + rng.normal(size=n)
        v = u + strength * parents[:, 0] + rng.uniform(0.3, 1.5) * rng.normal(size=n)
        return u, v, parents
    if kind == "parents of neither":
        parents = np.column_stack([noise_of(rng, n) for _ in range(2)])
        u = noise_of(rng, n)
        return u, _curve(rng, u) + rng.uniform(0.3, 1.0) * noise_of(rng, n), parents
    u = _scaled(by_parents() + noise_of(rng, n))
    if kind == "no edge":
        return u, by_parents() + noise_of(rng, n), parents
    if kind == "scaled by the parent":
        signal = _curve(rng, u) * (1 + 0.5 * np.tanh(parents[:, 0])) + by_parents()
    elif kind == "another, hidden parent":
        hidden = noise_of(rng, n)
        u = _scaled(u + 0.7 * _curve(rng, hidden))
        signal = _curve(rng, u) + 0.7 * _curve(rng, hidden) + by_parents()
    else:
        signal = _curve(rng, u) + by_parents()
        if kind == "mixture":
            signal = np.where(rng.random(n) < 0.5, signal, _curve(rng, u) + by_parents())
    noise = noise_of(rng, n)
    level = 2.5 if kind == "weak" else rng.uniform(0.3, 1.0)
    return u, _scaled(signal) + level * noise, parents


def _curve(rng: np.random.Generator, cause: np.ndarray) -> np.ndarray:
    shape = SHAPES[rng.integers(len(SHAPES))]
    values = shape(rng.uniform(0.7, 1.5) * cause + rng.uniform(-0.5, 0.5))
    return rng.choice([-1.0, 1.0]) * _scaled(values)


def _scaled(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std()


def measure(kind: str, seeds: range) -> None:
    """Print a row for each way of deciding the pairs of a kind."""
    ways = {
        "as they are": lambda u, v, p: infer_direction(u, v).evidence,
        "given the parents": compare_given,
    }
    for way, lengths in ways.items():
        began = time.process_time()
        found = [lengths(*draw(kind, seed)) for seed in seeds]
        seconds = (time.process_time() - began) / len(seeds)
        right = np.array([each.score > 0.0 for each in found])
        sure = np.minimum([confidence_of(each) for each in found], 1 - 1e-6)
        loss = -np.log(np.where(right, sure, 1.0 - sure))
        if kind in COINS:
            loss = -0.5 * (np.log(sure) + np.log(1.0 - sure))
        most = sure >= 0.9
        print_row(
            kind,
            way,
            mean_and_error(right.astype(float)),
            f"{sure.mean():.3f}",
            f"{most.mean():.2f}",
            f"{right[most].sum()} of {most.sum()}",
            mean_and_error(loss),
            f"{np.mean([each.independent for each in found]):.2f}",
            f"{1000 * seconds:.0f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", choices=KINDS, help="this one alone")
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.count)
    print_header(
        "pairs",
        "decided",
        "u → v",
        "mean confidence",
        "sure",
        "u → v of the sure",
        "log loss",
        "independent",
        "CPU ms",
    )
    warnings.simplefilter("ignore")
    for kind in [options.kind] if options.kind else KINDS:
        measure(kind, seeds)


if __name__ == "__main__":
    main()
