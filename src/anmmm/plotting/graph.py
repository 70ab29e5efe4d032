"""Plots of causal graphs, causes above their effects, in the layers of networkx."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Hashable
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression

from anmmm._optional import require
from anmmm._typing import FloatArray
from anmmm.graph import CausalGraph, GraphEdge
from anmmm.graph.forms import ARROW, BOTH, LINE
from anmmm.plotting.style import as_text, axes_or_new, check_result, color_of, matplotlib_module

# Letters of a line of a name, and of the gap between names.
NAME = 16
GAP = 7.0
# Inches of a letter, of a layer, and of the legend.
LETTER = 0.11
LAYER = 1.15
LEGEND = 0.6
# Passes over the layers, down and up in turn, that place names near those they are joined to.
SWEEPS = 12
# How far an edge bends away from other names, as parts of its length; the first that is free.
BENDS = (0.0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45)
# Inches of half a line of a name, with its box.
HALF_HEIGHT = 0.3
# Losses without an edge, in nats a row, of the thinnest and the thickest edge.
FAINT = 0.01
STRONG = 0.5
SIGNS = {ARROW: "-|>", BOTH: "<|-|>"}
GRAY = "#777777"

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
        The wider an edge, the more nats it saves; arrows that are not sure are dashed, edges of
        given direction are dotted. Gray edges have no direction, or two heads if a hidden common
        cause joins their ends. Nodes of one shade have mechanisms that one hidden variable
        switches. Nodes without edges are in the last rows.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from anmmm import infer_graph
    >>> from anmmm.plotting import plot_graph
    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> x[:, 1] += x[:, 0] ** 2
    >>> ax = plot_graph(infer_graph(x), ax=Figure().subplots())
    >>> [text.get_text() for text in ax.texts[:2]]
    ['0', '1']
    """
    check_result(graph, CausalGraph, "infer_graph")
    places, widths, (width, height) = _layout(graph)
    ax = axes_or_new(ax, (width, height + LEGEND))
    shade: dict[Hashable, str] = {}
    for index, group in enumerate(graph.hidden_groups):
        shade |= dict.fromkeys(group.nodes, color_of(index))
    # Drawn before the edges, which end where the boxes then are.
    boxes = {}
    for name in graph.names:
        fill = matplotlib_module("colors").to_rgba(shade.get(name, "white"), 0.25)
        box = {"boxstyle": "round,pad=0.4", "edgecolor": "#444444", "facecolor": fill}
        style = {"ha": "center", "va": "center", "fontsize": 10, "zorder": 3}
        text = ax.text(*places[name], as_text(_wrapped(name)), bbox=box, **style)
        boxes[name] = text.get_bbox_patch()
    for edge in graph.edges:
        start = places[edge.cause]
        end = places[edge.effect]
        passed = [name for name in graph.names if name not in (edge.cause, edge.effect)]
        centers = np.array([places[name] for name in passed]).reshape(-1, 2)
        halves = [(0.5 * widths[name] - 0.3, HALF_HEIGHT) for name in passed]
        bend = _free_bend(np.array(start), np.array(end), centers, np.array(halves))
        saved = min(max(edge.loss_without / graph.n_samples, FAINT), STRONG)
        arrow = {
            "arrowstyle": SIGNS.get(edge.kind, "-"),
            "color": color_of(0) if edge.kind == ARROW else GRAY,
            "linestyle": _line_style(edge),
            "linewidth": 0.8 + 2.4 * (saved - FAINT) / (STRONG - FAINT),
            "patchA": boxes[edge.cause],
            "patchB": boxes[edge.effect],
            "connectionstyle": f"arc3,rad={bend}",
        }
        ax.annotate("", xy=end, xytext=start, arrowprops=arrow, zorder=4)
    _draw_legend(ax, graph)
    ax.set_xlim(0.0, width)
    ax.set_ylim(-height, 0.0)
    ax.set_axis_off()
    return ax


def graph_size(graph: CausalGraph) -> tuple[float, float]:
    """Return the width and height in inches of a figure for a graph."""
    width, height = _layout(graph)[2]
    return width, height + LEGEND


def _line_style(edge: GraphEdge) -> str:
    if edge.is_given:
        return ":"
    return "-" if edge.is_sure or edge.kind == BOTH else "--"


def _wrapped(name: Hashable) -> str:
    """Return a name in lines that end between words."""
    text = str(name).replace("_", "_ ")
    lines = textwrap.wrap(text, NAME, break_long_words=False, break_on_hyphens=True)
    return "\n".join(line.replace("_ ", "_") for line in lines)


def _free_bend(
    start: FloatArray, end: FloatArray, centers: FloatArray, halves: FloatArray
) -> float:
    """Return the bend of an edge that keeps furthest from other names, whose boxes are given."""
    t = np.linspace(0.0, 1.0, 41)[:, np.newaxis]
    across = np.array([end[1] - start[1], start[0] - end[0]])
    best = (0.0, 0.0)
    for bend in BENDS:
        middle = 0.5 * (start + end) + bend * across
        points = (1 - t) ** 2 * start + 2 * t * (1 - t) * middle + t**2 * end
        distances = np.abs(points[:, np.newaxis] - centers) / halves.reshape(-1, 2)
        clearance = float(distances.max(axis=2).min(initial=2.0))
        if clearance >= 1.0:
            return bend
        best = max(best, (clearance, bend))
    return best[1]


def _layout(
    graph: CausalGraph,
) -> tuple[Places, dict[Hashable, float], tuple[float, float]]:
    """Return the places of columns, their widths, and width and height of all, in inches."""
    networkx = require("networkx", "graph", "the layout of a graph needs networkx")
    number = {name: place for place, name in enumerate(graph.order)}
    downwards = networkx.DiGraph()
    for edge in graph.edges:
        downwards.add_edge(*sorted((edge.cause, edge.effect), key=number.__getitem__))
    rows = [list(row) for row in networkx.topological_generations(downwards)]
    isolated = [name for name in graph.order if name not in downwards]
    in_row = max([math.ceil(1.4 * math.sqrt(len(isolated))), 1, *map(len, rows)])
    rows += [isolated[start : start + in_row] for start in range(0, len(isolated), in_row)]
    joined = downwards.to_undirected()
    joined.add_nodes_from(isolated)
    widths = {}
    for name in graph.names:
        widths[name] = LETTER * (GAP + max(map(len, _wrapped(name).split("\n")), default=1))
    x = _across(rows, joined, widths)
    left = min(x[name] - 0.5 * widths[name] for name in x)
    right = max(x[name] + 0.5 * widths[name] for name in x)
    places = {}
    for layer, row in enumerate(rows):
        for name in row:
            places[name] = x[name] - left, -LAYER * (layer + 0.5)
    return places, widths, (max(right - left, 4.0), LAYER * len(rows))


def _across(
    rows: list[list[Hashable]], joined: Any, widths: dict[Hashable, float]
) -> dict[Hashable, float]:
    """Return the horizontal place of each name: near those it is joined to, none on another."""
    x: dict[Hashable, float] = dict.fromkeys(widths, 0.0)
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wanted = {}
            for name in row:
                neighbors = [x[neighbor] for neighbor in joined[name]]
                wanted[name] = float(np.mean(neighbors)) if neighbors else x[name]
            row.sort(key=wanted.__getitem__)
            width = np.array([widths[name] for name in row])
            steps = np.cumsum(width) - 0.5 * width
            targets = np.array([wanted[name] for name in row])
            placed = isotonic_regression(targets - steps).x + steps
            x |= dict(zip(row, placed.tolist(), strict=True))
    return x


def _draw_legend(ax: Any, graph: CausalGraph) -> None:
    """Add a legend of the lines and shades that occur."""
    occurring = {(edge.kind, _line_style(edge)) for edge in graph.edges}
    for kind, style, label in (
        (ARROW, "-", "sure"),
        (ARROW, "--", "less sure"),
        (ARROW, ":", "direction given"),
        (LINE, "--", "no direction"),
        (BOTH, "-", "hidden common cause"),
    ):
        if (kind, style) in occurring:
            color = color_of(0) if kind == ARROW else GRAY
            ax.plot([], [], color=color, linestyle=style, label=label)
    for index in range(len(graph.hidden_groups)):
        label = "mechanisms switched together"
        ax.plot([], [], "s", color=color_of(index), alpha=0.25, markersize=9, label=label)
    if graph.edges:
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0)}
        ax.legend(frameon=False, fontsize=9, ncols=2, **place)
