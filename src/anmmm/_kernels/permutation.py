"""Sums over a centered Gram matrix, of which its permutation moments are made.

docs/method/mathematics.md, eqs. 21 and 23.
"""

from __future__ import annotations

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._lapack import gemm
from anmmm._kernels.pivoted import center


@kernel(fastmath=SUMS, inner=True, allocates=True)
def _entry_cubes(U: FloatArray, shift: float) -> float:
    """Sum the cubes of all entries of ``UᵀU + shift``, of U (rank, n)."""
    n = U.shape[1]
    entries = np.empty((n, n))
    gemm(U, True, U, False, 0.0, entries)
    total = 0.0
    for i in range(n):
        row = entries[i]
        part = 0.0
        for j in range(n):
            value = row[j] + shift
            part += value * value * value
        total += part
    return total


@kernel(fastmath=SUMS)
def centered_sums(L: FloatArray, rank: int, n: int, entries: bool, cubic: FloatArray) -> FloatArray:
    """Center a factor L (n_blocks, capacity, c) of K; return ``tr K_c``, ``tr A²``, ``Σ A_ii²``.

    Eq. 21. cubic (5,): v of eq. 23, its ``Σ A_ij³`` 0 without `entries` (one block, O(n² rank)).
    """
    n_blocks, _, c = L.shape
    center(L, rank, n, np.empty(rank))
    gram = np.zeros((rank, rank))
    for b in range(n_blocks):
        gemm(L[b, :rank], False, L[b, :rank], True, 1.0, gram)
    square = np.empty((rank, rank))
    gemm(gram, False, gram, True, 0.0, square)
    trace, squares, cubes = 0.0, 0.0, 0.0
    for k in range(rank):
        trace += gram[k, k]
        for j in range(rank):
            squares += gram[k, j] * gram[k, j]
            cubes += gram[k, j] * square[k, j]
    shift = trace / (n - 1.0)
    diagonal, of_square = np.empty(c), np.empty(c)
    of_gram = np.empty((rank, c))
    projected = np.zeros(rank)
    diagonal_squares, diagonal_cubes, weighted, lifted = 0.0, 0.0, 0.0, 0.0
    for b in range(n_blocks):
        U = L[b, :rank]
        gemm(gram, False, U, False, 0.0, of_gram)
        for i in range(c):
            diagonal[i] = of_square[i] = 0.0
        for k in range(rank):
            for i in range(c):
                diagonal[i] += U[k, i] * U[k, i]
                of_square[i] += U[k, i] * of_gram[k, i]
        for i in range(min(c, n - b * c)):
            above = diagonal[i] + shift / n
            value = above - shift
            diagonal[i] = value
            lifted += above * above * above
            diagonal_squares += value * value
            diagonal_cubes += value * value * value
            weighted += value * of_square[i]
        for k in range(rank):
            total = 0.0
            for i in range(c):
                total += U[k, i] * diagonal[i]
            projected[k] += total
    cubic[0] = diagonal_cubes
    cubic[1] = _entry_cubes(L[0, :rank], shift / n) + diagonal_cubes - lifted if entries else 0.0
    cubic[2] = -shift * diagonal_squares
    for k in range(rank):
        cubic[2] += projected[k] * projected[k]
    cubic[3] = weighted - 2.0 * shift * diagonal_squares
    cubic[4] = cubes - 3.0 * shift * squares + 2.0 * shift * shift * trace
    return np.array([trace, squares - shift * trace, diagonal_squares])
