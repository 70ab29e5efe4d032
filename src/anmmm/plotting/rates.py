"""Accuracy of the decisions against the fraction of decided pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from anmmm.collection.records import PairResult
from anmmm.evaluation.run import measure
from anmmm.plotting.style import axes_or_new, color_of, marker_of, tidy


def plot_decision_rates(
    rows: Iterable[PairResult] | Mapping[str, Iterable[PairResult]], *, ax: Any = None
) -> Any:
    """Draw accuracy against the fraction of decided pairs, the most certain ones first.

    Parameters
    ----------
    rows : iterable of PairResult, or mapping of str to these
        Rows of `anmmm.infer_directions`, or of `Evaluation.rows`: one curve, or one for each name
        in the legend. Pairs of unknown direction do not count.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Bars are one standard error each way; the dashed line is guessing.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from anmmm import infer_directions
    >>> from anmmm.datasets import Pair, make_anm_mixture
    >>> from anmmm.plotting import plot_decision_rates
    >>> pairs = [Pair(f"{k}", *make_anm_mixture("f3", random_state=k)[:2], truth=1) for k in (0, 1)]
    >>> ax = plot_decision_rates(infer_directions(pairs), ax=Figure().subplots())
    >>> ax.get_ylabel()
    'accuracy of the decided pairs'
    """
    named = rows if isinstance(rows, Mapping) else {"accuracy ± standard error": rows}
    curves = {}
    for name, part in named.items():
        curve = measure(list(part)).decision_rates
        if curve is None:
            raise ValueError("rows must hold pairs of known direction, found none")
        curves[name] = curve
    ax = axes_or_new(ax)
    lowest = 0.5
    for index, (name, curve) in enumerate(curves.items()):
        # Not known where all that is decided comes from one data set.
        error = np.nan_to_num(curve.error)
        style = {"color": color_of(index), "marker": marker_of(index), "clip_on": False}
        sizes = {"markersize": 5, "capsize": 3, "linewidth": 1.5}
        ax.errorbar(100.0 * curve.rates, curve.accuracy, error, label=name, **style, **sizes)
        lowest = min(lowest, float((curve.accuracy - error).min()))
    ax.axhline(0.5, color="#666666", linestyle="--", linewidth=1.0, label="guessing")
    ax.set_xlim(0.0, 102.0)
    ax.set_ylim(max(lowest - 0.05, 0.0), 1.02)
    ax.set_xlabel("pairs decided, the most certain first (%)")
    ax.set_ylabel("accuracy of the decided pairs")
    tidy(ax)
    ax.legend(frameon=False)
    return ax
