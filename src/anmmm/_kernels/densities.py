"""Densities of one variable or of residuals: corrected base distributions, the shortest of several.

docs/method/decisions.md, eqs. 1 and 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels.distributions import mixed_with_cells, normal_levels, student_levels
from anmmm._kernels.log_density import count_bins, log_density, masses
from anmmm._kernels.packed import copy_part, exp_nonpositive, sum_of_logs

# Base distributions, by number.
UNIFORM = 0
NORMAL = 1
STUDENT = 2
# Tails of 1/x⁴: a variance exists, so that standardizing makes sense, and no higher moment.
DEGREES_OF_FREEDOM = 3.0
STUDENT_STEPS = 15


class Grid(NamedTuple):
    """How a correction to a base distribution is fitted; see `log_density`."""

    cosines: FloatArray
    prior: FloatArray


@kernel(inner=True)
def _median(values: FloatArray) -> float:
    """Return the median of finite values, which are reordered (`np.median` compiles for 1 s)."""
    n = values.shape[0]
    middle = n // 2
    low = 0
    high = n - 1
    while low < high:
        center = values[(low + high) // 2]
        # The middle one of three splits sorted values in half.
        pivot = max(min(values[low], values[high]), min(max(values[low], values[high]), center))
        i = low
        j = high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if middle > j and middle < i:
            break
        low, high = (low, j) if middle <= j else (i, high)
    if n % 2:
        return float(values[middle])
    below = values[0]
    for k in range(1, middle):
        below = max(below, values[k])
    return float(0.5 * (below + values[middle]))


@kernel(fastmath=SUMS, inner=True)
def _mean_and_deviation(values: FloatArray) -> tuple[float, float]:
    n = values.shape[0]
    total = 0.0
    squares = 0.0
    for k in range(n):
        total += values[k]
    mean = total / n
    for k in range(n):
        e = values[k] - mean
        squares += e * e
    return mean, math.sqrt(squares / n)


@kernel(fastmath=SUMS, inner=True)
def fit_student(
    values: FloatArray, smallest: float, max_iter: int, start: tuple[float, float]
) -> tuple[float, float]:
    """Fit location and squared scale, at least `smallest`, of `STUDENT` by EM."""
    location, variance = start
    n = values.shape[0]
    for _ in range(max_iter):
        total = 0.0
        moment = 0.0
        squares = 0.0
        inverse_variance = 1.0 / variance
        for k in range(n):
            e = values[k] - location
            weight = (DEGREES_OF_FREEDOM + 1.0) / (DEGREES_OF_FREEDOM + e * e * inverse_variance)
            total += weight
            moment += weight * e
            squares += weight * e * e
        shift = moment / total
        previous = variance
        location += shift
        variance = max((squares - shift * moment) / n, smallest)
        if abs(variance - previous) < 1e-3 * variance:
            break
    return location, variance


@kernel(fastmath=SUMS, allocates=True)
def fit_base(
    base: int, values: FloatArray, lower: FloatArray, upper: FloatArray
) -> tuple[float, float]:
    """Fit location and scale of a base; of `UNIFORM`, left end and length."""
    n = values.shape[0]
    if base == NORMAL:
        return _mean_and_deviation(values)
    if base == UNIFORM:
        low = lower[0]
        high = upper[0]
        for k in range(n):
            low = lower[k] if lower[k] < low else low
            high = upper[k] if upper[k] > high else high
        return low, high - low
    work = np.empty((3, n))
    for k in range(n):
        work[0, k] = values[k]
        work[1, k] = upper[k] - lower[k]
    location = _median(work[0])
    width = _median(work[1])
    for k in range(n):
        work[2, k] = (values[k] - location) * (values[k] - location)
    # If one value has more than half of the observations the scale must not go to zero.
    smallest = width * width / 12.0
    # The variance is no start: one outlier can make it anything.
    start = location, max(_median(work[2]), smallest)
    location, variance = fit_student(values, smallest, STUDENT_STEPS, start)
    return location, math.sqrt(variance)


@kernel(inner=True)
def _write_levels(
    base: int,
    location: float,
    scale: float,
    points: FloatArray,
    levels: FloatArray,
    B: int,
) -> None:
    """Write the distribution function of a base at points, times the number of bins."""
    for k in range(points.shape[0]):
        levels[k] = (points[k] - location) / scale
    if base == NORMAL:
        normal_levels(levels)
    elif base == STUDENT:
        student_levels(levels)
    for k in range(points.shape[0]):
        level = levels[k]
        level = 1.0 if level > 1.0 else level
        levels[k] = B * (0.0 if level < 0.0 else level)


@kernel(inner=True, allocates=True)
def _lengths(low: FloatArray, high: FloatArray, p: FloatArray, n_cells: int) -> tuple[float, float]:
    """Nats that encode intervals in [0, B], by equal probabilities of the bins and by `p`."""
    bin_mass = 1.0 / p.shape[0]
    mass = np.empty(low.shape[0])
    for k in range(mass.shape[0]):
        mass[k] = max(high[k] - low[k], 0.0) * bin_mass
    plain = _nats(mass, n_cells)
    masses(low, high, p, mass)
    return plain, _nats(mass, n_cells)


@kernel(inner=True)
def _nats(mass: FloatArray, n_cells: int) -> float:
    """Nats that encode cells, given their probabilities (n,), which are overwritten."""
    n = mass.shape[0]
    for k in range(n):
        mass[k] = mixed_with_cells(mass[k], n, n_cells)
    # Products of four, because a sum of logarithms waits for each factor; none is near 0.
    n_groups = n // 4
    for group in range(n_groups):
        k = 4 * group
        mass[group] = (mass[k] * mass[k + 1]) * (mass[k + 2] * mass[k + 3])
    n_remaining = n - 4 * n_groups
    for k in range(n_remaining):
        mass[n_groups + k] = mass[4 * n_groups + k]
    return -sum_of_logs(mass, n_groups + n_remaining)


@kernel(inner=True)
def _exponentials(logs: FloatArray, out: FloatArray) -> None:
    """Write the exponentials of numbers that are not positive."""
    copy_part(logs, out)
    exp_nonpositive(out, out.shape[0])


@kernel(fastmath=SUMS, allocates=True)
def fit_density(
    values: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    n_cells: int,
    bases: IndexArray,
    grid: Grid,
    log_p: FloatArray,
    nats: FloatArray,
) -> tuple[int, float, float, float]:
    """Fit the density by one of `bases` that encodes a variable's cells in the fewest nats.

    values, and the ends of their cells: (n,). Writes the log-probability of each bin, log_p (B,),
    and nats (n,). Returns the base, its location and scale, and the cost of the correction or 0.
    """
    n = values.shape[0]
    B = log_p.shape[0]
    points = np.empty(3 * n)
    levels = np.empty(3 * n)
    best_levels = np.empty(2 * n)
    counts = np.empty(B)
    corrected_log_p = np.empty(B)
    p = np.empty(B)
    low = levels[:n]
    high = levels[n : 2 * n]
    copy_part(lower, points)
    copy_part(upper, points[n:])
    copy_part(values, points[2 * n :])
    shortest = np.inf
    best_base = -1
    best_location = 0.0
    best_scale = 1.0
    best_cost = 0.0
    for base in bases:
        location, scale = fit_base(base, values, lower, upper)
        _write_levels(base, location, scale, points, levels, B)
        count_bins(levels[2 * n :], counts)
        cost = log_density(counts, grid.cosines, grid.prior, corrected_log_p)
        _exponentials(corrected_log_p, p)
        plain, corrected = _lengths(low, high, p, n_cells)
        if min(plain, corrected + cost) < shortest:
            is_plain = plain <= corrected + cost
            shortest = plain if is_plain else corrected + cost
            best_base = base
            best_location = location
            best_scale = scale
            best_cost = 0.0 if is_plain else cost
            for b in range(B):
                log_p[b] = -math.log(B) if is_plain else corrected_log_p[b]
            copy_part(levels, best_levels)
    _exponentials(log_p, p)
    masses(best_levels[:n], best_levels[n:], p, nats)
    for k in range(n):
        nats[k] = -math.log(mixed_with_cells(nats[k], n, n_cells))
    return best_base, best_location, best_scale, best_cost
