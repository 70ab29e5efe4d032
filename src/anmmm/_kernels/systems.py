"""A small positive definite system ``A z = b``, solved and inverted in rows of whole vectors.

The systems of curves have some fourteen equations: LAPACK's calls would cost as much as the work.
The rows of a system, (r, padded(r + 1) + padded(r)), are A, b and the identity side by side: row i
has A's entries from the diagonal on, b's entry at place r, and a row of the identity from place
padded(r + 1) on. `eliminate` turns the identity into W = M⁻¹, where A = M D Mᵀ with M unit lower
triangular, and b into W b.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import FloatArray, kernel
from anmmm._kernels._vectors import LANES, broadcast, load, load_broadcast, store
from anmmm._kernels.packed import clear, log_of_product, padded


class System(NamedTuple):
    """The posterior of a curve with r coefficients; vectors are padded."""

    gram: FloatArray  # (padded(r), padded(r)), Σ_n w_n ψ_n ψ_nᵀ on and above the diagonal
    moment: FloatArray  # Σ_n w_n y_n ψ_n
    center: FloatArray  # prior mean
    precision: FloatArray  # prior precision
    rows: FloatArray  # (r, padded(r + 1) + padded(r))
    pivots: FloatArray
    mean: FloatArray  # posterior mean
    variance: FloatArray  # posterior variances


@kernel(inner=True, allocates=True)
def new_system(r: int) -> System:
    """Return a system of zeros."""
    size = padded(r)
    rows = np.zeros((r, padded(r + 1) + size))
    vectors = np.zeros((6, size))
    gram = np.zeros((size, size))
    return System(
        gram, vectors[0], vectors[1], vectors[2], rows, vectors[3], vectors[4], vectors[5]
    )


@kernel(inner=True)
def clear_sums(system: System) -> None:
    """Set the sums over observations to zero."""
    clear(system.moment)
    for i in range(system.gram.shape[0]):
        clear(system.gram[i])


@kernel(inner=True)
def solve(system: System, r: int, s2: float) -> float:
    """Solve ``(gram / s2 + precision) mean = moment / s2 + precision center``; O(r³).

    Writes mean, variances and the elimination; returns the posterior precision's log determinant.
    """
    rows = system.rows
    gram = system.gram
    precision = system.precision
    width = rows.shape[1]
    size = padded(r)
    identity_start = width - size
    inverse_noise = broadcast(1.0 / s2)
    for i in range(r):
        row_start = i * width
        for j in range(0, size, LANES):
            store(rows, row_start + j, inverse_noise * load(gram, i * size + j))
            store(rows, row_start + identity_start + j, broadcast(0.0))
        if identity_start > size:
            store(rows, row_start + size, broadcast(0.0))
        rows[i, i] += precision[i]
        rows[i, r] = system.moment[i] / s2 + system.center[i] * precision[i]
        rows[i, identity_start + i] = 1.0
    log_det = eliminate(rows, system.pivots, r)
    solution(rows, system.pivots, r, system.mean, system.variance)
    return log_det


@kernel(inner=True)
def eliminate(rows: FloatArray, pivots: FloatArray, r: int) -> float:
    """Eliminate below the diagonal, write 1 / D; return the log determinant of A. O(r³)."""
    width = rows.shape[1]
    identity_start = width - padded(r)
    product = 1.0
    log_det = 0.0
    for k in range(r):
        product, logarithm = log_of_product(product, rows[k, k])
        log_det += logarithm
        pivots[k] = 1.0 / rows[k, k]
        # By symmetry the factor is in the pivot's own row. Nothing before the pivot is read, and
        # the identity is zero behind the pivot.
        first_entry = k // LANES * LANES
        for i in range(k + 1, r):
            factor = broadcast(-rows[k, i] * pivots[k])
            for j in range(first_entry, first_entry + identity_start + LANES, LANES):
                entry = load(rows, i * width + j)
                store(rows, i * width + j, factor * load(rows, k * width + j) + entry)
    return log_det + math.log(product)


@kernel(inner=True)
def solution(
    rows: FloatArray, pivots: FloatArray, r: int, z: FloatArray, variance: FloatArray
) -> None:
    """Write the solution and the diagonal of the inverse, both padded, after an elimination."""
    width = rows.shape[1]
    identity_start = width - padded(r)
    for j in range(0, padded(r), LANES):
        total = broadcast(0.0)
        square = broadcast(0.0)
        for k in range(j, r):
            row = load(rows, k * width + identity_start + j)
            scaled = row * load_broadcast(pivots, k)
            total += scaled * load_broadcast(rows, k * width + r)
            square += scaled * row
        store(z, j, total)
        store(variance, j, square)


@kernel(inner=True)
def inverse_factor(rows: FloatArray, pivots: FloatArray, r: int, factor: FloatArray) -> None:
    """Write F, upper triangular, (r, r) at least, with ``A⁻¹ = F Fᵀ``, after an elimination."""
    identity_start = rows.shape[1] - padded(r)
    for k in range(r):
        root = math.sqrt(pivots[k])
        for j in range(r):
            factor[j, k] = root * rows[k, identity_start + j] if j <= k else 0.0


@kernel(inner=True, allocates=True)
def invert(A: FloatArray, inverse: FloatArray) -> float:
    """Write the inverse of A (r, r), lower triangle read, or over A; return ``ln|A|``. O(r³)."""
    r = A.shape[0]
    identity_start = padded(r + 1)
    rows = np.zeros((r, identity_start + padded(r)))
    pivots = np.empty(r)
    row = np.empty(padded(r))
    width = rows.shape[1]
    for i in range(r):
        for j in range(i + 1):
            rows[j, i] = A[i, j]
        rows[i, identity_start + i] = 1.0
    log_det = eliminate(rows, pivots, r)
    for i in range(r):
        for j in range(0, i + 1, LANES):
            total = broadcast(0.0)
            for k in range(i, r):
                factor = rows[k, identity_start + i] * pivots[k]
                total += factor * load(rows, k * width + identity_start + j)
            store(row, j, total)
        for j in range(i + 1):
            inverse[i, j] = row[j]
            inverse[j, i] = row[j]
    return log_det
