"""The dense engine: exact, by one factorisation and one inverse of the whole covariance."""

from __future__ import annotations

import numpy as np

from anmmm._kernels.dense import value_and_gradients
from anmmm.gppom.engines.base import DataTerms, FloatArray
from anmmm.results import Hyperparameters

__all__ = ["DenseEngine"]

# Up to so many observations both Gram matrices are kept between the passes of an evaluation; above,
# computing their rows twice is as fast as memory is (docs/results/benchmarks.md).
LARGEST_KEPT = 400


class DenseEngine:
    """Exact evaluation by one Cholesky factorisation and one inverse, O(N³) time, O(N²) memory.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features_x)
    Y : ndarray of shape (n_samples, n_outputs)
    n_latent : int
    lam, hsic_floor : float
        ``λ`` and ``ε₀``.
    n_chunks : int or None
        None runs serial loops with the GIL released. A number runs them in parallel over so many
        chunks of rows; results depend on it by rounding, not on the number of threads.
    tol : float
        Of no effect: every engine is built alike, and this one is exact.
    """

    name = "dense"

    def __init__(
        self,
        X: FloatArray,
        Y: FloatArray,
        n_latent: int,
        lam: float,
        hsic_floor: float,
        n_chunks: int | None = None,
        tol: float = 0.0,
    ) -> None:
        n = len(X)
        self._x = np.ascontiguousarray(X.T)
        self._y = np.ascontiguousarray(Y.T)
        self._weights = (lam, hsic_floor)
        self._n_chunks = n_chunks
        self._keep = n <= LARGEST_KEPT
        self._K = np.empty((n, n))
        self._K_x, self._K_theta = np.empty((2, n if self._keep else n_chunks or 1, n))
        self._alpha = np.empty_like(self._y)
        self._means = np.empty((2, n))
        self._d_theta = np.empty((n_latent, n))
        self._d_log_gamma_x = np.empty(X.shape[1])
        self._d_log_gamma_theta = np.empty(n_latent)

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        info, log_likelihood, hsic, d_log_amplitude, d_noise = value_and_gradients(
            self._x,
            omega.gamma_x,
            np.ascontiguousarray(theta.T),
            omega.gamma_theta,
            self._y,
            omega.amplitude,
            noise,
            *self._weights,
            self._K_x,
            self._K_theta,
            self._K,
            self._alpha,
            self._means,
            self._d_theta,
            self._d_log_gamma_x,
            self._d_log_gamma_theta,
            self._keep,
            self._n_chunks,
        )
        return DataTerms(
            info == 0,
            log_likelihood,
            hsic,
            self._d_theta.T,
            d_log_amplitude,
            d_noise,
            self._d_log_gamma_x,
            self._d_log_gamma_theta,
            self.name,
        )
