"""Data shared by the benchmarks."""

from __future__ import annotations

import numpy as np

from anmmm.datasets import make_anm_mixture
from anmmm.objective import GPPOMObjective
from anmmm.preprocessing import standardise
from anmmm.results import Hyperparameters


def mixture_objective(n_samples: int, **options: object) -> tuple[GPPOMObjective, np.ndarray]:
    """Objective of an f3 mixture, and a flat vector near a typical fit."""
    x, y, labels = make_anm_mixture("f3", n_samples, random_state=0)
    X, Y = standardise(x[:, None])[0], standardise(y[:, None])[0]
    objective = GPPOMObjective(X, Y, **options)
    omega = Hyperparameters(2.0, 50.0, np.array([0.1]), np.array([0.5]))
    rng = np.random.default_rng(0)
    latent = np.where(labels == 0, -1.0, 1.0) + 0.2 * rng.standard_normal(n_samples)
    return objective, objective.pack(latent[:, None], omega)
