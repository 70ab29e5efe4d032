"""HSIC: the centred trace, its cotangent by rows, and the moments of the gamma test.

Gram matrices (lower triangles) or points come in; numbers and cotangent rows go out to the
engines and to the independence test.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from anmmm._kernels._fold import add_up, fold
from anmmm._kernels._jit import SUMS, FloatArray, kernel, kernel_parallel
from anmmm._kernels.rbf import gram_row

__all__ = [
    "centre_row",
    "centred_trace",
    "centred_trace_parallel",
    "gamma_moments",
    "gamma_moments_parallel",
    "row_means",
    "row_means_parallel",
]


@kernel(fastmath=SUMS)
def row_means(K: FloatArray, means: FloatArray, n_chunks: int) -> float:
    """Row means of a symmetric matrix, and their mean.

    Parameters
    ----------
    K : float64 (n, n), C order
        Lower triangle is read.
    means : float64 (n,)
        Overwritten.
    n_chunks : int
        Chunks that rows are dealt out to.

    Returns
    -------
    float
        Mean of all entries.
    """
    n = K.shape[0]
    partial = np.zeros((n_chunks, n))
    for c in prange(n_chunks):
        sums = partial[c]
        for i in range(c, n, n_chunks):
            row = K[i]
            total = 0.0
            for j in range(i):
                total += row[j]
                sums[j] += row[j]
            sums[i] += total + row[i]
    fold(partial, 1.0 / n, means)
    return float(add_up(means) / n)


row_means_parallel = kernel_parallel(row_means, fastmath=SUMS)


@kernel()
def centre_row(
    row: FloatArray, means: FloatArray, mean: float, i: int, n: int, out: FloatArray
) -> None:
    """First `n` entries of row i of ``H K H``, by ``K_ij - k̄_i - k̄_j + k̄``.

    Parameters
    ----------
    row : float64 (>= n,)
        Row i of K.
    means : float64
        Row means of K.
    mean : float
        Mean of all entries of K.
    i, n : int
    out : float64 (>= n,)
        Overwritten.
    """
    shift = means[i] - mean
    for j in range(n):
        out[j] = row[j] - shift - means[j]


@kernel(fastmath=SUMS)
def _dot(a: FloatArray, b: FloatArray, n: int) -> float:
    total = 0.0
    for j in range(n):
        total += a[j] * b[j]
    return total


@kernel()
def centred_trace(
    K: FloatArray,
    k_means: FloatArray,
    k_mean: float,
    L: FloatArray,
    l_means: FloatArray,
    l_mean: float,
    n_chunks: int,
) -> float:
    """Trace ``tr(K H L H)`` from lower triangles.

    Parameters
    ----------
    K, L : float64 (n, n), C order
        Symmetric; lower triangles are read.
    k_means, l_means : float64 (n,)
        Row means.
    k_mean, l_mean : float
        Means of all entries.
    n_chunks : int
        Chunks that rows are dealt out to.

    Returns
    -------
    float
        ``N² HSIC_b``.

    Notes
    -----
    docs/mathematics.md, eq. 4. H is idempotent, so centring one matrix would do; both are centred
    because the rounding error is then that of two small numbers multiplied, where scales so wide
    that K is nearly constant would otherwise cancel everything. O(n²).
    """
    n = K.shape[0]
    partial = np.zeros(n_chunks)
    for c in prange(n_chunks):
        k = np.empty(n)
        l = np.empty(n)  # noqa: E741
        total = 0.0
        for i in range(c, n, n_chunks):
            centre_row(K[i], k_means, k_mean, i, i + 1, k)
            centre_row(L[i], l_means, l_mean, i, i + 1, l)
            total += 2.0 * _dot(k, l, i) + k[i] * l[i]
        partial[c] = total
    return add_up(partial)


centred_trace_parallel = kernel_parallel(centred_trace)


@kernel(fastmath=SUMS)
def gamma_moments(
    x: FloatArray, gamma_x: FloatArray, y: FloatArray, gamma_y: FloatArray, n_chunks: int
) -> tuple[float, float, float, float]:
    """Compute the sums that the gamma-approximated HSIC test is formed from.

    Parameters
    ----------
    x : float64 (dx, n)
        Points of the first variable, transposed.
    gamma_x : float64 (dx,)
    y : float64 (dy, n)
    gamma_y : float64 (dy,)
    n_chunks : int
        Chunks that rows are dealt out to.

    Returns
    -------
    trace : float
        ``tr(K H L H)``.
    squares : float
        ``Σ_{i≠j} (K_c ∘ L_c)²_ij``, the K_c and L_c centred.
    x_off_diagonal, y_off_diagonal : float
        Means of the entries off the diagonal.

    Notes
    -----
    docs/mathematics.md, eq. 13 (Gretton et al. 2007). No Gram matrix is held: rows are computed
    twice, once for their means and once for the sums. O(n²) time, O(n n_chunks) memory.
    """
    n = x.shape[1]
    x_sums = np.zeros((n_chunks, n))
    y_sums = np.zeros((n_chunks, n))
    for c in prange(n_chunks):
        k = np.empty(n)
        l = np.empty(n)  # noqa: E741
        for i in range(c, n, n_chunks):
            gram_row(x, gamma_x, x[:, i], i, k)
            gram_row(y, gamma_y, y[:, i], i, l)
            x_total = 1.0
            y_total = 1.0
            for j in range(i):
                x_total += k[j]
                x_sums[c, j] += k[j]
                y_total += l[j]
                y_sums[c, j] += l[j]
            x_sums[c, i] += x_total
            y_sums[c, i] += y_total
    x_means = np.empty(n)
    y_means = np.empty(n)
    fold(x_sums, 1.0 / n, x_means)
    fold(y_sums, 1.0 / n, y_means)
    x_mean = add_up(x_means) / n
    y_mean = add_up(y_means) / n

    partial = np.zeros((n_chunks, 2))
    for c in prange(n_chunks):
        k = np.empty(n)
        l = np.empty(n)  # noqa: E741
        trace = 0.0
        squares = 0.0
        for i in range(c, n, n_chunks):
            gram_row(x, gamma_x, x[:, i], i + 1, k)
            gram_row(y, gamma_y, y[:, i], i + 1, l)
            centre_row(k, x_means, x_mean, i, i + 1, k)
            centre_row(l, y_means, y_mean, i, i + 1, l)
            for j in range(i):
                product = k[j] * l[j]
                trace += product
                squares += product * product
            trace += 0.5 * k[i] * l[i]
        partial[c, 0] = 2.0 * trace
        partial[c, 1] = 2.0 * squares
    x_off_diagonal = (x_mean * n - 1.0) / (n - 1.0)
    y_off_diagonal = (y_mean * n - 1.0) / (n - 1.0)
    return add_up(partial[:, 0]), add_up(partial[:, 1]), x_off_diagonal, y_off_diagonal


gamma_moments_parallel = kernel_parallel(gamma_moments, fastmath=SUMS)
