"""Which observations share a mechanism, by every method: what Table 1 and figure 6 measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms
from anmmm._typing import FloatArray
from benchmarks.baselines import CLUSTERING_BASELINES
from benchmarks.baselines.base import ClusteringBaseline
from benchmarks.baselines.clustering import dbscan, spectral
from benchmarks.paper.published import LAMBDAS
from benchmarks.paper.study import Record, attempt
from benchmarks.paper.tables import grouped, mean_error

# One fixed default; nothing chosen on these data.
DEFAULT = "ANM-MM, default"
# k-means on Θ: Algorithm 2 as printed, at the default λ and at the best of the grid.
LATENT = "ANM-MM, k-means on Θ, λ = 1"
PAPER = "ANM-MM, k-means on Θ, best λ"

neighbors = partial(spectral, affinity="nearest_neighbors")
RADII = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


def tuned(cluster: Callable[..., Any], **options: Any) -> ClusteringBaseline:
    """Return a baseline with other options than its defaults; a record has its own label."""
    return ClusteringBaseline("", partial(cluster, **options))


# The baselines as they come, but for the affinity that gives the paper's figures for SpeClu.
METHODS: Mapping[str, ClusteringBaseline] = {
    **{method.label: method for method in CLUSTERING_BASELINES.values()},
    "SpeClu": tuned(neighbors),
}

# Options of two baselines that depend much on them, for a best of grid beside the best λ.
GRIDS: Mapping[str, Mapping[str, ClusteringBaseline]] = {
    "SpeClu": {
        **{f"neighbors={n}": tuned(neighbors, n_neighbors=n) for n in (5, 10)},
        **{f"gamma={gamma:g}": tuned(spectral, gamma=gamma) for gamma in (1.0, 5.0, 10.0)},
    },
    "DBSCAN": {f"eps={eps:g}": tuned(dbscan, eps=eps) for eps in RADII},
}
BEST = {name: f"{name}, best options" for name in GRIDS}


# Columns of a record, and what is in those that nothing fills.
BLANK: Record = {
    "method": "",
    "lam": None,
    "options": "",
    # The adjusted Rand index.
    "value": None,
    "n_clusters": None,
    "seconds": None,
    "problem": "",
}


def measure_clusterings(
    x: FloatArray, y: FloatArray, truth: NDArray[np.intp], *, seed: int
) -> list[Record]:
    """Cluster one data set by every method, a record for each method, λ and options.

    Every method knows how many labels there are.
    """
    n_mechanisms = len(np.unique(truth))
    records: list[Record] = []

    def add(method: str, compute: Callable[..., Any], options: str = "", **keywords: Any) -> None:
        labels, cells = attempt(compute, x, y, n_mechanisms, random_state=seed, **keywords)
        if labels is not None:
            cells["value"] = float(adjusted_rand_score(truth, labels))
            cells["n_clusters"] = len(set(labels) - {-1})
        chosen = {"method": method, "lam": keywords.get("lam"), "options": options}
        records.append({**BLANK, **chosen, **cells})

    add(DEFAULT, _mechanism_labels)
    for lam in LAMBDAS:
        add("ANM-MM", _latent_labels, lam=lam)
    for name, method in METHODS.items():
        add(name, method.labels)
    for name, grid in GRIDS.items():
        for options, method in grid.items():
            add(BEST[name], method.labels, options)
    return records


def _mechanism_labels(*pair: Any, **options: Any) -> NDArray[np.intp]:
    return cluster_mechanisms(*pair, **options).labels


def _latent_labels(*pair: Any, lam: float, **options: Any) -> NDArray[np.intp]:
    return _mechanism_labels(*pair, refine=False, fit_options={"lam": lam}, **options)


def cluster_scores(records: list[Record]) -> dict[str, tuple[float, float, str]]:
    """Mean adjusted Rand index, its error, and the λ or options chosen, by method.

    A failure counts as an index of 0, as labels by chance have.
    """
    means = {
        key: mean_error([record["value"] or 0.0 for record in group])
        for key, group in grouped(records, "method", "lam", "options").items()
    }
    scores = {
        method: (*mean, "")
        for (method, lam, options), mean in means.items()
        if lam is None and not options
    }
    best_lam = max(LAMBDAS, key=lambda lam: means["ANM-MM", lam, ""][0])
    scores[LATENT] = (*means["ANM-MM", 1.0, ""], "")
    scores[PAPER] = (*means["ANM-MM", best_lam, ""], f"{best_lam:g}")
    for name, grid in GRIDS.items():
        options = max(grid, key=lambda options: means[BEST[name], None, options][0])
        scores[BEST[name]] = (*means[BEST[name], None, options], options)
    return scores
