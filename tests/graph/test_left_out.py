"""Columns that tell nothing are left out of a graph, with a reason; what remains is analyzed."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from anmmm import infer_graph
from anmmm.datasets import SourceError
from drawn import chain

CHAIN = chain(100)
N = len(CHAIN["a"])
LEVELS = np.array(["low", "mid", "top"])[np.random.default_rng(3).integers(0, 3, N)]
RENAMED = pd.Series(LEVELS).map({"low": "z", "mid": "a", "top": "m"}).to_numpy()
DAYS = pd.date_range("2020-01-01", periods=N)
HALF = np.where(np.arange(N) < N // 2, np.nan, CHAIN["c"])
# A column that tells nothing, and what is said of it.
USELESS = {
    "zeros": (np.zeros(N), "is constant"),
    "true": (np.ones(N, dtype=bool), "is constant"),
    "word": (["same"] * N, "is constant"),
    "category": (pd.Categorical(["same"] * N), "is constant"),
    "digits": (["7"] * N, "is constant"),
    "one value": (np.where(np.arange(N) == 5, np.nan, 1.0), "is constant"),
    "rounding": (np.where(CHAIN["a"] > 0, 1e8, np.nextafter(1e8, 0.0)), "is constant"),
    "nothing": (np.full(N, np.nan), "has no values"),
    "no text": (pd.Series([None] * N, dtype="string"), "has no values"),
    "copy": (CHAIN["a"].copy(), "repeats 'a'"),
    "other unit": (3.0 - 100.0 * CHAIN["a"], "repeats 'a'"),
    "copied text": ([f"{value!r}" for value in CHAIN["a"].tolist()], "repeats 'a'"),
    "days": (DAYS.strftime("%Y-%m-%d"), "holds dates"),
    "times": (DAYS, "holds dates"),
    "keys": ([f"k{at}" for at in range(N)], "holds more than 32 different texts"),
    "commas": ([f"{at},5" for at in range(N)], "holds '0,5', which is not a number"),
    "mixed": (["1", 2, *["3"] * (N - 2)], "must be numeric, found '1'"),
}


@pytest.fixture(scope="module")
def without():
    return infer_graph(pd.DataFrame({"a": CHAIN["a"], "b": CHAIN["b"]}))


@pytest.mark.parametrize("name", USELESS)
def test_a_useless_column_is_left_out_and_listed_or_refused(name, without):
    values, problem = USELESS[name]
    frame = pd.DataFrame({"a": CHAIN["a"], name: values, "b": CHAIN["b"]})
    with pytest.warns(UserWarning, match=f"1 column left out:\n.*{problem}"):
        graph = infer_graph(frame)
    assert list(graph.left_out) == [name]
    assert problem in graph.left_out[name]
    assert graph.to_dict() == without.to_dict() | {"left_out": dict(graph.left_out)}
    assert f"left out: column {name!r} {problem}" in graph.summary()
    with pytest.raises(SourceError, match=f"column {name!r} {problem}"):
        infer_graph(frame, columns=["a", "b", name])
    assert infer_graph(frame, columns=["a", "b"]).left_out == without.left_out == {}


def test_declared_categories_that_are_too_many_are_refused():
    frame = pd.DataFrame({"a": CHAIN["a"], "keys": USELESS["keys"][0]})
    with pytest.raises(SourceError, match="'keys' holds more than 32 different texts; join"):
        infer_graph(frame, columns=["a", "keys"], categories=["keys"])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_first_of_copies_stays(frame):
    table = frame({"z": LEVELS, "a": RENAMED, "x": CHAIN["a"], "m": LEVELS, "b": -CHAIN["a"]})
    with pytest.warns(UserWarning, match="3 columns left out"):
        graph = infer_graph(table)
    assert graph.names == ("z", "x")
    assert set(graph.left_out) == {"a", "m", "b"}
    assert "repeats 'z'" in graph.left_out["a"]
    assert "repeats 'x'" in graph.left_out["b"]
    # Of whatever type.
    above = CHAIN["a"] > 0.0
    table = frame({"word": np.where(above, "x", "y"), "flag": above, "b": CHAIN["b"]})
    for first, second in (("word", "flag"), ("flag", "word")):
        with pytest.warns(UserWarning, match=f"'{second}' repeats '{first}'"):
            assert infer_graph(table[[first, second, "b"]]).names == (first, "b")


def test_columns_that_are_useless_in_complete_rows_alone_stay():
    switched = np.where(np.isnan(HALF), 1.0, 0.0)
    mixed = np.where(np.isnan(HALF), CHAIN["b"], CHAIN["a"])
    frame = pd.DataFrame({"a": CHAIN["a"], "half": HALF, "k": switched, "mixed": mixed})
    graph = infer_graph(frame, missing="drop")
    assert (graph.left_out, graph.n_samples, graph.n_dropped) == ({}, N, 0)
    few = np.where(np.arange(N) < 19, CHAIN["b"], np.nan)
    frame = frame.assign(few=few, copy=np.where(np.isnan(HALF), np.nan, CHAIN["a"]))
    with pytest.warns(UserWarning, match="'few' has 19 values"):
        graph = infer_graph(frame, missing="drop")
    assert "repeats 'a'" in graph.left_out["copy"]


def test_rows_come_back_when_what_made_them_incomplete_goes():
    sparse = np.where(np.arange(N) < N // 2, np.nan, 1.0)
    frame = pd.DataFrame({"a": CHAIN["a"], "b": CHAIN["b"], "sparse": sparse})
    for missing in ("raise", "drop"):
        with pytest.warns(UserWarning, match="'sparse' is constant"):
            graph = infer_graph(frame, missing=missing)
        assert (graph.n_samples, graph.n_dropped) == (N, 0)


@pytest.mark.filterwarnings("ignore:.*left out:UserWarning")
def test_constraints_on_a_column_left_out():
    frame = pd.DataFrame({"a": CHAIN["a"], "k": 1.0, "b": CHAIN["b"]})
    graph = infer_graph(frame, tiers=[["k", "a"], ["b"]], forbidden=[("k", "a"), ("b", "k")])
    assert graph.directed == (("a", "b"),)
    with pytest.raises(ValueError, match="required names 'k', which is none of the columns"):
        infer_graph(frame, required=[("k", "a")])
    with pytest.raises(ValueError, match="column 'k' is constant; leave it out"):
        infer_graph(frame, within=[("k", "a"), ("a", "b")])
    with pytest.raises(ValueError, match="has no such column"):
        infer_graph(frame, tiers=[["other"]])


def test_many_columns_left_out_are_counted_and_two_remain():
    useless = {f"k{at}": 1.0 for at in range(20)}
    frame = pd.DataFrame({"a": CHAIN["a"], "b": CHAIN["b"], **useless})
    with pytest.warns(UserWarning, match="20 columns left out:"):
        graph = infer_graph(frame)
    assert len(graph.left_out) == 20
    assert graph.summary().endswith("'k7' is constant and 12 more")
    with (
        pytest.warns(UserWarning, match="20 columns left out"),
        pytest.raises(SourceError, match=r"2 or more columns .*that vary, found 1$"),
    ):
        infer_graph(frame.drop(columns="b"))
