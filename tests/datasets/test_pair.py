import pickle

import numpy as np
import pytest

from anmmm.datasets import Pair

X = np.arange(3.0)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"truth": 2}, ValueError, "truth must be 1"),
        ({"truth": "1"}, TypeError, "truth must be a number or None, found '1'"),
        ({"truth": [1]}, ValueError, "truth must be 1"),
        ({"weight": -1}, ValueError, "weight must be finite and not negative, found -1"),
        ({"weight": np.inf}, ValueError, "weight must be finite"),
        ({"weight": None}, TypeError, "weight must be a number, found None"),
        ({"weight": "1"}, TypeError, "weight must be a number, found '1'"),
        ({"group": 3}, TypeError, "group must be text, found 3"),
        ({"pair_id": 7}, TypeError, "pair_id must be text, found 7"),
        ({"problem": None}, TypeError, "problem must be text, found None"),
    ],
)
def test_what_no_reader_of_results_takes_is_refused_by_name(given, error, message):
    with pytest.raises(error, match=message):
        Pair(**{"pair_id": "a", "x": X, "y": X, **given})
    if "problem" not in given:
        with pytest.raises(error, match=message):
            Pair.unreadable(**{"pair_id": "a", "problem": "gone", **given})


@pytest.mark.parametrize(
    ("truth", "known"), [(1, 1), (-1.0, -1), (np.int8(0), 0), (None, None), (float("nan"), None)]
)
def test_truth_and_weight_are_plain_numbers(truth, known):
    pair = Pair("a", X, X, truth, np.float32(0.5))
    assert (pair.truth, type(pair.truth)) == (known, type(known))
    assert (pair.weight, type(pair.weight)) == (0.5, float)
    assert pickle.loads(pickle.dumps(pair)) == pair
