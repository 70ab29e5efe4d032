"""A partial plot: the effect along one of its causes, the others at their medians."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.check import normal_scores
from anmmm.evidence.models import Additive, EffectCurves, Rescaled
from anmmm.evidence.models.clustered import Clustered
from anmmm.evidence.models.rescaled import LEVELS, NAMES
from anmmm.graph import CausalGraph
from anmmm.plotting.graph import check_graph
from anmmm.plotting.groups import GRID, Groups, Pieces, draw_groups

# Probability of its own mechanism below which a point is hollow; half of the width over which the
# points of a category are drawn.
UNCERTAIN, JITTER = 0.8, 0.2
# Models of effects that have levels, whose residuals are hard to read.
OF_LEVELS = {Clustered.NAME, *(kind.NAME for kind in LEVELS + NAMES)}


def plot_effect(graph: CausalGraph, effect: Hashable, cause: Hashable, *, ax: Any = None) -> Any:
    """Draw the fitted effect along one of its causes, the others at their medians.

    Parameters
    ----------
    graph : CausalGraph
    effect, cause : hashable
        Names of columns joined by an edge of the graph that was found.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each mechanism has a color, with its curve and one standard deviation of the noise. Points
        are partial residuals, the residuals of the model added to the curve, if the effect
        is continuous and has other causes; otherwise they are the observations. A cause of
        categories has points and no curve.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If `graph` is no `CausalGraph`, or `ax` is not Matplotlib axes.
    ValueError
        If there is no such edge.
    """
    check_graph(graph)
    return draw_effect(ax, graph, effect, cause)


def draw_effect(
    ax: Any,
    graph: CausalGraph,
    effect: Hashable,
    cause: Hashable,
    *,
    legend: bool = True,
    marker_size: float | None = None,
) -> Any:
    """Draw `plot_effect`; options as for `plot_mechanisms`."""
    node, sample = graph._effect_of(cause, effect), graph._sample
    places = [sample.names.index(name) for name in (cause, effect)]
    x, y = (sample.values[:, at] for at in places)
    groups = Groups.likeliest(node._model.responsibilities, UNCERTAIN)
    drawn: Pieces = {}
    is_partial = False
    if sample.categorical[places[0]]:
        # Points of a category would lie on one line.
        x = x + np.random.default_rng(0).uniform(-JITTER, JITTER, len(x))
    else:
        at, curves = graph.curve(effect, cause, n_points=GRID)
        for index in np.unique(groups.labels).tolist():
            own = x[groups.labels == index]
            inside = slice(
                np.searchsorted(at, own.min()), np.searchsorted(at, own.max(), side="right")
            )
            drawn[index] = at[inside], curves.part(inside, index)
        has_levels = node.model.removesuffix(Rescaled.SUFFIX) in OF_LEVELS
        is_partial = len(node.parents) > 1 and not has_levels
        if is_partial:
            y = _partial_residuals(graph, effect, groups.labels, x, at, curves)
    return draw_groups(
        ax,
        x,
        y,
        groups,
        drawn,
        labels=(str(cause).replace("$", r"\$"), str(effect).replace("$", r"\$")),
        title="other causes at their medians" if is_partial and legend else "",
        legend=legend and len(groups.names) > 1,
        marker_size=marker_size,
    )


def _partial_residuals(
    graph: CausalGraph,
    effect: Hashable,
    labels: IntArray,
    x: FloatArray,
    at: FloatArray,
    curves: EffectCurves,
) -> FloatArray:
    """Return the residuals from each row's own mechanism, added to the partial curve."""
    model, sample = graph.node(effect)._model, graph._sample
    own = sample.names.index(effect)
    center, lower, upper = (
        np.choose(labels, [np.interp(x, at, values) for values in bound.T])
        for bound in (curves.center, curves.lower, curves.upper)
    )
    if isinstance(model, Additive):
        scale = sample.scale
        fitted = model.fit.curves[np.arange(len(x)), labels]
        left = sample.standardized[:, own] - fitted
        return np.asarray(center + left * scale.std[own] * scale.unit[own])
    # As many deviations from the curve as the model gives them.
    z = normal_scores(model)
    return np.asarray(center + z * np.where(z > 0.0, upper - center, center - lower))
