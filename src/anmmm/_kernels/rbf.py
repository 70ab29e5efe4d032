"""ARD RBF Gram matrices, and the one pull-back of a cotangent to points and scales.

Points come in transposed, (d, n), so that each coordinate is contiguous. Symmetric matrices hold
their lower triangle only; what stands above the diagonal is neither read nor written. The row
functions are the only place where the kernel and its derivative are written down: the matrix
kernels here and the fused engine run them over their rows.

Rows are dealt out to `n_chunks` chunks in turn (row i to chunk i mod n_chunks), each with sums of
its own that are added in order at the end: results depend on the number of chunks, by rounding,
and never on the number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from anmmm._kernels._exp import exp_nonpositive
from anmmm._kernels._fold import add_up, fold
from anmmm._kernels._jit import SUMS, FloatArray, kernel, kernel_parallel

__all__ = [
    "cross_gram",
    "gram",
    "gram_parallel",
    "gram_row",
    "pull_row",
    "pull_scale_row",
    "pullback",
    "pullback_parallel",
]


@kernel()
def gram_row(
    points: FloatArray, gamma: FloatArray, point: FloatArray, n: int, row: FloatArray
) -> None:
    """Kernel values between one point and the first `n` points.

    Parameters
    ----------
    points : float64 (d, >= n)
    gamma : float64 (d,)
        Inverse squared length scales.
    point : float64 (d,)
    n : int
    row : float64 (>= n,), C order
        The first `n` values are overwritten.

    Notes
    -----
    docs/mathematics.md, eq. 1: ``k(z, z') = exp(-Σ_d γ_d (z_d - z'_d)²)``; O(n d).
    """
    t = point[0]
    g = gamma[0]
    for j in range(n):
        u = t - points[0, j]
        row[j] = -g * u * u
    for k in range(1, points.shape[0]):
        t = point[k]
        g = gamma[k]
        for j in range(n):
            u = t - points[k, j]
            row[j] -= g * u * u
    exp_nonpositive(row, n)


@kernel()
def gram(points: FloatArray, gamma: FloatArray, K: FloatArray, n_chunks: int) -> None:
    """Lower triangle of the ARD RBF Gram matrix.

    Parameters
    ----------
    points : float64 (d, n)
    gamma : float64 (d,)
        Inverse squared length scales.
    K : float64 (n, n), C order
        Lower triangle, diagonal included, is overwritten.
    n_chunks : int
        Chunks that rows are dealt out to.

    Notes
    -----
    docs/mathematics.md, eq. 1; O(n² d) time, no temporary.
    """
    for c in prange(n_chunks):
        for i in range(c, points.shape[1], n_chunks):
            gram_row(points, gamma, points[:, i], i + 1, K[i])


gram_parallel = kernel_parallel(gram)


@kernel()
def cross_gram(points: FloatArray, gamma: FloatArray, others: FloatArray, K: FloatArray) -> None:
    """ARD RBF kernel between two sets of points.

    Parameters
    ----------
    points : float64 (d, n)
    gamma : float64 (d,)
    others : float64 (d, m)
    K : float64 (m, n), C order
        Overwritten; row j holds the kernel of ``others[:, j]`` with all points.
    """
    for j in range(others.shape[1]):
        gram_row(points, gamma, others[:, j], points.shape[1], K[j])


@kernel(fastmath=SUMS)
def pull_row(
    m: FloatArray, points: FloatArray, i: int, d_points: FloatArray, d_scale: FloatArray
) -> None:
    """Add one row's share of the gradients to points and scales, both still unscaled.

    Parameters
    ----------
    m : float64 (>= i,)
        ``m_j = (∂J/∂K ∘ K)_ij`` for j < i, where ``∂J/∂K`` is symmetric.
    points : float64 (d, n)
    i : int
        Row.
    d_points : float64 (d, n)
        ``Σ_j M_ij (z_i - z_j)`` grows here.
    d_scale : float64 (d,)
        ``Σ_{j<i} M_ij (z_i - z_j)²`` grows here.

    Notes
    -----
    M is symmetric, so visiting j < i alone halves the work: what row i gives to z_i it takes
    from z_j. O(i d).
    """
    for k in range(points.shape[0]):
        t = points[k, i]
        first = 0.0
        second = 0.0
        for j in range(i):
            u = t - points[k, j]
            w = m[j] * u
            first += w
            second += w * u
            d_points[k, j] -= w
        d_points[k, i] += first
        d_scale[k] += second


@kernel(fastmath=SUMS)
def pull_scale_row(m: FloatArray, points: FloatArray, i: int, d_scale: FloatArray) -> None:
    """Add one row's share of the gradient to the scales alone, for points that are not moved.

    Parameters
    ----------
    m, points, i, d_scale
        As for `pull_row`.
    """
    for k in range(points.shape[0]):
        t = points[k, i]
        second = 0.0
        for j in range(i):
            u = t - points[k, j]
            second += m[j] * u * u
        d_scale[k] += second


@kernel(fastmath=SUMS)
def pullback(
    K: FloatArray,
    dK: FloatArray,
    points: FloatArray,
    gamma: FloatArray,
    d_points: FloatArray,
    d_log_gamma: FloatArray,
    n_chunks: int,
) -> None:
    """Pull ``∂J/∂K`` back to the points and the logarithms of the scales.

    Parameters
    ----------
    K, dK : float64 (n, n), C order
        RBF Gram matrix and the symmetric cotangent on it; lower triangles are read.
    points : float64 (d, n)
    gamma : float64 (d,)
    d_points : float64 (d, n)
        Overwritten by ``∂J/∂z_id = -4 γ_d Σ_j M_ij (z_id - z_jd)``.
    d_log_gamma : float64 (d,)
        Overwritten by ``∂J/∂ log γ_d = -γ_d Σ_ij M_ij (z_id - z_jd)²``.
    n_chunks : int
        Chunks that rows are dealt out to.

    Notes
    -----
    docs/mathematics.md, eq. 8 to 10. O(n² d) time, O(n d n_chunks) memory.
    """
    d, n = points.shape
    partial_points = np.zeros((n_chunks, d, n))
    partial_scale = np.zeros((n_chunks, d))
    for c in prange(n_chunks):
        m = np.empty(n)
        for i in range(c, n, n_chunks):
            for j in range(i):
                m[j] = K[i, j] * dK[i, j]
            pull_row(m, points, i, partial_points[c], partial_scale[c])
    for k in range(d):
        fold(partial_points[:, k], -4.0 * gamma[k], d_points[k])
        d_log_gamma[k] = -2.0 * gamma[k] * add_up(partial_scale[:, k])


pullback_parallel = kernel_parallel(pullback, fastmath=SUMS)
