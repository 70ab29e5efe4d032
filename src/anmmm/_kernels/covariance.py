"""The GPPOM's covariance and both Gram matrices, in one pass over their rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from anmmm._kernels._jit import SUMS, FloatArray, kernel, kernel_parallel
from anmmm._kernels.chunks import reduce_chunks, sum_serial
from anmmm._kernels.hsic import add_deviations, trace_of_deviations
from anmmm._kernels.rbf import gram_row


class Points(NamedTuple):
    """Points and hyperparameters of a covariance ``K̃ = a (K_X ∘ K_θ) + (1/β + ν) I``."""

    x: FloatArray  # (Dx, n), the cause transposed
    gamma_x: FloatArray  # (Dx,)
    theta: FloatArray  # (q, n), the latent transposed
    gamma_theta: FloatArray  # (q,)
    amplitude: float  # a
    noise: float  # 1/β + ν


class Grams(NamedTuple):
    """Memory for both Gram matrices."""

    K_x: FloatArray  # (n, n), lower triangle; without `keep` (n_chunks, n), one row per chunk
    K_theta: FloatArray
    deviations: FloatArray  # (2, n), row means of K_X - 1 and K_θ - 1
    keep: bool  # False: the second pass recomputes rows, which beyond the cache is as fast


@kernel(fastmath=SUMS, inner=True)
def assemble(points: Points, grams: Grams, K: FloatArray, n_chunks: int) -> float:
    """Write the lower triangle of K̃ (n, n); return ``tr(K_X H K_θ H) = N² HSIC_b``.

    docs/method/mathematics.md, eq. 1, 2 and 4. O(n² (Dx + q)), each row in cache.
    """
    x, gamma_x, theta, gamma_theta, amplitude, noise = points
    K_x, K_theta, deviations, keep = grams
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
            for j in range(i + 1):
                K[i, j] = amplitude * k_x[j] * k_theta[j]
            K[i, i] += noise
        partial_trace[c] = trace
    reduce_chunks(partial_x, 1.0 / n, deviations[0])
    reduce_chunks(partial_theta, 1.0 / n, deviations[1])
    return trace_of_deviations(sum_serial(partial_trace), deviations[0], deviations[1])


assemble_parallel = kernel_parallel(assemble, fastmath=SUMS)
