"""CDCI: how much the shape of the effect's distribution depends on the cause, by histograms.

B. Duong, T. Nguyen, "Bivariate causal discovery via conditional divergence", CLeaR 2022. The cause
is cut into bins, the effect is standardized within each, and the direction in which these
conditional distributions vary least wins. This is a reimplementation, after the
description, with the numbers of the authors' program: bins of half a standard deviation out to
three, and those of the cause with more than 12 observations. Pure NumPy, O(N).
"""

from __future__ import annotations

import numpy as np

from anmmm._typing import FloatArray

# Bins a standard deviation, and deviations on either side; what lies beyond is in the last bins.
FINENESS = 2
WIDEST = 3
N_BINS = 2 * WIDEST * FINENESS + 1
# A bin of the cause with so many observations or fewer tells no shape.
TOO_FEW = 12
# Keeps scales of constants finite.
TINY = 1e-8


def cdci(x: FloatArray, y: FloatArray) -> float:
    """Score a pair: positive where x causes y; exchanging both negates it."""
    return _variation(y, x) - _variation(x, y)


def _variation(cause: FloatArray, effect: FloatArray) -> float:
    """Mean total variation of the effect's histograms from their mean, over the cause's bins."""
    row = _bins(_standardized_without_extremes(cause))
    counts = np.maximum(np.bincount(row, minlength=N_BINS), 1)
    deviation = effect - (np.bincount(row, effect, N_BINS) / counts)[row]
    scale = np.sqrt(np.bincount(row, deviation**2, N_BINS) / counts) + TINY
    column = _bins(deviation / scale[row])
    table = np.bincount(N_BINS * row + column, minlength=N_BINS**2).reshape(N_BINS, N_BINS)
    shares = (table / counts[:, np.newaxis])[counts > TOO_FEW]
    if len(shares) == 0:
        return 0.0
    return float((0.5 * np.abs(shares - shares.mean(axis=0)).sum(axis=1)).mean())


def _standardized_without_extremes(values: FloatArray) -> FloatArray:
    values = (values - values.mean()) / (values.std() + TINY)
    inner = values[np.abs(values) < WIDEST]
    return (values - inner.mean()) / (inner.std() + TINY)


def _bins(standardized: FloatArray) -> np.ndarray:
    ends = WIDEST * FINENESS
    return np.clip(np.rint(FINENESS * standardized), -ends, ends).astype(np.intp) + ends
