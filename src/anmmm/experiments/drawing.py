"""What the figures of the experiments share. Records come in, Matplotlib figures go out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anmmm.experiments.directions import DEFAULT, FIXED, NAMES, PAPER, PROGRAM, PROTOCOLS
from anmmm.plotting import COLOURS, matplotlib_module
from anmmm.plotting.style import tidy

__all__ = ["STYLES", "accuracy_lines", "legend_below", "new_figure"]

_NAMES = (
    DEFAULT,
    PAPER,
    PROGRAM,
    FIXED,
    *NAMES[len(PROTOCOLS) :],
)
_COLOURS = ("#0072B2", "#56B4E9", "#56B4E9", "#0072B2", *COLOURS[1:5], "#000000")
_LINES = ("-", "-", "--", "--", *["-"] * 5)
_MARKERS = ("o", "s", "D", "o", "^", "v", "P", "X", "*")

# Colour, line and marker of each method of direction, the same in every figure.
STYLES: Mapping[str, dict[str, Any]] = {
    name: {
        "color": colour,
        "linestyle": line,
        "marker": marker,
        # Dashed lines have hollow markers, for the reader without colours.
        "markerfacecolor": colour if line == "-" else "#ffffff",
    }
    for name, colour, line, marker in zip(_NAMES, _COLOURS, _LINES, _MARKERS, strict=True)
}


def new_figure(n_rows: int, n_columns: int, size: tuple[float, float], **options: Any) -> Any:
    """Return a figure that pyplot does not keep, and its axes."""
    figure = matplotlib_module("figure").Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, **options)


def legend_below(figure: Any, ax: Any, n_columns: int) -> None:
    """Put one legend of all axes below them."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=n_columns, frameon=False, fontsize=9
    )


def accuracy_lines(
    ax: Any, ticks: Sequence[str], found: Sequence[Mapping[str, tuple[float, float, Any]]]
) -> None:
    """Draw the accuracy of every method against a setting.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    ticks : sequence of str
        The settings, from left to right.
    found : sequence of mapping
        For each setting what `anmmm.experiments.directions.accuracies` found.
    """
    places = np.arange(len(ticks))
    # Side by side: many methods are right always, and would hide each other.
    shifts = np.linspace(-0.2, 0.2, len(STYLES))
    for shift, (name, style) in zip(shifts, STYLES.items(), strict=True):
        means = [each[name][0] for each in found]
        errors = [each[name][1] for each in found]
        ax.errorbar(
            places + shift,
            means,
            np.nan_to_num(errors),
            label=name,
            markersize=5,
            linewidth=1.2,
            elinewidth=0.8,
            clip_on=False,
            **style,
        )
    ax.axhline(0.5, color="#666666", linestyle=":", linewidth=1.0)
    ax.set_xticks(places, ticks)
    ax.set_xlim(-0.4, len(ticks) - 0.6)
    ax.set_ylim(0.0, 1.0)
    tidy(ax)
