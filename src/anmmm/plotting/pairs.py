"""All pairs of a table as a map: which variable causes which, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from anmmm._text import cut
from anmmm.collection.records import PairResult
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    LEANING,
    NO_CONFIDENCE,
    NO_PREFERENCE,
    SURE,
    is_decided,
)
from anmmm.plotting.style import axes_or_new, matplotlib_module

# Names that the axes can show, inches of a cell up to then, and of a figure at most.
MOST_NAMES, CELL, LARGEST = 60, 0.28, 12.0
# Cells a side at most, of which a screen shows each.
MOST_CELLS = 400
# Letters of a name.
LONGEST = 20
# Cells without a confidence: value, color and word.
_NO_PREFERENCE, _COMMON_CAUSE, _NO_CONFIDENCE = -3.0, -2.0, -1.0
OTHER = {
    _NO_PREFERENCE: ("#e4e4e4", NO_PREFERENCE),
    _COMMON_CAUSE: ("#b0a8b9", COMMON_CAUSE),
    _NO_CONFIDENCE: ("#7d8a99", NO_CONFIDENCE),
}


def plot_pairs(rows: Iterable[PairResult], *, ax: Any = None) -> Any:
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
        without a related pair are left out; above 400, a cell is the surest of several.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    TypeError
        If `ax` is not Matplotlib axes.
    ValueError
        If there are no rows.

    Notes
    -----
    Linear in the number of rows, which are read once, and an array of a number for each two
    variables that are drawn.
    """
    pair_map = PairMap()
    for row in rows:
        pair_map.add(row)
    return pair_map.draw(ax)


class PairMap:
    """The cells of a map, taken from one row at a time, so that rows need not be kept."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        # Row, column and value of the cells that are not empty.
        self._cells: list[tuple[int, int, float]] = []

    def add(self, row: PairResult) -> None:
        """Take the fields of a row that the map shows."""
        x, y = (self._places.setdefault(name, len(self._places)) for name in (row.x, row.y))
        if row.relation == COMMON_CAUSE:
            self._cells += (x, y, _COMMON_CAUSE), (y, x, _COMMON_CAUSE)
        elif is_decided(row):
            cause, effect = (x, y)[:: row.direction]
            value = _NO_CONFIDENCE if row.confidence is None else row.confidence
            self._cells.append((cause, effect, value))
        elif row.direction and not row.explained_by:
            self._cells += (x, y, _NO_PREFERENCE), (y, x, _NO_PREFERENCE)

    def _shown(self) -> list[int]:
        """Return the places of the variables that are drawn, in increasing order."""
        if len(self._places) > MOST_NAMES and self._cells:
            return sorted({place for cell in self._cells for place in cell[:2]})
        return list(range(len(self._places)))

    def size(self) -> tuple[float, float]:
        """Return width and height in inches that suit the map."""
        n_names = len(self._shown())
        size = min(3.5 + CELL * n_names, LARGEST) if n_names <= MOST_NAMES else LARGEST / 2
        return size + 1.0, size

    def draw(self, ax: Any = None) -> Any:
        """Draw the map; see `plot_pairs`."""
        if not self._places:
            raise ValueError("rows must hold at least one pair, found none")
        every, shown = list(self._places), self._shown()
        names = [every[place] for place in shown]
        rows, columns, values = np.array(self._cells or np.empty((0, 3))).T
        cells = np.full((len(names), len(names)), np.nan)
        cells[np.searchsorted(shown, rows), np.searchsorted(shown, columns)] = values
        # The largest of each block of cells: the surest arrow, before gray ones.
        starts = np.arange(0, len(cells), -(-len(cells) // MOST_CELLS))
        for axis in (0, 1):
            cells = np.fmax.reduceat(cells, starts, axis=axis)
        ax = axes_or_new(ax, self.size())
        grays = matplotlib_module("colors").ListedColormap([color for color, _ in OTHER.values()])
        options = {"interpolation": "nearest", "extent": (-0.5, *(len(names) - 0.5,) * 2, -0.5)}
        other = np.where(cells < 0.0, cells, np.nan)
        ax.imshow(other, cmap=grays, vmin=min(OTHER), vmax=max(OTHER), **options)
        arrows = np.where(cells >= 0.0, cells, np.nan)
        image = ax.imshow(arrows, cmap="viridis_r", vmin=LEANING, vmax=1.0, **options)
        bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, label="confidence of the direction")
        bar.ax.axhline(SURE, color="black", linewidth=1.0)
        patch = matplotlib_module("patches").Patch
        patches = [
            patch(color=color, label=word)
            for value, (color, word) in OTHER.items()
            if (other == value).any()
        ]
        if patches:
            ax.legend(
                handles=patches, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncol=3, frameon=False
            )
        if len(names) <= MOST_NAMES:
            labels = [cut(name, LONGEST).replace("$", r"\$") for name in names]
            ax.set_xticks(range(len(labels)), labels, rotation=90)
            ax.set_yticks(range(len(labels)), labels)
        left = len(self._places) - len(names)
        ax.set_xlabel(
            f"effect ({left} variables without a relation are left out)" if left else "effect"
        )
        ax.set_ylabel("cause")
        return ax
