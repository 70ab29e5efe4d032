"""The dense engine of covariances with a linear kernel, or a sum of kernels."""

from __future__ import annotations

import numpy as np

from anmmm._kernels._lapack import potrf, potri, solve_rows
from anmmm._kernels.dense import SINGULAR_PIVOT
from anmmm._kernels.packed import LOG_2PI
from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.gppom.covariance import Covariance, gram
from anmmm.gppom.engines.base import DataTerms, failed, finite
from anmmm.gppom.options import FitOptions
from anmmm.gppom.parameters import Hyperparameters


class LinearEngine(Record):
    """Exact evaluation by matrices of NumPy, O(N³) time, O(N²) memory; docs/method/linear.md."""

    x: FloatArray
    y: FloatArray
    lam: float
    options: FitOptions
    covariance: Covariance

    name = "dense"

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        # Squares of huge latents overflow; the results are checked.
        with np.errstate(over="ignore", invalid="ignore"):
            terms = self._evaluate(theta, omega, noise)
        if terms is None or not finite(
            terms.d_theta, terms.d_log_amplitude, terms.d_log_gamma_x, terms.d_log_gamma_theta
        ):
            return failed(self.name)
        return terms

    def _evaluate(
        self, theta: FloatArray, omega: Hyperparameters, noise: float
    ) -> DataTerms | None:
        n, D = self.y.shape
        form = self.covariance
        K_x = gram(form.kernel_x, omega.gamma_x, self.x, self.x)
        K_theta = gram(form.kernel_theta, omega.gamma_theta, theta, theta)
        signal = omega.amplitude * form.joined(K_x, K_theta)
        K = signal + noise * np.eye(n)
        if not finite(K):
            return None
        smallest = SINGULAR_PIVOT * n * K.diagonal().max()
        if potrf(K) != 0 or np.min(K.diagonal() ** 2) <= smallest:
            return None
        alpha = self.y.T.copy()
        solve_rows(K, alpha)
        log_det = 2.0 * np.log(K.diagonal()).sum()
        fit = float(np.vdot(self.y.T, alpha))
        log_likelihood = -0.5 * (D * n * LOG_2PI + D * log_det + fit)
        potri(K)
        # ∂(-L)/∂K̃, and the factor of each kernel in the chain rule.
        G = 0.5 * (D * (np.tril(K) + np.tril(K, -1).T) - alpha.T @ alpha)
        by_x, by_theta = (K_theta, K_x) if form.combine == "product" else (1.0, 1.0)

        x_centered = _centered(K_x)
        theta_centered = _centered(K_theta)
        trace = float(np.vdot(x_centered, theta_centered))
        weight = 0.0
        if self.lam > 0.0:
            weight = self.lam / (trace + n**2 * self.options.hsic_floor)
        A_x = omega.amplitude * G * by_x + weight * theta_centered
        A_theta = omega.amplitude * G * by_theta + weight * x_centered
        _, d_log_gamma_x = _pulled(form.kernel_x, omega.gamma_x, self.x, K_x, A_x)
        d_theta, d_log_gamma_theta = _pulled(
            form.kernel_theta, omega.gamma_theta, theta, K_theta, A_theta
        )
        return DataTerms(
            True,
            log_likelihood,
            trace / n**2,
            d_theta,
            float(np.vdot(G, signal)),
            float(G.trace()),
            d_log_gamma_x,
            d_log_gamma_theta,
            self.name,
        )


def _centered(K: FloatArray) -> FloatArray:
    """``H K H``."""
    means = K.mean(axis=0)
    return np.asarray(K - means - means[:, np.newaxis] + means.mean())


def _pulled(
    kernel: str, gamma: FloatArray, points: FloatArray, K: FloatArray, A: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Gradient by points (n, d) and log-scales (d,) of a cotangent A on K; linear.md, eq. 5, 6."""
    if kernel == "rbf":
        M = A * K
        moved = points * M.sum(axis=1, keepdims=True) - M @ points
        scale = 4.0
    else:
        moved = A @ points
        scale = -2.0
    d_points = -scale * gamma * moved
    return d_points, 0.5 * (points * d_points).sum(axis=0)
