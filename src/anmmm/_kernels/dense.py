"""The dense engine: value and gradient of the data terms of J, exact, O(N³).

Points, hyperparameters and a workspace come in; value, terms and cotangents go out to
``objective``, which adds the priors and the back-constraint. One Cholesky factorisation and one
inverse a call; everything else is O(N²) on lower triangles.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from anmmm._kernels._fold import add_up, fold
from anmmm._kernels._jit import SUMS, FloatArray, kernel, kernel_parallel
from anmmm._kernels._lapack import potrf, potri, potrs
from anmmm._kernels.covariance import hadamard, hadamard_parallel
from anmmm._kernels.hsic import (
    centre_row,
    centred_trace,
    centred_trace_parallel,
    row_means,
    row_means_parallel,
)
from anmmm._kernels.rbf import gram, gram_parallel, pull_row, pull_scale_row

__all__ = ["gradients", "gradients_parallel", "value_and_gradients"]

LOG_TWO_PI = np.log(2.0 * np.pi)


@kernel(fastmath=SUMS)
def gradients(
    K_x: FloatArray,
    x_means: FloatArray,
    x_mean: float,
    K_theta: FloatArray,
    theta_means: FloatArray,
    theta_mean: float,
    inverse: FloatArray,
    alpha: FloatArray,
    x: FloatArray,
    gamma_x: FloatArray,
    theta: FloatArray,
    gamma_theta: FloatArray,
    amplitude: float,
    hsic_weight: float,
    d_theta: FloatArray,
    d_log_gamma_x: FloatArray,
    d_log_gamma_theta: FloatArray,
    n_chunks: int,
) -> tuple[float, float]:
    """All gradients of ``-L + λ log(HSIC_b + ε₀)`` in one pass over the lower triangles.

    Parameters
    ----------
    K_x, K_theta : float64 (n, n), C order
    x_means, theta_means : float64 (n,)
        Their row means.
    x_mean, theta_mean : float
        Their means.
    inverse : float64 (n, n), C order
        ``K̃⁻¹``.
    alpha : float64 (D, n)
        ``(K̃⁻¹ Y)ᵀ``.
    x : float64 (Dx, n)
    gamma_x : float64 (Dx,)
    theta : float64 (q, n)
    gamma_theta : float64 (q,)
    amplitude : float
    hsic_weight : float
        ``λ / (tr(K_X H K_θ H) + N² ε₀)``, what the centred Gram matrices are multiplied by.
    d_theta : float64 (q, n)
        Overwritten by ``∂J/∂Θ``.
    d_log_gamma_x, d_log_gamma_theta : float64
        Overwritten.
    n_chunks : int
        Chunks that rows are dealt out to.

    Returns
    -------
    d_log_amplitude, d_noise : float
        Derivatives by ``log a`` and by the noise variance ``1/β + ν``.

    Notes
    -----
    docs/mathematics.md, eq. 6 to 11. O(n² (Dx + q + D)) time, O(n (q + 1) n_chunks) memory.
    """
    n = K_x.shape[0]
    D = alpha.shape[0]
    q = theta.shape[0]
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
            centre_row(K_theta[i], theta_means, theta_mean, i, i, m_x)
            centre_row(K_x[i], x_means, x_mean, i, i, m_theta)
            half = 0.5 * amplitude
            for j in range(i):
                g = half * cotangent[j] * K_x[i, j] * K_theta[i, j]
                amplitude_sum += g
                m_x[j] = g + hsic_weight * m_x[j] * K_x[i, j]
                m_theta[j] = g + hsic_weight * m_theta[j] * K_theta[i, j]
            pull_row(m_theta, theta, i, p_theta[c], p_gamma_theta[c])
            pull_scale_row(m_x, x, i, p_gamma_x[c])
            p_noise[c] += 0.5 * cotangent[i]
        p_amplitude[c] = 2.0 * amplitude_sum
    for k in range(q):
        fold(p_theta[:, k], -4.0 * gamma_theta[k], d_theta[k])
        d_log_gamma_theta[k] = -2.0 * gamma_theta[k] * add_up(p_gamma_theta[:, k])
    for k in range(x.shape[0]):
        d_log_gamma_x[k] = -2.0 * gamma_x[k] * add_up(p_gamma_x[:, k])
    d_noise = add_up(p_noise)
    # The diagonal of K_X ∘ K_θ is 1, so there log a and the noise meet the same cotangent.
    return add_up(p_amplitude) + amplitude * d_noise, d_noise


gradients_parallel = kernel_parallel(gradients, fastmath=SUMS)


@kernel()
def value_and_gradients(
    x: FloatArray,
    gamma_x: FloatArray,
    theta: FloatArray,
    gamma_theta: FloatArray,
    Y: FloatArray,
    amplitude: float,
    noise: float,
    lam: float,
    hsic_floor: float,
    K_x: FloatArray,
    K_theta: FloatArray,
    K: FloatArray,
    alpha: FloatArray,
    means: FloatArray,
    d_theta: FloatArray,
    d_log_gamma_x: FloatArray,
    d_log_gamma_theta: FloatArray,
    n_chunks: int | None,
) -> tuple[int, float, float, float, float]:
    """Value and gradient of ``-L + λ log(HSIC_b + ε₀)``.

    Parameters
    ----------
    x : float64 (Dx, n)
        Standardised cause, transposed.
    gamma_x : float64 (Dx,)
    theta : float64 (q, n)
        Latent, transposed.
    gamma_theta : float64 (q,)
    Y : float64 (D, n)
        Standardised effect, transposed.
    amplitude, noise : float
        ``a`` and ``1/β + ν``.
    lam, hsic_floor : float
        ``λ`` and ``ε₀``.
    K_x, K_theta, K : float64 (n, n), C order
        Workspace. On return their lower triangles hold K_X, K_θ and K̃⁻¹.
    alpha : float64 (D, n)
        Workspace; on return ``(K̃⁻¹ Y)ᵀ``.
    means : float64 (2, n)
        Workspace.
    d_theta : float64 (q, n)
    d_log_gamma_x : float64 (Dx,)
    d_log_gamma_theta : float64 (q,)
        Gradients, overwritten.
    n_chunks : int or None
        None: serial. Otherwise loops run in parallel over so many chunks.

    Returns
    -------
    info : int
        0; positive where K̃ is not numerically positive definite (nothing else is then valid).
    log_likelihood, hsic : float
        ``L`` and ``HSIC_b``.
    d_log_amplitude, d_noise : float
        Derivatives of the value by ``log a`` and by the noise variance.

    Notes
    -----
    docs/mathematics.md, eq. 1 to 11. n³ flops in ``potrf`` and ``potri``, once each; O(n²) beside.
    """
    n = x.shape[1]
    D = Y.shape[0]
    # Numba drops the branch that the type of n_chunks rules out, so the serial form never
    # compiles or starts threads.
    if n_chunks is None:
        gram(x, gamma_x, K_x, 1)
        gram(theta, gamma_theta, K_theta, 1)
        x_mean = row_means(K_x, means[0], 1)
        theta_mean = row_means(K_theta, means[1], 1)
        trace = centred_trace(K_x, means[0], x_mean, K_theta, means[1], theta_mean, 1)
        hadamard(K_x, K_theta, amplitude, noise, K, 1)
    else:
        gram_parallel(x, gamma_x, K_x, n_chunks)
        gram_parallel(theta, gamma_theta, K_theta, n_chunks)
        x_mean = row_means_parallel(K_x, means[0], n_chunks)
        theta_mean = row_means_parallel(K_theta, means[1], n_chunks)
        trace = centred_trace_parallel(
            K_x, means[0], x_mean, K_theta, means[1], theta_mean, n_chunks
        )
        hadamard_parallel(K_x, K_theta, amplitude, noise, K, n_chunks)

    info = potrf(K)
    if info != 0:
        return info, np.nan, np.nan, np.nan, np.nan
    log_det = 0.0
    for i in range(n):
        log_det += np.log(K[i, i])
    alpha[:] = Y
    potrs(K, alpha)
    fit = 0.0
    for k in range(D):
        for i in range(n):
            fit += Y[k, i] * alpha[k, i]
    log_likelihood = -0.5 * D * n * LOG_TWO_PI - D * log_det - 0.5 * fit
    info = potri(K)
    if info != 0:
        return info, np.nan, np.nan, np.nan, np.nan

    hsic = trace / n**2
    weight = lam / (trace + n**2 * hsic_floor) if lam > 0.0 else 0.0
    if n_chunks is None:
        d_log_amplitude, d_noise = gradients(
            K_x, means[0], x_mean, K_theta, means[1], theta_mean, K, alpha,
            x, gamma_x, theta, gamma_theta, amplitude, weight,
            d_theta, d_log_gamma_x, d_log_gamma_theta, 1,
        )  # fmt: skip
    else:
        d_log_amplitude, d_noise = gradients_parallel(
            K_x, means[0], x_mean, K_theta, means[1], theta_mean, K, alpha,
            x, gamma_x, theta, gamma_theta, amplitude, weight,
            d_theta, d_log_gamma_x, d_log_gamma_theta, n_chunks,
        )  # fmt: skip
    return info, log_likelihood, hsic, d_log_amplitude, d_noise
