"""Responsibilities to start EM from: cuts of ordered residuals.

A start does not depend on the order or the unit of the observations, and is mirrored if a variable
is negated.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from anmmm._typing import BoolArray, FloatArray, IntArray
from anmmm.mixture.fits import MixtureFit
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import order_by

EVERY = slice(None)
# Most observations on which starts are compared; the winner is then fitted to all.
START_ROWS = 2000

# Part of an observation that a start distributes over all mechanisms. A tenth of the distant rows
# of eight curves hid small noise: with 0.1 the mean ARI of eight mechanisms was 0.8, not 1.
SOFTNESS = 0.01
# Most iterations of k-means.
K_MEANS_ITER = 100
# Difference, relative to the largest residual, below which residuals are tied.
TIED_RESIDUALS = 1e-9


def ordered_residuals(
    basis: SplineBasis, y: FloatArray, single: MixtureFit, rows: IntArray | slice = EVERY
) -> tuple[IntArray, BoolArray]:
    """Return `with_ties` of residuals of one curve, and of these times the cause."""
    residuals = y[rows] - single.curves[rows, 0]
    # For curves that cross in the middle of the cause's range.
    return with_ties(np.stack([residuals, residuals * basis.design[rows, 1]]))


def with_ties(values: FloatArray) -> tuple[IntArray, BoolArray]:
    """Return orders of values (n_kinds, n_rows), and which differ from the next, (…, n_rows - 1).

    Those within `TIED_RESIDUALS` times the largest are tied.
    """
    order = values.argsort(axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    tolerance = TIED_RESIDUALS * np.maximum(ordered[:, -1:], -ordered[:, :1])
    return order, ordered[:, 1:] - ordered[:, :-1] > tolerance


def residual_starts(
    y: FloatArray,
    n: int,
    previous: MixtureFit,
    residuals: tuple[IntArray, BoolArray],
    rows: IntArray | slice = EVERY,
) -> FloatArray:
    """Return starts (n_starts, n_rows, n): residuals in n equal parts, and fits of n - 1 split.

    Tied residuals belong equally to all parts that they reach.
    """
    order, is_distinct = residuals
    n_kinds, size = order.shape
    inside, untied = _equal_parts(size, n)
    starts = np.empty((n_kinds + (n - 1 if n > 2 else 0), size, n))
    for kind in range(n_kinds):
        parts = untied
        if not is_distinct[kind].all():
            parts = soften(_tied_parts(inside, np.append(True, is_distinct[kind])))
        starts[kind, order[kind]] = parts
    if n > 2:
        label_starts = soften(np.eye(n))
        labels = previous.probabilities[rows].argmax(axis=1)
        is_above = y[rows, np.newaxis] > previous.curves[rows]
        for split, start in enumerate(starts[n_kinds:]):
            is_moved = is_above[:, split] & (labels == split)
            start[:] = label_starts[np.where(is_moved, n - 1, labels)]
    return starts


@lru_cache(8)
def _equal_parts(size: int, n: int) -> tuple[IntArray, FloatArray]:
    """Return the part of each rank in each of n equal parts, (size, n), in n-ths, and softened."""
    ranks = np.arange(0, n * size + 1, n)
    places = size * np.arange(n)[:, np.newaxis]
    below = np.minimum(np.maximum(ranks - places, 0), size).T
    inside = below[1:] - below[:-1]
    return inside, soften(inside / n)


def _tied_parts(inside: IntArray, is_first: BoolArray) -> FloatArray:
    """Return parts that ranks from one `is_first` to the next have in equal measure."""
    first = np.flatnonzero(is_first)
    counts = np.diff(first, append=len(inside))
    shares = np.add.reduceat(inside, first) / (inside.shape[1] * counts[:, np.newaxis])
    return np.asarray(shares.repeat(counts, axis=0))


def soften(part: FloatArray) -> FloatArray:
    """Distribute a part of each observation over all mechanisms."""
    return np.asarray(SOFTNESS / part.shape[1] + (1.0 - SOFTNESS) * part)


def start_rows(basis: SplineBasis, y: FloatArray) -> IntArray | slice:
    """Choose the observations on which starts are compared: all, or 2000 of more than 4000."""
    if len(y) <= 2 * START_ROWS:
        return EVERY
    if basis.design.shape[1] == 1:
        # Only the constant: rows are in the order of the effect.
        return np.argsort(y)[_even_ranks(len(y), START_ROWS)]
    return even_rows(basis.design[:, 1], y, START_ROWS, basis.order)


def even_rows(x: FloatArray, y: FloatArray, count: int, order: IntArray | None = None) -> IntArray:
    """Choose an even number of observations at equal distances in the order of the cause."""
    is_known = order is not None and len(order) == len(x)
    rows = order_by(x, y, order if is_known else None)
    return np.asarray(rows[_even_ranks(len(x), count)])


def _even_ranks(n: int, count: int) -> IntArray:
    half = (2 * np.arange(count // 2) + 1) * n // (2 * count)
    return np.concatenate([half, n - 1 - half[::-1]])


def least_squares_parts(
    values: FloatArray, number: int, *, n_groups: int = 50, n_gaps: int = 10
) -> IntArray:
    """Label ranges of values by k-means, from the best ranges of groups of adjacent values.

    Groups have equal counts, and are also split at the widest gaps.
    """
    centers = _best_centers(values, number, n_groups, n_gaps)
    labels = np.zeros(len(values), np.intp)
    for _ in range(K_MEANS_ITER):
        previous = labels
        labels = (0.5 * (centers[1:] + centers[:-1])).searchsorted(values)
        if np.array_equal(labels, previous):
            break
        sizes = np.bincount(labels, minlength=number)
        sums = np.bincount(labels, values, number)
        centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
    return labels


def _best_centers(values: FloatArray, number: int, n_groups: int, n_gaps: int) -> FloatArray:
    """Return the centers (number,) of ranges of groups with the least squares within."""
    # The best ranges up to a group end where the best ones of one range less do, by dynamic
    # programming.
    n_groups = max(number, min(len(values), n_groups))
    ordered = np.sort(values - values.mean())
    ends = np.linspace(0, len(values), n_groups + 1).astype(np.intp)
    if n_groups < len(values):
        gaps = 1 + np.argpartition(np.diff(ordered), -n_gaps)[-n_gaps:]
        ends = np.union1d(ends, gaps)
        n_groups = len(ends) - 1
    sums = np.concatenate([[0.0], np.cumsum(ordered)])[ends]
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of the groups from each end to each later one, less the squares of the numbers.
        within = -((sums - sums[:, np.newaxis]) ** 2) / (ends - ends[:, np.newaxis])
    within[np.tril_indices(n_groups + 1)] = np.inf
    # Up to each end, by one range and more; and where the last of them begins.
    best = within[0]
    begins = []
    for _ in range(number - 1):
        joined = best[:, np.newaxis] + within
        begins.append(joined.argmin(axis=0))
        best = joined.min(axis=0)
    cuts = [n_groups]
    for last in reversed(begins):
        cuts.append(last[cuts[-1]])
    cuts = [0, *reversed(cuts)]
    return np.asarray(values.mean() + np.diff(sums[cuts]) / np.diff(ends[cuts]))
