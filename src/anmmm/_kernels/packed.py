"""Helpers of fits to small matrices: rows of whole vectors, their sums, and a prior."""

from __future__ import annotations

import math
from typing import NamedTuple

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import LANES, exponential

# Shape and scale of the weak inverse-gamma prior on a smoothing variance. Without it the variance
# of an exactly linear curve would decrease to zero without end.
HYPER = 0.01
# Rounds of (curves, variances) in O(r³) between two passes over the observations in O(n r²). Two
# take 5 % more passes than three, one 23 %.
N_INNER = 2
LOG_2PI = math.log(2.0 * math.pi)
# Bound of a product of positive numbers, beyond which its logarithm is taken before it overflows.
LARGE = 1e100


class Design(NamedTuple):
    """Basis functions at the observations, and the prior of their coefficients."""

    # (n, r), or (r, padded(n)), orthogonal with mean square 1, the first one constant
    columns: FloatArray
    prior: FloatArray  # (r,), prior variances, beyond `n_null` in units of a smoothing variance
    n_null: int  # columns that are not smoothed (constant and linear)


@kernel(inner=True)
def padded(r: int) -> int:
    """Length of a row of r numbers in whole vectors."""
    return (r + LANES - 1) // LANES * LANES


@kernel(inner=True)
def copy_part(source: FloatArray, out: FloatArray) -> None:
    """Copy as many numbers as fit."""
    for i in range(min(source.shape[0], out.shape[0])):
        out[i] = source[i]


@kernel(fastmath=SUMS, inner=True)
def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the inner product of two vectors."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel(inner=True)
def clear(out: FloatArray) -> None:
    """Set a vector to zero."""
    for i in range(out.shape[0]):
        out[i] = 0.0


@kernel(inner=True)
def exp_nonpositive(values: FloatArray, n: int) -> None:
    """Replace the first `n` values, below 709, by exponentials to 1 ulp; below -708 that is 0."""
    for i in range(n):
        values[i] = exponential(values[i])


@kernel(inner=True)
def sum_of_logs(values: FloatArray, n: int) -> float:
    """Return the sum of the logarithms of the first `n` positive values."""
    total = 0.0
    product = 1.0
    for i in range(n):
        product *= values[i]
        if not 1.0 / LARGE < product < LARGE:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@kernel(inner=True)
def log_of_product(product: float, factor: float) -> tuple[float, float]:
    """Return a product times a factor, and the term for a sum of logarithms."""
    # Logarithms cost as much as everything else that is done with a pivot.
    product *= factor
    if 1.0 / LARGE < product < LARGE:
        return product, 0.0
    return 1.0, math.log(product)


@kernel(inner=True)
def new_smoothing(
    prior: FloatArray, n_null: int, products: FloatArray, s2: float, n: int, tau2: float
) -> float:
    """Return the next smoothing variance τ² of a curve over orthogonal columns of mean square 1.

    products: (r,), ``Σ_n y_n ψ_n``. The fixed point is that of EM, which takes many more steps.
    """
    rough = 2.0 * HYPER
    effective = 2.0 * HYPER
    for k in range(n_null, prior.shape[0]):
        weight = prior[k] * tau2 / (s2 + n * prior[k] * tau2)
        rough += weight * products[k] * weight * products[k] / prior[k]
        effective += n * weight
    return rough / effective
