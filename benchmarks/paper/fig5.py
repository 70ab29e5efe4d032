"""Figure 5: directions of the Tübingen pairs from 90 points each, by data set."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from anmmm.datasets import Pair, load_pairs
from anmmm.plotting.style import tidy
from benchmarks.paper.common import Scale, Study, new_figure, plus_minus, titled
from benchmarks.paper.directions import (
    CRITERIA,
    NAMES,
    PAPER,
    STYLES,
    judged,
    measure,
    with_methods,
)
from benchmarks.runs import Row

N_POINTS = 90
# Left out by the paper: multivariate, discrete, or too few distinct values.
EXCLUDED = frozenset({12, 17, 47, 52, 53, 54, 55, 70, 71, 101, 105})
N_BOOTSTRAP = 2000
MEAN, MEDIAN = "mean over data sets", "median over data sets"
NOTE = (
    "{} pairs of {} data sets, {} draws of {} points without replacement each (all points of "
    "smaller pairs); the share of right decisions is averaged over the pairs of a data set. ± "
    "standard error over data sets drawn anew. *best λ*: one λ for all pairs, that of the best "
    "mean, chosen on the data it is reported on. The paper draws this figure without numbers."
)


def _tasks(scale: Scale, data: str | None) -> list[Row]:
    pair_ids = []
    for pair_id in load_pairs(data).ids:
        if pair_id[4:].isdecimal() and int(pair_id[4:]) not in EXCLUDED:
            pair_ids.append(pair_id)
    data_sets = []
    for repetition in range(scale.n_repetitions):
        data_sets += [{"data": data, "pair": name, "repetition": repetition} for name in pair_ids]
    return with_methods(data_sets)


@cache
def _pair(data: str, pair_id: str) -> Pair:
    return load_pairs(data)[pair_id]


def _measure(data: str, pair: str, repetition: int, method: str, lam: str) -> Row:
    read = _pair(data, pair)
    rng = np.random.default_rng([int(pair[4:]), repetition])
    n = len(read.x)
    # In the order of the file: it is ECP's index.
    rows = np.sort(rng.choice(n, min(N_POINTS, n), replace=False))
    row = measure(read.x[rows], read.y[rows], method=method, lam=lam, seed=repetition)
    return row | {"truth": read.truth, "group": read.group or pair}


def by_data_set(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the share of right decisions of each data set by method and λ.

    A data set is the mean of its pairs, and a pair that of its draws.
    """
    shares = judged(rows).groupby(["name", "lam", "group", "pair"])["right"].mean()
    return shares.groupby(["name", "lam", "group"]).mean().unstack("group")


def _center(values: pd.Series, kind: str) -> str:
    """Return mean or median of the data sets, and its standard error by drawing them anew."""
    compute = np.mean if kind == MEAN else np.median
    rng = np.random.default_rng(0)
    draws = [compute(rng.choice(values, len(values))) for _ in range(N_BOOTSTRAP)]
    return plus_minus(float(compute(values)), float(np.std(draws, ddof=1)))


def _chosen(sets: pd.DataFrame) -> dict[str, tuple[pd.Series, str]]:
    """Return the shares of the data sets by method, with the λ of the best mean."""
    chosen = {}
    for name in NAMES:
        lam = sets.loc[name].mean(axis=1).idxmax()
        chosen[name] = sets.loc[(name, lam)], lam
    return chosen


def _report(rows: pd.DataFrame) -> list[str]:
    counts = [rows[column].nunique() for column in ("pair", "group", "repetition")]
    sets = by_data_set(rows)
    lines = []
    for name, (values, lam) in _chosen(sets).items():
        lines.append([name, lam, _center(values, MEAN), _center(values, MEDIAN)])
    note = NOTE.format(*counts, N_POINTS)
    first = titled("Tübingen pairs, 90 points each", ["", "λ", MEAN, MEDIAN], lines, note)
    lines = []
    for lam in sets.loc[PAPER].index:
        line = [lam]
        for name in CRITERIA:
            values = sets.loc[(name, lam)]
            line += [_center(values, MEAN), _center(values, MEDIAN)]
        lines.append(line)
    header = ["λ", "hsic, mean", "hsic, median", "hsic_ratio, mean", "hsic_ratio, median"]
    return [first, titled("Each λ by itself", header, lines)]


def _draw(rows: pd.DataFrame) -> Any:
    chosen = _chosen(by_data_set(rows))
    figure, axes = new_figure(1, 1, (8.0, 4.6))
    ax = axes[0, 0]
    rng = np.random.default_rng(0)
    for place, name in enumerate(reversed(NAMES)):
        values = chosen[name][0].to_numpy()
        color = STYLES[name]["color"]
        points = {"markersize": 4, "alpha": 0.5, "markeredgewidth": 0, "clip_on": False}
        ax.plot(values, place + rng.uniform(-0.25, 0.25, len(values)), "o", color=color, **points)
        mean, median = ("mean", "median") if place == 0 else (None, None)
        ax.plot(values.mean(), place, "D", color=color, markeredgecolor="black", label=mean)
        bar = {"markersize": 22, "markeredgewidth": 2, "label": median}
        ax.plot(np.median(values), place, "|", color="black", **bar)
    ax.axvline(0.5, color="#666666", linestyle=":", linewidth=1.0)
    ax.set_yticks(range(len(NAMES)), [*reversed(NAMES)])
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("share of right directions in a data set, one point each")
    tidy(ax)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


STUDY = Study("Figure 5: directions of the Tübingen pairs", _tasks, _measure, _report, _draw)
