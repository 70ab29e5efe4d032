"""Order statistics of distances on a line against all distances."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anmmm._kernels import distances

POINTS = st.lists(st.integers(-50, 50), min_size=2, max_size=30).filter(lambda p: len(set(p)) > 1)


def middle_ones(ordered, tie):
    all_distances = np.abs(ordered[:, None] - ordered)[np.triu_indices(len(ordered), 1)]
    all_distances = np.sort(all_distances[all_distances > tie])
    return all_distances[(len(all_distances) - 1) // 2], all_distances[len(all_distances) // 2]


@given(POINTS, st.sampled_from([0.0, 1e-15]))
@example([0, 1], 0.0)
@example([0, 0, 1], 0.0)
@example([0, 1, 1, 3], 0.0)
def test_middle_distances_of_few_points(points, tie):
    ordered = np.sort(np.array(points, dtype=float))
    assert distances.middle_distances(ordered, tie) == middle_ones(ordered, tie)


@pytest.mark.parametrize("n", [99, 400, 401])
@pytest.mark.parametrize("shape", ["normal", "cauchy", "rounded", "two", "outlier", "even", "far"])
def test_middle_distances_of_many_points(rng, n, shape):
    x = rng.normal(size=n)
    if shape == "outlier":
        x[-1] = 1e150
    if shape == "far":
        # Two clouds that are alike: half of the distances are of about one size.
        x = np.concatenate([x[: n // 2], x[: n - n // 2] + 1e9])
    shapes = {"cauchy": rng.standard_cauchy(n), "rounded": np.round(x), "even": np.arange(n) / n}
    shapes["two"] = (x > 0.5).astype(float)
    ordered = np.sort(shapes.get(shape, x))
    tie = 1e-15 * np.abs(ordered).max()
    assert distances.middle_distances(ordered, tie) == middle_ones(ordered, tie)
