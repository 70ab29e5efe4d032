"""Penalized log-densities on a grid of equal cells.

Points come in and are counted; log-probabilities and the mass of intervals go out to
`anmmm.evidence.density`. docs/method/decisions.md, eq. 2.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    larger,
    load,
    load_one,
    multiply_add,
    product,
    store,
    total_of,
)
from anmmm._kernels.packed import HYPER, clear, copy_part, exp_nonpositive, padded
from anmmm._kernels.systems import eliminate, solution


@kernel(inner=True)
def _moments(folded: FloatArray, cosines: FloatArray, moments: FloatArray) -> None:
    """Write the sums of all features over folded bins, from `moments[1]` on."""
    half = folded.shape[0] // 2
    for j in range(cosines.shape[0]):
        # About the middle a cosine of even order is even, and one of odd order is odd.
        image, feature = everywhere(1.0 if j % 2 else -1.0), cosines[j]
        total = everywhere(0.0)
        for b in range(0, half, LANES):
            both = multiply_add(image, load(folded, half + b), load(folded, b))
            total = multiply_add(load(feature, b), both, total)
        moments[j + 1] = total_of(total)


@kernel(fastmath=SUMS, inner=True)
def _set_up(
    moments: FloatArray, gradient: FloatArray, precision: FloatArray, n: float, rows: FloatArray
) -> None:
    """Set up the system of n times the covariance of the features, plus a diagonal.

    The second moments are sums of first ones.
    """
    root, r = math.sqrt(2.0), gradient.shape[0]
    at = rows.shape[1] - padded(r)
    for i in range(r):
        clear(rows[i])
        for j in range(i, r):
            # 2 cos(a) cos(b) = cos(a - b) + cos(a + b); moment zero is that of the constant √2.
            second = (moments[j - i] + moments[i + j + 2]) / root
            rows[i, j] = n * (second - moments[i + 1] * moments[j + 1])
        rows[i, i] += precision[i]
        rows[i, r] = gradient[i]
        rows[i, at + i] = 1.0


@kernel(inner=True)
def _sum_features(
    beta: FloatArray, cosines: FloatArray, lanes: FloatArray, logs: FloatArray
) -> None:
    """Write a sum of features at folded bins, less its largest value."""
    half, one = logs.shape[0] // 2, everywhere(1.0)
    top = everywhere(-np.inf)
    for b in range(0, half, LANES):
        odd, even = everywhere(0.0), everywhere(0.0)
        for i in range(0, beta.shape[0], 2):
            odd = multiply_add(load_one(beta, i), load(cosines[i], b), odd)
            even = multiply_add(load_one(beta, i + 1), load(cosines[i + 1], b), even)
        first, image = multiply_add(one, odd, even), multiply_add(everywhere(-1.0), odd, even)
        store(logs, b, first)
        store(logs, half + b, image)
        top = larger(larger(first, image), top)
    store(lanes, 0, top)
    highest = lanes[0]
    for lane in range(1, LANES):
        highest = max(highest, lanes[lane])
    for b in range(0, 2 * half, LANES):
        store(logs, b, multiply_add(one, load(logs, b), everywhere(-highest)))


@kernel(inner=True)
def _normalize(logs: FloatArray, p: FloatArray) -> float:
    """Write probabilities in proportion to exponentials; returns the logarithm of their sum."""
    one, z = everywhere(1.0), everywhere(0.0)
    copy_part(logs, p)
    exp_nonpositive(p, p.shape[0])
    for b in range(0, p.shape[0], LANES):
        z = multiply_add(one, load(p, b), z)
    total = total_of(z)
    for b in range(0, p.shape[0], LANES):
        store(p, b, product(everywhere(1.0 / total), load(p, b)))
    return math.log(total)


@kernel(fastmath=SUMS, inner=True)
def log_density(
    counts: FloatArray, cosines: FloatArray, prior: FloatArray, max_iter: int, log_p: FloatArray
) -> float:
    """Fit a penalized log-density on a grid of equal cells by Newton's method.

    docs/method/decisions.md, eq. 2. counts, log_p: (B,), B a multiple of 16; cosines: (2 r, B),
    ``√2 cos(π j u)`` at the cells' centers, of which the first r, r even, make the log-density and
    the others second moments; prior: (r,), in units of τ², which is fitted. Returns the
    log-likelihood minus Laplace's log evidence. O(B r + r³) a step.
    """
    r, half = prior.shape[0], counts.shape[0] // 2
    width, lanes = padded(r), np.empty(LANES)
    rows, pivots = np.empty((r, padded(r + 1) + width)), np.empty(width)
    step, variance = np.empty(width), np.empty(width)
    target, beta, gradient = np.empty(2 * r + 1), np.zeros(r), np.empty(r)
    moments, precision = np.empty(2 * r + 1), np.empty(r)
    p, logs = np.empty(2 * half), np.zeros(2 * half)
    n, tau2, log_det, log_z = 0.0, 1.0, 0.0, math.log(2.0 * half)
    for b in range(half):
        p[b] = counts[b]
        p[half + b] = counts[2 * half - 1 - b]
        n += p[b] + p[half + b]
    for iteration in range(-1, max_iter):
        if iteration >= 0:
            for i in range(r):
                precision[i] = 1.0 / (prior[i] * tau2)
                gradient[i] = target[i + 1] - n * moments[i + 1] - beta[i] * precision[i]
            _set_up(moments, gradient, precision, n, rows)
            log_det = eliminate(rows, pivots, r)
            solution(rows, pivots, r, step, variance)
            largest = 0.0
            for i in range(r):
                largest = max(largest, abs(step[i]))
            # The log-density is concave in the coefficients but a full step may overshoot.
            damping = 1.0 if largest < 1.0 else 1.0 / largest
            rough, effective = 0.0, float(r)
            for i in range(r):
                beta[i] += damping * step[i]
                rough += beta[i] * beta[i] / prior[i]
                effective -= variance[i] * precision[i]
            _sum_features(beta, cosines, lanes, logs)
            log_z = _normalize(logs, p)
            # Of the same fixed point as an EM step, which often has not settled after 25.
            new = (rough + 2.0 * HYPER) / (effective + 2.0 * HYPER)
            settled = largest < 1e-3 and abs(math.log(new / tau2)) < 1e-2
            tau2 = new
            if settled:
                break
        _moments(p, cosines, moments)
        if iteration < 0:
            # Of equal probabilities to start from all but that of the constant are zero.
            copy_part(moments, target)
            clear(moments)
            moments[0] = math.sqrt(2.0)
    cost = 0.5 * log_det
    for i in range(r):
        cost += 0.5 * (beta[i] * beta[i] / (prior[i] * tau2) + math.log(prior[i] * tau2))
    for b in range(half):
        log_p[b] = logs[b] - log_z
        log_p[2 * half - 1 - b] = logs[half + b] - log_z
    return cost


@kernel(inner=True)
def _bin(point: float, B: int) -> int:
    return max(0, min(int(point), B - 1))


@kernel(inner=True)
def count_bins(points: FloatArray, near: float, counts: FloatArray) -> None:
    """Count points from 0 to B in bins of length 1; one `near` an edge counts half in both.

    Tied values lie on edges often, and rounding, which another unit changes, must not send them all
    to one side.
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
def cumulative(p: FloatArray) -> FloatArray:
    """Return the sums of the probabilities before each bin, and of all."""
    ends = np.empty(p.shape[0] + 1)
    ends[0] = 0.0
    for b in range(p.shape[0]):
        ends[b + 1] = ends[b] + p[b]
    return ends


@kernel(inner=True)
def inside(low: float, high: float, p: FloatArray, ends: FloatArray) -> float:
    """Probability of an interval, from 0 to B."""
    B = p.shape[0]
    first, last = _bin(low, B), _bin(high, B)
    if first == last:
        mass = p[first] * (high - low)
    else:
        # No difference of large sums: the mass of a narrow interval is as exact as its ends.
        mass = p[first] * (first + 1 - low) + p[last] * (high - last)
        mass += ends[last] - ends[first + 1]
    # Far out in a tail the difference may round to a hair below zero.
    return float(max(mass, 0.0))


@kernel(fastmath=SUMS)
def interval_mass(low: FloatArray, high: FloatArray, log_p: FloatArray, mass: FloatArray) -> None:
    """Write the probability of intervals in [0, B] under a density constant on bins of length 1."""
    p = np.exp(log_p)
    ends = cumulative(p)
    for k in range(low.shape[0]):
        mass[k] = inside(low[k], high[k], p, ends)
