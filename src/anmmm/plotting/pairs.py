"""All pairs of a table as a map: which variable causes which, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from anmmm.collection.records import PairResult
from anmmm.direction import COMMON_CAUSE, LEANING, NO_PREFERENCE, SURE
from anmmm.plotting.style import axes_or_new, matplotlib_module

# Names that the axes can show, inches of a cell up to then, and of a figure at most.
MOST_NAMES, CELL, LARGEST = 60, 0.28, 12.0
# Letters of a name.
LONGEST = 20
# Colors of pairs without a direction: related ones, and those with a common cause.
OTHER = ("#e4e4e4", "#b0a8b9")


def plot_pairs(rows: Iterable[PairResult], *, ax: Any = None) -> Any:
    """Draw a map of the directions between the variables of a table.

    Parameters
    ----------
    rows : iterable of PairResult
        Rows of `anmmm.infer_directions` for pairs of a table, such as ``columns="all"``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw in; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The cell in the row of a cause and the column of its effect has the confidence as its color,
        from 0.6 on. Both cells of a related pair without a preference, and of one with a hidden
        common cause, are gray; those of unrelated pairs, and of pairs that other columns explain,
        are empty. Up to 60 variables are named.

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
    Linear in the number of rows, and an array of a number for each two variables.
    """
    rows = list(rows)
    place = {name: at for at, name in enumerate(dict.fromkeys(n for r in rows for n in (r.x, r.y)))}
    if not place:
        raise ValueError("rows must hold at least one pair, found none")
    confidence = np.full((len(place), len(place)), np.nan)
    other = np.full_like(confidence, np.nan)
    for row in rows:
        at = place[row.x], place[row.y]
        if row.relation == COMMON_CAUSE:
            other[at] = other[at[::-1]] = 1.0
        elif row.direction and row.confidence is not None and row.confidence >= LEANING:
            confidence[at[:: row.direction]] = row.confidence
        elif row.direction and not row.explained_by:
            other[at] = other[at[::-1]] = 0.0
    ax = axes_or_new(ax, pairs_size(len(place)))
    colors = matplotlib_module("colors")
    grays = colors.ListedColormap(OTHER)
    ax.imshow(other, cmap=grays, interpolation="nearest", vmin=0.0, vmax=1.0)
    image = ax.imshow(confidence, cmap="viridis_r", interpolation="nearest", vmin=LEANING, vmax=1.0)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, label="confidence of the direction")
    bar.ax.axhline(SURE, color="black", linewidth=1.0)
    patch = matplotlib_module("patches").Patch
    words = enumerate((NO_PREFERENCE, COMMON_CAUSE))
    patches = [patch(color=OTHER[at], label=word) for at, word in words if (other == at).any()]
    if patches:
        ax.legend(
            handles=patches, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncol=2, frameon=False
        )
    if len(place) <= MOST_NAMES:
        shown = [n if len(n) <= LONGEST else f"{n[: LONGEST - 1]}…" for n in place]
        names = [name.replace("$", r"\$") for name in shown]
        ax.set_xticks(range(len(names)), names, rotation=90)
        ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("effect")
    ax.set_ylabel("cause")
    return ax


def pairs_size(n_names: int) -> tuple[float, float]:
    """Return width and height in inches that suit a map of so many variables."""
    size = min(3.5 + CELL * n_names, LARGEST) if n_names <= MOST_NAMES else LARGEST / 2
    return size + 1.0, size
