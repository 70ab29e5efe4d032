"""The textbook form: for every coordinate p, its own matrices ∂K/∂p and the traces of eq. 6 and 7.

    ∂(-L)/∂p              = tr(G ∂K̃/∂p),   G = ½ (D K̃⁻¹ - K̃⁻¹ Y Yᵀ K̃⁻¹)
    ∂ λ log(HSIC + ε₀)/∂p = λ tr(H K_X H ∂K_θ/∂p) / (tr(K_X H K_θ H) + N² ε₀)

This is how Gaussian process programs are explained and how reference programs of this literature
compute the gradient on Θ: one N × N matrix ∂K_θ/∂θ_nd for each of the N q coordinates, although
only its row n and column n are not zero. The trace of a product is taken in two ways: as written,
by the product, 2N³ flops a trace and O(q N⁴) in all; and as Σ_ij A_ij B_ij, which textbooks
recommend, O(N²) a trace and O(q N³) in all. Memory: O(N²), one derivative at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.peers.protocol import Evaluate, FloatArray, Peer, split

__all__ = ["PEERS", "build"]


def _trace_of_product(A: FloatArray, B: FloatArray) -> float:
    return np.trace(A @ B)


def _sum_of_products(A: FloatArray, B: FloatArray) -> float:
    # tr(A B) = Σ_ij A_ij B_ji, and B is symmetric.
    return np.sum(A * B)


def build(
    X: FloatArray,
    Y: FloatArray,
    *,
    trace: Callable[[FloatArray, FloatArray], float],
    n_latent: int,
    lam: float,
    noise_floor: float,
    hsic_floor: float,
    latent_prior: float,
    hyper_prior: float,
) -> Evaluate:
    """Value and gradient of J."""
    (N, Dx), D = X.shape, Y.shape[1]
    H = np.eye(N) - np.full((N, N), 1.0 / N)

    def evaluate(z: FloatArray) -> tuple[float, FloatArray]:
        theta, log_omega = split(z, N, Dx, n_latent)
        amplitude, beta = np.exp(log_omega[:2])
        gamma_x, gamma_theta = np.exp(log_omega[2 : 2 + Dx]), np.exp(log_omega[2 + Dx :])

        K_x, K_theta = _gram(X, gamma_x), _gram(theta, gamma_theta)
        K = amplitude * K_x * K_theta + (1.0 / beta + noise_floor) * np.eye(N)
        _, log_det = np.linalg.slogdet(K)
        inverse = np.linalg.inv(K)
        inverse_Y = inverse @ Y
        G = 0.5 * (D * inverse - inverse_Y @ inverse_Y.T)
        centered_x, centered_theta = H @ K_x @ H, H @ K_theta @ H
        hsic_trace = trace(centered_x, K_theta)
        weight = lam / (hsic_trace + N**2 * hsic_floor)

        value = 0.5 * (D * N * np.log(2.0 * np.pi) + D * log_det + np.sum(Y * inverse_Y))
        value += lam * np.log(hsic_trace / N**2 + hsic_floor)
        value += 0.5 * latent_prior * np.sum(theta**2) + 0.5 * hyper_prior * np.sum(log_omega**2)

        d_theta = np.empty((N, n_latent))
        for n in range(N):
            for d in range(n_latent):
                dK_theta = np.zeros((N, N))
                row = -2.0 * gamma_theta[d] * (theta[n, d] - theta[:, d]) * K_theta[n]
                dK_theta[n, :] = row
                dK_theta[:, n] = row
                d_theta[n, d] = trace(G, amplitude * K_x * dK_theta)
                d_theta[n, d] += weight * trace(centered_x, dK_theta)

        d_log_omega = np.empty_like(log_omega)
        d_log_omega[0] = trace(G, amplitude * K_x * K_theta)
        d_log_omega[1] = trace(G, -np.eye(N) / beta)
        for d in range(Dx):
            dK_x = -gamma_x[d] * np.subtract.outer(X[:, d], X[:, d]) ** 2 * K_x
            d_log_omega[2 + d] = trace(G, amplitude * dK_x * K_theta)
            d_log_omega[2 + d] += weight * trace(centered_theta, dK_x)
        for d in range(n_latent):
            differences = np.subtract.outer(theta[:, d], theta[:, d])
            dK_theta = -gamma_theta[d] * differences**2 * K_theta
            d_log_omega[2 + Dx + d] = trace(G, amplitude * K_x * dK_theta)
            d_log_omega[2 + Dx + d] += weight * trace(centered_x, dK_theta)

        d_theta += latent_prior * theta
        d_log_omega += hyper_prior * log_omega
        return float(value), np.concatenate([d_theta.ravel(), d_log_omega])

    return evaluate


def _gram(Z: FloatArray, gamma: FloatArray) -> FloatArray:
    """ARD RBF Gram matrix, eq. 1."""
    return np.exp(-np.sum(gamma * (Z[:, None, :] - Z[None, :, :]) ** 2, axis=-1))


PEERS = (
    Peer("textbook, Σ A∘B", partial(build, trace=_sum_of_products)),
    Peer("textbook, tr(A B)", partial(build, trace=_trace_of_product), exponent=4),
)
