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
from anmmm._kernels.effects import N_SLOPES, WIDTH, EffectSums, interval_of, local_integrals
from anmmm._kernels.intervals import gaussian_nats
from anmmm._kernels.packed import HYPER, Design, Pivots, clear, copy_part, dot, padded, sweep

__all__ = ["LinkFit", "LinkPrior", "link_values", "monotone_link"]

# Largest change of a log-slope in a step; halvings of a step; share of the expected gain.
LONGEST, HALVINGS, GAIN = 2.0, 20, 1e-4
# Rounds of τ² between two passes over the observations, and change at which they end.
ROUNDS, SETTLED = 5, 1e-3
# Share of its last change that ρ² still moves by, from which it is taken to its limit; the largest
# change of its logarithm in one go.
SLOW, FARTHEST = 0.2, 1.5
# Logarithm of the largest product of slopes that is made before a logarithm is taken.
LARGE = 600.0
# Nats that a change of the logarithm of a variance may be worth, in its square.
WORTH = 0.02


class LinkPrior(NamedTuple):
    """A `SlopePrior` whose rows are padded to whole vectors, with zeros.

    Attributes
    ----------
    fixed, bends : float64 (N_SLOPES, WIDTH)
        Precision of the log-slopes without ρ², and what 1 / ρ² multiplies.
    rank : int
        Of `bends`.
    log_det : float
        Log determinant of the whole precision where ρ² is 1.
    """

    fixed: FloatArray
    bends: FloatArray
    rank: int
    log_det: float


class LinkFit(NamedTuple):
    """A fit, which is overwritten.

    Attributes
    ----------
    log_slopes : float64 (N_SLOPES,)
        Logarithms of the coefficients of h'.
    mean : float64 (r,)
        Posterior mean of the coefficients of f about the mean of h.
    scales : float64 (3,)
        Variance of columns that are not smoothed, τ² and ρ².
    rows : float64 (5, n)
        f, what is left of h at the observations, h at both ends of each one's cell, nats.
    """

    log_slopes: FloatArray
    mean: FloatArray
    scales: FloatArray
    rows: FloatArray


class _Room(NamedTuple):
    """Places for one fit; rows of matrices are padded.

    `A` and `P` are the quadratic forms of slopes and log-slopes, `band` what log h' adds to the
    first, `weight` and `along` the weights and moments of the columns.
    """

    moments: FloatArray
    A: FloatArray
    P: FloatArray
    band: FloatArray
    vectors: FloatArray
    weight: FloatArray
    along: FloatArray
    mean: FloatArray
    scales: FloatArray
    pivots: Pivots


@kernel(fastmath=SUMS)
def link_values(
    points: FloatArray, low: float, step: float, slopes: FloatArray, center: float, out: FloatArray
) -> None:
    """Evaluate h at Gaussian quantiles of the effect.

    Parameters
    ----------
    points : float64 (n,)
        Infinite ones stay so.
    low, step : float
        First inner knot; distance of knots. Beyond the knots h is straight.
    slopes : float64 (N_SLOPES,)
        Coefficients of h'.
    center : float
        Taken out of h.
    out : float64 (n,)
        Overwritten.

    Notes
    -----
    docs/method/decisions.md, eq. 14. O(n).
    """
    before = np.empty(N_SLOPES)
    total = -center
    for i in range(N_SLOPES):
        before[i] = total
        total += step * slopes[i]
    for k in range(points.shape[0]):
        if not math.isfinite(points[k]):
            out[k] = points[k]
            continue
        u = (points[k] - low) / step
        j = interval_of(u)
        s = max(0.0, min(u - j, 1.0))
        rest, beyond = 1.0 - s, u - j - s
        p, r = 0.5 * rest * rest, 0.5 * s * s
        start, end = local_integrals(s)
        h = slopes[j] * (start + beyond * p) + slopes[j + 2] * (end + beyond * r)
        h += slopes[j + 1] * (1.0 + s - start - end + beyond * (1.0 - p - r))
        out[k] = before[j] + step * h


@kernel(fastmath=SUMS, inner=True)
def _column_moments(
    columns: FloatArray, points: FloatArray, knots: FloatArray, centers: FloatArray,
    moments: FloatArray,
) -> None:  # fmt: skip
    """Write the sums of products of the columns (n, r) and the splines' centered integrals.

    `moments` (r, WIDTH). Between two knots all but three integrals are the same everywhere.
    """
    n, r = columns.shape
    near = np.zeros((N_SLOPES - 1, 4, padded(r)))
    row = near[N_SLOPES - 2, 0]
    low, step = knots[0], knots[1]
    for k in range(n):
        u = (points[k] - low) / step
        j = interval_of(u)
        s = max(0.0, min(u - j, 1.0))
        start, end = local_integrals(s)
        a, c = step * start - centers[j], step * end - centers[j + 2]
        b = step * (1.0 + s - start - end) - centers[j + 1]
        for i in range(r):
            row[i] = columns[k, i]
        one, two, three, all_of = near[j, 0], near[j, 1], near[j, 2], near[j, 3]
        for i in range(row.shape[0]):
            one[i] += a * row[i]
            two[i] += b * row[i]
            three[i] += c * row[i]
            all_of[i] += row[i]
    for i in range(r):
        for m in range(N_SLOPES):
            total = 0.0
            for j in range(N_SLOPES - 2):
                if j <= m < j + 3:
                    total += near[j, m - j, i]
                else:
                    total += near[j, 3, i] * ((step if m < j else 0.0) - centers[m])
            moments[i, m] = total


@kernel(fastmath=SUMS, part=True)
def _interval_slopes(
    part: FloatArray, a: float, b: float, c: float, so_far: float, sums: FloatArray
) -> float:
    """Multiply a product by h' at the observations between two knots.

    `sums` (9,): of the three splines that meet there over h', then of products of two of them over
    its square.
    """
    sa, sb, sc, aa, ab, ac, bb, bc, cc = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(part.shape[0]):
        s = part[k]
        rest = 1.0 - s
        p, q, r = 0.5 * rest * rest, 0.5 + s * rest, 0.5 * s * s
        slope = a * p + b * q + c * r
        so_far *= slope
        one = 1.0 / slope
        p *= one
        q *= one
        r *= one
        sa += p
        sb += q
        sc += r
        aa += p * p
        ab += p * q
        ac += p * r
        bb += q * q
        bc += q * r
        cc += r * r
    sums[0], sums[1], sums[2] = sa, sb, sc
    sums[3], sums[4], sums[5] = aa, ab, ac
    sums[6], sums[7], sums[8] = bb, bc, cc
    return so_far


@kernel(fastmath=SUMS, inner=True)
def _log_slopes(
    log_c: FloatArray, c: FloatArray, local: FloatArray, ends: IndexArray, g: FloatArray,
    band: FloatArray, sums: FloatArray,
) -> float:  # fmt: skip
    """Sum of log h' over the observations; minus its first two derivatives by c.

    `band` (N_SLOPES, 3): the second ones, each row from the diagonal on.
    """
    clear(g)
    for i in range(N_SLOPES):
        clear(band[i])
    total, so_far, left = 0.0, 1.0, LARGE
    for j in range(N_SLOPES - 2):
        # h' lies between the coefficients, whose sum of weights is 1 everywhere.
        most = max(abs(log_c[j]), abs(log_c[j + 1]), abs(log_c[j + 2]), 0.01)
        k = ends[j]
        while k < ends[j + 1]:
            # Logarithms cost more than all else here: one for as many slopes as a double holds.
            if left < most:
                total += math.log(so_far)
                so_far, left = 1.0, LARGE
            last = min(ends[j + 1], k + max(int(left / most), 1))
            so_far = _interval_slopes(local[k:last], c[j], c[j + 1], c[j + 2], so_far, sums)
            left -= (last - k) * most
            k = last
            for a in range(3):
                g[j + a] -= sums[a]
                for b in range(3 - a):
                    band[j + a, b] += sums[3 + a * (7 - a) // 2 + b]
    return total + math.log(so_far)


@kernel(fastmath=SUMS, inner=True)
def _curve_scales(
    c: FloatArray, gram: FloatArray, design: Design, scales: FloatArray, room: _Room
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
def _precisions(gram: FloatArray, prior: LinkPrior, rho2: float, room: _Room) -> None:
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
    c: FloatArray, g: FloatArray, pull: FloatArray, move: FloatArray, room: _Room
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


@kernel(fastmath=SUMS, part=True)
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


@kernel(fastmath=SUMS, part=True)
def _settle(
    start: float, local: FloatArray, ends: IndexArray, gram: FloatArray, design: Design,
    prior: LinkPrior, tol: float, max_iter: int, room: _Room,
) -> tuple[float, int]:  # fmt: skip
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
        gained = _log_slopes(trial, c, local, ends, by_c, room.band, moments)
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


@kernel(fastmath=SUMS, part=True)
def _write_mean(n: int, room: _Room) -> float:
    """Write the coefficients of f at the mode; return what they cost."""
    cost, mean, weight = 0.0, room.mean, room.weight
    for i in range(mean.shape[0]):
        mean[i] = weight[i] * room.along[i]
        shrunk = 1.0 - n * weight[i]
        cost += 0.5 * (mean[i] * mean[i] * shrunk / weight[i] - math.log(shrunk))
    return cost


@kernel(fastmath=SUMS, part=True)
def _write_rows(
    h: FloatArray, index: IndexArray, columns: FloatArray, mean: FloatArray, rows: FloatArray,
    curves: FloatArray,
) -> None:  # fmt: skip
    """Write f, what is left of h at the observations, and h at the ends of their cells."""
    n = index.shape[0]
    for k in range(n):
        f = dot(columns[k], mean)
        curves[k, 0], rows[0, k], rows[1, k] = f, f, h[k] - f
        rows[2, k], rows[3, k] = h[n + index[k]], h[n + index[k] + 1]


@kernel(part=True)
def _make_room(r: int) -> _Room:
    size = (N_SLOPES + 1) * WIDTH
    matrices, vectors = np.zeros((5, N_SLOPES + 1, WIDTH)), np.zeros((r + 3, WIDTH))
    by_column, pivots = np.empty((3, r)), matrices.reshape(5 * size)
    for i in range(WIDTH):
        vectors[1, i] = 1.0
    return _Room(
        vectors[3:], matrices[0], matrices[1], matrices[2], matrices[3], by_column[0],
        by_column[1], by_column[2], vectors[2],
        Pivots(pivots[4 * size :], vectors[0], vectors[1]),
    )  # fmt: skip


@kernel(fastmath=SUMS)
def monotone_link(
    sums: EffectSums, costs: FloatArray, index: IndexArray, design: Design, prior: LinkPrior,
    tol: float, max_iter: int, fit: LinkFit,
) -> tuple[int, float, int]:  # fmt: skip
    """Fit ``h(z) = f(x) + ε`` with h smooth and increasing, f smooth, ε standard Gaussian.

    Parameters
    ----------
    sums : EffectSums
    costs : float64 (K,)
        Nats that each scale costs.
    index : int64 (n,)
        Cell of each observation.
    design : Design
        Columns of f. The first one is constant.
    prior : LinkPrior
        Of the logarithms of the coefficients of h'.
    tol : float
        Stop when a step, and the last change of the variances, are worth fewer nats.
    max_iter : int
        Most Newton steps.
    fit : LinkFit
        Overwritten by the fit on the scale whose nats and costs are the fewest.

    Returns
    -------
    best : int
        That scale.
    cost : float
        What scale and both functions cost: the log-likelihood at their means minus the log
        evidence, f integrated out and h by Laplace's method.
    n_iter : int
        `max_iter` if it did not settle.

    Notes
    -----
    docs/method/decisions.md, eqs. 14 and 15. With f integrated out the objective is convex in the
    coefficients of h'. O(n r) for each scale, and O(n + r) a step.
    """
    n, r = design.columns.shape
    m = sums.points.shape[1]
    room, rows = _make_room(r), np.empty((5, n))
    h, curves, one = np.empty(m), np.empty((n, 1)), np.ones(1)
    log_slopes, slopes = room.vectors[9], room.vectors[1]
    best, best_cost, best_iter, shortest = -1, 0.0, 0, np.inf
    for k in range(sums.points.shape[0]):
        points, knots, centers = sums.points[k], sums.knots[k], sums.centers[k]
        if not knots[1] > 0.0:
            continue
        if r > 1:
            # Over a constant the centered integrals' sum is zero.
            _column_moments(design.columns, points, knots, centers, room.moments)
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
