"""The objective J(Θ, Ω) and its gradient on one flat vector.

An engine evaluates the data terms, -L + λ log(HSIC_b + ε₀), with their gradient on Θ and the
hyperparameters. Priors and the back-constraint Θ = MLP([x, y]) are added here. An evaluation whose
covariance has no factor, or whose HSIC is 0 with λ > 0 and no floor, returns +inf and is counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import as_finite, check_aligned, check_lengths
from anmmm._warning import numpy_defaults
from anmmm.gppom.engines import make_engine
from anmmm.gppom.options import OBJECTIVE_TOLERANCE, FitOptions
from anmmm.gppom.parameters import Hyperparameters, ParameterLayout


@dataclass(frozen=True)
class Terms:
    """The summands of J at one point."""

    objective: float  # +inf if it could not be evaluated
    log_likelihood: float
    hsic: float  # HSIC_b
    log_hsic_penalty: float  # λ log(HSIC_b + ε₀)
    prior: float  # sum of all priors
    engine: str
    rank: int | None = None  # of the factor of the covariance; None for the dense engine
    residual: float = 0.0  # trace of the residual of a K_X ∘ K_θ


class GPPOMObjective:
    """``J(Θ, Ω)`` of the Gaussian process partially observable model, with its exact gradient.

    J = -L + λ log(HSIC_b(X, Θ) + ε₀) + (w/2)‖Θ‖² + (v/2)‖log Ω‖² (+ (u/2)‖W‖² for ``"mlp"``).
    With ``noise_floor``, ``hsic_floor`` and all priors 0 and a = 1 it is equation 5 of Hu et al.
    (2018).

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features_x)
        Hypothetical cause, already standardized (`anmmm.preprocessing.standardize`).
    Y : ndarray of shape (n_samples, n_outputs)
        Hypothetical effect, already standardized.
    fit_options : FitOptions or mapping, optional
        Options of J: ``lam``, ``n_latent``, ``latent_map``, kernels, engine, floors and priors.
        ``lam`` and ``hyper_prior`` do not grow with the number of observations. Options of a
        descent (``init``, ``tol``, …) have no effect.

    Attributes
    ----------
    layout : ParameterLayout
        Layout of the flat vector.
    covariance : anmmm.gppom.covariance.Covariance
        Kernels, and how they are combined.
    n_evaluations, n_failed_evaluations : int
        Counts since construction.

    Notes
    -----
    One evaluation costs O(N³) time and O(N²) memory (dense) or O(N r²) and O(N r) with a factor of
    rank r (low rank). An object has a workspace: use one per thread.

    References
    ----------
    Hu, Chen, Partovi Nia, Chan, Geng: Causal Inference and Mechanism Clustering of a Mixture of
    Additive Noise Models. NeurIPS 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm import GPPOMObjective
    >>> from anmmm.datasets import make_anm_mixture
    >>> from anmmm.preprocessing import standardize
    >>> x, y, _ = make_anm_mixture("f3", 50, random_state=1)
    >>> objective = GPPOMObjective(standardize(x[:, None])[0], standardize(y[:, None])[0])
    >>> value, gradient = objective.value_and_grad(np.zeros(objective.n_params))
    >>> gradient.shape == (objective.n_params,)
    True
    """

    def __init__(
        self,
        X: FloatArray,
        Y: FloatArray,
        *,
        fit_options: FitOptions | Mapping[str, Any] | None = None,
    ) -> None:
        self.X, self.Y = as_matrices(X, Y)
        self.options = options = FitOptions.of(fit_options).filled(engine_tol=OBJECTIVE_TOLERANCE)
        self.lam = options.lam
        self.covariance = options.covariance
        self.layout = ParameterLayout(
            n_samples=len(self.X),
            n_features_x=self.X.shape[1],
            n_outputs=self.Y.shape[1],
            n_latent=options.n_latent,
            latent_map=options.latent_map,
            n_hidden=options.n_hidden,
        )
        self._engine = make_engine(self.X, self.Y, self.lam, options, self.covariance)
        if options.latent_map == "mlp":
            self._inputs = np.hstack([self.X, self.Y])
        self.n_evaluations = 0
        self.n_failed_evaluations = 0

    @property
    def n_params(self) -> int:
        """Length of the flat vector."""
        return self.layout.n_params

    def pack(self, latent: FloatArray, hyperparameters: Hyperparameters) -> FloatArray:
        """Return the flat vector of Θ (free), or of flat weights (mlp), and Ω in natural units."""
        latent = np.asarray(latent, dtype=np.float64)
        layout = self.layout
        shapes: list[tuple[int, ...]] = [(layout.n_latent_params,)]
        if layout.latent_map == "free":
            shapes.append((layout.n_samples, layout.n_latent))
        for name, shape, wanted in (
            ("latent", latent.shape, shapes),
            ("gamma_x", np.shape(hyperparameters.gamma_x), [(layout.n_features_x,)]),
            ("gamma_theta", np.shape(hyperparameters.gamma_theta), [(layout.n_latent,)]),
        ):
            if shape not in wanted:
                raise ValueError(
                    f"{name} must have shape {' or '.join(map(str, wanted))}, found {shape}; "
                    f"this objective has {self.n_params} parameters"
                )
        z = layout.join(latent, hyperparameters)
        if not np.all(np.isfinite(z)):
            raise ValueError("latent must be finite, and hyperparameters positive and finite")
        return z

    def unpack(self, z: FloatArray) -> tuple[FloatArray, Hyperparameters]:
        """Θ (n_samples, n_latent) and Ω in natural units of a flat vector."""
        return self.latent(z), self.layout.hyperparameters(z)

    def latent(self, z: FloatArray) -> FloatArray:
        """Θ (n_samples, n_latent) of a flat vector, a fresh array."""
        part, _ = self.layout.parts(z)
        if self.layout.latent_map == "free":
            return part.reshape(self.layout.n_samples, self.layout.n_latent).copy()
        # One hidden layer of logistic units; mathematics.md, eq. 12. Products of huge weights
        # overflow, and the units are then at an end.
        W1, b1, W2, b2 = self.layout.weights(part)
        with np.errstate(over="ignore", invalid="ignore"):
            self._hidden = 1.0 / (1.0 + np.exp(-(self._inputs @ W1 + b1)))
            return np.asarray(self._hidden @ W2 + b2)

    def value_and_grad(self, z: FloatArray) -> tuple[float, FloatArray]:
        """J and its gradient at a flat vector.

        Parameters
        ----------
        z : ndarray of shape (n_params,)

        Returns
        -------
        value : float
            J, or +inf if it could not be evaluated.
        gradient : ndarray of shape (n_params,)
            Zeros if J could not be evaluated.
        """
        terms, gradient = self._evaluate(z)
        return terms.objective, gradient

    def terms(self, z: FloatArray) -> Terms:
        """Summands of J at a flat vector."""
        return self._evaluate(z)[0]

    @numpy_defaults
    def _evaluate(self, z: FloatArray) -> tuple[Terms, FloatArray]:
        layout = self.layout
        z = np.asarray(z, dtype=np.float64)
        if z.shape != (self.n_params,):
            raise ValueError(f"z must have shape ({self.n_params},), found {z.shape}")
        part, log_omega = layout.parts(z)
        theta = self.latent(z)
        omega = layout.hyperparameters(z)
        noise = (1.0 / omega.beta if omega.beta > 0.0 else math.inf) + self.options.noise_floor
        data = self._engine.evaluate(theta, omega, noise)
        self.n_evaluations += 1

        floored = data.hsic + self.options.hsic_floor
        # LAPACK may factorize a matrix of NaN without an error.
        finite = math.isfinite(data.log_likelihood) and math.isfinite(data.hsic)
        if not (data.valid and finite) or (self.lam > 0.0 and floored <= 0.0):
            self.n_failed_evaluations += 1
            nan = float("nan")
            failed = Terms(np.inf, nan, nan, nan, nan, data.engine, data.rank)
            return failed, np.zeros(self.n_params)

        prior = 0.5 * self.options.latent_prior * float(np.vdot(theta, theta))
        prior += 0.5 * self.options.hyper_prior * float(log_omega @ log_omega)
        d_theta = data.d_theta + self.options.latent_prior * theta
        d_latent = d_theta.ravel()
        if layout.latent_map == "mlp":
            prior += 0.5 * self.options.weight_prior * float(part @ part)
            d_latent = self._weight_gradient(layout.weights(part)[2], d_theta)
            d_latent += self.options.weight_prior * part
        d_log_beta = -data.d_noise * (noise - self.options.noise_floor)
        d_noises = [data.d_log_amplitude, d_log_beta]
        d_omega = np.concatenate([d_noises, data.d_log_gamma_x, data.d_log_gamma_theta])
        gradient = np.concatenate([d_latent, d_omega + self.options.hyper_prior * log_omega])

        penalty = self.lam * math.log(floored) if self.lam > 0.0 else 0.0
        value = -data.log_likelihood + penalty + prior
        of_engine = data.engine, data.rank, data.residual
        terms = Terms(value, data.log_likelihood, data.hsic, penalty, prior, *of_engine)
        return terms, gradient

    def _weight_gradient(self, W2: FloatArray, d_theta: FloatArray) -> FloatArray:
        """Return the gradient by the flat weights from ``∂J/∂Θ``; mathematics.md, eq. 12."""
        hidden = self._hidden
        d_hidden = d_theta @ W2.T * hidden * (1.0 - hidden)
        of_hidden = (self._inputs.T @ d_hidden).ravel(), d_hidden.sum(axis=0)
        return np.concatenate([*of_hidden, (hidden.T @ d_theta).ravel(), d_theta.sum(axis=0)])


def as_matrices(X: ArrayLike, Y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check that X and Y are finite matrices of equally many rows."""
    check_aligned(X, Y, ("X", "Y"))
    first = _as_finite_matrix(X, "X")
    second = _as_finite_matrix(Y, "Y")
    check_lengths(first, second, ("X", "Y"))
    return first, second


def _as_finite_matrix(values: ArrayLike, name: str) -> FloatArray:
    matrix = as_finite(values, name)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(
            f"{name} must be two-dimensional with a row and a column at least, found shape "
            f"{matrix.shape}"
        )
    return matrix
