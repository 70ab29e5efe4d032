"""Responsibilities that EM starts from: labels of the user, and cuts of residuals into shares.

A start does not depend on the order or the unit of the observations, and is mirrored where a
variable is negated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._kernels.starts import residual_starts as compiled_starts
from anmmm._typing import FloatArray, IntArray
from anmmm.mixture.fits import LocationScaleFit, MixtureFit
from anmmm.mixture.splines import SplineBasis

EVERY = slice(None)
# Starts are compared on so many observations at most; the winner then sees all.
START_ROWS = 2000

# Share of an observation that a start leaves to the other mechanisms.
SOFTNESS = 0.1
# Residuals that differ by less, in units of the largest, are tied but for rounding.
TIED_RESIDUALS = 1e-9


def as_responsibilities(init: Any, n_samples: int) -> FloatArray:
    """Turn labels, or responsibilities (n_samples, n_mechanisms), into a start whose rows sum to 1.

    Labels leave a tenth of each observation to be shared by all mechanisms.
    """
    array = np.asarray(init)
    if array.ndim not in (1, 2) or len(array) != n_samples:
        raise ValueError(
            f"init has shape {array.shape}, but needs one label or one row for each of the "
            f"{n_samples} observations"
        )
    if array.ndim == 1:
        distinct, codes = np.unique(array, return_inverse=True)
        return soften(np.eye(len(distinct))[codes])
    probabilities = np.ascontiguousarray(array, dtype=np.float64)
    totals = probabilities.sum(axis=1, keepdims=True)
    if not np.all(np.isfinite(probabilities)) or probabilities.min() < 0.0 or totals.min() <= 0.0:
        raise ValueError("init must hold finite responsibilities >= 0 with a positive row sum")
    return np.asarray(probabilities / totals)


def ordered_residuals(
    basis: SplineBasis,
    y: FloatArray,
    single: MixtureFit,
    spread: LocationScaleFit,
    rows: IntArray | slice = EVERY,
) -> tuple[FloatArray, IntArray]:
    """Return residuals of one curve, (3, n_rows), that starts cut into shares, and their order."""
    y = y[rows]
    values = np.empty((3, len(y)))
    np.subtract(y, single.curves[rows, 0], out=values[0])
    np.subtract(y, spread.curve[rows], out=values[1])
    values[1] /= spread.scale[rows]
    # Curves that cross in the middle of the cause's range.
    np.multiply(values[0], basis.design[rows, 1], out=values[2])
    return values, values.argsort(axis=1)


def residual_starts(
    y: FloatArray,
    n: int,
    previous: MixtureFit,
    residuals: tuple[FloatArray, IntArray],
    rows: IntArray | slice = EVERY,
) -> FloatArray:
    """Cut ordered residuals into n shares, and part each mechanism of a fit with n - 1.

    Returns (n_starts, n_rows, n).
    """
    y, (values, order) = np.ascontiguousarray(y[rows]), residuals
    starts = np.empty((len(values) + (n - 1 if n > 2 else 0), len(y), n))
    # Ties belong alike to all shares that they meet, so that their order does not matter.
    compiled_starts(
        values,
        order,
        TIED_RESIDUALS,
        y,
        np.ascontiguousarray(previous.probabilities[rows]),
        np.ascontiguousarray(previous.curves[rows]),
        SOFTNESS,
        starts,
    )
    return starts


def soften(part: FloatArray) -> FloatArray:
    """Leave a tenth of each observation to be shared by all mechanisms."""
    return np.asarray(SOFTNESS / part.shape[1] + (1.0 - SOFTNESS) * part)


def start_rows(basis: SplineBasis, y: FloatArray) -> IntArray | slice:
    """Choose the observations that starts are compared on: all, or of very many some."""
    if len(y) <= 2 * START_ROWS:
        return EVERY
    if basis.design.shape[1] == 1:
        # The constant alone: rows are in the order of the effect.
        return np.argsort(y)[_spread_ranks(len(y), START_ROWS)]
    return spread_rows(basis.design[:, 1], y, START_ROWS, basis.order)


def spread_rows(
    x: FloatArray, y: FloatArray, count: int, order: IntArray | None = None
) -> IntArray:
    """Choose an even number of observations at equal distances in the order of the cause.

    Whatever the order of the observations; the same ones where the cause is negated, but for ties.
    """
    if order is None or len(order) != len(x):
        order = np.argsort(x)
    ordered = x[order]
    if np.any(ordered[1:] == ordered[:-1]):
        order = np.lexsort((y, x))
    return np.asarray(order[_spread_ranks(len(x), count)])


def _spread_ranks(n: int, count: int) -> IntArray:
    half = (2 * np.arange(count // 2) + 1) * n // (2 * count)
    return np.concatenate([half, n - 1 - half[::-1]])
