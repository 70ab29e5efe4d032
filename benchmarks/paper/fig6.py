"""Figure 6: ozone against temperature at two places, clustered without knowing the place.

Beside the paper's methods it shows what knowing the curves would give, and what needs next to
nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from anmmm._typing import FloatArray
from anmmm.clustering import cluster_mechanisms
from anmmm.datasets import load_bafu_air
from anmmm.mixture import ANMMixture
from anmmm.plotting.style import color_of, marker_of, tidy
from benchmarks.paper.clusterings import (
    BLANK,
    DEFAULT,
    LATENT,
    METHODS,
    PAPER,
    cluster_scores,
    measure_clusterings,
)
from benchmarks.paper.drawing import new_figure
from benchmarks.paper.published import BAFU_ARI
from benchmarks.paper.study import Record, Scale, Study
from benchmarks.paper.tables import grouped, markdown_table, plus_minus

FORWARD, BACKWARD = "temperature → ozone", "ozone → temperature"
LINE = "k-means on the residual of a line"
KNOWN = "curves and noise of both places known"
FROM_TRUTH = "two curves by EM, started from the truth"
LIMITS = (LINE, KNOWN, FROM_TRUTH)


def _units(scale: Scale, data: str | None) -> list[dict[str, Any]]:
    methods = [
        {"direction": direction, "seed": seed}
        for seed in range(scale.n_seeds)
        for direction in (FORWARD, BACKWARD)
    ]
    return [{"direction": FORWARD, "seed": None}, *methods]


def _measure(direction: str, seed: int | None) -> list[Record]:
    """Measure every method, or without a seed the limits."""
    temperature, ozone, place = load_bafu_air()
    if seed is None:
        records = _limits(temperature, ozone, place)
    elif direction == FORWARD:
        records = measure_clusterings(temperature, ozone, place, seed=seed)
    else:
        records = measure_clusterings(ozone, temperature, place, seed=seed)
    return [{"direction": direction, "seed": seed, **record} for record in records]


def _limits(x: FloatArray, y: FloatArray, place: NDArray[np.intp]) -> list[Record]:
    """Measure what knowledge gives that no method has, and what needs next to none."""
    residuals = np.empty((2, len(x)))
    for label in (0, 1):
        curve = ANMMixture(1).fit(x[place == label, np.newaxis], y[place == label])
        residuals[label] = y - curve.curves(x[:, np.newaxis])[:, 0]
    noise = np.array([residuals[label, place == label].std() for label in (0, 1)])
    density = -0.5 * (residuals / noise[:, np.newaxis]) ** 2 - np.log(noise)[:, np.newaxis]
    mixture = ANMMixture(2, init=place).fit(x[:, np.newaxis], y)
    labels = {
        KNOWN: np.argmax(density, axis=0),
        FROM_TRUTH: mixture.predict(x[:, np.newaxis], y),
        LINE: _labels_by_line(x, y),
    }
    return [
        {**BLANK, "method": method, "value": float(adjusted_rand_score(place, found))}
        for method, found in labels.items()
    ]


def _labels_by_line(x: FloatArray, y: FloatArray) -> NDArray[np.intp]:
    residual = y - np.polyval(np.polyfit(x, y, 1), x)
    labels: NDArray[np.intp] = KMeans(2, n_init=10, random_state=0).fit_predict(residual[:, None])
    return labels


def _report(records: list[Record]) -> tuple[list[str], list[str]]:
    by_direction = grouped(records, "direction")
    forward, backward = (cluster_scores(by_direction[name]) for name in (FORWARD, BACKWARD))
    n_seeds = len(grouped(by_direction[BACKWARD], "seed"))
    rows = []
    for name in (DEFAULT, LATENT, PAPER, *METHODS):
        printed = BAFU_ARI.get("ANM-MM" if name.startswith("ANM-MM") else name)
        mean, error, lam = forward[name]
        rows.append(
            [
                name,
                "" if printed is None else f"{printed:.3f}",
                plus_minus(mean, error),
                "" if printed is None else f"{mean - printed:+.3f}",
                plus_minus(*backward[name][:2]),
                lam,
            ]
        )
    rows += [[name, "", plus_minus(*forward[name][:2]), "", "", ""] for name in LIMITS]
    table = markdown_table(
        "Ozone at two places",
        ["", "paper", FORWARD, "minus paper", BACKWARD, "λ"],
        rows,
        f"Adjusted Rand index, mean over {n_seeds} seeds ± standard error over seeds. Temperature "
        "is the cause. The last two rows know what no method does; the one above them knows "
        "next to nothing.",
    )
    return [table], []


def _draw(records: list[Record]) -> Any:
    temperature, ozone, place = load_bafu_air()
    pair = temperature, ozone, 2
    panels = {
        "the two places": place,
        DEFAULT: cluster_mechanisms(*pair, random_state=0).labels,
        **{name: method.labels(*pair, random_state=0) for name, method in METHODS.items()},
        "residual of a line": _labels_by_line(temperature, ozone),
    }
    figure, axes = new_figure(2, 4, (12.0, 6.2))
    for ax, (name, labels) in zip(axes.flat, panels.items(), strict=True):
        for label in np.unique(labels):
            # Noise of DBSCAN is no cluster.
            color, marker = ("#999999", "x") if label < 0 else (color_of(label), marker_of(label))
            members = labels == label
            style = {"color": color, "markersize": 3, "alpha": 0.6, "linestyle": ""}
            ax.plot(temperature[members], ozone[members], marker, **style)
        agreement = "" if labels is place else f": ARI {adjusted_rand_score(place, labels):.3f}"
        ax.set_title(name + agreement, fontsize=10)
        tidy(ax)
    for ax in axes[1]:
        ax.set_xlabel("temperature (°C)")
    for ax in axes[:, 0]:
        ax.set_ylabel("ozone (µg/m³)")
    return figure


STUDY = Study("Figure 6: ozone and temperature at two places", _units, _measure, _report, _draw)
