"""Which columns of a table make a graph, and warnings about the others."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from anmmm._tables import open_table
from anmmm.datasets import SourceError
from anmmm.graph.table import read_columns

RNG = np.random.default_rng(0)
LEVELS = ["no", "low", "mid", "high"]
CODES, A = RNG.integers(0, 4, 60), RNG.normal(size=60)
ORDERED = np.array(LEVELS)[CODES]


def read(table, columns=None):
    return read_columns(open_table(table), columns, None, "raise")[0]


# Arrow appends a category that no row has.
ARROW = pa.DictionaryArray.from_arrays(pa.array(CODES), [*LEVELS, "never"], ordered=True)
ORDERED_TABLES = {
    "pandas": pd.DataFrame({"a": A, "k": pd.Categorical(ORDERED, LEVELS, ordered=True)}),
    "polars": pl.DataFrame({"a": A, "k": pl.Series(ORDERED, dtype=pl.Enum(LEVELS))}),
    "parquet": "k.parquet",
}


@pytest.mark.parametrize("form", ORDERED_TABLES)
def test_ordered_categories_are_their_numbers(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parquet.write_table(pa.table({"a": A, "k": ARROW}), "k.parquet")
    sample = read(ORDERED_TABLES[form])
    assert sample.values[:, 1].tolist() == CODES.tolist()
    assert sample.categorical == (False, False)


def test_objects_that_are_numbers_are_numbers():
    values = A.tolist()
    columns = {"a": values, "mixed": ["x", *values[1:]]}
    columns["d"] = [Decimal(repr(value)) + 1 for value in values[::-1]]
    frame = pd.DataFrame(columns, dtype=object)
    with pytest.warns(UserWarning, match="column 'mixed' must be numeric, found 'x'"):
        found = read(frame)
    assert found.names == ("a", "d")
    assert found.values[:, 0].tolist() == values
    frame.loc[3, "a"] = None
    with pytest.raises(SourceError, match="'a' lacks 1 of 60 values, the first in row 3"):
        read(frame, ["a", "d"])
    # A column of nulls is one of no type.
    table = pa.table({"a": A, "none": pa.nulls(len(A)), "b": A**2})
    with pytest.warns(UserWarning, match="'none' has no values"):
        assert read(table).names == ("a", "b")


def test_a_bad_cell_is_named_with_its_line(tmp_path):
    file = tmp_path / "bad.csv"
    cells = ["red" if at == 7 else repr(value) for at, value in enumerate(A.tolist())]
    rows = (f"{a},{b},{a}" for a, b in zip(cells, CODES.tolist(), strict=True))
    file.write_text("a,k,t\n" + "\n".join(rows))
    where = f"{file}:9: a holds 'red', which is not a number; write"
    with pytest.raises(SourceError) as fault:
        read(file, ["a", "k"])
    assert str(fault.value).startswith(where)
    with (
        pytest.warns(UserWarning, match="2 columns left out") as said,
        pytest.raises(SourceError, match="needs 2 or more columns of numbers or categories"),
    ):
        read(file)
    assert str(said[0].message).startswith(f"2 columns left out:\n  {where}")


@pytest.mark.parametrize("form", ["csv", "read", "polars"])
@pytest.mark.parametrize("start", [0, 1])
def test_an_unnamed_column_that_numbers_the_rows_is_left_out(form, start, tmp_path):
    frame = pd.DataFrame({"a": A, "b": A[::-1]}, index=np.arange(60) + start)
    frame.to_csv(tmp_path / "t.csv")
    readers = {"csv": lambda path: path, "read": pd.read_csv, "polars": pl.read_csv}
    table = readers[form](tmp_path / "t.csv")
    name = {"csv": "column 1", "read": "Unnamed: 0", "polars": ""}[form]
    with pytest.warns(UserWarning, match=f"{name!r} has no name and numbers the rows"):
        assert read(table).names == ("a", "b")
    assert read(table, [name, "a"]).names == (name, "a")
