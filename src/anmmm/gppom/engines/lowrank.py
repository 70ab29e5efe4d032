"""The low-rank engine: the objective of the dense one, to a stated error, in O(N r²)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotri

from anmmm._kernels import lowrank as kernels
from anmmm._kernels.chunks import run_in_chunks
from anmmm._kernels.dense import SINGULAR_PIVOT
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
        # At least one pivot: LAPACK refuses matrices of size 0.
        total = min(self._tol * noise / omega.amplitude, 0.5) * n
        joint.fill(z, blocks, gamma, total)
        # HSIC is small relative to the traces of its Gram matrices if Θ is independent of X, so
        # their factors go down to rounding.
        theta, x = (np.ascontiguousarray(blocks[:, part]) for part in (slice(q), slice(q, None)))
        of_theta.fill(z[:q], theta, gamma[:q], ROUNDING * n)
        of_x.fill(z[q:], x, gamma[q:], ROUNDING * n)
        v_means = of_theta.center()
        u_means = of_x.center()
        r = joint.rank
        v_rank = of_theta.rank
        u_rank = of_x.rank
        # 1, the coordinates, and their squares.
        weights = np.concatenate([np.ones_like(blocks[:, :1]), blocks, blocks**2], axis=1)
        S = self._products(joint.L, joint.L, weights, (1 + d, r, r))
        Ly = self._products(self._y, joint.L, weights, (1 + d, D, r))
        solved = posterior(S, Ly, omega.amplitude, noise, q)
        if solved is None:
            return None
        maps, crossed, log_det, trace, length = solved
        fit, norm, squares = self._likelihood_rows(blocks, omega.amplitude, noise, maps, rows)
        sums = self._products(of_theta.L, of_x.L, weights, (1 + 2 * d, v_rank, u_rank))
        # The first weight is 1.
        u_sums = self._products(weights, of_x.L, weights, (1 + 2 * d, 1, u_rank))[:, 0]
        v_sums = self._products(weights, of_theta.L, weights, (1 + 2 * d, 1, v_rank))[:, 0]
        squared, moments = hsic_moments(sums, u_sums, v_sums, u_means, v_means, q)
        floored = squared + self._floor
        factor = self._lam / floored if floored > 0.0 else 0.0
        theta_maps = sums[: 1 + q].reshape((1 + q) * v_rank, u_rank)
        self._run(
            kernels.hsic_rows,
            of_x.L,
            of_theta.L,
            v_means,
            blocks,
            theta_maps,
            factor,
            rows,
            self._scratch(len(theta_maps)),
        )
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

    def _run(self, kernel: Any, *arguments: Any) -> None:
        run_in_chunks(kernel, self._n_chunks, *arguments)

    def _scratch(self, n_rows: int) -> FloatArray:
        """Return memory of so many rows of a block for each chunk."""
        return np.empty((self._n_chunks or 1, n_rows, self._joint.L.shape[2]))

    def _products(
        self, A: FloatArray, B: FloatArray, weights: FloatArray, shape: tuple[int, int, int]
    ) -> FloatArray:
        """Return ``A diag(w) Bᵀ``, (k, m, r), for the first k weights."""
        k, m, r = shape
        sums = np.zeros((self._n_chunks or 1, k * m, r))
        self._run(kernels.weighted_products, A, B, weights, m, r, self._scratch(k * m), sums)
        return np.asarray(sums.sum(axis=0).reshape(shape))

    def _likelihood_rows(
        self, blocks: FloatArray, amplitude: float, noise: float, maps: FloatArray, rows: FloatArray
    ) -> tuple[float, float, FloatArray]:
        """Write the gradient rows of ``-L``; return tr(Yᵀ α), ‖α‖² and ``Σ_i z_ik² m_i``."""
        D = self._y.shape[1]
        d = blocks.shape[1]
        sums = np.zeros((self._n_chunks or 1, 2 + d))
        self._run(
            kernels.likelihood_rows,
            self._joint.L,
            self._joint.rank,
            blocks,
            self._y,
            amplitude,
            noise,
            maps,
            rows,
            self._scratch(len(maps) + D + 2),
            sums,
        )
        fit, norm, *squares = sums.sum(axis=0)
        return float(fit), float(norm), np.array(squares)


def posterior(
    S: FloatArray, Ly: FloatArray, amplitude: float, noise: float, n_latent: int
) -> tuple[FloatArray, FloatArray, float, float, float] | None:
    """Return the matrices of eqs. 16, 18, and ``ln|B|``, ``tr B⁻¹``, ``‖b‖²``, or None.

    S: (1 + d, r, r), Ly: (1 + d, D, r), products with 1 and each coordinate. The first result,
    ((1 + q) (r + D), r), multiplies each ``l_i``: B⁻¹, each latent's symmetrized ``S_θ B⁻¹``, bᵀ,
    each latent's ``τ_θᵀ``. The second, (d,): first two terms of eq. 18.
    """
    D = Ly.shape[1]
    B = amplitude * S[0]
    B[np.diag_indices_from(B)] += noise
    # LAPACK counts by columns: it sees the transpose, and its upper triangle is the lower one.
    factor, info = dpotrf(B.T, lower=False, overwrite_a=True)
    if info != 0:
        return None
    log_det = 2.0 * float(np.log(factor.diagonal()).sum())
    upper, info = dpotri(factor, lower=False, overwrite_c=True)
    B_inverse = np.triu(upper) + np.triu(upper, 1).T
    b = Ly[0] @ B_inverse
    SB = S[1:] @ B_inverse
    tau = (Ly[1:] - amplitude * (b @ S[1:])) / noise
    factor_terms = (SB * S[1:]).sum(axis=(1, 2))
    noise_terms = (tau * tau).sum(axis=(1, 2))
    crossed = D / noise * amplitude * amplitude * factor_terms + amplitude * noise_terms
    of_theta = SB[:n_latent]
    symmetrized = 0.5 * (of_theta + of_theta.transpose(0, 2, 1))
    r = len(B)
    maps = np.concatenate([B_inverse, symmetrized.reshape(-1, r), b, tau[:n_latent].reshape(-1, r)])
    return maps, crossed, log_det, float(B_inverse.trace()), float((b * b).sum())


def hsic_moments(
    sums: FloatArray,
    u_sums: FloatArray,
    v_sums: FloatArray,
    u_means: FloatArray,
    v_means: FloatArray,
    n_latent: int,
) -> tuple[float, FloatArray]:
    """Return ``‖A‖²`` and the scales' moments (d,); eq. 19.

    sums (1 + 2 d, v_rank, u_rank): A, and ``V diag(w) Uᵀ`` for w each z and z², become ``E_w``;
    u_sums, v_sums: ``U w``, ``V w``, of both factors.
    """
    d = len(sums) // 2
    # One factor of E_z is not centered.
    for k in range(1, 1 + 2 * d):
        if (k - 1) % d < n_latent:
            sums[k] += np.outer(v_means, u_sums[k])
        else:
            sums[k] += np.outer(v_sums[k], u_means)
    A = sums[0]
    first = sums[1 : 1 + d]
    second = sums[1 + d :]
    moments = (A * second).sum(axis=(1, 2)) - (first * first).sum(axis=(1, 2))
    return float((A * A).sum()), np.asarray(moments)
