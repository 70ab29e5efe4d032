"""Confidence: halves are halves, the map is monotone and bounded, exchange keeps it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm.confidence import SLOPE, Resamples, confidence_from, resample_scores
from anmmm.datasets import make_anm_mixture
from anmmm.evidence import evidence


def slope_difference(x, y):
    """A fast score that exchange negates."""
    return float(np.mean(x**3) - np.mean(y**3))


def evidence_score(x, y):
    return evidence(x, y).score


def halves(scores, n_samples=100, size=50):
    return Resamples(np.asarray(scores, dtype=float), n_samples, size, 0)


@pytest.fixture
def pair(rng):
    return rng.standard_normal(60), rng.uniform(size=60)


def test_halves_are_rows_of_the_pair_without_repetition(pair):
    seen = []
    resample_scores(*pair, lambda x, y: seen.append((x, y)) or 0.0, n_resamples=5, seed=0)
    assert len(seen) == 5
    rows = set(zip(*(v.tolist() for v in pair), strict=True))
    for x, y in seen:
        assert x.shape == y.shape == (30, 1)
        drawn = list(zip(x[:, 0].tolist(), y[:, 0].tolist(), strict=True))
        assert len(set(drawn)) == 30
        assert set(drawn) <= rows
    assert not np.array_equal(seen[0][0], seen[1][0])


def test_a_seed_repeats_the_draw_and_is_recorded(pair):
    one = resample_scores(*pair, slope_difference, seed=7)
    assert (one.seed, one.n_samples, one.size, len(one.scores)) == (7, 60, 30, 10)
    again = resample_scores(*pair, slope_difference, seed=one.seed)
    assert np.array_equal(again.scores, one.scores)
    other = resample_scores(*pair, slope_difference, seed=8)
    assert not np.array_equal(other.scores, one.scores)


@pytest.mark.parametrize(("n", "size"), [(10, 10), (21, 10), (61, 30)])
def test_a_subsample_has_at_least_ten_observations(rng, n, size):
    found = resample_scores(*rng.standard_normal((2, n)), slope_difference, seed=0)
    assert found.size == size


def test_nothing_left_out_tells_nothing(rng):
    found = resample_scores(*rng.standard_normal((2, 10)), slope_difference, seed=0)
    assert found.error == np.inf
    assert confidence_from(1.0, found) == 0.5
    # Nor do halves that are all constant.
    assert confidence_from(0.2, halves([0.0, 0.0])) == 0.5
    assert confidence_from(0.2, halves([-0.1, -0.1])) == 0.5


def test_a_constant_half_scores_zero():
    x = np.zeros(40)
    x[0] = 1.0
    found = resample_scores(x, np.arange(40.0), lambda x, y: 1.0, n_resamples=30, seed=0)
    assert set(found.scores.tolist()) == {0.0, 1.0}


def test_map_by_hand():
    found = halves([0.1, 0.3, -0.1, 0.1])
    error = np.sqrt(0.08 / 3)
    assert_allclose(found.error, error)
    assert_allclose(confidence_from(0.2, found), 1 / (1 + np.exp(-SLOPE * 0.2 / error)))
    assert_allclose(halves([0.1, 0.3, -0.1, 0.1], 13, 10).error, error * np.sqrt(10 / 3))


def test_map_is_monotone_and_bounded():
    found = halves([0.1, 0.3, -0.1, 0.1])
    values = [confidence_from(score, found) for score in np.linspace(0.0, 100.0, 2001)]
    assert values[0] == 0.5
    assert values[-1] == 1.0
    assert np.all(np.diff(values) >= 0.0)
    assert [confidence_from(score, found) for score in -np.linspace(0.0, 100.0, 2001)] == values


def test_more_spread_is_less_confidence():
    spreads = [0.0, 0.01, 0.1, 1.0, 10.0, 1e6]
    values = [confidence_from(0.2, halves([0.2 - s, 0.2 + s])) for s in spreads]
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)
    assert_allclose(values[-1], 0.5, atol=1e-5)


def test_sure_of_a_clear_mixture_and_not_of_a_linear_gaussian_pair():
    x, y, _ = make_anm_mixture("f3", 100, random_state=1)
    clear = resample_scores(x, y, evidence_score, seed=0)
    assert confidence_from(evidence_score(x, y), clear) > 0.95
    rng = np.random.default_rng(0)
    values = []
    for _ in range(3):
        x = rng.standard_normal(100)
        y = x + rng.standard_normal(100)
        found = resample_scores(x, y, evidence_score, n_resamples=6, seed=0)
        values.append(confidence_from(evidence_score(x, y), found))
    assert np.median(values) < 0.85
