"""The GPPOM's covariance: Hadamard product of two Gram matrices plus noise.

Lower triangles in, lower triangle out; the engines and the prediction at new points read it.
"""

from __future__ import annotations

from numba import prange

from anmmm._kernels._jit import FloatArray, kernel, kernel_parallel

__all__ = ["hadamard", "hadamard_parallel", "hadamard_row"]


@kernel()
def hadamard_row(
    k_x: FloatArray, k_theta: FloatArray, amplitude: float, n: int, row: FloatArray
) -> None:
    """``row_j = a k_x_j k_theta_j`` for j < n."""
    for j in range(n):
        row[j] = amplitude * k_x[j] * k_theta[j]


@kernel()
def hadamard(
    K_x: FloatArray,
    K_theta: FloatArray,
    amplitude: float,
    noise: float,
    K: FloatArray,
    n_chunks: int,
) -> None:
    """Lower triangle of ``K̃ = a (K_X ∘ K_θ) + (1/β + ν) I``.

    Parameters
    ----------
    K_x, K_theta : float64 (n, n), C order
        Lower triangles are read.
    amplitude : float
        ``a``.
    noise : float
        ``1/β + ν``.
    K : float64 (n, n), C order
        Lower triangle is overwritten.
    n_chunks : int
        Chunks that rows are dealt out to.

    Notes
    -----
    docs/mathematics.md, eq. 2; O(n²).
    """
    for c in prange(n_chunks):
        for i in range(c, K.shape[0], n_chunks):
            hadamard_row(K_x[i], K_theta[i], amplitude, i + 1, K[i])
            K[i, i] += noise


hadamard_parallel = kernel_parallel(hadamard)
