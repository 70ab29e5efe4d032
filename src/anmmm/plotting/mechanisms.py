"""A pair colored by mechanism, each with its curve."""

from __future__ import annotations

from typing import Any

from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import as_pair
from anmmm.clustering import ClusteringResult
from anmmm.evidence.curves import mixture_curves, within_range
from anmmm.evidence.models import EffectCurves
from anmmm.mixture import ANMMixture
from anmmm.plotting.groups import Groups, Pieces, Shown, draw_groups, pieces


def plot_mechanisms(
    x: ArrayLike,
    y: ArrayLike,
    result: ClusteringResult | ANMMixture | Any,
    *,
    ax: Any = None,
    curves: bool = True,
    band: bool = True,
    legend: bool = True,
    uncertain: float = 0.8,
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
        Of `anmmm.cluster_mechanisms`, a fitted estimator, or labels of any kind, at most 49
        different ones.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.
    curves : bool
        Whether to draw the curves, each over the range of its own observations. A refined
        clustering and a mixture have them. For unrefined labels one smoothing spline is fitted to
        the observations of each label; a label of fewer than 10 observations, or of a single
        value of x or y, has none, as the legend notes.
    band : bool
        Whether to shade one standard deviation of the noise around a curve.
    legend : bool
        Whether to name the mechanisms, with size and fraction, above the axes. Without a legend the
        plot is plain enough for a thumbnail.
    uncertain : float
        Between 0 and 1: observations whose own mechanism has a smaller probability are drawn
        hollow. Unrefined labels have no probabilities, and all points are then solid.
    marker_size : float, optional
        Diameter of a marker in points; by default smaller if there are more observations.
    x_label, y_label : str
        Names and units of the axes.
    title : str
        Line above legend and axes.

    Returns
    -------
    matplotlib.axes.Axes
        A mechanism has its color, marker and line style. Above 5000 observations the points are
        pixels in a vector graphic.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError, ValueError
        If the data, the labels or an option cannot be used, or if `result` is of other data.

    Notes
    -----
    Linear in the number of observations, but for a sort where labels get curves of their own.
    """
    cause, effect = as_pair(
        x, y, min_samples=2, single="a plot shows one against the other; pass one of them"
    )
    groups = Groups.of(result, len(cause), uncertain)
    return draw_groups(
        ax,
        Shown(x_label, cause[:, 0]),
        Shown(y_label, effect[:, 0]),
        groups,
        _all_curves(cause, effect, result, groups) if curves else {},
        title=title,
        legend=legend,
        marker_size=marker_size,
        band=band,
    )


def _all_curves(cause: FloatArray, effect: FloatArray, result: Any, groups: Groups) -> Pieces:
    over = Shown("", cause[:, 0])
    if isinstance(result, ANMMixture):

        def evaluate(at: FloatArray) -> EffectCurves:
            curves = EffectCurves.about(result.curves(at), result.noise_std_)
            return within_range(curves, effect)

        return pieces(over, groups, evaluate)
    mixture = result.mixture if isinstance(result, ClusteringResult) else None
    if mixture is not None:
        return pieces(over, groups, lambda at: mixture_curves(mixture, cause, effect, at))
    drawn: Pieces = {}
    for index in range(len(groups.names)):
        own, values = (each[groups.labels == index] for each in (cause, effect))
        try:
            as_pair(own, values)
        except ValueError:
            # Too few observations, or a constant: nothing to put a curve through.
            continue
        model = ANMMixture(1).fit(own, values)
        drawn[index] = _all_curves(own, values, model, Groups.of(model, len(own)))[0]
    return drawn
