"""Names come in as text and as columns of a category type, from wherever; numbers go out."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anmmm import ANMMixture, cluster_mechanisms, infer_direction, infer_directions
from anmmm._categories import as_names, as_variables
from anmmm.collection import as_pairs
from anmmm.datasets import Pair
from anmmm.evidence import evidence
from drawn import make_categories

X, NAMES = make_categories("effect", 60, shape="uniform", random_state=3)
CODES = np.unique(NAMES, return_inverse=True)[1]
CONTAINERS = {
    "array": lambda names: names,
    "objects": lambda names: names.astype(object),
    "list": lambda names: names.tolist(),
    "tuple": lambda names: tuple(names.tolist()),
    "pandas text": pd.Series,
    "pandas category": lambda names: pd.Series(names, dtype="category"),
    "pandas Categorical": pd.Categorical,
    "pandas index": pd.CategoricalIndex,
    "polars text": pl.Series,
    "polars Categorical": lambda names: pl.Series(names, dtype=pl.Categorical),
    "arrow": pa.array,
    "arrow dictionary": lambda names: pa.chunked_array([pa.array(names).dictionary_encode()]),
}


def test_numbers_are_no_names():
    for numbers in (
        *(make(X) for make in (list, tuple, pd.Series, pl.Series, pa.array, np.ma.array)),
        X,
        X.astype(object),
        X[:, None],
        [None, 1.0],
        [],
        [True, False],
        [[1.0], [2.0]],
    ):
        assert as_names(numbers, "x") is None


def test_numbers_of_a_category_type_are_names():
    strange, plain = evidence(X, pd.Series(7.5 * CODES, dtype="category")), evidence(X, NAMES)
    assert strange.score == pytest.approx(plain.score, abs=1e-6)
    assert strange.forward.model == plain.forward.model


def test_an_order_makes_numbers():
    # Not the alphabet's.
    order = sorted(set(NAMES.tolist()), reverse=True)
    named = pd.Series(pd.Categorical(NAMES, categories=[*order, "nobody"], ordered=True))
    _, y, categorical, _ = as_variables(X, named)
    assert categorical == (False, False)
    assert y[:, 0].tolist() == [order.index(name) for name in NAMES]
    dictionary = pa.DictionaryArray.from_arrays(
        pa.array(named.cat.codes.to_numpy()), pa.array([*order, "nobody"]), ordered=True
    )
    assert as_variables(X, pa.chunked_array([dictionary])).y.tolist() == y.tolist()


@pytest.mark.parametrize(
    ("names", "error", "text"),
    [
        ([None, *NAMES[1:]], ValueError, "y lacks 1 of 60 names"),
        (pd.Series([None, *NAMES[1:]], dtype="category"), ValueError, "y lacks 1 of 60 names"),
        (["a"] * 60, ValueError, "y is constant"),
        ([f"n{number}" for number in range(60)], ValueError, "60 different texts among 60"),
        (NAMES[:9], ValueError, "n_samples=9"),
        (NAMES[:20], ValueError, "same number of observations"),
        ([*NAMES[1:], 1.0], TypeError, "y must be numeric"),
        (NAMES.reshape(30, 2), TypeError, "y must be numeric"),
        ([b"a", b"b"] * 30, TypeError, "y must be numeric"),
    ],
)
def test_what_cannot_be_names_is_refused(names, error, text):
    with pytest.raises(error, match=text):
        infer_direction(X, names)


def test_what_needs_numbers_says_so():
    with pytest.raises(ValueError, match="'hsic' needs numbers, but y holds categories"):
        infer_direction(X, NAMES, criterion="hsic")
    with pytest.raises(ValueError, match="x has 2 columns, and the other variable holds"):
        infer_direction(np.column_stack([X, X**2]), NAMES)
    with pytest.raises(ValueError, match="a variable holds categories, but Θ is fitted to numbers"):
        infer_direction(X, NAMES).fit_latent()
    for refused in (
        lambda: cluster_mechanisms(X, NAMES, 2),
        lambda: ANMMixture(2).fit(X[:, None], NAMES),
    ):
        with pytest.raises((TypeError, ValueError), match="must be numeric"):
            refused()


def frame():
    table = pd.DataFrame(
        {"number": X, "kind": pd.Categorical(NAMES), "text": NAMES, "other": X[::-1]}
    )
    table.loc[3, ["kind", "text"]] = None
    return table


KEPT = np.arange(60) != 3


@pytest.fixture(scope="module")
def expected():
    return infer_direction(X[KEPT], NAMES[KEPT]).score


def scores(source, **options):
    return {row.pair_id: row.score for row in infer_directions(source, **options)}


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_columns_of_text_and_of_a_category_type_are_paired(make, expected):
    found = scores(make(frame()), columns="all", missing="drop")
    assert list(found) == [
        *("number,kind", "number,text", "number,other", "kind,text", "kind,other", "text,other"),
    ]
    for name in ("number,kind", "number,text"):
        assert found[name] == pytest.approx(expected, abs=1e-9)
    options = {"categories": ["text"], "missing": "drop"}
    named = scores(make(frame()), columns=[("number", "text")], **options)
    assert named == {"number,text": pytest.approx(expected, abs=1e-9)}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_text_in_files_is_names(tmp_path, suffix, expected):
    path = tmp_path / f"table.{suffix}"
    table = frame().drop(columns="kind")
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    options = {"columns": [("number", "text"), ("text", "other")]}
    for row in infer_directions(path, **options):
        assert row.status == "unusable"
        assert "text lacks 1 of 60 values, the first in row 3" in row.reason
        assert "missing='drop'" in row.reason
    options["missing"] = "drop"
    for categories in (None, ["text"]):
        found = scores(path, **options, categories=categories)
        assert found["number,text"] == pytest.approx(expected, abs=1e-9)
    # A subsample, workers and a second run see the same names.
    options |= {"categories": ["text"], "max_samples": 40, "random_state": 1}
    jobs = 2 if suffix == "csv" else 1
    assert scores(path, **options) == scores(path, **options, n_jobs=jobs)


def test_numbers_can_be_called_names():
    table = np.column_stack([X, CODES])
    (named,) = scores(table, columns="all", categories=[1]).values()
    assert named == pytest.approx(infer_direction(X, NAMES).score, abs=1e-6)
    (plain,) = scores(table, columns="all").values()
    assert plain == infer_direction(X, CODES).score


def test_items_in_memory_hold_names_of_any_kind():
    items = {name: (X, make(NAMES)) for name, make in CONTAINERS.items()}
    items["pair"] = Pair("pair", X, pd.Series(NAMES, dtype="category"))
    rows = list(infer_directions(items))
    assert {row.status for row in rows} == {"ok"}
    assert {row.score for row in rows} == {infer_direction(X, NAMES).score}
    (missing,) = infer_directions([(X, [None, *NAMES[1:]])])
    assert "lacks 1 of 60 names" in missing.reason


@pytest.mark.parametrize(
    ("categories", "error"), [("text", TypeError), (["nothing"], ValueError), (3, TypeError)]
)
def test_categories_name_columns(categories, error):
    with pytest.raises(error, match="categories"):
        as_pairs(frame(), columns="all", categories=categories)
    with pytest.raises(ValueError, match="categories is for tables"):
        as_pairs("sample", categories=["a"])


@pytest.mark.parametrize(("x", "y"), [(1.0, X), (X, None), (1.0, 2.0)])
def test_what_is_no_variable_is_refused_where_missing_rows_are_dropped(x, y):
    with pytest.raises(ValueError, match="must have one dimension"):
        infer_direction(x, y, missing="drop")


@pytest.mark.parametrize("empty", [np.full(60, np.nan), np.full((60, 1), None), [None] * 60])
def test_a_variable_without_values_is_refused_by_name(empty):
    with pytest.raises(ValueError, match=r"^y has no values$"):
        infer_direction(range(60), empty, missing="drop")


@pytest.mark.parametrize("kind", [np.str_, object])
def test_a_column_of_text_is_the_same_in_one_and_two_dimensions(kind):
    text, y = np.array(["a", "b", "c"] * 20, dtype=kind), np.arange(60.0)
    found = [infer_direction(x, y, missing="drop").score for x in (text, text[:, np.newaxis])]
    assert found[0] == found[1]
