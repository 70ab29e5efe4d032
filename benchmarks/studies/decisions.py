"""Decisions by evidence and clustering by EM: ``python -m benchmarks.studies.decisions STUDY``.

Studies: ``clustering`` and ``em`` (mean ARI, with and without Θ), ``mechanisms`` (their number),
``direction`` (accuracy on mixtures), ``families`` (accuracy on single mechanisms), ``pairs``
(accuracy on a folder of pairs), ``alternatives`` (evidence with HSIC, on pairs). Choices were made
on seeds from 10 000 and on pairs with odd numbers; others are for reporting.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms
from anmmm.datasets import FAMILIES, SETTINGS
from anmmm.datasets.synthetic import draw_anm_mixture
from anmmm.evaluation import accuracy_errors
from anmmm.evidence import EvidenceResult, evidence
from anmmm.independence import hsic_test
from anmmm.mixture import ANMMixture
from benchmarks.paper.published import TABLE1_COLUMNS
from benchmarks.studies.common import mean_and_error, print_header, print_row, read_pairs

MIXTURES = {name: SETTINGS[name] for name in TABLE1_COLUMNS}


def clustering(seeds: list[int], n: int, em_only: bool = False) -> None:
    """ARI with the known number of mechanisms: the default, EM, k-means on Θ, EM from Θ."""
    print(f"\nMean ARI ± standard error, N = {n}, {len(seeds)} data sets from seed {seeds[0]}\n")
    print_header(
        "setting",
        "Bayes",
        "EM",
        "EM, true labels as a start",
        "k-means on Θ",
        "EM, Θ as a start",
        "default",
    )
    for name, setting in MIXTURES.items():
        rows = []
        for seed in seeds:
            sample = draw_anm_mixture(setting.mechanism, n, random_state=seed, **setting.options)
            X, C = sample.x[:, np.newaxis], len(sample.thetas)
            theta = None
            if not em_only:
                pair = sample.x, sample.y, C
                theta = cluster_mechanisms(*pair, refine=False, random_state=seed).labels
                default = cluster_mechanisms(*pair, random_state=seed).labels
            starts = (None, sample.labels) if theta is None else (None, sample.labels, theta)
            fitted = [ANMMixture(C, init=start).fit(X, sample.y).labels_ for start in starts]
            labelings = [sample.bayes_labels(), *fitted[:2]]
            if theta is not None:
                labelings += [theta, fitted[2], default]
            rows.append([adjusted_rand_score(sample.labels, labels) for labels in labelings])
        print_row(name, *map(mean_and_error, np.transpose(rows)))


def mechanisms(seeds: list[int], n: int) -> None:
    """How often ``n_mechanisms="auto"`` finds the right number."""
    print(f"\nShare of the right number, N = {n}, {len(seeds)} data sets from seed {seeds[0]}\n")
    print_header("function", "C = 1", "C = 2", "C = 3")
    ranges = SETTINGS["f3-c3"].options["theta_ranges"]
    for mechanism in ("f1", "f2", "f3", "f4"):
        cells = []
        for C in (1, 2, 3):
            right = []
            for seed in seeds:
                sample = draw_anm_mixture(mechanism, n, theta_ranges=ranges[:C], random_state=seed)
                model = ANMMixture("auto").fit(sample.x[:, np.newaxis], sample.y)
                right.append(model.n_mechanisms_ == C)
            cells.append(mean_and_error(np.array(right, dtype=float)))
        print_row(mechanism, *cells)


def direction(seeds: list[int], n: int) -> None:
    """Directions of mixtures."""
    print_directions_header(n, seeds)
    for name, setting in MIXTURES.items():
        print_directions(name, [setting.draw(n, random_state=seed) for seed in seeds])


def families(seeds: list[int], n: int) -> None:
    """Directions of single mechanisms."""
    print_directions_header(n, seeds)
    for family in FAMILIES:
        print_directions(family, [SETTINGS[family].draw(n, random_state=seed) for seed in seeds])


def pairs(folder: Path, part: str, n: int) -> None:
    """Directions of a folder of pairs."""
    weights, groups, plain, failed = [], [], [], []
    chosen: Counter[str] = Counter()
    for name, x, y, truth, w, group in read_pairs(folder, part, n):
        result = evidence(x, y)
        correct = result.score * truth > 0.0
        chosen[(result.forward if truth > 0 else result.backward).model] += 1
        weights.append(w)
        groups.append(group)
        plain.append(float(correct))
        if not correct:
            failed.append((round(result.score * truth, 3), name))
    print(f"\n{folder.name}, {part} pairs, at most {n} observations each, {len(plain)} pairs")
    right, weight = np.array(plain), np.array(weights)
    _, spread = accuracy_errors(right, weight, groups)
    print(
        f"weighted accuracy {weight @ right / weight.sum():.3f} ± {spread:.3f}, "
        f"plain {mean_and_error(plain, groups)} (± between data sets)"
    )
    print("models in the true direction:", dict(chosen.most_common()))
    print("wrong (score in nats per observation):", sorted(failed), flush=True)


def alternatives(folder: Path, part: str, n: int) -> None:
    """Evidence, HSIC of cause and residual of the chosen model, and sums of both, on pairs."""
    rows = []
    for _, x, y, truth, w, _ in read_pairs(folder, part, n):
        result = evidence(x, y)
        gain = residual_log_p(x, y, result, 1) - residual_log_p(y, x, result, -1)
        rows.append((result.score * len(x) * truth, gain * truth, w))
    nats, gains, weights = np.transpose(rows)
    print(f"\n{folder.name}, {part} pairs: weighted accuracy (plain)")
    for share in (0.0, 0.1, 0.3, 1.0, np.inf):
        score = gains if np.isinf(share) else nats + share * gains
        weighted = float(weights @ (score > 0.0) / weights.sum())
        print(
            f"evidence + {share} log p(HSIC): {weighted:.3f} ({np.mean(score > 0.0):.3f})",
            flush=True,
        )


def residual_log_p(x: np.ndarray, y: np.ndarray, result: EvidenceResult, sign: int) -> float:
    """Logarithm of the HSIC test's p for the cause and the residual of the mixture chosen."""
    side = result.forward if sign > 0 else result.backward
    fit = side.mixtures[side.n_mechanisms - 1]
    z = (y - y.mean()) / y.std()
    residual = z - fit.curves[np.arange(len(z)), fit.labels]
    return hsic_test(x, residual, null="gamma").log_pvalue


def print_directions_header(n: int, seeds: list[int]) -> None:
    print(f"\nDirections, N = {n}, {len(seeds)} data sets from seed {seeds[0]}\n")
    print_header(
        "setting", "accuracy", "median score", "smallest", "ms", "models in the true direction"
    )


def print_directions(name: str, samples: list[tuple[np.ndarray, np.ndarray]]) -> None:
    evidence(*samples[0])
    start = time.perf_counter()
    results = [evidence(x, y) for x, y in samples]
    ms = 1e3 * (time.perf_counter() - start) / len(samples)
    scores = np.array([result.score for result in results])
    models = Counter(result.forward.model for result in results)
    listed = ", ".join(f"{model} {count}" for model, count in models.most_common())
    numbers = (f"{np.median(scores):.3f}", f"{scores.min():.3f}", f"{ms:.0f}")
    print_row(name, mean_and_error(scores > 0), *numbers, listed)


def em(seeds: list[int], n: int) -> None:
    """ARI of EM without a GPPOM, for many observations."""
    clustering(seeds, n, em_only=True)


STUDIES: dict[str, Callable[[list[int], int], None]] = {
    "clustering": clustering,
    "em": em,
    "mechanisms": mechanisms,
    "direction": direction,
    "families": families,
}
PAIR_STUDIES: dict[str, Callable[[Path, str, int], None]] = {
    "pairs": pairs,
    "alternatives": alternatives,
}


def main() -> None:
    """Run one study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=[*STUDIES, *PAIR_STUDIES])
    parser.add_argument("--samples", type=int, default=100, help="observations, at most for pairs")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=50, help="data sets a row")
    parser.add_argument("--folder", type=Path, help="pairs in the Tübingen layout")
    parser.add_argument("--part", choices=["odd", "even", "all"], default="all")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    if arguments.study in PAIR_STUDIES:
        if arguments.folder is None:
            parser.error(f"study {arguments.study} needs --folder")
        PAIR_STUDIES[arguments.study](arguments.folder, arguments.part, arguments.samples)
    else:
        first = arguments.first_seed
        STUDIES[arguments.study](list(range(first, first + arguments.count)), arguments.samples)


if __name__ == "__main__":
    main()
