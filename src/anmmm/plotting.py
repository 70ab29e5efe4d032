"""Plots. Records come in, Matplotlib axes go out; Matplotlib is imported when a plot is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from anmmm.evaluation import DecisionRates

__all__ = ["plot_decision_rates"]

# Okabe and Ito's colours, told apart by colour-blind readers; the markers tell them apart in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def plot_decision_rates(
    rates: DecisionRates | Mapping[str, DecisionRates], *, ax: Any = None
) -> Any:
    """Draw accuracy against the share of pairs that are decided.

    Parameters
    ----------
    rates : DecisionRates or mapping of str to DecisionRates
        One curve, or one for each name in the legend.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Bars are one standard error each way; the dashed line is guessing.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    """
    curves = {"": rates} if isinstance(rates, DecisionRates) else dict(rates)
    if not curves:
        raise ValueError("rates must hold at least one DecisionRates, found an empty mapping")
    if ax is None:
        ax = matplotlib_module("pyplot").subplots(figsize=(6.0, 4.0), layout="constrained")[1]
    lowest = 0.5
    for index, (name, curve) in enumerate(curves.items()):
        ax.errorbar(
            100.0 * curve.rates,
            curve.accuracy,
            curve.error,
            label=name or "accuracy ± standard error",
            color=COLOURS[index % len(COLOURS)],
            marker=MARKERS[index % len(MARKERS)],
            markersize=5,
            capsize=3,
            linewidth=1.5,
            clip_on=False,
        )
        lowest = min(lowest, float((curve.accuracy - curve.error).min()))
    ax.axhline(0.5, color="#666666", linestyle="--", linewidth=1.0, label="guessing")
    ax.set_xlim(0.0, 102.0)
    ax.set_ylim(max(lowest - 0.05, 0.0), 1.02)
    ax.set_xlabel("pairs decided, the most certain first (%)")
    ax.set_ylabel("accuracy of the decided pairs")
    ax.grid(color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.legend(frameon=False)
    return ax


def matplotlib_module(name: str) -> Any:
    """Import ``matplotlib.<name>``, or say how to get it.

    Parameters
    ----------
    name : str

    Returns
    -------
    module

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    """
    try:
        return import_module(f"matplotlib.{name}")
    except ImportError as error:
        raise ImportError(
            f'plots need Matplotlib ({error}); install it with: pip install "anmmm[plot]"'
        ) from None
