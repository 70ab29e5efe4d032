"""Directions of pairs whose variables have several columns.

``python -m benchmarks.studies.vectors draws --first-seed 0 --count 100`` prints the share of right
decisions on simulated vectors and the time of one; ``pairs --folder tuebingen`` the decisions on
the pairs of a folder that have several columns. `--criterion hsic` does it by the latent.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from anmmm import DirectionResult, infer_direction
from anmmm.datasets import load_pairs
from anmmm.evidence import column_limit_error
from benchmarks.studies.common import mean_and_error, print_header, print_row

CAUSES = ("gaussian", "uniform", "bimodal")
KINDS = ("additive", "location-scale", "mixture")
SHAPES = (
    np.tanh,
    np.sin,
    lambda u: u**2 / 2,
    lambda u: u + u**3 / 4,
    np.abs,
    lambda u: np.exp(-(u**2)),
)


def draw(kind: str, cause: str, seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two to four columns of cause and effect each: smooth curves of W x, correlated noise."""
    rng = np.random.default_rng([seed, KINDS.index(kind), CAUSES.index(cause)])
    n_causes, n_effects = rng.integers(2, 5, size=2)
    raw = rng.normal(size=(n, n_causes))
    if cause == "uniform":
        raw = rng.uniform(-np.sqrt(3), np.sqrt(3), size=(n, n_causes))
    if cause == "bimodal":
        sides = rng.choice([-1.0, 1.0], size=(n, 1)) * rng.choice([-1.0, 1.0], size=n_causes)
        raw = 0.9 * sides + 0.44 * raw
    x = raw @ (np.eye(n_causes) + 0.3 * rng.normal(size=(n_causes, n_causes)))
    x /= x.std(axis=0)
    mix = np.eye(n_effects) + 0.4 * rng.normal(size=(n_effects, n_effects))
    noise = rng.normal(size=(n, n_effects)) @ mix
    noise *= rng.uniform(0.2, 0.5, size=n_effects) / noise.std(axis=0)
    curves = _curves(x, n_effects, rng)
    if kind == "location-scale":
        along = rng.normal(size=n_causes)
        noise *= np.exp(0.7 * np.tanh(x @ along / np.linalg.norm(along)))[:, np.newaxis]
    if kind == "mixture":
        other = _curves(x, n_effects, rng) + rng.choice([-1.0, 1.0], size=n_effects)
        curves = np.where(rng.uniform(size=(n, 1)) < 0.5, curves, other)
    return x, curves + noise


def _curves(x: np.ndarray, n_effects: int, rng: np.random.Generator) -> np.ndarray:
    n_causes = x.shape[1]
    weights = 1.5 * rng.normal(size=(n_causes, n_effects)) / np.sqrt(n_causes)
    inside = x @ weights + rng.uniform(-1.0, 1.0, size=n_effects)
    shapes = rng.integers(len(SHAPES), size=n_effects)
    curves = np.column_stack([SHAPES[k](u) for k, u in zip(shapes, inside.T, strict=True)])
    return np.asarray(curves / curves.std(axis=0))


def decide(x: np.ndarray, y: np.ndarray, criterion: str) -> tuple[DirectionResult, float]:
    """Return a decision and its CPU seconds; beyond the limits of evidence by the latent."""
    if criterion == "evidence" and column_limit_error(*(v.reshape(len(v), -1) for v in (x, y))):
        criterion = "hsic"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.process_time()
        result = infer_direction(x, y, criterion=criterion, random_state=0)
        return result, time.process_time() - start


def report_draws(first_seed: int, count: int, n: int, criterion: str) -> None:
    print_header("", *CAUSES, "all", "median score", "CPU s (median)")
    for kind in KINDS:
        decided = [
            [
                decide(*draw(kind, cause, seed, n), criterion)
                for seed in range(first_seed, first_seed + count)
            ]
            for cause in CAUSES
        ]
        right = np.array([[result.direction == 1 for result, _ in row] for row in decided])
        scores = [result.score for row in decided for result, _ in row]
        seconds = [each for row in decided for _, each in row]
        print_row(
            kind,
            *map(mean_and_error, [*right, right.ravel()]),
            f"{np.median(scores):.3f}",
            f"{np.median(seconds):.2f}",
        )


def report_pairs(folder: Path, n: int, criterion: str) -> None:
    print_header(
        "pair", "columns", "n", "criterion", "right", "score", "confidence", "model", "CPU s"
    )
    for pair in load_pairs(folder):
        if pair.problem or not pair.truth or np.ndim(pair.x) == np.ndim(pair.y) == 1:
            continue
        used = pair.checked().subsample(n, int("".join(filter(str.isdigit, pair.pair_id))))
        result, seconds = decide(used.x, used.y, criterion)
        columns = " and ".join(str(np.size(each[0])) for each in (used.x, used.y))
        lengths = result.models
        # The latent has no models that were chosen from a list.
        chosen = lengths.chosen if result.criterion == "evidence" else None
        model = "" if chosen is None else chosen.model
        sure = "" if result.confidence is None else f"{result.confidence:.2f}"
        right = "yes" if result.direction == pair.truth else "no"
        score = f"{result.score * pair.truth:+.3f}"
        print_row(
            pair.pair_id,
            columns,
            len(used.x),
            result.criterion,
            right,
            score,
            sure,
            model,
            f"{seconds:.2f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("draws", "pairs"))
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--folder", type=Path, default=Path("tuebingen"))
    parser.add_argument("--criterion", default="evidence")
    options = parser.parse_args()
    if options.what == "draws":
        n = options.samples or 300
        report_draws(options.first_seed, options.count, n, options.criterion)
    else:
        report_pairs(options.folder, options.samples or 500, options.criterion)


if __name__ == "__main__":
    main()
