"""One smooth mechanism with noise of a scale that depends smoothly on the cause.

A `Design` and the effect come in; coefficients of both curves and the evidence go out to
`anmmm.mixture`. docs/method/decisions.md, eq. 9.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import (
    HYPER,
    LOG_2PI,
    Design,
    add,
    clear,
    curve_posterior,
    dot,
    outer_products,
    pack_covariance,
    product_of,
)

__all__ = ["location_scale"]

# Share of a scoring step for g that is taken.
STEP = 0.7


@kernel(fastmath=SUMS, part=True)
def _curve_step(
    gram: FloatArray, moment: FloatArray, design: Design, n_inner: int, scales: FloatArray,
    variance: FloatArray, mean: FloatArray, cov: FloatArray, work: FloatArray,
) -> float:  # fmt: skip
    """Fit f and its smoothness to weighted sums; return what f costs."""
    prior, n_null = design.prior, design.n_null
    r = prior.shape[0]
    zero = np.zeros(r)
    penalty = 0.0
    for _ in range(n_inner):
        for i in range(n_null, r):
            variance[i] = prior[i] * scales[1]
        log_det = curve_posterior(gram, moment, 1.0, zero, variance, mean, cov, work)
        rough = 0.0
        for i in range(n_null, r):
            rough += (mean[i] * mean[i] + cov[i, i]) / prior[i]
        if r > n_null:
            scales[1] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
        penalty = 0.5 * log_det
        for i in range(r):
            v = prior[i] * (scales[1] if i >= n_null else 1.0)
            penalty += 0.5 * ((mean[i] * mean[i] + cov[i, i]) / v - 1.0 + math.log(v))
    return penalty


@kernel(fastmath=SUMS, part=True)
def _scale_step(
    design: Design, e2: FloatArray, scales: FloatArray, gamma: FloatArray, gradient: FloatArray,
    g: FloatArray, w: FloatArray,
) -> None:  # fmt: skip
    """Take one scoring step for g, given the expected squared residuals, and fit its smoothness.

    w is ``exp(-2 g)``, read and overwritten.
    """
    columns, prior, n_null = design.columns, design.prior, design.n_null
    n, r = columns.shape
    clear(gradient)
    for k in range(n):
        # The cap keeps one outlier from throwing the step; it is inactive at a solution
        # unless a residual exceeds five of its own standard deviations.
        pull = e2[k] * w[k] - 1.0
        add(pull if pull < 24.0 else 24.0, columns[k], gradient)
    rough = 0.0
    for i in range(r):
        v = prior[i] * scales[2] if i >= n_null else (prior[i] if i > 0 else np.inf)
        h = 2.0 * n + 1.0 / v
        gamma[i] += STEP * (gradient[i] - gamma[i] / v) / h
        if i >= n_null:
            rough += (gamma[i] * gamma[i] + 1.0 / h) / prior[i]
    if r > n_null:
        scales[2] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
    for k in range(n):
        g[k] = dot(gamma, columns[k])
        w[k] = math.exp(-2.0 * g[k])


@kernel(fastmath=SUMS)
def location_scale(
    design: Design, y: FloatArray, floor: float, n_inner: int, tol: float, max_iter: int,
    scales: FloatArray, mean: FloatArray, gamma: FloatArray,
) -> tuple[float, float, int]:  # fmt: skip
    """Fit ``y = f(x) + exp(g(x)) ε`` with both curves smooth, by scoring steps.

    Parameters
    ----------
    design : Design
    y : float64 (n,)
    floor : float
        Added to every squared residual: a scale cannot fall below the data's resolution.
    tol : float
        Stop when the penalized log-likelihood changes by less.
    n_inner, max_iter : int
        Rounds of (f, its smoothness) between two steps for g; most iterations.
    scales : float64 (3,)
        Start: noise variance, τ² of f, τ² of g; overwritten.
    mean, gamma : float64 (r,)
        Overwritten by the coefficients of f (posterior mean) and of g (mode).

    Returns
    -------
    evidence : float
        Approximate log evidence (f integrated out, g by Laplace's method).
    complexity : float
        What the curves cost: the log-likelihood at (f, g) minus the evidence, up to the floor.
    n_iter : int

    Notes
    -----
    docs/method/decisions.md, eq. 9. The expected Hessian of g is 2n I in this basis, so a step for
    g is O(n r). O(n r² + r³) an iteration.
    """
    columns, prior, n_null = design.columns, design.prior, design.n_null
    n, r = columns.shape
    size = r * (r + 1) // 2
    gram, packed, products = np.empty(size), np.empty(size), outer_products(columns)
    moment, gradient = np.empty(r), np.empty(r)
    work, cov = np.empty((r, r)), np.empty((r, r))
    g, w, e2, var = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    variance = prior.copy()
    clear(gamma)
    gamma[0] = 0.5 * math.log(scales[0])
    for k in range(n):
        g[k], w[k] = gamma[0], 1.0 / scales[0]
    evidence, complexity = -np.inf, 0.0
    for iteration in range(max_iter):
        clear(gram)
        clear(moment)
        for k in range(n):
            add(w[k], product_of(columns, products, k), gram)
            add(w[k] * y[k], columns[k], moment)
        penalty = _curve_step(gram, moment, design, n_inner, scales, variance, mean, cov, work)
        pack_covariance(cov, packed)
        for k in range(n):
            var[k] = dot(packed, product_of(columns, products, k))
            e = y[k] - dot(mean, columns[k])
            e2[k] = e * e + var[k] + floor

        for _ in range(2):
            _scale_step(design, e2, scales, gamma, gradient, g, w)

        for i in range(1, r):
            v = prior[i] * scales[2] if i >= n_null else prior[i]
            penalty += 0.5 * (gamma[i] * gamma[i] / v + math.log(1.0 + 2.0 * n * v))
        value, shrunk = 0.0, 0.0
        for k in range(n):
            value -= 0.5 * (LOG_2PI + e2[k] * w[k]) + g[k]
            shrunk += 0.5 * var[k] * w[k]
        complexity = penalty + shrunk
        change = abs(value - penalty - evidence)
        evidence = value - penalty
        if iteration > 0 and change < tol:
            return evidence, complexity, iteration + 1
    return evidence, complexity, max_iter
