"""Data shared by the benchmarks."""

from __future__ import annotations

import numpy as np

from anmmm.datasets import make_anm_mixture
from anmmm.gppom import Hyperparameters
from anmmm.gppom.objective import GPPOMObjective
from anmmm.preprocessing import standardize


def mixture_objective(
    n_samples: int, n_features_x: int = 1, n_latent: int = 1, **options: object
) -> tuple[GPPOMObjective, np.ndarray]:
    """Objective of an f3 mixture, and a flat vector on the way to a fit.

    Further inputs are noise; further latents as well, and of longer scale.
    """
    x, y, labels = make_anm_mixture("f3", n_samples, random_state=0)
    rng = np.random.default_rng(0)
    latent = np.where(labels == 0, -1.0, 1.0) + 0.2 * rng.standard_normal(n_samples)
    inputs = rng.standard_normal((n_samples, n_features_x - 1))
    latents = rng.standard_normal((n_samples, n_latent - 1))
    X, Y = standardize(np.column_stack([x, inputs]))[0], standardize(y[:, None])[0]
    objective = GPPOMObjective(X, Y, fit_options={"n_latent": n_latent, **options})
    gamma_x, gamma_theta = np.full(n_features_x, 0.1), np.full(n_latent, 0.5)
    gamma_x[1:] = gamma_theta[1:] = 0.05
    omega = Hyperparameters(2.0, 50.0, gamma_x, gamma_theta)
    return objective, objective.pack(np.column_stack([latent, latents]), omega)
