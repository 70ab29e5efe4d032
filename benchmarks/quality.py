"""Quality on the paper's mixtures, with the defaults: ``python -m benchmarks.quality``.

Mechanism clustering (mean ARI) and causal direction by every criterion (accuracy) on two equal
mechanisms, N = 100, noise 0.05, one data set a seed. Defaults are chosen on seeds from 10 000;
reported are seeds from 0. Options of a fit can be overridden, e.g. ``--fit noise_floor=0.02``, for
studies on other seeds.
"""

from __future__ import annotations

import argparse
import ast
import warnings
from collections.abc import Callable

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from anmmm import FitOptions, cluster_mechanisms, infer_direction
from anmmm.datasets.synthetic import draw_anm_mixture
from anmmm.direction import CRITERIA, dependence_scores
from benchmarks.decisions import mean_and_error

MECHANISMS = ("f1", "f2", "f3", "f4")


def clustering(mechanism: str, seed: int, options: dict) -> dict[str, float]:
    """ARI of one data set, with that of the classifier that knows f and θ."""
    sample = draw_anm_mixture(mechanism, 100, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = cluster_mechanisms(sample.x, sample.y, 2, random_state=seed, **options)
    return {
        "ARI": adjusted_rand_score(sample.labels, result.labels),
        "Bayes": adjusted_rand_score(sample.labels, sample.bayes_labels()),
        "evaluations": result.fit.n_evaluations,
        "unconverged": not result.fit.converged,
    }


def direction(mechanism: str, seed: int, options: dict) -> dict[str, float]:
    """Whether each criterion decides one data set rightly; one pair of fits serves all of them."""
    sample = draw_anm_mixture(mechanism, 100, random_state=seed)
    hsic_floor = FitOptions.from_keywords(options).hsic_floor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = infer_direction(
            sample.x, sample.y, criterion="evidence", random_state=seed, **options
        )
        fits = result.latent_fits
    outcome = {"evidence": result.direction == 1}
    for criterion in CRITERIA:
        if criterion != "evidence":
            forward, backward = dependence_scores(fits, criterion, hsic_floor)
            outcome[criterion] = backward > forward
    outcome["unconverged"] = not (fits.forward.converged and fits.backward.converged)
    return outcome


def table(
    study: Callable[[str, int, dict], dict[str, float]], seeds: range, options: dict, jobs: int
) -> None:
    """Print one Markdown row a quantity, one column a mechanism: mean ± standard error."""
    print(
        f"\n{study.__name__}, seeds {seeds.start} to {seeds.stop - 1}, options {options or '-'}\n"
    )
    rows: dict[str, list[str]] = {}
    means: dict[str, list[float]] = {}
    for mechanism in MECHANISMS:
        results = Parallel(jobs)(delayed(study)(mechanism, seed, options) for seed in seeds)
        for name in results[0]:
            values = np.array([float(result[name]) for result in results])
            rows.setdefault(name, []).append(mean_and_error(values))
            means.setdefault(name, []).append(values.mean())
    print(f"| {'':12s} | " + " | ".join(f"{m:17s}" for m in MECHANISMS) + " | mean  |")
    print("|" + "---|" * (len(MECHANISMS) + 2))
    for name, cells in rows.items():
        mean = np.mean(means[name])
        print(f"| {name:12s} | " + " | ".join(f"{cell:17s}" for cell in cells) + f" | {mean:.3f} |")


def main() -> None:
    """Run both studies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusterings", type=int, default=100, help="data sets a column")
    parser.add_argument("--directions", type=int, default=50, help="data sets a column")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fit", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    options = {}
    for item in arguments.fit:
        name, _, value = item.partition("=")
        options[name] = ast.literal_eval(value)
    first = arguments.first_seed
    if arguments.clusterings:
        seeds = range(first, first + arguments.clusterings)
        table(clustering, seeds, options, arguments.jobs)
    if arguments.directions:
        seeds = range(first, first + arguments.directions)
        table(direction, seeds, options, arguments.jobs)


if __name__ == "__main__":
    main()
