"""The Hessian of J in Θ, at fixed hyperparameters.

A point of an objective comes in; the matrix, its diagonal and its products with vectors go out to
`laplace`. docs/method/uncertainty.md, eq. 1 to 5, derives it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from anmmm._kernels._lapack import potrf
from anmmm._kernels.dense import SINGULAR_PIVOT
from anmmm._typing import FloatArray
from anmmm.gppom.engines.features import Share, applied, make_side, products
from anmmm.gppom.objective import GPPOMObjective


class Term(NamedTuple):
    """``(AᵀB) ∘ (EᵀG)``, all with one column an observation."""

    A: FloatArray
    B: FloatArray
    E: FloatArray
    G: FloatArray


class Block(NamedTuple):
    """``diag(diagonal) + Σ terms``: the Hessian of two latent coordinates."""

    diagonal: FloatArray
    terms: list[Term]

    def matrix(self) -> FloatArray:
        total = np.diag(self.diagonal)
        for A, B, E, G in self.terms:
            total += (A.T @ B) * (E.T @ G)
        return total

    def main(self) -> FloatArray:
        total = self.diagonal.copy()
        for A, B, E, G in self.terms:
            total += np.einsum("in,in->n", A, B) * np.einsum("in,in->n", E, G)
        return total

    def times(self, v: FloatArray) -> FloatArray:
        total = self.diagonal * v
        for A, B, E, G in self.terms:
            total += np.einsum("in,in->n", (B * v @ G.T) @ E, A)
        return np.asarray(total)


class _Slope(NamedTuple):
    """What one latent coordinate moves: ``∂K̃ / ∂θ_m = e_m c_mᵀ + c_m e_mᵀ`` with ``C = LᵀM``."""

    L: FloatArray
    M: FloatArray
    PL: FloatArray
    S: FloatArray


class Curvature:
    """Hessian of J in Θ at one point, as sums of products of low-rank matrices.

    Parameters
    ----------
    objective : GPPOMObjective
        With a free Θ.
    z : ndarray of shape (n_params,)

    Raises
    ------
    FloatingPointError
        If the covariance is not positive definite there.

    Notes
    -----
    Exact down to the rounding of the factors of RBF kernels. With r features: O(N r² q²) for the
    diagonal and for a product with a vector, O(N² r q²) for the matrix; about 25 N r q² numbers are
    held.
    """

    def __init__(self, objective: GPPOMObjective, z: FloatArray) -> None:
        theta, omega = objective.unpack(z)
        self.n_samples, self.n_latent = theta.shape
        self._form, self._theta = objective.covariance, theta.T
        self._gamma, self._amplitude = omega.gamma_theta, omega.amplitude
        self._noise = 1.0 / omega.beta + objective.options.noise_floor
        self._y = objective.Y.T
        self._prior = objective.options.latent_prior
        self._lam, self._hsic_floor = objective.lam, objective.options.hsic_floor
        has_x = objective.X.shape[1] > 0
        x = np.ascontiguousarray(objective.X.T) if has_x else np.zeros((1, len(theta)))
        gamma_x = omega.gamma_x if has_x else np.ones(1)
        self._set_features(x, gamma_x, objective.options.n_chunks)
        self._set_posterior()
        self._set_blocks()

    def matrix(self) -> FloatArray:
        """Hessian (n_samples n_latent, n_samples n_latent), Θ row by row."""
        n, q = self.n_samples, self.n_latent
        H = np.empty((n, q, n, q))
        for d in range(q):
            for e in range(d, q):
                H[:, d, :, e] = self._blocks[d, e].matrix()
                H[:, e, :, d] = H[:, d, :, e].T
        flat = H.reshape(n * q, n * q)
        return np.asarray(0.5 * (flat + flat.T))

    def main(self) -> FloatArray:
        """Blocks (n_samples, n_latent, n_latent) of each observation with itself."""
        q = self.n_latent
        main = np.empty((self.n_samples, q, q))
        for d in range(q):
            for e in range(d, q):
                main[:, d, e] = main[:, e, d] = self._blocks[d, e].main()
        return main

    def times(self, v: FloatArray) -> FloatArray:
        """Product with a direction (n_samples, n_latent)."""
        out = np.zeros_like(v)
        for d in range(self.n_latent):
            for e in range(self.n_latent):
                # Each block is that of its transpose: products with either differ by rounding.
                out[:, d] += self._blocks[d, e].times(v[:, e])
        return out

    def _set_features(self, x: FloatArray, gamma_x: FloatArray, n_chunks: int | None) -> None:
        """Features of both kernels, of the covariance, and of the part of it that Θ moves."""
        n, form = self.n_samples, self._form
        of_theta, of_x = (make_side(k, n, n_chunks) for k in (form.kernel_theta, form.kernel_x))
        theta = np.ascontiguousarray(self._theta)
        self._V = of_theta.features(theta, self._gamma)
        U = of_x.features(x, gamma_x)
        self._beside = U if form.combine == "product" else np.ones((1, n))
        if form.smooth:
            # One factor of the product has fewer rows than the products of two.
            both = np.vstack([theta, x])
            joint = make_side("rbf", n, n_chunks)
            gamma = np.concatenate([self._gamma, gamma_x])
            self._moved = self._F = joint.features(both, gamma)
        else:
            self._moved = products(self._beside, self._V)
            self._F = self._moved if form.combine == "product" else np.vstack([U, self._V])
        self._U = U - U.mean(axis=1, keepdims=True)
        V = self._V - self._V.mean(axis=1, keepdims=True)
        self._trace = float(np.sum((self._U @ V.T) ** 2))

    def _set_posterior(self) -> None:
        """W and α with ``K̃⁻¹ = I / s² - WᵀW`` and ``α = K̃⁻¹ Y``."""
        a, noise, F = self._amplitude, self._noise, self._F
        B = a * (F @ F.T) + noise * np.eye(len(F))
        largest = a * np.einsum("in,in->n", F, F).max() + noise
        if not noise > SINGULAR_PIVOT * self.n_samples * largest or potrf(B) != 0:
            raise FloatingPointError(
                "the covariance is not numerically positive definite at this point; J has no "
                "curvature there"
            )
        self._W = np.sqrt(a / noise) * solve_triangular(B, F, lower=True)
        self._alpha = self._solved(self._y)

    def _solved(self, rows: FloatArray) -> FloatArray:
        """``K̃⁻¹`` times vectors, a row each."""
        return np.asarray(rows / self._noise - (rows @ self._W.T) @ self._W)

    def _set_blocks(self) -> None:
        n, q, lam = self.n_samples, self.n_latent, self._lam
        floored = self._trace + n**2 * self._hsic_floor
        weight = lam / floored if lam > 0.0 else 0.0
        W = np.vstack([np.sqrt(len(self._y)) * self._W, self._alpha])
        constant = np.ones((1, n))
        of_likelihood: Share = (-0.5 * self._amplitude, W, self._beside)
        of_hsic: Share = (weight, self._U, constant)
        if self._form.kernel_theta == "rbf":
            # Times K_θ, entry by entry, as everything that follows from its cotangent is.
            of_likelihood = (of_likelihood[0], W, self._moved)
            of_hsic = (weight, self._U, self._V)
        slopes = [self._slope(d) for d in range(q)]
        moves = np.array([self._hsic_slope(d) for d in range(q)])
        self._blocks = {}
        for d in range(q):
            for e in range(q):
                diagonal, terms = self._first(slopes[d], slopes[e])
                more, others = self._second(d, e, [of_likelihood, of_hsic])
                if weight > 0.0:
                    share = -weight / floored * moves[[d]]
                    others.append(Term(share, moves[[e]], constant, constant))
                diagonal = diagonal + more + (self._prior if d == e else 0.0)
                self._blocks[d, e] = Block(diagonal, terms + others)

    def _slope(self, d: int) -> _Slope:
        row, scale = self._theta[d], self._amplitude * self._gamma[d]
        if self._form.kernel_theta == "rbf":
            moved = self._moved
            L = np.vstack([moved, moved * row])
            M = -2.0 * scale * np.vstack([moved * row, -moved])
        else:
            L, M = scale * row * self._beside, self._beside
        return _Slope(L, M, self._solved(L), (self._alpha @ L.T) @ M)

    def _hsic_slope(self, d: int) -> FloatArray:
        """Gradient of ``tr(K_X H K_θ H)`` by a latent coordinate."""
        row, gamma = self._theta[d], self._gamma[d]
        share = [(1.0, self._U, np.ones((1, self.n_samples)))]
        if self._form.kernel_theta != "rbf":
            return np.asarray(2.0 * gamma * applied(share, row))
        sums = applied(share, np.ones_like(row), self._V)
        return np.asarray(-4.0 * gamma * (row * sums - applied(share, row, self._V)))

    def _first(self, one: _Slope, other: _Slope) -> tuple[FloatArray, list[Term]]:
        """Return what comes of the change of the cotangent G."""
        D, alpha, W = len(self._y), self._alpha, self._W
        inner = (one.L @ other.PL.T) @ other.M
        diagonal = np.einsum("in,in->n", one.S, other.S)
        diagonal = diagonal - D * np.einsum("in,in->n", one.M, inner)
        return diagonal / self._noise, [
            Term(D * W, W, one.M, inner),
            Term(-D * one.M, one.PL, other.PL, other.M),
            Term(-one.S, other.S, W, W),
            Term(one.S, alpha, other.PL, other.M),
            Term(alpha, other.S, one.M, one.PL),
            Term(alpha, alpha, one.M, inner),
        ]

    def _second(self, d: int, e: int, shares: list[Share]) -> tuple[FloatArray, list[Term]]:
        """Return what comes of the change of K̃'s slopes."""
        n = self.n_samples
        if self._form.kernel_theta != "rbf":
            if d != e:
                return np.zeros(n), []
            scale = 2.0 * self._gamma[d]
            squares = np.einsum("in,in->n", self._beside, self._beside)
            half = 0.5 * self._amplitude * len(self._y) / self._noise
            return scale * half * squares, [Term(scale * w * A, A, B, B) for w, A, B in shares]
        one, other = self._theta[d], self._theta[e]
        scale = 8.0 * self._gamma[d] * self._gamma[e]
        flat = -4.0 * self._gamma[d] if d == e else 0.0
        terms, both = [], one * other
        sums = [applied(shares, v) for v in (np.ones(n), one, other, both)]
        diagonal = scale * (both * sums[0] - one * sums[2] - other * sums[1] + sums[3])
        for w, A, B in shares:
            terms += [
                Term(-w * (scale * both + flat) * A, A, B, B),
                Term(w * scale * one * A, other * A, B, B),
                Term(w * scale * other * A, one * A, B, B),
                Term(-w * scale * A, both * A, B, B),
            ]
        return diagonal + flat * sums[0], terms
