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
    SURE,
    is_decided,
)
from anmmm.plotting.style import as_text, axes_or_new, matplotlib_module

# Names that the axes can show.
MOST_NAMES = 60
# Inches of a cell up to then.
CELL = 0.28
# Letters of a name.
LONGEST = 20
# Cells without a confidence: value, color and word.
_NO_PREFERENCE, _COMMON_CAUSE, _NO_CONFIDENCE = -3.0, -2.0, -1.0
OTHER = {
    _NO_PREFERENCE: ("#e4e4e4", NO_PREFERENCE),
    _COMMON_CAUSE: ("#b0a8b9", COMMON_CAUSE),
    _NO_CONFIDENCE: ("#7d8a99", NO_CONFIDENCE),
}


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
        preference, and of one with a hidden common cause, are gray; those of unrelated pairs, and
        of pairs with `explained_by`, are empty. Up to 60 variables are named. Of more, those
        without a related pair are left out.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If the rows are no `PairResult`, or `ax` is not Matplotlib axes.
    ValueError
        If there are no rows.
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
    related = {name for pair in values for name in pair}
    shown = list(names)
    if len(names) > MOST_NAMES and related:
        shown = [name for name in names if name in related]
    places = {name: place for place, name in enumerate(shown)}
    cells = np.full((len(shown), len(shown)), np.nan)
    for (cause, effect), value in values.items():
        cells[places[cause], places[effect]] = value

    is_named = len(shown) <= MOST_NAMES
    size = 3.5 + CELL * len(shown) if is_named else 6.0
    ax = axes_or_new(ax, (size + 1.0, size))
    grays = matplotlib_module("colors").ListedColormap([color for color, _ in OTHER.values()])
    without_confidence = np.where(cells < 0.0, cells, np.nan)
    sharp = {"interpolation": "nearest"}
    ax.imshow(without_confidence, cmap=grays, vmin=min(OTHER), vmax=max(OTHER), **sharp)
    arrows = np.where(cells >= 0.0, cells, np.nan)
    image = ax.imshow(arrows, cmap="viridis_r", vmin=LEANING, vmax=1.0, **sharp)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, label="confidence of the direction")
    bar.ax.axhline(SURE, color="black", linewidth=1.0)
    handles = []
    for value, (color, word) in OTHER.items():
        if (without_confidence == value).any():
            handles.append(matplotlib_module("patches").Patch(color=color, label=word))
    if handles:
        place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0)}
        ax.legend(handles=handles, ncol=3, frameon=False, **place)
    if is_named:
        labels = [as_text(cut(name, LONGEST)) for name in shown]
        ax.set_xticks(range(len(labels)), labels, rotation=90)
        ax.set_yticks(range(len(labels)), labels)
    n_left_out = len(names) - len(shown)
    note = f" ({n_left_out} variables without a relation are left out)" if n_left_out else ""
    ax.set(xlabel=f"effect{note}", ylabel="cause")
    return ax


def _cells(row: PairResult) -> dict[tuple[str, str], float]:
    """Return the cells of a row, by the names of cause and effect."""
    both = [(row.x, row.y), (row.y, row.x)]
    if row.relation == COMMON_CAUSE:
        return dict.fromkeys(both, _COMMON_CAUSE)
    if is_decided(row):
        return {both[row.direction == -1]: row.confidence or _NO_CONFIDENCE}
    if row.direction and not row.explained_by:
        return dict.fromkeys(both, _NO_PREFERENCE)
    return {}
