"""What Laplace's approximation of Θ is worth: coverage, and mechanisms' probabilities.

``python -m benchmarks.studies.uncertainty [--first-seed SEED] [--count COUNT]`` fits paper mixtures
of two mechanisms, and shifted lines by linear kernels. ``coverage`` is the share of observations
whose θ lies within 1.96 standard deviations of the mean θ of those of its true mechanism; log loss,
Brier score and calibration error are of the probabilities of the true mechanism, mechanisms being
numbered as agrees best. The rows ``clusters`` are of what knows nothing but the label, which is
said with the accuracy of all fits of its row.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from anmmm import ClusteringResult, cluster_mechanisms
from anmmm.datasets import make_anm_mixture
from benchmarks.studies.common import mean_and_error, print_header, print_row
from benchmarks.studies.linear import LINEAR, draw

FAMILIES = ("f1", "f2", "f3", "f4")
SIZES = (100, 300)
QUANTILE = 1.96
EDGES = np.linspace(0.5, 1.0, 6)


def cluster(name: str, size: int, seed: int) -> tuple[ClusteringResult, np.ndarray]:
    """Cluster one mixture; return the result and its mechanisms, numbered as the clusters are."""
    options = {}
    if name == "shifted lines":
        (x, y, labels), options = draw(name, seed), LINEAR
    else:
        x, y, labels = make_anm_mixture(name, size, random_state=seed)
    result = cluster_mechanisms(
        x, y, 2, refine=None, uncertainty=True, random_state=seed, **options
    )
    agreeing = np.mean(result.labels == labels) >= 0.5
    return result, labels if agreeing else 1 - labels


def measure(name: str, size: int, seed: int) -> dict[str, np.ndarray | float]:
    """Coverage, standard deviations, and probability of the mechanism said and of the true one."""
    result, truth = cluster(name, size, seed)
    theta, law = result.latent[:, 0], result.fit.uncertainty
    centers = np.array([theta[truth == c].mean() for c in range(2)])
    deviation = np.sqrt(law.variance[:, 0])
    away = (theta - centers[truth]) / deviation
    of_truth = np.clip(result.probabilities[np.arange(len(theta)), truth], 1e-6, 1.0)
    return {
        "coverage": float(np.mean(np.abs(away) < QUANTILE)),
        "ratio": float(np.sqrt(np.mean((theta - centers[truth]) ** 2)) / np.median(deviation)),
        "right": result.labels == truth,
        "of_truth": of_truth,
        "said": result.probabilities.max(axis=1),
        "minimum": law.positive_definite,
    }


def calibration_error(said: np.ndarray, right: np.ndarray) -> float:
    """Mean distance of what is said from what is kept, over bins of what is said."""
    bins = np.clip(np.digitize(said, EDGES) - 1, 0, len(EDGES) - 2)
    return sum(
        np.mean(bins == b) * abs(said[bins == b].mean() - right[bins == b].mean())
        for b in np.unique(bins)
    )


def report(name: str, size: int, seeds: range) -> None:
    """Print both rows of one kind of data."""
    started = time.process_time()
    found = [measure(name, size, seed) for seed in seeds]
    spent = (time.process_time() - started) / len(seeds)
    accuracies = np.array([np.mean(each["right"]) for each in found])
    losses = [-np.log(each["of_truth"]).mean() for each in found]
    briers = [np.mean((1.0 - each["of_truth"]) ** 2) for each in found]
    said = np.concatenate([each["said"] for each in found])
    right = np.concatenate([each["right"] for each in found])
    print_row(
        name,
        size,
        "Laplace",
        mean_and_error([each["coverage"] for each in found]),
        f"{np.median([each['ratio'] for each in found]):.2f}",
        mean_and_error(accuracies),
        mean_and_error(losses),
        mean_and_error(briers),
        f"{calibration_error(said, right):.3f}",
        sum(not each["minimum"] for each in found),
        f"{spent:.2f}",
    )
    constant = accuracies.mean()
    plain = np.where(right, constant, 1.0 - constant).reshape(len(found), -1)
    print_row(
        name,
        size,
        "clusters",
        "",
        "",
        "",
        mean_and_error(-np.log(plain).mean(axis=1)),
        mean_and_error(((1.0 - plain) ** 2).mean(axis=1)),
        "0",
        "",
        "",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    arguments = parser.parse_args()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.count)
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"nominal coverage {2 * norm.cdf(QUANTILE) - 1:.3f}\n")
    print_header(
        "data",
        "N",
        "probability by",
        "coverage",
        "spread / sd",
        "accuracy",
        "log loss",
        "Brier",
        "ECE",
        "no minimum",
        "CPU s",
    )
    for size in SIZES:
        for name in FAMILIES:
            report(name, size, seeds)
    report("shifted lines", 200, seeds)


if __name__ == "__main__":
    main()
