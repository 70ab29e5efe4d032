"""Columns of category types: whole numbers as categories are the same by every way in."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from anmmm import GPPOM, CausalDirection, cluster_mechanisms, hsic, infer_direction, infer_graph
from anmmm._categories import as_names
from anmmm.collection import SourceError, as_pairs

NAMES = [10, 2, 33, 4, 1]
CODES = np.random.default_rng(0).integers(0, 5, 60)
NUMBERS = np.random.default_rng(1).normal(CODES)


def types(ordered):
    """The same column as every type that has categories which are whole numbers."""
    arrow = pa.DictionaryArray.from_arrays(pa.array(CODES), pa.array(NAMES), ordered=ordered)
    pandas = pd.Series(pd.Categorical.from_codes(CODES, NAMES, ordered=ordered))
    chunked = pa.chunked_array([arrow[:20], arrow[20:]])
    return {
        "pandas": pandas,
        "pandas values": pandas.array,
        "pandas index": pd.CategoricalIndex(pandas),
        "pandas frame": pandas.to_frame(),
        "pandas of arrow": pd.Series(pd.arrays.ArrowExtensionArray(chunked)),
        "arrow": arrow,
        "arrow chunks": chunked,
        "arrow table": pa.table({"v": chunked}),
    }


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", types(False))
def test_a_pair_has_the_same_categories_in_every_type(kind, ordered):
    values = types(ordered)[kind]
    found = as_names(values, "x")
    assert found.ordered == (tuple(map(str, NAMES)) if ordered else None)
    assert found.values.tolist() == [str(NAMES[code]) for code in CODES]
    (pair,) = as_pairs({"p": (values, NUMBERS)})
    assert pair.x.tolist() == (CODES.tolist() if ordered else found.values.tolist())
    # Undeclared text of digits would be numbers.
    text = found.codes if ordered else np.char.add("n", found.values)
    assert infer_direction(values, NUMBERS).score == infer_direction(text, NUMBERS).score


@pytest.mark.parametrize("ordered", [False, True])
def test_a_table_has_the_same_categories_in_every_form(ordered, tmp_path, recwarn):
    columns, names = types(ordered), types(False)["pandas"].astype(str)
    arrow = pa.table({"v": columns["arrow chunks"], "y": NUMBERS})
    frame = pd.DataFrame({"v": columns["pandas"], "y": NUMBERS})
    frame.to_parquet(tmp_path / "pandas.parquet")
    parquet.write_table(arrow, tmp_path / "arrow.parquet")
    for table in (frame, arrow, pd.DataFrame({"v": columns["pandas of arrow"], "y": NUMBERS})):
        (pair,) = as_pairs(table, columns="all")
        assert pair.x.tolist() == (CODES if ordered else names).tolist()
    for file in ("pandas.parquet", "arrow.parquet"):
        (pair,) = as_pairs(tmp_path / file, columns="all")
        # Parquet itself has no dictionaries of numbers, and no order of theirs.
        places = np.argsort(np.argsort(NAMES))[CODES]
        assert pair.x.tolist() == (places if ordered else names).tolist()
    texts = [str(warning.message) for warning in recwarn]
    assert all("order of their values: v" in text for text in texts)
    assert len(texts) == (2 if ordered else 0)


@pytest.mark.parametrize("pages", [True, False])
def test_ordered_text_without_dictionary_pages_has_no_order(pages, tmp_path, recwarn):
    text, file = [f"n{number}" for number in NAMES], tmp_path / "t.parquet"
    frame = pd.DataFrame({"v": pd.Categorical.from_codes(CODES, text, ordered=True), "y": NUMBERS})
    parquet.write_table(pa.Table.from_pandas(frame), file, 25, use_dictionary=pages)
    (pair,) = as_pairs(file, columns="all")
    assert pair.x.tolist() == (CODES if pages else frame.v).tolist()
    texts = [str(warning.message) for warning in recwarn]
    assert [text.startswith(f"{file} has no order of these") for text in texts] == [True] * (
        not pages
    )


def test_polars_has_them_as_text():
    text = pl.Series("v", [str(NAMES[code]) for code in CODES])
    orders = {pl.Categorical: None, pl.Enum(list(map(str, NAMES))): tuple(map(str, NAMES))}
    for kind, ordered in orders.items():
        for values in (text.cast(kind), text.cast(kind).to_frame()):
            names = as_names(values, "x")
            assert (names.values.tolist(), names.ordered) == (text.to_list(), ordered)


def test_categories_that_do_not_occur_have_no_number():
    names = pd.Categorical.from_codes(CODES * 2, range(10), ordered=True)
    (pair,) = as_pairs(pd.DataFrame({"v": names, "y": NUMBERS}), columns="all")
    assert pair.x.tolist() == as_names(names, "x").codes.tolist() == CODES.tolist()


@pytest.mark.parametrize("kind", types(False))
def test_what_takes_numbers_alone_takes_no_categories(kind):
    values = types(True)[kind]
    calls = (
        lambda: cluster_mechanisms(values, NUMBERS),
        lambda: cluster_mechanisms(values, [None, *NUMBERS[1:]], missing="drop"),
        lambda: hsic(NUMBERS, values),
        lambda: GPPOM().fit(values, NUMBERS),
        lambda: CausalDirection().fit(NUMBERS[:, None], values),
        lambda: infer_direction(pd.DataFrame({"a": types(True)["pandas"], "b": NUMBERS}), NUMBERS),
    )
    for call in calls:
        with pytest.raises(TypeError, match="numeric, found a column of a category type"):
            call()


def test_chunks_share_one_order_or_are_refused():
    chunks = [["low", "high"], ["low", "mid", "high"]]
    places = [pa.array(list(range(len(names))) * 6) for names in chunks]
    ordered = partial(pa.DictionaryArray.from_arrays, ordered=True)
    arrays = list(map(ordered, places, chunks))
    found = as_names(pa.chunked_array(arrays), "x")
    assert found.ordered == ("low", "mid", "high")
    other = ordered(pa.array([0, 1]), ["high", "low"])
    table = pa.table({"v": pa.chunked_array([*arrays, other]), "y": np.arange(32.0)})
    with pytest.raises(ValueError, match="chunks order the categories differently"):
        as_names(table["v"], "x")
    with pytest.raises(SourceError, match="column 'v': its chunks order"):
        infer_graph(table)


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_that_are_spelled_alike_are_refused(ordered):
    values = pd.Categorical.from_codes(CODES % 3, [1, "1", 2], ordered=ordered)
    message = r"some of its categories \[1, '1', 2\] are spelled alike"
    with pytest.raises(ValueError, match=message):
        infer_direction(values, NUMBERS)
    with pytest.raises(SourceError, match=f"column 'v': {message}"):
        infer_graph(pd.DataFrame({"v": values, "y": NUMBERS}))


def test_values_of_two_types_that_are_spelled_alike_are_refused():
    values = pd.Series([1, "1", 2] * 20, dtype=object)
    source = as_pairs(
        pd.DataFrame({"v": values, "y": NUMBERS[:60]}), columns=[("v", "y")], categories=["v"]
    )
    with pytest.raises(SourceError, match="column 'v': the values 1 and '1' are spelled alike"):
        list(source)


def test_pairs_of_a_parquet_file_are_no_categories(tmp_path):
    table = pa.table({"pair_id": ["a"] * 60, "x": types(False)["arrow"], "y": NUMBERS})
    parquet.write_table(table, tmp_path / "p.parquet")
    with pytest.raises(SourceError, match="x must hold numbers or lists of numbers, found cat"):
        as_pairs(tmp_path / "p.parquet")
