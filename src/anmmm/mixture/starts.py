"""Responsibilities that EM starts from: labels of the user, and cuts of residuals into shares.

A start does not depend on the order or the unit of the observations, and is mirrored where a
variable is negated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._kernels.intervals import equal_shares
from anmmm._typing import FloatArray
from anmmm.mixture.fits import LocationScaleFit, MixtureFit
from anmmm.mixture.splines import SplineBasis

__all__ = ["EVERY", "as_responsibilities", "residual_starts", "soften", "start_rows"]

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
    membership = np.ascontiguousarray(array, dtype=np.float64)
    totals = membership.sum(axis=1, keepdims=True)
    if not np.all(np.isfinite(membership)) or membership.min() < 0.0 or totals.min() <= 0.0:
        raise ValueError("init must hold finite responsibilities >= 0 with a positive row sum")
    return np.asarray(membership / totals)


def residual_starts(
    basis: SplineBasis,
    y: FloatArray,
    n: int,
    previous: MixtureFit,
    single: MixtureFit,
    spread: LocationScaleFit,
    rows: NDArray[np.intp] | slice = EVERY,
) -> list[FloatArray]:
    """Cut the residuals of one curve into n shares, and part each mechanism of a fit with n - 1.

    Starts are made for the observations in `rows`.
    """
    y = y[rows]
    residual = y - single.curves[rows, 0]
    parts = [
        _equal_shares(residual, n),
        _equal_shares((y - spread.curve[rows]) / spread.scale[rows], n),
        # Curves that cross in the middle of the cause's range.
        _equal_shares(residual * basis.design[rows, 1], n),
    ]
    labels = previous.membership[rows].argmax(axis=1)
    for c in range(n - 1 if n > 2 else 0):
        split = labels.copy()
        split[(split == c) & (y > previous.curves[rows, c])] = n - 1
        parts.append(np.eye(n)[split])
    return [soften(part) for part in parts]


def _equal_shares(values: FloatArray, n: int) -> FloatArray:
    """Cut values into n shares of equal numbers; ties belong alike to all shares that they meet.

    Returns the part of each observation in each share, which depends on the order of the values
    alone, not on that of the observations, and is mirrored where the values are negated.
    """
    order = np.argsort(values, kind="stable")
    near = TIED_RESIDUALS * max(values[order[-1]], -values[order[0]])
    part = np.empty((len(values), n))
    equal_shares(values, order, near, part)
    return part


def soften(part: FloatArray) -> FloatArray:
    """Leave a tenth of each observation to be shared by all mechanisms."""
    return np.asarray(SOFTNESS / part.shape[1] + (1.0 - SOFTNESS) * part)


def start_rows(basis: SplineBasis, y: FloatArray) -> NDArray[np.intp] | slice:
    """Choose the observations that starts are compared on: all, or of very many some."""
    if len(y) <= 2 * START_ROWS:
        return EVERY
    # A basis may hold the constant alone: rows are then in the order of the effect.
    return spread_rows(basis.design[:, min(1, basis.design.shape[1] - 1)], y, START_ROWS)


def spread_rows(x: FloatArray, y: FloatArray, count: int) -> NDArray[np.intp]:
    """Choose an even number of observations at equal distances in the order of the cause.

    Whatever the order of the observations; the same ones where the cause is negated, but for ties.
    """
    n = len(x)
    half = (2 * np.arange(count // 2) + 1) * n // (2 * count)
    return np.asarray(np.lexsort((y, x))[np.concatenate([half, n - 1 - half[::-1]])])
