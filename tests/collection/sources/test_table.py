import itertools
import operator
import re
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
from anmmm.collection.sources.columns import open_table
from anmmm.collection.sources.table import column_pair_id

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
    "pandas, nullable": lambda folder: pd.DataFrame(DATA).convert_dtypes(),
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
        source = as_pairs(table, columns="all", format="table")
    assert operator.length_hint(source) == 10
    pairs = list(source)
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
    source = as_pairs(table, columns=[("name", "c"), ("c", "a")])
    assert operator.length_hint(source) == 2
    named, whole = source
    assert (named.x.tolist(), named.y.tolist(), named.n_dropped) == (["p", "r", "s"], [9, 7, 6], 1)
    assert named.missing == "c lacks 1 of 4 values, the first in row 1 (from 0)"
    assert (named.problem, whole.problem, whole.pair_id) == ("", "", "c,a")
    np.testing.assert_array_equal([whole.x, whole.y], [[9, 6], [1.5, 4]])
    with pytest.raises((TypeError, SourceError), match=r"columns=\[\('a', 'b'\), \.\.\.\]"):
        as_pairs(table)


def test_a_table_can_be_walked_again_and_has_a_fingerprint(table):
    source = as_pairs(table, columns="all")
    assert len(list(source)) == len(list(source)) == 10
    found = [
        str(as_pairs(table, columns=columns).fingerprint())
        for columns in ("all", [("a", "b")], [("b", "a")], "all")
    ]
    assert len(set(found)) == 3
    assert found[0] == found[3]


def test_all_leaves_constants_out():
    nothing = [float("nan")] * 4
    frame = pd.DataFrame(
        {"k": 7.0, "a": DATA["a"], "b": DATA["b"], "one": [1, None, 1, 1], "no": nothing}
    )
    with pytest.warns(UserWarning, match=r"pairs: k, one \(constant\); no \(no values\)$"):
        source = as_pairs(frame, columns="all")
    assert operator.length_hint(source) == 1
    assert [pair.pair_id for pair in source] == ["a,b"]
    # Whoever names a column gets its pair, and the row says what is wrong with it.
    assert len(list(as_pairs(frame, columns=[("k", "a")]))) == 1


@pytest.mark.parametrize("form", ["frame", "csv", "parquet"])
def test_all_leaves_dates_and_texts_of_too_many_kinds_out(tmp_path, form):
    frame = pd.DataFrame(
        {
            "a": np.arange(40.0) % 7,
            "day": pd.date_range("2020-01-01", periods=40).strftime("%Y-%m-%d"),
            "key": [f"k{number}" for number in range(40)],
            "kind": ["p", "q"] * 20,
        }
    )
    source = {"frame": frame, "csv": tmp_path / "t.csv", "parquet": tmp_path / "t.parquet"}[form]
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    left_out = r"pairs: day \(dates\); key \(more than 32 different texts\)$"
    with pytest.warns(UserWarning, match=left_out) as caught:
        pairs = list(as_pairs(source, columns="all"))
    assert [warning.filename for warning in caught] == [__file__]
    assert [pair.pair_id for pair in pairs] == ["a,kind"]


@pytest.mark.parametrize("frame", [pd.DataFrame(DATA), pl.DataFrame(DATA), pa.table(DATA)])
def test_booleans_are_numbers(frame):
    (pair,) = as_pairs(frame, columns=[("b", "flag")])
    np.testing.assert_array_equal(pair.y, [1, 0, 1, 1])


def test_whole_numbers_beyond_float64_are_rounded(tmp_path):
    table = pa.table({"a": [2**60 + 1, 3, 5], "b": [1, None, 2]})
    pq.write_table(table, tmp_path / "t.parquet")
    for source in (table, tmp_path / "t.parquet", table.to_pandas()):
        (pair,) = as_pairs(source, columns="all")
        np.testing.assert_array_equal([pair.x, pair.y], [[2.0**60, 5.0], [1.0, 2.0]])


def test_arrays_and_frames_without_names_go_by_position():
    array = np.arange(12.0).reshape(4, 3)
    for source in (array, array.astype("f4"), array.astype(int), pd.DataFrame(array)):
        assert [p.pair_id for p in as_pairs(source, columns="all")] == ["0,1", "0,2", "1,2"]
        (pair,) = as_pairs(source, columns=[(2, 0)])
        np.testing.assert_array_equal(pair.x, array[:, 2])
        np.testing.assert_array_equal(pair.y, array[:, 0])


def test_masked_cells_of_an_array_are_missing():
    for kind in (float, int):
        array = np.ma.masked_equal(np.arange(12).reshape(4, 3).astype(kind), 4)
        found = list(as_pairs(array, columns="all"))
        assert [pair.n_dropped for pair in found] == [1, 0, 1]
        np.testing.assert_array_equal(found[0].x, [0, 6, 9])
        assert not any(np.ma.isMaskedArray(pair.x) for pair in found)


def test_a_whole_number_is_a_name_first_and_a_position_otherwise():
    (pair,) = as_pairs(pl.DataFrame(DATA), columns=[(2, "c")])
    assert pair.pair_id == "b,c"
    frame = pd.DataFrame({1: [1.0, 2.0], 0: [3.0, 4.0], "b,c": [1.0, 2.0]})
    first, second = as_pairs(frame, columns=[(0, 1), ("b,c", 1)])
    np.testing.assert_array_equal(first.x, [3, 4])
    assert second.pair_id == '"b,c",1'


def test_text_without_a_header_has_numbered_columns(tmp_path):
    (tmp_path / "t.txt").write_text("1 2 3\n4 5 6\n")
    ids = [pair.pair_id for pair in as_pairs(tmp_path / "t.txt", columns="all")]
    assert ids == ["column 1,column 2", "column 1,column 3", "column 2,column 3"]
    (pair,) = as_pairs(tmp_path / "t.txt", columns=[(0, 2)])
    np.testing.assert_array_equal(pair.y, [3, 6])


def test_one_bad_cell_in_a_column_of_numbers_is_not_passed_over(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,s,c\n1,2,p,3\n4,oops,q,6\n")
    pairs = {pair.pair_id: pair for pair in as_pairs(tmp_path / "t.csv", columns="all")}
    assert list(pairs) == ["a,b", "a,s", "a,c", "b,s", "b,c", "s,c"]
    problem = "t.csv:3: b holds 'oops', which is not a number; if its values are mere names, "
    for name, pair in pairs.items():
        assert pair.problem.startswith(problem) if "b" in name else pair.problem == ""


@given(st.lists(st.text(max_size=4), min_size=2, max_size=5, unique=True))
def test_no_two_pairs_of_names_share_an_id(names):
    ids = [column_pair_id(*pair) for pair in itertools.permutations(names, 2)]
    assert len(set(ids)) == len(ids)


def test_all_pairs_of_very_many_columns_are_made_one_at_a_time():
    source = as_pairs(np.arange(20_000).reshape(2, 10_000), columns="all")
    assert operator.length_hint(source) == 49_995_000
    assert [pair.pair_id for pair in itertools.islice(source, 2)] == ["0,1", "0,2"]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ("a", TypeError, "columns must be 'all' or a list of pairs"),
        ([], ValueError, "columns must hold at least one pair"),
        (["ab"], TypeError, r"columns must hold pairs of names, e.g. \('a', 'b'\); found 'ab'"),
        (
            [("a", "z")],
            ValueError,
            "columns names 'z', but .* has no such column; the columns are a, name",
        ),
        ([("a", -1)], ValueError, "columns names -1, but"),
        ([("a", True)], ValueError, "columns names True, but"),
        ([("a", "a")], ValueError, "columns names 'a' twice in one pair"),
        ([("a", "b"), ("a", "b")], ValueError, r"columns has the pair \('a', 'b'\) twice"),
    ],
)
def test_columns_that_cannot_be_used_are_refused_at_once(columns, error, message):
    with pytest.raises(error, match=message):
        as_pairs(pd.DataFrame(DATA), columns=columns)


@pytest.mark.parametrize("edge", [(False, True), (0.0, 1.0), (np.bool_(0), 1)])
def test_what_equals_a_name_but_is_of_another_type_is_none(edge):
    with pytest.raises(
        ValueError, match=r"columns names \S+, but numpy.ndarray has no such column"
    ):
        as_pairs(np.zeros((3, 2)), columns=[edge])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            pd.DataFrame({"a": [1.0], "s": ["p"]}),
            "2 or more columns of numbers or categories that vary, found 0 among a, s",
        ),
        (pd.DataFrame({"a": list("pqr")}), "found 1 among a"),
        (pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]), "unique column names"),
        (np.zeros(5), "a table must have two dimensions"),
        (np.array([["a", "b"]]), "a table must hold real numbers"),
    ],
)
def test_tables_that_have_no_pairs_are_refused_at_once(source, message):
    with pytest.raises((ValueError, TypeError), match=message):
        as_pairs(source, columns="all")


def test_files_with_two_columns_of_one_name_or_without_rows_are_refused(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,a\n1,2,3\n")
    table = pa.Table.from_arrays([pa.array([1.0])] * 2, names=["a", "a"])
    pq.write_table(table, tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(SourceError, match=f"{name}: several columns are called 'a'"):
            as_pairs(tmp_path / name, columns="all")
    pq.write_table(table.select([0]).slice(1), tmp_path / "t.parquet")
    with pytest.raises(SourceError, match="the file has columns, but no rows"):
        as_pairs(tmp_path / "t.parquet", columns="all")
    pq.write_table(table.select([]), tmp_path / "t.parquet")
    for columns in ("all", None):
        with pytest.raises(SourceError, match="the file has no columns"):
            as_pairs(tmp_path / "t.parquet", columns=columns)


@pytest.mark.parametrize("columns", ["all", [(1, "y"), ("1", "y")]])
def test_columns_whose_pairs_would_share_an_id_are_refused(columns):
    frame = pd.DataFrame(np.arange(9.0).reshape(3, 3), columns=[1, "1", "y"])
    with pytest.raises(SourceError) as caught:
        as_pairs(frame, columns=columns)
    message = "pandas.DataFrame: the columns 1 and '1' have the same spelling, .*; rename one"
    assert re.fullmatch(message, str(caught.value))
    # One of them alone is no matter.
    assert [pair.pair_id for pair in as_pairs(frame, columns=[(1, "y")])] == ["1,y"]


def test_a_wide_table_is_not_listed_whole(tmp_path):
    path = tmp_path / "wide.csv"
    names = ["x" * 1000, *(f"c{i}" for i in range(5000))]
    path.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    for options in ({}, {"columns": [("none", "c1")]}, {"columns": [("n" * 1000, "c1")]}):
        with pytest.raises(ValueError, match="and 4993 more") as caught:
            as_pairs(path, format="table", **options)
        assert len(str(caught.value)) < 500


def test_a_long_parquet_file_may_be_read_as_a_table(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"pair_id": ["a", "a"], "x": [1.0, 2.0], "y": [3.0, 4.0]}), path)
    assert [pair.pair_id for pair in as_pairs(path)] == ["a"]
    assert [pair.pair_id for pair in as_pairs(path, columns="all")] == ["x,y"]
    renamed = path.rename(tmp_path / "t.bin")
    assert len(list(as_pairs(renamed, columns="all", format="table"))) == 1


def test_a_column_is_its_name_or_its_position_or_another_spelling():
    named = open_table(pd.DataFrame({"b": [1.0], "c": [2.0]}))
    numbered = open_table(pd.DataFrame({1: [1.0], 0: [2.0], "c": [3.0]}))
    assert [named.column(each, "columns") for each in ("b", 1, 0)] == ["b", "c", "b"]
    assert [numbered.column(each, "columns") for each in (1, "1", 0)] == [1, 1, 0]
    with pytest.raises(ValueError, match=r"columns names 2, .* the columns are 1, 0, c"):
        numbered.column(2, "columns")


def test_an_unnamed_column_that_numbers_the_rows_makes_no_pairs(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.0, 0.5], "b": [3, 1, 2]})
    frame.to_csv(tmp_path / "t.csv")
    with pytest.warns(UserWarning, match=r"pairs: column 1 \(unnamed, numbers the rows\)$"):
        assert [pair.pair_id for pair in as_pairs(tmp_path / "t.csv", columns="all")] == ["a,b"]


def test_an_index_with_gaps_or_of_a_parquet_file_makes_no_pairs(tmp_path):
    frame = pd.DataFrame({"a": [1.5, 2.0, 0.5, 1.0], "b": [3, 1, 2, 5]}).iloc[[3, 0, 2]]
    frame.to_csv(tmp_path / "t.csv")
    frame.to_parquet(tmp_path / "t.parquet")
    for source in (tmp_path / "t.csv", tmp_path / "t.parquet", pa.Table.from_pandas(frame)):
        with pytest.warns(UserWarning, match=r" \(unnamed, numbers the rows\)$"):
            assert [pair.pair_id for pair in as_pairs(source, columns="all")] == ["a,b"]


def test_sparse_columns_of_pandas_are_read_and_complex_ones_named():
    sparse = pd.arrays.SparseArray([0.0, 0.0, 2.0])
    frame = pd.DataFrame({"a": sparse, "b": [1.0, 3.0, 2.0], "c": np.array([1.0, 1j, 2.0])})
    good, bad = as_pairs(frame, columns=[("a", "b"), ("b", "c")])
    np.testing.assert_array_equal(good.x, sparse)
    assert "'c' has values of the type complex128, which are no real numbers" in bad.problem
