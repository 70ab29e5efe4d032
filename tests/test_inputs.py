"""What variables and tables may be: every container and kind of value, by every way in.

The ways in are the functions of a pair, pairs in memory, frames, arrays, text and Parquet files,
and the commands. What a value means is the same by all of them.
"""

import array
import json
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal

import anmmm
from anmmm import (
    CausalDirection,
    cluster_mechanisms,
    description_lengths,
    hsic,
    hsic_test,
    infer_direction,
    infer_directions,
    infer_graph,
)
from anmmm._categories import as_column, as_variables
from anmmm._validation import MIN_SAMPLES, as_matrix, as_pair
from anmmm.collection import as_pairs
from anmmm.datasets import Pair, load_pairs, make_anm_mixture
from anmmm.gppom.model import fit_gppom
from drawn import chain, make_categories, write_columns

# --- numbers --------------------------------------------------------------------------------------

# Small integers, so that every numeric type holds them exactly.
NUMBERS = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
FLOATS = np.array(NUMBERS, dtype=np.float64)
TWO = np.column_stack([FLOATS, FLOATS[::-1]])
nan, inf = float("nan"), float("inf")

COLUMNS = {
    "list": NUMBERS,
    "tuple": tuple(NUMBERS),
    "list of lists": [[number] for number in NUMBERS],
    "array.array": array.array("d", NUMBERS),
    "Fraction": [Fraction(number) for number in NUMBERS],
    "Decimal": [Decimal(number) for number in NUMBERS],
    "objects": np.array(NUMBERS, dtype=object),
    "int64": np.array(NUMBERS, dtype=np.int64),
    "bool": FLOATS > 4,
    "float32": FLOATS.astype(np.float32),
    "longdouble": FLOATS.astype(np.longdouble),
    "big-endian": FLOATS.astype(">f8"),
    "strided": np.repeat(FLOATS, 2)[::2],
    "column": FLOATS[:, np.newaxis],
    "masked array without a mask": np.ma.array(FLOATS),
    "pandas Series": pd.Series(NUMBERS, index=range(100, 112)),
    "pandas nullable Float32": pd.Series(FLOATS, dtype="Float32"),
    "pandas nullable bool": pd.Series(FLOATS > 4, dtype="boolean"),
    "pandas DataFrame": pd.DataFrame({"a": NUMBERS}),
    "polars Series": pl.Series(NUMBERS),
    "polars bool Series": pl.Series((FLOATS > 4).tolist()),
    "polars DataFrame": pl.DataFrame({"a": NUMBERS}),
    "arrow": pa.array(NUMBERS),
}
MATRICES = {
    "list of lists": TWO.tolist(),
    "list of arrays": list(TWO),
    "Fortran order": np.asfortranarray(TWO),
    "strided": np.repeat(np.repeat(TWO, 2, axis=0), 3, axis=1)[::2, ::3],
    "float32": TWO.astype(np.float32),
    "pandas DataFrame": pd.DataFrame(TWO, columns=["b", "a"], index=range(5, 17)),
    "pandas nullable": pd.DataFrame(TWO).astype("Float64"),
    "polars DataFrame": pl.DataFrame({"b": TWO[:, 0], "a": TWO[:, 1].astype(int)}),
}


@pytest.mark.parametrize(("table", "name"), [*product(["C"], COLUMNS), *product(["M"], MATRICES)])
def test_containers_of_numbers(table, name):
    result = as_matrix((COLUMNS if table == "C" else MATRICES)[name], "x")
    assert type(result) is np.ndarray
    assert (result.dtype, result.dtype.isnative) == (np.float64, True)
    assert result.flags.c_contiguous
    column = FLOATS > 4 if "bool" in name else FLOATS
    assert_array_equal(result, column[:, np.newaxis] if table == "C" else TWO)


def test_arrays_of_the_caller_are_not_changed():
    for values in (FLOATS.copy(), TWO.copy(), TWO.astype(np.float32), np.asfortranarray(TWO)):
        before = values.copy()
        values.flags.writeable = False
        as_matrix(values, "x")
        assert_array_equal(values, before)


def test_a_pair_has_containers_and_widths_of_its_own():
    x, y = as_pair(pl.Series(NUMBERS), pd.DataFrame(TWO))
    assert x.shape == (12, 1)
    assert_array_equal(y, TWO)
    assert as_matrix(range(MIN_SAMPLES), "x").shape == (MIN_SAMPLES, 1)


def first(*values):
    """The numbers, their first ones replaced."""
    return [*values, *NUMBERS[len(values) :]]


REFUSED = {
    "one NaN": (first(nan), "x holds 1 NaN .* row 0"),
    "infinite": (first(inf, -inf, inf), "x holds 3 infinite"),
    "both": (first(nan, inf, nan), "x holds 2 NaN and 1 infinite"),
    "NaN of two columns": (np.where(TWO > 8, nan, TWO), "2 NaN values among 24"),
    "None": (first(None, None), "x holds 2 NaN"),
    "pandas NA": (pd.Series(first(None), dtype="Int64"), "x holds 1 NaN"),
    "polars null": (pl.Series(first(None, None)), "x holds 2 NaN"),
    "masked": (np.ma.masked_greater(FLOATS, 6), "x holds 2 NaN"),
    "beyond float64": (first(10**400), "beyond float64"),
    "complex": (FLOATS + 1j, "Complex data not supported"),
    "complex objects": (np.array(first(1j), dtype=object), "Complex data not supported"),
    "ragged": ([[1.0], [1.0, 2.0]] * 6, "x is not a rectangular array"),
    "a number": (3.0, "x must have one dimension"),
    "None alone": (None, "x must have one dimension"),
    "three dimensions": (np.zeros((12, 2, 3)), "found 3"),
    "no columns": (np.zeros((12, 0)), "x has 0 feature"),
    "empty": ([], "x has n_samples=0"),
    "a row": (FLOATS[np.newaxis], "x has n_samples=1"),
    "constant": ([7.5] * 12, "x is constant"),
    "constant column": (np.column_stack([FLOATS, [-2.0] * 12]), "column 1 of x is constant"),
    "constant but for rounding": ([0.1 + 0.2, 0.3] * 6, "up to rounding"),
    "a fill value": ([1e20, *FLOATS], "x holds values as large as"),
    "strings": (["a"] * 12, "x must be numeric"),
    "bytes": ([b"1"] * 12, "x must be numeric"),
    "a string among objects": (np.array(first("7"), dtype=object), "x must be .*position 0;"),
    "a string": ("abc", r"x must be numeric, found 'abc' \(str\); "),
    "pandas categories": (pd.Series(["a", "b"] * 6, dtype="category"), "numeric"),
    "durations": (pd.to_timedelta(range(12), "D"), "x holds dates or durations"),
    "dates": (pd.date_range("2020", periods=12), "x holds dates"),
    "objects": ([object()] * 12, "found a value of type object"),
    "a generator": ((number for number in NUMBERS), "found a value of type generator"),
    "records": (np.zeros(12, dtype=[("a", float)]), "x must be numeric"),
    "sparse matrix": (scipy.sparse.csr_matrix(TWO), "toarray"),
    "a large set": (set(range(1000)), "x must be numeric"),
    "long text": (["x" * 10_000] * 12, "x must be numeric"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_variable_of_numbers_is_refused_by_name(name):
    values, match = REFUSED[name]
    with pytest.raises((TypeError, ValueError), match=match) as caught:
        as_matrix(values, "x")
    assert len(str(caught.value)) < 350


def test_a_pair_names_the_variable_at_fault():
    with pytest.raises(ValueError, match=r"same number .* 12 and 11"):
        as_pair(NUMBERS, NUMBERS[:-1])
    with pytest.raises(ValueError, match=r"^effect holds 1 NaN"):
        as_pair(NUMBERS, first(nan), names=("cause", "effect"))
    with pytest.raises(ValueError, match="y has 2 columns"):
        as_pair(FLOATS, TWO, single="lines have one; pass one of them")


# --- arguments of functions and estimators --------------------------------------------------------

GOOD = np.sin(np.arange(20.0)) + 0.1 * np.arange(20.0)
SHORT = {"max_iter": 2}
ENTRIES = {
    "GPPOM": lambda x, y: anmmm.GPPOM(fit_options={"max_iter": 2}).fit(x, y),
    "ANMMixture": lambda x, y: anmmm.ANMMixture(max_iter=2).fit(x, y),
    "CausalDirection": lambda x, y: CausalDirection().fit(x, y),
    "MechanismClustering": lambda x, y: anmmm.MechanismClustering(fit_options=SHORT).fit(x, y),
    "infer_direction": infer_direction,
    "infer_direction, drop": partial(infer_direction, missing="drop"),
    "cluster_mechanisms": lambda x, y: cluster_mechanisms(x, y, fit_options=SHORT),
    "hsic": hsic,
    "hsic_test": hsic_test,
    "description_lengths": description_lengths,
    "GPPOMObjective": anmmm.GPPOMObjective,
    "fit_gppom": lambda x, y: fit_gppom(x, y, fit_options=anmmm.FitOptions(**SHORT)),
}
# Without y an estimator of pairs takes the two columns of X; without x a GPPOM has no cause.
OPTIONAL = {"CausalDirection": "y", "MechanismClustering": "y"}
OPTIONAL |= dict.fromkeys(["GPPOM", "GPPOMObjective", "fit_gppom"], "x")
STRANGE = {
    "empty list": [],
    "empty rows": [[], []],
    "no rows": np.empty((0, 1)),
    "no columns": np.empty((20, 0)),
    "three dimensions": np.zeros((5, 4, 1)),
    "ragged": [[1.0, 2.0], [3.0]],
    "scalar": 3.0,
    "None": None,
    "string": "abc",
    "strings": ["a"] * 20,
    "dict": {"a": 1},
    "object": object(),
    "NaN": np.full((20, 1), np.nan),
    "Nones": [None] * 20,
    "complex": 1j * np.ones((20, 1)),
    "dates": np.arange(20).astype("M8[D]"),
}


def assert_refused(function, *arguments, names):
    # As a word of its own, so that no letter of another word will do.
    with pytest.raises((TypeError, ValueError), match=rf"\b[{names}{names.upper()}]\b"):
        function(*arguments)


@pytest.mark.parametrize("strange", STRANGE)
def test_an_error_names_the_argument(strange):
    good, bad = GOOD[:, np.newaxis], STRANGE[strange]
    for name, function in ENTRIES.items():
        if (strange, OPTIONAL.get(name)) != ("None", "x"):
            assert_refused(function, bad, good, names="x")
        if (strange, OPTIONAL.get(name)) != ("None", "y"):
            assert_refused(function, good, bad, names="y")


@pytest.mark.parametrize("strange", sorted(STRANGE.keys() - {"no rows", "None"}))
def test_new_observations_are_checked_too(strange):
    X, bad = GOOD[:, np.newaxis], STRANGE[strange]
    mixture = anmmm.ANMMixture().fit(X, GOOD)
    assert_refused(mixture.curves, bad, names="x")
    for model in (mixture, anmmm.MechanismClustering(1).fit(X, GOOD)):
        for method in ("predict", "predict_proba", "score"):
            assert_refused(getattr(model, method), bad, GOOD, names="xy")
            assert_refused(getattr(model, method), X, bad, names="xy")


# --- text and categories --------------------------------------------------------------------------

CODES = np.random.default_rng(0).integers(0, 4, 80)
Y = np.random.default_rng(1).normal(np.array([0.0, 3.0, -2.0, 5.0])[CODES])
# Four texts, and what they are if nobody declares them.
TEXTS = {
    "lot": (["1001-01", "1001-02", "1002-11", "2003-12"], "categories"),
    "version": (["1.2.10", "1.2.11", "2.0.20", "3.1.99"], "categories"),
    "decade": (["1901-10", "1911-20", "1950-59", "2001-10"], "categories"),
    "one word": (["2020-01-01", "2020-01-02", "2020-01-03", "later"], "categories"),
    "signs": (["<50K", ">50K", "-", "1-2"], "categories"),
    "day": (["2020-01-01", "2020-01-02", "2021-12-31", "2024-02-29"], "dates"),
    "time": (["2020-01-01 10:00", "2020-01-02T11:30:05Z", "2021-01-03", "2020-01-04"], "dates"),
    "month first": (["12/31/2020", "02/01/2020", "4/3/2021", "02/28/1999"], "dates"),
    "digits": (["3", "1", "20", "007"], "numbers"),
    "decimals": (["1000.5", "-1e3", "+2.", ".25"], "numbers"),
    "commas": (["1,5", "2,5", "1.000,5", "3,25"], "separators"),
}
PROBLEMS = {"dates": "holds dates or durations; convert", "separators": "which is not a number; "}
# Ways to pass a column of text, and to declare that it holds categories.
UNDECLARED = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "objects": lambda text: np.array(text, dtype=object),
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
}
DECLARED = {
    "pandas": pd.Categorical,
    "pandas series": lambda text: pd.Series(text, dtype="category"),
    "polars": lambda text: pl.Series(text, dtype=pl.Categorical),
    "polars frame": lambda text: pl.Series(text).cast(pl.Categorical).to_frame(),
    "arrow": lambda text: pa.array(text).dictionary_encode(),
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


def text_of(name):
    return [TEXTS[name][0][code] for code in CODES]


@cache
def expected(name, declared):
    """The score, or the problem."""
    kind = "categories" if declared else TEXTS[name][1]
    if kind in PROBLEMS:
        return PROBLEMS[kind]
    x = [float(text) for text in text_of(name)] if kind == "numbers" else [f"n{c}" for c in CODES]
    return pytest.approx(infer_direction(x, Y).score, rel=1e-6)


def assert_agrees(decide, wanted):
    if not isinstance(wanted, str):
        assert decide() == wanted
        return
    with pytest.raises((TypeError, ValueError), match=wanted):
        decide()


def row_score(source, **options):
    (row,) = infer_directions(source, **options)
    if row.status != "ok":
        raise ValueError(row.notes)
    return row.score


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_text_of_a_pair(name, declared):
    for make in (DECLARED if declared else UNDECLARED).values():
        x = make(text_of(name))
        assert_agrees(lambda x=x: infer_direction(x, Y).score, expected(name, declared))
    assert_agrees(lambda: row_score([(x, Y)]), expected(name, declared))


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_text_of_a_table_and_of_commands(name, declared, run, tmp_path):
    columns = {"x": text_of(name), "y": Y}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    pl.DataFrame(columns).write_parquet(tmp_path / "t.parquet")
    wanted = expected(name, declared)
    categories = {"categories": ["x"]} if declared else {}
    files = [tmp_path / "t.csv", tmp_path / "t.parquet"]
    for table in (*(make(columns) for make in FRAMES.values()), *files):
        options = {"pairs": [("x", "y")], **categories}
        assert_agrees(lambda t=table, o=options: row_score(t, **o), wanted)

    def document(command, *arguments):
        option = ["--categories", "x"] if declared else []
        status, output, errors = run(command, *arguments, *option, "--json")
        if status:
            raise ValueError(errors)
        return json.loads(output)

    def graph_columns():
        return document("graph", "t.csv", "--columns", "x,y")["columns"]

    assert_agrees(lambda: document("direction", "t.csv")["score"], wanted)
    assert_agrees(graph_columns, wanted if isinstance(wanted, str) else ["x", "y"])


@pytest.mark.parametrize("name", ["lot", "day", "digits"])
def test_a_graph_reads_text_as_pairs_do(name):
    frame = pd.DataFrame({"x": text_of(name), "y": Y})
    problem = PROBLEMS.get(TEXTS[name][1])
    if problem:
        with pytest.raises(ValueError, match=problem):
            infer_graph(frame, columns=["x", "y"])
        with pytest.warns(UserWarning, match="left out"), pytest.raises(ValueError, match="2 or"):
            infer_graph(frame)
    else:
        graph = infer_graph(frame, common_cause=False)
        assert graph._sample.categorical[0] == (TEXTS[name][1] == "categories")
    assert infer_graph(frame, categories=["x"], common_cause=False)._sample.categorical[0]


@pytest.mark.parametrize("make", [*UNDECLARED.values(), *DECLARED.values()])
def test_what_is_fitted_to_numbers_takes_no_text(make):
    text = make(text_of("lot"))
    for call in (
        lambda: CausalDirection().fit(Y[:, None], text),
        lambda: cluster_mechanisms(text, Y),
        lambda: hsic(Y, text),
        lambda: anmmm.ANMMixture(2).fit(Y[:, None], text),
        lambda: infer_direction(text, Y, criterion="hsic"),
    ):
        with pytest.raises((TypeError, ValueError), match=r"numeric|needs numbers"):
            call()


def test_dates_of_a_date_type_are_refused_unless_declared():
    days = pd.Series(pd.to_datetime(text_of("day")))
    for values in (days, pl.Series(days), pa.array(days), days.to_numpy()):
        with pytest.raises(TypeError, match="x holds dates"):
            infer_direction(values, Y)
    frame = pd.DataFrame({"x": days, "y": Y})
    declared = row_score(frame, pairs=[("x", "y")], categories=["x"])
    assert declared == infer_direction(days.astype("category"), Y).score == expected("day", True)


@pytest.mark.parametrize("make", [list, tuple, partial(np.array, dtype=object), pd.Series])
def test_a_text_among_numbers_is_named_with_a_remedy(make):
    mixed = [*np.random.default_rng(0).normal(size=39).tolist(), "<0.35"]
    remedy = "declare the column categories"
    with pytest.raises(TypeError, match=rf"position 39;.*{remedy}"):
        infer_direction(make(mixed), np.arange(40.0))
    frame = pd.DataFrame({"a": pd.Series(mixed, dtype=object), "b": np.arange(40.0) % 7})
    with pytest.raises(ValueError, match=f"column 'a' .*{remedy}"):
        infer_graph(frame, columns=["a", "b"])
    with pytest.raises(ValueError, match=remedy):
        row_score(frame, pairs=[("a", "b")])
    # All of them as text.
    with pytest.raises(TypeError, match=remedy):
        infer_direction([str(value) for value in mixed], np.arange(40.0))


X, NAMES = make_categories("effect", 60, shape="uniform", random_state=3)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([None, *NAMES[1:]], "y holds 1 NaN"),
        (pd.Series([None, *NAMES[1:]], dtype="category"), "y holds 1 NaN"),
        (["a"] * 60, "y is constant"),
        ([f"n{number}" for number in range(60)], "more than 32 different texts"),
        (NAMES[:9], "n_samples=9"),
        (NAMES[:20], "same number of observations"),
        ([*NAMES[1:], 1.0], "y must be numeric"),
        (NAMES.reshape(30, 2), "y must be numeric"),
        ([b"a", b"b"] * 30, "y must be numeric"),
    ],
)
def test_columns_that_are_no_categories_are_refused(names, text):
    with pytest.raises((TypeError, ValueError), match=text):
        infer_direction(X, names)


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow", "csv", "parquet"])
def test_missing_names_leave_out_their_row(form, tmp_path):
    frame = pd.DataFrame({"number": X, "text": NAMES, "other": X[::-1]})
    frame.loc[3, "text"] = None
    kept = np.arange(60) != 3
    wanted = pytest.approx(infer_direction(X[kept], NAMES[kept]).score, abs=1e-9)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    tables = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.table(frame)}
    table = tables.get(form, tmp_path / f"t.{form}")
    pairs = [("number", "text")]
    with pytest.raises(ValueError, match=r"text lacks 1 of 60 .*missing='drop'"):
        row_score(table, pairs=pairs)
    for categories in (None, ["text"]):
        assert row_score(table, pairs=pairs, categories=categories, missing="drop") == wanted
    if form not in ("csv", "parquet"):
        result = infer_direction(table, "number", "text", missing="drop")
        assert (result.score, result.n_dropped) == (wanted, 1)


def test_numbers_that_are_declared_are_categories():
    codes = np.unique(NAMES, return_inverse=True)[1]
    wanted = pytest.approx(infer_direction(X, NAMES).score, abs=1e-6)
    assert row_score(np.column_stack([X, codes]), pairs="all", categories=[1]) == wanted
    assert infer_direction(X, pd.Series(7.5 * codes, dtype="category")).score == wanted
    assert row_score([Pair("p", X, pd.Series(NAMES, dtype="category"))]) == wanted
    for categories, error in (("text", TypeError), (["nothing"], ValueError), (3, TypeError)):
        with pytest.raises(error, match="categories"):
            as_pairs(pd.DataFrame({"a": X, "b": codes}), pairs="all", categories=categories)


# --- category types -------------------------------------------------------------------------------

KINDS = [10, 2, 33, 4, 1]
PLACES = np.random.default_rng(0).integers(0, 5, 60)
EFFECT = np.random.default_rng(1).normal(PLACES)


def typed(ordered):
    """The same column as every type that has categories which are whole numbers."""
    arrow = pa.DictionaryArray.from_arrays(pa.array(PLACES), pa.array(KINDS), ordered=ordered)
    pandas = pd.Series(pd.Categorical.from_codes(PLACES, KINDS, ordered=ordered))
    chunked = pa.chunked_array([arrow[:20], arrow[20:]])
    return {
        "pandas": pandas,
        "pandas index": pd.CategoricalIndex(pandas),
        "pandas of arrow": pd.Series(pd.arrays.ArrowExtensionArray(chunked)),
        "arrow": arrow,
        "arrow chunks": chunked,
    }


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", typed(False))
def test_ordered_categories_are_numbers_and_others_are_names(kind, ordered, recwarn):
    values = typed(ordered)[kind]
    names = [str(KINDS[place]) for place in PLACES]
    wanted = PLACES.tolist() if ordered else names
    assert as_column(values, "x").is_ordered == ordered
    (pair,) = as_pairs({"p": (values, EFFECT)})
    assert pair.x.tolist() == wanted
    make_table = pa.table if kind.startswith("arrow") else pd.DataFrame
    (pair,) = as_pairs(make_table({"v": values, "y": EFFECT}), pairs="all")
    assert pair.x.tolist() == wanted
    text = PLACES if ordered else np.char.add("n", names)
    assert infer_direction(values, EFFECT).score == infer_direction(text, EFFECT).score
    assert not recwarn.list


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_of_polars_and_of_parquet(ordered, tmp_path):
    names = [f"n{KINDS[place]}" for place in PLACES]
    kind = pl.Enum([f"n{number}" for number in KINDS]) if ordered else pl.Categorical
    values = pl.Series("v", names).cast(kind)
    wanted = PLACES.tolist() if ordered else names
    (pair,) = as_pairs({"p": (values, EFFECT)})
    assert pair.x.tolist() == wanted
    categories = [f"n{number}" for number in KINDS]
    frame = pd.DataFrame({"v": pd.Categorical(names, categories, ordered=ordered), "y": EFFECT})
    frame.to_parquet(tmp_path / "t.parquet")
    (pair,) = as_pairs(tmp_path / "t.parquet", pairs="all")
    assert pair.x.tolist() == wanted


def test_categories_that_do_not_occur_have_no_number():
    values = pd.Categorical.from_codes(PLACES * 2, range(10), ordered=True)
    assert as_variables(EFFECT, values).y[:, 0].tolist() == PLACES.tolist()


# --- names of columns -----------------------------------------------------------------------------

AGE, CRP, _ = make_anm_mixture("f3", 60, random_state=3)
DATA = {"age": AGE, "crp": CRP, "sex": np.tile(["f", "m", "?"], 20)}
FRAME = pd.DataFrame(DATA)
ARRAY = np.column_stack([AGE, CRP])


@pytest.mark.parametrize("make", FRAMES.values())
def test_two_names_are_two_columns_of_any_frame(make):
    for order in (("age", "crp"), ("crp", "age")):
        result = infer_direction(make(DATA), *order)
        assert result.names == order
        assert result.score == infer_direction(FRAME[order[0]], FRAME[order[1]]).score


def test_names_of_columns_in_every_function_of_pairs():
    both = FRAME["age"], FRAME["crp"]
    assert hsic(FRAME, "age", "crp") == hsic(*both)
    assert hsic_test(FRAME, "age", "crp").pvalue == hsic_test(*both).pvalue
    assert description_lengths(FRAME, "age", "crp").score == description_lengths(*both).score
    found = cluster_mechanisms(FRAME, "age", "crp", 2, random_state=0)
    assert (found.labels == cluster_mechanisms(*both, 2, random_state=0).labels).all()
    score = infer_direction(*both).score
    assert infer_direction(FRAME, y="crp", x="age").score == score
    assert infer_direction(pd.DataFrame(ARRAY), 0, 1).score == score
    several = infer_direction(FRAME.assign(old=AGE**2), ["age", "old"], "crp")
    assert several.score == infer_direction(np.column_stack([AGE, AGE**2]), CRP).score


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FRAME,), r"\(frame, 'age', 'crp'\).*infer_graph"),
        ((pl.DataFrame(DATA),), r"\(frame, 'age', 'crp'\)"),
        ((ARRAY,), "two variables"),
        ((FRAME["age"],), "two variables"),
        ((), "two variables"),
        ((FRAME, "age"), "two variables"),
        ((FRAME, "age", "crpp"), "unknown column 'crpp'"),
        ((FRAME, "age", ["crp", "no"]), "unknown column 'no'"),
        ((ARRAY, "age", "crp"), "x is no data frame"),
        (("file.csv", "age", "crp"), "pandas.read_csv"),
        ((Path("file.csv"), "age", "crp"), "pandas.read_csv"),
    ],
)
def test_other_arguments_name_the_remedy(arguments, message):
    for function in (infer_direction, cluster_mechanisms, description_lengths, hsic, hsic_test):
        with pytest.raises((TypeError, ValueError), match=message):
            function(*arguments)


CHAIN = list(chain(120).values())[:3]
DIGITS = dict(zip("123", CHAIN, strict=True))


@pytest.mark.parametrize(
    "arguments",
    [
        {"columns": [1, 2]},
        {"categories": [1]},
        {"required": [(1, 2)]},
        {"forbidden": [(np.int64(1), "2")]},
        {"tiers": [["2"], [1]]},
        {"within": [(1, 2)]},
    ],
)
def test_a_whole_number_is_no_name_of_digits(arguments, tmp_path):
    pl.DataFrame(DIGITS).write_parquet(tmp_path / "t.parquet")
    for table in (pd.DataFrame(DIGITS), tmp_path / "t.parquet"):
        with pytest.raises(ValueError, match=f"{next(iter(arguments))} names .*'1'"):
            infer_graph(table, **arguments)


def test_a_whole_number_is_a_name_first_and_a_position_otherwise():
    table = np.column_stack(CHAIN)
    numbered = pd.DataFrame(table, columns=[2, 1, 0])
    assert infer_graph(numbered, columns=[2, "1"]).names == (2, 1)
    assert infer_graph(table, columns=["0", "2"]).names == (0, 2)
    assert infer_graph(table, columns=["3", "1", "0"]).names == ("3", "1", "0")
    (pair,) = as_pairs(pd.DataFrame(table, columns=list("abc")), pairs=[(2, "a")])
    assert pair.pair_id == "c,a"
    for pairs in ([(0, "2")], [(3, "2")]):
        with pytest.raises(ValueError, match="pairs names"):
            as_pairs(pd.DataFrame(DIGITS), pairs=pairs)


def test_commands_take_digits_for_names_if_there_is_a_header(run, tmp_path):
    write_columns(tmp_path / "t.csv", *CHAIN[:2], header="2,3")
    assert "2 → 3" in run("direction", "t.csv", "3", "2", "--header")[1]
    assert "X names '1'" in run("direction", "t.csv", "1", "2", "--header")[2]
    assert "pairs names '1'" in run("directions", "t.csv", "--pairs", "1,2", "--header")[2]


# --- headers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "n", "names"),
    [
        (None, 30, ("2019", "2020")),
        (True, 30, ("2019", "2020")),
        (False, 31, ("column 1", "column 2")),
    ],
)
@pytest.mark.filterwarnings("ignore:.*taken as names")
def test_header_says_whether_the_first_line_is_one(document, tmp_path, header, n, names):
    folder = tmp_path / "folder"
    folder.mkdir()
    file = write_columns(folder / "t.csv", AGE[:30], CRP[:30], header="2019,2020")
    assert [len(pair.x) for pair in load_pairs(folder, header=header)] == [n]
    assert [len(pair.x) for pair in as_pairs(file, pairs="all", header=header)] == [n]
    assert infer_graph(file, header=header).names == names
    option = {None: [], True: ["--header"], False: ["--no-header"]}[header]
    assert document("direction", file, *option)["n"] == n
    assert document("graph", file, *option)["columns"] == list(names)
    assert document("directions", folder, *option)["rows"][0]["n"] == n


def test_a_header_is_auto_or_a_boolean(tmp_path):
    for header in ("yes", 1):
        with pytest.raises((TypeError, ValueError), match="header must be"):
            load_pairs(tmp_path, header=header)
