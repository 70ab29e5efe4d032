import itertools
import operator
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anmmm.collection import SourceError, as_pairs
from anmmm.collection.pair_columns import column_pair_id

pytestmark = pytest.mark.filterwarnings("ignore:.*left out of all pairs:UserWarning")

DATA = {
    "a": [1.5, 2.0, None, 4.0],
    "name": ["p", "q", "r", "s"],
    "b": [1, 2, 3, 4],
    "flag": [True, False, True, True],
    "c": [9.0, None, 7.0, 6.0],
}


def text_file(folder, suffix=".csv", separator=","):
    path = folder / f"table{suffix}"
    cells = [["" if v is None else str(v) for v in column] for column in DATA.values()]
    lines = [list(DATA), *zip(*cells, strict=True)]
    path.write_text("".join(separator.join(line) + "\n" for line in lines))
    return path


def parquet_file(folder):
    path = folder / "table.parquet"
    pq.write_table(pa.table(DATA), path, row_group_size=3)
    return path


TABLES = {
    "pandas": lambda folder: pd.DataFrame(DATA),
    "pandas, arrow": lambda folder: pd.DataFrame(DATA).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda folder: pl.DataFrame(DATA),
    "polars, lazy": lambda folder: pl.LazyFrame(DATA),
    "pyarrow": lambda folder: pa.table(DATA),
    "csv": text_file,
    "tsv": lambda folder: text_file(folder, ".tsv", "\t"),
    "parquet": parquet_file,
}


@pytest.fixture(params=TABLES)
def table(request, tmp_path):
    return TABLES[request.param](tmp_path)


def test_all_pairs_of_columns_in_the_order_of_the_table(table):
    with warnings.catch_warnings(action="error"):
        source = as_pairs(table, pairs="all")
    assert operator.length_hint(source) == 10
    pairs = list(source)
    assert len(list(source)) == len(pairs)
    assert [pair.pair_id for pair in pairs] == list(map(",".join, itertools.combinations(DATA, 2)))
    assert all(f"{pair.names[0]},{pair.names[1]}" == pair.pair_id for pair in pairs)
    by_id = {pair.pair_id: pair for pair in pairs}
    chosen = [by_id[name] for name in ("a,b", "a,c", "b,c")]
    np.testing.assert_array_equal(chosen[0].x, [1.5, 2, 4])
    np.testing.assert_array_equal(chosen[0].y, [1, 2, 4])
    np.testing.assert_array_equal(chosen[1].x, [1.5, 4])
    np.testing.assert_array_equal(chosen[1].y, [9, 6])
    np.testing.assert_array_equal(chosen[2].x, [1, 3, 4])
    assert [pair.n_dropped for pair in chosen] == [1, 2, 1]
    assert all(pair.x.dtype == pair.y.dtype == np.float64 for pair in chosen)


def test_a_column_of_text_is_of_categories(table):
    source = as_pairs(table, pairs=[("name", "c"), ("c", "a")])
    assert operator.length_hint(source) == 2
    named, whole = source
    assert (named.x.tolist(), named.y.tolist(), named.n_dropped) == (["p", "r", "s"], [9, 7, 6], 1)
    assert named.missing.startswith("c lacks 1 of 4 values")
    assert (named.problem, whole.problem, whole.pair_id) == ("", "", "c,a")
    np.testing.assert_array_equal([whole.x, whole.y], [[9, 6], [1.5, 4]])
    with pytest.raises((TypeError, SourceError), match=r"pairs=\[\('a', 'b'\), \.\.\.\]"):
        as_pairs(table)


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_all_leaves_out_what_cannot_be_paired(tmp_path, form):
    frame = pd.DataFrame({"k": 7.0, "a": np.arange(40.0) % 7, "kind": ["p", "q"] * 20})
    frame["day"] = pd.date_range("2020-01-01", periods=40).strftime("%Y-%m-%d")
    frame["key"] = [f"k{number}" for number in range(40)]
    frame["one"] = [1.0, None] * 20
    frame["no"] = float("nan")
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    source = frame if form == "frame" else tmp_path / f"t.{form}"
    with pytest.warns(UserWarning, match=r"left out of all pairs") as caught:
        opened = as_pairs(source, pairs="all")
    assert [warning.filename for warning in caught] == [__file__]
    text = str(caught[0].message)
    for part in (
        "day (dates or durations)",
        "key (more than",
        "k, one (constant)",
        "no (no values)",
    ):
        assert part in text
    assert operator.length_hint(opened) == 1
    assert [pair.pair_id for pair in opened] == ["a,kind"]
    # Whoever names a column gets its pair, and the row says what is wrong with it.
    assert len(list(as_pairs(source, pairs=[("k", "a")]))) == 1


def test_arrays_and_frames_without_names_go_by_position():
    array = np.arange(12.0).reshape(4, 3)
    for source in (array, array.astype("f4"), array.astype(int), pd.DataFrame(array)):
        assert [p.pair_id for p in as_pairs(source, pairs="all")] == ["0,1", "0,2", "1,2"]
        (pair,) = as_pairs(source, pairs=[(2, 0)])
        np.testing.assert_array_equal([pair.x, pair.y], array[:, [2, 0]].T)


def test_text_without_a_header_has_numbered_columns(tmp_path):
    (tmp_path / "t.txt").write_text("1 2 3\n4 5 6\n")
    (pair,) = as_pairs(tmp_path / "t.txt", pairs=[(0, 2)])
    assert (pair.pair_id, pair.y.tolist()) == ("column 1,column 3", [3, 6])


def test_one_bad_cell_in_a_column_of_numbers_is_not_passed_over(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,s,c\n1,2,p,3\n4,oops,q,6\n")
    pairs = {pair.pair_id: pair for pair in as_pairs(tmp_path / "t.csv", pairs="all")}
    assert list(pairs) == ["a,b", "a,s", "a,c", "b,s", "b,c", "s,c"]
    for name, pair in pairs.items():
        assert pair.problem.startswith("t.csv:3: b holds 'oops'") == ("b" in name)


@given(st.lists(st.text(max_size=4), min_size=2, max_size=5, unique=True))
def test_no_two_pairs_of_names_share_an_id(names):
    ids = [column_pair_id(*pair) for pair in itertools.permutations(names, 2)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ("a", TypeError, "pairs must be 'all' or"),
        ([], TypeError, "pairs must be 'all' or"),
        (["ab"], TypeError, "pairs must hold pairs"),
        ([("a", "z")], ValueError, "pairs names 'z'.* the columns are 'a', 'name'"),
        ([("a", -1)], ValueError, "pairs names -1"),
        ([("a", True)], ValueError, "pairs names True"),
        ([("a", "a")], ValueError, "pairs names 'a' twice"),
        ([("a", "name"), ("a", "name")], ValueError, r"pairs names \('a', 'name'\) twice"),
    ],
)
def test_columns_that_cannot_be_used_are_refused_at_once(columns, error, message):
    with pytest.raises(error, match=message):
        as_pairs(pd.DataFrame(DATA), pairs=columns)


def test_tables_that_have_no_pairs_are_refused_at_once(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,a\n1,2,3\n")
    twice = pa.Table.from_arrays([pa.array([1.0])] * 2, names=["a", "a"])
    pq.write_table(twice, tmp_path / "t.parquet")
    pq.write_table(twice.select([0]).slice(1), tmp_path / "empty.parquet")
    for source, message in (
        (pd.DataFrame({"a": [1.0], "s": ["p"]}), "2 or more columns"),
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), "unique column names"),
        (np.zeros(5), "a table must have two dimensions"),
        (np.array([["a", "b"]]), "a table must hold real numbers"),
        (tmp_path / "t.csv", r"t\.csv: several columns are called 'a'"),
        (tmp_path / "t.parquet", r"t\.parquet: several columns are called 'a'"),
        (tmp_path / "empty.parquet", "no rows"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            as_pairs(source, pairs="all")


def test_an_index_or_unnamed_row_numbers_make_no_pairs(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.0, 0.5, 1.0], "b": [3, 1, 2, 5]}).iloc[[3, 0, 2]]
    frame.to_csv(tmp_path / "t.csv")
    frame.to_parquet(tmp_path / "t.parquet")
    for source in (tmp_path / "t.csv", tmp_path / "t.parquet", pa.Table.from_pandas(frame)):
        with pytest.warns(UserWarning, match=r" \(unnamed, numbers the rows\)$"):
            assert [pair.pair_id for pair in as_pairs(source, pairs="all")] == ["a,b"]
