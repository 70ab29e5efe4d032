"""The low-rank engine: the objective of the dense one, to a stated error, in O(N r²)."""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels.chunks import run_in_chunks
from anmmm._kernels.dense import SINGULAR_PIVOT
from anmmm._kernels.lowrank import Factors, evaluate
from anmmm._typing import FloatArray
from anmmm.gppom.engines.base import DataTerms, failed, finite
from anmmm.gppom.engines.factor import ROUNDING, Factor, RankTooLargeError
from anmmm.gppom.options import FIT_TOLERANCE, FitOptions
from anmmm.gppom.parameters import Hyperparameters


class LowRankEngine:
    """Evaluation by error-controlled pivoted Cholesky factors; mathematics.md, eqs. 15 to 19."""

    name = "lowrank"

    def __init__(
        self,
        X: FloatArray,
        Y: FloatArray,
        lam: float,
        options: FitOptions,
        max_rank: int | None = None,
    ) -> None:
        n = len(X)
        self._n = n
        self._n_latent = options.n_latent
        self._n_chunks = options.n_chunks
        self._z = np.empty((options.n_latent + X.shape[1], n))
        self._z[options.n_latent :] = X.T
        self._lam = lam
        self._floor = n**2 * options.hsic_floor
        self._tol = FIT_TOLERANCE if options.engine_tol is None else options.engine_tol
        self._max_rank = max_rank
        self._joint = Factor(n, 64, options.n_chunks, max_rank)
        self._of_x = Factor(n, 24, options.n_chunks, max_rank)
        self._of_theta = Factor(n, 24, options.n_chunks, max_rank)
        self._y = self._joint.blocks(np.ascontiguousarray(Y.T))

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        self._z[: self._n_latent] = theta.T
        gamma = np.concatenate([omega.gamma_theta, omega.gamma_x])
        # Refused at once: with a NaN, a factor would grow to full rank.
        if not (finite(theta, gamma, omega.amplitude, noise) and min(omega.amplitude, noise) > 0.0):
            return failed(self.name)
        # With so little noise only the dense engine finds out whether a covariance is singular.
        if noise <= SINGULAR_PIVOT * self._n * (omega.amplitude + noise):
            return failed(self.name, self._max_rank)
        # Squares of huge latents overflow; the results are checked.
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                terms = self._evaluate(gamma, omega, noise)
            except RankTooLargeError:
                return failed(self.name, self._max_rank)
        return failed(self.name) if terms is None else terms

    def _evaluate(
        self, gamma: FloatArray, omega: Hyperparameters, noise: float
    ) -> DataTerms | None:
        n = self._n
        q = self._n_latent
        d = len(self._z)
        D = self._y.shape[1]
        z = self._z
        joint = self._joint
        of_theta = self._of_theta
        of_x = self._of_x
        blocks = joint.blocks(z)
        rows = np.empty((len(blocks), q, blocks.shape[2]))
        arrays = np.empty((3, d))
        # At least one pivot: LAPACK refuses matrices of size 0.
        total = min(self._tol * noise / omega.amplitude, 0.5) * n
        joint.fill(z, blocks, gamma, total)
        # HSIC is small relative to the traces of its Gram matrices if Θ is independent of X, so
        # their factors go down to rounding.
        theta, x = (np.ascontiguousarray(blocks[:, part]) for part in (slice(q), slice(q, None)))
        of_theta.fill(z[:q], theta, gamma[:q], ROUNDING * n)
        of_x.fill(z[q:], x, gamma[q:], ROUNDING * n)
        r = joint.rank
        v_means, u_means = (of_theta.center(), of_x.center())
        factors = Factors(
            joint.L, r, of_theta.L, of_theta.rank, v_means, of_x.L, of_x.rank, u_means
        )
        weights = omega.amplitude, noise, self._lam, self._floor
        definite, log_det, trace, length, fit, norm, squared, factor = run_in_chunks(
            evaluate, self._n_chunks, factors, blocks, self._y, *weights, rows, arrays
        )
        if not definite:
            return None
        crossed, squares, moments = arrays
        log_det += (n - r) * math.log(noise)
        log_likelihood = -0.5 * (D * n * math.log(2.0 * math.pi) + D * log_det + fit)
        d_log_amplitude = 0.5 * (D * (r - noise * trace) - omega.amplitude * length)
        d_noise = 0.5 * (D * ((n - r) / noise + trace) - norm)
        d_log_gamma = -gamma * (crossed - squares + 2.0 * factor * moments)
        d_theta = -4.0 * omega.gamma_theta * joint.unblock(rows).T
        hsic = squared / n**2
        if not finite(log_likelihood, hsic, d_theta, d_log_amplitude, d_noise, d_log_gamma):
            return None
        return DataTerms(
            True,
            log_likelihood,
            hsic,
            d_theta,
            d_log_amplitude,
            d_noise,
            d_log_gamma[q:],
            d_log_gamma[:q],
            self.name,
            r,
            omega.amplitude * joint.residual,
        )
