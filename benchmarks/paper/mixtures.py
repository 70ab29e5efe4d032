"""Figures 3 and 4: directions of drawn mixtures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from anmmm.plotting.style import tidy
from benchmarks.families.settings import draw_setting
from benchmarks.paper.common import (
    Scale,
    Scores,
    Study,
    error_bars,
    legend_below,
    new_figure,
    plus_minus,
    titled,
)
from benchmarks.paper.directions import NAMES, STYLES, accuracies, measure, with_methods
from benchmarks.runs import Row

NOTE = (
    "Share of right decisions over {} data sets a cell, ± standard error; no decision counts as "
    "wrong. In brackets the λ that is best in that cell, chosen on the data it is reported on, as "
    "the paper does. The paper draws this figure without numbers."
)


@dataclass(frozen=True)
class Panel:
    """One diagram; a point is its tick, setting (of `SETTINGS`) and number of observations."""

    title: str
    axis: str
    points: Sequence[tuple[str, str, int]]


def _tasks(panels: Sequence[Panel], scale: Scale, data: str | None) -> list[Row]:
    cells = dict.fromkeys(point[1:] for panel in panels for point in panel.points)
    data_sets = []
    for seed in range(scale.n_datasets):
        data_sets += [{"setting": setting, "n": n, "seed": seed} for setting, n in cells]
    return with_methods(data_sets)


def _measure(setting: str, n: int, seed: int, method: str, lam: str) -> Row:
    x, y, labels = draw_setting(setting, n, seed)
    by_source = np.argsort(labels, kind="stable")
    row = measure(x, y, method=method, lam=lam, seed=seed, by_source=by_source)
    return row | {"truth": 1}


def _scores(panel: Panel, rows: pd.DataFrame) -> Scores:
    groups = rows.groupby(["setting", "n"])
    return [accuracies(groups.get_group(point[1:])) for point in panel.points]


def _report(panels: Sequence[Panel], rows: pd.DataFrame) -> list[str]:
    tables = []
    for panel in panels:
        scores = _scores(panel, rows)
        lines = [[name, *(_cell(*column[name]) for column in scores)] for name in NAMES]
        header = ["", *(f"{panel.axis} = {point[0]}" for point in panel.points)]
        tables.append(titled(panel.title, header, lines, NOTE.format(rows["seed"].nunique())))
    return tables


def _cell(mean: float, error: float, lam: str) -> str:
    return plus_minus(mean, error, 2) + (f" ({lam})" if lam else "")


def _draw(panels: Sequence[Panel], rows: pd.DataFrame) -> Any:
    # Two by two, or three in a row.
    n_columns = 2 if len(panels) == 4 else len(panels)
    n_rows = -(-len(panels) // n_columns)
    size = (3.4 * n_columns + 0.4, 3.0 * n_rows + 1.2)
    figure, axes = new_figure(n_rows, n_columns, size, sharey=True)
    for ax, panel in zip(axes.flat, panels, strict=True):
        scores = _scores(panel, rows)
        places = np.arange(len(scores))
        # Side by side: many methods are right always, and would hide each other.
        shifts = np.linspace(-0.2, 0.2, len(STYLES))
        for shift, (name, style) in zip(shifts, STYLES.items(), strict=True):
            lines = {"linewidth": 1.2, "elinewidth": 0.8, "clip_on": False, **style}
            error_bars(ax, places + shift, scores, name, **lines)
        ax.axhline(0.5, color="#666666", linestyle=":", linewidth=1.0)
        ax.set_xticks(places, [point[0] for point in panel.points])
        ax.set_xlim(-0.4, len(places) - 0.6)
        ax.set_ylim(0.0, 1.0)
        tidy(ax)
        ax.set_title(panel.title, fontsize=10)
        ax.set_xlabel(panel.axis)
    for ax in axes[:, 0]:
        ax.set_ylabel("share of right directions")
    legend_below(figure, axes[0, 0], 3)
    return figure


def _study(title: str, panels: Sequence[Panel]) -> Study:
    """Make the study of a figure; data set k of a setting is drawn with seed k."""
    parts = (partial(part, panels) for part in (_tasks, _report, _draw))
    tasks, report, draw = parts
    return Study(title, tasks, _measure, report, draw)


_FUNCTIONS = {
    "f1": "f1 = 1 / (1.5 + θX²)",
    "f2": "f2 = 2 X^(θ - 0.25)",
    "f3": "f3 = exp(-θX)",
    "f4": "f4 = tanh(θX)",
}
FIG3 = _study(
    "Figure 3: direction against sample size",
    [
        Panel(title, "N", [(str(size), name, size) for size in (50, 100, 200)])
        for name, title in _FUNCTIONS.items()
    ],
)


def _around(option: str, below: str, usual: str, above: str) -> dict[str, str]:
    """Return settings by tick: that of f3 itself between two with another value of an option."""
    return {below: f"f3-{option}{below}", usual: "f3", above: f"f3-{option}{above}"}


FIG4 = _study(
    "Figure 4: direction against number of mechanisms, noise and mixing",
    [
        Panel(title, axis, [(tick, setting, 100) for tick, setting in points.items()])
        for title, axis, points in (
            ("number of mechanisms", "C", {"2": "f3", "3": "f3-c3", "4": "f3-c4"}),
            ("standard deviation of the noise", "σ", _around("sigma", "0.01", "0.05", "0.1")),
            ("share of the first mechanism", "a₁", _around("a", "0.25", "0.5", "0.75")),
        )
    ],
)
