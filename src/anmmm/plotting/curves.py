"""Curves as plots draw them: each over the range of its own mechanism's observations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm.evidence.models import EffectCurves
from anmmm.plotting.style import dark_color_of, line_of, outlined

GRID = 200
# Grid over the cause, and arrays of one dimension; None where a mechanism has no curve.
Piece: TypeAlias = tuple[FloatArray, EffectCurves] | None


def pieces(
    cause: FloatArray,
    labels: NDArray[np.intp],
    n_mechanisms: int,
    evaluate: Callable[[FloatArray], EffectCurves],
) -> list[Piece]:
    """Evaluate the curve of each mechanism where it has observations.

    `cause` and what `evaluate` takes are columns (n, 1); it returns the curves of all mechanisms
    and is called once, since it may fit a model.
    """
    grids = {
        index: np.linspace(cause[labels == index].min(), cause[labels == index].max(), GRID)
        for index in np.unique(labels).tolist()
    }
    curves = evaluate(np.concatenate([*grids.values()])[:, np.newaxis])
    drawn: list[Piece] = [None] * n_mechanisms
    for place, (index, grid) in enumerate(grids.items()):
        drawn[index] = grid, curves.part(slice(GRID * place, GRID * (place + 1)), index)
    return drawn


def line_width(marker_size: float | None) -> float:
    """Width of curves in points: thin where a caller asks for small markers."""
    return 2.0 if marker_size is None else float(np.clip(0.45 * marker_size, 1.0, 2.0))


def draw_curve(
    ax: Any, piece: Piece, *, index: int, width: float, band: bool, upright: bool = False
) -> None:
    """Draw a curve of this width in points, if there is one, and the noise around it.

    `index` is the number of the mechanism; upright the cause is on the vertical axis.
    """
    if piece is None:
        return
    at, curve = piece
    points = (curve.center, at) if upright else (at, curve.center)
    color = dark_color_of(index)
    ax.plot(
        *points,
        color=color,
        linestyle=line_of(index),
        linewidth=width,
        path_effects=outlined(width),
        zorder=4,
    )
    if band:
        fill = ax.fill_betweenx if upright else ax.fill_between
        fill(at, curve.lower, curve.upper, color=color, alpha=0.16, linewidth=0.0, zorder=1)
