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
LONGEST = 2.0
HALVINGS = 20
RISE = 0.5
# Rounds of τ² between two passes over the observations, and change at which they end.
ROUNDS = 5
CONVERGED = 1e-3
# Ratio of the changes of log ρ² in two steps, from which the limit is extrapolated; the largest
# change of log ρ² in a step.
SLOW = 0.2
FARTHEST = 1.5
# Nats that a change of the logarithm of a variance may be worth, in its square.
WORTH = 0.02
NOTHING = (0.0,) * 9


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
def _near(s: float) -> tuple[float, float, float]:
    """Integrals of the three splines that meet, from minus infinity to 0 to 1 beyond a knot."""
    rest = 1.0 - s
    first = 1.0 - rest * rest * rest / 6.0
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
    left = np.empty(c.shape)
    for r in range(c.shape[0]):
        left[r, 0] = -dot(centers, c[r]) / step
        for i in range(1, N_SLOPES):
            left[r, i] = left[r, i - 1] + c[r, i - 1]
    for n in range(points.shape[0]):
        is_finite = math.isfinite(points[n])
        u = (points[n] - knots[0]) / step if is_finite else 0.0
        j, s = _interval(u)
        rest = 1.0 - s
        beyond = u - j - s
        first, middle, last = _near(s)
        first += beyond * 0.5 * rest * rest
        middle += beyond * (0.5 + s * rest)
        last += beyond * 0.5 * s * s
        for r in range(c.shape[0]):
            h = left[r, j] + first * c[r, j] + middle * c[r, j + 1] + last * c[r, j + 2]
            out[r, n] = step * h if is_finite else points[n]


@kernel(inner=True)
def _far(j: int, step: float, centers: FloatArray, out: FloatArray) -> None:
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
    at = 3
    for p in range(3):
        g[j + p] += sums[p]
        for q in range(p, 3):
            Q[j + q, j + p] += sums[at]
            at += 1


@kernel(fastmath=SUMS, allocates=True)
def effect_sums(ordered: FloatArray, sums: EffectSums) -> None:
    """Write the sums of an effect, given its finite values (n,) in increasing order."""
    _, knots, local, ends, centers, gram = sums
    n = ordered.shape[0]
    low = ordered[0]
    step = (ordered[n - 1] - ordered[0]) / (N_SLOPES - 2.0)
    part = step / n
    total = 0.0
    squares = 0.0
    near = np.empty(N_SLOPES)
    far = np.empty(N_SLOPES)
    for k in range(n):
        j, s = _interval((ordered[k] - low) / step)
        first, middle, last = _near(s)
        local[k] = s
        ends[j + 1] += 1
        centers[j] += part * first
        centers[j + 1] += part * middle
        centers[j + 2] += part * last
        total += ordered[k]
    for j in range(N_SLOPES - 2):
        ends[j + 1] += ends[j]
        centers[j] += part * (n - ends[j + 1])
    # About the mean: next to an outlier, products about zero would lose all digits.
    for k in range(n):
        e = ordered[k] - total / n
        squares += e * e
    for j in range(N_SLOPES - 2):
        products = NOTHING
        for k in range(ends[j], ends[j + 1]):
            first, middle, last = _near(local[k])
            a = step * first - centers[j]
            b = step * middle - centers[j + 1]
            products = _add_products(products, a, b, step * last - centers[j + 2])
        _far(j, step, centers, far)
        for i in range(N_SLOPES):
            near[i] = 0.0
        _scatter(products, j, near, gram)
        count = ends[j + 1] - ends[j]
        for i in range(N_SLOPES):
            for k in range(i + 1):
                gram[i, k] += count * far[i] * far[k] + near[i] * far[k] + far[i] * near[k]
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
    wide = padded(r)
    step = knots[1]
    near = np.zeros(4 * (N_SLOPES - 2) * wide)
    row = np.zeros(wide)
    far = np.empty(N_SLOPES)
    for k in range(n):
        j, s = _interval((points[k] - knots[0]) / step)
        first, middle, last = _near(s)
        a = broadcast(step * first - centers[j])
        b = broadcast(step * middle - centers[j + 1])
        d = broadcast(step * last - centers[j + 2])
        for i in range(r):
            row[i] = columns[k, i]
        for i in range(0, wide, LANES):
            x = load(row, i)
            at = 4 * j * wide + i
            store(near, at, load(near, at) + a * x)
            store(near, at + wide, load(near, at + wide) + b * x)
            store(near, at + 2 * wide, load(near, at + 2 * wide) + d * x)
            store(near, at + 3 * wide, load(near, at + 3 * wide) + x)
    for j in range(N_SLOPES - 2):
        _far(j, step, centers, far)
        for i in range(r):
            at = 4 * j * wide + i
            for k in range(N_SLOPES):
                moments[i, k] += near[at + 3 * wide] * far[k]
            for p in range(3):
                moments[i, j + p] += near[at + p * wide]


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
        products = NOTHING
        for n in range(ends[j], ends[j + 1]):
            # The splines that are not zero here, over h'.
            s = local[n]
            rest = 1.0 - s
            a = 0.5 * rest * rest
            b = 0.5 + s * rest
            d = 0.5 * s * s
            one = 1.0 / (c[j] * a + c[j + 1] * b + c[j + 2] * d)
            products = _add_products(products, a * one, b * one, d * one)
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
    before = scales[1]
    tau2 = scales[1]
    for _ in range(ROUNDS if r > n_null else 0):
        new = new_smoothing(prior, n_null, mean, 1.0, n, tau2)
        change = abs(math.log(new / tau2))
        tau2 = new
        if change < CONVERGED:
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
    return cost, abs(math.log(tau2 / before))


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
    work = np.zeros((4, N_SLOPES, N_SLOPES))
    vectors = np.zeros((5, N_SLOPES))
    A = work[0]
    P = work[1]
    Q = work[2]
    H = work[3]
    moments = np.zeros((mean.shape[0], N_SLOPES))
    # Log-slopes about their start, and where a step takes them.
    b = vectors[0]
    g = vectors[1]
    move = vectors[2]
    off = vectors[3]
    pull = vectors[4]
    start = sums.knots[2]
    rank = float(prior.rank)
    if design.columns.shape[1] > 1:
        # The centered integrals times a constant sum to zero.
        _products(sums, design.columns, moments)
    for i in range(3):
        scales[i] = 1.0
    length = 0.0
    gain = 0.0
    changed = 1.0
    before = 0.0
    n_iter = 0
    halvings = 0
    while True:
        for i in range(N_SLOPES):
            off[i] = b[i] + length * move[i]
            c[i] = math.exp(start + off[i])
        _log_slopes(c, sums, g, Q)
        slope = 0.0
        for i in range(N_SLOPES):
            total = g[i]
            pulled = 0.0
            for j in range(N_SLOPES):
                total += A[i, j] * c[j]
                pulled += P[i, j] * off[j]
            slope += (c[i] * total + pulled) * move[i]
        if slope > RISE * gain and halvings < HALVINGS:
            # Beyond the minimum along the step.
            length *= 0.5
            halvings += 1
            continue
        cost, change = _integrate_curve(c, sums.gram, moments, design, mean, scales, A)
        changed += change
        slope_precision(prior, scales[2], 0, P)
        for i in range(N_SLOPES):
            b[i] = off[i]
            pull[i] = 0.0
            for j in range(N_SLOPES):
                g[i] += A[i, j] * c[j]
                pull[i] += P[i, j] * off[j]
            g[i] *= c[i]
            cost += 0.5 * off[i] * pull[i]
        for i in range(N_SLOPES):
            for j in range(i + 1):
                H[i, j] = c[i] * c[j] * (A[i, j] + Q[i, j]) + P[i, j]
            # Only the positive part of the Hessian's diagonal that may be negative.
            H[i, i] += max(g[i], 0.0)
        log_det = invert(H, H)
        largest = 0.0
        gain = 0.0
        for i in range(N_SLOPES):
            move[i] = 0.0
            for j in range(N_SLOPES):
                move[i] -= H[i, j] * (g[j] + pull[j])
            gain -= move[i] * (g[i] + pull[i])
            largest = max(largest, abs(move[i]))
        if n_iter == max_iter or 0.5 * gain + WORTH * changed * changed < tol:
            log_prior = prior.log_det - rank * math.log(scales[2])
            return cost + 0.5 * (log_det - log_prior), n_iter
        length = min(1.0, LONGEST / largest)
        for i in range(N_SLOPES):
            off[i] += length * move[i]
        square, trace = roughness(prior, off, H, 0)
        effective = rank - trace / scales[2]
        # The fixed point of a step of EM.
        changed = math.log((square + 2.0 * HYPER) / (effective + 2.0 * HYPER) / scales[2])
        ratio = changed / before if before != 0.0 and abs(changed) < 1.0 else 0.0
        before = changed
        if SLOW < ratio < 0.9:
            # Linear convergence with rate `ratio`: extrapolate to the limit (Aitken).
            changed = max(-FARTHEST, min(changed / (1.0 - ratio), FARTHEST))
            before = 0.0
        scales[2] *= math.exp(changed)
        changed = abs(changed)
        halvings = 0
        n_iter += 1
