"""A table of drawn plants whose causes are known, for ``anmmm demo``."""

from __future__ import annotations

import numpy as np

from anmmm._typing import FloatArray, IntArray

N_PLANTS = 400
# A cause and its effect.
EDGES = (("lamp", "height"), ("height", "leaves"), ("leaves", "fruit"), ("water", "fruit"))


def draw_plants() -> tuple[dict[str, FloatArray], IntArray]:
    """Draw a table of plants, and the soil of each, (n_plants,), which the table lacks.

    Hours of lamp light make plants grow, by another curve in each of two soils. Height makes leaf
    area; leaf area and milliliters of water make fruit.
    """
    rng = np.random.default_rng(0)
    lamp = rng.uniform(4.0, 16.0, N_PLANTS)
    water = rng.gamma(6.0, 40.0, N_PLANTS)
    soil = (rng.random(N_PLANTS) < 0.4).astype(np.intp)
    rich = 24.0 + 24.0 * np.sin(np.pi * (lamp - 4.0) / 12.0)
    poor = 8.0 + lamp
    height = np.where(soil == 1, poor, rich) + rng.normal(0.0, 1.5, N_PLANTS)
    leaves = 5.0 + 40.0 * np.tanh(height / 30.0) + rng.normal(0.0, 2.0, N_PLANTS)
    fruit = 0.02 * leaves**2 + 6.0 * np.log(water / 100.0) + rng.normal(0.0, 2.0, N_PLANTS)
    table = {"lamp": lamp, "water": water, "height": height, "leaves": leaves, "fruit": fruit}
    return {name: column.round(4) for name, column in table.items()}, soil


def cluster_sizes(labels: IntArray) -> str:
    """Return the number of rows with each label, the largest first."""
    return " and ".join(map(str, sorted(np.bincount(labels).tolist(), reverse=True)))


def count_right(labels: IntArray, truth: IntArray) -> int:
    """Return how many labels are right if each label stands for its most frequent true one."""
    n_right = 0
    for label in np.unique(labels):
        n_right += int(np.bincount(truth[labels == label]).max())
    return n_right
