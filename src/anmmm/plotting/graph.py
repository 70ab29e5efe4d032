"""Plots of causal graphs, causes above their effects."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from anmmm.graph import CausalGraph, GraphEdge
from anmmm.graph.result import ARROW, BOTH
from anmmm.plotting.style import axes_or_new, color_of, matplotlib_module

# Sizes in units of a letter of a name, and of a line.
GAP, LAYER = 3.0, 4.0
LETTERS = 16
# Gains, in nats a row, of the thinnest and the thickest edge.
FAINT, STRONG = 0.01, 0.5
SIGNS = {ARROW: "-|>", BOTH: "<|-|>"}
Places = dict[Hashable, tuple[float, float]]


def plot_graph(graph: CausalGraph, *, ax: Any = None) -> Any:
    """Draw a causal graph in layers, causes above their effects.

    Parameters
    ----------
    graph : CausalGraph
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure that fits the graph.

    Returns
    -------
    matplotlib.axes.Axes
        The wider an edge, the more nats it saves; what is not sure is dashed, what has no direction
        is gray. Nodes with the same shade have mechanisms that one hidden variable switches.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If `ax` is not Matplotlib axes.
    """
    if ax is None:
        pyplot = matplotlib_module("pyplot")
        ax = pyplot.subplots(figsize=graph_size(graph), layout="constrained")[1]
    ax = axes_or_new(ax)
    places = _places(graph)
    shade = {name: color_of(at) for at, each in enumerate(graph.mixing) for name in each.nodes}
    boxes = {}
    for name, (x, y) in places.items():
        # Matplotlib shall set a name as it is, and not as a formula.
        mix = matplotlib_module("colors").to_rgb(shade.get(name, "white"))
        fill = tuple(0.75 + 0.25 * part for part in mix)
        box = {"boxstyle": "round,pad=0.4", "edgecolor": "#444444", "facecolor": fill}
        text = _short(name).replace("$", r"\$")
        boxes[name] = ax.text(x, y, text, ha="center", va="center", fontsize=10, bbox=box, zorder=3)
    for edge in graph.edges:
        _draw(ax, edge, boxes, places, graph.n_samples)
    _legend(ax, graph)
    xs, ys = zip(*places.values(), strict=True)
    ax.set_xlim(min(xs) - LETTERS / 2, max(xs) + LETTERS / 2)
    ax.set_ylim(min(ys) - LAYER / 2, max(ys) + LAYER / 2)
    ax.set_axis_off()
    return ax


def graph_size(graph: CausalGraph) -> tuple[float, float]:
    """Return width and height in inches of a figure that fits a graph."""
    xs, ys = zip(*_places(graph).values(), strict=True)
    return (
        min(max(0.11 * (max(xs) - min(xs) + LETTERS), 4.5), 40.0),
        min(max(0.26 * (max(ys) - min(ys) + LAYER) + 0.6, 3.0), 40.0),
    )


def _places(graph: CausalGraph) -> Places:
    """Place each node in the layer below its causes, near the middle of its neighbors above."""
    layer: dict[Hashable, int] = {}
    for name in graph.order:
        layer[name] = 1 + max((layer[each] for each in graph.node(name).parents), default=-1)
    rows: dict[int, list[Hashable]] = {}
    for name in graph.order:
        rows.setdefault(layer[name], []).append(name)
    places: Places = {}
    for depth, row in sorted(rows.items()):
        near = {name: _mean([places[each][0] for each in graph.node(name).parents]) for name in row}
        row.sort(key=lambda name: near[name])
        widths = [len(_short(name)) + GAP for name in row]
        x = -0.5 * sum(widths)
        # An edge over several layers would else pass behind the nodes between.
        shift = 0.35 * GAP * (-1) ** depth
        for name, width in zip(row, widths, strict=True):
            places[name] = x + 0.5 * width + shift, -LAYER * depth
            x += width
    return places


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _short(name: Hashable) -> str:
    text = str(name)
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"


def _draw(ax: Any, edge: GraphEdge, boxes: Any, places: Places, n_samples: int) -> None:
    saved = min(max(edge.gain / n_samples, FAINT), STRONG)
    far = abs(places[edge.cause][1] - places[edge.effect][1]) > LAYER
    arrow = {
        "arrowstyle": SIGNS.get(edge.kind, "-"),
        "color": color_of(0) if edge.kind == ARROW else "#777777",
        "linestyle": "-" if edge.is_sure else "--",
        "linewidth": 0.8 + 2.4 * (saved - FAINT) / (STRONG - FAINT),
        "mutation_scale": 14,
        "patchA": boxes[edge.cause].get_bbox_patch(),
        "patchB": boxes[edge.effect].get_bbox_patch(),
        "shrinkA": 2,
        "shrinkB": 2,
        "connectionstyle": f"arc3,rad={0.15 if far else 0.0}",
    }
    ends = {"xy": places[edge.effect], "xytext": places[edge.cause]}
    ax.annotate("", **ends, arrowprops=arrow, zorder=2)


def _legend(ax: Any, graph: CausalGraph) -> None:
    """Say what lines and shades mean, as far as they occur."""
    arrows = [edge for edge in graph.edges if edge.kind == ARROW]
    lines = {
        "sure": (color_of(0), "-", any(edge.is_sure for edge in arrows)),
        "less sure": (color_of(0), "--", any(not edge.is_sure for edge in arrows)),
        "no direction": ("#777777", "--", len(arrows) < len(graph.edges)),
    }
    shown = {label: line for label, line in lines.items() if line[2]}
    for label, (color, style, _) in shown.items():
        ax.plot([], [], color=color, linestyle=style, label=label)
    for at in range(len(graph.mixing)):
        label = "mechanisms switched together"
        ax.plot([], [], "s", color=color_of(at), alpha=0.25, markersize=9, label=label)
    if shown:
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)
