"""Vectorized NumPy and SciPy, with the gradient written by hand.

What an experienced author writes without a compiler: LAPACK's ``potrf``, ``potrs`` and ``potri``
called once each, the gradient by the same pull-back as in docs/method/mathematics.md, eq. 6 to 11,
with matrix-vector products in place of loops. N³ flops in LAPACK, about twenty passes over N × N
arrays beside.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs
from scipy.spatial.distance import cdist

from benchmarks.peers.protocol import Evaluate, FloatArray, Peer, split

__all__ = ["PEERS", "build"]


def build(
    X: FloatArray,
    Y: FloatArray,
    *,
    n_latent: int,
    lam: float,
    noise_floor: float,
    hsic_floor: float,
    latent_prior: float,
    hyper_prior: float,
) -> Evaluate:
    """Value and gradient of J."""
    (N, Dx), D = X.shape, Y.shape[1]

    def evaluate(z: FloatArray) -> tuple[float, FloatArray]:
        theta, log_omega = split(z, N, Dx, n_latent)
        amplitude, beta = np.exp(log_omega[:2])
        gamma_x, gamma_theta = np.exp(log_omega[2 : 2 + Dx]), np.exp(log_omega[2 + Dx :])

        K_x, K_theta = _gram(X, gamma_x), _gram(theta, gamma_theta)
        signal = K_x * K_theta
        signal *= amplitude
        covariance = signal.copy()
        covariance.flat[:: N + 1] += 1.0 / beta + noise_floor

        # The transpose of a symmetric matrix is itself in the order of columns that LAPACK wants,
        # so nothing is copied on the way in.
        factor, info = dpotrf(covariance.T, lower=1, clean=0, overwrite_a=1)
        if info != 0:
            raise np.linalg.LinAlgError("the covariance is not positive definite")
        log_det = 2.0 * np.sum(np.log(factor.diagonal()))
        alpha, _ = dpotrs(factor, Y, lower=1)
        inverse, _ = dpotri(factor, lower=1, overwrite_c=1)
        lower = np.tril(inverse)
        inverse = lower + lower.T
        inverse.flat[:: N + 1] *= 0.5

        centered_x, centered_theta = _center(K_x), _center(K_theta)
        trace = np.vdot(centered_x, centered_theta)
        value = 0.5 * (D * N * np.log(2.0 * np.pi) + D * log_det + np.vdot(Y, alpha))
        value += lam * np.log(trace / N**2 + hsic_floor)
        value += 0.5 * latent_prior * np.vdot(theta, theta)
        value += 0.5 * hyper_prior * np.vdot(log_omega, log_omega)

        # Cotangents of K_X and K_θ times the Gram matrix itself; both share the likelihood's.
        inverse *= 0.5 * D
        inverse -= 0.5 * (alpha @ alpha.T)
        d_noise = np.trace(inverse)
        inverse *= signal
        weight = lam / (trace + N**2 * hsic_floor)
        centered_theta *= weight
        centered_theta *= K_x
        centered_theta += inverse
        centered_x *= weight
        centered_x *= K_theta
        centered_x += inverse

        d_theta, d_log_gamma_theta = _pull_back(centered_x, theta, gamma_theta)
        _, d_log_gamma_x = _pull_back(centered_theta, X, gamma_x)
        d_log_omega = np.concatenate(
            [[np.sum(inverse), -d_noise / beta], d_log_gamma_x, d_log_gamma_theta]
        )
        d_theta += latent_prior * theta
        d_log_omega += hyper_prior * log_omega
        return float(value), np.concatenate([d_theta.ravel(), d_log_omega])

    return evaluate


def _gram(Z: FloatArray, gamma: FloatArray) -> FloatArray:
    """ARD RBF Gram matrix, eq. 1."""
    scaled = Z * np.sqrt(gamma)
    K = cdist(scaled, scaled, "sqeuclidean")
    np.negative(K, out=K)
    return np.exp(K, out=K)


def _center(K: FloatArray) -> FloatArray:
    """H K H of a symmetric K."""
    means = K.mean(axis=0)
    centered = K - means
    centered -= (means - means.mean())[:, None]
    return centered


def _pull_back(M: FloatArray, Z: FloatArray, gamma: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gradients on points and log scales, eq. 9 and 10, from the symmetric M of eq. 8."""
    # Σ_j M_ij (z_i - z_j), and Σ_ij M_ij (z_i - z_j)² = 2 Σ_i z_i times it.
    pulled = M.sum(axis=1)[:, None] * Z - M @ Z
    return -4.0 * gamma * pulled, -2.0 * gamma * np.sum(Z * pulled, axis=0)


PEERS = (Peer("NumPy + SciPy", build),)
