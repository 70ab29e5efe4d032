"""Variables in clusters: set points with errors, as causes and as effects."""

import numpy as np
import pytest

from anmmm import infer_direction
from anmmm.evidence import evidence


def set_points(rng, n, count):
    """Equally many of each of some settings, with small errors."""
    return rng.choice(np.arange(float(count)), n) + 0.05 * rng.normal(size=n)


@pytest.mark.parametrize("count", [5, 8, 12])
def test_set_points_are_the_cause_of_what_follows_them(count):
    results = []
    for seed in range(6):
        rng = np.random.default_rng([seed, 9])
        x = set_points(rng, 300, count)
        y = np.tanh(3.0 * (x / count - 0.5)) + 0.3 * rng.normal(size=300)
        results.append(infer_direction(x, y))
    assert [result.relation for result in results] == ["x→y"] * 6


@pytest.mark.parametrize("count", [5, 8])
def test_levels_that_the_cause_chooses_are_not_surely_the_cause(count):
    wrong = 0
    for seed in range(6):
        rng = np.random.default_rng([seed, 10])
        x = rng.normal(size=300)
        chosen = np.round(count / 2 + count / 5 * x + 0.4 * rng.normal(size=300))
        y = np.clip(chosen, 0, count - 1) + 0.05 * rng.normal(size=300)
        result = infer_direction(x, y)
        wrong += result.direction < 0 and result.confidence >= 0.9
        # The levels are worth more than a monotone function of the cause.
        side = result.models.forward
        assert side.model == "clusters"
        assert side.lengths["clusters"] < side.lengths["pnl"]
    assert wrong <= 1


def test_unrelated_set_points_are_independent(rng):
    for count in (5, 8):
        x = set_points(rng, 300, count)
        for y in (rng.normal(size=300), set_points(rng, 300, count)):
            assert evidence(x, y).independent


def test_rounded_set_points_are_no_hidden_groups():
    # Clusters of one variable alone say nothing of a common cause.
    for seed in range(4):
        rng = np.random.default_rng([seed, 11])
        usual = rng.choice([5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 75.0, 90.0], 300)
        x = np.maximum(usual + np.round(rng.normal(size=300)), 1.0)
        y = 40.0 * (1.0 - np.exp(-0.04 * x)) * rng.normal(1.0, 0.1, 300)
        result = infer_direction(x, np.round(y + 1.5 * rng.normal(size=300)))
        assert result.relation == "x→y"
