"""Curves as plots draw them: each over the range of its own mechanism's observations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm.evidence.curves import EffectCurves
from anmmm.plotting.style import dark_colour_of, line_of, outlined

__all__ = ["GRID", "Piece", "draw_curve", "line_width", "pieces"]

GRID = 200
# Grid over the cause, and arrays of one dimension; None where a mechanism has no curve.
Piece: TypeAlias = tuple[FloatArray, EffectCurves] | None


def pieces(
    cause: FloatArray,
    labels: NDArray[np.intp],
    n_mechanisms: int,
    evaluate: Callable[[FloatArray], EffectCurves],
) -> list[Piece]:
    """Evaluate each mechanism's curve where it has observations.

    Parameters
    ----------
    cause : ndarray of shape (n_samples, 1)
    labels : ndarray of int, shape (n_samples,)
    n_mechanisms : int
    evaluate : callable
        From points of shape (n_points, 1) to the curves of all mechanisms there; called once.

    Returns
    -------
    list
        One piece a mechanism; None for one without observations.
    """
    ranges = [cause[labels == index] for index in range(n_mechanisms)]
    grids = [np.linspace(own.min(), own.max(), GRID) if len(own) else None for own in ranges]
    told = evaluate(np.concatenate([grid for grid in grids if grid is not None])[:, np.newaxis])
    drawn: list[Piece] = []
    begin = 0
    for index, grid in enumerate(grids):
        if grid is None:
            drawn.append(None)
            continue
        drawn.append((grid, told.part(slice(begin, begin + GRID), index)))
        begin += GRID
    return drawn


def line_width(marker_size: float | None) -> float:
    """Width of curves in points: thin where a caller asks for small markers."""
    return 2.0 if marker_size is None else float(np.clip(0.45 * marker_size, 1.0, 2.0))


def draw_curve(
    ax: Any, piece: Piece, *, index: int, width: float, band: bool, upright: bool = False
) -> None:
    """Draw a curve, if there is one, and the noise around it.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    piece : Piece
    index : int
        Number of the mechanism, for colour and line style.
    width : float
        Of the line, in points.
    band : bool
    upright : bool
        Whether the cause is on the vertical axis.
    """
    if piece is None:
        return
    at, curve = piece
    points = (curve.centre, at) if upright else (at, curve.centre)
    ax.plot(
        *points, color=dark_colour_of(index), linestyle=line_of(index), linewidth=width,
        path_effects=outlined(width), zorder=4,
    )  # fmt: skip
    if band:
        fill = ax.fill_betweenx if upright else ax.fill_between
        fill(
            at, curve.lower, curve.upper, color=dark_colour_of(index), alpha=0.16, linewidth=0.0,
            zorder=1,
        )  # fmt: skip
