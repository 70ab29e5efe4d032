"""Penalized log-densities on a grid of equal cells.

Points come in and are counted; log-probabilities and the mass of intervals go out to
`anmmm.evidence.density`. docs/method/decisions.md, eq. 2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import HYPER, add, clear, dot, invert, log_of_product

__all__ = [
    "NORMAL", "STUDENT", "UNIFORM", "Grid", "count_bins", "describe", "interval_mass",
    "log_density", "mean_and_deviation", "student_fit",
]  # fmt: skip

# Base distributions, by number.
UNIFORM, NORMAL, STUDENT = 0, 1, 2


@kernel(fastmath=SUMS, part=True)
def _information(moments: FloatArray, n: float, precision: FloatArray) -> None:
    """Write n times the covariance of the features, lower triangle, from first moments alone."""
    root = math.sqrt(2.0)
    for i in range(precision.shape[0]):
        for j in range(i + 1):
            # 2 cos(a) cos(b) = cos(a - b) + cos(a + b); moment zero is that of the constant √2.
            second = (moments[i - j] + moments[i + j + 2]) / root
            precision[i, j] = n * (second - moments[i + 1] * moments[j + 1])


@kernel(fastmath=SUMS, part=True)
def _normalize(log_p: FloatArray, p: FloatArray) -> None:
    """Subtract the logarithm of the sum of exponentials; write the exponentials."""
    highest, z = -np.inf, 0.0
    for b in range(log_p.shape[0]):
        highest = log_p[b] if log_p[b] > highest else highest
    for b in range(log_p.shape[0]):
        p[b] = math.exp(log_p[b] - highest)
        z += p[b]
    shift = highest + math.log(z)
    for b in range(log_p.shape[0]):
        log_p[b] -= shift
        p[b] /= z


@kernel(fastmath=SUMS, part=True)
def log_density(
    counts: FloatArray, cosines: FloatArray, prior: FloatArray, max_iter: int, log_p: FloatArray
) -> float:
    """Fit a penalized log-density on a grid of equal cells by Newton's method.

    Parameters
    ----------
    counts : float64 (B,)
        Observations in each cell.
    cosines : float64 (2 r, B), C order
        ``√2 cos(π j u)`` at the cells' centers, j = 1..2 r. The log-density is a sum of the first
        r; the others give second moments.
    prior : float64 (r,)
        Prior variances of the coefficients in units of τ², which is fitted.
    max_iter : int
        Most Newton steps.
    log_p : float64 (B,)
        Overwritten by the log-probability of each cell.

    Returns
    -------
    float
        Cost of the coefficients: log-likelihood minus Laplace's approximation of the evidence.

    Notes
    -----
    docs/method/decisions.md, eq. 2. O(B r + r³) a step, whatever the number of observations.
    """
    r, B = prior.shape[0], counts.shape[0]
    target, beta, gradient = np.empty(r), np.empty(r), np.empty(r)
    moments, p = np.empty(2 * r + 1), np.empty(B)
    work, cov = np.empty((r, r)), np.empty((r, r))
    n = 0.0
    for b in range(B):
        n += counts[b]
        p[b] = 1.0 / B
    for i in range(r):
        target[i] = dot(cosines[i], counts)
        beta[i] = 0.0
    moments[0] = math.sqrt(2.0)
    tau2, log_det = 1.0, 0.0
    for _ in range(max_iter):
        for j in range(2 * r):
            moments[j + 1] = dot(cosines[j], p)
        _information(moments, n, work)
        for i in range(r):
            work[i, i] += 1.0 / (prior[i] * tau2)
            gradient[i] = target[i] - n * moments[i + 1] - beta[i] / (prior[i] * tau2)
        log_det = invert(work, cov)
        step, largest = work[0], 0.0
        for i in range(r):
            step[i] = dot(cov[i], gradient)
            length = abs(step[i])
            largest = length if length > largest else largest
        # The log-density is concave in the coefficients but a full step may overshoot.
        damping = 1.0 if largest < 1.0 else 1.0 / largest
        rough, told = 0.0, float(r)
        clear(log_p)
        for i in range(r):
            beta[i] += damping * step[i]
            rough += beta[i] * beta[i] / prior[i]
            told -= cov[i, i] / (prior[i] * tau2)
            add(beta[i], cosines[i], log_p)
        _normalize(log_p, p)
        # Of the same fixed point as an EM step, which often has not settled after 25.
        new = (rough + 2.0 * HYPER) / (told + 2.0 * HYPER)
        settled = largest < 1e-3 and abs(math.log(new / tau2)) < 1e-2
        tau2 = new
        if settled:
            break
    cost = 0.5 * log_det
    for i in range(r):
        cost += 0.5 * (beta[i] * beta[i] / (prior[i] * tau2) + math.log(prior[i] * tau2))
    return cost


@kernel(inner=True)
def _bin(point: float, B: int) -> int:
    return max(0, min(int(point), B - 1))


@kernel(part=True)
def count_bins(points: FloatArray, near: float, counts: FloatArray) -> None:
    """Count points in bins of length 1; one on the edge of two bins counts half in each.

    Tied values lie on edges often, and rounding, which another unit changes, must not send them all
    to one side.

    Parameters
    ----------
    points : float64 (n,)
        From 0 to B.
    near : float
        Distance from an edge that rounding can make.
    counts : float64 (B,)
        Overwritten.
    """
    B = counts.shape[0]
    clear(counts)
    for k in range(points.shape[0]):
        edge = np.rint(points[k])
        on_edge = abs(points[k] - edge) < near
        share = 0.5 if on_edge else 1.0
        counts[_bin(edge if on_edge else points[k], B)] += share
        if on_edge:
            counts[_bin(edge - 1.0, B)] += share


@kernel(inner=True)
def _cumulative(p: FloatArray) -> FloatArray:
    """Return the sums of the probabilities before each bin, and of all."""
    ends = np.empty(p.shape[0] + 1)
    ends[0] = 0.0
    for b in range(p.shape[0]):
        ends[b + 1] = ends[b] + p[b]
    return ends


@kernel(inner=True)
def _inside(low: float, high: float, p: FloatArray, ends: FloatArray) -> float:
    """Probability of an interval, from 0 to B."""
    B = p.shape[0]
    first, last = _bin(low, B), _bin(high, B)
    if first == last:
        inside = p[first] * (high - low)
    else:
        # No difference of large sums: the mass of a narrow interval is as exact as its ends.
        inside = p[first] * (first + 1 - low) + p[last] * (high - last)
        inside += ends[last] - ends[first + 1]
    # Far out in a tail the difference may round to a hair below zero.
    return float(max(inside, 0.0))


@kernel(fastmath=SUMS)
def interval_mass(low: FloatArray, high: FloatArray, log_p: FloatArray, mass: FloatArray) -> None:
    """Write the probability of intervals under a density that is constant on bins of length 1.

    Parameters
    ----------
    low, high : float64 (n,)
        Ends, from 0 to B.
    log_p : float64 (B,)
        Log-probability of each bin.
    mass : float64 (n,)
        Overwritten.
    """
    p = np.exp(log_p)
    ends = _cumulative(p)
    for k in range(low.shape[0]):
        mass[k] = _inside(low[k], high[k], p, ends)


@kernel(fastmath=SUMS)
def mean_and_deviation(values: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation, which NumPy takes many times as long for at N = 100."""
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
    """Fit location and squared scale of Student's t distribution by EM.

    Parameters
    ----------
    values : float64 (n,)
    freedom : float
        Degrees of freedom.
    smallest : float
        The squared scale does not fall below it.
    max_iter : int
        Most iterations; it ends where the squared scale changes by less than a thousandth.
    start : tuple of float
        Location and squared scale to start from.

    Returns
    -------
    location, variance : float
    """
    location, variance = start
    n = values.shape[0]
    for _ in range(max_iter):
        total, moment = 0.0, 0.0
        for k in range(n):
            e = values[k] - location
            weight = (freedom + 1.0) / (freedom + e * e / variance)
            total += weight
            moment += weight * values[k]
        center, squares = moment / total, 0.0
        for k in range(n):
            e = values[k] - location
            weight = (freedom + 1.0) / (freedom + e * e / variance)
            squares += weight * (values[k] - center) * (values[k] - center)
        location, previous = center, variance
        variance = max(squares / n, smallest)
        if abs(variance - previous) < 1e-3 * variance:
            break
    return location, variance


@kernel(inner=True)
def _quantile(base: int, z: float) -> float:
    """Distribution function of a base distribution with location 0 and scale 1."""
    if base == NORMAL:
        return 0.5 * math.erfc(-z * math.sqrt(0.5))
    if base == STUDENT:
        w = z / math.sqrt(3.0)
        return 0.5 + (math.atan(w) + w / (1.0 + w * w)) / math.pi
    return max(0.0, min(z, 1.0))


class Grid(NamedTuple):
    """How a correction to a base distribution is fitted.

    Attributes
    ----------
    cosines, prior, max_iter
        See `log_density`.
    near : float
        See `count_bins`.
    """

    cosines: FloatArray
    prior: FloatArray
    max_iter: int
    near: float


@kernel(fastmath=SUMS)
def describe(
    base: int, place: tuple[float, float], values: FloatArray, lower: FloatArray,
    upper: FloatArray, n_cells: int, grid: Grid, log_p: FloatArray,
) -> tuple[float, float, float]:  # fmt: skip
    """Fit a correction to a base distribution, and encode a variable with and without it.

    Parameters
    ----------
    base : int
        `UNIFORM`, `NORMAL` or `STUDENT`, the last with three degrees of freedom.
    place : tuple of float
        Location and scale of the base.
    values, lower, upper : float64 (n,)
        Observations and the ends of their cells.
    n_cells : int
        Number of cells.
    grid : Grid
    log_p : float64 (B,)
        Overwritten; see `log_density`.

    Returns
    -------
    cost : float
        What the correction costs.
    plain, corrected : float
        Nats of all cells without the correction and with it, costs left out.

    Notes
    -----
    docs/method/decisions.md, eqs. 1 and 2. O(n) and a Newton iteration on the bins.
    """
    location, scale = place
    n, B = values.shape[0], log_p.shape[0]
    low, high, counts = np.empty(n), np.empty(n), np.empty(B)
    for k in range(n):
        low[k] = B * _quantile(base, (values[k] - location) / scale)
    count_bins(low, grid.near, counts)
    cost = log_density(counts, grid.cosines, grid.prior, grid.max_iter, log_p)
    for k in range(n):
        low[k] = B * _quantile(base, (lower[k] - location) / scale)
        high[k] = B * _quantile(base, (upper[k] - location) / scale)
    plain = _nats(low, high, np.full(B, 1.0 / B), n_cells)
    return cost, plain, _nats(low, high, np.exp(log_p), n_cells)


@kernel(fastmath=SUMS, inner=True)
def _nats(low: FloatArray, high: FloatArray, p: FloatArray, n_cells: int) -> float:
    """Nats that encode intervals, from 0 to B, under probabilities (B,) of the bins."""
    n, ends = low.shape[0], _cumulative(p)
    total, so_far = 0.0, 1.0
    share = 1.0 / n
    for k in range(n):
        mass = (1.0 - share) * _inside(low[k], high[k], p, ends) + share / n_cells
        so_far, logarithm = log_of_product(so_far, mass)
        total -= logarithm
    return total - math.log(so_far)
