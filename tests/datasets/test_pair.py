import pickle

import numpy as np
import pytest

from anmmm.datasets import Pair
from record_comparison import assert_same

X = np.arange(3.0)


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("truth", 2, ValueError),
        ("truth", "1", TypeError),
        ("weight", np.inf, ValueError),
        ("group", 3, TypeError),
        ("pair_id", 7, TypeError),
        ("problem", None, TypeError),
    ],
)
def test_values_that_no_row_can_hold_are_refused_by_name(argument, value, error):
    with pytest.raises(error, match=f"{argument} must be"):
        Pair(**{"pair_id": "a", "x": X, "y": X, argument: value})


@pytest.mark.parametrize(
    ("truth", "known"), [(1, 1), (-1.0, -1), (np.int8(0), 0), (None, None), (float("nan"), None)]
)
def test_truth_and_weight_are_plain_numbers(truth, known):
    pair = Pair("a", X, X, truth, np.float32(0.5))
    assert (pair.truth, type(pair.truth)) == (known, type(known))
    assert (pair.weight, type(pair.weight)) == (0.5, float)
    assert_same(pickle.loads(pickle.dumps(pair)), pair)


def test_a_univariate_pair_has_vectors_of_checked_numbers():
    values = list(range(12))
    pair = Pair("a", np.reshape(values, (12, 1)), values, -1, 0.5, "air", n_dropped=2)
    checked = pair.univariate()
    assert checked.x.dtype == checked.y.dtype == np.float64
    np.testing.assert_array_equal([checked.x, checked.y], [values, values])
    assert (checked.pair_id, checked.truth, checked.weight) == ("a", -1, 0.5)
    assert (checked.group, checked.n_dropped) == ("air", 2)
    wide = Pair("a", np.arange(24).reshape(12, 2), values).checked()
    assert (wide.x.shape, wide.y.shape) == ((12, 2), (12,))


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (Pair.unreadable("a", "gone"), "^gone$"),
        (Pair("a", np.ones((12, 2)), np.ones(12)), "multivariate: x has 2 columns"),
        (Pair("a", X, X), "at least 10"),
    ],
)
def test_a_pair_that_cannot_be_analyzed_has_a_reason(pair, message):
    with pytest.raises(ValueError, match=message):
        pair.univariate()


def test_a_subsample_keeps_the_order_and_a_short_pair_stays_whole():
    pair = Pair("a", np.arange(100.0), -np.arange(100.0), truth=1)
    drawn = pair.subsample(20, 7)
    expected = np.sort(np.random.default_rng(7).choice(100, 20, replace=False))
    np.testing.assert_array_equal([drawn.x, drawn.y], [expected, -expected])
    assert drawn.truth == 1
    assert pair.subsample(100) is pair
    with pytest.raises(ValueError, match="n_samples must be"):
        pair.subsample(0)
