"""Text among numbers gets the same remedy in lists, arrays, frames and graphs."""

import numpy as np
import pandas as pd
import pytest

from anmmm import infer_direction, infer_graph
from anmmm.collection import as_pairs

CELLS = {
    "<0.35": "detection limit",
    "-": "missing value is an empty cell, or None",
    "missing": "missing value is an empty cell, or None",
    "21%": "remove units",
    "1,446": "thousands separators",
    "$ 211": "remove units",
}


@pytest.fixture(params=CELLS)
def cell(request):
    return request.param


@pytest.fixture
def mixed(cell):
    """Numbers and one text, (n,)."""
    return [*np.random.default_rng(0).normal(size=39).tolist(), cell]


def as_objects(values):
    return np.array(values, dtype=object)


def as_series(values):
    return pd.Series(values, dtype=object)


@pytest.mark.parametrize("convert", [list, tuple, as_objects, as_series])
def test_a_text_among_numbers_is_named_with_its_place(cell, mixed, convert):
    with pytest.raises(TypeError, match=CELLS[cell]) as caught:
        infer_direction(convert(mixed), np.arange(40.0))
    assert f"{cell!r} (str) at position (39,)" in str(caught.value)


def test_a_column_of_objects_is_named_with_the_text(cell, mixed):
    frame = pd.DataFrame({"a": as_series(mixed), "b": np.arange(40.0) % 7, "c": np.arange(40.0)})
    with pytest.raises(ValueError, match=f"column 'a' holds .*{CELLS[cell]}"):
        infer_graph(frame, columns=["a", "b"])
    (pair,) = as_pairs(frame, columns=[("a", "b")])
    assert CELLS[cell] in pair.problem


def test_numbers_and_such_cells_all_as_text_are_refused_with_the_remedy(cell, mixed):
    texts = [str(value) for value in mixed]
    with pytest.raises(TypeError, match=f"x holds numbers as text, .*{CELLS[cell]}"):
        infer_direction(texts, np.arange(40.0))
    frame = pd.DataFrame({"a": texts, "b": np.arange(40.0) % 7, "c": np.arange(40.0)})
    with pytest.warns(UserWarning, match="a .numbers as text"):
        assert [pair.pair_id for pair in as_pairs(frame, columns="all")] == ["b,c"]


@pytest.mark.parametrize("names", [("<50K", ">50K"), ("<5", ">=5"), ("-", "x"), ("1-2", "3-4")])
def test_categories_with_signs_are_categories(names, recwarn):
    frame = pd.DataFrame({"a": [*names] * 20, "b": np.arange(40.0)})
    assert [pair.pair_id for pair in as_pairs(frame, columns="all")] == ["a,b"]
    assert not recwarn.list
