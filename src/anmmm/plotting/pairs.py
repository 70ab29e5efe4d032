"""All pairs of a table as a map: which variable causes which, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from anmmm._text import cut
from anmmm.collection.records import PairResult, Row
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    LEANING,
    NO_CONFIDENCE,
    NO_PREFERENCE,
    is_decided,
)
from anmmm.plotting.style import as_text, axes_or_new, matplotlib_module

# Names that the axes can show.
MOST_NAMES = 60
# Inches of a cell.
CELL = 0.28
# Letters of a name.
LONGEST = 20
# Cells without a confidence: value, color and word.
OTHER = {
    -3.0: ("#e4e4e4", NO_PREFERENCE),
    -2.0: ("#b0a8b9", COMMON_CAUSE),
    -1.0: ("#7d8a99", NO_CONFIDENCE),
}
VALUES = {word: value for value, (_, word) in OTHER.items()}


def plot_pairs(rows: Iterable[Row], *, ax: Any = None) -> Any:
    """Draw a map of the directions between the variables of a table.

    Parameters
    ----------
    rows : iterable of PairResult
        Rows of `anmmm.infer_directions` for pairs of a table, such as ``pairs="all"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The cell in the row of a cause and the column of its effect has the confidence as its color,
        from 0.6 on, and is gray without a confidence. Both cells of a related pair without a
        preference, and of one with a hidden common cause, are gray; those of unrelated pairs are
        empty. Up to 60 variables are named.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from anmmm import infer_directions
    >>> from anmmm.plotting import plot_pairs
    >>> x = np.random.default_rng(0).normal(size=(100, 3))
    >>> x[:, 1] += x[:, 0] ** 2
    >>> ax = plot_pairs(infer_directions(x, pairs="all"), ax=Figure().subplots())
    >>> len(ax.get_xticklabels())
    3
    """
    names: dict[str, None] = {}
    values: dict[tuple[str, str], float] = {}
    for row in rows:
        if not isinstance(row, PairResult):
            raise TypeError(f"a map needs rows of PairResult, found {type(row).__name__}")
        names |= {row.x: None, row.y: None}
        values |= _cells(row)
    if not names:
        raise ValueError("rows must hold at least one pair, found none")
    places = {name: place for place, name in enumerate(names)}
    cells = np.full((len(names), len(names)), np.nan)
    for (cause, effect), value in values.items():
        cells[places[cause], places[effect]] = value

    size = 3.5 + CELL * min(len(names), MOST_NAMES)
    ax = axes_or_new(ax, (size + 1.0, size))
    grays = matplotlib_module("colors").ListedColormap([color for color, _ in OTHER.values()])
    sharp = {"interpolation": "nearest"}
    ax.imshow(np.where(cells < 0.0, cells, np.nan), cmap=grays, vmin=-3.0, vmax=-1.0, **sharp)
    arrows = np.where(cells >= 0.0, cells, np.nan)
    image = ax.imshow(arrows, cmap="viridis_r", vmin=LEANING, vmax=1.0, **sharp)
    ax.figure.colorbar(image, ax=ax, shrink=0.8, label="confidence of the direction")
    handles = []
    for value, (color, word) in OTHER.items():
        if (cells == value).any():
            handles.append(matplotlib_module("patches").Patch(color=color, label=word))
    if handles:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        ax.legend(handles=handles, ncol=3, frameon=False, **place)
    if len(names) <= MOST_NAMES:
        labels = [as_text(cut(name, LONGEST)) for name in names]
        ax.set_xticks(range(len(labels)), labels, rotation=90)
        ax.set_yticks(range(len(labels)), labels)
    ax.set(xlabel="effect", ylabel="cause")
    return ax


def _cells(row: PairResult) -> dict[tuple[str, str], float]:
    """Return the cells of a row, by the names of cause and effect."""
    both = [(row.x, row.y), (row.y, row.x)]
    if row.relation == COMMON_CAUSE:
        return dict.fromkeys(both, VALUES[COMMON_CAUSE])
    if is_decided(row):
        return {both[row.direction == -1]: row.confidence or VALUES[NO_CONFIDENCE]}
    if row.direction:
        return dict.fromkeys(both, VALUES[NO_PREFERENCE])
    return {}
