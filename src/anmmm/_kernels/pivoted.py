"""Pivoted Cholesky factors of Gram matrices, ``K ≈ LᵀL``, of amplitude 1, and their means.

Observations are cut into blocks of c, arrays (n_blocks, rows, c), so that a block's rows are
contiguous and stay in cache. The last block is padded with zeros. Blocks are dealt out to chunks as
rows are in ``rbf``. docs/method/mathematics.md, eq. 15.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels._lapack import trsm
from anmmm._kernels.rbf import gram_row


@kernel(fastmath=SUMS)
def pivoted_cholesky(
    points: FloatArray,
    gamma: FloatArray,
    largest: float,
    total: float,
    L: FloatArray,
    pivots: IndexArray,
    residual: FloatArray,
) -> tuple[int, float]:
    """Factor an ARD RBF Gram matrix of points (d, n), ``K ≈ LᵀL``, largest residual first; eq. 15.

    L: (capacity, n); residual (n,): diagonal of ``K - LᵀL``, at most `largest`, or `total` in sum.
    Returns the rank, -1 if L has too few rows, and the sum of residuals.
    """
    n = points.shape[1]
    for i in range(n):
        residual[i] = 1.0
    k = 0
    while True:
        p = 0
        residual_sum = 0.0
        for i in range(n):
            residual_sum += residual[i]
        for i in range(n):
            if residual[i] > residual[p]:
                p = i
        if residual_sum <= total or residual[p] <= largest:
            return k, residual_sum
        if k == L.shape[0]:
            return -1, residual_sum
        pivots[k] = p
        row = L[k]
        gram_row(points, gamma, points[:, p], n, row)
        # Four rows at a time: the new one is then read and written a quarter as often.
        for j in range(0, k - 3, 4):
            f0 = L[j, p]
            f1 = L[j + 1, p]
            f2 = L[j + 2, p]
            f3 = L[j + 3, p]
            for i in range(n):
                row[i] -= f0 * L[j, i] + f1 * L[j + 1, i] + f2 * L[j + 2, i] + f3 * L[j + 3, i]
        for j in range(k - k % 4, k):
            factor = L[j, p]
            for i in range(n):
                row[i] -= factor * L[j, i]
        scale = 1.0 / np.sqrt(residual[p])
        for i in range(n):
            row[i] *= scale
            residual[i] = max(residual[i] - row[i] * row[i], 0.0)
        # Zero up to rounding; exactly zero, it cannot be chosen again.
        residual[p] = 0.0
        k += 1


@kernel(fastmath=SUMS)
def extend(
    points: FloatArray,
    n: int,
    gamma: FloatArray,
    pivot_points: FloatArray,
    triangle: FloatArray,
    L: FloatArray,
    residual: FloatArray,
    n_chunks: int,
) -> None:
    """Factor columns of all points from given pivots, one triangular solve a block; eq. 15.

    points: (n_blocks, d, c), n no padding; pivot_points: (d, r); triangle: (r, r), their factor;
    L: (n_blocks, capacity, c), first r rows; residual (n_blocks, c): ``1 - ‖l_i‖²``, 0 for padding.
    """
    n_blocks, _, c = points.shape
    r = triangle.shape[0]
    for chunk in prange(n_chunks):
        for b in range(chunk, n_blocks, n_chunks):
            valid = min(c, n - b * c)
            for k in range(r):
                gram_row(points[b], gamma, pivot_points[:, k], c, L[b, k])
                for i in range(valid, c):
                    L[b, k, i] = 0.0
            trsm(triangle, L[b, :r])
            block_residual = residual[b]
            for i in range(c):
                block_residual[i] = 1.0 if i < valid else 0.0
            for k in range(r):
                row = L[b, k]
                for i in range(c):
                    block_residual[i] -= row[i] * row[i]
            for i in range(c):
                block_residual[i] = max(block_residual[i], 0.0)
