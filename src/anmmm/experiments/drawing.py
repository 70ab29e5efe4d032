"""What the figures of the experiments share. Records come in, Matplotlib figures go out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anmmm._typing import FloatArray
from anmmm.experiments.directions import DEFAULT, FIXED, NAMES, PAPER, PROGRAM, PROTOCOLS
from anmmm.plotting import COLORS, matplotlib_module
from anmmm.plotting.style import tidy


def _style(color: str, marker: str, line: str = "-") -> dict[str, Any]:
    # Dashed lines have hollow markers, for the reader without colors.
    face = color if line == "-" else "#ffffff"
    return {"color": color, "marker": marker, "linestyle": line, "markerfacecolor": face}


# Each method of direction looks the same in every figure.
STYLES: Mapping[str, dict[str, Any]] = {
    DEFAULT: _style("#0072B2", "o"),
    PAPER: _style("#56B4E9", "s"),
    PROGRAM: _style("#56B4E9", "D", "--"),
    FIXED: _style("#0072B2", "o", "--"),
    **{
        name: _style(color, marker)
        for name, color, marker in zip(
            NAMES[len(PROTOCOLS) :], (*COLORS[1:5], "#000000"), "^vPX*", strict=True
        )
    },
}

# By setting and method: mean, error, and what was chosen.
Scores = Sequence[Mapping[str, tuple[float, float, Any]]]


def new_figure(n_rows: int, n_columns: int, size: tuple[float, float], **options: Any) -> Any:
    """Return a figure that pyplot does not know, and its axes."""
    figure = matplotlib_module("figure").Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, **options)


def legend_below(figure: Any, ax: Any, n_columns: int) -> None:
    """Put one legend of all axes below them."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=n_columns, frameon=False, fontsize=9
    )


def error_bars(ax: Any, places: FloatArray, scores: Scores, name: str, **style: Any) -> None:
    """Draw mean and error of one method at each place."""
    means = [each[name][0] for each in scores]
    errors = np.nan_to_num([each[name][1] for each in scores])
    ax.errorbar(places, means, errors, label=name, markersize=5, **style)


def accuracy_lines(ax: Any, ticks: Sequence[str], accuracies: Scores) -> None:
    """Draw the accuracy of every method at each tick."""
    places = np.arange(len(ticks))
    # Side by side: many methods are right always, and would hide each other.
    shifts = np.linspace(-0.2, 0.2, len(STYLES))
    for shift, (name, style) in zip(shifts, STYLES.items(), strict=True):
        lines = {"linewidth": 1.2, "elinewidth": 0.8, "clip_on": False, **style}
        error_bars(ax, places + shift, accuracies, name, **lines)
    ax.axhline(0.5, color="#666666", linestyle=":", linewidth=1.0)
    ax.set_xticks(places, ticks)
    ax.set_xlim(-0.4, len(ticks) - 0.6)
    ax.set_ylim(0.0, 1.0)
    tidy(ax)
