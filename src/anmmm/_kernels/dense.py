"""The dense engine: value and gradient of the data terms of J, exact, O(N³).

One Cholesky factorization and one inverse a call; all else is O(N²) on lower triangles.
docs/method/mathematics.md, eqs. 1 to 11.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._lapack import potrf, potri, solve_rows
from anmmm._kernels.chunks import reduce_chunks, sum_serial
from anmmm._kernels.hsic import add_deviations, center_row, trace_of_deviations
from anmmm._kernels.packed import LOG_2PI
from anmmm._kernels.rbf import gram_row, vjp_row, vjp_scale_row

# Largest pivot of a singular Cholesky factor, in units of N times the largest diagonal entry.
# Rounding changes pivots by about N eps times that entry (Higham, Accuracy and Stability of
# Numerical Algorithms, 2002, theorem 10.3). With OpenBLAS's kernels for five processors the largest
# such pivot of matrices with equal rows was 0.7 N eps.
SINGULAR_PIVOT = 4.0 * np.finfo(np.float64).eps


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


@kernel(fastmath=SUMS, inner=True, allocates=True)
def assemble(points: Points, grams: Grams, K: FloatArray, n_chunks: int) -> float:
    """Write K̃'s lower triangle (n, n); return ``N² HSIC_b``; eqs. 1, 2, 4. O(n² (Dx + q))."""
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


class Gradients(NamedTuple):
    """Derivatives of ``-L + λ log(HSIC_b + ε₀)``."""

    theta: FloatArray  # (q, n)
    log_gamma_x: FloatArray  # (Dx,)
    log_gamma_theta: FloatArray  # (q,)


@kernel(fastmath=SUMS, inner=True, allocates=True)
def gradients(
    points: Points,
    grams: Grams,
    inverse: FloatArray,
    alpha: FloatArray,
    hsic_weight: float,
    out: Gradients,
    n_chunks: int,
) -> tuple[float, float]:
    """Write all gradients in one pass over triangles; return those by ``log a`` and by the noise.

    Eqs. 6 to 11. inverse: K̃⁻¹; alpha: (D, n), ``(K̃⁻¹ Y)ᵀ``; hsic_weight: the scalar of eq. 7.
    """
    x, gamma_x, theta, gamma_theta, amplitude, _ = points
    K_x, K_theta, deviations, keep = grams
    d_theta, d_log_gamma_x, d_log_gamma_theta = out
    n = inverse.shape[0]
    D = alpha.shape[0]
    q = theta.shape[0]
    x_means = deviations[0] + 1.0
    theta_means = deviations[1] + 1.0
    x_mean = sum_serial(x_means) / n
    theta_mean = sum_serial(theta_means) / n
    p_theta = np.zeros((n_chunks, q, n))
    p_gamma_theta = np.zeros((n_chunks, q))
    p_gamma_x = np.zeros((n_chunks, x.shape[0]))
    p_amplitude = np.zeros(n_chunks)
    p_noise = np.zeros(n_chunks)
    for c in prange(n_chunks):
        m_x = np.empty(n)
        m_theta = np.empty(n)
        cotangent = np.empty(n)
        amplitude_sum = 0.0
        for i in range(c, n, n_chunks):
            for j in range(i + 1):
                cotangent[j] = D * inverse[i, j]
            for k in range(D):
                t = alpha[k, i]
                for j in range(i + 1):
                    cotangent[j] -= t * alpha[k, j]
            k_x = K_x[i] if keep else K_x[c]
            k_theta = K_theta[i] if keep else K_theta[c]
            if not keep:
                gram_row(x, gamma_x, x[:, i], i, k_x)
                gram_row(theta, gamma_theta, theta[:, i], i, k_theta)
            center_row(k_theta, theta_means, theta_mean, i, i, m_x)
            center_row(k_x, x_means, x_mean, i, i, m_theta)
            half = 0.5 * amplitude
            for j in range(i):
                g = half * cotangent[j] * k_x[j] * k_theta[j]
                amplitude_sum += g
                m_x[j] = g + hsic_weight * m_x[j] * k_x[j]
                m_theta[j] = g + hsic_weight * m_theta[j] * k_theta[j]
            vjp_row(m_theta, theta, i, p_theta[c], p_gamma_theta[c])
            vjp_scale_row(m_x, x, i, p_gamma_x[c])
            p_noise[c] += 0.5 * cotangent[i]
        p_amplitude[c] = 2.0 * amplitude_sum
    for k in range(q):
        reduce_chunks(p_theta[:, k], -4.0 * gamma_theta[k], d_theta[k])
        d_log_gamma_theta[k] = -2.0 * gamma_theta[k] * sum_serial(p_gamma_theta[:, k])
    for k in range(x.shape[0]):
        d_log_gamma_x[k] = -2.0 * gamma_x[k] * sum_serial(p_gamma_x[:, k])
    d_noise = sum_serial(p_noise)
    # The diagonal of K_X ∘ K_θ is 1: there log a and the noise have the same cotangent.
    return sum_serial(p_amplitude) + amplitude * d_noise, d_noise


@kernel(fastmath=SUMS)
def value_and_gradients(
    points: Points,
    Y: FloatArray,
    lam: float,
    hsic_floor: float,
    grams: Grams,
    K: FloatArray,
    alpha: FloatArray,
    out: Gradients,
    n_chunks: int,
) -> tuple[int, float, float, float, float]:
    """Evaluate ``-L + λ log(HSIC_b + ε₀)`` and its gradient, eqs. 1 to 11; lower K becomes K̃⁻¹.

    alpha becomes ``(K̃⁻¹ Y)ᵀ``, (D, n). Returns info, L, HSIC_b, derivatives by ``log a``, noise.
    info: 0, or the order of the first singular leading minor: then nothing else is valid.
    """
    D, n = Y.shape
    trace = assemble(points, grams, K, n_chunks)
    info = potrf(K)
    if info != 0:
        return info, np.nan, np.nan, np.nan, np.nan
    smallest = SINGULAR_PIVOT * n * (points.amplitude + points.noise)
    log_det = 0.0
    for i in range(n):
        if K[i, i] * K[i, i] <= smallest:
            return i + 1, np.nan, np.nan, np.nan, np.nan
        log_det += np.log(K[i, i])
    for k in range(D):
        for i in range(n):
            alpha[k, i] = Y[k, i]
    solve_rows(K, alpha)
    fit = 0.0
    for k in range(D):
        for i in range(n):
            fit += Y[k, i] * alpha[k, i]
    log_likelihood = -0.5 * D * n * LOG_2PI - D * log_det - 0.5 * fit
    info = potri(K)
    if info != 0:
        return info, np.nan, np.nan, np.nan, np.nan

    hsic = trace / n**2
    weight = lam / (trace + n**2 * hsic_floor) if lam > 0.0 else 0.0
    d_log_amplitude, d_noise = gradients(points, grams, K, alpha, weight, out, n_chunks)
    return info, log_likelihood, hsic, d_log_amplitude, d_noise
