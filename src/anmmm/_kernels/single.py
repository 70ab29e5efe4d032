"""One smooth curve with constant noise, in closed form given two variances.

On orthogonal columns ψ of mean square 1, with ``v_k`` the prior variance of coefficient k, its
posterior has mean ``v_k Σ_n y_n ψ_nk / (σ² + N v_k)`` and variance ``σ² v_k / (σ² + N v_k)``.
"""

from __future__ import annotations

import math

from anmmm._kernels._jit import FloatArray, kernel
from anmmm._kernels.packed import HYPER, LOG_2PI, new_smoothing

# Change of the logarithms of both variances at which they are fixed. The evidence is flat there: it
# misses some 1e-8 nats.
LOG_VARIANCE_TOLERANCE = 1e-4


@kernel(inner=True)
def _fit_coefficients(
    prior: FloatArray,
    n_null: int,
    products: FloatArray,
    squares: float,
    n: int,
    scales: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
) -> tuple[float, float]:
    """Write the posterior given both variances; return squared residuals and coefficients used."""
    residual = squares
    effective = 0.0
    for k in range(prior.shape[0]):
        v = prior[k] * (scales[1] if k >= n_null else 1.0)
        weight = v / (scales[0] + n * v)
        mean[k] = weight * products[k]
        variance[k] = scales[0] * weight
        residual += mean[k] * (n * mean[k] - 2.0 * products[k])
        effective += n * weight
    return residual, effective


@kernel()
def single_curve(
    prior: FloatArray,
    n_null: int,
    products: FloatArray,
    squares: float,
    n: int,
    floor: float,
    max_iter: int,
    scales: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
) -> tuple[float, float, int]:
    """Fit a curve to sums over n observations: products ``Σ y ψ`` (r,), squares ``Σ y²``.

    Overwrites the variances of noise and of smoothing in `scales`, and the posterior of the
    coefficients, (r,) each. Returns the log marginal likelihood, the cost of the curve, and the
    iterations of O(r).
    """
    r = prior.shape[0]
    n_iter = 0
    change = math.inf
    while n_iter < max_iter and change > LOG_VARIANCE_TOLERANCE:
        s2 = scales[0]
        tau2 = scales[1]
        if r > n_null:
            scales[1] = new_smoothing(prior, n_null, products, s2, n, tau2)
        residual, effective = _fit_coefficients(
            prior, n_null, products, squares, n, scales, mean, variance
        )
        # As with τ², the fixed point of EM.
        scales[0] = max(residual / (n - effective), floor)
        change = max(abs(math.log(scales[0] / s2)), abs(math.log(scales[1] / tau2)))
        n_iter += 1
    residual, _ = _fit_coefficients(prior, n_null, products, squares, n, scales, mean, variance)
    s2 = scales[0]
    tau2 = scales[1]
    cost = HYPER * (math.log(tau2) + 1.0 / tau2 - 1.0) if r > n_null else 0.0
    for k in range(r):
        v = prior[k] * (tau2 if k >= n_null else 1.0)
        cost += 0.5 * (mean[k] * mean[k] / v + math.log(1.0 + n * v / s2))
    log_likelihood = -0.5 * (residual / s2 + n * (LOG_2PI + math.log(s2)))
    return log_likelihood - cost, cost, n_iter
