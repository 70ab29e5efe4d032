"""What the figures share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from anmmm._typing import FloatArray

# By setting and method: mean, error, and what was chosen.
Scores = Sequence[Mapping[str, tuple[float, float, Any]]]


def new_figure(n_rows: int, n_columns: int, size: tuple[float, float], **options: Any) -> Any:
    """Return a figure that pyplot does not know, and its axes."""
    figure = Figure(figsize=size, layout="constrained")
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
