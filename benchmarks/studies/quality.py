"""Quality on the paper's mixtures, with the defaults: ``python -m benchmarks.studies.quality``.

Mechanism clustering (mean ARI) and causal direction by every criterion (accuracy) on two equal
mechanisms, noise 0.05, one data set a seed. Defaults are chosen on seeds from 10 000; reported are
seeds from 0. Options of a fit can be overridden, e.g. ``--fit noise_floor=0.02``, for studies on
other seeds. ``--growth G ...`` prints instead what the exponents `weight_growth` of λ and v give:
mean ARI of k-means on Θ, and share of right directions by the HSIC term.
"""

from __future__ import annotations

import argparse
import ast
import warnings
from collections.abc import Callable

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms, infer_direction
from anmmm.datasets import draw_anm_mixture
from anmmm.dependence import LATENT_CRITERIA
from benchmarks.studies.common import mean_and_error, print_header, print_row

MECHANISMS = ("f1", "f2", "f3", "f4")
Outcome = dict[str, float]


def clustering(sample, seed: int, options: dict) -> Outcome:
    """ARI of one data set, with that of the classifier that knows f and θ."""
    result = cluster_mechanisms(sample.x, sample.y, 2, fit_options=options, random_state=seed)
    return {
        "ARI": adjusted_rand_score(sample.labels, result.labels),
        "Bayes": adjusted_rand_score(sample.labels, sample.bayes_labels()),
        "evaluations": result.fit.n_evaluations,
        "unconverged": not result.fit.converged,
    }


def direction(sample, seed: int, options: dict) -> Outcome:
    """Whether each criterion decides one data set rightly; one pair of fits serves all of them."""
    result = infer_direction(sample.x, sample.y)
    fits = result.fit_latent(fit_options=options, random_state=seed)
    outcome = {"evidence": result.direction == 1}
    for criterion in LATENT_CRITERIA:
        forward, backward = fits.scores(criterion)
        outcome[criterion] = backward > forward
    outcome["unconverged"] = not (fits.forward.converged and fits.backward.converged)
    return outcome


def growth(sample, seed: int, options: dict) -> Outcome:
    """ARI of k-means on the Θ of the forward fit, and whether the HSIC term decides rightly."""
    result = infer_direction(sample.x, sample.y, criterion="hsic", fit_options=options)
    labels = KMeans(2, n_init=5, random_state=0).fit_predict(result.models.forward.latent)
    ari = adjusted_rand_score(sample.labels, labels)
    return {"ARI": ari, "right": result.direction == 1}


def outcomes(
    study: Callable[..., Outcome], arguments: argparse.Namespace, count: int, options: dict
) -> dict[str, list[np.ndarray]]:
    """Values of each quantity, one array a mechanism, one number a data set."""

    def one(mechanism: str, seed: int) -> Outcome:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            sample = draw_anm_mixture(mechanism, arguments.samples, random_state=seed)
            return study(sample, seed, options)

    seeds = range(arguments.first_seed, arguments.first_seed + count)
    values: dict[str, list[np.ndarray]] = {}
    for mechanism in MECHANISMS:
        results = Parallel(arguments.jobs)(delayed(one)(mechanism, seed) for seed in seeds)
        for name in results[0]:
            array = np.array([float(result[name]) for result in results])
            values.setdefault(name, []).append(array)
    return values


def main() -> None:
    """Print both tables, or that of the exponents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusterings", type=int, default=100, help="data sets a column")
    parser.add_argument("--directions", type=int, default=50, help="data sets a column")
    parser.add_argument("--samples", type=int, default=100, help="observations of a data set")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fit", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--growth", type=float, nargs="+", metavar="G", help="exponents to try")
    arguments = parser.parse_args()
    options = {}
    for item in arguments.fit:
        name, _, value = item.partition("=")
        options[name] = ast.literal_eval(value)

    if arguments.growth:
        names = [f"{what} {m}" for what in ("ARI", "direction") for m in MECHANISMS]
        print_header("N", "growth", *names)
        for exponent in arguments.growth:
            chosen = {**options, "weight_growth": exponent}
            values = outcomes(growth, arguments, arguments.directions, chosen)
            cells = [f"{column.mean():.3f}" for column in values["ARI"]]
            cells += [f"{column.mean():.2f}" for column in values["right"]]
            print_row(arguments.samples, f"{exponent:g}", *cells)
        return
    for study, count in ((clustering, arguments.clusterings), (direction, arguments.directions)):
        if count:
            print(
                f"\n{study.__name__}, N = {arguments.samples}, {count} seeds from "
                f"{arguments.first_seed}, options {options or '-'}\n"
            )
            print_header("", *MECHANISMS, "mean")
            for name, columns in outcomes(study, arguments, count, options).items():
                print_row(name, *map(mean_and_error, columns), f"{np.mean(columns):.3f}")


if __name__ == "__main__":
    main()
