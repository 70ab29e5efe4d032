"""The paper's mixtures by name, such as ``f3-c4``: a mechanism with one option changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._typing import FloatArray, IntArray, RandomState
from anmmm.datasets import make_anm_mixture
from anmmm.datasets.synthetic import MECHANISMS

# Ranges of θ of each mechanism.
TWO_RANGES = ((1, 1.1), (3, 3.1))
THREE_RANGES = (*TWO_RANGES, (0.5, 0.6))
FOUR_RANGES = (*THREE_RANGES, (2, 2.1))
VARIATIONS: dict[str, dict[str, Any]] = {
    "": {},
    "-c3": {"theta_ranges": THREE_RANGES},
    "-c4": {"theta_ranges": FOUR_RANGES},
    "-sigma0.01": {"noise_std": 0.01},
    "-sigma0.1": {"noise_std": 0.1},
    "-a0.25": {"proportions": (0.25, 0.75)},
    "-a0.75": {"proportions": (0.75, 0.25)},
}
SETTINGS = {
    f"{mechanism}{suffix}": (mechanism, options)
    for mechanism in MECHANISMS
    for suffix, options in VARIATIONS.items()
}


def draw_setting(
    name: str, n_samples: int, random_state: RandomState
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Draw cause, effect and labels."""
    mechanism, options = SETTINGS[name]
    return make_anm_mixture(mechanism, n_samples, random_state=random_state, **options)


def bayes_labels(name: str, seed: int, x: FloatArray, y: FloatArray) -> IntArray:
    """Return the labels of the classifier that knows f, θ, σ and the proportions of a draw.

    No method that estimates the mechanisms can surpass it in expectation.
    """
    mechanism, options = SETTINGS[name]
    low, high = np.transpose(options.get("theta_ranges", TWO_RANGES))
    # The first numbers that a mixture draws.
    thetas = np.random.default_rng(seed).uniform(low, high)
    proportions = options.get("proportions", np.full(len(thetas), 1.0 / len(thetas)))
    residuals = y - np.stack([MECHANISMS[mechanism](x, theta) for theta in thetas])
    log_density = -0.5 * (residuals / options.get("noise_std", 0.05)) ** 2
    labels: IntArray = np.argmax(log_density + np.log(proportions)[:, np.newaxis], axis=0)
    return labels
