"""Which observations share a mechanism, by every method: what Table 1 and figure 6 measure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from anmmm._typing import FloatArray
from anmmm.baselines import (
    CLUSTERING_BASELINES,
    DBSCAN,
    ClusteringBaseline,
    SpectralClustering,
)
from anmmm.clustering import cluster_mechanisms
from anmmm.experiments.published import LAMBDAS
from anmmm.experiments.study import Measured, Record, attempt
from anmmm.experiments.tables import grouped, mean_error

__all__ = [
    "BEST",
    "COLUMNS",
    "DEFAULT",
    "LATENT",
    "METHODS",
    "PAPER",
    "cluster_scores",
    "measure_clusterings",
]

# One fixed default; nothing chosen on these data.
DEFAULT = "ANM-MM, default"
# k-means on Θ: Algorithm 2 as printed, at the default λ and at the best of the grid.
LATENT = "ANM-MM, k-means on Θ, λ = 1"
PAPER = "ANM-MM, k-means on Θ, best λ"

# The baselines as they come, but for the affinity that gives the paper's figures for SpeClu.
METHODS: Mapping[str, ClusteringBaseline] = {
    **{method().label: method() for method in CLUSTERING_BASELINES.values()},
    "SpeClu": SpectralClustering(affinity="nearest_neighbors"),
}

# Options of two baselines that depend much on them, for a best of grid beside the best λ.
GRIDS: Mapping[str, Mapping[str, ClusteringBaseline]] = {
    "SpeClu": {
        **{
            f"neighbors={count}": SpectralClustering(
                affinity="nearest_neighbors", n_neighbors=count
            )
            for count in (5, 10)
        },
        **{f"gamma={gamma:g}": SpectralClustering(gamma=gamma) for gamma in (1.0, 5.0, 10.0)},
    },
    "DBSCAN": {f"eps={eps:g}": DBSCAN(eps=eps) for eps in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)},
}
BEST = {name: f"{name}, best options" for name in GRIDS}

COLUMNS = ("method", "lam", "options", "value", "n_clusters", "seconds", "problem")


def measure_clusterings(
    measured: Measured, x: FloatArray, y: FloatArray, truth: NDArray[np.intp], *, seed: int
) -> None:
    """Cluster one data set by every method and compare with the true labels.

    Parameters
    ----------
    measured : Measured
        Takes one record a method, λ and options, with the adjusted Rand index as `value`.
    x, y : ndarray of shape (n_samples,)
        Cause and effect.
    truth : ndarray of int, shape (n_samples,)
        Every method is told how many labels there are.
    seed : int
        Of everything random in the methods.
    """
    n_mechanisms = len(np.unique(truth))

    def add(method: str, compute: Any, *, options: str = "", **keywords: Any) -> None:
        labels, seconds, problem = attempt(
            compute, x, y, n_mechanisms, random_state=seed, **keywords
        )
        value = None if labels is None else float(adjusted_rand_score(truth, labels))
        found = None if labels is None else len(set(labels) - {-1})
        measured.add(
            method,
            value=value,
            lam=keywords.get("lam"),
            options=options,
            n_clusters=found,
            seconds=seconds,
            problem=problem,
        )

    add(DEFAULT, _mechanism_labels)
    for lam in LAMBDAS:
        add("ANM-MM", _mechanism_labels, lam=lam, refine=None)
    for name, method in METHODS.items():
        add(name, method.labels)
    for name, grid in GRIDS.items():
        for options, method in grid.items():
            add(BEST[name], method.labels, options=options)


def _mechanism_labels(x: Any, y: Any, n_mechanisms: int, **options: Any) -> NDArray[np.intp]:
    labels: NDArray[np.intp] = cluster_mechanisms(x, y, n_mechanisms, **options).labels
    return labels


def cluster_scores(records: list[Record]) -> dict[str, tuple[float, float, str]]:
    """Mean adjusted Rand index of each method, for the records of one setting.

    Parameters
    ----------
    records : list of Record

    Returns
    -------
    dict
        By method: mean, standard error, and the λ or options chosen, if any. A failure counts as
        an index of 0, as labels by chance have.
    """
    groups = grouped(records, "method", "lam", "options")
    scores = {
        key: mean_error([record["value"] or 0.0 for record in group])
        for key, group in groups.items()
    }
    found = {DEFAULT: (*scores[DEFAULT, None, ""], "")}
    found[LATENT] = (*scores["ANM-MM", 1.0, ""], "")
    lam = max(LAMBDAS, key=lambda lam: scores["ANM-MM", lam, ""][0])
    found[PAPER] = (*scores["ANM-MM", lam, ""], f"{lam:g}")
    for name in METHODS:
        found[name] = (*scores[name, None, ""], "")
    for name, grid in GRIDS.items():
        options = max(grid, key=lambda options: scores[BEST[name], None, options][0])
        found[BEST[name]] = (*scores[BEST[name], None, options], options)
    return found
