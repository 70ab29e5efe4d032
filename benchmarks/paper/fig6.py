"""Figure 6: ozone against temperature at two places, clustered without knowing the place.

Beside the paper's methods it shows what knowing the curves would give, and what needs next to
nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from anmmm.clustering import cluster_mechanisms
from anmmm.datasets import load_bafu_air
from anmmm.mixture import ANMMixture
from anmmm.plotting.style import color_of, marker_of, tidy
from benchmarks.clusters import DataSet, label
from benchmarks.paper.clusterings import (
    DEFAULT,
    LATENT,
    METHODS,
    PAPER,
    cluster_scores,
    measure,
    with_methods,
)
from benchmarks.paper.common import Scale, Study, attempt, new_figure, plus_minus, titled
from benchmarks.paper.published import BAFU_ARI
from benchmarks.runs import Row

FORWARD, BACKWARD = "temperature → ozone", "ozone → temperature"


def _tasks(scale: Scale, data: str | None) -> list[Row]:
    data_sets = []
    for seed in range(scale.n_seeds):
        data_sets += [{"direction": direction, "seed": seed} for direction in (FORWARD, BACKWARD)]
    limit = {"direction": FORWARD, "seed": 0, "options": "{}"}
    return with_methods(data_sets) + [limit | {"method": method} for method in LIMITS]


def _places(direction: str) -> DataSet:
    """Return cause, effect and place of each row."""
    temperature, ozone, place = load_bafu_air()
    x, y = (temperature, ozone) if direction == FORWARD else (ozone, temperature)
    return DataSet(x, y, place, 2)


def _measure(direction: str, seed: int, method: str, options: str) -> Row:
    data = _places(direction)
    if method in LIMITS:
        labels = LIMITS[method](data)
        return attempt(lambda: {"value": float(adjusted_rand_score(data.truth, labels))})
    return measure(data, method=method, options=options, seed=seed)


def _labels_by_line(data: DataSet) -> NDArray[np.intp]:
    """Return labels by what needs next to nothing."""
    residual = data.y - np.polyval(np.polyfit(data.x, data.y, 1), data.x)
    labels: NDArray[np.intp] = KMeans(2, n_init=10, random_state=0).fit_predict(residual[:, None])
    return labels


def _labels_by_curves(data: DataSet) -> NDArray[np.intp]:
    """Return the likelier place of each row, with the curve and the noise of each place."""
    density = np.empty((2, len(data.x)))
    for place in (0, 1):
        is_here = data.truth == place
        curve = ANMMixture(1).fit(data.x[is_here, np.newaxis], data.y[is_here])
        residual = data.y - curve.curves(data.x[:, np.newaxis])[:, 0]
        noise = residual[is_here].std()
        density[place] = -0.5 * (residual / noise) ** 2 - np.log(noise)
    return np.argmax(density, axis=0)


LIMITS = {
    "k-means on the residual of a line": _labels_by_line,
    "curves and noise of both places known": _labels_by_curves,
}


def _report(rows: pd.DataFrame) -> list[str]:
    forward = cluster_scores(rows[rows["direction"] == FORWARD])
    backward = cluster_scores(rows[rows["direction"] == BACKWARD])
    lines = []
    for name in (DEFAULT, LATENT, PAPER, *METHODS):
        printed = BAFU_ARI.get("ANM-MM" if name.startswith("ANM-MM") else name)
        mean, error, lam = forward[name]
        paper = "" if printed is None else f"{printed:.3f}"
        minus = "" if printed is None else f"{mean - printed:+.3f}"
        cells = [paper, plus_minus(mean, error), minus, plus_minus(*backward[name][:2]), lam]
        lines.append([name, *cells])
    lines += [[name, "", plus_minus(*forward[name][:2]), "", "", ""] for name in LIMITS]
    note = (
        f"Adjusted Rand index, mean over {rows['seed'].nunique()} seeds ± standard error over "
        "seeds. Temperature is the cause. The last row knows what no method does; the one above it "
        "knows next to nothing."
    )
    header = ["", "paper", FORWARD, "minus paper", BACKWARD, "λ"]
    return [titled("Ozone at two places", header, lines, note)]


def _draw(rows: pd.DataFrame) -> Any:
    data = _places(FORWARD)
    panels = {
        "the two places": data.truth,
        DEFAULT: cluster_mechanisms(data.x, data.y, 2, random_state=0).labels,
    }
    for name, (method, options) in METHODS.items():
        panels[name] = label(data, 2, 0, method, options)
    panels["residual of a line"] = _labels_by_line(data)
    figure, axes = new_figure(2, 4, (12.0, 6.2))
    for ax, (name, labels) in zip(axes.flat, panels.items(), strict=True):
        for number in np.unique(labels):
            # Noise of DBSCAN is no cluster.
            is_noise = number < 0
            color = "#999999" if is_noise else color_of(number)
            marker = "x" if is_noise else marker_of(number)
            members = labels == number
            style = {"color": color, "markersize": 3, "alpha": 0.6, "linestyle": ""}
            ax.plot(data.x[members], data.y[members], marker, **style)
        agreement = f": ARI {adjusted_rand_score(data.truth, labels):.3f}"
        if name == "the two places":
            agreement = ""
        ax.set_title(name + agreement, fontsize=10)
        tidy(ax)
    for ax in axes[1]:
        ax.set_xlabel("temperature (°C)")
    for ax in axes[:, 0]:
        ax.set_ylabel("ozone (µg/m³)")
    return figure


STUDY = Study("Figure 6: ozone and temperature at two places", _tasks, _measure, _report, _draw)
