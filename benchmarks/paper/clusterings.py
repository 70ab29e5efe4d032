"""Which observations share a mechanism, by every method: what Table 1 and figure 6 measure."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from benchmarks.clusters import DataSet, label
from benchmarks.paper.common import Score, attempt, mean_error
from benchmarks.paper.published import LAMBDAS
from benchmarks.runs import OURS, Row

# One fixed default; nothing chosen on these data.
DEFAULT = "ANM-MM, default"
# k-means on Θ: Algorithm 2 as printed, at the default λ and at the best of the grid.
LATENT = "ANM-MM, k-means on Θ, λ = 1"
PAPER = "ANM-MM, k-means on Θ, best λ"
BAYES = "Bayes classifier"
# The baselines as they come, but for the affinity that gives the paper's figures for SpeClu.
NEIGHBORS = {"affinity": "nearest_neighbors"}
METHODS: dict[str, tuple[str, Row]] = {
    "k-means": ("k-means", {}),
    "PCA-km": ("pca-k-means", {}),
    "GMM": ("gmm", {}),
    "SpeClu": ("spectral", NEIGHBORS),
    "DBSCAN": ("dbscan", {}),
}
# Options of two baselines that depend much on them, for a best of grid beside the best λ.
SPECTRAL_GRID = [{"affinity": "nearest_neighbors", "n_neighbors": number} for number in (5, 10)]
SPECTRAL_GRID += [{"gamma": gamma} for gamma in (1.0, 5.0, 10.0)]
BEST: dict[str, tuple[str, list[Row]]] = {
    "SpeClu, best options": ("spectral", SPECTRAL_GRID),
    "DBSCAN, best options": (
        "dbscan",
        [{"eps": eps} for eps in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)],
    ),
}
# Everything that is computed: the method of `benchmarks.clusters`, and options to choose from.
TRIALS: dict[str, tuple[str, list[Row]]] = {
    DEFAULT: (OURS, [{}]),
    PAPER: ("latent", [{"lam": lam} for lam in LAMBDAS]),
    **{name: (method, [options]) for name, (method, options) in METHODS.items()},
    **BEST,
}


def with_methods(data_sets: list[Row]) -> list[Row]:
    """Return a task for each data set, method and options."""
    tasks = []
    for data_set in data_sets:
        for name, (_, grid) in TRIALS.items():
            for options in grid:
                tasks.append(data_set | {"method": name, "options": json.dumps(options)})
    return tasks


def measure(data: DataSet, *, method: str, options: str, seed: int) -> Row:
    """Return the adjusted Rand index of a method that knows how many labels there are."""

    def compute() -> Row:
        name = "bayes" if method == BAYES else TRIALS[method][0]
        found: Any = label(data, data.n_mechanisms, seed, name, json.loads(options))
        labels = found if isinstance(found, np.ndarray) else found.labels
        return {"value": float(adjusted_rand_score(data.truth, labels))}

    return attempt(compute)


def cluster_scores(rows: pd.DataFrame) -> dict[str, Score]:
    """Mean adjusted Rand index, its error, and the λ or options chosen, by method.

    A failure counts as an index of 0, as labels by chance have.
    """
    scores: dict[str, Score] = {}
    for method, group in rows.fillna({"value": 0.0}).groupby("method", sort=False):
        entries = []
        for options, values in group.groupby("options", sort=False)["value"]:
            chosen = options if method in BEST else ""
            if method == PAPER:
                chosen = f"{json.loads(options)['lam']:g}"
            entries.append((*mean_error(values), chosen))
        if method == PAPER:
            scores[LATENT] = next((*entry[:2], "") for entry in entries if entry[2] == "1")
        scores[str(method)] = max(entries, key=lambda entry: entry[0])
    return scores
