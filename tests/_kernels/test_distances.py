"""Ranks of distances on a line against all distances."""

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anmmm._kernels import distances

POINTS = st.lists(st.integers(-50, 50), min_size=2, max_size=30).filter(lambda p: len(set(p)) > 1)


@given(POINTS, st.integers(0, 100))
def test_pairs_within_a_distance_are_counted(points, distance):
    ordered = np.sort(np.array(points, dtype=float))
    expected = sum(abs(one - other) <= distance for one, other in combinations(points, 2))
    assert distances.count_within(ordered, float(distance)) == expected


@given(POINTS, st.data())
def test_every_rank_above_the_ties_is_found(points, data):
    ordered = np.sort(np.array(points, dtype=float))
    every = sorted(abs(one - other) for one, other in combinations(points, 2))
    ties = every.count(0)
    rank = data.draw(st.integers(ties, len(every) - 1))
    assert distances.distance_of_rank(ordered, 0.0, rank) == every[rank]
