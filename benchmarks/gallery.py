"""Draw the pictures of README.md, docs/guide/plots.md and docs/development.md.

    python -m benchmarks.gallery

Nothing is random but what the seeds below draw.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pandas as pd
from matplotlib import pyplot

from anmmm import cluster_mechanisms, evaluate, infer_direction, infer_graph
from anmmm._kernels._vectors import LANES
from anmmm.datasets import Pair, load_bafu_air, load_sample, make_anm_mixture
from anmmm.direction.outcome import format_confidence, format_decision
from anmmm.mixture.splines import SplineBasis
from anmmm.plotting import (
    plot_decision_rates,
    plot_direction,
    plot_effect,
    plot_graph,
    plot_mechanisms,
)
from anmmm.preprocessing import standardize

FOLDER = Path(__file__).parents[1] / "docs" / "images"


def save(axes, name: str) -> None:
    """Write the figure of some axes, and close it."""
    axes.figure.savefig(FOLDER / f"{name}.png", dpi=110)
    pyplot.close(axes.figure)


def draw_mechanisms() -> None:
    x, y, _ = make_anm_mixture("f3", n_samples=150, noise_std=0.1, random_state=1)
    result = cluster_mechanisms(x, y, 2, random_state=0)
    save(plot_mechanisms(x, y, result, x_label="x", y_label="y = exp(−θx) + ε"), "mechanisms")
    save(plot_mechanisms(x, result.latent, result.labels, y_label="latent Θ"), "latent")


def draw_readme() -> None:
    x, y, _ = make_anm_mixture("f3", n_samples=200, random_state=1)
    decision, clusters = infer_direction(x, y), cluster_mechanisms(x, y, 2, random_state=0)
    shape = {"figsize": (7.2, 2.6), "layout": "constrained", "sharex": True, "sharey": True}
    left, right = pyplot.subplots(1, 2, **shape)[1]
    left.scatter(x, y, s=14, color="0.45")
    left.set(xlabel="x", ylabel="y")
    left.set_title("measured: x, y", fontsize="medium")
    plot_mechanisms(x, y, clusters, ax=right, x_label="x", y_label="", legend=False)
    answer = f"{format_decision(decision, ('x → y', 'y → x'))}, confidence "
    answer += f"{format_confidence(decision.confidence)}; two mechanisms"
    right.set_title(answer, fontsize="medium")
    save(right, "readme")


def draw_places() -> None:
    temperature, ozone, place = load_bafu_air()
    result = cluster_mechanisms(temperature, ozone, 2, random_state=0)
    panels = pyplot.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained", sharey=True)[1]
    # Letters put them in the order in which the clusters come.
    names = [("A: Lausanne", "B: Chaumont")[label] for label in place]
    pictures = ((names, "by place"), (result, "as clustered, the places unknown"))
    for ax, (mechanisms, title) in zip(panels, pictures, strict=True):
        axis_labels = {"x_label": "temperature (°C)", "y_label": "ozone (µg/m³)"}
        plot_mechanisms(temperature, ozone, mechanisms, ax=ax, **axis_labels)
        ax.get_legend().set_title(title)
        ax.label_outer()
    save(panels[0], "places")


def draw_directions() -> None:
    x, y, _ = make_anm_mixture("f3", random_state=1)
    save(plot_direction(infer_direction(x, y))[0], "direction")
    rng = np.random.default_rng(0)
    group = rng.integers(3, size=300)
    u, v = (np.array(means)[group] + 0.5 * rng.normal(size=300) for means in ([0, 2, 4], [1, 5, 3]))
    save(plot_direction(infer_direction(u, v))[0], "common-cause")

    pair = load_sample()["pair0018"]
    result = infer_direction(pair.x, pair.y)
    axes = plot_direction(result, x_label="age", y_label="glycosaminoglycans")
    save(axes[0], "direction-real")

    result = infer_direction(x, y, criterion="hsic", random_state=0)
    save(plot_direction(result)[0], "direction-hsic")


def draw_rates() -> None:
    rates = {}
    for n in (25, 50):
        pairs = []
        for seed in range(50):
            x, y, _ = make_anm_mixture("f1", n, random_state=seed)
            pairs.append(Pair(str(seed), x, y, truth=1))
        result = evaluate(pairs)
        rates[f"f1, {n} observations"] = result.rows
    save(plot_decision_rates(rates), "rates")


def graph_table() -> pd.DataFrame:
    """Return the table of the graph in README.md, which shows its first rows."""
    rng = np.random.default_rng(0)
    dose, age, weight = rng.uniform(-2, 2, (3, 400))
    noise = 0.2 * rng.normal(size=(3, 400))
    carrier = rng.random(400) < 0.45
    level = np.where(carrier, np.sin(1.5 * dose), 1.0 - dose) + noise[0]
    pressure = np.where(carrier, age**2 - 1.0, 1.2 * age) + noise[1]
    risk = np.tanh(2.0 * pressure) + 0.5 * weight + 0.5 * np.sin(2.0 * dose) + noise[2]
    # Who is a carrier nobody recorded.
    table = {"risk": risk, "level": level, "pressure": pressure}
    table |= {"weight": weight, "dose": dose, "age": age}
    return pd.DataFrame(table)


def draw_graph() -> None:
    graph = infer_graph(graph_table())
    save(plot_graph(graph), "graph")
    left, right = pyplot.subplots(1, 2, figsize=(6.6, 2.6), layout="constrained")[1]
    plot_effect(graph, "pressure", "age", ax=left)
    save(plot_effect(graph, "risk", "dose", ax=right), "effects")


def draw_pieces() -> None:
    x, y, _ = make_anm_mixture("f3", n_samples=60, random_state=1)
    layout = SplineBasis.of(standardize(x[:, None])[0], n_knots=5).layout
    piece = np.searchsorted(layout.knots[1:-1], layout.x, side="right")
    colors = {"c": piece, "cmap": "tab10", "vmax": 9}
    left, right = pyplot.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained")[1]
    left.scatter(layout.x, y, s=14, **colors)
    for knot in layout.knots:
        left.axvline(knot, color="0.6", linewidth=0.8)
    left.set(xlabel="cause, standardized", ylabel="effect", title="pieces between knots")
    vectors, lanes = np.divmod(layout.places, LANES)
    right.scatter(lanes, vectors, s=40, marker="s", **colors)
    for end in layout.rows.ends[1:-1]:
        right.axhline(end / LANES - 0.5, color="0.6", linewidth=0.8)
    right.set(xlabel="lane", ylabel="vector", title="slots")
    right.invert_yaxis()
    save(left, "pieces")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    draw_readme()
    draw_mechanisms()
    draw_places()
    draw_directions()
    draw_rates()
    draw_pieces()
    draw_graph()
