"""Plots of causal graphs, causes above their effects, laid out by Sugiyama's method."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.isotonic import isotonic_regression

from anmmm._typing import FloatArray, IntArray
from anmmm.graph import CausalGraph, GraphEdge
from anmmm.graph.forms import ARROW, BOTH, LINE
from anmmm.plotting.style import axes_or_new, color_of, legend_columns, matplotlib_module

# Widths of the gap between names and of the lane of a passing edge, in letters; height of a layer,
# in lines; inches of a letter and a line.
GAP, LANE, LAYER = 3.5, 2.0, 4.0
LETTER, TEXT_LINE = 0.1, 0.26
# Lengths of the vertical parts of an edge at a box and in a lane, in lines.
AT_BOX, IN_LANE = 1.0, 0.3
MOST_LETTERS, SWEEPS = 20, 12
# Gains, in nats a row, of the thinnest and the thickest edge.
FAINT, STRONG = 0.01, 0.5
SIGNS = {ARROW: "-|>", BOTH: "<|-|>"}
Point = tuple[float, float]
# Positions of nodes, routes of edges, and width and height.
Layout = tuple[dict[Hashable, Point], list[list[Point]], Point]
_layouts: WeakKeyDictionary[CausalGraph, Layout] = WeakKeyDictionary()


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
        If Matplotlib is not installed.
    TypeError
        If `graph` is no `CausalGraph`, or `ax` is not Matplotlib axes.
    """
    check_graph(graph)
    ax = axes_or_new(ax, graph_size(graph))
    places, routes, size = _layout(graph)
    shade = {name: color_of(at) for at, each in enumerate(graph.mixing) for name in each.nodes}
    boxes = {}
    for name, (x, y) in places.items():
        fill = matplotlib_module("colors").to_rgba(shade.get(name, "white"), 0.25)
        box = {"boxstyle": "round,pad=0.4", "edgecolor": "#444444", "facecolor": fill}
        # Matplotlib reads text between dollar signs as a formula.
        text = _short(name).replace("$", r"\$")
        boxes[name] = ax.text(x, y, text, ha="center", va="center", fontsize=10, bbox=box, zorder=3)
    for edge, route in zip(graph.edges, routes, strict=True):
        saved = min(max(edge.gain / graph.n_samples, FAINT), STRONG)
        arrow = {
            "arrowstyle": SIGNS.get(edge.kind, "-"),
            "color": color_of(0) if edge.kind == ARROW else "#777777",
            "linestyle": _line_style(edge),
            "linewidth": 0.8 + 2.4 * (saved - FAINT) / (STRONG - FAINT),
            "patchA": boxes[edge.cause].get_bbox_patch(),
            "patchB": boxes[edge.effect].get_bbox_patch(),
            "connectionstyle": _along(ax, route, places[edge.cause][0], places[edge.effect][0]),
        }
        ax.annotate("", xy=route[-1], xytext=route[0], arrowprops=arrow, zorder=2)
    _legend(ax, graph)
    ax.set_xlim(0.0, size[0])
    ax.set_ylim(-size[1], 0.0)
    ax.set_axis_off()
    return ax


def _line_style(edge: GraphEdge) -> str:
    if edge.is_given:
        return ":"
    return "-" if edge.is_sure or edge.kind == BOTH else "--"


def check_graph(graph: Any) -> None:
    """Raise TypeError if an object is no result of `infer_graph`."""
    if not isinstance(graph, CausalGraph):
        raise TypeError(
            f"graph must be a CausalGraph, as infer_graph returns it; found {type(graph).__name__}"
        )


def graph_size(graph: CausalGraph) -> Point:
    """Return the width and height in inches of a figure for a graph."""
    width, height = _layout(graph)[2]
    return min(max(LETTER * width, 4.0), 40.0), min(max(TEXT_LINE * height, 1.5) + 0.5, 40.0)


def _layout(graph: CausalGraph) -> Layout:
    """Return the layout of a graph, in which an edge has a lane in each layer that it passes.

    It is computed once: for 200 nodes it takes 3 s.
    """
    if graph in _layouts:
        return _layouts[graph]
    names = graph.order
    number = {name: at for at, name in enumerate(names)}
    pairs = [(number[edge.cause], number[edge.effect]) for edge in graph.edges]
    ends = [(min(pair), max(pair)) for pair in pairs]
    layers = _layers(len(names), ends)
    widths, chains = [len(_short(name)) + GAP for name in names], []
    for top, bottom in ends:
        passed = range(layers[top] + 1, layers[bottom])
        chains.append([top, *range(len(layers), len(layers) + len(passed)), bottom])
        layers += passed
        widths += [LANE] * len(passed)
    links = [link for chain in chains for link in pairwise(chain)]
    x = _across(len(names), np.array(layers), np.array(widths), np.array(links, int).reshape(-1, 2))
    y, routes = -LAYER * (np.array(layers) + 0.5), []
    for (cause, _), chain in zip(pairs, chains, strict=True):
        points = [(float(x[at]), float(y[at])) for at in chain]
        # Edges of a node end side by side, in the order of their other ends.
        for end, (at, other) in ((0, chain[:2]), (-1, chain[:-3:-1])):
            towards = links if end else [link[::-1] for link in links]
            ends_x = sorted(x[a] for a, b in towards if b == at)
            shift = (ends_x.index(x[other]) + 0.5) / len(ends_x) - 0.5
            points[end] = points[end][0] + 0.9 * (widths[at] - GAP + 0.6) * shift, points[end][1]
        routes.append(points if cause == chain[0] else points[::-1])
    places = {name: (float(x[at]), float(y[at])) for name, at in number.items()}
    size = float((x + 0.5 * np.array(widths)).max()), LAYER * (max(layers) + 1)
    return _layouts.setdefault(graph, (places, routes, size))


def _layers(count: int, ends: list[tuple[int, int]]) -> list[int]:
    """Return the layers of nodes in causal order; nodes without edges are in the last layers."""
    layers = [0] * count
    for top, bottom in sorted(ends):
        layers[bottom] = max(layers[bottom], layers[top] + 1)
    for node in reversed(range(count)):
        below = [layers[bottom] for top, bottom in ends if top == node]
        # Further down its edges are shorter in total.
        if len(below) > sum(bottom == node for _, bottom in ends):
            layers[node] = min(below) - 1
    linked = {node for pair in ends for node in pair}
    isolated = [node for node in range(count) if node not in linked]
    sizes = Counter(layers[node] for node in linked)
    in_row = max(math.ceil(1.4 * math.sqrt(len(isolated))), *sizes.values(), 1)
    for at, node in enumerate(isolated):
        layers[node] = len(sizes) + at // in_row
    return layers


def _across(n_nodes: int, layers: IntArray, widths: FloatArray, links: IntArray) -> FloatArray:
    """Return x of each slot: near the mean of the slots it is linked to, with few crossings."""
    # Long edges bend least.
    stiff = np.where(np.arange(len(layers)) < n_nodes, 1.0, 3.0)
    count, rows = len(layers), [np.flatnonzero(layers == at) for at in range(max(layers) + 1)]
    lower = np.zeros((count, count))
    lower[links[:, 1], links[:, 0]] = 1.0
    straight = (lower + lower.T) * np.outer(stiff, stiff)
    x = np.zeros(count)

    def place(row: Any, weights: Any, *, reorder: bool) -> Any:
        """Move a row's slots near the weighted means of others; sort them by these first."""
        sums, degrees = weights[row] @ x, weights[row].sum(axis=1)
        means = np.where(degrees > 0, sums / np.maximum(degrees, 1.0), x[row])
        if reorder:
            by = np.argsort(means, kind="stable")
            row, means = row[by], means[by]
        steps = np.cumsum(0.5 * (widths[row] + np.append(0.0, widths[row][:-1])))
        x[row] = isotonic_regression(means - steps) + steps
        return row

    best = (np.inf, rows)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for at in range(len(rows)) if down else reversed(range(len(rows))):
            rows[at] = place(rows[at], lower if down else lower.T, reorder=True)
        (above, below), depth = x[links].T, layers[links[:, 0]]
        crossing = np.less.outer(above, above) & np.greater.outer(below, below)
        n_crossings = float((crossing & np.equal.outer(depth, depth)).sum())
        best = min(best, (n_crossings, [*rows]), key=lambda each: each[0])
    for sweep in range(SWEEPS):
        for row in best[1] if sweep % 2 else best[1][::-1]:
            place(row, straight, reorder=False)
    return np.asarray(x - (x - 0.5 * widths).min())


def _along(ax: Any, route: list[Point], *centers: float) -> Any:
    """Return a connection style that follows a route smoothly, vertically in each layer.

    Its ends are near `centers` of boxes, which are narrower than the route's if the axes are wide.
    """
    base, path = matplotlib_module("patches").ConnectionStyle.Arc3, matplotlib_module("path").Path
    sign = float(np.sign(route[-1][1] - route[0][1]))
    vertical = [AT_BOX * sign, *[IN_LANE * sign] * (len(route) - 2), AT_BOX * sign]

    class Along(base):  # type: ignore[misc, valid-type]
        """Matplotlib cuts the path where the boxes end."""

        def connect(self, *_: Any) -> Any:
            (left, _), (right, _) = ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])
            wide, at = max((right - left) / (LETTER * ax.figure.dpi), 1.0), [*route]
            for place, center in zip((0, -1), centers, strict=True):
                at[place] = center + (route[place][0] - center) / wide, route[place][1]
            points, codes, steps = [at[0]], [path.MOVETO], zip(at, vertical, strict=True)
            for ((x, y), first), ((next_x, next_y), last) in pairwise(steps):
                start, end = y + first, next_y - last
                pull = 0.5 * (end - start)
                points += [(x, start), (x, start + pull), (next_x, end - pull)]
                points += [(next_x, end), (next_x, next_y)]
                codes += [path.LINETO, path.CURVE4, path.CURVE4, path.CURVE4, path.LINETO]
            return ax.transData.transform_path(path(points, codes))

    return Along()


def _short(name: Hashable) -> str:
    """Return a name, without the middle if it is long."""
    text, half = str(name), MOST_LETTERS // 2
    return text if len(text) <= MOST_LETTERS else f"{text[:half]}…{text[1 - half :]}"


def _legend(ax: Any, graph: CausalGraph) -> None:
    """Add a legend of the lines and shades that occur."""
    found = {(edge.kind, _line_style(edge)) for edge in graph.edges}
    lines = {
        "sure": (color_of(0), "-", (ARROW, "-") in found),
        "less sure": (color_of(0), "--", (ARROW, "--") in found),
        "direction given": (color_of(0), ":", (ARROW, ":") in found),
        "no direction": ("#777777", "--", (LINE, "--") in found),
        "hidden common cause": ("#777777", "-", (BOTH, "-") in found),
        "common cause given": ("#777777", ":", (BOTH, ":") in found),
    }
    for label, (color, style, occurs) in lines.items():
        if occurs:
            ax.plot([], [], color=color, linestyle=style, label=label)
    for at in range(len(graph.mixing)):
        label = "mechanisms switched together"
        ax.plot([], [], "s", color=color_of(at), alpha=0.25, markersize=9, label=label)
    if graph.edges:
        columns = min(legend_columns(ax, ax.get_legend_handles_labels()[1]), 2)
        below = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "ncols": columns}
        ax.legend(frameon=False, fontsize=9, **below)
