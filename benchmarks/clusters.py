r"""Clusters of mechanisms, a row a data set and method: the adjusted Rand index.

    python -m benchmarks.clusters mixtures -n 100 --seeds 0:100 -o clusters.parquet
    python -m benchmarks.clusters lines -n 200 --seeds 0:100 --method latent -o lines.parquet \\
        --options kernel_x=linear kernel_theta=linear

Names are settings of the paper's mixtures (``f3-c4``), families of lines (``crossing lines``), or
all ``mixtures`` or ``lines``. Rows that the file has are skipped.
"""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms
from anmmm.mixture import ANMMixture
from benchmarks.families.base import Rows
from benchmarks.families.lines import TITLES, draw_labeled
from benchmarks.families.settings import SETTINGS, bayes_labels, draw_setting
from benchmarks.paper.published import TABLE1_COLUMNS
from benchmarks.runs import Row, parser, read_common, run

KEYS = ("setting", "n", "seed", "method", "options")
# Ours; clusters of Θ alone (options are of its fit); a mixture by EM alone; the classifier that
# knows functions, θ and noise.
METHODS = ("anmmm", "latent", "em", "bayes")


def cluster(setting: str, n: int, seed: int, method: str, options: str) -> Row:
    """Cluster one data set into the true number of mechanisms."""
    if setting in SETTINGS:
        x, y, truth = draw_setting(setting, n, seed)
    else:
        x, y, truth = draw_labeled(Rows(np.random.default_rng(seed), n), setting)
    count = int(truth.max()) + 1
    start = time.process_time()
    if method == "bayes":
        labels = bayes_labels(setting, seed, x, y)
    else:
        labels = _labels(x, y, count, seed, method, json.loads(options))
    seconds = time.process_time() - start
    return {"ari": adjusted_rand_score(truth, labels), "seconds": seconds}


def _labels(
    x: np.ndarray, y: np.ndarray, count: int, seed: int, method: str, options: dict[str, Any]
) -> np.ndarray:
    if method == "em":
        return ANMMixture(count, **options).fit(x[:, np.newaxis], y).labels_
    if method == "latent":
        result = cluster_mechanisms(
            x, y, count, refine=False, fit_options=options, random_state=seed
        )
        return result.labels
    return cluster_mechanisms(x, y, count, random_state=seed, **options).labels


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean indices and their errors by setting, number of rows and method."""
    groups = rows.groupby(["setting", "n", "method", "options"], sort=False)["ari"]
    table = groups.agg(data_sets="size", ari="mean", error="sem").round(4)
    return table.reset_index()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    command_line = parser(__doc__, "SETTING", METHODS)
    given = command_line.parse_args(arguments)
    names: list[str] = []
    for name in given.names:
        names += {"mixtures": TABLE1_COLUMNS, "lines": TITLES[1:]}.get(name, (name,))
    unknown = set(names) - {*SETTINGS, *TITLES}
    if unknown:
        command_line.error(f"no setting or family of lines {', '.join(unknown)}")
    common = read_common(given)
    tasks = []
    for n in given.n:
        for name in names:
            tasks += [{"setting": name, "n": n, "seed": seed} | common for seed in given.seeds]
    run(given.output, tasks, cluster, KEYS, given.jobs)


if __name__ == "__main__":
    # From the module that worker processes import.
    from benchmarks import clusters as module

    module.main()
