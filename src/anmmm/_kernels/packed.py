"""Small matrices that meet observations sixteen at a time.

A symmetric r × r matrix is packed: entry (i, j), j <= i, is at ``i (i + 1) / 2 + j``. A design is
cut into blocks of sixteen observations, in which one column follows the other, so that what is done
for each observation is done for eight at once; a Gram matrix is one pass over the blocks, and the
sums over lanes are taken at its end. Rows of small matrices are padded with zeros to whole vectors;
see `padded`. LAPACK is not called: at r = 14 the call costs as much as the work.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    load,
    load_one,
    multiply_add,
    product,
    store,
    total_of,
)

# Observations in a block: two vectors, so that each number of a small matrix is read for both.
BLOCK = 2 * LANES
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

    columns: FloatArray  # (n, r), orthogonal with mean square 1, the first one constant
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
def packed_size(r: int) -> int:
    """Length of a packed matrix: its last row begins at ``r (r - 1) / 2`` and is padded too."""
    return r * (r - 1) // 2 + padded(r)


@kernel(inner=True)
def blocks_of(n: int) -> int:
    """Return the number of blocks that n observations fill."""
    return (n + BLOCK - 1) // BLOCK


@kernel(inner=True)
def in_blocks(columns: FloatArray) -> FloatArray:
    """Return a design (n, r) in blocks, zeros behind the last observation; see the module."""
    n, r = columns.shape
    blocks = np.zeros(blocks_of(n) * r * BLOCK)
    for k in range(n):
        first = k // BLOCK * r * BLOCK + k % BLOCK
        for i in range(r):
            blocks[first + i * BLOCK] = columns[k, i]
    return blocks


@kernel(inner=True)
def linear(
    blocks: FloatArray, first: int, r: int, factors: FloatArray, out: FloatArray, to: int
) -> None:
    """Write the block's rows times a vector, beginning at ``out[to]``."""
    a, b = everywhere(0.0), everywhere(0.0)
    for i in range(r):
        factor = load_one(factors, i)
        a = multiply_add(factor, load(blocks, first + i * BLOCK), a)
        b = multiply_add(factor, load(blocks, first + i * BLOCK + LANES), b)
    store(out, to, a)
    store(out, to + LANES, b)


@kernel(inner=True)
def quadratic(
    blocks: FloatArray, first: int, r: int, packed: FloatArray, out: FloatArray, to: int
) -> None:
    """Write a quadratic form, packed with its off-diagonal entries doubled, of the block's rows."""
    a, b = everywhere(0.0), everywhere(0.0)
    p = 0
    for i in range(r):
        c, d = everywhere(0.0), everywhere(0.0)
        for j in range(i + 1):
            factor = load_one(packed, p + j)
            c = multiply_add(factor, load(blocks, first + j * BLOCK), c)
            d = multiply_add(factor, load(blocks, first + j * BLOCK + LANES), d)
        a = multiply_add(c, load(blocks, first + i * BLOCK), a)
        b = multiply_add(d, load(blocks, first + i * BLOCK + LANES), b)
        p += i + 1
    store(out, to, a)
    store(out, to + LANES, b)


@kernel(inner=True)
def add_products(
    blocks: FloatArray, first: int, r: int, shares: FloatArray, at: int, lanes: FloatArray
) -> None:
    """Add the block's weighted outer products to the lanes (8 packed_size(r),) of a Gram matrix."""
    low, high = load(shares, at), load(shares, at + LANES)
    p = 0
    for i in range(r):
        a = product(low, load(blocks, first + i * BLOCK))
        b = product(high, load(blocks, first + i * BLOCK + LANES))
        for j in range(i + 1):
            total = multiply_add(a, load(blocks, first + j * BLOCK), load(lanes, p))
            store(lanes, p, multiply_add(b, load(blocks, first + j * BLOCK + LANES), total))
            p += LANES


@kernel(inner=True)
def add_rows(
    blocks: FloatArray, first: int, r: int, shares: FloatArray, at: int, lanes: FloatArray
) -> None:
    """Add the block's weighted rows to the lanes (8 padded(r),) of a vector."""
    low, high = load(shares, at), load(shares, at + LANES)
    for i in range(r):
        total = multiply_add(low, load(blocks, first + i * BLOCK), load(lanes, i * LANES))
        total = multiply_add(high, load(blocks, first + i * BLOCK + LANES), total)
        store(lanes, i * LANES, total)


@kernel(inner=True)
def collect(lanes: FloatArray, count: int, out: FloatArray) -> None:
    """Write the sums over lanes, and clear the lanes."""
    for p in range(count):
        out[p] = total_of(load(lanes, p * LANES))
        store(lanes, p * LANES, everywhere(0.0))


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


@kernel(inner=True)
def invert(A: FloatArray, inverse: FloatArray) -> float:
    """Write the inverse of A (r, r), lower triangle read; return the log determinant of A."""
    r = A.shape[0]
    pivots = make_pivots(r)
    width = padded(r)
    for i in range(r):
        for j in range(i + 1):
            pivots.matrix[i * width + j] = A[i, j]
    log_det = sweep(pivots, r)
    for i in range(r):
        for j in range(i + 1):
            inverse[i, j] = -pivots.matrix[i * width + j]
            inverse[j, i] = inverse[i, j]
    return log_det


@kernel(inner=True)
def curve_posterior(
    gram: FloatArray,
    moment: FloatArray,
    s2: float,
    center: FloatArray,
    precision: FloatArray,
    mean: FloatArray,
    pivots: Pivots,
) -> float:
    """Posterior of one curve's coefficients; returns the log determinant of its precision.

    gram, packed, and moment are the weighted sums over the observations; the prior is Gaussian
    about `center` with independent `precision`. All are padded. The covariance is what `sweep`
    leaves.
    """
    A = pivots.matrix
    width = precision.shape[0]
    r = A.shape[0] // width - 1
    p = 0
    for i in range(r):
        for j in range(0, i + 1, LANES):
            store(A, i * width + j, product(everywhere(1.0 / s2), load(gram, p + j)))
        A[i * width + i] += precision[i]
        p += i + 1
    last = r * width
    for i in range(width):
        A[last + i] = moment[i] / s2 + center[i] * precision[i]
    log_det = sweep(pivots, r)
    for i in range(r):
        mean[i] = A[last + i]
    return log_det


@kernel(inner=True)
def pack_covariance(pivots: Pivots, r: int, out: FloatArray) -> None:
    """Write the vector whose product with a packed outer product is the quadratic form."""
    A = pivots.matrix
    width = padded(r)
    p = 0
    for i in range(r):
        for j in range(0, i + 1, LANES):
            store(out, p + j, product(everywhere(-2.0), load(A, i * width + j)))
        out[p + i] = -A[i * width + i]
        p += i + 1
    for i in range(p, out.shape[0]):
        out[i] = 0.0
