"""Rows that are not independent, and how many independent ones they are worth.

With copies of rows, or rows in time, there are fewer independent observations than rows. This
changes the confidence and not the direction (docs/method/decisions.md, "Rows that are not
independent").
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from anmmm._categories import Variables
from anmmm._typing import FloatArray, IntArray
from anmmm._validation import as_pair
from anmmm.confidence import UNSURE, confidence_of
from anmmm.evidence import DirectionEvidence, EvidenceResult, integral_transform
from anmmm.evidence.lengths import Compare
from anmmm.preprocessing import mean_ranks, standardize

# Fraction of distinct rows below which equal ones are copies, if a variable has as many values.
COPIES, MIN_DISTINCT_FRACTION = 0.7, 0.9
# Rows whose neighbors are looked at, first of fewer, and how many times what rows on a curve have
# the largest jump of distances is. Of other families almost none had 2.
LOOKS = (40, 1.5), (200, 2.0)
# Neighbors of each, and how many rows' distances are held at once.
NEIGHBORS, AT_ONCE = 60, 40
# Smallest squared distance, of equal rows.
SMALLEST_SQUARED = 1e-200
# Fraction of the rows up to which a series counts for less: above it the confidence, which
# allows for wrong models, changes little.
LARGEST_FRACTION = 0.5
# Rank autocorrelation of independent rows, times the root of their number, at most.
SERIAL, MOST_LAGS = 5.0, 500
# Fewest and most values of groups, rows of each, and tolerance of multiples of a step.
FEWEST_GROUPS, MOST_GROUPS, ROWS_A_GROUP, STEP_TOLERANCE = 4, 50, 5, 0.01
# N (1 - autocorrelation) below which a series of N means of successive rows may be a random walk
# (Dickey and Fuller 1979, 5 %), and the largest N: errors of single rows hide it.
UNIT_ROOT, MOST_MEANS = 14.0, 100


def groups_note(values: FloatArray, name: object) -> str:
    """Return a note if a variable has few, irregular values: of sites or batches, not of rows."""
    distinct, n = np.unique(values), len(values)
    with np.errstate(all="ignore"):
        # Values that differ by rounding are one.
        distinct = distinct[np.diff(distinct, prepend=-math.inf) > 1e-9 * np.abs(distinct)]
        k = len(distinct)
        if not FEWEST_GROUPS <= k <= min(MOST_GROUPS, n / ROWS_A_GROUP):
            return ""
        # Levels, doses and rounded values have equal steps, or their logarithms or roots had.
        if any(_has_a_step(f(distinct)) for f in (np.array, np.log, np.exp, np.square)):
            return ""
    return f"{name} has {k} values in {n} rows (one for each site or batch?): not sure"


def _has_a_step(values: FloatArray) -> bool:
    gaps = np.abs(np.diff(values))
    steps = gaps / gaps.min()
    return bool(np.all(np.abs(steps - np.rint(steps)) < STEP_TOLERANCE))


def confidence_by_rows(
    variables: Variables, evidence: EvidenceResult, compare: Compare, *, near: bool = True
) -> tuple[float, str]:
    """Return the most confidence that rows leave to a direction, and a note if it is less."""
    fraction, note = rows_that_count(variables, evidence, near=near)
    drift = "" if any(variables.categorical) else drift_note(*variables[:2])
    most = UNSURE if drift else 1.0
    if not note:
        return most, drift
    most = min(confidence_of(evidence, fraction), most)
    if most < UNSURE:
        return most, note
    # Models of all rows may have taken copies for mechanisms.
    return min(most, _without_copies(variables, evidence, fraction, compare)), note


def _without_copies(
    variables: Variables, evidence: EvidenceResult, fraction: float, compare: Compare
) -> float:
    """Return the confidence of the same direction from as many rows as count."""
    x, y = variables[:2]
    rows = as_many_rows(np.hstack([x, y]), fraction)
    try:
        few = compare(*as_pair(x[rows], y[rows]))
    except ValueError:
        return 0.5
    return confidence_of(few) if few.direction == evidence.direction else 0.5


def as_many_rows(columns: FloatArray, fraction: float) -> IntArray:
    """Return a fraction of the rows (n_samples, n_columns): distinct ones, or every k-th."""
    rows = np.unique(columns, axis=0, return_index=True)[1]
    if len(rows) > math.ceil(fraction * len(columns)):
        # Near copies follow each other in the order of values, a series in that of the rows.
        rows = rows if _fraction_of_near(columns) < 1.0 else np.arange(len(columns))
        rows = rows[:: math.ceil(1.0 / fraction)]
    return rows


def rows_that_count(
    variables: Variables, evidence: EvidenceResult, *, near: bool = True
) -> tuple[float, str]:
    """Return the fraction of rows that count, and a note if it is below 1. O(N log N)."""
    chosen, columns = evidence.shortest, np.hstack(variables[:2])
    serial = 1.0
    if isinstance(chosen, DirectionEvidence):
        sides = evidence.forward, evidence.backward
        most = max(each.cells.n_distinct for each in sides if isinstance(each, DirectionEvidence))
        if not (any(variables.categorical) or any(map(is_sorted, columns.T))):
            serial = serial_fraction(chosen.cells.values, lambda: integral_transform(chosen.chosen))
    else:
        most = max(len(np.unique(part, axis=0)) for part in variables[:2])
    return counted_rows(len(columns), distinct_fraction(columns, most, near=near), serial)


def counted_rows(n: int, copies: float, serial: float) -> tuple[float, str]:
    """Return the smaller of both fractions of n rows, and a note if it is below 1."""
    fraction = min(copies, serial)
    if fraction == 1.0:
        return 1.0, ""
    counted = f"about {max(round(fraction * n), 1)} of {n} rows count"
    if copies <= serial:
        return fraction, f"each row, or nearly the same, occurs {1.0 / copies:.2g} times: {counted}"
    return fraction, f"rows in time or alike in order: {counted}"


def distinct_fraction(columns: FloatArray, most: int, *, near: bool = True) -> float:
    """Return the fraction of distinct rows if the others are copies (with `near`, nearly), else 1.

    columns: (n_samples, n_columns); most: largest number of distinct values of a variable.
    """
    # The usual case, without a sort: rows differ if the values of one variable do.
    if most >= COPIES * len(columns):
        return _fraction_of_near(columns) if near else 1.0
    n_distinct = len(np.unique(columns, axis=0))
    # Few values meet in many ways, copies of a row in one.
    if n_distinct >= COPIES * len(columns) or most < MIN_DISTINCT_FRACTION * n_distinct:
        return 1.0
    return n_distinct / len(columns)


def _fraction_of_near(columns: FloatArray) -> float:
    """Return the fraction of rows that count if most are near others of a few, else 1."""
    n = len(columns)
    columns = columns[:, [len(np.unique(each)) >= COPIES * n for each in columns.T]]
    if columns.shape[1] < 2:
        return 1.0
    k, points = min(NEIGHBORS, n // 4), standardize(columns)[0]
    on_a_curve = -math.log(1.0 - 0.5 ** (1.0 / k))
    for looked_at, like_copies in LOOKS:
        nearest = _nearest(points, points[:: -(-n // looked_at)], k + 1)
        logarithms = 0.5 * np.log(np.maximum(nearest, SMALLEST_SQUARED))
        jumps = np.arange(1, k + 1) * np.diff(logarithms, axis=1)
        largest = jumps.max(axis=1)
        if np.median(largest) < like_copies * on_a_curve:
            return 1.0
    # Half of the rows may be no copies.
    copies = np.where(largest < on_a_curve, 1.0, jumps.argmax(axis=1) + 2.0)
    return float(np.mean(1.0 / copies))


def _nearest(points: FloatArray, rows: FloatArray, k: int) -> FloatArray:
    """Return squared distances of rows to their k nearest other points, increasing, (n_rows, k)."""
    found = []
    # Faster than a tree for so few rows.
    for start in range(0, len(rows), AT_ONCE):
        each = rows[start : start + AT_ONCE]
        squared = sum((a[:, np.newaxis] - b) ** 2 for a, b in zip(each.T, points.T, strict=True))
        found.append(np.sort(np.partition(squared, k, axis=1)[:, : k + 1], axis=1)[:, 1:])
    return np.concatenate(found)


def serial_fraction(cause: FloatArray, residual_of: Callable[[], FloatArray]) -> float:
    """Return the fraction of rows that count for an effect, if rows in order are alike, else 1."""
    n = len(cause)
    least, worth = SERIAL / math.sqrt(n), 1.0
    cause = _standardized_ranks(cause)
    if float(cause[1:] @ cause[:-1]) < least:
        return 1.0
    residual = _standardized_ranks(residual_of())
    # Variance of a sum of products of two such series (Bartlett 1935).
    for lag in range(1, min(n // 2, MOST_LAGS)):
        of_cause, of_residual = (float(each[lag:] @ each[:-lag]) for each in (cause, residual))
        if min(of_cause, of_residual) < least:
            break
        worth += 2.0 * of_cause * of_residual
    return 1.0 / worth if worth > 1.0 / LARGEST_FRACTION else 1.0


def is_sorted(values: FloatArray) -> bool:
    """Return whether rows are in the order of a variable: alike, and perhaps independent."""
    before, after = values[:-1], values[1:]
    return bool(np.all(before <= after) or np.all(before >= after))


def drift_note(x: FloatArray, y: FloatArray) -> str:
    """Return why two variables in the order of rows are not sure, or "".

    x, y: (n_samples,) or (n_samples, n_features)
    """
    if any(map(_drifts, np.atleast_2d(x.T))) and any(map(_drifts, np.atleast_2d(y.T))):
        return "both variables drift from row to row, as series in time do: not sure"
    return ""


def _drifts(values: FloatArray) -> bool:
    """Return whether values (n_samples,) may be a random walk in the order of their rows."""
    size = -(-len(values) // MOST_MEANS)
    n = len(values) // size
    # The second limit is larger for a few rows, of which some are alike by chance.
    least = max(1.0 - UNIT_ROOT / n, SERIAL / math.sqrt(n))
    ranks = _standardized_ranks(mean_ranks(values)[: n * size].reshape(n, size).mean(axis=1))
    # Rows may be in the order of a variable.
    return float(ranks[1:] @ ranks[:-1]) > least and not is_sorted(values)


def _standardized_ranks(values: FloatArray) -> FloatArray:
    """Ranks of mean 0 and a sum of squares of 1; zeros if all are equal."""
    ranks = mean_ranks(values)
    ranks -= ranks.mean()
    return np.asarray(ranks / math.sqrt(ranks @ ranks or 1.0))
