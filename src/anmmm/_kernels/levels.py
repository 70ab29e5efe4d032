"""Distribution functions of the bases of densities, many points at once.

The C library's error function and arc tangent take one number at a time. These have no branch, so
that compilers run them on vectors; they are as exact as doubles are.
"""

from __future__ import annotations

import math

from anmmm._kernels._jit import FloatArray, kernel
from anmmm._kernels.packed import exp_nonpositive

ONE_PI = 1.0 / math.pi
ROOT_THIRD = 1.0 / math.sqrt(3.0)
# Beyond it, in standard deviations, a Gaussian tail is zero in double precision beside one.
FARTHEST = 8.5
# A Gaussian tail over e^(-x²/2) is a polynomial of u = SLOPE / (5 + x) + START, from -1 to 1 for x
# from FARTHEST to 0: Chebyshev interpolation, off by 5e-17 of the value.
SLOPE, START = 270.0 / 17.0, -37.0 / 17.0
T0, T1, T2 = 0.15117190531646507, 0.1731910967041728, 0.10311975044934162
T3, T4, T5 = 0.04858615045442281, 0.017929490429231903, 0.004992318364280074
T6, T7, T8 = 0.0009472704358762024, 7.96944809079066e-05, -1.3389618366074401e-05
T9, T10, T11 = -4.439163160998101e-06, -1.4106751356298103e-08, 1.638806961401676e-07
T12, T13, T14 = 9.054451401194898e-09, -6.54675792517036e-09, -4.306475933083264e-10
T15, T16, T17 = 2.9707403836779025e-10, 1.069771191173096e-11, -1.2088567983043249e-11
T18 = 1.5482339630660172e-13
# atan(v) / v as a polynomial of v² from 0 to 1, off by 5e-18.
A0, A1, A2 = 1.0, -0.3333333333333286, 0.19999999999929946
A3, A4, A5 = -0.14285714281592693, 0.11111110982087126, -0.09090906605656898
A6, A7, A8 = 0.0769227555520563, -0.06666371187721098, 0.05880342002401543
A9, A10, A11 = -0.052527255573225747, 0.04719723992321112, -0.042125723963855326
A12, A13, A14 = 0.03651081352721035, -0.02970071773623423, 0.021740213830758134
A15, A16, A17 = -0.013674139288399478, 0.007038646202989813, -0.0028047655531701315
A18, A19, A20 = 0.0008033604181626027, -0.00014617088163625013, 1.2631178430477426e-05


@kernel(inner=True)
def coded(mass: float, n: int, n_cells: int) -> float:
    """Probability that encodes a cell: the fitted one mixed with a share 1/n of equal ones; eq. 1.

    docs/method/decisions.md.
    """
    return (1.0 - 1.0 / n) * mass + 1.0 / (n * n_cells)


@kernel()
def normal_levels(points: FloatArray, work: FloatArray) -> None:
    """Replace points (n,) by the standard normal distribution function there; work: (n,).

    Down to -8.5 off by at most 2e-14 of the value.
    """
    n = points.shape[0]
    for k in range(n):
        work[k] = -0.5 * points[k] * points[k]
    exp_nonpositive(work, n)
    for k in range(n):
        x = abs(points[k])
        x = FARTHEST if x > FARTHEST else x
        u = SLOPE / (5.0 + x) + START
        p = T18
        p = p * u + T17
        p = p * u + T16
        p = p * u + T15
        p = p * u + T14
        p = p * u + T13
        p = p * u + T12
        p = p * u + T11
        p = p * u + T10
        p = p * u + T9
        p = p * u + T8
        p = p * u + T7
        p = p * u + T6
        p = p * u + T5
        p = p * u + T4
        p = p * u + T3
        p = p * u + T2
        p = p * u + T1
        p = p * u + T0
        tail = p * work[k]
        points[k] = 1.0 - tail if points[k] > 0.0 else tail


@kernel()
def student_levels(points: FloatArray) -> None:
    """Replace points (n,) by the distribution function of Student's t, three degrees of freedom.

    ``1/2 + (atan w + w / (1 + w²)) / π`` with ``w = x / √3``, beyond 1 in terms of 1 / w.
    """
    for k in range(points.shape[0]):
        w = abs(points[k]) * ROOT_THIRD
        inverse = 1.0 / w
        v = inverse if w > 1.0 else w
        s = v * v
        p = A20
        p = p * s + A19
        p = p * s + A18
        p = p * s + A17
        p = p * s + A16
        p = p * s + A15
        p = p * s + A14
        p = p * s + A13
        p = p * s + A12
        p = p * s + A11
        p = p * s + A10
        p = p * s + A9
        p = p * s + A8
        p = p * s + A7
        p = p * s + A6
        p = p * s + A5
        p = p * s + A4
        p = p * s + A3
        p = p * s + A2
        p = p * s + A1
        p = p * s + A0
        rest = v / (1.0 + s)
        near, far = 0.5 - (p * v + rest) * ONE_PI, (p * v - rest) * ONE_PI
        tail = far if w > 1.0 else near
        points[k] = 1.0 - tail if points[k] > 0.0 else tail
