"""A pair colored by mechanism, with a curve of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import as_pair
from anmmm.clustering import ClusteringResult
from anmmm.evidence.curves import mixture_curves, within_range
from anmmm.evidence.models import EffectCurves
from anmmm.plotting.groups import Groups, Pieces, Shown, draw_groups, mechanism_names, pieces

if TYPE_CHECKING:
    from anmmm.mixture import ANMMixture


def plot_mechanisms(
    x: ArrayLike,
    y: ArrayLike,
    result: ClusteringResult | Any,
    *,
    ax: Any = None,
    legend: bool = True,
    x_label: str = "x",
    y_label: str = "y",
) -> Any:
    """Draw a pair colored by mechanism, each mechanism with its curve.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Cause and effect, in any units.
    result : ClusteringResult or array-like of shape (n_samples,)
        Of `anmmm.cluster_mechanisms`, or labels of any kind.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.
    legend : bool
        Whether to name the mechanisms, with size and fraction, above the axes. Without a legend the
        plot is plain enough for a thumbnail.
    x_label, y_label : str
        Names and units of the axes.

    Returns
    -------
    matplotlib.axes.Axes
        A mechanism has its color, marker and line style. Its curve is over the range of its own
        observations, with a band of one standard deviation of the noise; of unrefined labels it is
        a smoothing spline, and labels of fewer than 10 observations have none. Observations whose
        own mechanism has a probability below 0.8 are hollow. Above 5000 observations the points are
        pixels in a vector graphic.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from anmmm import cluster_mechanisms
    >>> from anmmm.datasets import make_anm_mixture
    >>> from anmmm.plotting import plot_mechanisms
    >>> x, y, _ = make_anm_mixture("f3", random_state=1)
    >>> result = cluster_mechanisms(x, y, 2, random_state=0)
    >>> ax = plot_mechanisms(x, y, result, ax=Figure().subplots())
    >>> len(ax.lines)
    2
    """
    cause, effect = as_pair(
        x, y, min_samples=2, single="a plot shows one against the other; pass one of them"
    )
    over = Shown(x_label, cause[:, 0])
    mixture = None
    if isinstance(result, ClusteringResult):
        mixture = result.mixture
        groups = Groups(mechanism_names(result.n_mechanisms), result.labels, result.probabilities)
    else:
        distinct, labels = np.unique(np.asarray(result), return_inverse=True)
        is_numbered = distinct.dtype.kind in "biuf"
        names = tuple(f"mechanism {name}" if is_numbered else str(name) for name in distinct)
        groups = Groups(names, labels)
    if np.shape(groups.labels) != (len(cause),):
        raise ValueError(
            f"result must have one label for each of {len(cause)} observations, found shape "
            f"{np.shape(groups.labels)}; pass the data that it was made from"
        )
    if mixture is None:
        curves = _splines(cause, effect, groups)
    else:
        curves = pieces(over, groups, lambda grid: mixture_curves(mixture, cause, effect, grid))
    shown = Shown(y_label, effect[:, 0])
    return draw_groups(ax, over, shown, groups, curves, legend=legend)


def _splines(cause: FloatArray, effect: FloatArray, groups: Groups) -> Pieces:
    """Return a smoothing spline through the observations of each label."""
    # Imported here because it loads scikit-learn, which plots of mixtures do without.
    from anmmm.mixture import ANMMixture

    drawn: Pieces = {}
    for label in range(len(groups.names)):
        rows = groups.labels == label
        try:
            as_pair(cause[rows], effect[rows])
        except ValueError:
            # Too few observations, or a constant: nothing to put a curve through.
            continue
        model = ANMMixture(1).fit(cause[rows], effect[rows])

        def evaluate(grid: FloatArray, model: ANMMixture = model) -> EffectCurves:
            curves = EffectCurves.about(model.curves(grid), model.noise_std_)
            return within_range(curves, effect)

        single = Groups(("",), np.zeros(int(rows.sum()), dtype=np.intp))
        drawn[label] = pieces(Shown("", cause[rows, 0]), single, evaluate)[0]
    return drawn
