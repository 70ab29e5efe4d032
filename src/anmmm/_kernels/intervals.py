"""How probable intervals are about curves with Gaussian noise.

Ends of cells and curves come in; nats of each observation go out to `anmmm.evidence`.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.levels import coded
from anmmm._kernels.packed import exp_nonpositive

ROOT_HALF = math.sqrt(0.5)
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)
# Observations that are worked on at a time: what is known of them stays in the first-level cache.
ROWS = 256
# Half an interval's width times two more than its distance from the curve, in units of the noise,
# up to which six terms of the series in the width are exact to the last digits.
NARROW = 0.5


@kernel(inner=True)
def _mass(lower: float, upper: float) -> float:
    """Probability of an interval under the standard normal, accurate in both tails."""
    # Of an interval's mirror image it is the same: the ends are taken from the upper tail.
    above = lower > 0.0
    near, far = (lower, upper) if above else (-upper, -lower)
    return 0.5 * (math.erfc(near * ROOT_HALF) - math.erfc(far * ROOT_HALF))


@kernel(inner=True)
def _series(middle: float, half: float) -> float:
    """Probability of a narrow interval over that of its width at the density of its middle.

    ``Σ_k He_2k(m) h^2k / (2k + 1)!``, Hermite's polynomials by their recurrence.
    """
    square = half * half
    even, odd = 1.0, middle * half
    total, scale = 1.0, 1.0
    for k in range(1, 7):
        # He_2k h^2k and He_(2k+1) h^(2k+1).
        even = middle * half * odd - (2 * k - 1) * square * even
        odd = middle * half * even - 2 * k * square * odd
        scale /= 2 * k * (2 * k + 1)
        total += even * scale
    return total


@kernel(fastmath=SUMS)
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

    docs/method/decisions.md, eqs. 1 and 8. lower, upper: (n,), may be infinite; curves: (n, C);
    weights: (C,); scale: (n,) or (1,). Of a narrow cell the probability is the density at its
    middle times a series in its width, which takes one exponential on vectors, and loses no digits
    to the difference of two tails.
    """
    n, C = curves.shape
    density, middle, half = np.empty(ROWS), np.empty(ROWS), np.empty(ROWS)
    for first in range(0, n, ROWS):
        rows = min(ROWS, n - first)
        mass = nats[first : first + rows]
        for i in range(rows):
            mass[i] = 0.0
        for c in range(C):
            for i in range(rows):
                k = first + i
                one = 1.0 / scale[k if scale.shape[0] > 1 else 0]
                middle[i] = (0.5 * (lower[k] + upper[k]) - curves[k, c]) * one
                half[i] = 0.5 * (upper[k] - lower[k]) * one
                density[i] = -0.5 * middle[i] * middle[i]
            exp_nonpositive(density, rows)
            for i in range(rows):
                width = half[i] * (2.0 * weights[c] / ROOT_TWO_PI)
                density[i] *= width * _series(middle[i], half[i])
            for i in range(rows):
                # Not where an end is infinite either.
                if half[i] * (abs(middle[i]) + 2.0) <= NARROW:
                    mass[i] += density[i]
                else:
                    k = first + i
                    one = 1.0 / scale[k if scale.shape[0] > 1 else 0]
                    ends = (lower[k] - curves[k, c]) * one, (upper[k] - curves[k, c]) * one
                    mass[i] += weights[c] * _mass(ends[0], ends[1])
        for i in range(rows):
            mass[i] = -math.log(coded(mass[i], n, n_cells))
