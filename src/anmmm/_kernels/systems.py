"""A small positive definite system, solved and inverted in rows of whole vectors.

The systems of curves have some fourteen equations. One elimination of the matrix beside the
identity gives what its inverse is made of; nothing is read one number at a time that was written as
a vector, or the other way round, where that would stall a processor.
"""

from __future__ import annotations

import math
from typing import NamedTuple

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


class System(NamedTuple):
    """``A z = b``, A positive definite, with r equations, beside the identity; several of them."""

    # (count r width,): a row of A (upper triangle), its entry of b, zeros up to whole vectors, a
    # row of the identity, padded; `eliminate` turns that into W = M⁻¹, A = M D Mᵀ, M unit lower
    rows: FloatArray
    inverse: FloatArray  # (count padded(r),), diagonal of D⁻¹
    width: int  # length of a row
    at: int  # where in it the identity begins


@kernel(inner=True)
def set_up(
    system: System,
    number: int,
    r: int,
    gram: FloatArray,
    moment: FloatArray,
    s2: float,
    center: FloatArray,
    precision: FloatArray,
) -> None:
    """Set up the system of a curve; see `curve_posterior`, but that gram is (padded(r),) by rows.

    Of gram the blocks on and above the diagonal are read.
    """
    rows, _, width, at = system
    part, size = everywhere(1.0 / s2), padded(r)
    for i in range(r):
        start = (number * r + i) * width
        for j in range(0, size, LANES):
            store(rows, start + j, product(part, load(gram, i * size + j)))
            store(rows, start + at + j, everywhere(0.0))
        if at > size:
            store(rows, start + size, everywhere(0.0))
        rows[start + i] += precision[i]
        rows[start + r] = moment[i] / s2 + center[i] * precision[i]
        rows[start + at + i] = 1.0


@kernel(inner=True)
def eliminate(system: System, number: int, r: int) -> float:
    """Eliminate below the diagonal; return the log determinant of A. O(r³)."""
    rows, inverse, width, at = system
    start, pivots_at = number * r * width, number * padded(r)
    pivots, log_det = 1.0, 0.0
    for k in range(r):
        pivot, row_k = rows[start + k * width + k], start + k * width
        pivots, logarithm = log_of_product(pivots, pivot)
        log_det += logarithm
        inverse[pivots_at + k] = 1.0 / pivot
        # A factor is read from the pivot's own row, which by symmetry has it: nothing before the
        # pivot is looked at, and behind the pivot the identity is zero.
        first = k // LANES * LANES
        for i in range(k + 1, r):
            factor, row_i = everywhere(-rows[row_k + i] * inverse[pivots_at + k]), start + i * width
            for j in range(first, first + at + LANES, LANES):
                old = load(rows, row_i + j)
                store(rows, row_i + j, multiply_add(factor, load(rows, row_k + j), old))
    return log_det + math.log(pivots)


@kernel(inner=True)
def solution(system: System, number: int, r: int, z: FloatArray, variance: FloatArray) -> None:
    """Write the solution and the diagonal of the inverse, both padded, after an elimination."""
    rows, inverse, width, at = system
    start, pivots_at = number * r * width, number * padded(r)
    for j in range(0, padded(r), LANES):
        total, square = everywhere(0.0), everywhere(0.0)
        for k in range(j, r):
            row = load(rows, start + k * width + at + j)
            scaled = product(row, load_one(inverse, pivots_at + k))
            total = multiply_add(scaled, load_one(rows, start + k * width + r), total)
            square = multiply_add(scaled, row, square)
        store(z, j, total)
        store(variance, j, square)


@kernel(inner=True)
def write_covariance(system: System, number: int, r: int, packed: FloatArray) -> None:
    """Write the inverse, packed, off-diagonal entries doubled, after an elimination; O(r³)."""
    rows, inverse, width, at = system
    start, pivots_at, p = number * r * width + at, number * padded(r), 0
    for i in range(r):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, r):
                both = rows[start + k * width + i] * rows[start + k * width + j]
                total += both * inverse[pivots_at + k]
            packed[p + j] = 2.0 * total if j < i else total
        p += i + 1
