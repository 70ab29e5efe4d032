"""M-step of mixtures of smooth curves: posteriors of the curves, their center, and variances.

docs/method/decisions.md, eqs. 4 to 7. The E-step is in `e_step`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from anmmm._kernels._jit import FloatArray, kernel
from anmmm._kernels.packed import HYPER, clear, log_of_product
from anmmm._kernels.systems import System, solve

# Inverse-gamma prior on the variances of intercepts and slopes about their mean over the
# mechanisms: broad, with its mass above (a tenth of the effect's standard deviation)². Costs are
# relative to its mode.
NULL_SHAPE = 0.5
NULL_SCALE = 0.01
# Pseudo-observations of each mechanism. At N = 100 the data hardly distinguish overlapping
# mechanisms, and with free weights the weight of one could go to zero.
WEIGHT_PRIOR = 20.0
# States of a start.
RUNNING = 0.0
CONVERGED = 1.0
GIVEN_UP = 2.0


class Problem(NamedTuple):
    """Prior and options of a fit."""

    prior: FloatArray  # (r,), prior variances, beyond `n_null` in units of a smoothing variance
    n_null: int  # columns that are not smoothed (constant and linear)
    n_inner: int  # rounds of (curves, variances) in an M-step
    floor: float  # smallest noise variance
    tol: float  # nats per observation by which the last iteration raises the bound
    max_iter: int  # of the run that follows the short ones of all starts
    lowest_bound: float  # bound below which a fit is of no use


class Fits(NamedTuple):
    """Fits of all S starts, C curves each, and their sums; rows of r numbers are padded."""

    # (S, 3 + n_null): noise variance σ², τ² of curves about their center, τ₀² of the center, ω² of
    # constant and linear coefficients. A single curve has its center at zero and keeps τ₀² and ω².
    scales: FloatArray
    center: FloatArray  # (S, padded(r)), posterior mean; with the scales, what a fit starts from
    weights: FloatArray  # (S, C), a_c
    log_weights: FloatArray
    mean: FloatArray  # (S, C, padded(r)), posterior means of the coefficients
    systems: FloatArray  # (S, C, r, padded(r + 1) + padded(r)), after their elimination
    pivots: FloatArray  # (S, C, padded(r))
    # (S, C, padded(r) + 1, padded(r)): Σ_n R_nc ψ_n ψ_nᵀ; below it Σ_n R_nc y_n ψ_n
    sums: FloatArray


class Work(NamedTuple):
    """Arrays of an M-step."""

    variance: FloatArray  # (C, padded(r)), of the coefficients
    precision: FloatArray  # (padded(r),), of the curves about their center
    center_variance: FloatArray
    second: FloatArray  # expected squares about the center


@kernel(inner=True)
def _center_posterior(
    problem: Problem, scales: FloatArray, center: FloatArray, mean: FloatArray, work: Work
) -> float:
    """Write the posterior of the curves' center and its smoothness; return the center's cost."""
    prior = problem.prior
    n_null = problem.n_null
    precision = work.precision
    center_variance = work.center_variance
    C = mean.shape[0]
    r = prior.shape[0]
    rough = 0.0
    log_ratios = 0.0
    product = 1.0
    for i in range(r):
        prior_variance = prior[i] * (1.0 if i < n_null else scales[2])
        ratio = 1.0 + C * prior_variance * precision[i]
        product, logarithm = log_of_product(product, ratio)
        log_ratios += logarithm
        center_variance[i] = prior_variance / ratio
        total = 0.0
        for c in range(C):
            total += mean[c, i]
        center[i] = center_variance[i] * total * precision[i]
        if i >= n_null:
            rough += (center[i] * center[i] + center_variance[i]) / prior[i]
    penalty = 0.5 * (log_ratios + math.log(product) - r)
    if r > n_null:
        tau2 = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
        penalty += HYPER * (math.log(tau2) + 1.0 / tau2 - 1.0)
        penalty += 0.5 * (r - n_null) * math.log(tau2 / scales[2])
        scales[2] = tau2
    for i in range(r):
        prior_variance = prior[i] * (1.0 if i < n_null else scales[2])
        penalty += 0.5 * (center[i] * center[i] + center_variance[i]) / prior_variance
    return float(penalty)


@kernel(inner=True)
def _variances(
    problem: Problem,
    n: int,
    y2: float,
    log_det: float,
    scales: FloatArray,
    center: FloatArray,
    mean: FloatArray,
    sums: FloatArray,
    work: Work,
) -> float:
    """Overwrite center and variances given the curves' posteriors of log determinant `log_det`.

    Returns their penalty in the bound.
    """
    prior = problem.prior
    n_null = problem.n_null
    variance, precision, center_variance, second = work
    C = mean.shape[0]
    r = prior.shape[0]
    rss = y2
    clear(center_variance)
    clear(second)
    for c in range(C):
        # By the equations just solved, the Gram matrix times a curve's covariance or mean is known.
        for i in range(r):
            m = mean[c, i]
            second[i] += variance[c, i]
            explained = 1.0 - (variance[c, i] + m * (m - center[i])) * precision[i]
            rss += scales[0] * explained - m * sums[c, -1, i]
    penalty = 0.5 * log_det
    if C > 1:
        penalty += _center_posterior(problem, scales, center, mean, work)
    rough = 0.0
    for i in range(r):
        for c in range(C):
            e = mean[c, i] - center[i]
            second[i] += e * e + center_variance[i]
        if i >= n_null:
            rough += second[i] / prior[i]
        elif C > 1:
            omega = (second[i] / prior[i] + 2.0 * NULL_SCALE) / (C + 2.0 * NULL_SHAPE)
            scales[3 + i] = omega
            penalty += NULL_SHAPE * math.log(omega / NULL_SCALE) + NULL_SCALE / omega
            penalty -= NULL_SHAPE * (1.0 - math.log(NULL_SHAPE))
    if r > n_null:
        scales[1] = (rough + 2.0 * HYPER) / (C * (r - n_null) + 2.0 * HYPER)
        penalty += HYPER * (math.log(scales[1]) + 1.0 / scales[1] - 1.0)
    scales[0] = max(rss / n, problem.floor)
    product = 1.0
    for i in range(r):
        prior_variance = prior[i] * (scales[3 + i] if i < n_null else scales[1])
        product, logarithm = log_of_product(product, prior_variance)
        penalty += 0.5 * (second[i] / prior_variance + C * (logarithm - 1.0))
    return float(penalty + 0.5 * C * math.log(product))


@kernel(inner=True)
def fit_posteriors(
    problem: Problem, n: int, y2: float, fits: Fits, s: int, work: Work, is_noise_given: bool
) -> float:
    """Fit one start's curves, their center and variances to the sums of the observations.

    y2: ``Σ y_n²``. Returns the penalty in the bound. O(C r³).
    """
    prior = problem.prior
    n_null = problem.n_null
    precision = work.precision
    scales = fits.scales[s]
    center = fits.center[s]
    C = fits.weights.shape[1]
    r = prior.shape[0]
    penalty = 0.0
    noise = scales[0]
    for _ in range(problem.n_inner):
        for i in range(r):
            precision[i] = 1.0 / (prior[i] * (scales[3 + i] if i < n_null else scales[1]))
        log_det = 0.0
        for c in range(C):
            rows = fits.systems[s, c]
            pivots = fits.pivots[s, c]
            mean = fits.mean[s, c]
            gram = fits.sums[s, c]
            moment = fits.sums[s, c, -1]
            variance = work.variance[c]
            log_det += solve(
                System(gram, moment, center, precision, rows, pivots, mean, variance), r, scales[0]
            )
        penalty = _variances(
            problem, n, y2, log_det, scales, center, fits.mean[s], fits.sums[s], work
        )
        if is_noise_given:
            scales[0] = noise
    return penalty


@kernel(inner=True)
def m_step(problem: Problem, n: int, y2: float, fits: Fits, s: int, work: Work) -> float:
    """Fit one start's curves and variances, as `fit_posteriors`, and its weights."""
    penalty = fit_posteriors(problem, n, y2, fits, s, work, False)
    C = fits.weights.shape[1]
    for c in range(C):
        # The first column is 1.
        weight = (fits.sums[s, c, 0, 0] + WEIGHT_PRIOR) / (n + C * WEIGHT_PRIOR)
        fits.weights[s, c] = weight
        fits.log_weights[s, c] = math.log(weight)
        penalty -= WEIGHT_PRIOR * (math.log(weight) + math.log(C))
    return penalty
