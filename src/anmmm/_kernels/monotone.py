"""A smooth monotone function of the effect and a smooth curve of the cause, fitted together.

docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import LANES, broadcast, load, store
from anmmm._kernels.packed import HYPER, Design, dot, new_smoothing, padded
from anmmm._kernels.slopes import SlopePrior, roughness, slope_precision
from anmmm._kernels.systems import invert

# Quadratic B-splines of h'.
N_SLOPES = 10
# Largest change of a log-slope in a step; halvings of a step; fraction of its slope at the start
# that the objective may rise by at its end.
MAX_STEP = 2.0
HALVINGS = 20
MAX_RISE = 0.5
# Rounds of τ² between two passes over the observations, and change at which they end.
SMOOTHING_ROUNDS = 5
SMOOTHING_TOLERANCE = 1e-3
# Ratio of the changes of log ρ² in two steps, from which the limit is extrapolated; the largest
# change of log ρ² in a step.
SLOW_RATIO = 0.2
MAX_LOG_CHANGE = 1.5
# Nats that a change of the logarithm of a variance may be worth, in its square.
NATS_OF_CHANGE = 0.02
NO_PRODUCTS = (0.0,) * 9


class EffectSums(NamedTuple):
    """All that a fit reads of an effect, zeros before `effect_sums` writes them."""

    values: FloatArray  # (n,), the effect on a scale
    # (3,): first inner knot; distance between knots; logarithm of the constant slope at which half
    # of the variance is noise
    knots: FloatArray
    local: FloatArray  # (n,), places between two knots, 0 to 1, in increasing order of the values
    ends: IndexArray  # (N_SLOPES - 1,), where the places of interval j begin in `local`
    centers: FloatArray  # (N_SLOPES,), means of the splines' integrals
    gram: FloatArray  # (N_SLOPES, N_SLOPES), products of the integrals minus their means


@kernel(inner=True)
def _interval(u: float) -> tuple[int, float]:
    """Interval between knots, and place in it, of a point in units of their distance."""
    j = int(max(0.0, min(u, N_SLOPES - 3.0)))
    return j, max(0.0, min(u - j, 1.0))


@kernel(inner=True)
def _local_integrals(s: float) -> tuple[float, float, float]:
    """Integrals of the three splines that meet, from minus infinity to 0 to 1 beyond a knot."""
    remainder = 1.0 - s
    first = 1.0 - remainder * remainder * remainder / 6.0
    last = s * s * s / 6.0
    return first, 1.0 + s - first - last, last


@kernel(fastmath=SUMS, allocates=True)
def link_values(
    points: FloatArray, knots: FloatArray, centers: FloatArray, c: FloatArray, out: FloatArray
) -> None:
    """Write functions h, eq. 14, of slopes c (r, N_SLOPES), at points, (r, n).

    Straight beyond the inner knots; infinite ones stay infinite.
    """
    step = knots[1]
    constants = np.empty(c.shape)
    for r in range(c.shape[0]):
        constants[r, 0] = -dot(centers, c[r]) / step
        for i in range(1, N_SLOPES):
            constants[r, i] = constants[r, i - 1] + c[r, i - 1]
    for n in range(points.shape[0]):
        is_finite = math.isfinite(points[n])
        u = (points[n] - knots[0]) / step if is_finite else 0.0
        j, s = _interval(u)
        remainder = 1.0 - s
        outside = u - j - s
        first, middle, last = _local_integrals(s)
        first += outside * 0.5 * remainder * remainder
        middle += outside * (0.5 + s * remainder)
        last += outside * 0.5 * s * s
        for r in range(c.shape[0]):
            h = constants[r, j] + first * c[r, j] + middle * c[r, j + 1] + last * c[r, j + 2]
            out[r, n] = step * h if is_finite else points[n]


@kernel(inner=True)
def _constant_integrals(j: int, step: float, centers: FloatArray, out: FloatArray) -> None:
    """Write the centered integrals that are constant in an interval, and zero for the others."""
    for i in range(N_SLOPES):
        out[i] = 0.0 if j <= i < j + 3 else (step if i < j else 0.0) - centers[i]


@kernel(fastmath=SUMS, inner=True)
def _add_products(
    sums: tuple[float, ...], a: float, b: float, d: float
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Return the sums of three numbers and of their products, with one more observation."""
    first = sums[0] + a, sums[1] + b, sums[2] + d
    second = sums[3] + a * a, sums[4] + a * b, sums[5] + a * d
    return (*first, *second, sums[6] + b * b, sums[7] + b * d, sums[8] + d * d)


@kernel(inner=True)
def _scatter(sums: tuple[float, ...], j: int, g: FloatArray, Q: FloatArray) -> None:
    """Add the sums of splines j to j + 2 to a vector and the lower triangle of a matrix."""
    entry = 3
    for p in range(3):
        g[j + p] += sums[p]
        for q in range(p, 3):
            Q[j + q, j + p] += sums[entry]
            entry += 1


@kernel(fastmath=SUMS, allocates=True)
def effect_sums(ordered: FloatArray, sums: EffectSums) -> None:
    """Write the sums of an effect, given its finite values (n,) in increasing order."""
    _, knots, local, ends, centers, gram = sums
    n = ordered.shape[0]
    low = ordered[0]
    step = (ordered[n - 1] - ordered[0]) / (N_SLOPES - 2.0)
    unit = step / n
    total = 0.0
    squares = 0.0
    local_sums = np.empty(N_SLOPES)
    constants = np.empty(N_SLOPES)
    for k in range(n):
        j, s = _interval((ordered[k] - low) / step)
        first, middle, last = _local_integrals(s)
        local[k] = s
        ends[j + 1] += 1
        centers[j] += unit * first
        centers[j + 1] += unit * middle
        centers[j + 2] += unit * last
        total += ordered[k]
    for j in range(N_SLOPES - 2):
        ends[j + 1] += ends[j]
        centers[j] += unit * (n - ends[j + 1])
    # About the mean: next to an outlier, products about zero would lose all digits.
    for k in range(n):
        e = ordered[k] - total / n
        squares += e * e
    for j in range(N_SLOPES - 2):
        products = NO_PRODUCTS
        for k in range(ends[j], ends[j + 1]):
            first, middle, last = _local_integrals(local[k])
            a = step * first - centers[j]
            b = step * middle - centers[j + 1]
            products = _add_products(products, a, b, step * last - centers[j + 2])
        _constant_integrals(j, step, centers, constants)
        for i in range(N_SLOPES):
            local_sums[i] = 0.0
        _scatter(products, j, local_sums, gram)
        count = ends[j + 1] - ends[j]
        for i in range(N_SLOPES):
            for k in range(i + 1):
                gram[i, k] += (
                    count * constants[i] * constants[k]
                    + local_sums[i] * constants[k]
                    + constants[i] * local_sums[k]
                )
    for i in range(N_SLOPES):
        for k in range(i):
            gram[k, i] = gram[i, k]
    knots[0] = low
    knots[1] = step
    knots[2] = 0.5 * math.log(2.0 * n / squares)


@kernel(inner=True, allocates=True)
def _products(sums: EffectSums, columns: FloatArray, moments: FloatArray) -> None:
    """Add the products of columns (n, r) and the centered integrals to moments (r, N_SLOPES)."""
    points = sums.values
    knots = sums.knots
    centers = sums.centers
    n, r = columns.shape
    # Of each interval, the sums of the columns times three integrals, and of the columns.
    width = padded(r)
    step = knots[1]
    interval_sums = np.zeros(4 * (N_SLOPES - 2) * width)
    row = np.zeros(width)
    constants = np.empty(N_SLOPES)
    for k in range(n):
        j, s = _interval((points[k] - knots[0]) / step)
        first, middle, last = _local_integrals(s)
        a = broadcast(step * first - centers[j])
        b = broadcast(step * middle - centers[j + 1])
        d = broadcast(step * last - centers[j + 2])
        for i in range(r):
            row[i] = columns[k, i]
        for i in range(0, width, LANES):
            x = load(row, i)
            start = 4 * j * width + i
            store(interval_sums, start, load(interval_sums, start) + a * x)
            store(interval_sums, start + width, load(interval_sums, start + width) + b * x)
            store(interval_sums, start + 2 * width, load(interval_sums, start + 2 * width) + d * x)
            store(interval_sums, start + 3 * width, load(interval_sums, start + 3 * width) + x)
    for j in range(N_SLOPES - 2):
        _constant_integrals(j, step, centers, constants)
        for i in range(r):
            start = 4 * j * width + i
            for k in range(N_SLOPES):
                moments[i, k] += interval_sums[start + 3 * width] * constants[k]
            for p in range(3):
                moments[i, j + p] += interval_sums[start + p * width]


@kernel(fastmath=SUMS, inner=True)
def _log_slopes(c: FloatArray, sums: EffectSums, g: FloatArray, Q: FloatArray) -> None:
    """Write gradient and Hessian, lower triangle, by c of ``-Σ log h'`` over the observations."""
    local = sums.local
    ends = sums.ends
    for i in range(N_SLOPES):
        g[i] = 0.0
        for j in range(N_SLOPES):
            Q[i, j] = 0.0
    for j in range(N_SLOPES - 2):
        products = NO_PRODUCTS
        for n in range(ends[j], ends[j + 1]):
            # The splines that are not zero here, over h'.
            s = local[n]
            remainder = 1.0 - s
            a = 0.5 * remainder * remainder
            b = 0.5 + s * remainder
            d = 0.5 * s * s
            inverse = 1.0 / (c[j] * a + c[j + 1] * b + c[j + 2] * d)
            products = _add_products(products, a * inverse, b * inverse, d * inverse)
        _scatter(products, j, g, Q)
    for i in range(N_SLOPES):
        g[i] = -g[i]


@kernel(inner=True)
def _integrate_curve(
    c: FloatArray,
    gram: FloatArray,
    moments: FloatArray,
    design: Design,
    mean: FloatArray,
    scales: FloatArray,
    A: FloatArray,
) -> tuple[float, float]:
    """Fit f and its variances given c, and write A; return f's cost and the change of log τ²."""
    n, r = design.columns.shape
    prior = design.prior
    n_null = design.n_null
    squares = 0.0
    cost = 0.0
    for i in range(N_SLOPES):
        for j in range(N_SLOPES):
            A[i, j] = gram[i, j]
            squares += c[i] * gram[i, j] * c[j]
    scales[0] = max(squares / n, 1.0)
    for k in range(r):
        mean[k] = 0.0
        for i in range(N_SLOPES):
            mean[k] += moments[k, i] * c[i]
    old_tau2 = scales[1]
    tau2 = scales[1]
    for _ in range(SMOOTHING_ROUNDS if r > n_null else 0):
        new_tau2 = new_smoothing(prior, n_null, mean, 1.0, n, tau2)
        change = abs(math.log(new_tau2 / tau2))
        tau2 = new_tau2
        if change < SMOOTHING_TOLERANCE:
            break
    scales[1] = tau2
    for k in range(r):
        v = scales[0] if k < n_null else prior[k] * tau2
        weight = v / (1.0 + n * v)
        for i in range(N_SLOPES):
            factor = weight * moments[k, i]
            for j in range(N_SLOPES):
                A[i, j] -= factor * moments[k, j]
        mean[k] *= weight
        cost += 0.5 * (mean[k] * mean[k] / v + math.log(1.0 + n * v))
    return cost, abs(math.log(tau2 / old_tau2))


@kernel(inner=True)
def _slope_along(
    step: FloatArray, c: FloatArray, shift: FloatArray, g: FloatArray, A: FloatArray, P: FloatArray
) -> float:
    """Return the slope of the objective along a step of the log-slopes."""
    slope = 0.0
    for i in range(N_SLOPES):
        total = g[i]
        pulled = 0.0
        for j in range(N_SLOPES):
            total += A[i, j] * c[j]
            pulled += P[i, j] * shift[j]
        slope += (c[i] * total + pulled) * step[i]
    return slope


@kernel(inner=True)
def _newton_step(
    inverse: FloatArray, g: FloatArray, penalty_gradient: FloatArray, step: FloatArray
) -> tuple[float, float]:
    """Write a Newton step; return its largest part and its expected gain."""
    largest = 0.0
    gain = 0.0
    for i in range(N_SLOPES):
        step[i] = 0.0
        for j in range(N_SLOPES):
            step[i] -= inverse[i, j] * (g[j] + penalty_gradient[j])
        gain -= step[i] * (g[i] + penalty_gradient[i])
        largest = max(largest, abs(step[i]))
    return largest, gain


@kernel(allocates=True)
def monotone_link(
    sums: EffectSums,
    design: Design,
    prior: SlopePrior,
    tol: float,
    max_iter: int,
    c: FloatArray,
    mean: FloatArray,
    scales: FloatArray,
) -> tuple[float, int]:
    """Fit ``h(z) = f(x) + ε``, h smooth and increasing, f smooth, ε standard Gaussian; eqs. 14, 15.

    The design's first column is constant. Writes c (N_SLOPES,), mean (r,), and scales: variance of
    unsmoothed columns, τ², ρ². Returns Laplace's cost, and steps of O(n + r) after O(n r).
    """
    matrices = np.zeros((4, N_SLOPES, N_SLOPES))
    vectors = np.zeros((5, N_SLOPES))
    # Precisions: of h's slopes once f is integrated out, of the prior, of ``-Σ log h'`` by slopes;
    # of all three by log-slopes, then its inverse.
    A = matrices[0]
    P = matrices[1]
    Q = matrices[2]
    H = matrices[3]
    moments = np.zeros((mean.shape[0], N_SLOPES))
    # Log-slopes about their start, and where a step takes them.
    b = vectors[0]
    g = vectors[1]
    step = vectors[2]
    shift = vectors[3]
    penalty_gradient = vectors[4]
    start = sums.knots[2]
    rank = float(prior.rank)
    if design.columns.shape[1] > 1:
        # The centered integrals times a constant sum to zero.
        _products(sums, design.columns, moments)
    for i in range(3):
        scales[i] = 1.0
    step_length = 0.0
    gain = 0.0
    log_change = 1.0
    last_log_change = 0.0
    n_iter = 0
    halvings = 0
    while True:
        for i in range(N_SLOPES):
            shift[i] = b[i] + step_length * step[i]
            c[i] = math.exp(start + shift[i])
        _log_slopes(c, sums, g, Q)
        slope = _slope_along(step, c, shift, g, A, P)
        if slope > MAX_RISE * gain and halvings < HALVINGS:
            # Beyond the minimum along the step.
            step_length *= 0.5
            halvings += 1
            continue
        cost, change = _integrate_curve(c, sums.gram, moments, design, mean, scales, A)
        log_change += change
        slope_precision(prior, scales[2], 0, P)
        for i in range(N_SLOPES):
            b[i] = shift[i]
            penalty_gradient[i] = 0.0
            for j in range(N_SLOPES):
                g[i] += A[i, j] * c[j]
                penalty_gradient[i] += P[i, j] * shift[j]
            g[i] *= c[i]
            cost += 0.5 * shift[i] * penalty_gradient[i]
        for i in range(N_SLOPES):
            for j in range(i + 1):
                H[i, j] = c[i] * c[j] * (A[i, j] + Q[i, j]) + P[i, j]
            # Only the positive part of the Hessian's diagonal that may be negative.
            H[i, i] += max(g[i], 0.0)
        log_det = invert(H, H)
        largest, gain = _newton_step(H, g, penalty_gradient, step)
        if n_iter == max_iter or 0.5 * gain + NATS_OF_CHANGE * log_change * log_change < tol:
            log_prior = prior.log_det - rank * math.log(scales[2])
            return cost + 0.5 * (log_det - log_prior), n_iter
        step_length = min(1.0, MAX_STEP / largest)
        for i in range(N_SLOPES):
            shift[i] += step_length * step[i]
        square, trace = roughness(prior, shift, H, 0)
        effective = rank - trace / scales[2]
        # The fixed point of a step of EM.
        log_change = math.log((square + 2.0 * HYPER) / (effective + 2.0 * HYPER) / scales[2])
        ratio = (
            log_change / last_log_change
            if last_log_change != 0.0 and abs(log_change) < 1.0
            else 0.0
        )
        last_log_change = log_change
        if SLOW_RATIO < ratio < 0.9:
            # Linear convergence with rate `ratio`: extrapolate to the limit (Aitken).
            log_change = max(-MAX_LOG_CHANGE, min(log_change / (1.0 - ratio), MAX_LOG_CHANGE))
            last_log_change = 0.0
        scales[2] *= math.exp(log_change)
        log_change = abs(log_change)
        halvings = 0
        n_iter += 1
