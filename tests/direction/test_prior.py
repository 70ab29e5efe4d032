"""Log-odds of a pair: symmetric, free of units and of the order of rows, of bounded features."""

import math

import numpy as np
import pytest

from anmmm import infer_direction
from anmmm.direction.prior import (
    NATS_SLOPE,
    learned_coefficients,
    log_odds,
    nats_error,
    pair_features,
)
from anmmm.evidence import description_lengths

N = 150
RNG = np.random.default_rng(0)
X = RNG.normal(size=N)
Y = np.tanh(2.0 * X) + 0.2 * RNG.normal(size=N)
LEVELS = np.array([0.0, 1.0, 3.0, 7.0])[RNG.integers(4, size=N)]
CLASSES = RNG.integers(20, size=N)
NAMES = np.array([f"class {number}" for number in range(20)])[CLASSES]
BY_LEVEL = np.sin(LEVELS) + 0.5 * Y
BY_CLASS = np.sin(CLASSES) + 0.3 * RNG.normal(size=N)
IS_LAST = np.arange(N) == N - 1

# The kind of each pair, and both variables.
NUMBERS = {
    "distinct": ("distinct", X, Y),
    "both rounded": ("tied", X.round(1), Y.round(1)),
    "one rounded": ("tied", X, Y.round(1)),
    "few values of x": ("few", LEVELS, BY_LEVEL),
    "few values of y": ("few", X, np.digitize(Y, [-0.8, -0.2, 0.5])),
    "few values of both": ("tied", LEVELS, np.rint(BY_LEVEL)),
}
CATEGORIES = {
    "20 categories": ("few", NAMES, BY_CLASS),
    "20 categories as an effect": ("few", BY_CLASS, NAMES),
    "20 categories and few values": ("tied", NAMES, np.rint(2.0 * np.sin(CLASSES))),
}
EXTREMES = {
    "far value": ("distinct", np.where(IS_LAST, 1e12, X), Y),
    "far rounded value": ("tied", np.where(IS_LAST, 1e12, X.round(1)), Y.round(1)),
    "two far values": ("tied", np.where(IS_LAST, 1e9, X.round(1)), np.where(IS_LAST, -1e6, Y)),
    "two values": ("few", X > 0.0, Y),
    "two values of both": ("tied", X > 0.0, Y > 0.3),
    "one row of a value": ("few", IS_LAST, np.where(IS_LAST, 1e9, Y)),
    "10 rows": ("distinct", X[:10], X[:10] ** 2),
    "13 rows": ("distinct", X[:13], Y[:13]),
}
PAIRS = NUMBERS | CATEGORIES | EXTREMES


def features_of(x, y, z=1.0):
    """Return the kind and the features of a pair."""
    evidence = description_lengths(x, y)
    return pair_features(evidence.forward, evidence.backward, z)


@pytest.mark.parametrize("name", PAIRS)
def test_the_kind_of_a_pair_has_a_coefficient_for_each_feature(name):
    pair_kind, x, y = PAIRS[name]
    for pair in ((x, y), (y, x)):
        found_kind, features = features_of(*pair)
        assert found_kind == pair_kind
        assert features.keys() <= learned_coefficients()[pair_kind].keys()


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("z", [-1e6, -0.5, 0.0, 3.0, 1e6])
def test_features_are_finite_and_bounded(name, z):
    _, x, y = PAIRS[name]
    for value in features_of(x, y, z)[1].values():
        # A part of a variance may be 1 up to rounding.
        assert abs(value) <= 1.0 + 1e-12


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("prior", ["learned", "flat"])
def test_exchanging_the_variables_negates_the_log_odds_exactly(name, prior):
    _, x, y = PAIRS[name]
    odds = log_odds(description_lengths(x, y), prior)
    assert math.isfinite(odds)
    assert odds != 0.0
    assert log_odds(description_lengths(y, x), prior) == -odds


@pytest.mark.parametrize("name", NUMBERS)
def test_units_shifts_reflections_and_the_order_of_rows_do_not_matter(name, rng):
    _, x, y = NUMBERS[name]
    rows = rng.permutation(N)
    odds = log_odds(description_lengths(x, y), "learned")
    for changed in (
        (2.54 * x, 0.3 * y),
        (x + 7.3, y - 100.0),
        (-x, y),
        (x, 3.0 - y),
        (x[rows], y[rows]),
    ):
        assert log_odds(description_lengths(*changed), "learned") == pytest.approx(odds, abs=1e-9)


@pytest.mark.parametrize("name", ["far value", "far rounded value", "two far values"])
def test_features_beside_a_far_value_have_no_unit(name, rng):
    """The remaining values keep few digits there, and the lengths fewer."""
    _, x, y = EXTREMES[name]
    rows = rng.permutation(N)
    features = features_of(x, y)[1]
    for changed in ((-x, y), (2.54 * x + 7.3, y), (x, 3.0 - y), (x[rows], y[rows])):
        assert features_of(*changed)[1] == pytest.approx(features, abs=1e-5)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("fraction", [1.0, 0.25])
def test_a_flat_prior_weighs_the_lengths_alone(name, fraction):
    _, x, y = PAIRS[name]
    lengths = description_lengths(x, y)
    error = nats_error(math.sqrt(fraction) * lengths.error, fraction * len(x))
    expected = NATS_SLOPE * fraction * lengths.nats / error
    assert log_odds(lengths, "flat", fraction) == pytest.approx(expected, rel=1e-12)


def test_variables_of_several_columns_are_weighed_by_lengths_alone():
    lengths = description_lengths(np.column_stack([X, LEVELS]), Y + np.sin(LEVELS))
    assert log_odds(lengths, "learned") == log_odds(lengths, "flat") != 0.0


def test_the_log_odds_of_independent_numbers_are_0_without_features(rng):
    lengths = description_lengths(rng.normal(size=100), rng.uniform(size=100))
    assert lengths.independent
    assert log_odds(lengths, "learned") == log_odds(lengths, "flat") == 0.0


@pytest.mark.parametrize("name", PAIRS)
def test_longer_lengths_of_the_reverse_never_speak_against_a_direction(name):
    _, x, y = PAIRS[name]
    pair_kind, features = features_of(x, y, 1.0)
    doubled = features_of(x, y, 2.0)[1]
    assert doubled["lengths"] > features["lengths"] > 0.0
    assert learned_coefficients()[pair_kind]["lengths"] > 0.0
    del features["lengths"], doubled["lengths"]
    assert doubled == features


@pytest.mark.parametrize("prior", ["learned", "flat"])
def test_a_decision_has_the_log_odds_of_its_prior(prior):
    result = infer_direction(X.round(1), Y.round(1), prior=prior)
    assert result.prior == prior
    assert result.log_odds == log_odds(result.evidence, prior)
    assert result.direction == np.sign(result.log_odds)
