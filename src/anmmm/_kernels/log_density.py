"""Penalized log-densities on a grid of equal cells.

Counts come in; log-probabilities go out to `anmmm.evidence.density`.
docs/method/decisions.md, eq. 2.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import HYPER, add, clear, dot, invert, outer_product

__all__ = ["log_density"]


@kernel(fastmath=SUMS)
def log_density(
    counts: FloatArray, features: FloatArray, prior: FloatArray, max_iter: int, log_p: FloatArray
) -> float:
    """Fit a penalized log-density on a grid of equal cells by Newton's method.

    Parameters
    ----------
    counts : float64 (B,)
        Observations in each cell.
    features : float64 (B, r), C order
        Basis functions of the log-density at the cells' centers.
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
    docs/method/decisions.md, eq. 2. O(B r²) a step, whatever the number of observations.
    """
    B, r = features.shape
    size = r * (r + 1) // 2
    outer, second = np.empty(size), np.empty(size)
    target, first, beta, step = np.empty(r), np.empty(r), np.empty(r), np.empty(r)
    work, cov = np.empty((r, r)), np.empty((r, r))
    clear(target)
    clear(beta)
    n = 0.0
    for b in range(B):
        n += counts[b]
        add(counts[b], features[b], target)
        log_p[b] = -math.log(B)
    tau2, log_det = 1.0, 0.0
    for _ in range(max_iter):
        clear(first)
        clear(second)
        for b in range(B):
            p = math.exp(log_p[b])
            outer_product(features[b], outer)
            add(p, outer, second)
            add(p, features[b], first)
        q = 0
        for i in range(r):
            for j in range(i + 1):
                work[i, j] = n * (second[q] - first[i] * first[j])
                q += 1
            work[i, i] += 1.0 / (prior[i] * tau2)
        log_det = invert(work, cov)
        largest = 0.0
        for i in range(r):
            gradient = target[i] - n * first[i] - beta[i] / (prior[i] * tau2)
            work[0, i] = gradient
        for i in range(r):
            step[i] = dot(cov[i], work[0])
            length = abs(step[i])
            largest = length if length > largest else largest
        # The log-density is concave in the coefficients but a full step may overshoot.
        damping = 1.0 if largest < 1.0 else 1.0 / largest
        rough = 0.0
        for i in range(r):
            beta[i] += damping * step[i]
            rough += (beta[i] * beta[i] + cov[i, i]) / prior[i]
        z, highest = 0.0, -np.inf
        for b in range(B):
            log_p[b] = dot(features[b], beta)
            highest = log_p[b] if log_p[b] > highest else highest
        for b in range(B):
            z += math.exp(log_p[b] - highest)
        shift = highest + math.log(z)
        for b in range(B):
            log_p[b] -= shift
        new = (rough + 2.0 * HYPER) / (r + 2.0 * HYPER)
        settled = largest < 1e-3 and abs(math.log(new / tau2)) < 1e-2
        tau2 = new
        if settled:
            break
    cost = 0.5 * log_det
    for i in range(r):
        cost += 0.5 * (beta[i] * beta[i] / (prior[i] * tau2) + math.log(prior[i] * tau2))
    return cost
