"""One smooth mechanism with noise of a scale that depends smoothly on the cause.

docs/method/decisions.md, eq. 9.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.columns import add_weighted, combine, expected_curve
from anmmm._kernels.e_step import CHUNK
from anmmm._kernels.packed import (
    HYPER,
    LOG_2PI,
    Design,
    copy_part,
    dot,
    exp_nonpositive,
    padded,
)
from anmmm._kernels.systems import System, clear_sums, inverse_factor, new_system, solve

# Step length of a scoring step for g.
STEP = 0.7


@kernel(inner=True)
def _curve_step(design: Design, n_inner: int, scales: FloatArray, system: System) -> float:
    """Fit f and its smoothness to weighted sums; return the cost of f."""
    _, prior, n_null = design
    r = prior.shape[0]
    mean = system.mean
    variance = system.variance
    penalty = 0.0
    for _ in range(n_inner):
        for i in range(r):
            system.precision[i] = 1.0 / (prior[i] * (scales[1] if i >= n_null else 1.0))
        penalty = 0.5 * solve(system, r, 1.0)
        rough = 0.0
        for i in range(n_null, r):
            rough += (mean[i] * mean[i] + variance[i]) / prior[i]
        if r > n_null:
            scales[1] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
        for i in range(r):
            v = prior[i] * (scales[1] if i >= n_null else 1.0)
            penalty += 0.5 * ((mean[i] * mean[i] + variance[i]) / v - 1.0 + math.log(v))
    return penalty


@kernel(fastmath=SUMS, inner=True)
def _scale_step(
    design: Design,
    e2: FloatArray,
    scales: FloatArray,
    gamma: FloatArray,
    gradient: FloatArray,
    g: FloatArray,
    w: FloatArray,
) -> None:
    """Take a scoring step for g, given the expected squared residuals, and fit its smoothness."""
    columns, prior, n_null = design
    n = e2.shape[0]
    r = prior.shape[0]
    for k in range(n):
        # The cap limits the effect of one outlier on the step. At a solution it is active only if
        # a residual exceeds five of its own standard deviations.
        g[k] = min(e2[k] * w[k] - 1.0, 24.0)
    for i in range(r):
        gradient[i] = dot(g, columns[i])
    rough = 0.0
    for i in range(r):
        v = prior[i] * (scales[2] if i >= n_null else 1.0)
        if i == 0:
            v = np.inf
        h = 2.0 * n + 1.0 / v
        gamma[i] += STEP * (gradient[i] - gamma[i] / v) / h
        if i >= n_null:
            rough += (gamma[i] * gamma[i] + 1.0 / h) / prior[i]
    if r > n_null:
        scales[2] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
    combine(columns, gamma, g)
    for k in range(n):
        # No larger than the exponential's range.
        w[k] = min(-2.0 * g[k], 700.0)
    exp_nonpositive(w, n)


@kernel(fastmath=SUMS, allocates=True)
def location_scale(
    design: Design,
    y: FloatArray,
    floor: float,
    n_inner: int,
    tol: float,
    max_iter: int,
    scales: FloatArray,
    mean: FloatArray,
    gamma: FloatArray,
) -> tuple[float, float, int]:
    """Fit ``y = f(x) + exp(g(x)) ε``, both curves smooth, by scoring; O(n r² + r³) an iteration.

    Overwrites scales (3,): noise variance, τ² of f, of g; mean, gamma (padded(r),) are 0 before.
    Returns the log evidence (g by Laplace's method), the cost of the curves, and the iterations.
    """
    columns, prior, n_null = design
    n = y.shape[0]
    r = prior.shape[0]
    width = padded(prior.shape[0])
    system = new_system(r)
    factor = np.zeros((width, width))
    gradient = np.zeros(width)
    gram = system.gram
    moment = system.moment
    products = np.empty(CHUNK)
    w = np.empty(n)
    g = np.zeros(padded(n))
    e2 = np.empty(padded(n))
    curve_variance = np.empty(padded(n))
    gamma[0] = 0.5 * math.log(scales[0])
    for k in range(n):
        g[k] = gamma[0]
        w[k] = 1.0 / scales[0]
    evidence = -np.inf
    complexity = 0.0
    n_iter = max_iter
    for iteration in range(max_iter):
        clear_sums(system)
        for begin in range(0, n, CHUNK):
            end = min(begin + CHUNK, n)
            add_weighted(columns, begin, w[begin:end], y[begin:end], products, gram, moment)
        penalty = _curve_step(design, n_inner, scales, system)
        inverse_factor(system.rows, system.pivots, r, factor)
        expected_curve(columns, 0, padded(n), system.mean, factor, e2, curve_variance)
        for k in range(n):
            e = y[k] - e2[k]
            e2[k] = e * e + curve_variance[k] + floor
        for _ in range(2):
            _scale_step(design, e2[:n], scales, gamma, gradient, g, w)

        for i in range(1, r):
            v = prior[i] * scales[2] if i >= n_null else prior[i]
            penalty += 0.5 * (gamma[i] * gamma[i] / v + math.log(1.0 + 2.0 * n * v))
        value = 0.0
        variance_nats = 0.0
        for k in range(n):
            value -= 0.5 * (LOG_2PI + e2[k] * w[k]) + g[k]
            variance_nats += 0.5 * curve_variance[k] * w[k]
        complexity = penalty + variance_nats
        change = abs(value - penalty - evidence)
        evidence = value - penalty
        if iteration > 0 and change < tol:
            n_iter = iteration + 1
            break
    copy_part(system.mean, mean)
    return evidence, complexity, n_iter
