"""Files and frames with a row for each pair (nested), or for each observation (long)."""

import decimal
import operator
from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from anmmm.collection import SourceError, as_pairs, pair_rows

X, Y = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
ONE = {"pair_id": ["a"], "x": [X], "y": [Y]}


def write(folder, columns, **options):
    path = folder / "pairs.parquet"
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
    return path


def nested(folder, **other):
    return write(folder, {"pair_id": ["b", "a"], "x": [X, Y], "y": [Y, X]} | other)


def assert_same(pair, x, y):
    assert pair.problem == ""
    np.testing.assert_array_equal(pair.x, x)
    np.testing.assert_array_equal(pair.y, y)
    assert pair.x.dtype == pair.y.dtype == np.float64


@pytest.mark.parametrize("number", [float, decimal.Decimal])
def test_a_nested_table_is_a_pair_for_each_row(tmp_path, number):
    group = pa.array(["wind", None]).dictionary_encode()
    known = {"truth": [number(-1), None], "weight": [number(0.25), None], "notes": ["ignored"] * 2}
    source = as_pairs(nested(tmp_path, group=group, **known))
    assert operator.length_hint(source) == 2
    first, second = source
    assert (first.pair_id, first.truth, first.weight, first.group) == ("b", -1, 0.25, "wind")
    assert (second.pair_id, second.truth, second.weight, second.group) == ("a", None, 1.0, None)
    assert_same(first, X, Y)
    assert_same(second, Y, X)


LONG = {
    "pair_id": ["a", "b", "a", "b"],
    "x": [1.0, 3.0, 5.0, 7.0],
    "y": [2.0, 4.0, 6.0, None],
    "truth": [1, -1, 1, -1],
    "weight": [0.5, None, 0.5, None],
    "group": ["g", None, "g", None],
}


def text_file(path, separator):
    pd.DataFrame(LONG).to_csv(path, sep=separator, index=False)
    return path


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: text_file(folder / "long.csv", ","),
        lambda folder: text_file(folder / "long.csv", "\t"),
        lambda folder: pd.DataFrame(LONG),
        lambda folder: pl.DataFrame(LONG),
        lambda folder: write(folder, LONG),
    ],
    ids=["commas", "tabs", "pandas", "polars", "parquet"],
)
def test_a_long_table_is_a_pair_for_each_id(tmp_path, make):
    source = as_pairs(make(tmp_path))
    assert operator.length_hint(source) == 2
    for _ in range(2):
        found = [(p.pair_id, p.x.tolist(), p.truth, p.weight, p.group, p.n_dropped) for p in source]
        assert found == [("a", [1, 5], 1, 0.5, "g", 0), ("b", [3], -1, 1.0, None, 1)]


def test_nulls_and_nan_drop_their_rows(tmp_path):
    path = nested(tmp_path, x=[[1.0, None, 3.0], [4, 5, 6]], y=[[4.0, 5.0, np.nan], [1, 2, 3]])
    first, second = as_pairs(path)
    assert_same(first, [1], [4])
    assert first.n_dropped == 2
    assert_same(second, Y, X)


@pytest.mark.parametrize(
    ("other", "problem"),
    [
        ({"x": [None, X], "y": [None, Y]}, "x is null"),
        ({"y": [None, Y]}, "y is null"),
        ({"x": [[1.0], X]}, "x has 1 values"),
        ({"truth": [2, 1]}, "the truth must be"),
        ({"truth": [True, None]}, "the truth must be"),
        ({"weight": [-1.0, 1.0]}, "weight must be"),
        ({"pair_id": [None, "a"]}, "pair_id is null"),
    ],
)
def test_a_broken_pair_is_a_problem_and_the_next_one_is_read(tmp_path, other, problem):
    broken, whole = as_pairs(nested(tmp_path, **other))
    assert problem in broken.problem
    assert broken.problem.startswith("row 1: ")
    assert len(broken.x) == len(broken.y) == 0
    assert (whole.pair_id, whole.problem, len(whole.x)) == ("a", "", 3)


def test_broken_pairs_of_a_long_table_have_a_problem(tmp_path):
    (tmp_path / "long.csv").write_text("pair_id,x,y,truth\na,1,2,1\na,3,4,-1\nb,7,8,2\n")
    first, second = as_pairs(tmp_path / "long.csv")
    assert "truth must be the same" in first.problem
    assert "the truth must be 1" in second.problem


@pytest.mark.parametrize(("row_group_size", "batch_rows"), [(1, 9), (3, 2), (9, 9)])
def test_pairs_do_not_depend_on_where_row_groups_and_batches_end(
    tmp_path, monkeypatch, row_group_size, batch_rows
):
    values = [np.arange(float(length)) for length in [3, 0, 5, 1, 1, 2, 7]]
    names = [f"p{index}" for index in range(7)]
    truths = [1, -1, 0, 1, -1, 0, 1]
    columns = {"pair_id": pa.array(names).dictionary_encode(), "x": values}
    columns |= {"y": [-v for v in values], "truth": truths}
    path = write(tmp_path, columns, row_group_size=row_group_size)
    monkeypatch.setattr(pair_rows, "BATCH_ROWS", batch_rows)
    pairs = list(as_pairs(path))
    assert [pair.pair_id for pair in pairs] == names
    assert [pair.truth for pair in pairs] == truths
    for pair, expected in zip(pairs, values, strict=True):
        assert_same(pair, expected, -expected)


def test_an_id_that_reappears_is_refused_with_both_places(tmp_path):
    path = nested(tmp_path, pair_id=["a", "a"])
    with pytest.raises(SourceError, match="'a' was used in row 1") as caught:
        list(as_pairs(path))
    assert caught.value.place == "row 2"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"pair_id": ["a"], "x": [1.0]}, "name the columns pair_id, x and y"),
        ({"a": [1.0], "b": [1.0]}, "pairs=[('a', 'b'), ...]"),
        ({"pair_id": ["a"], "x": ["p"], "y": [1.0]}, "must hold numbers"),
        ({"pair_id": ["a"], "x": [[X]], "y": [X]}, "x must hold lists of numbers"),
        ({"pair_id": ["a"], "x": [X], "y": [1.0]}, "y must hold lists of numbers"),
        (
            {"pair_id": ["a"], "x": [[datetime(2020, 1, 1)]], "y": [[1.0]]},
            "x must hold lists of numbers",
        ),
        (pa.table([["a"], [1], [2], [3]], ["pair_id", "x", "y", "x"]), "several columns"),
        (pa.table(ONE).slice(1), "no rows"),
        ("pair_id,x,y\na,1,2\na,<3,4\n", ":3: x holds '<3', which is not a number"),
        ("pair_id,x,y\na,u,2\na,v,4\n", "column 'x' must hold numbers"),
        ("pair_id,x,y\na,1,2\n,3,4\n", ":3: pair_id is missing"),
        ("id,x,y\na,1,2\n", "name the columns pair_id, x and y"),
    ],
)
def test_files_of_another_schema_are_refused_at_once(tmp_path, columns, message):
    if isinstance(columns, str):
        path = tmp_path / "long.csv"
        path.write_text(columns)
    else:
        path = write(tmp_path, columns)
    with pytest.raises(SourceError) as caught:
        as_pairs(path)
    assert str(caught.value).startswith(f"{path}:")
    assert message in str(caught.value)


@pytest.mark.parametrize("end", [b"", b"\xff\xff\xff\x7fPAR1"])
def test_broken_files_are_refused_at_once_by_name(tmp_path, end):
    path = nested(tmp_path)
    path.write_bytes(path.read_bytes()[:-8] + end)
    with pytest.raises(SourceError) as caught:
        as_pairs(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_memory_does_not_grow_with_the_row_group(tmp_path):
    n, length = 4_000, 1_000
    values = pa.array(np.random.default_rng(0).normal(size=n * length))
    offsets = pa.array(np.arange(0, n * length + 1, length), pa.int32())
    lists = pa.ListArray.from_arrays(offsets, values)
    columns = {"pair_id": np.arange(n), "x": lists, "y": lists}
    path = write(tmp_path, columns, row_group_size=n * length)
    del values, lists, columns
    before = pa.total_allocated_bytes()
    peak = 0
    for pair in as_pairs(path):
        assert len(pair.x) == length
        peak = max(peak, pa.total_allocated_bytes() - before)
    assert pq.read_metadata(path).num_row_groups == 1
    # The row group holds 64 MB.
    assert peak < 40e6
