"""Table 1: mechanism clustering of ten synthetic settings by six methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from anmmm.plotting.style import COLORS, tidy
from benchmarks.clusters import MIXTURES, read
from benchmarks.paper.clusterings import (
    BAYES,
    BEST,
    DEFAULT,
    LATENT,
    METHODS,
    PAPER,
    cluster_scores,
    measure,
    with_methods,
)
from benchmarks.paper.common import (
    Scale,
    Study,
    error_bars,
    legend_below,
    new_figure,
    plus_minus,
    titled,
)
from benchmarks.paper.published import TABLE1, TABLE1_COLUMNS
from benchmarks.runs import Row

SIZE = 100
NOTE = (
    "Mean adjusted Rand index over {} data sets of {} points, ± standard error (of ours alone: the "
    "paper prints none). *default*: `cluster_mechanisms` as it comes, nothing chosen on these "
    "data. *best λ*: k-means on Θ as in Algorithm 2, with the λ of the paper's grid that is best "
    "in this row, chosen on the data it is reported on. *Bayes*: the labels given f, θ, σ and the "
    "proportions."
)


def _tasks(scale: Scale, data: str | None) -> list[Row]:
    data_sets = []
    for seed in range(scale.n_clusterings):
        data_sets += [{"setting": setting, "seed": seed} for setting in TABLE1_COLUMNS]
    limits = [data_set | {"method": BAYES, "options": "{}"} for data_set in data_sets]
    return with_methods(data_sets) + limits


def _measure(setting: str, seed: int, method: str, options: str) -> Row:
    data = read(setting, SIZE, seed, MIXTURES)
    return measure(data, method=method, options=options, seed=seed)


def _scores(rows: pd.DataFrame) -> dict[str, dict[str, tuple[float, float, str]]]:
    groups = rows.groupby("setting")
    return {setting: cluster_scores(groups.get_group(setting)) for setting in TABLE1_COLUMNS}


def _minus(score: tuple[float, float, str], printed: float) -> str:
    """Return how far a mean is from a printed number, whose error is not known."""
    return plus_minus(score[0] - printed, score[1], sign="+")


def _report(rows: pd.DataFrame) -> list[str]:
    scores = _scores(rows)
    beside = []
    compared = []
    for setting, by_method in scores.items():
        default = by_method[DEFAULT]
        best = by_method[PAPER]
        printed = TABLE1["ANM-MM"][setting]
        cells = [f"{printed:.3f}", plus_minus(*default[:2]), _minus(default, printed)]
        cells += [f"{plus_minus(*best[:2])} ({best[2]})", _minus(best, printed)]
        beside.append([setting, *cells, plus_minus(*by_method[BAYES][:2])])
        line = [setting]
        for name, printed_row in TABLE1.items():
            score = by_method[DEFAULT if name == "ANM-MM" else name]
            line.append(f"{printed_row[setting]:.3f} ({_minus(score, printed_row[setting])})")
        compared.append(line)
    names = [DEFAULT, PAPER, LATENT, *METHODS, *BEST]
    measured = [[name, *(f"{score[name][0]:.3f}" for score in scores.values())] for name in names]
    largest = max(score[name][1] for score in scores.values() for name in names)
    n_won = sum(scores[s][DEFAULT][0] > TABLE1["ANM-MM"][s] for s in TABLE1_COLUMNS)
    return [
        titled(
            "ANM-MM beside the paper",
            ["", "paper", "default", "minus paper", "best λ (which)", "minus paper", BAYES],
            beside,
            NOTE.format(rows["seed"].nunique(), SIZE),
        ),
        titled(
            "All methods, measured",
            ["", *TABLE1_COLUMNS],
            measured,
            f"Standard errors are at most {largest:.3f}. *best options*: the best of a small grid "
            "in each column, chosen on the data it is reported on.",
        ),
        titled(
            "The paper's Table 1, and in brackets how far ours is from it",
            ["", *TABLE1],
            compared,
            "ANM-MM: our default minus the printed number; the others: ours with fixed options.",
        ),
        f"The fixed default is above the paper in {n_won} of {len(scores)} columns.",
    ]


def _draw(rows: pd.DataFrame) -> Any:
    scores = list(_scores(rows).values())
    figure, axes = new_figure(1, 1, (9.0, 4.6))
    ax = axes[0, 0]
    places = np.arange(len(TABLE1_COLUMNS), dtype=float)
    limits = [score[BAYES][0] for score in scores]
    ax.hlines(limits, places - 0.42, places + 0.42, color="#000000", linewidth=1.2, label=BAYES)
    shown = [(DEFAULT, COLORS[0], "o"), (PAPER, COLORS[5], "s")]
    shown += zip(METHODS, (*COLORS[1:5], "#777777"), "^Dv<P", strict=True)
    shifts = np.linspace(-0.36, 0.36, len(shown) + 1)
    printed = [TABLE1["ANM-MM"][setting] for setting in TABLE1_COLUMNS]
    star = {"color": "#000000", "markersize": 9, "label": "ANM-MM, as the paper prints it"}
    ax.plot(places + shifts[2], printed, "*", **star)
    for (name, color, marker), shift in zip(shown, np.delete(shifts, 2), strict=True):
        error_bars(ax, places + shift, scores, name, color=color, marker=marker, linestyle="")
    ax.set_xticks(places, TABLE1_COLUMNS, rotation=20)
    ax.set_xlim(-0.5, len(places) - 0.5)
    ax.set_ylim(-0.05, 1.02)
    ax.set_ylabel("mean adjusted Rand index")
    tidy(ax)
    ax.grid(visible=False, axis="x")
    legend_below(figure, ax, 3)
    return figure


STUDY = Study("Table 1: mechanism clustering", _tasks, _measure, _report, _draw)
