"""The low-rank engine: the objective of the dense one, to a stated error, in O(N r²)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anmmm._kernels import lowrank
from anmmm._kernels.chunks import run_in_chunks
from anmmm._kernels.dense import SINGULAR_PIVOT
from anmmm.gppom.engines.base import DataTerms, FloatArray, failed, finite
from anmmm.gppom.engines.factor import ROUNDING, Factor, RankTooLargeError
from anmmm.gppom.options import TOLERANCE
from anmmm.gppom.result import Hyperparameters

__all__ = ["TOLERANCE", "LowRankEngine"]


class LowRankEngine:
    """Evaluation by error-controlled pivoted Cholesky factors, O(N r²) time, O(N r) memory.

    Parameters
    ----------
    X, Y, n_latent, lam, hsic_floor, n_chunks
        As for `DenseEngine`; ``n_chunks`` are chunks of blocks.
    tol : float
        The factor of ``a K_X ∘ K_θ`` stops when the trace of what it leaves is below
        ``tol * noise * N``; L is then off by at most about ``tol * N`` (docs/method/mathematics.md,
        eq. 15). The factors of K_X and K_θ go down to rounding.
    max_rank : int or None
        Largest rank of a factor; where it does not suffice, the evaluation is given up.

    Notes
    -----
    docs/method/mathematics.md, eq. 15 to 19. About ``8 N (r + r_x + r_θ)`` bytes, and ``11 N r²``
    flops for one latent and one input.
    """

    name = "lowrank"

    def __init__(
        self,
        X: FloatArray,
        Y: FloatArray,
        n_latent: int,
        lam: float,
        hsic_floor: float,
        n_chunks: int | None = None,
        tol: float = TOLERANCE,
        max_rank: int | None = None,
    ) -> None:
        n = len(X)
        self._n = n
        self._x = np.ascontiguousarray(X.T)
        self._n_latent = n_latent
        self._weights = (lam, hsic_floor)
        self._n_chunks = n_chunks
        self._tol = tol
        self._max_rank = max_rank
        self._joint = Factor(n, 64, n_chunks, max_rank)
        self._of_x = Factor(n, 24, n_chunks, max_rank)
        self._of_theta = Factor(n, 24, n_chunks, max_rank)
        self._y = self._joint.blocks(np.ascontiguousarray(Y.T))

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        z = np.vstack([theta.T, self._x])
        gamma = np.concatenate([omega.gamma_theta, omega.gamma_x])
        sizes = np.array([omega.amplitude, noise])
        # Refused at once: looking for the error of a NaN, a factor would grow to full rank.
        if not (finite(z, gamma, sizes) and sizes.min() > 0.0):
            return failed(self.name)
        # No factor tells whether a covariance with so little noise is singular; the dense one does.
        if noise <= SINGULAR_PIVOT * self._n * (omega.amplitude + noise):
            return failed(self.name, self._max_rank)
        # Latents beyond every scale overflow in their squares; what comes of it is looked at.
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                terms = self._evaluate(z, gamma, omega, noise)
            except RankTooLargeError:
                return failed(self.name, self._max_rank)
        if terms is None or not finite(
            terms.log_likelihood, terms.hsic, terms.d_theta, terms.d_log_amplitude, terms.d_noise,
            terms.d_log_gamma_x, terms.d_log_gamma_theta,
        ):  # fmt: skip
            return failed(self.name)
        return terms

    def _evaluate(
        self, z: FloatArray, gamma: FloatArray, omega: Hyperparameters, noise: float
    ) -> DataTerms | None:
        q = self._n_latent
        blocks = self._joint.blocks(z)
        rows = np.empty((len(blocks), q, blocks.shape[2]))
        likelihood = self._likelihood(z, blocks, gamma, omega.amplitude, noise, rows)
        if likelihood is None:
            return None
        log_likelihood, d_log_amplitude, d_noise, moments = likelihood
        hsic, hsic_moments = self._hsic(z, blocks, gamma, rows)
        d_log_gamma = -gamma * (moments + hsic_moments)
        return DataTerms(
            True,
            log_likelihood,
            hsic,
            -4.0 * omega.gamma_theta * self._joint.unblock(rows).T,
            d_log_amplitude,
            d_noise,
            d_log_gamma[q:],
            d_log_gamma[:q],
            self.name,
            self._joint.rank,
            omega.amplitude * self._joint.residual,
        )

    def _likelihood(
        self,
        z: FloatArray,
        blocks: FloatArray,
        gamma: FloatArray,
        amplitude: float,
        noise: float,
        rows: FloatArray,
    ) -> tuple[float, float, float, FloatArray] | None:
        """L; derivatives of -L by log a and noise; ``Σ_ij M_ij (z_i - z_j)²``; fills `rows`."""
        n, q, d, D = self._n, self._n_latent, len(z), self._y.shape[1]
        factor = self._joint
        # At least one pivot: LAPACK refuses matrices of size 0.
        factor.fill(z, blocks, gamma, min(self._tol * noise / amplitude, 0.5) * n)
        L, r = factor.L, factor.rank
        S, Ly = np.empty((1 + d, r, r)), np.empty((1 + d, D, r))
        self._run(lowrank.likelihood_sums, L, r, blocks, self._y, S, Ly)
        maps, crossed, squares = np.empty(((1 + q) * (r + D), r)), np.empty(d), np.empty(d)
        definite, log_det, trace, length = lowrank.posterior(
            S, Ly, amplitude, noise, q, maps, crossed
        )
        if not definite:
            return None
        fit, norm = self._run(
            lowrank.likelihood_rows, L, r, blocks, self._y, amplitude, noise, maps, rows, squares
        )
        log_det += (n - r) * math.log(noise)
        log_likelihood = -0.5 * (D * n * math.log(2.0 * math.pi) + D * log_det + fit)
        d_log_amplitude = 0.5 * (D * (r - noise * trace) - amplitude * length)
        d_noise = 0.5 * (D * ((n - r) / noise + trace) - norm)
        return log_likelihood, d_log_amplitude, d_noise, crossed - squares

    def _hsic(
        self, z: FloatArray, blocks: FloatArray, gamma: FloatArray, rows: FloatArray
    ) -> tuple[float, FloatArray]:
        """HSIC_b; ``Σ_ij M_ij (z_i - z_j)²`` of its term; adds the term's share to `rows`."""
        n, q, d = self._n, self._n_latent, len(z)
        lam, hsic_floor = self._weights
        of_theta, of_x = self._of_theta, self._of_x
        # HSIC is small against the trace of its Gram matrices where Θ is independent of X, so
        # their factors go down to rounding.
        total = ROUNDING * n
        of_theta.fill(z[:q], np.ascontiguousarray(blocks[:, :q]), gamma[:q], total)
        of_x.fill(z[q:], np.ascontiguousarray(blocks[:, q:]), gamma[q:], total)
        theta_means, x_means = of_theta.center(), of_x.center()
        U, u_rank, V, v_rank = of_x.L, of_x.rank, of_theta.L, of_theta.rank
        sums = np.empty((1 + 2 * d, v_rank, u_rank))
        u_sums, v_sums = np.empty((1 + 2 * d, u_rank)), np.empty((1 + 2 * d, v_rank))
        self._run(lowrank.hsic_sums, U, u_rank, V, v_rank, blocks, sums, u_sums, v_sums)
        moments = np.empty(d)
        trace = lowrank.hsic_moments(sums, u_sums, v_sums, x_means, theta_means, q, moments)
        floored = trace + n**2 * hsic_floor
        factor = lam / floored if floored > 0.0 else 0.0
        maps = sums[: 1 + q].reshape(-1, u_rank)
        self._run(lowrank.hsic_rows, U, V, theta_means, blocks, maps, factor, rows)
        return trace / n**2, 2.0 * factor * moments

    def _run(self, kernel: Any, *arguments: Any) -> Any:
        return run_in_chunks(kernel, self._n_chunks, *arguments)
