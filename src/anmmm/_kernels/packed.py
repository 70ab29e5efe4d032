"""Small matrices that meet observations one row at a time.

A symmetric r × r matrix is packed: entry (i, j), j <= i, stands at ``i (i + 1) / 2 + j``. The outer
product of a row with itself is then one vector, and both a Gram matrix and a predictive variance
are one pass over it. LAPACK is not called: at r = 14 the call costs as much as the work.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel

__all__ = [
    "HYPER", "LOG_2PI", "N_INNER", "Design", "add", "clear", "curve_posterior", "dot", "invert",
    "outer_product", "outer_products", "pack_covariance", "product_of",
]  # fmt: skip

# Shape and scale of the weak inverse-gamma prior on a smoothing variance. Without it the variance
# of a curve that is exactly linear would creep to zero for ever.
HYPER = 0.01
# Rounds of (curves, variances) between two passes over the observations: they cost r³, a pass n r².
# Two take 5 % more passes than three, one 23 %.
N_INNER = 2
LOG_2PI = math.log(2.0 * math.pi)
# Outer products of so many rows are kept, which is 3.4 MB at r = 14; of more they are made anew for
# every pass, in which they cost half.
KEPT_ROWS = 4000


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
def outer_products(columns: FloatArray) -> FloatArray:
    """Return the outer product of each row, or, of many rows, room for one; see `product_of`."""
    n, r = columns.shape
    kept = n if n <= KEPT_ROWS else 1
    products = np.empty((kept, r * (r + 1) // 2))
    for k in range(kept):
        outer_product(columns[k], products[k])
    return products


@kernel(inner=True)
def product_of(columns: FloatArray, products: FloatArray, k: int) -> FloatArray:
    """Return the outer product of row k, given what `outer_products` returned."""
    kept = products.shape[0] == columns.shape[0]
    product: FloatArray = products[k if kept else 0]
    if not kept:
        outer_product(columns[k], product)
    return product


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

    A (r, r), lower triangle read, is overwritten. Gauss-Jordan, on the lower triangle alone.
    """
    r = A.shape[0]
    column = np.empty(r)
    log_det = 0.0
    for k in range(r):
        pivot = A[k, k]
        log_det += math.log(pivot)
        for i in range(k):
            column[i] = A[k, i]
        for i in range(k, r):
            column[i] = A[i, k]
        for i in range(r):
            factor = column[i] / pivot
            for j in range(i + 1):
                A[i, j] -= factor * column[j]
        for i in range(k):
            A[k, i] = column[i] / pivot
        for i in range(k + 1, r):
            A[i, k] = column[i] / pivot
        A[k, k] = -1.0 / pivot
    for i in range(r):
        for j in range(i + 1):
            inverse[i, j] = -A[i, j]
            inverse[j, i] = -A[i, j]
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
