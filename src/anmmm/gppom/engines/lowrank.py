"""The low-rank engine: the objective of the dense one, to a stated error, in O(N r²)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anmmm._kernels import lowrank
from anmmm._kernels.chunks import run_in_chunks
from anmmm._kernels.dense import SINGULAR_PIVOT
from anmmm._kernels.whole import Factors, Sums, evaluate_whole
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
        self._n_latent, self._n_chunks = options.n_latent, options.n_chunks
        self._z = np.empty((options.n_latent + X.shape[1], n))
        self._z[options.n_latent :] = X.T
        self._lam, self._floor = lam, n**2 * options.hsic_floor
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
        # Refused at once: looking for the error of a NaN, a factor would grow to full rank.
        if not (finite(theta, gamma, omega.amplitude, noise) and min(omega.amplitude, noise) > 0.0):
            return failed(self.name)
        # No factor tells whether a covariance with so little noise is singular; the dense one does.
        if noise <= SINGULAR_PIVOT * self._n * (omega.amplitude + noise):
            return failed(self.name, self._max_rank)
        # Latents beyond every scale overflow in their squares; what comes of it is looked at.
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                terms = self._evaluate(gamma, omega, noise)
            except RankTooLargeError:
                return failed(self.name, self._max_rank)
        return failed(self.name) if terms is None else terms

    def _evaluate(
        self, gamma: FloatArray, omega: Hyperparameters, noise: float
    ) -> DataTerms | None:
        n, q, d, D = self._n, self._n_latent, len(self._z), self._y.shape[1]
        joint = self._joint
        blocks = joint.blocks(self._z)
        rows = np.empty((len(blocks), q, blocks.shape[2]))
        arrays = np.empty((3, d))
        # At least one pivot: LAPACK refuses matrices of size 0.
        total = min(self._tol * noise / omega.amplitude, 0.5) * n
        evaluate = self._in_one_block if len(blocks) == 1 else self._in_blocks
        sums = evaluate(blocks, gamma, omega.amplitude, noise, total, rows, arrays)
        if not sums.definite:
            return None
        r, (crossed, squares, moments) = sums.joint_rank, arrays
        log_det = sums.log_det + (n - r) * math.log(noise)
        log_likelihood = -0.5 * (D * n * math.log(2.0 * math.pi) + D * log_det + sums.fit)
        d_log_amplitude = 0.5 * (D * (r - noise * sums.trace) - omega.amplitude * sums.length)
        d_noise = 0.5 * (D * ((n - r) / noise + sums.trace) - sums.norm)
        d_log_gamma = -gamma * (crossed - squares + 2.0 * sums.factor * moments)
        d_theta, hsic = -4.0 * omega.gamma_theta * joint.unblock(rows).T, sums.squared / n**2
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
            sums.joint_rank,
            omega.amplitude * sums.rest,
        )

    def _in_one_block(
        self,
        blocks: FloatArray,
        gamma: FloatArray,
        amplitude: float,
        noise: float,
        total: float,
        rows: FloatArray,
        arrays: FloatArray,
    ) -> Sums:
        joint, of_theta, of_x = factors = self._joint, self._of_theta, self._of_x
        while True:
            room = Factors(
                joint.L, of_theta.L, of_x.L, joint.rest[0], ROUNDING, total, ROUNDING * self._n
            )
            sums = Sums(
                *evaluate_whole(
                    blocks,
                    self._y,
                    gamma,
                    amplitude,
                    noise,
                    self._lam,
                    self._floor,
                    room,
                    rows,
                    *arrays,
                )
            )
            too_small = [f for f, rank in zip(factors, sums[:3], strict=True) if rank < 0]
            if not too_small:
                return sums
            for factor in too_small:
                factor.grow()

    def _in_blocks(
        self,
        blocks: FloatArray,
        gamma: FloatArray,
        amplitude: float,
        noise: float,
        total: float,
        rows: FloatArray,
        arrays: FloatArray,
    ) -> Sums:
        z, n, q, D = self._z, self._n, self._n_latent, self._y.shape[1]
        d, (crossed, squares, moments) = len(z), arrays
        joint, of_theta, of_x = self._joint, self._of_theta, self._of_x
        joint.fill(z, blocks, gamma, total)
        L, r = joint.L, joint.rank
        S, Ly = np.empty((1 + d, r, r)), np.empty((1 + d, D, r))
        self._run(lowrank.likelihood_sums, L, r, blocks, self._y, S, Ly)
        maps = np.empty(((1 + q) * (r + D), r))
        solved = lowrank.posterior(S, Ly, amplitude, noise, q, maps, crossed)
        if not solved[0]:
            return Sums(r, 0, 0, joint.residual, *solved, 0.0, 0.0, 0.0, 0.0)
        fit, norm = self._run(
            lowrank.likelihood_rows, L, r, blocks, self._y, amplitude, noise, maps, rows, squares
        )
        # HSIC is small against the trace of its Gram matrices where Θ is independent of X, so
        # their factors go down to rounding.
        theta, x = (np.ascontiguousarray(blocks[:, part]) for part in (slice(q), slice(q, None)))
        of_theta.fill(z[:q], theta, gamma[:q], ROUNDING * n)
        of_x.fill(z[q:], x, gamma[q:], ROUNDING * n)
        theta_means, x_means = of_theta.center(), of_x.center()
        U, u_rank, V, v_rank = of_x.L, of_x.rank, of_theta.L, of_theta.rank
        sums = np.empty((1 + 2 * d, v_rank, u_rank))
        u_sums, v_sums = np.empty((1 + 2 * d, u_rank)), np.empty((1 + 2 * d, v_rank))
        self._run(lowrank.hsic_sums, U, u_rank, V, v_rank, blocks, sums, u_sums, v_sums)
        squared, factor = lowrank.hsic_moments(
            sums, u_sums, v_sums, x_means, theta_means, q, self._lam, self._floor, moments
        )
        of_rows = sums[: 1 + q].reshape(-1, u_rank)
        self._run(lowrank.hsic_rows, U, V, theta_means, blocks, of_rows, factor, rows)
        return Sums(r, v_rank, u_rank, joint.residual, *solved, fit, norm, squared, factor)

    def _run(self, kernel: Any, *arguments: Any) -> Any:
        return run_in_chunks(kernel, self._n_chunks, *arguments)
