"""A smooth latent curve of an effect with few values: intervals of a Gaussian variable, or counts.

docs/method/decisions.md, eqs. 16 and 17.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.distributions import normal_mass
from anmmm._kernels.packed import HYPER, LOG_2PI, Design, dot
from anmmm._kernels.slopes import SlopePrior, roughness, slope_precision
from anmmm._kernels.systems import invert

# Width times max(1, distance), in units of the noise, below which an interval's probability is
# taken from the density; distance from which a tail is taken from its series.
NARROW_INTERVAL = 1e-3
FAR_TAIL = 25.0
# Least width of an interval, least curvature that is divided by.
MIN_WIDTH = 1e-100
MIN_CURVATURE = 1e-30
# Largest change of a coefficient in a step; halvings of a step; fraction of the expected gain.
MAX_STEP = 3.0
HALVINGS = 20
MIN_GAIN_FRACTION = 1e-4
# Largest prior variance of the constant and linear coefficients, which is the latent variable's.
MAX_LINEAR_VARIANCE = 100.0
# Rounds of scales and coefficients between two passes over the observations; rows at a time.
N_INNER = 3
BLOCK = 120


class Levels(NamedTuple):
    """Levels or counts, each of several equal observations."""

    values: FloatArray  # (n,)
    weights: FloatArray  # (n,), observations
    size: float  # of the negative binomial distribution of counts


class Cuts(NamedTuple):
    """How the cuts between levels depend on m positive numbers."""

    first: FloatArray  # (n_levels + 1,), the cuts without them, from -inf to inf; empty for counts
    per_slope: FloatArray  # (m, n_levels + 1), added for each number; 0 to the infinite ones


@kernel(inner=True)
def _mills(a: float) -> float:
    """Probability beyond a large a under the standard normal, over the density there."""
    s = 1.0 / (a * a)
    return (1.0 - s * (1.0 - 3.0 * s * (1.0 - 5.0 * s * (1.0 - 7.0 * s * (1.0 - 9.0 * s))))) / a


@kernel(inner=True)
def _interval(a: float, b: float, out: FloatArray) -> float:
    """Log-probability of (a, b) under a standard Gaussian; out: (5,), its derivatives.

    The first by the middle and by half the width; minus the second: middle, mixed, half width.
    """
    middle = 0.5 * (a + b)
    width = b - a
    if width * max(1.0, abs(middle)) < NARROW_INTERVAL:
        width = max(width, MIN_WIDTH)
        out[0] = -middle
        out[1] = 2.0 / width
        out[2] = 1.0
        out[3] = 0.0
        out[4] = out[1] * out[1]
        return math.log(width) - 0.5 * (middle * middle + LOG_2PI)
    # By symmetry in the upper tail, so that no tail is the difference of two numbers near 1.
    tail_low, tail_high = (-b, -a) if b < 0.0 else (a, b)
    if tail_low > FAR_TAIL:
        density_ratio = math.exp(0.5 * (tail_low - tail_high) * (tail_low + tail_high))
        mass = _mills(tail_low) - _mills(tail_high) * density_ratio
        p = 1.0 / mass
        q = density_ratio / mass
        log_mass = math.log(mass) - 0.5 * (tail_low * tail_low + LOG_2PI)
    else:
        mass = normal_mass(tail_low, tail_high)
        scale = math.exp(-0.5 * LOG_2PI) / mass
        p = scale * math.exp(-0.5 * tail_low * tail_low)
        q = scale * math.exp(-0.5 * tail_high * tail_high)
        log_mass = math.log(mass)
    if b < 0.0:
        p, q = q, p
    by_a = p * (p - a) if p > 0.0 else 0.0
    by_b = q * (q + b) if q > 0.0 else 0.0
    out[0] = q - p
    out[1] = q + p
    out[2] = by_a + by_b - 2.0 * p * q
    out[3] = by_b - by_a
    out[4] = by_a + by_b + 2.0 * p * q
    return log_mass


@kernel(inner=True)
def _count(f: float, y: float, size: float, out: FloatArray) -> float:
    """Log-probability of a count up to a constant; `out` as of `_interval`, -f the middle."""
    mean = math.exp(f)
    fraction = mean / (size + mean)
    out[0] = (y + size) * fraction - y
    out[2] = (y + size) * fraction * (size / (size + mean))
    out[1] = 0.0
    out[3] = 0.0
    out[4] = 0.0
    return y * f - (y + size) * math.log1p(mean / size)


@kernel(fastmath=SUMS, inner=True, allocates=True)
def _block(
    design: Design,
    levels: Levels,
    cuts: Cuts,
    parameters: FloatArray,
    edges: FloatArray,
    slopes: FloatArray,
    begin: int,
    g: FloatArray,
    rows: FloatArray,
) -> float:
    """Log-likelihood of up to `BLOCK` rows; adds its gradient by curve and log-slopes to g.

    Writes rows (r + m, 2 BLOCK): outer products sum to minus the Hessian, without that of exp.
    """
    columns = design.columns
    per_slope = cuts.per_slope
    r = columns.shape[1]
    m = slopes.shape[0]
    out = np.empty(5)
    total = 0.0
    for k in range(min(BLOCK, columns.shape[0] - begin)):
        n = begin + k
        f = dot(columns[n], parameters)
        y = levels.values[n]
        level = int(y)
        if edges.shape[0] > 0:
            total += levels.weights[n] * _interval(edges[level] - f, edges[level + 1] - f, out)
        else:
            total += levels.weights[n] * _count(f, y, levels.size, out)
        for i in range(5):
            out[i] *= levels.weights[n]
        root = math.sqrt(max(out[2], 0.0))
        mixed = out[3] / root if out[2] > MIN_CURVATURE else 0.0
        residual_root = math.sqrt(max(out[4] - mixed * mixed, 0.0))
        for i in range(r):
            g[i] -= out[0] * columns[n, i]
            rows[i, k] = -root * columns[n, i]
        for i in range(m):
            middle = 0.5 * slopes[i] * (per_slope[i, level + 1] + per_slope[i, level])
            half = 0.5 * slopes[i] * (per_slope[i, level + 1] - per_slope[i, level])
            g[r + i] += out[0] * middle + out[1] * half
            rows[r + i, k] = root * middle + mixed * half
            rows[r + i, BLOCK + k] = residual_root * half
    return total


@kernel(fastmath=SUMS, inner=True)
def _add_products(rows: FloatArray, n: int, r: int, H: FloatArray) -> None:
    """Add outer products of n columns of each half; of the second, the first r rows are 0."""
    for i in range(rows.shape[0]):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += rows[i, k] * rows[j, k]
            if j >= r:
                for k in range(BLOCK, BLOCK + n):
                    total += rows[i, k] * rows[j, k]
            H[i, j] += total


@kernel(fastmath=SUMS, inner=True)
def _place_cuts(
    cuts: Cuts, parameters: FloatArray, r: int, slopes: FloatArray, edges: FloatArray
) -> None:
    for i in range(slopes.shape[0]):
        slopes[i] = math.exp(parameters[r + i])
    for k in range(edges.shape[0]):
        edges[k] = cuts.first[k]
        for i in range(slopes.shape[0]):
            edges[k] += cuts.per_slope[i, k] * slopes[i]


@kernel(fastmath=SUMS, inner=True)
def _fill_precision(
    design: Design, slope_prior: SlopePrior, scales: FloatArray, P: FloatArray
) -> float:
    """Write the prior's precision of curve and log-slopes; return its log determinant."""
    prior = design.prior
    n_null = design.n_null
    total: float = slope_prior.log_det - slope_prior.rank * math.log(scales[2])
    for i in range(prior.shape[0]):
        P[i, i] = 1.0 / (scales[0] if i < n_null else prior[i] * scales[1])
        total += math.log(P[i, i])
    slope_precision(slope_prior, scales[2], prior.shape[0], P)
    return total


@kernel(fastmath=SUMS, inner=True)
def _best_scales(
    design: Design, slope_prior: SlopePrior, shift: FloatArray, cov: FloatArray, scales: FloatArray
) -> float:
    """Take EM steps of τ² and ρ²; return the absolute change of log τ²."""
    prior = design.prior
    n_null = design.n_null
    r = prior.shape[0]
    if slope_prior.rank > 0:
        square, trace = roughness(slope_prior, shift, cov, r)
        scales[2] = (square + trace + 2.0 * HYPER) / (slope_prior.rank + 2.0 * HYPER)
    if r == n_null:
        return 0.0
    rough = 2.0 * HYPER
    for i in range(n_null, r):
        rough += (shift[i] * shift[i] + cov[i, i]) / prior[i]
    tau2: float = rough / (r - n_null + 2.0 * HYPER)
    change: float = abs(math.log(tau2 / scales[1]))
    scales[1] = tau2
    return change


@kernel(fastmath=SUMS, inner=True)
def _penalty(P: FloatArray, shift: FloatArray, gradient: FloatArray) -> float:
    """Return half the quadratic form of a matrix; write their product to `gradient`."""
    total = 0.0
    for i in range(shift.shape[0]):
        gradient[i] = dot(P[i], shift)
        total += 0.5 * shift[i] * gradient[i]
    return total


@kernel(fastmath=SUMS, inner=True)
def _newton(cov: FloatArray, g: FloatArray, step: FloatArray) -> tuple[float, float]:
    """Write a Newton step; return its largest part and its expected gain."""
    largest = 0.0
    gain = 0.0
    for i in range(g.shape[0]):
        step[i] = dot(cov[i], g)
        gain += step[i] * g[i]
        largest = max(largest, abs(step[i]))
    return largest, gain


@kernel(fastmath=SUMS, inner=True, allocates=True)
def _evaluate(
    design: Design,
    levels: Levels,
    cuts: Cuts,
    parameters: FloatArray,
    edges: FloatArray,
    slopes: FloatArray,
    g: FloatArray,
    H: FloatArray,
    rows: FloatArray,
) -> float:
    """Return the log-likelihood; write its gradient, and minus its Hessian's lower triangle."""
    n, r = design.columns.shape
    _place_cuts(cuts, parameters, r, slopes, edges)
    fit = 0.0
    g[:] = 0.0
    H[:] = 0.0
    for begin in range(0, n, BLOCK):
        fit += _block(design, levels, cuts, parameters, edges, slopes, begin, g, rows)
        _add_products(rows, min(BLOCK, n - begin), r, H)
    return fit


@kernel(fastmath=SUMS, allocates=True)
def latent_curve(
    design: Design,
    levels: Levels,
    cuts: Cuts,
    slope_prior: SlopePrior,
    tol: float,
    max_iter: int,
    center: FloatArray,
    parameters: FloatArray,
    scales: FloatArray,
) -> tuple[float, int]:
    """Fit a smooth f behind levels, ``y = number of cuts below f(x) + ε``, or behind counts.

    center (d,), d = r + m: of the prior of r coefficients and m log-slopes; parameters (d,): where
    to start, become the mode; scales (3,): become the variance of unsmoothed columns, τ², ρ².
    Returns Laplace's cost, and steps of O(n d² + d³).
    """
    r = design.prior.shape[0]
    d = center.shape[0]
    m = d - r
    # Shifts are relative to `center`; g and H are gradient and minus the Hessian of the
    # log-likelihood, P is the prior's precision, cov the posterior's covariance.
    shift = np.empty(d)
    g = np.empty(d)
    step = np.zeros(d)
    H = np.empty((d, d))
    P = np.zeros((d, d))
    work = np.empty((d, d))
    cov = np.empty((d, d))
    rows = np.empty((d, 2 * BLOCK))
    slopes = np.empty(m)
    edges = np.empty(cuts.first.shape[0])
    trial_shift = np.empty(d)
    for i in range(d):
        shift[i] = parameters[i] - center[i]
    step_length = 0.0
    target = -np.inf
    change = 1.0
    cost = 0.0
    n_iter = 0
    halvings = 0
    while True:
        for i in range(d):
            trial_shift[i] = shift[i] + step_length * step[i]
            parameters[i] = center[i] + trial_shift[i]
        fit = _evaluate(design, levels, cuts, parameters, edges, slopes, g, H, rows)
        if not fit - _penalty(P, trial_shift, work[0]) >= target and halvings < HALVINGS:
            step_length *= 0.5
            halvings += 1
            continue
        scales[0] = 1.0
        for i in range(d):
            shift[i] = trial_shift[i]
            if i >= r:
                # Only the positive part of the Hessian's diagonal that may be negative.
                H[i, i] += max(-g[i], 0.0)
            elif i > 0:
                scales[0] += parameters[i] * parameters[i]
        scales[0] = min(scales[0], MAX_LINEAR_VARIANCE)
        converged = False
        for inner in range(N_INNER):
            log_prior = _fill_precision(design, slope_prior, scales, P)
            penalty = _penalty(P, shift, trial_shift)
            for i in range(d):
                trial_shift[i] = g[i] - trial_shift[i]
                for j in range(i + 1):
                    work[i, j] = H[i, j] + P[i, j]
            cost = penalty + 0.5 * (invert(work, cov) - log_prior)
            largest, gain = _newton(cov, trial_shift, step)
            converged = inner == 0 and (n_iter == max_iter or max(largest, change) < tol)
            if converged:
                break
            step_length = min(1.0, MAX_STEP / largest)
            target = fit - penalty + MIN_GAIN_FRACTION * step_length * gain
            for i in range(d):
                trial_shift[i] = shift[i] + step_length * step[i]
            change = 0.1 * _best_scales(design, slope_prior, trial_shift, cov, scales)
        if converged:
            break
        halvings = 0
        n_iter += 1
    return cost, n_iter
