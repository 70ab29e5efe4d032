"""Small matrices that meet observations one row at a time.

A symmetric r × r matrix is packed: entry (i, j), j <= i, stands at ``i (i + 1) / 2 + j``. The outer
product of a row with itself is then one vector, and both a Gram matrix and a predictive variance
are one pass over it. LAPACK is not called: at r = 14 the call costs as much as the work.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from anmmm._kernels._jit import SUMS, FloatArray, kernel

__all__ = [
    "HYPER", "LOG_2PI", "N_INNER", "Design", "add", "clear", "curve_posterior", "dot", "invert",
    "outer_product", "pack_covariance",
]  # fmt: skip

# Shape and scale of the weak inverse-gamma prior on a smoothing variance. Without it the variance
# of a curve that is exactly linear would creep to zero for ever.
HYPER = 0.01
# Rounds of (curves, variances) between two passes over the observations: they cost r³, a pass n r².
N_INNER = 3
LOG_2PI = math.log(2.0 * math.pi)


class Design(NamedTuple):
    """Basis functions at the observations, and the prior of their coefficients.

    Attributes
    ----------
    columns : float64 (n, r), C order
        Orthogonal with mean square 1, the first one constant.
    prior : float64 (r,)
        Prior variances of the coefficients; beyond `n_null` in units of a smoothing variance.
    n_null : int
        Columns that are not smoothed (constant and linear).
    """

    columns: FloatArray
    prior: FloatArray
    n_null: int


@kernel(fastmath=SUMS, inner=True)
def outer_product(row: FloatArray, out: FloatArray) -> None:
    """Write the packed outer product of a row (r,) with itself, (r (r + 1) / 2,)."""
    p = 0
    for i in range(row.shape[0]):
        for j in range(i + 1):
            out[p] = row[i] * row[j]
            p += 1


@kernel(fastmath=SUMS, inner=True)
def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the inner product of two vectors."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel(fastmath=SUMS, inner=True)
def add(factor: float, a: FloatArray, out: FloatArray) -> None:
    """Add a multiple of one vector to another."""
    for i in range(a.shape[0]):
        out[i] += factor * a[i]


@kernel(inner=True)
def clear(out: FloatArray) -> None:
    """Set a vector to zero."""
    for i in range(out.shape[0]):
        out[i] = 0.0


@kernel(fastmath=SUMS, inner=True)
def invert(A: FloatArray, inverse: FloatArray) -> float:
    """Write the inverse of a positive definite matrix; return its log determinant.

    A (r, r), lower triangle read, is overwritten by the inverse of its Cholesky factor.
    """
    r = A.shape[0]
    log_det = 0.0
    for j in range(r):
        pivot = A[j, j]
        for k in range(j):
            pivot -= A[j, k] * A[j, k]
        pivot = math.sqrt(pivot)
        log_det += 2.0 * math.log(pivot)
        A[j, j] = pivot
        for i in range(j + 1, r):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = total / pivot
    for j in range(r):
        A[j, j] = 1.0 / A[j, j]
        for i in range(j + 1, r):
            total = 0.0
            for k in range(j, i):
                total -= A[i, k] * A[k, j]
            A[i, j] = total / A[i, i]
    for i in range(r):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, r):
                total += A[k, i] * A[k, j]
            inverse[i, j] = total
            inverse[j, i] = total
    return log_det


@kernel(fastmath=SUMS, inner=True)
def curve_posterior(
    gram: FloatArray, moment: FloatArray, s2: float, center: FloatArray, variance: FloatArray,
    mean: FloatArray, cov: FloatArray, work: FloatArray,
) -> float:  # fmt: skip
    """Posterior of one curve's coefficients; returns the log determinant of its precision.

    gram (r (r + 1) / 2,) packed and moment (r,) are the weighted sums over the observations; the
    prior is Gaussian about `center` with independent `variance`.
    """
    r = variance.shape[0]
    p = 0
    for i in range(r):
        for j in range(i + 1):
            work[i, j] = gram[p] / s2
            p += 1
        work[i, i] += 1.0 / variance[i]
    log_det = invert(work, cov)
    for i in range(r):
        work[0, i] = moment[i] / s2 + center[i] / variance[i]
    for i in range(r):
        mean[i] = dot(cov[i], work[0])
    return log_det


@kernel(fastmath=SUMS, inner=True)
def pack_covariance(cov: FloatArray, out: FloatArray) -> None:
    """Write the vector whose product with a packed outer product is the quadratic form."""
    p = 0
    for i in range(cov.shape[0]):
        for j in range(i):
            out[p] = 2.0 * cov[i, j]
            p += 1
        out[p] = cov[i, i]
        p += 1
