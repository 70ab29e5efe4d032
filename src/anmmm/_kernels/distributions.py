"""Normal and Student distribution functions, and the cost of cells under Gaussian noise.

Whole vectors are evaluated without branches, unlike the C library's functions of one number.
docs/method/decisions.md, eqs. 1 and 8.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import exponential, polynomial
from anmmm._kernels.packed import exp_nonpositive

ONE_PI = 1.0 / math.pi
ROOT_HALF = math.sqrt(0.5)
ROOT_THIRD = 1.0 / math.sqrt(3.0)
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)
# Standard deviations beyond which the normal distribution function is 0 or 1 in double precision.
MAX_DEVIATION = 8.5
# A Gaussian tail over e^(-x²/2) is a polynomial of u = TAIL_SLOPE / (5 + x) + TAIL_START, from -1
# to 1 for x from MAX_DEVIATION to 0: Chebyshev interpolation with a relative error of 5e-17.
TAIL_SLOPE = 270.0 / 17.0
TAIL_START = -37.0 / 17.0
# fmt: off
tail_series = polynomial((
    0.15117190531646507, 0.1731910967041728, 0.10311975044934162, 0.04858615045442281,
    0.017929490429231903, 0.004992318364280074, 0.0009472704358762024, 7.96944809079066e-05,
    -1.3389618366074401e-05, -4.439163160998101e-06, -1.4106751356298103e-08, 1.638806961401676e-07,
    9.054451401194898e-09, -6.54675792517036e-09, -4.306475933083264e-10, 2.9707403836779025e-10,
    1.069771191173096e-11, -1.2088567983043249e-11, 1.5482339630660172e-13,
))
# atan(v) / v as a polynomial of v² from 0 to 1, with an error of 5e-18.
arctangent_series = polynomial((
    1.0, -0.3333333333333286, 0.19999999999929946, -0.14285714281592693, 0.11111110982087126,
    -0.09090906605656898, 0.0769227555520563, -0.06666371187721098, 0.05880342002401543,
    -0.052527255573225747, 0.04719723992321112, -0.042125723963855326, 0.03651081352721035,
    -0.02970071773623423, 0.021740213830758134, -0.013674139288399478, 0.007038646202989813,
    -0.0028047655531701315, 0.0008033604181626027, -0.00014617088163625013, 1.2631178430477426e-05,
))
# fmt: on
# Observations of a block, which stay in the first-level cache.
ROWS = 256
# Half width times (distance + 2), in units of the noise, up to which six terms of the series in the
# width are exact to the last digits.
NARROW = 0.5


@kernel(inner=True)
def mixed_with_cells(mass: float, n: int, n_cells: int) -> float:
    """Probability that encodes a cell, ``(1 - 1/N) p + 1/(N K)``; decisions.md, eq. 1."""
    return (1.0 - 1.0 / n) * mass + 1.0 / (n * n_cells)


@kernel(inner=True)
def normal_mass(lower: float, upper: float) -> float:
    """Probability of an interval under the standard normal, exact if most of it lies above 0."""
    return 0.5 * (math.erfc(lower * ROOT_HALF) - math.erfc(upper * ROOT_HALF))


@kernel(inner=True)
def normal_levels(points: FloatArray) -> None:
    """Replace points (n,) by the normal distribution function, to 2e-14 of it down to -8.5."""
    for k in range(points.shape[0]):
        x = abs(points[k])
        x = MAX_DEVIATION if x > MAX_DEVIATION else x
        u = TAIL_SLOPE / (5.0 + x) + TAIL_START
        tail = tail_series(u) * exponential(-0.5 * points[k] * points[k])
        points[k] = 1.0 - tail if points[k] > 0.0 else tail


@kernel(inner=True)
def student_levels(points: FloatArray) -> None:
    """Replace points (n,) by the distribution function of Student's t, three degrees of freedom."""
    # ``1/2 + (atan w + w / (1 + w²)) / π`` with ``w = x / √3``, beyond 1 in terms of 1 / w.
    for k in range(points.shape[0]):
        w = abs(points[k]) * ROOT_THIRD
        inverse = 1.0 / w
        v = inverse if w > 1.0 else w
        s = v * v
        angle = arctangent_series(s) * v
        rational = v / (1.0 + s)
        inner_tail = 0.5 - (angle + rational) * ONE_PI
        outer_tail = (angle - rational) * ONE_PI
        tail = outer_tail if w > 1.0 else inner_tail
        points[k] = 1.0 - tail if points[k] > 0.0 else tail


@kernel(inner=True)
def _series(middle: float, half: float) -> float:
    """Return a cell's probability over width times density, ``Σ_k He_2k(m) h^2k / (2k + 1)!``."""
    square = half * half
    even = 1.0
    odd = middle * half
    total = 1.0
    scale = 1.0
    for k in range(1, 7):
        # He_2k h^2k and He_(2k+1) h^(2k+1).
        even = middle * half * odd - (2 * k - 1) * square * even
        odd = middle * half * even - 2 * k * square * odd
        scale /= 2 * k * (2 * k + 1)
        total += even * scale
    return total


@kernel(fastmath=SUMS, allocates=True)
def gaussian_nats(
    lower: FloatArray,
    upper: FloatArray,
    curves: FloatArray,
    weights: FloatArray,
    scale: FloatArray,
    n_cells: int,
    nats: FloatArray,
) -> None:
    """Write the nats that encode each observation's cell under Gaussian noise about C curves.

    lower, upper: (n,), may be infinite; curves: (n, C); weights: (C,); scale: (n,) or (1,).
    """
    n, C = curves.shape
    density = np.empty(ROWS)
    middle = np.empty(ROWS)
    half = np.empty(ROWS)
    for first in range(0, n, ROWS):
        rows = min(ROWS, n - first)
        mass = nats[first : first + rows]
        for i in range(rows):
            mass[i] = 0.0
        for c in range(C):
            for i in range(rows):
                k = first + i
                inverse_scale = 1.0 / scale[k if scale.shape[0] > 1 else 0]
                middle[i] = (0.5 * (lower[k] + upper[k]) - curves[k, c]) * inverse_scale
                half[i] = 0.5 * (upper[k] - lower[k]) * inverse_scale
                density[i] = -0.5 * middle[i] * middle[i]
            exp_nonpositive(density, rows)
            for i in range(rows):
                width = half[i] * (2.0 * weights[c] / ROOT_TWO_PI)
                density[i] *= width * _series(middle[i], half[i])
            for i in range(rows):
                # A series loses no digits to a difference of tails. False if an end is infinite.
                if half[i] * (abs(middle[i]) + 2.0) <= NARROW:
                    mass[i] += density[i]
                else:
                    k = first + i
                    inverse_scale = 1.0 / scale[k if scale.shape[0] > 1 else 0]
                    a = (lower[k] - curves[k, c]) * inverse_scale
                    b = (upper[k] - curves[k, c]) * inverse_scale
                    # By symmetry, the upper tail of either.
                    mass[i] += weights[c] * (normal_mass(a, b) if a > 0.0 else normal_mass(-b, -a))
        for i in range(rows):
            mass[i] = -math.log(mixed_with_cells(mass[i], n, n_cells))
