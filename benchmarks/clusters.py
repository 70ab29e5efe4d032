"""Clusters of mechanisms, a row a data set and method: the adjusted Rand index.

    python -m benchmarks.clusters mixtures -n 100 --seeds 0:100 -o clusters.parquet
    python -m benchmarks.clusters families --seeds 1400:1403 --number auto -o mechanisms.parquet
    python -m benchmarks.clusters real:FILE.npz --seeds 0:1 --number auto -o mechanisms.parquet

Names are settings of the paper's mixtures (``f3-c4``), families of
`benchmarks.families.mechanisms`, all ``mixtures`` or ``families``, or real pairs with known groups:
a file with an array (n, 3) of cause, effect and group for each pair. Rows that the output has are
skipped.
"""

from __future__ import annotations

import json
import time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from anmmm import ClusteringResult, cluster_mechanisms
from anmmm.mixture import ANMMixture
from benchmarks.baselines import CLUSTERING_BASELINES
from benchmarks.baselines.labels import LABELS
from benchmarks.cluster_sureness import measure_sureness
from benchmarks.families import mechanisms
from benchmarks.families.settings import SETTINGS, bayes_labels, draw_setting
from benchmarks.paper.published import TABLE1_COLUMNS
from benchmarks.runs import OURS, Row, parser, read_common, run

KEYS = ("setting", "n", "seed", "method", "options", "number", "source")
# Ours; clusters of Θ alone (options are of its fit); a mixture by EM alone; the classifier that
# knows functions, noise and weights; and other methods, some of which have to be given the number.
METHODS = (OURS, "latent", "em", "bayes", *LABELS, *CLUSTERING_BASELINES)
NUMBERS = ("given", "auto")
REAL = "real/"
MIXTURES = "mixtures"
FAMILIES = "families"
GROUPS = {MIXTURES: TABLE1_COLUMNS, FAMILIES: mechanisms.FAMILIES}
# Between the seeds of a data set and of the new rows whose effects are predicted.
NEW_SEEDS = 5000


class DataSet(NamedTuple):
    """A data set with the mechanisms of its rows, and the best possible labels if known."""

    x: np.ndarray
    y: np.ndarray
    truth: np.ndarray
    n_mechanisms: int
    best: np.ndarray | None = None


def read(setting: str, n: int, seed: int, source: str) -> DataSet:
    """Draw or read a data set; a name may be one of both kinds of drawn ones."""
    if setting.startswith(REAL):
        x, y, group = np.load(source)[setting.removeprefix(REAL)].T
        return DataSet(x, y, group.astype(int), len(np.unique(group)))
    if source == FAMILIES:
        drawn = mechanisms.draw(setting, n, seed)
        best = drawn.log_likelihood.argmax(axis=1)
        return DataSet(drawn.x, drawn.y, drawn.truth, drawn.log_likelihood.shape[1], best)
    x, y, truth = draw_setting(setting, n, seed)
    best = bayes_labels(setting, seed, x, y)
    return DataSet(x, y, truth, int(truth.max()) + 1, best)


def cluster(
    setting: str, n: int, seed: int, method: str, options: str, number: str, source: str
) -> Row:
    """Cluster one data set, its number of mechanisms given or not."""
    data = read(setting, n, seed, source)
    given = data.n_mechanisms if number == "given" else None
    sureness: Row = {}
    if method in LABELS:
        causes = data.x.reshape(len(data.y), -1)
        labels, seconds = LABELS[method](causes, data.y, given, seed)
    else:
        begin = time.process_time()
        found = label(data, given, seed, method, json.loads(options))
        seconds = time.process_time() - begin
        labels = found if isinstance(found, np.ndarray) else found.labels
        if method == OURS and source == FAMILIES:
            drawn = mechanisms.draw(setting, n, seed)
            later = mechanisms.draw(setting, n, seed + NEW_SEEDS)
            sureness = measure_sureness(found, drawn, later)
    is_inlier = data.truth != mechanisms.OUTLIER
    return {
        "ari": adjusted_rand_score(data.truth[is_inlier], labels[is_inlier]),
        "mechanisms": data.n_mechanisms,
        "found": max(len(set(labels.tolist()) - {-1}), 1),
        "seconds": seconds,
        **sureness,
    }


def label(
    data: DataSet, given: int | None, seed: int, method: str, options: dict[str, Any]
) -> np.ndarray | ClusteringResult:
    """Return the labels of a method, or our whole result."""
    x, y = data.x, data.y
    if method == "bayes":
        if data.best is None:
            raise ValueError("no such classifier is known for this data set")
        return data.best
    if method in CLUSTERING_BASELINES:
        return CLUSTERING_BASELINES[method].labels(x, y, given, random_state=seed, **options)
    number = given or "auto"
    if method == "em":
        return ANMMixture(number, **options).fit(x[:, np.newaxis], y).labels_
    if method == "latent":
        options = {"refine": False, "fit_options": options}
    return cluster_mechanisms(x, y, number, random_state=seed, **options)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean indices and their errors by setting, number of rows and method."""
    groups = rows.groupby(["setting", "n", "method", "options"], sort=False)["ari"]
    table = groups.agg(data_sets="size", ari="mean", error="sem").round(4)
    return table.reset_index()


def mechanisms_summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean indices, fractions of right numbers and seconds by setting and method."""
    rows = rows.assign(right=rows["found"] == rows["mechanisms"])
    groups = rows.groupby(["setting", "n", "method", "number"], sort=False)
    table = groups.agg(
        data_sets=("ari", "size"),
        mechanisms=("mechanisms", "first"),
        ari=("ari", "mean"),
        found=("found", "mean"),
        right=("right", "mean"),
        seconds=("seconds", "median"),
    )
    return table.round(4).reset_index()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    command_line = parser(__doc__, "SETTING", METHODS)
    command_line.add_argument(
        "--number", default="given", choices=NUMBERS, help="is the number of mechanisms known?"
    )
    given = command_line.parse_args(arguments)
    sources: dict[str, list[str]] = {}
    for name in given.names:
        if name.startswith("real:"):
            file = name.removeprefix("real:")
            sources[file] = [REAL + pair for pair in np.load(file).files]
        elif name in GROUPS:
            sources[name] = list(GROUPS[name])
        elif name in SETTINGS:
            sources[MIXTURES] = [*sources.get(MIXTURES, ()), name]
        elif name in mechanisms.FAMILIES:
            sources[FAMILIES] = [*sources.get(FAMILIES, ()), name]
        else:
            command_line.error(f"no setting or family {name}")
    common = read_common(given) | {"number": given.number}
    tasks = []
    for n in given.n:
        for source, names in sources.items():
            for name in names:
                task = {"setting": name, "n": n, "source": source} | common
                tasks += [task | {"seed": seed} for seed in given.seeds]
    run(given.output, tasks, cluster, KEYS, given.jobs)


if __name__ == "__main__":
    # From the module that worker processes import.
    from benchmarks import clusters as module

    module.main()
