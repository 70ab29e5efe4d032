"""The GPPOM's covariance and both Gram matrices, in one pass over their rows.

Points come in; the covariance, and what HSIC and its cotangent need of the Gram matrices, go out
to the dense engine and to the prediction at new points.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from anmmm._kernels._fold import add_up, fold
from anmmm._kernels._jit import SUMS, FloatArray, kernel, kernel_parallel
from anmmm._kernels.hsic import add_deviations, trace_of_deviations
from anmmm._kernels.rbf import gram_row

__all__ = ["assemble", "assemble_parallel", "hadamard_row"]


@kernel()
def hadamard_row(
    k_x: FloatArray, k_theta: FloatArray, amplitude: float, n: int, row: FloatArray
) -> None:
    """``row_j = a k_x_j k_theta_j`` for j < n."""
    for j in range(n):
        row[j] = amplitude * k_x[j] * k_theta[j]


@kernel(fastmath=SUMS, part=True)
def assemble(
    x: FloatArray,
    gamma_x: FloatArray,
    theta: FloatArray,
    gamma_theta: FloatArray,
    amplitude: float,
    noise: float,
    K_x: FloatArray,
    K_theta: FloatArray,
    K: FloatArray,
    deviations: FloatArray,
    keep: bool,
    n_chunks: int,
) -> float:
    """Lower triangle of ``K̃ = a (K_X ∘ K_θ) + (1/β + ν) I``, and HSIC of K_X and K_θ.

    Parameters
    ----------
    x : float64 (Dx, n)
    gamma_x : float64 (Dx,)
    theta : float64 (q, n)
    gamma_theta : float64 (q,)
    amplitude, noise : float
        ``a`` and ``1/β + ν``.
    K_x, K_theta : float64 (n, n) or (n_chunks, n), C order
        Of n rows, lower triangles are overwritten. Of `n_chunks` rows with `keep` false, each chunk
        writes its rows of the Gram matrices one over the other.
    K : float64 (n, n), C order
        Lower triangle is overwritten.
    deviations : float64 (2, n)
        Overwritten by the row means of ``K_X - 1`` and ``K_θ - 1``.
    keep : bool
        Whether the Gram matrices are kept.
    n_chunks : int
        Chunks that rows are dealt out to.

    Returns
    -------
    float
        ``tr(K_X H K_θ H) = N² HSIC_b``.

    Notes
    -----
    docs/method/mathematics.md, eq. 1, 2 and 4. O(n² (Dx + q)) time, a row goes through everything
    while it is in cache.
    """
    n = x.shape[1]
    partial_x = np.zeros((n_chunks, n))
    partial_theta = np.zeros((n_chunks, n))
    partial_trace = np.zeros(n_chunks)
    for c in prange(n_chunks):
        trace = 0.0
        for i in range(c, n, n_chunks):
            k_x = K_x[i] if keep else K_x[c]
            k_theta = K_theta[i] if keep else K_theta[c]
            gram_row(x, gamma_x, x[:, i], i + 1, k_x)
            gram_row(theta, gamma_theta, theta[:, i], i + 1, k_theta)
            trace += add_deviations(k_x, k_theta, i, partial_x[c], partial_theta[c])
            hadamard_row(k_x, k_theta, amplitude, i + 1, K[i])
            K[i, i] += noise
        partial_trace[c] = trace
    fold(partial_x, 1.0 / n, deviations[0])
    fold(partial_theta, 1.0 / n, deviations[1])
    return trace_of_deviations(add_up(partial_trace), deviations[0], deviations[1])


assemble_parallel = kernel_parallel(assemble, fastmath=SUMS)
