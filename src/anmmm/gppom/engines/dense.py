"""The dense engine: exact, by one factorization and one inverse of the covariance."""

from __future__ import annotations

import numpy as np

from anmmm._kernels.chunks import run_in_chunks
from anmmm._kernels.dense import Gradients, Grams, Points, value_and_gradients
from anmmm._typing import FloatArray
from anmmm.gppom.engines.base import DataTerms
from anmmm.gppom.options import FitOptions
from anmmm.gppom.parameters import Hyperparameters

# Observations up to which both Gram matrices are stored between the passes of an evaluation. Above,
# computing their rows twice is as fast as reading them.
LARGEST_IN_MEMORY = 400


class DenseEngine:
    """Exact evaluation by one Cholesky factorization and one inverse, O(N³) time, O(N²) memory."""

    name = "dense"

    def __init__(self, X: FloatArray, Y: FloatArray, lam: float, options: FitOptions) -> None:
        n = len(X)
        keep = n <= LARGEST_IN_MEMORY
        self._x = np.ascontiguousarray(X.T)
        self._y = np.ascontiguousarray(Y.T)
        self._weights = (lam, options.hsic_floor)
        self._n_chunks = options.n_chunks
        self._K = np.empty((n, n))
        K_x, K_theta = np.empty((2, n if keep else options.n_chunks or 1, n))
        self._grams = Grams(K_x, K_theta, np.empty((2, n)), keep)
        self._alpha = np.empty_like(self._y)
        self._gradients = Gradients(
            np.empty((options.n_latent, n)), np.empty(X.shape[1]), np.empty(options.n_latent)
        )

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        points = Points(
            self._x,
            omega.gamma_x,
            np.ascontiguousarray(theta.T),
            omega.gamma_theta,
            omega.amplitude,
            noise,
        )
        info, log_likelihood, hsic, d_log_amplitude, d_noise = run_in_chunks(
            value_and_gradients,
            self._n_chunks,
            points,
            self._y,
            *self._weights,
            self._grams,
            self._K,
            self._alpha,
            self._gradients,
        )
        return DataTerms(
            info == 0,
            log_likelihood,
            hsic,
            self._gradients.theta.T,
            d_log_amplitude,
            d_noise,
            self._gradients.log_gamma_x,
            self._gradients.log_gamma_theta,
            self.name,
        )
