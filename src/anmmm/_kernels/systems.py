"""A small positive definite system ``A z = b``, solved and inverted in rows of whole vectors.

The systems of curves have some fourteen equations: LAPACK's calls would cost as much as the work.
One elimination of A beside the identity gives what its inverse is made of. Of a system's rows (r,
padded(r + 1) + padded(r)), row i holds A's entries from the diagonal on, b's entry at place r, and
from place padded(r + 1) on a row of the identity. `eliminate` turns the identity into W = M⁻¹,
where A = M D Mᵀ with M unit lower triangular, and b into W b.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import FloatArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    load,
    load_one,
    multiply_add,
    product,
    store,
)
from anmmm._kernels.packed import log_of_product, padded


@kernel(inner=True)
def set_up(
    rows: FloatArray,
    r: int,
    gram: FloatArray,
    moment: FloatArray,
    s2: float,
    center: FloatArray,
    precision: FloatArray,
) -> None:
    """Set up the posterior of a curve: ``A = gram / s2 + precision``, ``b = A (mean)``.

    gram: (padded(r), padded(r)), of which blocks on and above the diagonal are read; moment, center
    and precision (diagonal) are padded.
    """
    width, size = rows.shape[1], padded(r)
    at = width - size
    part = everywhere(1.0 / s2)
    for i in range(r):
        start = i * width
        for j in range(0, size, LANES):
            store(rows, start + j, product(part, load(gram, i * size + j)))
            store(rows, start + at + j, everywhere(0.0))
        if at > size:
            store(rows, start + size, everywhere(0.0))
        rows[i, i] += precision[i]
        rows[i, r] = moment[i] / s2 + center[i] * precision[i]
        rows[i, at + i] = 1.0


@kernel(inner=True)
def eliminate(rows: FloatArray, pivots: FloatArray, r: int) -> float:
    """Eliminate below the diagonal, write 1 / D; return the log determinant of A. O(r³)."""
    width = rows.shape[1]
    at, so_far, log_det = width - padded(r), 1.0, 0.0
    for k in range(r):
        so_far, logarithm = log_of_product(so_far, rows[k, k])
        log_det += logarithm
        pivots[k] = 1.0 / rows[k, k]
        # A factor is read from the pivot's own row, which by symmetry has it: nothing before the
        # pivot is looked at, and behind the pivot the identity is zero.
        first = k // LANES * LANES
        for i in range(k + 1, r):
            factor = everywhere(-rows[k, i] * pivots[k])
            for j in range(first, first + at + LANES, LANES):
                old = load(rows, i * width + j)
                store(rows, i * width + j, multiply_add(factor, load(rows, k * width + j), old))
    return log_det + math.log(so_far)


@kernel(inner=True)
def solution(
    rows: FloatArray, pivots: FloatArray, r: int, z: FloatArray, variance: FloatArray
) -> None:
    """Write the solution and the diagonal of the inverse, both padded, after an elimination."""
    width = rows.shape[1]
    at = width - padded(r)
    for j in range(0, padded(r), LANES):
        total, square = everywhere(0.0), everywhere(0.0)
        for k in range(j, r):
            row = load(rows, k * width + at + j)
            scaled = product(row, load_one(pivots, k))
            total = multiply_add(scaled, load_one(rows, k * width + r), total)
            square = multiply_add(scaled, row, square)
        store(z, j, total)
        store(variance, j, square)


@kernel(inner=True)
def inverse_factor(rows: FloatArray, pivots: FloatArray, r: int, factor: FloatArray) -> None:
    """Write F, upper triangular, (r, r) at least, with ``A⁻¹ = F Fᵀ``, after an elimination."""
    at = rows.shape[1] - padded(r)
    for k in range(r):
        root = math.sqrt(pivots[k])
        for j in range(r):
            factor[j, k] = root * rows[k, at + j] if j <= k else 0.0


@kernel(inner=True)
def write_inverse(rows: FloatArray, pivots: FloatArray, r: int, inverse: FloatArray) -> None:
    """Write the inverse (r, r) after an elimination. O(r³)."""
    at = rows.shape[1] - padded(r)
    for i in range(r):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, r):
                total += rows[k, at + i] * rows[k, at + j] * pivots[k]
            inverse[i, j] = total
            inverse[j, i] = total


@kernel(inner=True)
def invert(A: FloatArray, inverse: FloatArray) -> float:
    """Write the inverse of A (r, r), lower triangle read; return the log determinant of A."""
    r = A.shape[0]
    at = padded(r + 1)
    rows, pivots = np.zeros((r, at + padded(r))), np.empty(r)
    for i in range(r):
        for j in range(i + 1):
            rows[j, i] = A[i, j]
        rows[i, at + i] = 1.0
    log_det = eliminate(rows, pivots, r)
    write_inverse(rows, pivots, r, inverse)
    return log_det
