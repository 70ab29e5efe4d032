"""The latent Θ of a clustering against the cause."""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._typing import ArrayLike
from anmmm._validation import as_matrix, check_count, check_single
from anmmm.clustering import ClusteringResult
from anmmm.dependence import latent_test
from anmmm.plotting.groups import Groups, Shown, draw_groups
from anmmm.plotting.style import color_of, line_of

BINS = 30


def plot_latent(
    x: ArrayLike,
    result: ClusteringResult,
    *,
    ax: Any = None,
    component: int = 0,
    histogram: bool = True,
    legend: bool = True,
    uncertain: float = 0.8,
    marker_size: float | None = None,
    x_label: str = "x",
    title: str | None = None,
) -> Any:
    """Draw Θ against the cause, colored by mechanism.

    Mechanisms that Θ distinguishes are bands, and a Θ independent of the cause has bands that run
    level.

    Parameters
    ----------
    x : array-like of shape (n_samples,)
        Cause of the fit; of several columns, one.
    result : ClusteringResult
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.
    component : int
        Which latent, from 0, if there are several.
    histogram : bool
        Whether to draw the distribution of Θ, by mechanism, next to the axes.
    legend, uncertain, marker_size, x_label
        As in `plot_mechanisms`.
    title : str, optional
        Line above legend and axes; by default the p-value of the HSIC test of Θ (all components)
        and x. Θ was fitted to be independent of the cause: the p-value ranks, it does not test.

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

    Notes
    -----
    Cost is that of the test, see `anmmm.hsic_test`; with a title of your own there is none.
    """
    if not isinstance(result, ClusteringResult):
        raise TypeError(
            f"result must be a ClusteringResult, found {type(result).__name__}; "
            "cluster_mechanisms returns one"
        )
    cause = check_single(as_matrix(x, "x"), "x", "a plot shows one; pass one of them")
    groups = Groups.of(result, len(cause), uncertain)
    n_latent = result.latent.shape[1]
    latent = result.latent[:, check_count(component, "component", minimum=0, maximum=n_latent - 1)]
    if title is None:
        title = f"HSIC test of Θ and {x_label}: p = {latent_test(result.latent, cause).pvalue:.2g}"
    ax = draw_groups(
        ax,
        Shown(x_label, cause),
        Shown("latent Θ" if n_latent == 1 else f"latent Θ, component {component}", latent),
        groups,
        {},
        title=title,
        legend=legend,
        marker_size=marker_size,
    )
    if histogram:
        _draw_histogram(ax, latent, groups)
    return ax


def _draw_histogram(ax: Any, latent: Any, groups: Groups) -> None:
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
