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

from anmmm._typing import FloatArray
from anmmm.clustering import cluster_mechanisms
from anmmm.datasets import load_bafu_air
from anmmm.mixture import ANMMixture
from anmmm.mixture.em import smallest_noise
from anmmm.mixture.mechanisms import Sample, Variant
from anmmm.mixture.search import SEARCH_ITER, SEARCH_TOLERANCE
from anmmm.mixture.splines import SplineBasis
from anmmm.mixture.starts import soften
from anmmm.plotting.style import color_of, marker_of, tidy
from anmmm.preprocessing import Cells, standardize
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
LINE = "k-means on the residual of a line"
KNOWN = "curves and noise of both places known"
FROM_TRUTH = "two curves by EM, started from the truth"
LIMITS = (LINE, KNOWN, FROM_TRUTH)


def _tasks(scale: Scale, data: str | None) -> list[Row]:
    data_sets = []
    for seed in range(scale.n_seeds):
        data_sets += [{"direction": direction, "seed": seed} for direction in (FORWARD, BACKWARD)]
    limits = [
        {"direction": FORWARD, "seed": 0, "method": method, "options": ""} for method in LIMITS
    ]
    return with_methods(data_sets) + limits


def _measure(direction: str, seed: int, method: str, options: str) -> Row:
    temperature, ozone, place = load_bafu_air()
    if method in LIMITS:
        return attempt(lambda: {"value": _limit(temperature, ozone, place, method)})
    x, y = (temperature, ozone) if direction == FORWARD else (ozone, temperature)
    return measure(x, y, place, method=method, options=options, seed=seed)


def _limit(x: FloatArray, y: FloatArray, place: NDArray[np.intp], method: str) -> float:
    """Return the index of what knows what no method does, or next to nothing."""
    if method == LINE:
        labels = _labels_by_line(x, y)
    elif method == FROM_TRUTH:
        X, Y = (standardize(part[:, np.newaxis])[0] for part in (x, y))
        sample = Sample(SplineBasis.of(X), X, Y[:, 0], smallest_noise(Cells.of(Y[:, 0])))
        start = soften(np.eye(2)[place])
        options = {"tol": SEARCH_TOLERANCE, "max_iter": SEARCH_ITER}
        labels = sample.fit([start], Variant("own"), 0.1, **options).labels
    else:
        density = np.empty((2, len(x)))
        for label in (0, 1):
            curve = ANMMixture(1).fit(x[place == label, np.newaxis], y[place == label])
            residual = y - curve.curves(x[:, np.newaxis])[:, 0]
            noise = residual[place == label].std()
            density[label] = -0.5 * (residual / noise) ** 2 - np.log(noise)
        labels = np.argmax(density, axis=0)
    return float(adjusted_rand_score(place, labels))


def _labels_by_line(x: FloatArray, y: FloatArray) -> NDArray[np.intp]:
    residual = y - np.polyval(np.polyfit(x, y, 1), x)
    labels: NDArray[np.intp] = KMeans(2, n_init=10, random_state=0).fit_predict(residual[:, None])
    return labels


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
        "seeds. Temperature is the cause. The last two rows know what no method does; the one "
        "above them knows next to nothing."
    )
    header = ["", "paper", FORWARD, "minus paper", BACKWARD, "λ"]
    return [titled("Ozone at two places", header, lines, note)]


def _draw(rows: pd.DataFrame) -> Any:
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


STUDY = Study("Figure 6: ozone and temperature at two places", _tasks, _measure, _report, _draw)
