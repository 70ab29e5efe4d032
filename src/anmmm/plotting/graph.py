"""Plots of causal graphs, causes above their effects.

Columns are in layers. An edge has a lane in each layer that it passes, so that it does not cross a
name. Within a layer names and lanes are sorted and placed near those that they are joined to.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Hashable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator
from sklearn.isotonic import isotonic_regression

from anmmm._optional import require
from anmmm._typing import FloatArray
from anmmm.graph import CausalGraph, GraphEdge
from anmmm.graph.forms import ARROW, BOTH, LINE
from anmmm.plotting.style import as_text, axes_or_new, color_of, matplotlib_module

# Letters of a line of a name, of the gap between names, and of the lane of a passing edge.
NAME, GAP, LANE = 16, 5.0, 2.5
# Inches of a letter, and of a layer with names of one line and of each further line.
LETTER, LAYER, LINE_HEIGHT = 0.11, 0.95, 0.2
# Inches of the height of the legend, and of the width below which it has one column.
LEGEND, NARROW = 0.6, 5.5
# Half of the vertical part of an edge in a lane, as a fraction of a layer.
UPRIGHT = 0.3
# Passes over the layers, down and up in turn.
SWEEPS = 12
# Gains, in nats a row, of the thinnest and the thickest edge.
FAINT, STRONG = 0.01, 0.5
SIGNS = {ARROW: "-|>", BOTH: "<|-|>"}
GRAY = "#777777"

Point = tuple[float, float]
# A column, or the lane of an edge: its number and the layer.
Slot = Hashable


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

    Raises
    ------
    ImportError
        If Matplotlib or networkx is not installed.
    TypeError
        If `graph` is no `CausalGraph`, or `ax` is not Matplotlib axes.
    """
    check_graph(graph)
    places, routes, size = _layout(graph)
    ax = axes_or_new(ax, graph_size(graph))
    shade: dict[Hashable, str] = {}
    for index, mixing in enumerate(graph.hidden_groups):
        shade |= dict.fromkeys(mixing.nodes, color_of(index))
    # Drawn before the edges, which end where the boxes then are.
    boxes = {}
    for name in graph.names:
        fill = matplotlib_module("colors").to_rgba(shade.get(name, "white"), 0.25)
        box = {"boxstyle": "round,pad=0.4", "edgecolor": "#444444", "facecolor": fill}
        text = as_text(_wrapped(name))
        style = {"ha": "center", "va": "center", "fontsize": 10, "zorder": 3}
        boxes[name] = ax.text(*places[name], text, bbox=box, **style).get_bbox_patch()
    for edge, route in zip(graph.edges, routes, strict=True):
        saved = min(max(edge.loss_without / graph.n_samples, FAINT), STRONG)
        arrow = {
            "arrowstyle": SIGNS.get(edge.kind, "-"),
            "color": color_of(0) if edge.kind == ARROW else GRAY,
            "linestyle": _line_style(edge),
            "linewidth": 0.8 + 2.4 * (saved - FAINT) / (STRONG - FAINT),
            "patchA": boxes[edge.cause],
            "patchB": boxes[edge.effect],
            "connectionstyle": _along(ax, route),
        }
        ax.annotate("", xy=route[-1], xytext=route[0], arrowprops=arrow, zorder=4)
    _draw_legend(ax, graph, n_columns=1 if size[0] < NARROW else 2)
    ax.set_xlim(0.0, size[0])
    ax.set_ylim(-size[1], 0.0)
    ax.set_axis_off()
    return ax


def graph_size(graph: CausalGraph) -> Point:
    """Return the width and height in inches of a figure for a graph."""
    width, height = _layout(graph)[2]
    return width, height + LEGEND


def check_graph(graph: Any) -> None:
    """Raise TypeError if an object is no result of `infer_graph`."""
    if not isinstance(graph, CausalGraph):
        raise TypeError(
            f"graph must be a CausalGraph, as infer_graph returns it; found {type(graph).__name__}"
        )


def _line_style(edge: GraphEdge) -> str:
    if edge.is_given:
        return ":"
    return "-" if edge.is_sure or edge.kind == BOTH else "--"


def _wrapped(name: Hashable) -> str:
    """Return a name in lines that end between words."""
    text = str(name).replace("_", "_ ")
    lines = textwrap.wrap(text, NAME, break_long_words=False, break_on_hyphens=True)
    return "\n".join(line.replace("_ ", "_") for line in lines)


def _layout(graph: CausalGraph) -> tuple[dict[Slot, Point], list[list[Point]], Point]:
    """Return the places of columns, the routes of edges, and width and height in inches."""
    networkx = require("networkx", "graph", "the layout of a graph needs networkx")
    layers = _layers(graph, networkx)
    number = {name: place for place, name in enumerate(graph.order)}
    chains = []
    joined = networkx.Graph()
    for index, edge in enumerate(graph.edges):
        top, bottom = sorted((edge.cause, edge.effect), key=number.__getitem__)
        lanes = [(index, layer) for layer in range(layers[top] + 1, layers[bottom])]
        layers |= {lane: lane[1] for lane in lanes}
        chain = [top, *lanes, bottom]
        joined.add_edges_from(pairwise(chain))
        chains.append(chain)
    joined.add_nodes_from(layers)
    widths: dict[Slot, float] = dict.fromkeys(layers, LANE)
    for name in graph.names:
        longest = max(map(len, _wrapped(name).split("\n")), default=1)
        widths[name] = longest + GAP
    rows: list[list[Slot]] = [[] for _ in range(max(layers.values()) + 1)]
    for slot, layer in layers.items():
        rows[layer].append(slot)
    x = _across(rows, joined, widths)
    left = min(x[slot] - 0.5 * widths[slot] for slot in layers)
    right = max(x[slot] + 0.5 * widths[slot] for slot in layers)
    n_lines = max(_wrapped(name).count("\n") for name in graph.names)
    height = LAYER + LINE_HEIGHT * n_lines
    places = {}
    for slot, layer in layers.items():
        places[slot] = LETTER * (x[slot] - left), -height * (layer + 0.5)
    routes = []
    for edge, chain in zip(graph.edges, chains, strict=True):
        route = [places[chain[0]]]
        for lane in chain[1:-1]:
            # Vertical beside the names of the layer.
            across, middle = places[lane]
            route += [(across, middle + UPRIGHT * height), (across, middle - UPRIGHT * height)]
        route.append(places[chain[-1]])
        routes.append(route if chain[0] == edge.cause else route[::-1])
    return places, routes, (max(LETTER * (right - left), 4.0), height * len(rows))


def _layers(graph: CausalGraph, networkx: Any) -> dict[Slot, int]:
    """Return the layer of each column; columns without edges are in the last layers."""
    number = {name: place for place, name in enumerate(graph.order)}
    downwards = networkx.DiGraph()
    for edge in graph.edges:
        downwards.add_edge(*sorted((edge.cause, edge.effect), key=number.__getitem__))
    rows = [
        sorted(row, key=number.__getitem__) for row in networkx.topological_generations(downwards)
    ]
    isolated = [name for name in graph.order if name not in downwards]
    in_row = max([math.ceil(1.4 * math.sqrt(len(isolated))), 1, *map(len, rows)])
    rows += [isolated[start : start + in_row] for start in range(0, len(isolated), in_row)]
    return {name: layer for layer, row in enumerate(rows) for name in row}


def _across(rows: list[list[Slot]], joined: Any, widths: dict[Slot, float]) -> dict[Slot, float]:
    """Return the horizontal place of each slot, in letters."""
    x: dict[Slot, float] = dict.fromkeys(widths, 0.0)
    layer_of = {slot: layer for layer, row in enumerate(rows) for slot in row}
    for sweep in range(2 * SWEEPS):
        is_down = sweep % 2 == 0
        for layer in range(len(rows)) if is_down else reversed(range(len(rows))):
            row = rows[layer]
            # First order by one side, then place by both.
            is_order_open = sweep < SWEEPS
            wanted = {}
            for slot in row:
                others = [x[other] for other in joined[slot]]
                if is_order_open:
                    before = layer - 1 if is_down else layer + 1
                    others = [x[other] for other in joined[slot] if layer_of[other] == before]
                wanted[slot] = float(np.mean(others)) if others else x[slot]
            if is_order_open:
                row.sort(key=wanted.__getitem__)
            width = np.array([widths[slot] for slot in row])
            steps = np.cumsum(width) - 0.5 * width
            targets = np.array([wanted[slot] for slot in row])
            placed = isotonic_regression(targets - steps) + steps
            x |= dict(zip(row, placed.tolist(), strict=True))
    return x


def _along(ax: Any, route: list[Point]) -> Any:
    """Return a connection style that follows a route smoothly; boxes cut its ends."""
    base = matplotlib_module("patches").ConnectionStyle.Arc3
    path = matplotlib_module("path").Path
    x, y = np.array(sorted(route, key=lambda point: point[1])).T
    heights = np.linspace(route[0][1], route[-1][1], 10 * len(route))
    points: FloatArray = np.column_stack([PchipInterpolator(y, x)(heights), heights])

    # Matplotlib cuts paths without codes at a wrong vertex.
    codes = [path.MOVETO, *[path.LINETO] * (len(points) - 1)]

    class Along(base):  # type: ignore[misc, valid-type]
        """Matplotlib asks it for the line when it draws."""

        def connect(self, *_: Any) -> Any:
            return path(ax.transData.transform(points), codes)

    return Along()


def _draw_legend(ax: Any, graph: CausalGraph, n_columns: int) -> None:
    """Add a legend of the lines and shades that occur."""
    occurring = {(edge.kind, _line_style(edge)) for edge in graph.edges}
    for kind, style, label in (
        (ARROW, "-", "sure"),
        (ARROW, "--", "less sure"),
        (ARROW, ":", "direction given"),
        (LINE, "--", "no direction"),
        (BOTH, "-", "hidden common cause"),
        (BOTH, ":", "common cause given"),
    ):
        if (kind, style) in occurring:
            color = color_of(0) if kind == ARROW else GRAY
            ax.plot([], [], color=color, linestyle=style, label=label)
    for index in range(len(graph.hidden_groups)):
        label = "mechanisms switched together"
        ax.plot([], [], "s", color=color_of(index), alpha=0.25, markersize=9, label=label)
    if graph.edges:
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0)}
        ax.legend(frameon=False, fontsize=9, ncols=n_columns, **place)
