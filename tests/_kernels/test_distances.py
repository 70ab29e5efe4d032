"""Order statistics of distances on a line against all distances."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anmmm._kernels import distances

POINTS = st.lists(st.integers(-50, 50), min_size=2, max_size=30).filter(lambda p: len(set(p)) > 1)


@given(POINTS, st.integers(0, 100))
def test_pairs_within_a_distance_are_counted(points, distance):
    ordered = np.sort(np.array(points, dtype=float))
    apart = [abs(one - other) for one, other in combinations(points, 2)]
    within = [each for each in apart if each <= distance]
    following = min((each for each in apart if each > distance), default=np.inf)
    found = distances._count_within.py_func(ordered, float(distance))
    assert found == (len(within), max(within, default=0.0), following)


def middle_ones(ordered, tie):
    apart = np.abs(ordered[:, None] - ordered)[np.triu_indices(len(ordered), 1)]
    apart = np.sort(apart[apart > tie])
    return apart[(len(apart) - 1) // 2], apart[len(apart) // 2]


@given(POINTS, st.sampled_from([0.0, 1e-15]))
@example([0, 1], 0.0)
@example([0, 0, 1], 0.0)
@example([0, 1, 1, 3], 0.0)
def test_middle_distances_of_few_points(points, tie):
    ordered = np.sort(np.array(points, dtype=float))
    assert distances.middle_distances(ordered, tie) == middle_ones(ordered, tie)


@pytest.mark.parametrize("n", [99, 400, 401])
@pytest.mark.parametrize("kind", ["normal", "cauchy", "rounded", "two", "outlier", "even", "far"])
def test_middle_distances_of_many_points(rng, n, kind):
    x = rng.normal(size=n)
    if kind == "outlier":
        x[-1] = 1e150
    if kind == "far":
        # Two clouds that are alike: half of the distances are of about one size.
        x = np.concatenate([x[: n // 2], x[: n - n // 2] + 1e9])
    others = {"cauchy": rng.standard_cauchy(n), "rounded": np.round(x), "even": np.arange(n) / n}
    others["two"] = (x > 0.5).astype(float)
    ordered = np.sort(others.get(kind, x))
    tie = 1e-15 * np.abs(ordered).max()
    assert distances.middle_distances(ordered, tie) == middle_ones(ordered, tie)
