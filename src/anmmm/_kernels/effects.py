"""An effect on Gaussian quantiles of base distributions, and what monotone functions must know.

Points and places of the distributions come in; quantiles, their order by intervals between knots,
and products of the splines' integrals go out to `anmmm._kernels.monotone`.
docs/method/decisions.md, eq. 14.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels.laws import NORMAL, UNIFORM
from anmmm._kernels.packed import clear

# Quadratic B-splines of h'; rows of so many numbers are padded to whole vectors.
N_SLOPES, WIDTH = 10, 16
# Distance from an end of a bounded base, in units of its range, that rounding can make.
AT_END = 1e-12
# Inverse of a scaled value of Student's distribution, up to which a tail is taken from its series.
FAR = 0.1
# Wichura (1988, Applied Statistics 37, AS 241): numerators and denominators of the Gaussian
# quantile in the middle, in the tails and far out in them, the constants first.
MIDDLE, TAIL = 0.425, 5.0
RATIONAL = np.array(
    [
        [
            [
                3.3871328727963666080e0,
                1.3314166789178437745e2,
                1.9715909503065514427e3,
                1.3731693765509461125e4,
                4.5921953931549871457e4,
                6.7265770927008700853e4,
                3.3430575583588128105e4,
                2.5090809287301226727e3,
            ],
            [
                1.0,
                4.2313330701600911252e1,
                6.8718700749205790830e2,
                5.3941960214247511077e3,
                2.1213794301586595867e4,
                3.9307895800092710610e4,
                2.8729085735721942674e4,
                5.2264952788528545610e3,
            ],
        ],
        [
            [
                1.42343711074968357734e0,
                4.63033784615654529590e0,
                5.76949722146069140550e0,
                3.64784832476320460504e0,
                1.27045825245236838258e0,
                2.41780725177450611770e-1,
                2.27238449892691845833e-2,
                7.74545014278341407640e-4,
            ],
            [
                1.0,
                2.05319162663775882187e0,
                1.67638483018380384940e0,
                6.89767334985100004550e-1,
                1.48103976427480074590e-1,
                1.51986665636164571966e-2,
                5.47593808499534494600e-4,
                1.05075007164441684324e-9,
            ],
        ],
        [
            [
                6.65790464350110377720e0,
                5.46378491116411436990e0,
                1.78482653991729133580e0,
                2.96560571828504891230e-1,
                2.65321895265761230930e-2,
                1.24266094738807843860e-3,
                2.71155556874348757815e-5,
                2.01033439929228813265e-7,
            ],
            [
                1.0,
                5.99832206555887937690e-1,
                1.36929880922735805310e-1,
                1.48753612908506148525e-2,
                7.86869131145613259100e-4,
                1.84631831751005468180e-5,
                1.42151175831644588870e-7,
                2.04426310338993978564e-15,
            ],
        ],
    ]
)


class EffectSums(NamedTuple):
    """What monotone functions of an effect must know of it, on K scales."""

    # (K, n + n_edges), Gaussian quantiles of observations, then of ends of cells, some infinite
    points: FloatArray
    # (K, 3): first inner knot, distance of knots, log of the constant slope at which half of the
    # variance is noise; NaN where an observation is at an end of the base
    knots: FloatArray
    # (K, n), place of each observation between two knots, 0 to 1, the first interval first
    local: FloatArray
    # (K, N_SLOPES - 1), where the observations of each interval begin, and one beyond
    ends: IndexArray
    centers: FloatArray  # (K, WIDTH), means of the splines' integrals over the observations
    # (K, N_SLOPES, WIDTH), sums of products of the centered integrals, padded with zeros
    gram: FloatArray


@kernel(inner=True)
def _lower_quantile(p: float) -> float:
    """Gaussian quantile of a probability from 0 to one half."""
    if p <= 0.0:
        return -math.inf
    at, k = MIDDLE * MIDDLE - (p - 0.5) * (p - 0.5), 0
    if 0.5 - p > MIDDLE:
        root = math.sqrt(-math.log(p))
        at, k = (root - 1.6, 1) if root <= TAIL else (root - TAIL, 2)
    over, under = 0.0, 0.0
    for i in range(7, -1, -1):
        over = over * at + RATIONAL[k, 0, i]
        under = under * at + RATIONAL[k, 1, i]
    return (p - 0.5) * over / under if k == 0 else -over / under


@kernel(inner=True)
def _student_tail(w: float) -> float:
    """Probability beyond √3 w > 0 under Student's distribution with three degrees of freedom."""
    if w * FAR < 1.0:
        return 0.5 - (math.atan(w) + w / (1.0 + w * w)) / math.pi
    t = 1.0 / w
    # atan(t) - t / (1 + t²), no difference of nearly equal numbers.
    s, total = t * t, 0.0
    for j in range(8, 0, -1):
        total = (2.0 * j / (2.0 * j + 1.0) - total) * s
    return total * t / math.pi


@kernel()
def base_quantiles(
    bases: IndexArray, places: FloatArray, values: FloatArray, edges: FloatArray, out: FloatArray
) -> None:
    """Write Gaussian quantiles (K, n + m) of values and edges under K bases, exact in both tails.

    docs/method/decisions.md, eq. 14. bases: (K,), `UNIFORM`, `NORMAL` or `STUDENT` with three
    degrees of freedom; places: (K, 2), location and scale, of `UNIFORM` the left end and the
    length. Infinite at an end of a bounded base.
    """
    n = values.shape[0]
    for k in range(bases.shape[0]):
        location, scale, last = places[k, 0], places[k, 1], places[k, 0] + places[k, 1]
        for i in range(out.shape[1]):
            y = values[i] if i < n else edges[i - n]
            z = (y - location) / scale
            if bases[k] != NORMAL:
                if bases[k] == UNIFORM:
                    above = (last - y) / scale
                    side, share = (-1.0, z) if z <= above else (1.0, above)
                    # At the end of the range, whichever side of it rounding puts a value.
                    share = share if share >= AT_END else 0.0
                else:
                    side, share = math.copysign(1.0, z), _student_tail(abs(z) / math.sqrt(3.0))
                z = -side * _lower_quantile(share)
            out[k, i] = z


@kernel(inner=True)
def interval_of(u: float) -> int:
    """Interval between knots of a finite point in units of their distance."""
    return int(max(0.0, min(math.floor(u), N_SLOPES - 3.0)))


@kernel(inner=True)
def local_integrals(s: float) -> tuple[float, float]:
    """Integrals of the first and third of the splines that meet, from 0 to 1 beyond a knot.

    In units of the distance of knots; all three together have 1 + s.
    """
    rest = 1.0 - s
    return 1.0 - rest * rest * rest / 6.0, s * s * s / 6.0


@kernel(fastmath=SUMS, inner=True)
def _place_knots(values: FloatArray, knots: FloatArray) -> None:
    """Write the knots of a scale, and where slopes start."""
    n = values.shape[0]
    low, high, total, squares = values[0], values[0], 0.0, 0.0
    for i in range(n):
        low, high = min(low, values[i]), max(high, values[i])
        total += values[i]
    for i in range(n):
        squares += (values[i] - total / n) ** 2
    knots[0], knots[1] = low, (high - low) / (N_SLOPES - 2.0)
    knots[2] = 0.5 * math.log(2.0 * n / squares)
    if not high - low < math.inf:
        knots[0], knots[1], knots[2] = math.nan, math.nan, math.nan


@kernel(inner=True)
def _sort_intervals(
    values: FloatArray, knots: FloatArray, local: FloatArray, ends: IndexArray
) -> None:
    """Write where observations lie between knots, those of each interval together."""
    place = np.zeros(N_SLOPES, np.int64)
    for sweep in range(2):
        for i in range(values.shape[0]):
            u = (values[i] - knots[0]) / knots[1]
            j = interval_of(u)
            if sweep == 1:
                local[place[j]] = max(0.0, min(u - j, 1.0))
            place[j] += 1
        if sweep == 0:
            ends[0] = 0
            for j in range(N_SLOPES - 2):
                ends[j + 1] = ends[j] + place[j]
                place[j] = ends[j]


@kernel(fastmath=SUMS, inner=True)
def _add_interval(
    local: FloatArray, first: int, step: float, centers: FloatArray, moments: FloatArray
) -> None:
    """Write sums over the observations of an interval: of three centered integrals and products."""
    a0, b0, c0 = centers[first], centers[first + 1], centers[first + 2]
    a1, b1, c1, aa, ab, ac, bb, bc, cc = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(local.shape[0]):
        s = local[i]
        start, end = local_integrals(s)
        a, c = step * start - a0, step * end - c0
        b = step * (1.0 + s - start - end) - b0
        a1 += a
        b1 += b
        c1 += c
        aa += a * a
        ab += a * b
        ac += a * c
        bb += b * b
        bc += b * c
        cc += c * c
    moments[0], moments[1], moments[2] = a1, b1, c1
    moments[3], moments[4], moments[5] = aa, ab, ac
    moments[6], moments[7], moments[8] = bb, bc, cc


@kernel(fastmath=SUMS, inner=True)
def _spread(
    moments: FloatArray,
    count: int,
    first: int,
    step: float,
    centers: FloatArray,
    sums: FloatArray,
    gram: FloatArray,
) -> None:
    """Add an interval of `count` observations to the sums of integrals and of their products."""
    for i in range(N_SLOPES):
        near_i = first <= i < first + 3
        far_i = (step if i < first else 0.0) - centers[i]
        sums[i] += moments[i - first] if near_i else count * far_i
        for j in range(i + 1):
            near_j = first <= j < first + 3
            far_j = (step if j < first else 0.0) - centers[j]
            if near_i and near_j:
                a, b = j - first, i - first
                gram[i, j] += moments[3 + a * (5 - a) // 2 + b]
            elif near_i:
                gram[i, j] += far_j * moments[i - first]
            elif near_j:
                gram[i, j] += far_i * moments[j - first]
            else:
                gram[i, j] += count * far_i * far_j


@kernel(fastmath=SUMS)
def effect_sums(n: int, sums: EffectSums) -> None:
    """Write all of `sums`, zeros before, but its points, for n observations.

    docs/method/decisions.md, eq. 14. O(K n).
    """
    moments, total = np.empty(9), np.empty(N_SLOPES)
    for k in range(sums.points.shape[0]):
        values, knots, local = sums.points[k, :n], sums.knots[k], sums.local[k]
        ends, centers, gram = sums.ends[k], sums.centers[k], sums.gram[k]
        _place_knots(values, knots)
        if not knots[1] > 0.0:
            continue
        _sort_intervals(values, knots, local, ends)
        # The means first, then products about them: of an effect whose values lie close beside an
        # outlier products about zero would lose all digits.
        for sweep in range(2):
            clear(total)
            for i in range(N_SLOPES):
                clear(gram[i])
            for j in range(N_SLOPES - 2):
                part = local[ends[j] : ends[j + 1]]
                _add_interval(part, j, knots[1], centers, moments)
                _spread(moments, part.shape[0], j, knots[1], centers, total, gram)
            if sweep == 0:
                for i in range(N_SLOPES):
                    centers[i] += total[i] / n
        for i in range(N_SLOPES):
            for j in range(i):
                gram[j, i] = gram[i, j]
