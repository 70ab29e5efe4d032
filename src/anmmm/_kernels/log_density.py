"""Penalized log-densities on a grid of equal bins; docs/method/decisions.md, eq. 2."""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import FloatArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    broadcast,
    exponential,
    load,
    load_broadcast,
    maximum,
    reduce_add,
    store,
)
from anmmm._kernels.packed import HYPER, clear, copy_part
from anmmm._kernels.systems import new_system, solve

MAX_NEWTON_STEPS = 25
# Distance from the edge of a bin, in bins, that is rounding.
ON_EDGE = 1e-9


@kernel(inner=True)
def _moments(folded: FloatArray, cosines: FloatArray, moments: FloatArray) -> None:
    """Write the sums of all features over folded bins, from `moments[1]` on."""
    half = folded.shape[0] // 2
    for j in range(cosines.shape[0]):
        # About the middle a cosine of even order is even, and one of odd order is odd.
        sign = 1.0 if j % 2 else -1.0
        feature = cosines[j]
        total = broadcast(0.0)
        for b in range(0, half, LANES):
            total += load(feature, b) * (load(folded, b) + sign * load(folded, half + b))
        moments[j + 1] = reduce_add(total)


@kernel(inner=True)
def _write_covariance(moments: FloatArray, n: float, r: int, gram: FloatArray) -> None:
    """Write n times the covariance of the first r features, on and above the diagonal."""
    root = math.sqrt(2.0)
    for i in range(r):
        for j in range(i, r):
            # 2 cos(a) cos(b) = cos(a - b) + cos(a + b); moment zero is that of the constant √2.
            second_moment = (moments[j - i] + moments[i + j + 2]) / root
            gram[i, j] = n * (second_moment - moments[i + 1] * moments[j + 1])


@kernel(inner=True)
def _sum_features(
    beta: FloatArray, cosines: FloatArray, lanes: FloatArray, logs: FloatArray
) -> None:
    """Write a sum of features at folded bins, minus its largest value."""
    half = logs.shape[0] // 2
    top = broadcast(-np.inf)
    for b in range(0, half, LANES):
        odd = broadcast(0.0)
        even = broadcast(0.0)
        for i in range(0, beta.shape[0], 2):
            odd += load_broadcast(beta, i) * load(cosines[i], b)
            even += load_broadcast(beta, i + 1) * load(cosines[i + 1], b)
        value = odd + even
        image = even - odd
        store(logs, b, value)
        store(logs, half + b, image)
        top = maximum(maximum(value, image), top)
    store(lanes, 0, top)
    highest = lanes[0]
    for lane in range(1, LANES):
        highest = max(highest, lanes[lane])
    for b in range(0, 2 * half, LANES):
        store(logs, b, load(logs, b) - highest)


@kernel(inner=True)
def _normalize(logs: FloatArray, p: FloatArray) -> float:
    """Write probabilities proportional to exponentials; return the logarithm of their sum."""
    sums = broadcast(0.0)
    for b in range(0, p.shape[0], LANES):
        density = exponential(load(logs, b))
        store(p, b, density)
        sums += density
    total = reduce_add(sums)
    scale = 1.0 / total
    for b in range(0, p.shape[0], LANES):
        store(p, b, scale * load(p, b))
    return math.log(total)


@kernel(inner=True, allocates=True)
def log_density(
    counts: FloatArray, cosines: FloatArray, prior: FloatArray, log_p: FloatArray
) -> float:
    """Fit a penalized log-density on equal bins by Newton's method; return its cost in nats.

    counts, log_p: (B,), B a multiple of 16; cosines: (2 r, B), the last r for second moments;
    prior: (r,), r even, in units of τ², which is fitted. O(B r + r³) a step.
    """
    r = prior.shape[0]
    half = counts.shape[0] // 2
    system = new_system(r)
    step = system.mean
    precision = system.precision
    lanes = np.empty(LANES)
    target = np.empty(2 * r + 1)
    beta = np.zeros(r)
    moments = np.empty(2 * r + 1)
    p = np.empty(2 * half)
    logs = np.zeros(2 * half)
    n = 0.0
    tau2 = 1.0
    log_det = 0.0
    log_z = math.log(2.0 * half)
    for b in range(half):
        p[b] = counts[b]
        p[half + b] = counts[2 * half - 1 - b]
        n += p[b] + p[half + b]
    for iteration in range(-1, MAX_NEWTON_STEPS):
        if iteration >= 0:
            for i in range(r):
                precision[i] = 1.0 / (prior[i] * tau2)
                # The gradient: the solution is a step, whose prior mean is 0.
                system.moment[i] = target[i + 1] - n * moments[i + 1] - beta[i] * precision[i]
            _write_covariance(moments, n, r, system.gram)
            log_det = solve(system, r, 1.0)
            largest = 0.0
            for i in range(r):
                largest = max(largest, abs(step[i]))
            # The log-density is concave in the coefficients but a full step may overshoot.
            damping = 1.0 if largest < 1.0 else 1.0 / largest
            rough = 0.0
            effective = float(r)
            for i in range(r):
                beta[i] += damping * step[i]
                rough += beta[i] * beta[i] / prior[i]
                effective -= system.variance[i] * precision[i]
            _sum_features(beta, cosines, lanes, logs)
            log_z = _normalize(logs, p)
            # The fixed point of an EM step, which often has not converged after 25.
            new_tau2 = (rough + 2.0 * HYPER) / (effective + 2.0 * HYPER)
            converged = largest < 1e-3 and abs(math.log(new_tau2 / tau2)) < 1e-2
            tau2 = new_tau2
            if converged:
                break
        _moments(p, cosines, moments)
        if iteration < 0:
            # The start is equal probabilities: only the moment of the constant is not zero.
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
def count_bins(points: FloatArray, counts: FloatArray) -> None:
    """Count points from 0 to B in bins of length 1; one on an edge counts half in both."""
    # Tied values often lie on edges; rounding must not put all of them in the same bin.
    B = counts.shape[0]
    clear(counts)
    for k in range(points.shape[0]):
        edge = np.rint(points[k])
        on_edge = abs(points[k] - edge) < ON_EDGE
        counts[_bin(edge if on_edge else points[k], B)] += 0.5 if on_edge else 1.0
        if on_edge:
            counts[_bin(edge - 1.0, B)] += 0.5


@kernel(inner=True, allocates=True)
def masses(low: FloatArray, high: FloatArray, p: FloatArray, mass: FloatArray) -> None:
    """Write the probabilities (n,) of intervals from 0 to B."""
    B = p.shape[0]
    ends = np.empty(p.shape[0] + 1)
    ends[0] = 0.0
    for b in range(B):
        ends[b + 1] = ends[b] + p[b]
    for k in range(low.shape[0]):
        first_bin = _bin(low[k], B)
        last_bin = _bin(high[k], B)
        if first_bin == last_bin:
            probability = p[first_bin] * (high[k] - low[k])
        else:
            # No difference of large sums: the mass of a narrow interval is as exact as its ends.
            probability = p[first_bin] * (first_bin + 1 - low[k]) + p[last_bin] * (
                high[k] - last_bin
            )
            probability += ends[last_bin] - ends[first_bin + 1]
        # In a far tail the difference may round to slightly below zero.
        mass[k] = max(probability, 0.0)
