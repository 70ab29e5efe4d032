"""The mechanism of observations that were not in the fit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import logsumexp

from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray
from anmmm.gppom.covariance import gram, variances
from anmmm.gppom.result import FitResult

# Most fitted latents that represent the posterior of a new observation's θ.
MAX_CANDIDATES = 128
# Most observations of a fit: their covariance then takes 0.8 GB.
MAX_SAMPLES = 10_000
# Rows of a covariance that are computed together.
ROWS = 256


class MechanismPredictor(Record):
    """Posterior over the mechanisms of a new (x, y), whose θ is one of the fitted ones."""

    x: FloatArray
    y: FloatArray
    fit: FitResult

    @property
    def noise(self) -> float:
        """Variance of the noise."""
        return 1.0 / self.fit.hyperparameters.beta + self.fit._noise_floor

    @computed
    def candidates(self) -> IntArray:
        """Rows of the latents that represent all, evenly spaced along the first coordinate."""
        n = len(self.x)
        order = np.lexsort(self.fit.latent.T[::-1])
        return order[np.unique(np.linspace(0, n - 1, min(n, MAX_CANDIDATES)).astype(np.intp))]

    @computed
    def _solved(self) -> tuple[Any, FloatArray, FloatArray]:
        """Factor of the covariance, its solution for Y, and K_θ of candidates and fit."""
        n = len(self.y)
        if n > MAX_SAMPLES:
            raise ValueError(
                f"predict without refinement needs an N × N matrix: the fit has N={n} "
                f"observations, but at most {MAX_SAMPLES} are allowed; refine the labels (effects "
                "of one column), or fit on a subsample"
            )
        omega = self.fit.hyperparameters
        form = self.fit.covariance
        theta = self.fit.latent
        K = np.empty((n, n))
        # By rows, so that no other matrix of this size is in memory.
        for start in range(0, n, ROWS):
            rows = slice(start, start + ROWS)
            k_x = gram(form.kernel_x, omega.gamma_x, self.x[rows], self.x)
            k_theta = gram(form.kernel_theta, omega.gamma_theta, theta[rows], theta)
            K[rows] = omega.amplitude * form.joined(k_x, k_theta)
        K[np.diag_indices(n)] += self.noise
        factor = cho_factor(K, lower=True, overwrite_a=True, check_finite=False)
        k_theta = gram(form.kernel_theta, omega.gamma_theta, theta[self.candidates], theta)
        return factor, cho_solve(factor, self.y, check_finite=False), k_theta

    def log_densities(
        self, X: FloatArray, Y: FloatArray, labels: IntArray, n_mechanisms: int
    ) -> FloatArray:
        """Return the log densities (n, n_mechanisms) of a mechanism and Y (n, n_outputs) at X."""
        in_mechanism = labels[self.candidates] == np.arange(n_mechanisms)[:, np.newaxis]
        found = np.full((len(X), n_mechanisms), -np.inf)
        for i, (mean, variance) in enumerate(self._posteriors(X)):
            squared = ((Y[i] - mean) ** 2).sum(axis=1)
            log_p = -0.5 * (squared / variance + Y.shape[1] * np.log(2.0 * np.pi * variance))
            for c, own in enumerate(in_mechanism):
                if own.any():
                    found[i, c] = logsumexp(log_p[own])
        return found - math.log(len(self.candidates))

    def mean(self, X: FloatArray) -> FloatArray:
        """Return the expected standardized effect (n, n_outputs) of standardized causes."""
        return np.array([mean.mean(axis=0) for mean, _ in self._posteriors(X)])

    def _posteriors(self, X: FloatArray) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield mean (n_candidates, n_outputs) and variance (n_candidates,) of each effect."""
        omega = self.fit.hyperparameters
        form = self.fit.covariance
        factor, alpha, candidate_gram = self._solved
        k_x = gram(form.kernel_x, omega.gamma_x, X, self.x)
        own_x = variances(form.kernel_x, omega.gamma_x, X)
        latents = self.fit.latent[self.candidates]
        own_theta = variances(form.kernel_theta, omega.gamma_theta, latents)
        for own, row in zip(own_x, k_x, strict=True):
            k = omega.amplitude * form.joined(row, candidate_gram)
            signal = omega.amplitude * form.joined(own, own_theta)
            explained = np.einsum("cn,nc->c", k, cho_solve(factor, k.T, check_finite=False))
            yield k @ alpha, np.maximum(signal - explained, 0.0) + self.noise
