"""The collapsed bound as a function of one flat vector.

Standardized data come in; minus the bound and its gradient go out to an optimizer. Kernels do the
work; the Kullback-Leibler term and the layout of the vector stand here.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels.chunks import run_in_chunks
from anmmm._kernels.collapsed import BoundCotangents, collapsed_bound
from anmmm._kernels.psi import PsiGradient, psi_pull, psi_sums
from anmmm._typing import FloatArray
from anmmm._validation import as_matrices, as_matrix, check_count, check_nonnegative
from anmmm.collapsed.result import BoundParameters

# Variance that the inducing variables have beyond the function's, as a share of its amplitude: they
# are readings of f with this noise. The bound is one for any such reading, so that this costs
# tightness alone, and K_uu has a condition number of at most M / NUGGET.
NUGGET = 1e-6


class CollapsedBound:
    """Lower bound on ``log p(Y | X)`` of the GPPOM whose Θ is integrated out, with its gradient.

    ``y_n = f(x_n, θ_n) + ε``, f a Gaussian process with an ARD RBF kernel of both, θ_n ~ N(0, I),
    and q(θ_n) Gaussian. Without X it is a Bayesian GP-LVM, a density of Y.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_outputs)
        Standardized (`anmmm.preprocessing.standardize`).
    X : ndarray of shape (n_samples, n_features_x), optional
        Standardized.
    n_latent : int
        Latent dimensions q.
    n_inducing : int
        Inducing points M.
    nugget : float
        Variance of the inducing variables beyond the function's, as a share of the amplitude. With
        0 a Gram matrix of inducing points that is singular to rounding is a failed evaluation.
    n_chunks : int, optional
        Run loops over observations on Numba's threads, dealt out to so many chunks. Results depend
        on it by rounding, and not on the number of threads.

    Attributes
    ----------
    n_params : int
        Length of the flat vector: means and log-variances, each latent coordinate by itself;
        inducing points likewise; log a, log σ², log γ.
    n_evaluations, n_failed_evaluations : int
        Counts since construction.

    Notes
    -----
    O(N M²) time and O(N M) memory an evaluation; docs/method/mathematics.md, eqs. B1 to B7. An
    object holds a workspace: use one per thread.

    References
    ----------
    M. Titsias, N. Lawrence, "Bayesian Gaussian Process Latent Variable Model", AISTATS 2010.
    """

    def __init__(
        self,
        Y: FloatArray,
        X: FloatArray | None = None,
        *,
        n_latent: int = 1,
        n_inducing: int = 30,
        nugget: float = NUGGET,
        n_chunks: int | None = None,
    ) -> None:
        if X is None:
            self.Y = as_matrix(Y, "Y")
            self.X = np.empty((len(self.Y), 0))
        else:
            self.X, self.Y = as_matrices(X, Y)
        self.n_latent = check_count(n_latent, "n_latent")
        self.n_inducing = check_count(n_inducing, "n_inducing")
        self.nugget = check_nonnegative(nugget, "nugget")
        self.n_chunks = None if n_chunks is None else check_count(n_chunks, "n_chunks")
        n, self.n_inputs = len(self.Y), self.n_latent + self.X.shape[1]
        self._sizes = (self.n_latent * n, self.n_latent * n, self.n_inputs * self.n_inducing)
        self.n_params = sum(self._sizes) + 2 + self.n_inputs
        self.n_evaluations = self.n_failed_evaluations = 0
        M, D, d = self.n_inducing, self.Y.shape[1], self.n_inputs
        self._outputs = np.ascontiguousarray(self.Y.T)
        self._square = float(np.vdot(self.Y, self.Y))
        self._points = np.empty((d, n))
        self._points[self.n_latent :] = self.X.T
        self._psi1_y, self._psi2 = np.empty((M, D)), np.zeros((M, M))
        self._cotangents = BoundCotangents(
            np.empty((M, D)), np.empty((M, M)), np.empty((d, M)), np.empty(d), np.empty(2)
        )
        shape = (self.n_latent, n)
        self._pulled = PsiGradient(np.empty(shape), np.empty(shape), np.empty((d, M)), np.empty(d))

    def pack(self, parameters: BoundParameters) -> FloatArray:
        """Return the flat vector of parameters in natural units."""
        n = len(self.Y)
        for name, wanted in (
            ("mean", (n, self.n_latent)),
            ("variance", (n, self.n_latent)),
            ("inducing", (self.n_inducing, self.n_inputs)),
            ("gamma", (self.n_inputs,)),
        ):
            shape = np.shape(getattr(parameters, name))
            if shape != wanted:
                raise ValueError(f"{name} must have shape {wanted}, found {shape}")
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.concatenate(
                [
                    np.ravel(parameters.mean.T),
                    np.log(np.ravel(parameters.variance.T)),
                    np.ravel(parameters.inducing.T),
                    np.log([parameters.amplitude, parameters.noise]),
                    np.log(parameters.gamma),
                ]
            )
        if not np.all(np.isfinite(z)):
            raise ValueError(
                "mean and inducing must be finite, and variance, amplitude, noise and gamma "
                "positive and finite"
            )
        return z

    def unpack(self, z: FloatArray) -> BoundParameters:
        """Parameters of a flat vector in natural units."""
        mean, log_variance, inducing, scales, log_gamma = self.parts(np.array(z, dtype=float))
        amplitude, noise = np.exp(scales)
        return BoundParameters(
            mean.T,
            np.exp(log_variance).T,
            inducing.T,
            float(amplitude),
            float(noise),
            np.exp(log_gamma),
        )

    def value_and_grad(self, z: FloatArray) -> tuple[float, FloatArray]:
        """Minus the bound, in nats, and its gradient at a flat vector.

        Parameters
        ----------
        z : ndarray of shape (n_params,)

        Returns
        -------
        value : float
            Minus the bound, or +inf where it could not be evaluated.
        gradient : ndarray of shape (n_params,)
            Zeros where it could not.
        """
        z = np.asarray(z, dtype=np.float64)
        if z.shape != (self.n_params,):
            raise ValueError(f"z must have shape ({self.n_params},), found {z.shape}")
        self.n_evaluations += 1
        gradient = np.zeros(self.n_params)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            value = self._evaluate(z, gradient)
        if math.isfinite(value) and np.all(np.isfinite(gradient)):
            return value, gradient
        self.n_failed_evaluations += 1
        return math.inf, np.zeros(self.n_params)

    def _evaluate(self, z: FloatArray, gradient: FloatArray) -> float:
        mean, log_variance, inducing, log_scales, log_gamma = self.parts(z)
        variance, gamma = np.exp(log_variance), np.exp(log_gamma)
        scales = np.array([*np.exp(log_scales), self.nugget])
        if not (np.all(np.isfinite(gamma)) and np.all(np.isfinite(variance))):
            return math.inf
        self._points[: self.n_latent] = mean
        data = self._points, variance, gamma, inducing, self._outputs
        run_in_chunks(psi_sums, self.n_chunks, *data, self._psi1_y, self._psi2)
        out, pulled = self._cotangents, self._pulled
        bound = collapsed_bound(
            inducing, gamma, self._psi1_y, self._psi2, self._square, len(self.Y), scales, out
        )
        if not math.isfinite(bound):
            return math.inf
        run_in_chunks(psi_pull, self.n_chunks, *data, out.psi1_y, out.psi2, pulled)
        d_mean, d_log_variance, d_inducing, d_scales, d_gamma = self.parts(gradient)
        d_mean[:] = mean - pulled.mean
        d_log_variance[:] = 0.5 * (variance - 1.0) - pulled.log_variance
        d_inducing[:] = -(pulled.inducing + out.inducing)
        d_scales[:] = -out.log_scales
        d_gamma[:] = -(pulled.log_gamma + out.log_gamma)
        divergence = 0.5 * float((variance + mean * mean - 1.0 - log_variance).sum())
        return divergence - float(bound)

    def parts(self, z: FloatArray) -> tuple[FloatArray, ...]:
        """Return views of a flat vector's blocks, matrices as (coordinates, points).

        Means, log-variances, inducing points, log a and log σ², log γ.
        """
        a, b, c = np.cumsum(self._sizes)
        n = len(self.Y)
        return (
            z[:a].reshape(self.n_latent, n),
            z[a:b].reshape(self.n_latent, n),
            z[b:c].reshape(self.n_inputs, self.n_inducing),
            z[c : c + 2],
            z[c + 2 :],
        )
