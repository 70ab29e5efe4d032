"""Plots of graphs whose edges were directed by pairs."""

from __future__ import annotations

import math
from typing import Any

from anmmm.orientation import OrientedGraph
from anmmm.plotting.style import axes_or_new, color_of, matplotlib_module

# By `EdgeDecision.by`, in the order of the legend: label, color, dashes.
LEGEND = {
    "given": ("given", "#888888", "-"),
    "data": ("by its data", color_of(0), "-"),
    "open": ("undirected", "#444444", ":"),
}
# Nodes up to which their circles and names have the full size.
FEW = 12
# Points that an arrow leaves free at a node of full size.
MARGIN = 16.0


def plot_graph(result: OrientedGraph, *, ax: Any = None) -> Any:
    """Draw an oriented graph on a circle, in the order of its nodes.

    Parameters
    ----------
    result : OrientedGraph
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The wider an edge that the data tell, the surer they are.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If `ax` is not Matplotlib axes.
    """
    ax = axes_or_new(ax)
    n_nodes = max(len(result.nodes), 1)
    # From the top on, clockwise.
    angles = ((node, 2.0 * math.pi * at / n_nodes) for at, node in enumerate(result.nodes))
    places = {node: (math.sin(angle), math.cos(angle)) for node, angle in angles}
    scale = min(1.0, math.sqrt(FEW / n_nodes))
    patch = matplotlib_module("patches").FancyArrowPatch
    styles = {"->": "-|>", "--": "-", "<->": "<|-|>"}
    for (source, mark, target), row in zip(result.edges, result.decisions, strict=True):
        _, color, dashes = LEGEND[row.by]
        sure = 0.5 if row.confidence is None else row.confidence
        width = 1.2 if row.by in ("given", "open") else 0.8 + 3.0 * (sure - 0.5)
        ax.add_patch(
            patch(
                places[source],
                places[target],
                arrowstyle=styles[mark],
                linestyle=dashes,
                mutation_scale=14 * scale,
                color=color,
                linewidth=width * scale,
                shrinkA=MARGIN * scale,
                shrinkB=MARGIN * scale,
            )
        )
    for node, (x, y) in places.items():
        ax.plot(
            x, y, "o", markersize=2 * MARGIN * scale - 4, color="white", markeredgecolor="#444444"
        )
        # Matplotlib shall set a name as it is, and not as a formula.
        ax.text(
            x, y, str(node).replace("$", r"\$"), ha="center", va="center", fontsize=9 * scale + 1
        )
    used = dict.fromkeys(row.by for row in result.decisions)
    lines = [(label, color, dashes) for by, (label, color, dashes) in LEGEND.items() if by in used]
    for label, color, dashes in lines:
        ax.plot([], [], color=color, linestyle=dashes, label=label)
    if lines:
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    ax.set_xlim(-1.2, 1.2)
    ax.set_ylim(-1.2, 1.2)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax
