"""Hyperparameters, and the flat vector: Θ or the MLP's weights, then log-hyperparameters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from anmmm._record import Record, computed
from anmmm._typing import FloatArray

LATENT_MAPS = ("free", "mlp")

# exp(±12) spans ten orders of magnitude around the scale of standardized data; beyond, K is
# constant or the identity to every digit.
LOG_BOUND = 12.0

# Unit of log Ω in the optimizer, relative to Θ's and the weights' 1: without it L-BFGS takes twice
# the evaluations, because J is less curved in log Ω.
LOG_UNIT = 3.0


class Hyperparameters(Record):
    """Hyperparameters Ω of a GPPOM, on the scale of the standardized variables.

    Attributes
    ----------
    amplitude : float
        ``a``, the variance of the signal.
    beta : float
        Noise precision; the noise variance is ``1 / beta + noise_floor``.
    gamma_x : ndarray of shape (n_features_x,)
        Inverse squared length scales of the observed input; weights of its columns in a linear
        kernel.
    gamma_theta : ndarray of shape (n_latent,)
        The same of the latent.
    """

    amplitude: float
    beta: float
    gamma_x: FloatArray
    gamma_theta: FloatArray


@dataclass(frozen=True)
class ParameterLayout:
    """Blocks of z: [Θ by rows, or W1, b1, W2, b2 | log a, log β, log γ_x, log γ_θ]."""

    n_samples: int
    n_features_x: int
    n_outputs: int
    n_latent: int
    latent_map: str = "free"
    n_hidden: int = 20

    @property
    def weight_shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of W1, b1, W2, b2."""
        n_inputs = self.n_features_x + self.n_outputs
        h = self.n_hidden
        q = self.n_latent
        return (n_inputs, h), (h,), (h, q), (q,)

    # Cached because an evaluation reads both a dozen times.
    @computed
    def n_latent_params(self) -> int:
        """Length of the first part."""
        if self.latent_map == "free":
            return self.n_samples * self.n_latent
        return sum(math.prod(shape) for shape in self.weight_shapes)

    @computed
    def n_params(self) -> int:
        """Length of z."""
        return self.n_latent_params + 2 + self.n_features_x + self.n_latent

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds of z; Θ and weights are free."""
        upper = np.full(self.n_params, np.inf)
        upper[self.n_latent_params :] = LOG_BOUND
        return -upper, upper

    @property
    def units(self) -> FloatArray:
        """Step of each coordinate of z that changes J similarly, for the optimizer."""
        units = np.ones(self.n_params)
        units[self.n_latent_params :] = LOG_UNIT
        return units

    def parts(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return views of Θ or the weights, and of [log a, log β, log γ_x, log γ_θ]."""
        return z[: self.n_latent_params], z[self.n_latent_params :]

    def weights(self, part: FloatArray) -> list[FloatArray]:
        """Return views W1, b1, W2, b2 of a flat weight vector."""
        ends = np.cumsum([math.prod(shape) for shape in self.weight_shapes])
        views = zip(np.split(part, ends[:-1]), self.weight_shapes, strict=True)
        return [view.reshape(shape) for view, shape in views]

    def hyperparameters(self, z: FloatArray) -> Hyperparameters:
        """Ω in natural units."""
        omega = np.exp(self.parts(z)[1])
        split = 2 + self.n_features_x
        return Hyperparameters(float(omega[0]), float(omega[1]), omega[2:split], omega[split:])

    def join(self, latent_part: FloatArray, omega: Hyperparameters) -> FloatArray:
        """Flat vector of a latent part and hyperparameters in natural units."""
        scales = np.concatenate([[omega.amplitude, omega.beta], omega.gamma_x, omega.gamma_theta])
        return np.concatenate([np.ravel(latent_part), np.log(scales)])
