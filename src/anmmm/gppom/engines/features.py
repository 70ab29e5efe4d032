"""The engine of covariances that hold a linear kernel: exact features, no factor to search.

A linear kernel of d columns has d features, the columns themselves; an RBF kernel beside one has
the pivoted Cholesky factor of the low-rank engine. Their products, or all of them, are features of
the covariance. docs/method/linear.md, eq. 4 to 8. Everything is matrix products of NumPy: with few
features there is nothing that a compiled loop would save but memory.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import solve_triangular

from anmmm._kernels._lapack import potrf
from anmmm._kernels.dense import SINGULAR_PIVOT
from anmmm._typing import FloatArray
from anmmm.gppom.covariance import Covariance
from anmmm.gppom.engines.base import DataTerms, failed, finite
from anmmm.gppom.engines.factor import ROUNDING, Factor
from anmmm.gppom.result import Hyperparameters

DUAL_PPCA = Covariance("linear", "linear", "sum")
# A share of a cotangent: sign and weight, and two sets of rows whose products are multiplied.
Share = tuple[float, FloatArray, FloatArray]


def applied(shares: list[Share], z: FloatArray, times: FloatArray | None = None) -> FloatArray:
    """``Σ_j C_ij z_j`` with ``C = Σ_t w_t (A_tᵀ A_t) ∘ (B_tᵀ B_t)``, in two products a share.

    `times` (r, n) multiplies C entry by entry by ``timesᵀ times``.
    """
    total = np.zeros_like(z)
    for weight, A, B in shares:
        rows = B if times is None else products(B, times)
        total += weight * np.einsum("in,in->n", (A * z) @ rows.T @ rows, A, optimize=False)
    return total


def products(A: FloatArray, B: FloatArray) -> FloatArray:
    """Features of ``(AᵀA) ∘ (BᵀB)``: the products of each two rows."""
    return np.asarray((A[:, np.newaxis] * B).reshape(-1, A.shape[1]))


class Side(Protocol):
    """The kernel of X, or that of Θ."""

    def features(self, z: FloatArray, gamma: FloatArray) -> FloatArray:
        """Rows (r, n) with ``K = VᵀV`` at points (d, n)."""
        ...

    def pull(
        self,
        z: FloatArray,
        gamma: FloatArray,
        V: FloatArray,
        diagonal: FloatArray,
        shares: list[Share],
    ) -> tuple[FloatArray, FloatArray]:
        """Gradient by points and log-scales of a cotangent ``diag(diagonal) + Σ shares`` on K."""
        ...


class LinearSide:
    """``K = Σ_d γ_d z_d z_dᵀ``, or 1 + that: the features are the columns."""

    def __init__(self, affine: bool) -> None:
        self._n_constant = int(affine)

    def features(self, z: FloatArray, gamma: FloatArray) -> FloatArray:
        """Rows (r, n) with ``K = VᵀV`` at points (d, n)."""
        constant = np.ones((self._n_constant, z.shape[1]))
        return np.vstack([constant, np.sqrt(gamma)[:, np.newaxis] * z])

    def pull(
        self,
        z: FloatArray,
        gamma: FloatArray,
        V: FloatArray,
        diagonal: FloatArray,
        shares: list[Share],
    ) -> tuple[FloatArray, FloatArray]:
        """Gradient by points and log-scales; docs/method/linear.md, eq. 7."""
        d_z = np.empty_like(z)
        for k, row in enumerate(z):
            d_z[k] = 2.0 * gamma[k] * (diagonal * row + applied(shares, row))
        return d_z, 0.5 * np.einsum("kn,kn->k", z, d_z)


class SmoothSide:
    """The RBF kernel: its features are rows of a pivoted Cholesky factor, down to rounding."""

    def __init__(self, n: int, n_chunks: int | None) -> None:
        self._n = n
        self._factor = Factor(n, 24, n_chunks)

    def features(self, z: FloatArray, gamma: FloatArray) -> FloatArray:
        """Rows (r, n) with ``K = VᵀV`` at points (d, n)."""
        factor = self._factor
        factor.fill(z, factor.blocks(z), gamma, ROUNDING * self._n)
        return np.ascontiguousarray(factor.unblock(factor.L[:, : factor.rank]))

    def pull(
        self,
        z: FloatArray,
        gamma: FloatArray,
        V: FloatArray,
        diagonal: FloatArray,
        shares: list[Share],
    ) -> tuple[FloatArray, FloatArray]:
        """Gradient by points and log-scales; docs/method/linear.md, eq. 8."""
        # The diagonal of K is 1 wherever the points are, so its cotangent moves none.
        sums = applied(shares, np.ones(z.shape[1]), V)
        d_z, d_log_gamma = np.empty_like(z), np.empty(len(z))
        for k, row in enumerate(z):
            difference = row * sums - applied(shares, row, V)
            d_z[k] = -4.0 * gamma[k] * difference
            d_log_gamma[k] = -2.0 * gamma[k] * (row @ difference)
        return d_z, d_log_gamma


def make_side(kernel: str, n: int, n_chunks: int | None) -> Side:
    """Return the side of a kernel at n points."""
    return SmoothSide(n, n_chunks) if kernel == "rbf" else LinearSide(kernel == "affine")


class FeatureEngine:
    """Evaluation by features, exact where both kernels are linear: O(N r²) time, O(N r) memory.

    Parameters
    ----------
    X, Y, n_latent, lam, hsic_floor, n_chunks
        As for `DenseEngine`; ``n_chunks`` is for the factor of an RBF kernel.
    covariance : Covariance

    Notes
    -----
    r is the sum or the product of both kernels' numbers of features. An RBF kernel's go down to
    rounding, so that L has all digits; with short length scales there are up to N of them.
    """

    name = "features"

    def __init__(
        self,
        X: FloatArray,
        Y: FloatArray,
        n_latent: int,
        lam: float,
        hsic_floor: float,
        n_chunks: int | None = None,
        covariance: Covariance = DUAL_PPCA,
    ) -> None:
        self._n = len(X)
        self._x, self._y = np.ascontiguousarray(X.T), np.ascontiguousarray(Y.T)
        self._weights = (lam, hsic_floor)
        self._covariance = covariance
        self._of_x = make_side(covariance.kernel_x, self._n, n_chunks)
        self._of_theta = make_side(covariance.kernel_theta, self._n, n_chunks)

    def evaluate(self, theta: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms:
        """Evaluate the data terms at Θ (n_samples, n_latent), Ω and a noise variance."""
        z = np.ascontiguousarray(theta.T)
        sizes = np.array([omega.amplitude, noise])
        if not (finite(z, omega.gamma_x, omega.gamma_theta, sizes) and sizes.min() > 0.0):
            return failed(self.name)
        # Latents beyond every scale overflow in their squares; what comes of it is looked at.
        with np.errstate(over="ignore", invalid="ignore"):
            terms = self._evaluate(z, omega, noise)
        if terms is None or not finite(
            terms.log_likelihood,
            terms.hsic,
            terms.d_theta,
            terms.d_log_amplitude,
            terms.d_noise,
            terms.d_log_gamma_x,
            terms.d_log_gamma_theta,
        ):
            return failed(self.name)
        return terms

    def _evaluate(self, z: FloatArray, omega: Hyperparameters, noise: float) -> DataTerms | None:
        amplitude, product = omega.amplitude, self._covariance.combine == "product"
        U, V = (
            self._of_x.features(self._x, omega.gamma_x),
            self._of_theta.features(z, omega.gamma_theta),
        )
        if not finite(U, V):
            return None
        F = products(U, V) if product else np.vstack([U, V])
        likelihood = self._likelihood(F, amplitude, noise)
        if likelihood is None:
            return None
        log_likelihood, d_log_amplitude, d_noise, W = likelihood
        hsic, x_centered, theta_centered = self._hsic(U, V)

        constant = np.ones((1, self._n))
        half = 0.5 * amplitude * len(self._y) / noise
        pulled = []
        for side, points, gamma, own, other, hsic_rows in (
            (self._of_x, self._x, omega.gamma_x, U, V, theta_centered),
            (self._of_theta, z, omega.gamma_theta, V, U, x_centered),
        ):
            beside = other if product else constant
            diagonal = half * np.einsum("in,in->n", beside, beside)
            shares = [(-0.5 * amplitude, W, beside), (1.0, hsic_rows, constant)]
            pulled.append(side.pull(points, gamma, own, diagonal, shares))
        (_, d_log_gamma_x), (d_theta, d_log_gamma_theta) = pulled
        return DataTerms(
            True,
            log_likelihood,
            hsic,
            d_theta.T,
            d_log_amplitude,
            d_noise,
            d_log_gamma_x,
            d_log_gamma_theta,
            self.name,
            len(F),
        )

    def _likelihood(
        self, F: FloatArray, amplitude: float, noise: float
    ) -> tuple[float, float, float, FloatArray] | None:
        """L; derivatives of -L by log a and noise; W with ``G = ½ (D/s²) I - ½ WᵀW``."""
        n, r, D = self._n, len(F), len(self._y)
        largest = amplitude * np.einsum("in,in->n", F, F).max() + noise
        if not noise > SINGULAR_PIVOT * n * largest:
            return None
        B = amplitude * (F @ F.T)
        B[np.diag_indices(r)] += noise
        if potrf(B) != 0:
            return None
        half_solved = solve_triangular(B, F, lower=True, check_finite=False)
        b = solve_triangular(B, half_solved @ self._y.T, lower=True, trans=1, check_finite=False)
        alpha = (self._y - amplitude * (b.T @ F)) / noise
        inverse = solve_triangular(B, np.eye(r), lower=True, check_finite=False)
        trace = float(np.vdot(inverse, inverse))
        log_det = 2.0 * np.log(np.diag(B)).sum() + (n - r) * np.log(noise)
        fit = float(np.vdot(self._y, alpha))
        log_likelihood = -0.5 * (D * n * np.log(2.0 * np.pi) + D * log_det + fit)
        d_log_amplitude = 0.5 * (D * (r - noise * trace) - amplitude * float(np.vdot(b, b)))
        d_noise = 0.5 * (D * ((n - r) / noise + trace) - float(np.vdot(alpha, alpha)))
        W = np.vstack([np.sqrt(amplitude * D / noise) * half_solved, alpha])
        return log_likelihood, d_log_amplitude, d_noise, W

    def _hsic(self, U: FloatArray, V: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """HSIC_b, and the centered features of X and Θ, scaled to squares of its cotangents."""
        n = self._n
        lam, hsic_floor = self._weights
        U = U - U.mean(axis=1, keepdims=True)
        V = V - V.mean(axis=1, keepdims=True)
        A = U @ V.T
        trace = float(np.vdot(A, A))
        floored = trace + n**2 * hsic_floor
        weight = np.sqrt(lam / floored) if floored > 0.0 else 0.0
        return trace / n**2, weight * U, weight * V
