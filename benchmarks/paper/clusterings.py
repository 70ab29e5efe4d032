"""Which observations share a mechanism, by every method: what Table 1 and figure 6 measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms
from anmmm._typing import FloatArray
from benchmarks.baselines import CLUSTERING_BASELINES
from benchmarks.baselines.base import ClusteringBaseline
from benchmarks.baselines.clustering import dbscan, spectral
from benchmarks.paper.common import attempt, mean_error
from benchmarks.paper.published import LAMBDAS
from benchmarks.runs import Row

# One fixed default; nothing chosen on these data.
DEFAULT = "ANM-MM, default"
# k-means on Θ: Algorithm 2 as printed, at the default λ and at the best of the grid.
LATENT = "ANM-MM, k-means on Θ, λ = 1"
PAPER = "ANM-MM, k-means on Θ, best λ"
FITS = "ANM-MM"


def tuned(cluster: Callable[..., Any], **options: Any) -> ClusteringBaseline:
    """Return a baseline with other options than its defaults; a row has its own label."""
    return ClusteringBaseline("", partial(cluster, **options))


# The baselines as they come, but for the affinity that gives the paper's figures for SpeClu.
METHODS: Mapping[str, ClusteringBaseline] = {
    **{method.label: method for method in CLUSTERING_BASELINES.values()},
    "SpeClu": tuned(spectral, affinity="nearest_neighbors"),
}
# Options of two baselines that depend much on them, for a best of grid beside the best λ.
GRIDS: dict[str, dict[str, ClusteringBaseline]] = {"SpeClu": {}, "DBSCAN": {}}
for _n in (5, 10):
    _nearest = tuned(spectral, affinity="nearest_neighbors", n_neighbors=_n)
    GRIDS["SpeClu"][f"neighbors={_n}"] = _nearest
for _gamma in (1.0, 5.0, 10.0):
    GRIDS["SpeClu"][f"gamma={_gamma:g}"] = tuned(spectral, gamma=_gamma)
for _eps in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
    GRIDS["DBSCAN"][f"eps={_eps:g}"] = tuned(dbscan, eps=_eps)
BEST = {name: f"{name}, best options" for name in GRIDS}
# Method and options (of the fits λ) of everything that is computed.
TRIALS = [(DEFAULT, "")]
TRIALS += [(FITS, f"{lam:g}") for lam in LAMBDAS]
TRIALS += [(name, "") for name in METHODS]
for _name, _grid in GRIDS.items():
    TRIALS += [(BEST[_name], options) for options in _grid]


def with_methods(data_sets: list[Row]) -> list[Row]:
    """Return a task for each data set and method."""
    tasks = []
    for data_set in data_sets:
        tasks += [data_set | {"method": method, "options": options} for method, options in TRIALS]
    return tasks


def measure(
    x: FloatArray, y: FloatArray, truth: NDArray[np.intp], *, method: str, options: str, seed: int
) -> Row:
    """Return the adjusted Rand index of a method that knows how many labels there are."""
    n_mechanisms = len(np.unique(truth))

    def compute() -> Row:
        pair = x, y, n_mechanisms
        if method == DEFAULT:
            labels = cluster_mechanisms(*pair, random_state=seed).labels
        elif method == FITS:
            fit = {"refine": False, "fit_options": {"lam": float(options)}}
            labels = cluster_mechanisms(*pair, random_state=seed, **fit).labels
        elif options:
            grid = GRIDS[method.partition(",")[0]]
            labels = grid[options].labels(*pair, random_state=seed)
        else:
            labels = METHODS[method].labels(*pair, random_state=seed)
        return {"value": float(adjusted_rand_score(truth, labels))}

    return attempt(compute)


def cluster_scores(rows: pd.DataFrame) -> dict[str, tuple[float, float, str]]:
    """Mean adjusted Rand index, its error, and the λ or options chosen, by method.

    A failure counts as an index of 0, as labels by chance have.
    """
    scores: dict[str, tuple[float, float, str]] = {}
    for method, group in rows.fillna({"value": 0.0}).groupby("method", sort=False):
        entries = []
        for options, values in group.groupby("options", sort=False)["value"]:
            entries.append((*mean_error(values), str(options)))
        if method == FITS:
            scores[LATENT] = next((*entry[:2], "") for entry in entries if entry[2] == "1")
        name = PAPER if method == FITS else str(method)
        scores[name] = max(entries, key=lambda entry: entry[0])
    return scores
