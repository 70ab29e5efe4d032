"""What fits to small matrices share: rows of whole vectors, their sums, and a prior."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    exponential,
    load,
    load_one,
    multiply_add,
    product,
    store,
)

# Shape and scale of the weak inverse-gamma prior on a smoothing variance. Without it the variance
# of a curve that is exactly linear would creep to zero for ever.
HYPER = 0.01
# Rounds of (curves, variances) between two passes over the observations: they cost r³, a pass n r².
# Two take 5 % more passes than three, one 23 %.
N_INNER = 2
LOG_2PI = math.log(2.0 * math.pi)
# A product of so many positive numbers is turned into a sum of logarithms before it leaves what
# doubles hold; each of them may be as large or small again.
LARGE = 1e100


class Design(NamedTuple):
    """Basis functions at the observations, and the prior of their coefficients."""

    # (n, r), or (r, padded(n)), orthogonal with mean square 1, the first one constant
    columns: FloatArray
    prior: FloatArray  # (r,), prior variances, beyond `n_null` in units of a smoothing variance
    n_null: int  # columns that are not smoothed (constant and linear)


class Pivots(NamedTuple):
    """Room to solve for one curve."""

    # ((r + 1) padded(r),), rows of a symmetric matrix (lower triangle) and a right-hand side
    matrix: FloatArray
    column: FloatArray  # (padded(r + 1),), of a pivot
    keep: FloatArray  # (padded(r + 1),), ones


@kernel(inner=True)
def padded(r: int) -> int:
    """Length of a row of r numbers in whole vectors."""
    return (r + LANES - 1) // LANES * LANES


@kernel(inner=True)
def make_pivots(r: int) -> Pivots:
    """Return room for a system of r equations."""
    width = padded(r + 1)
    return Pivots(np.zeros((r + 1) * padded(r)), np.zeros(width), np.ones(width))


@kernel(inner=True)
def copy_part(source: FloatArray, out: FloatArray) -> None:
    """Copy as many numbers as both have."""
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


@kernel()
def exp_nonpositive(values: FloatArray, n: int) -> None:
    """Replace the first `n` values, at most 0, by their exponentials; below -708 that is 0.

    At most 1 unit in the last place off, and on vectors, unlike the C library's.
    """
    for i in range(n):
        values[i] = exponential(values[i])


@kernel(inner=True)
def log_of_product(so_far: float, factor: float) -> tuple[float, float]:
    """Return a product times a factor, and what to add to a sum of logarithms.

    Logarithms cost as much as everything else that is done with a pivot.
    """
    so_far *= factor
    if 1.0 / LARGE < so_far < LARGE:
        return so_far, 0.0
    return 1.0, math.log(so_far)


@kernel()
def sweep(pivots: Pivots, r: int) -> float:
    """Sweep A, positive definite, to ``-A⁻¹`` and b to ``A⁻¹ b``; return the log determinant of A.

    Goodnight (1979): a pivot d turns into ``-1 / d``, its row and column into ``a_ik / d``, and all
    else into ``a_ij - a_ik a_kj / d``. No pivot is exchanged. What ends up above the diagonal is
    not to be read. O(r³).
    """
    A, column, keep = pivots
    width = padded(r)
    pivot_product, log_det = 1.0, 0.0
    for k in range(r):
        pivot = A[k * width + k]
        pivot_product, logarithm = log_of_product(pivot_product, pivot)
        log_det += logarithm
        for j in range(0, k, LANES):
            store(column, j, load(A, k * width + j))
        column[k] = -1.0
        for i in range(k + 1, r + 1):
            column[i] = A[i * width + k]
        keep[k] = 0.0
        for j in range(0, width, LANES):
            row = product(everywhere(-1.0 / pivot), load(column, j))
            kept = load(keep, j)
            for i in range(j, r + 1):
                others = product(kept, load(A, i * width + j))
                store(A, i * width + j, multiply_add(load_one(column, i), row, others))
            store(A, k * width + j, product(everywhere(-1.0), row))
        keep[k] = 1.0
    return log_det + math.log(pivot_product)
