"""Penalized log-densities on a grid of equal cells.

Counts come in; log-probabilities go out to `anmmm.evidence.density`.
docs/method/decisions.md, eq. 2.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import HYPER, add, clear, dot, invert

__all__ = ["log_density"]


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


@kernel(fastmath=SUMS)
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
