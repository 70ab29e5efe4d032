"""A partial plot: the effect along one of its causes, the others at their medians."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from anmmm._cells import MOST_CATEGORIES
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.check import normal_scores
from anmmm.evidence.models import EffectCurves
from anmmm.graph import CausalGraph
from anmmm.graph.sample import Sample
from anmmm.plotting.groups import GRID, Groups, Pieces, Shown, draw_groups, mechanism_names
from anmmm.plotting.style import as_text, check_result


def plot_effect(
    graph: CausalGraph, effect: Hashable, cause: Hashable, *, ax: Any = None, legend: bool = True
) -> Any:
    """Draw the fitted effect along one of its causes, the others as in `CausalGraph.curve`.

    Parameters
    ----------
    graph : CausalGraph
    effect, cause : hashable
        Names of columns joined by an edge of the graph that was found.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.
    legend : bool
        As in `plot_mechanisms`.

    Returns
    -------
    matplotlib.axes.Axes
        Each mechanism has a color, with its curve and one standard deviation of the noise. Points
        are partial residuals, the residuals of the model added to the curve, if the effect
        is continuous and has other causes; otherwise they are the observations. Causes of two
        values or of categories have a line at each instead of a curve. The axis of an effect
        of few values names the curve: a probability or a mean. Each category of an effect without
        an order has a strip, in which the curve is its probability, from 0 at the bottom to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from anmmm import infer_graph
    >>> from anmmm.plotting import plot_effect
    >>> x = np.random.default_rng(0).normal(size=(100, 2))
    >>> x[:, 1] += x[:, 0] ** 2
    >>> graph = infer_graph(x)
    >>> ax = plot_effect(graph, 1, 0, ax=Figure().subplots())
    >>> len(ax.lines)
    1
    """
    check_result(graph, CausalGraph, "infer_graph")
    node = graph._effect_of(cause, effect)
    responsibilities = node._model.responsibilities
    names = mechanism_names(responsibilities.shape[1])
    groups = Groups(names, responsibilities.argmax(axis=1), responsibilities)
    sample = graph._sample_of(node)
    over = _shown(sample, cause)
    shown = _shown(sample, effect)
    grid, curves = graph._curve(effect, cause, GRID)
    drawn: Pieces = {}
    for index in np.unique(groups.labels).tolist():
        values = over.values[groups.labels == index]
        first = np.searchsorted(grid, values.min())
        last = np.searchsorted(grid, values.max(), side="right")
        inside = slice(first, last)
        drawn[index] = grid[inside], curves.part(inside, index)
    has_others = len(node.parents) > 1
    # Residuals of levels and counts are hard to read.
    if has_others and node._model.cells.n_distinct > MOST_CATEGORIES:
        shown.values = _partial_residuals(node._model, groups.labels, over.values, grid, curves)
    title = "other causes at their medians" if has_others and legend else ""
    legend = legend and len(groups.names) > 1
    return draw_groups(ax, over, shown, groups, drawn, title=title, legend=legend)


def _shown(sample: Sample, name: Hashable) -> Shown:
    place = sample.names.index(name)
    values = sample.values[:, place]
    return Shown(as_text(name), values, sample.levels[place], sample.categorical[place])


def _partial_residuals(
    model: Any, labels: IntArray, x: FloatArray, grid: FloatArray, curves: EffectCurves
) -> FloatArray:
    """Return points as many deviations from the partial curve as the model gives the rows."""
    center, lower, upper = (
        np.choose(labels, [np.interp(x, grid, values) for values in bound.T])
        for bound in (curves.center, curves.lower, curves.upper)
    )
    z = normal_scores(model)
    return np.asarray(center + z * np.where(z > 0.0, upper - center, center - lower))
