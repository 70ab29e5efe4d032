"""Directions of drawn mixtures: what figures 3 and 4 share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anmmm.datasets import SETTINGS, make_anm_mixture
from anmmm.experiments.directions import COLUMNS, NAMES, accuracies, measure_directions
from anmmm.experiments.drawing import accuracy_lines, legend_below, new_figure
from anmmm.experiments.study import Record, Scale, Study, Unit
from anmmm.experiments.tables import grouped, markdown_table, plus_minus


@dataclass(frozen=True)
class Panel:
    """One diagram; a point is its tick, setting (of `SETTINGS`) and number of observations."""

    title: str
    axis: str
    points: Sequence[tuple[str, str, int]]


def direction_study(name: str, title: str, panels: Sequence[Panel]) -> Study:
    """Make the study of a figure; data set k of a setting is drawn with seed k."""
    return Study(
        name,
        title,
        ("setting", "n", "seed", *COLUMNS),
        partial(_units, panels),
        _measure,
        partial(_report, panels),
        partial(_draw, panels),
    )


def _units(panels: Sequence[Panel], scale: Scale, data: Path | None) -> list[Unit]:
    cells = dict.fromkeys(point[1:] for panel in panels for point in panel.points)
    return [
        Unit.of(setting=setting, n=n, seed=seed)
        for seed in range(scale.n_datasets)
        for setting, n in cells
    ]


def _measure(unit: Unit) -> list[Record]:
    setting, seed = SETTINGS[unit.arguments["setting"]], unit.arguments["seed"]
    x, y, labels = make_anm_mixture(
        setting.mechanism, unit.arguments["n"], random_state=seed, **setting.options
    )
    by_source = np.argsort(labels, kind="stable")
    records = measure_directions(x, y, truth=1, seed=seed, by_source=by_source)
    return [{**unit.arguments, **record} for record in records]


def _report(panels: Sequence[Panel], records: list[Record]) -> tuple[list[str], list[str]]:
    groups = grouped(records, "setting", "n")
    tables = []
    for panel in panels:
        columns = [accuracies(groups[point[1:]]) for point in panel.points]
        rows = []
        for name in NAMES:
            cells = []
            for column in columns:
                mean, error, lam = column[name]
                cells.append(plus_minus(mean, error, 2) + ("" if lam is None else f" ({lam:g})"))
            rows.append([name, *cells])
        n_datasets = len({record["seed"] for record in groups[panel.points[0][1:]]})
        header = ["", *(f"{panel.axis} = {point[0]}" for point in panel.points)]
        note = (
            f"Share of right decisions over {n_datasets} data sets a cell, ± standard error; no "
            "decision counts as wrong. In brackets the λ that is best in that cell, chosen on the "
            "data it is reported on, as the paper does. The paper draws this figure without "
            "numbers."
        )
        tables.append(markdown_table(panel.title, header, rows, note))
    return tables, []


def _draw(panels: Sequence[Panel], records: list[Record]) -> Any:
    groups = grouped(records, "setting", "n")
    # Two by two, or three in a row.
    n_columns = 2 if len(panels) == 4 else len(panels)
    n_rows = -(-len(panels) // n_columns)
    size = (3.4 * n_columns + 0.4, 3.0 * n_rows + 1.2)
    figure, axes = new_figure(n_rows, n_columns, size, sharey=True)
    for ax, panel in zip(axes.flat, panels, strict=True):
        columns = [accuracies(groups[point[1:]]) for point in panel.points]
        accuracy_lines(ax, [point[0] for point in panel.points], columns)
        ax.set_title(panel.title, fontsize=10)
        ax.set_xlabel(panel.axis)
    for ax in axes[:, 0]:
        ax.set_ylabel("share of right directions")
    legend_below(figure, axes[0, 0], 3)
    return figure
