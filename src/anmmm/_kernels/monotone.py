"""A smooth monotone function of the effect and a smooth curve of the cause, fitted together.

`anmmm.evidence` gives an effect on a scale and its cause's columns, and gets the function's slopes,
the curve's coefficients, variances and what they cost. docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import LANES, everywhere, load, multiply_add, plus, store
from anmmm._kernels.packed import HYPER, Design, dot, padded

# Quadratic B-splines of h'.
N_SLOPES = 10
# Largest change of a log-slope in a step; halvings of a step; share of its slope at the start that
# the objective may rise by at its end.
LONGEST, HALVINGS, RISE = 2.0, 20, 0.5
# Rounds of τ² between two passes over the observations, and change at which they end.
ROUNDS, SETTLED = 5, 1e-3
# Share of its last change that ρ² still moves by, from which it is taken to its limit; the largest
# change of its logarithm in one go.
SLOW, FARTHEST = 0.2, 1.5
# Nats that a change of the logarithm of a variance may be worth, in its square.
WORTH = 0.02


@kernel(inner=True)
def _interval(u: float) -> tuple[int, float]:
    """Interval between knots, and place in it, of a point in units of their distance."""
    j = int(max(0.0, min(u, N_SLOPES - 3.0)))
    return j, max(0.0, min(u - j, 1.0))


@kernel(inner=True)
def _near(s: float) -> tuple[float, float, float]:
    """Integrals of the three splines that meet, from minus infinity to 0 to 1 beyond a knot."""
    rest = 1.0 - s
    first, last = 1.0 - rest * rest * rest / 6.0, s * s * s / 6.0
    return first, 1.0 + s - first - last, last


@kernel(fastmath=SUMS)
def link_values(
    points: FloatArray, knots: FloatArray, centers: FloatArray, c: FloatArray, out: FloatArray
) -> None:
    """Write h at points of a scale, docs/method/decisions.md, eq. 14; infinite ones stay so.

    knots: first inner one and distance, beyond which h is straight; centers: (N_SLOPES,), what is
    taken from the splines' integrals; c: (N_SLOPES,), coefficients of h'.
    """
    step, center = knots[1], dot(centers, c)
    for n in range(points.shape[0]):
        out[n] = points[n]
        if math.isfinite(points[n]):
            u = (points[n] - knots[0]) / step
            j, s = _interval(u)
            rest, beyond = 1.0 - s, u - j - s
            first, middle, last = _near(s)
            first += beyond * 0.5 * rest * rest
            middle += beyond * (0.5 + s * rest)
            last += beyond * 0.5 * s * s
            h = first * c[j] + middle * c[j + 1] + last * c[j + 2]
            for i in range(j):
                h += c[i]
            out[n] = step * h - center


@kernel(inner=True)
def _far(j: int, step: float, centers: FloatArray, out: FloatArray) -> None:
    """Write the centered integrals that are the same in a whole interval, and zero for others."""
    for i in range(N_SLOPES):
        out[i] = 0.0 if j <= i < j + 3 else (step if i < j else 0.0) - centers[i]


@kernel(fastmath=SUMS)
def effect_sums(
    values: FloatArray,
    knots: FloatArray,
    local: FloatArray,
    ends: IndexArray,
    centers: FloatArray,
    gram: FloatArray,
    work: FloatArray,
) -> None:
    """Write what monotone functions of an effect must know of it on a scale, zeros before.

    values: (n,), finite and in order; knots: (3,), see `link_values`, and the logarithm of the
    constant slope at which half of the variance is noise; local: (n,), places between two knots, 0
    to 1, those of interval j from ``ends[j]`` on; centers: (N_SLOPES,), means of the splines'
    integrals; gram: (N_SLOPES, N_SLOPES), products of the centered ones; work: (2, N_SLOPES).
    """
    n = values.shape[0]
    low, step = values[0], (values[n - 1] - values[0]) / (N_SLOPES - 2.0)
    share, total, squares = step / n, 0.0, 0.0
    near, far = work[0], work[1]
    for k in range(n):
        j, s = _interval((values[k] - low) / step)
        first, middle, last = _near(s)
        local[k] = s
        ends[j + 1] += 1
        centers[j] += share * first
        centers[j + 1] += share * middle
        centers[j + 2] += share * last
        total += values[k]
    for j in range(N_SLOPES - 2):
        ends[j + 1] += ends[j]
        centers[j] += share * (n - ends[j + 1])
    # About the means: of an effect whose values lie close beside an outlier products about zero
    # would lose all digits.
    for k in range(n):
        squares += (values[k] - total / n) ** 2
    for j in range(N_SLOPES - 2):
        sa, sb, sd, aa, ab, ad, bb, bd, dd = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        inside = local[ends[j] : ends[j + 1]]
        for k in range(inside.shape[0]):
            first, middle, last = _near(inside[k])
            a, b = step * first - centers[j], step * middle - centers[j + 1]
            d = step * last - centers[j + 2]
            sa += a
            sb += b
            sd += d
            aa += a * a
            ab += a * b
            ad += a * d
            bb += b * b
            bd += b * d
            dd += d * d
        _far(j, step, centers, far)
        near[0], near[1], near[2] = sa, sb, sd
        for i in range(N_SLOPES):
            for k in range(N_SLOPES):
                gram[i, k] += inside.shape[0] * far[i] * far[k]
            for p in range(3):
                gram[i, j + p] += near[p] * far[i]
                gram[j + p, i] += near[p] * far[i]
        gram[j, j] += aa
        gram[j + 1, j + 1] += bb
        gram[j + 2, j + 2] += dd
        for p, q, both in ((0, 1, ab), (0, 2, ad), (1, 2, bd)):
            gram[j + p, j + q] += both
            gram[j + q, j + p] += both
    knots[0], knots[1], knots[2] = low, step, 0.5 * math.log(2.0 * n / squares)


@kernel(fastmath=SUMS, inner=True)
def _products(
    points: FloatArray,
    knots: FloatArray,
    centers: FloatArray,
    columns: FloatArray,
    far: FloatArray,
    near: FloatArray,
    moments: FloatArray,
) -> None:
    """Add the products of columns (n, r) and the centered integrals to moments (r, N_SLOPES)."""
    n, r = columns.shape
    # Of each interval, the columns times three integrals and the columns themselves; a row.
    wide, step = padded(r), knots[1]
    row = 4 * (N_SLOPES - 2) * wide
    for k in range(n):
        j, s = _interval((points[k] - knots[0]) / step)
        first, middle, last = _near(s)
        a, b = everywhere(step * first - centers[j]), everywhere(step * middle - centers[j + 1])
        d = everywhere(step * last - centers[j + 2])
        for i in range(r):
            near[row + i] = columns[k, i]
        for i in range(0, wide, LANES):
            x, at = load(near, row + i), 4 * j * wide + i
            store(near, at, multiply_add(a, x, load(near, at)))
            store(near, at + wide, multiply_add(b, x, load(near, at + wide)))
            store(near, at + 2 * wide, multiply_add(d, x, load(near, at + 2 * wide)))
            store(near, at + 3 * wide, plus(x, load(near, at + 3 * wide)))
    for j in range(N_SLOPES - 2):
        _far(j, step, centers, far)
        for i in range(r):
            at = 4 * j * wide + i
            for k in range(N_SLOPES):
                moments[i, k] += near[at + 3 * wide] * far[k]
            for p in range(3):
                moments[i, j + p] += near[at + p * wide]


@kernel(fastmath=SUMS, inner=True)
def _log_slopes(
    c: FloatArray, local: FloatArray, ends: IndexArray, g: FloatArray, Q: FloatArray
) -> None:
    """Write the derivatives by c of minus the sum of log h' over the observations."""
    for i in range(N_SLOPES):
        g[i] = 0.0
        for j in range(N_SLOPES):
            Q[i, j] = 0.0
    for j in range(N_SLOPES - 2):
        sa, sb, sd, aa, ab, ad, bb, bd, dd = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(ends[j], ends[j + 1]):
            # The splines that meet here, over h'.
            s = local[n]
            rest = 1.0 - s
            a, b, d = 0.5 * rest * rest, 0.5 + s * rest, 0.5 * s * s
            one = 1.0 / (c[j] * a + c[j + 1] * b + c[j + 2] * d)
            a *= one
            b *= one
            d *= one
            sa += a
            sb += b
            sd += d
            aa += a * a
            ab += a * b
            ad += a * d
            bb += b * b
            bd += b * d
            dd += d * d
        g[j] -= sa
        g[j + 1] -= sb
        g[j + 2] -= sd
        Q[j, j] += aa
        Q[j + 1, j] += ab
        Q[j + 2, j] += ad
        Q[j + 1, j + 1] += bb
        Q[j + 2, j + 1] += bd
        Q[j + 2, j + 2] += dd


@kernel(fastmath=SUMS, inner=True)
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
    prior, n_null = design.prior, design.n_null
    squares, cost = 0.0, 0.0
    for i in range(N_SLOPES):
        for j in range(N_SLOPES):
            A[i, j] = gram[i, j]
            squares += c[i] * gram[i, j] * c[j]
    scales[0] = max(squares / n, 1.0)
    for k in range(r):
        mean[k] = 0.0
        for i in range(N_SLOPES):
            mean[k] += moments[k, i] * c[i]
    before, tau2 = scales[1], scales[1]
    for _ in range(ROUNDS if r > n_null else 0):
        rough, effective = 2.0 * HYPER, 2.0 * HYPER
        for k in range(n_null, r):
            weight = prior[k] * tau2 / (1.0 + n * prior[k] * tau2)
            rough += weight * mean[k] * weight * mean[k] / prior[k]
            effective += n * weight
        # Of the same fixed point as a step of EM, which takes many.
        new = rough / effective
        change, tau2 = abs(math.log(new / tau2)), new
        if change < SETTLED:
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


@kernel(fastmath=SUMS, inner=True)
def _invert(H: FloatArray) -> float:
    """Invert a positive definite matrix in its place; return its log determinant."""
    log_det = 0.0
    for k in range(N_SLOPES):
        log_det += math.log(H[k, k])
        one = 1.0 / H[k, k]
        H[k, k] = 1.0
        for j in range(N_SLOPES):
            H[k, j] *= one
        for i in range(N_SLOPES):
            if i != k:
                factor = H[i, k]
                H[i, k] = 0.0
                for j in range(N_SLOPES):
                    H[i, j] -= factor * H[k, j]
    return log_det


@kernel(fastmath=SUMS)
def monotone_link(
    values: FloatArray,
    knots: FloatArray,
    local: FloatArray,
    ends: IndexArray,
    centers: FloatArray,
    gram: FloatArray,
    design: Design,
    fixed: FloatArray,
    bends: FloatArray,
    tol: float,
    max_iter: int,
    c: FloatArray,
    mean: FloatArray,
    scales: FloatArray,
    near: FloatArray,
    moments: FloatArray,
    work: FloatArray,
) -> tuple[float, int]:
    """Fit ``h(z) = f(x) + ε``, h smooth and increasing, f smooth, ε standard Gaussian; eqs. 14, 15.

    values: (n,), the effect on a scale, of which `effect_sums` wrote what follows; the design's
    first column is constant; fixed, bends: the precision of the log-slopes about their start is
    ``fixed + bends / ρ²``. Writes c, the coefficients (r,) of f and (variance of columns that are
    not smoothed, τ², ρ²). near: (33 padded(r),), moments: (r, N_SLOPES), work: (5, N_SLOPES,
    N_SLOPES), zeros. Returns what f and b cost, f integrated out and b by Laplace's method,
    but for the determinant of its prior where ρ² is 1, and the steps; ends where a step, and the
    last change of the variances, are worth less than `tol` nats. O(n r), and O(n + r) a step.
    """
    A, P, Q, H, vectors = work[0], work[1], work[2], work[3], work[4]
    # Log-slopes about their start, and where a step takes them.
    b, g, move, off, pull = vectors[0], vectors[1], vectors[2], vectors[3], vectors[4]
    start, rank = knots[2], N_SLOPES - 2.0
    if design.columns.shape[1] > 1:
        # Over a constant the centered integrals' sum is zero.
        _products(values, knots, centers, design.columns, g, near, moments)
    for i in range(3):
        scales[i] = 1.0
    share, gain, changed, before, n_iter, halvings = 0.0, 0.0, 1.0, 0.0, 0, 0
    while True:
        for i in range(N_SLOPES):
            off[i] = b[i] + share * move[i]
            c[i] = math.exp(start + off[i])
        _log_slopes(c, local, ends, g, Q)
        slope = 0.0
        for i in range(N_SLOPES):
            total, pulled = g[i], 0.0
            for j in range(N_SLOPES):
                total += A[i, j] * c[j]
                pulled += P[i, j] * off[j]
            slope += (c[i] * total + pulled) * move[i]
        if slope > RISE * gain and halvings < HALVINGS:
            # Behind the minimum along the step.
            share *= 0.5
            halvings += 1
            continue
        cost, change = _integrate_curve(c, gram, moments, design, mean, scales, A)
        changed += change
        for i in range(N_SLOPES):
            b[i], pull[i] = off[i], 0.0
            for j in range(N_SLOPES):
                g[i] += A[i, j] * c[j]
                P[i, j] = fixed[i, j] + bends[i, j] / scales[2]
                pull[i] += P[i, j] * off[j]
            g[i] *= c[i]
            cost += 0.5 * off[i] * pull[i]
        for i in range(N_SLOPES):
            for j in range(i + 1):
                H[i, j] = c[i] * c[j] * (A[i, j] + Q[i, j]) + P[i, j]
                H[j, i] = H[i, j]
            # Of the Hessian's part that may be negative only what is positive counts.
            H[i, i] += max(g[i], 0.0)
        log_det = _invert(H)
        largest, gain = 0.0, 0.0
        for i in range(N_SLOPES):
            move[i] = 0.0
            for j in range(N_SLOPES):
                move[i] -= H[i, j] * (g[j] + pull[j])
            gain -= move[i] * (g[i] + pull[i])
            largest = max(largest, abs(move[i]))
        if n_iter == max_iter or 0.5 * gain + WORTH * changed * changed < tol:
            return cost + 0.5 * (log_det + rank * math.log(scales[2])), n_iter
        share = min(1.0, LONGEST / largest)
        rough, effective = 2.0 * HYPER, rank + 2.0 * HYPER
        for i in range(N_SLOPES):
            for j in range(N_SLOPES):
                both = (off[i] + share * move[i]) * (off[j] + share * move[j])
                rough += bends[i, j] * both
                effective -= bends[i, j] * H[i, j] / scales[2]
        # Of the same fixed point as a step of EM.
        changed = math.log(rough / effective / scales[2])
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
