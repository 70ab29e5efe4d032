"""A smooth monotone function of the effect and a smooth curve of the cause, fitted together.

An effect on several scales and its cause's columns come in; the best scale, the slopes of the
function, the coefficients of the curve and what both cost go out to `anmmm.evidence`.
docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels.effects import N_SLOPES, WIDTH, EffectSums
from anmmm._kernels.intervals import gaussian_nats
from anmmm._kernels.links import column_moments, link_values, log_of_slopes
from anmmm._kernels.packed import HYPER, Design, Pivots, clear, copy_part, dot, sweep

# Largest change of a log-slope in a step; halvings of a step; share of the expected gain.
LONGEST, HALVINGS, GAIN = 2.0, 20, 1e-4
# Rounds of τ² between two passes over the observations, and change at which they end.
ROUNDS, SETTLED = 5, 1e-3
# Share of its last change that ρ² still moves by, from which it is taken to its limit; the largest
# change of its logarithm in one go.
SLOW, FARTHEST = 0.2, 1.5
# Vectors that a fit calculates with.
N_VECTORS = 10
# Nats that a change of the logarithm of a variance may be worth, in its square.
WORTH = 0.02


class LinkPrior(NamedTuple):
    """A `SlopePrior` whose rows are padded to whole vectors, with zeros."""

    fixed: FloatArray  # (N_SLOPES, WIDTH), precision of the log-slopes without ρ²
    bends: FloatArray  # (N_SLOPES, WIDTH), what 1 / ρ² multiplies
    rank: int  # of `bends`
    log_det: float  # of the whole precision where ρ² is 1


class LinkFit(NamedTuple):
    """A fit, which is overwritten."""

    log_slopes: FloatArray  # (N_SLOPES,), logarithms of the coefficients of h'
    mean: FloatArray  # (r,), coefficients of f about the mean of h
    scales: FloatArray  # (3,): variance of columns that are not smoothed, τ² and ρ²
    rows: FloatArray  # (5, n): f, what is left of h, h at both ends of each cell, nats


class LinkRoom(NamedTuple):
    """Places for a fit; rows of matrices are padded, with zeros."""

    moments: FloatArray  # (r, WIDTH), products of the columns and the splines' centered integrals
    A: FloatArray  # (N_SLOPES, WIDTH), as P and band: quadratic forms of slopes
    P: FloatArray  # and of log-slopes
    band: FloatArray  # what log h' adds to the first
    vectors: FloatArray  # (N_VECTORS, WIDTH): slopes, their logarithms, gradients, steps
    weight: FloatArray  # (r,), of the columns
    along: FloatArray  # (r,), their products with h
    mean: FloatArray  # (r,)
    scales: FloatArray  # (3,), see `LinkFit`
    pivots: Pivots  # the system of a Newton step


@kernel(fastmath=SUMS, inner=True)
def _curve_scales(
    c: FloatArray, gram: FloatArray, design: Design, scales: FloatArray, room: LinkRoom
) -> float:
    """Write variances and weights of the columns given c; return the change of log τ²."""
    n, r = design.columns.shape
    prior, n_null, along = design.prior, design.n_null, room.along
    squares = 0.0
    for i in range(N_SLOPES):
        squares += c[i] * dot(gram[i], c)
    scales[0] = max(squares / n, 1.0)
    for i in range(r):
        along[i] = dot(room.moments[i], c)
    before, tau2 = scales[1], scales[1]
    for _ in range(ROUNDS if r > n_null else 0):
        rough, told = 2.0 * HYPER, 2.0 * HYPER
        for i in range(n_null, r):
            weight = prior[i] * tau2 / (1.0 + n * prior[i] * tau2)
            rough += weight * along[i] * weight * along[i] / prior[i]
            told += n * weight
        # Of the same fixed point as a step of EM, which takes many.
        new = rough / told
        change, tau2 = abs(math.log(new / tau2)), new
        if change < SETTLED:
            break
    scales[1] = tau2
    for i in range(r):
        variance = scales[0] if i < n_null else prior[i] * tau2
        room.weight[i] = variance / (1.0 + n * variance)
    return abs(math.log(tau2 / before))


@kernel(fastmath=SUMS, inner=True)
def _precisions(gram: FloatArray, prior: LinkPrior, rho2: float, room: LinkRoom) -> None:
    """Write the quadratic forms of c, f integrated out, and of the log-slopes."""
    moments, weight = room.moments, room.weight
    for i in range(N_SLOPES):
        row = room.A[i]
        for j in range(WIDTH):
            row[j] = gram[i, j]
            room.P[i, j] = prior.fixed[i, j] + prior.bends[i, j] / rho2
        for k in range(weight.shape[0]):
            factor = weight[k] * moments[k, i]
            for j in range(WIDTH):
                row[j] -= factor * moments[k, j]


@kernel(fastmath=SUMS, inner=True)
def _quadratic(c: FloatArray, A: FloatArray, out: FloatArray) -> float:
    """Write the product of a matrix and a vector; return half of that of it and the vector."""
    total = 0.0
    for i in range(N_SLOPES):
        out[i] = dot(A[i], c)
        total += 0.5 * c[i] * out[i]
    return total


@kernel(fastmath=SUMS, inner=True)
def _newton(
    c: FloatArray, g: FloatArray, pull: FloatArray, move: FloatArray, room: LinkRoom
) -> tuple[float, float, float]:
    """Write the step of the log-slopes; return log determinant, largest part and gain.

    `g` is the gradient but for the prior's part. Of the Hessian's part that may be negative only
    what is positive counts.
    """
    H = room.pivots.matrix
    for i in range(N_SLOPES):
        for j in range(WIDTH):
            H[i * WIDTH + j] = c[i] * c[j] * room.A[i, j] + room.P[i, j]
        for a in range(min(3, i + 1)):
            H[i * WIDTH + i - a] += c[i] * c[i - a] * room.band[i - a, a]
        H[i * WIDTH + i] += max(g[i], 0.0)
        H[N_SLOPES * WIDTH + i] = g[i] + pull[i]
    log_det = sweep(room.pivots, N_SLOPES)
    largest, gain = 0.0, 0.0
    for i in range(N_SLOPES):
        move[i] = -H[N_SLOPES * WIDTH + i]
        gain -= move[i] * (g[i] + pull[i])
        largest = max(largest, abs(move[i]))
    return log_det, largest, gain


@kernel(fastmath=SUMS, inner=True)
def _roughness(target: FloatArray, prior: LinkPrior, rho2: float, H: FloatArray) -> float:
    """Step of log ρ² from log-slopes about their start and what `_newton` left of their Hessian."""
    bend, told = 2.0 * HYPER, prior.rank + 2.0 * HYPER
    for i in range(N_SLOPES):
        for j in range(i + 1):
            twice = (2.0 if j < i else 1.0) * prior.bends[i, j]
            bend += twice * target[i] * target[j]
            told += twice * H[i * WIDTH + j] / rho2
    # Of the same fixed point as a step of EM.
    return math.log(bend / told / rho2)


@kernel(fastmath=SUMS, inner=True)
def _settle(
    start: float,
    local: FloatArray,
    ends: IndexArray,
    gram: FloatArray,
    design: Design,
    prior: LinkPrior,
    tol: float,
    max_iter: int,
    room: LinkRoom,
) -> tuple[float, int]:
    """Fit on one scale from its start; what `room` holds then is that of the mode."""
    vectors, scales = room.vectors, room.scales
    trial, c, g, by_c, off = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    pull, move, moments, log_slopes = vectors[5], vectors[6], vectors[7], vectors[9]
    for i in range(vectors.shape[0]):
        clear(vectors[i])
    for i in range(N_SLOPES):
        log_slopes[i] = start
        clear(room.A[i])
        clear(room.P[i])
    scales[0], scales[1], scales[2] = 1.0, 1.0, 1.0
    share, aim, changed, before, n_iter, halvings = 0.0, np.inf, 1.0, 0.0, 0, 0
    while True:
        for i in range(N_SLOPES):
            trial[i] = log_slopes[i] + share * move[i]
            off[i] = trial[i] - start
            c[i] = math.exp(trial[i])
        gained = log_of_slopes(trial, c, local, ends, by_c, room.band, moments)
        value = _quadratic(c, room.A, g) + _quadratic(off, room.P, pull) - gained
        if value > aim and halvings < HALVINGS:
            share *= 0.5
            halvings += 1
            continue
        changed += _curve_scales(c, gram, design, scales, room)
        _precisions(gram, prior, scales[2], room)
        value = _quadratic(c, room.A, g) - gained
        penalty = _quadratic(off, room.P, pull)
        for i in range(N_SLOPES):
            log_slopes[i] = trial[i]
            g[i] = c[i] * (g[i] + by_c[i])
        log_det, largest, gain = _newton(c, g, pull, move, room)
        if n_iter == max_iter or 0.5 * gain + WORTH * changed * changed < tol:
            return penalty + 0.5 * log_det, n_iter
        share = min(1.0, LONGEST / largest)
        aim = value + penalty - GAIN * share * gain
        for i in range(N_SLOPES):
            trial[i] = off[i] + share * move[i]
        changed = _roughness(trial, prior, scales[2], room.pivots.matrix)
        ratio = changed / before if before != 0.0 and abs(changed) < 1.0 else 0.0
        before = changed
        if SLOW < ratio < 0.9:
            # It falls short by the same share each time: all that would follow at once.
            changed = max(-FARTHEST, min(changed / (1.0 - ratio), FARTHEST))
            before = 0.0
        scales[2] *= math.exp(changed)
        changed = abs(changed)
        halvings = 0
        n_iter += 1


@kernel(fastmath=SUMS, inner=True)
def _write_mean(n: int, room: LinkRoom) -> float:
    """Write the coefficients of f at the mode; return what they cost."""
    cost, mean, weight = 0.0, room.mean, room.weight
    for i in range(mean.shape[0]):
        mean[i] = weight[i] * room.along[i]
        shrunk = 1.0 - n * weight[i]
        cost += 0.5 * (mean[i] * mean[i] * shrunk / weight[i] - math.log(shrunk))
    return cost


@kernel(fastmath=SUMS, inner=True)
def _write_rows(
    h: FloatArray,
    index: IndexArray,
    columns: FloatArray,
    mean: FloatArray,
    rows: FloatArray,
    curves: FloatArray,
) -> None:
    """Write f, what is left of h at the observations, and h at the ends of their cells."""
    n = index.shape[0]
    for k in range(n):
        f = dot(columns[k], mean)
        curves[k, 0], rows[0, k], rows[1, k] = f, f, h[k] - f
        rows[2, k], rows[3, k] = h[n + index[k]], h[n + index[k] + 1]


def link_room(r: int) -> LinkRoom:
    """Return places for fits with r columns; kernels that make arrays take long to compile."""
    size = (N_SLOPES + 1) * WIDTH
    A, P, band = np.zeros((3, N_SLOPES, WIDTH))
    weight, along, mean = np.empty((3, r))
    system = np.zeros(size + 2 * WIDTH)
    system[size + WIDTH :] = 1.0
    return LinkRoom(
        np.zeros((r, WIDTH)),
        A,
        P,
        band,
        np.zeros((N_VECTORS, WIDTH)),
        weight,
        along,
        mean,
        np.empty(3),
        Pivots(system[:size], system[size : size + WIDTH], system[size + WIDTH :]),
    )


@kernel(fastmath=SUMS)
def monotone_link(
    sums: EffectSums,
    costs: FloatArray,
    index: IndexArray,
    design: Design,
    prior: LinkPrior,
    tol: float,
    max_iter: int,
    room: LinkRoom,
    fit: LinkFit,
) -> tuple[int, float, int]:
    """Fit ``h(z) = f(x) + ε``, h smooth and increasing, f smooth, ε standard Gaussian; eqs. 14, 15.

    docs/method/decisions.md. costs: (K,), nats of each scale; index: (n,), cells; the design's
    first column is constant. Ends where a step, and the last change of the variances, are worth
    less than `tol` nats. Returns the scale of the fewest nats, whose fit is written; what scale and
    functions cost, f integrated out and h by Laplace's method; the steps. With f integrated out the
    objective is convex in the coefficients of h'. O(n r) for each scale, and O(n + r) a step.
    """
    n, r = design.columns.shape
    m = sums.points.shape[1]
    h, rows, curves, one = np.empty(m), np.empty((5, n)), np.empty((n, 1)), np.ones(1)
    log_slopes, slopes = room.vectors[9], room.vectors[1]
    best, best_cost, best_iter, shortest = -1, 0.0, 0, np.inf
    for k in range(sums.points.shape[0]):
        points, knots, centers = sums.points[k], sums.knots[k], sums.centers[k]
        if not knots[1] > 0.0:
            continue
        if r > 1:
            # Over a constant the centered integrals' sum is zero.
            column_moments(design.columns, points, knots, centers, room.moments)
        cost, n_iter = _settle(
            knots[2], sums.local[k], sums.ends[k], sums.gram[k], design, prior, tol, max_iter, room
        )
        cost += costs[k] + _write_mean(n, room)
        cost += 0.5 * (prior.rank * math.log(room.scales[2]) - prior.log_det)
        link_values(points, knots[0], knots[1], slopes, dot(slopes, centers), h)
        _write_rows(h, index, design.columns, room.mean, rows, curves)
        gaussian_nats(rows[2], rows[3], curves, one, one, m - n - 1, rows[4])
        length = cost
        for i in range(n):
            length += rows[4, i]
        if length < shortest or best < 0:
            best, best_cost, best_iter, shortest = k, cost, n_iter, length
            copy_part(log_slopes, fit.log_slopes)
            copy_part(room.mean, fit.mean)
            copy_part(room.scales, fit.scales)
            for row in range(5):
                copy_part(rows[row], fit.rows[row])
    return best, best_cost, best_iter
