"""What observations say of a monotone function h of the effect: its values and its slopes.

Points between knots come in; h, sums of log h' and products with a cause's columns go out to
`anmmm._kernels.monotone`. docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import LANES, everywhere, load, multiply_add, store
from anmmm._kernels.effects import N_SLOPES, interval_of, local_integrals
from anmmm._kernels.packed import clear, padded

# Logarithm of the largest product of slopes that is made before a logarithm is taken.
LARGE = 600.0


@kernel(fastmath=SUMS)
def link_values(
    points: FloatArray, low: float, step: float, slopes: FloatArray, center: float, out: FloatArray
) -> None:
    """Write h less `center` at Gaussian quantiles of the effect, docs/method/decisions.md, eq. 14.

    low, step: first inner knot and distance of knots, beyond which h is straight; slopes:
    (N_SLOPES,), coefficients of h'. Infinite points stay so.
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
def column_moments(
    columns: FloatArray,
    points: FloatArray,
    knots: FloatArray,
    centers: FloatArray,
    moments: FloatArray,
) -> None:
    """Write the sums (r, WIDTH) of products of columns (n, r) and the splines' centered integrals.

    Between two knots all but three integrals are the same everywhere.
    """
    n, r = columns.shape
    wide = padded(r)
    # Of each interval, the columns times three integrals and the columns themselves.
    near, row = np.zeros(4 * (N_SLOPES - 2) * wide), np.zeros(wide)
    low, step = knots[0], knots[1]
    for k in range(n):
        u = (points[k] - low) / step
        j = interval_of(u)
        s = max(0.0, min(u - j, 1.0))
        start, end = local_integrals(s)
        a, c = everywhere(step * start - centers[j]), everywhere(step * end - centers[j + 2])
        b = everywhere(step * (1.0 + s - start - end) - centers[j + 1])
        for i in range(r):
            row[i] = columns[k, i]
        at = 4 * j * wide
        for i in range(0, wide, LANES):
            x = load(row, i)
            store(near, at + i, multiply_add(a, x, load(near, at + i)))
            store(near, at + wide + i, multiply_add(b, x, load(near, at + wide + i)))
            store(near, at + 2 * wide + i, multiply_add(c, x, load(near, at + 2 * wide + i)))
            last = at + 3 * wide + i
            store(near, last, multiply_add(everywhere(1.0), x, load(near, last)))
    for i in range(r):
        for m in range(N_SLOPES):
            total = 0.0
            for j in range(N_SLOPES - 2):
                if j <= m < j + 3:
                    total += near[(4 * j + m - j) * wide + i]
                else:
                    far = (step if m < j else 0.0) - centers[m]
                    total += near[(4 * j + 3) * wide + i] * far
            moments[i, m] = total


@kernel(fastmath=SUMS, inner=True)
def _interval_slopes(
    part: FloatArray, a: float, b: float, c: float, so_far: float, sums: FloatArray
) -> float:
    """Multiply a product by h' at the observations between two knots.

    sums: (9,), of the three splines that meet there over h', then of products of two over its
    square.
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
def log_of_slopes(
    log_c: FloatArray,
    c: FloatArray,
    local: FloatArray,
    ends: IndexArray,
    g: FloatArray,
    band: FloatArray,
    sums: FloatArray,
) -> float:
    """Sum of log h' over the observations; minus its derivatives by c go to g and band.

    band: (N_SLOPES, 3), the second ones, each row from the diagonal on.
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
