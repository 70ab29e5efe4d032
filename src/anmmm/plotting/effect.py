"""A partial plot: the effect along one of its causes, the others at their medians."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.check import normal_scores
from anmmm.evidence.marginal import MOST_CATEGORIES
from anmmm.evidence.models import Additive, ConditionalModel, EffectCurves
from anmmm.evidence.models.clustered import Clustered
from anmmm.evidence.models.free_noise import FreeNoise
from anmmm.evidence.models.rescaled import LEVELS
from anmmm.graph import CausalGraph
from anmmm.plotting.graph import check_graph
from anmmm.plotting.groups import GRID, Groups, Pieces, Shown, draw_groups

# Probability of its own mechanism below which a point is hollow.
UNCERTAIN = 0.8


def plot_effect(graph: CausalGraph, effect: Hashable, cause: Hashable, *, ax: Any = None) -> Any:
    """Draw the fitted effect along one of its causes, the others as in `CausalGraph.curve`.

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
        is continuous and has other causes; otherwise they are the observations. Causes of two
        values or of categories have a line at each instead of a curve. The axis of an effect
        of few values names the curve: a probability or a mean. Each category of an effect without
        an order has a strip, in which the curve is its probability, from 0 at the bottom to 1.

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
    node = graph._effect_of(cause, effect)
    groups = Groups.likeliest(node._model.responsibilities, UNCERTAIN)
    over, shown = _shown(graph, cause), _shown(graph, effect)
    at, curves = graph._curve(effect, cause, GRID)
    drawn: Pieces = {}
    for index in np.unique(groups.labels).tolist():
        own = over.values[groups.labels == index]
        inside = slice(np.searchsorted(at, own.min()), np.searchsorted(at, own.max(), side="right"))
        drawn[index] = at[inside], curves.part(inside, index)
    has_others = len(node.parents) > 1
    if has_others and not _has_levels(node._model):
        shown.values = _partial_residuals(graph, effect, groups.labels, over.values, at, curves)
    return draw_groups(
        ax,
        over,
        shown,
        groups,
        drawn,
        title="other causes at their medians" if has_others and legend else "",
        legend=legend and len(groups.names) > 1,
        marker_size=marker_size,
    )


def _shown(graph: CausalGraph, name: Hashable) -> Shown:
    sample, place = graph._sample, graph._sample.names.index(name)
    label = str(name).replace("$", r"\$")
    return Shown(label, sample.values[:, place], sample.levels[place], sample.categorical[place])


def _has_levels(model: ConditionalModel) -> bool:
    """Return whether an effect has levels, counts or clusters, whose residuals are hard to read."""
    few = model.cells.n_distinct <= MOST_CATEGORIES
    return few or isinstance(model.base, (Clustered, *LEVELS))


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
    gaussian = model.model if isinstance(model, FreeNoise) else model
    if isinstance(gaussian, Additive):
        scale = sample.scale
        fitted = gaussian.fit.curves[np.arange(len(x)), labels]
        left = sample.standardized[:, own] - fitted
        return np.asarray(center + left * scale.std[own] * scale.unit[own])
    # As many deviations from the curve as the model gives them.
    z = normal_scores(model)
    return np.asarray(center + z * np.where(z > 0.0, upper - center, center - lower))
