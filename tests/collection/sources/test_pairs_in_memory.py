import numpy as np
import pandas as pd
import pytest

from anmmm.collection import SourceError, as_pairs, infer_directions
from anmmm.datasets import Pair, make_anm_mixture

X, Y = np.arange(12.0), np.arange(12.0) ** 2


def test_mapping_list_and_pair_keep_ids_and_order():
    named = list(as_pairs({"b": (X, Y), "a": (Y, X), 3: [X, X]}))
    assert [pair.pair_id for pair in named] == ["b", "a", "3"]
    np.testing.assert_array_equal(named[1].x, Y)
    mixed = list(as_pairs([(X, Y), ("own", X, Y), (np.int64(7), X, Y), Pair("p", X, Y, -1, 0.5)]))
    assert [pair.pair_id for pair in mixed] == ["0", "own", "7", "p"]
    assert (mixed[3].truth, mixed[3].weight) == (-1, 0.5)


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ("text", "found str"),
        ((X, Y, X), "found tuple of length 3"),
        ((2.5, X, Y), "found tuple of length 3"),
        (None, "found NoneType"),
        (([[1], [1, 2]], Y), "x is not a rectangular array"),
        (((value for value in X), Y), "x must be numeric"),
        ((X, [print] * 12), "y must be numeric"),
        (Pair("p", X, np.array(iter(Y))), "y must be numeric"),
    ],
)
def test_an_item_of_another_form_is_a_problem_not_an_exception(item, problem):
    first, second = as_pairs([item, (X, Y)])
    assert problem in first.problem
    assert second.problem == ""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (np.zeros((10, 2)), "pairs="),
        (pd.DataFrame({"a": X}), "pairs="),
        (None, "found NoneType"),
        ((X, Y), r"one pair: use infer_direction\(x, y\)"),
    ],
)
def test_other_sources_are_refused(source, message):
    with pytest.raises((TypeError, SourceError), match=message):
        as_pairs(source)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_items_that_cannot_be_pickled_are_unusable_rows(n_jobs):
    x, y, _ = make_anm_mixture("f3", 20, random_state=0)
    source = [((value for value in x), y), (x, y), Pair("own", x, np.array(iter(y)), 1)]
    rows = list(infer_directions(source, n_jobs=n_jobs, random_state=0))
    assert [row.pair_id for row in rows] == ["0", "1", "own"]
    assert [row.status for row in rows] == ["unusable", "ok", "unusable"]
    assert rows[2].truth == 1
