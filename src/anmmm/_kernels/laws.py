"""Laws of one variable or of residuals: the shortest of several base distributions, corrected.

Observations with the ends of their cells come in; the law that encodes them in the fewest nats, and
each observation's nats, go out to `anmmm.evidence.density`. docs/method/decisions.md, eqs. 1 and 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels.levels import coded, normal_levels, student_levels
from anmmm._kernels.log_density import count_bins, cumulative, inside, log_density
from anmmm._kernels.packed import copy_part, log_of_product

# Base distributions, by number.
UNIFORM, NORMAL, STUDENT = 0, 1, 2
# Tails of 1/x⁴: a variance exists, so that standardizing makes sense, and no higher moment.
DEGREES_OF_FREEDOM = 3.0
STUDENT_STEPS = 15


@kernel(inner=True)
def median(values: FloatArray, work: FloatArray) -> float:
    """Median of finite values, by selection in `work`."""
    n = values.shape[0]
    copy_part(values, work)
    middle, low, high = n // 2, 0, n - 1
    while low < high:
        center = work[(low + high) // 2]
        # The middle one of three parts sorted values into halves.
        pivot = max(min(work[low], work[high]), min(max(work[low], work[high]), center))
        i, j = low, high
        while i <= j:
            while work[i] < pivot:
                i += 1
            while work[j] > pivot:
                j -= 1
            if i <= j:
                work[i], work[j] = work[j], work[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break
    if n % 2:
        return float(work[middle])
    below = work[0]
    for k in range(1, middle):
        below = max(below, work[k])
    return float(0.5 * (below + work[middle]))


@kernel(fastmath=SUMS, inner=True)
def mean_and_deviation(values: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation."""
    n, total, squares = values.shape[0], 0.0, 0.0
    for k in range(n):
        total += values[k]
    mean = total / n
    for k in range(n):
        squares += (values[k] - mean) ** 2
    return mean, math.sqrt(squares / n)


@kernel(fastmath=SUMS)
def student_fit(
    values: FloatArray, freedom: float, smallest: float, max_iter: int, start: tuple[float, float]
) -> tuple[float, float]:
    """Fit location and squared scale, at least `smallest`, of Student's t distribution by EM.

    Ends where the squared scale changes by less than a thousandth.
    """
    location, variance = start
    n = values.shape[0]
    for _ in range(max_iter):
        total, moment, squares = 0.0, 0.0, 0.0
        one = 1.0 / variance
        for k in range(n):
            e = values[k] - location
            weight = (freedom + 1.0) / (freedom + e * e * one)
            total += weight
            moment += weight * e
            squares += weight * e * e
        shift, previous = moment / total, variance
        location += shift
        variance = max((squares - shift * moment) / n, smallest)
        if abs(variance - previous) < 1e-3 * variance:
            break
    return location, variance


@kernel(fastmath=SUMS)
def base_place(
    base: int, values: FloatArray, lower: FloatArray, upper: FloatArray, work: FloatArray
) -> tuple[float, float]:
    """Fit location and scale of a base, of `UNIFORM` left end and length; work: (2 n,)."""
    n = values.shape[0]
    if base == NORMAL:
        return mean_and_deviation(values)
    if base == UNIFORM:
        low, high = lower[0], upper[0]
        for k in range(n):
            low = lower[k] if lower[k] < low else low
            high = upper[k] if upper[k] > high else high
        return low, high - low
    medians, each, location = np.empty(3), work[:n], 0.0
    for which in range(3):
        # Of the values, of their squared distances from it, of the widths of the cells.
        for k in range(n):
            e = values[k] - location
            each[k] = upper[k] - lower[k] if which == 2 else (e * e if which == 1 else e)
        medians[which] = median(each, work[n : 2 * n])
        location = medians[0]
    # A value that holds more than half of the observations would draw the scale to zero.
    smallest = medians[2] * medians[2] / 12.0
    # Not from the variance, which one outlier can make anything.
    start = location, max(medians[1], smallest)
    location, variance = student_fit(values, DEGREES_OF_FREEDOM, smallest, STUDENT_STEPS, start)
    return location, math.sqrt(variance)


@kernel(inner=True)
def _write_levels(
    base: int,
    location: float,
    scale: float,
    points: FloatArray,
    work: FloatArray,
    levels: FloatArray,
    B: int,
) -> None:
    """Write the distribution function of a base at points, times the number of bins."""
    for k in range(points.shape[0]):
        levels[k] = (points[k] - location) / scale
    if base == NORMAL:
        normal_levels(levels, work)
    elif base == STUDENT:
        student_levels(levels)
    for k in range(points.shape[0]):
        level = levels[k]
        level = 1.0 if level > 1.0 else level
        levels[k] = B * (0.0 if level < 0.0 else level)


@kernel(fastmath=SUMS, inner=True)
def _lengths(low: FloatArray, high: FloatArray, p: FloatArray, n_cells: int) -> tuple[float, float]:
    """Nats that encode intervals, from 0 to B, by equal probabilities and by those of the bins."""
    n, ends, one = low.shape[0], cumulative(p), 1.0 / p.shape[0]
    plain, so_far = 0.0, 1.0
    corrected, product = 0.0, 1.0
    for k in range(n):
        mass = coded(max(high[k] - low[k], 0.0) * one, n, n_cells)
        so_far, logarithm = log_of_product(so_far, mass)
        plain -= logarithm
        mass = coded(inside(low[k], high[k], p, ends), n, n_cells)
        product, logarithm = log_of_product(product, mass)
        corrected -= logarithm
    return plain - math.log(so_far), corrected - math.log(product)


class Grid(NamedTuple):
    """How a correction to a base distribution is fitted; see `log_density` and `count_bins`."""

    cosines: FloatArray
    prior: FloatArray
    max_iter: int
    near: float


class Sample(NamedTuple):
    """Observations about K curves."""

    values: FloatArray  # (n,)
    lower: FloatArray  # (n,), ends of the observations' cells
    upper: FloatArray
    n_cells: int
    centers: FloatArray  # (K, n), taken out
    scales: FloatArray  # (K, n), divided out of all three


class Laws(NamedTuple):
    """K fitted laws."""

    # (K, 4): base, location and scale of it, cost of the correction, 0 without one
    numbers: FloatArray
    log_p: FloatArray  # (K, B), log-probability of each bin
    nats: FloatArray  # (K, n)


@kernel(fastmath=SUMS)
def fit_laws(sample: Sample, bases: IndexArray, grid: Grid, laws: Laws) -> None:
    """Fit the law that encodes scaled residuals in the fewest nats, about each of K curves.

    docs/method/decisions.md, eqs. 1 and 2. bases: (m,), tried each with a correction and without;
    the first one of equals wins.
    """
    n, B = sample.values.shape[0], laws.log_p.shape[1]
    points, levels, work, best = np.empty(3 * n), np.empty(3 * n), np.empty(3 * n), np.empty(2 * n)
    counts, log_p = np.empty(B), np.empty(B)
    low, high = levels[:n], levels[n : 2 * n]
    for c in range(laws.nats.shape[0]):
        for k in range(n):
            center, scale = sample.centers[c, k], sample.scales[c, k]
            points[k] = (sample.lower[k] - center) / scale
            points[n + k] = (sample.upper[k] - center) / scale
            points[2 * n + k] = (sample.values[k] - center) / scale
        shortest = np.inf
        for base in bases:
            location, spread = base_place(
                base, points[2 * n :], points[:n], points[n : 2 * n], work
            )
            _write_levels(base, location, spread, points, work, levels, B)
            count_bins(levels[2 * n :], grid.near, counts)
            cost = log_density(counts, grid.cosines, grid.prior, grid.max_iter, log_p)
            plain, corrected = _lengths(low, high, np.exp(log_p), sample.n_cells)
            if min(plain, corrected + cost) < shortest:
                is_plain = plain <= corrected + cost
                shortest = plain if is_plain else corrected + cost
                laws.numbers[c, 0], laws.numbers[c, 1] = base, location
                laws.numbers[c, 2], laws.numbers[c, 3] = spread, 0.0 if is_plain else cost
                for b in range(B):
                    laws.log_p[c, b] = -math.log(B) if is_plain else log_p[b]
                copy_part(levels, best)
        p = np.exp(laws.log_p[c])
        ends = cumulative(p)
        for k in range(n):
            mass = inside(best[k], best[n + k], p, ends)
            laws.nats[c, k] = -math.log(coded(mass, n, sample.n_cells))
