"""A clustering by mechanism: the pair with a curve of each, and the latent Θ against the cause."""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import as_matrix, as_pair, check_count, check_single
from anmmm.clustering import ClusteringResult
from anmmm.dependence import latent_test
from anmmm.evidence.curves import mixture_curves, within_range
from anmmm.evidence.models import EffectCurves
from anmmm.mixture import ANMMixture
from anmmm.plotting.groups import Groups, Pieces, Shown, draw_groups, pieces
from anmmm.plotting.style import check_result, color_of, line_of

# Of the histogram of Θ.
BINS = 30


def plot_mechanisms(
    x: ArrayLike,
    y: ArrayLike,
    result: ClusteringResult | ANMMixture | Any,
    *,
    ax: Any = None,
    curves: bool = True,
    legend: bool = True,
    marker_size: float | None = None,
    x_label: str = "x",
    y_label: str = "y",
    title: str = "",
) -> Any:
    """Draw a pair colored by mechanism, each mechanism with its curve.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Cause and effect, in any units.
    result : ClusteringResult, ANMMixture or array-like of shape (n_samples,)
        Of `anmmm.cluster_mechanisms`, a fitted estimator, or labels of any kind.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.
    curves : bool
        Whether to draw the curves, each over the range of its own observations, with a band of one
        standard deviation of the noise. A refined clustering and a mixture have them. For
        unrefined labels one smoothing spline is fitted to the observations of each label; a label
        of fewer than 10 observations, or of a single value of x or y, has none, as the legend
        notes.
    legend : bool
        Whether to name the mechanisms, with size and fraction, above the axes. Without a legend the
        plot is plain enough for a thumbnail.
    marker_size : float, optional
        Diameter of a marker in points; by default smaller if there are more observations.
    x_label, y_label : str
        Names and units of the axes.
    title : str
        Line above legend and axes.

    Returns
    -------
    matplotlib.axes.Axes
        A mechanism has its color, marker and line style. Observations whose own mechanism has a
        probability below 0.8 are hollow; unrefined labels have no probabilities. Above 5000
        observations the points are pixels in a vector graphic.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError, ValueError
        If the data, the labels or an option cannot be used, or if `result` is of other data.
    """
    cause, effect = as_pair(
        x, y, min_samples=2, single="a plot shows one against the other; pass one of them"
    )
    groups = Groups.of(result, len(cause))
    return draw_groups(
        ax,
        Shown(x_label, cause[:, 0]),
        Shown(y_label, effect[:, 0]),
        groups,
        _all_curves(cause, effect, result, groups) if curves else {},
        title=title,
        legend=legend,
        marker_size=marker_size,
    )


def _all_curves(cause: FloatArray, effect: FloatArray, result: Any, groups: Groups) -> Pieces:
    over = Shown("", cause[:, 0])
    if isinstance(result, ANMMixture):

        def evaluate(grid: FloatArray) -> EffectCurves:
            curves = EffectCurves.about(result.curves(grid), result.noise_std_)
            return within_range(curves, effect)

        return pieces(over, groups, evaluate)
    mixture = result.mixture if isinstance(result, ClusteringResult) else None
    if mixture is not None:
        return pieces(over, groups, lambda grid: mixture_curves(mixture, cause, effect, grid))
    drawn: Pieces = {}
    for index in range(len(groups.names)):
        rows = groups.labels == index
        try:
            as_pair(cause[rows], effect[rows])
        except ValueError:
            # Too few observations, or a constant: nothing to put a curve through.
            continue
        model = ANMMixture(1).fit(cause[rows], effect[rows])
        curve = _all_curves(cause[rows], effect[rows], model, Groups.of(model, int(rows.sum())))
        drawn[index] = curve[0]
    return drawn


def plot_latent(
    x: ArrayLike,
    result: ClusteringResult,
    *,
    ax: Any = None,
    component: int = 0,
    legend: bool = True,
    marker_size: float | None = None,
    x_label: str = "x",
) -> Any:
    """Draw Θ against the cause, colored by mechanism, with its distribution at the side.

    Mechanisms that Θ distinguishes are bands, and a Θ independent of the cause has bands that run
    level. The title is the p-value of the HSIC test of Θ (all components) and x. Θ was fitted to be
    independent of the cause: the p-value ranks, it does not test.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        Cause of the fit; of several columns, one.
    result : ClusteringResult
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.
    component : int
        Which latent, from 0, if there are several.
    legend, marker_size, x_label
        As in `plot_mechanisms`.

    Returns
    -------
    matplotlib.axes.Axes
        The histogram is an inset of it.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError, ValueError
        If the data or an option cannot be used, or if `result` is of other data.
    """
    check_result(result, ClusteringResult, "cluster_mechanisms")
    cause = check_single(as_matrix(x, "x"), "x", "a plot shows one; pass one of them")
    groups = Groups.of(result, len(cause))
    n_latent = result.latent.shape[1]
    latent = result.latent[:, check_count(component, "component", minimum=0, maximum=n_latent - 1)]
    pvalue = latent_test(result.latent, cause).pvalue
    name = "latent Θ" if n_latent == 1 else f"latent Θ, component {component}"
    ax = draw_groups(
        ax,
        Shown(x_label, cause),
        Shown(name, latent),
        groups,
        {},
        title=f"HSIC test of Θ and {x_label}: p = {pvalue:.2g}",
        legend=legend,
        marker_size=marker_size,
    )
    _draw_histogram(ax, latent, groups)
    return ax


def _draw_histogram(ax: Any, latent: FloatArray, groups: Groups) -> None:
    margin = ax.inset_axes([1.01, 0.0, 0.16, 1.0], sharey=ax)
    bins = np.histogram_bin_edges(latent, BINS)
    for index in range(len(groups.names)):
        margin.hist(
            latent[groups.labels == index],
            bins=bins,
            orientation="horizontal",
            histtype="stepfilled",
            facecolor=(color_of(index), 0.3),
            edgecolor=color_of(index),
            linestyle=line_of(index),
            linewidth=1.0,
        )
    margin.axis("off")
