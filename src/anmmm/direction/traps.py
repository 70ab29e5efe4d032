"""Pairs of numbers that models mistake: angles, counts, exact functions, parts, means, filled in.

docs/method/decisions.md, "Traps".
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._text import counted
from anmmm._typing import BoolArray, FloatArray
from anmmm.confidence import UNSURE
from anmmm.direction.outliers import decide_again
from anmmm.evidence.lengths import Compare
from anmmm.preprocessing import order_by

# Hours, degrees, radians.
PERIODS = 24.0, 360.0, 2.0 * math.pi
# Fewest distinct counts that are compared by their logarithms too, and the confidence that ends it.
FEWEST_COUNTS, REFUTED = 13, 0.5
# Bins of a period, and the fraction of the values that the first and the last have at least.
N_BINS, AT_ENDS = 36, 0.01
# Fewest values of an exact function, and rows that are looked at first.
FEWEST_VALUES, FEW = 11, 300
# Most decimals of means; rounding of their sums, that tells; fewest such rows; how many sums are
# whole, and how many of other rows are at most.
MOST_DECIMALS, ROUNDING, FEWEST_ROWS, WHOLE, BY_CHANCE = 6, 0.125, 15, 0.97, 0.8
# Means, and shares in percent.
MEAN_UNITS = 1.0, 100.0
# Wholes of shares, of hours, and of percentages; the fraction of one that the largest sum of two
# parts has at least, and of sums that would exceed it if they were unrelated.
WHOLES, NEAR_WHOLE, EXCEED = (1.0, 24.0, 100.0), 0.9, 0.1
# Rows on a line up to rounding: fewest, in number and as a fraction; distinct values needed.
ON_LINE, FEWEST_ON_LINE, FRACTION_ON_LINE, MIN_DISTINCT = 1e-9, 5, 0.05, 0.9
# Pairs of equal slopes that are looked at, and most rows whose slopes are compared.
MOST_LINES, MOST_ORDERED = 10, 20_000


def confidence_by_traps(
    x: FloatArray, y: FloatArray, names: tuple[str, str], compare: Compare, direction: int
) -> tuple[float, list[str]]:
    """Return the most confidence in a direction of two numbers (n_samples,), and notes on it."""
    notes = list(filter(None, [trap_note(x, y, names)]))
    most, cuts = UNSURE if notes else 1.0, (turned(x), turned(y))
    if not (cuts[0] is x and cuts[1] is y):
        of_cut, decision = decide_again(*cuts, compare, direction)
        most = min(most, of_cut)
        notes.append(f"angles or hours? Cut where they are fewest: {decision}")
    filled = rows_on_line(x, y)
    if filled.any():
        of_others, decision = decide_again(x[~filled], y[~filled], compare, direction)
        most = min(most, of_others)
        notes.append(f"{line_note(filled)}; by the other rows: {decision}")
    logarithms = log_of_counts(x), log_of_counts(y)
    if most > UNSURE and not (logarithms[0] is x and logarithms[1] is y):
        of_logarithms, decision = decide_again(*logarithms, compare, direction)
        if of_logarithms <= REFUTED:
            most = of_logarithms
            notes.append(f"by the logarithms of counts: {decision}")
    return most, notes


def trap_note(x: FloatArray, y: FloatArray, names: tuple[object, object]) -> str:
    """Return why no direction of two numbers (n_samples,) is sure; empty if it may be."""
    if is_exact(x, y):
        return "one variable is an exact function of the other: not sure"
    for counts, means, (count, mean) in ((x, y, names), (y, x, names[::-1])):
        if are_means(counts, means):
            return f"{mean} is a mean or a share of {count}, which sets its spread: not sure"
    if whole := whole_of(x, y):
        return f"sums of both never exceed {whole:g} (parts of a whole?): not sure"
    return ""


def log_of_counts(values: FloatArray) -> FloatArray:
    """Return logarithms of whole numbers from 0 on, (n_samples,), plus ½; other values as are."""
    if values.min() < 0.0 or np.any(values != np.rint(values)):
        return values
    return np.log(values + 0.5) if len(np.unique(values)) >= FEWEST_COUNTS else values


def is_exact(x: FloatArray, y: FloatArray) -> bool:
    """Return whether one number never falls, or never rises, as the other grows. O(N log N)."""
    # Few rows show it of most pairs that are none.
    for few in (slice(FEW), slice(None)):
        ordered = (each[few][order_by(x[few], each[few])] for each in (y, -y))
        if not any(bool(np.all(np.diff(each) >= 0.0)) for each in ordered):
            return False
    return min(len(np.unique(x)), len(np.unique(y))) >= FEWEST_VALUES


def rows_on_line(x: FloatArray, y: FloatArray) -> BoolArray:
    """Return which rows (n_samples,) are on one straight line; none if few are. O(N log N)."""
    found = max(_on_line(x, y), _on_line(y, x), key=np.count_nonzero)
    # Values that many rows have are often on a line. Most pairs have none, and need no count.
    is_known = found.any() and min(len(np.unique(x)), len(np.unique(y))) >= MIN_DISTINCT * len(x)
    return found if is_known else np.zeros(len(x), dtype=bool)


def line_note(on_line: BoolArray) -> str:
    """Return the note on rows on a line, (n_samples,)."""
    return f"{counted(int(on_line.sum()), 'row')} on one line (filled in or copied?)"


def _on_line(x: FloatArray, y: FloatArray) -> BoolArray:
    """Return the same by the slopes between rows that are neighbors in the order of x."""
    # At sizes up to 1, and without steps that are rounding, no slope overflows.
    x, y = (np.ldexp(each, -np.frexp(np.abs(each).max())[1]) for each in (x, y))
    order = order_by(x, y)[:: -(-len(x) // MOST_ORDERED)]
    across, up = np.diff(x[order]), np.diff(y[order])
    tilted = (across > 1e-100) & (up != 0.0)
    rows, slopes = order[:-1][tilted], up[tilted] / across[tilted]
    ranked = np.argsort(slopes)
    slopes, rows = slopes[ranked], rows[ranked]
    for k in np.flatnonzero(np.diff(slopes) <= ON_LINE * np.abs(slopes[1:]))[:MOST_LINES]:
        on_line = np.abs(y - y[rows[k]] - slopes[k] * (x - x[rows[k]])) <= ON_LINE * np.ptp(y)
        if np.count_nonzero(on_line) >= max(FEWEST_ON_LINE, FRACTION_ON_LINE * len(x)):
            return np.asarray(on_line)
    return np.zeros(len(x), dtype=bool)


def are_means(counts: FloatArray, means: FloatArray) -> bool:
    """Return whether products of counts and means, which may be rounded, are whole numbers."""
    # Above 2⁵³ all floats are whole numbers.
    if counts.min() < 1.0 or max(counts.max(), np.abs(means).max()) > 2.0**53:
        return False
    if np.any(counts != np.rint(counts)):
        return False
    steps = 10.0 ** np.arange(MOST_DECIMALS)
    # The coarsest of these steps that all means are multiples of; else they are not rounded.
    fits = [np.allclose(step * means, np.rint(step * means), rtol=0.0, atol=1e-6) for step in steps]
    rounding = 0.5 / steps[fits.index(True)] if any(fits) else 0.0
    for unit in MEAN_UNITS:
        near = counts * rounding / unit + 1e-6
        rows = (counts > 1.0) & (near < ROUNDING)
        if np.count_nonzero(rows) < FEWEST_ROWS:
            continue
        values, near = means[rows] / unit, near[rows]
        own, others = counts[rows] * values, counts[rows][::-1] * values
        whole, chance = (np.mean(np.abs(s - np.rint(s)) <= near) for s in (own, others))
        if whole > WHOLE and chance < BY_CHANCE:
            return True
    return False


def whole_of(x: FloatArray, y: FloatArray) -> float:
    """Return the whole that two numbers (n_samples,) are parts of, 0 if none. O(N log N)."""
    if min(x.min(), y.min()) < 0.0:
        return 0.0
    # Halves, so that the sum does not overflow.
    largest = 2.0 * float((0.5 * x + 0.5 * y).max())
    for whole in WHOLES:
        if NEAR_WHOLE * whole <= largest <= whole * (1.0 + 1e-9):
            # Of all sums of one row's x and another one's y.
            more = 1.0 - np.searchsorted(np.sort(y), whole - x, side="right").mean() / len(y)
            return whole if more >= EXCEED else 0.0
    return 0.0


def turned(values: FloatArray) -> FloatArray:
    """Return angles (n_samples,) from where they are fewest on; other values as they are."""
    low, high = values.min(), values.max()
    for period in PERIODS:
        for begin in (0.0, -0.5 * period):
            if low < begin or high > begin + period:
                continue
            along = (values - begin) / period
            counts = np.bincount((along * N_BINS).astype(np.intp) % N_BINS, minlength=N_BINS)
            if min(counts[0], counts[-1]) < AT_ENDS * len(values):
                continue
            around = counts + np.roll(counts, 1) + np.roll(counts, -1)
            cut = (around.argmin() + 0.5) / N_BINS
            return np.asarray((along - cut) % 1.0 * period)
    return values
