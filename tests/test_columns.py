"""A frame and two names of its columns, wherever a pair comes in; and what is typed instead."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anmmm import cluster_mechanisms, description_lengths, hsic, hsic_test, infer_direction
from anmmm.datasets import make_anm_mixture

AGE, CRP, _ = make_anm_mixture("f3", 60, random_state=3)
DATA = {"age": AGE, "crp": CRP, "sex": np.tile(["f", "m", "?"], 20)}
FRAME = pd.DataFrame(DATA)
ARRAY = np.column_stack([AGE, CRP])
ALL_PAIRS = r"infer_directions\(frame, columns='all'\) or infer_graph\(frame\)"


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("order", [("age", "crp"), ("crp", "age")])
def test_two_names_are_two_columns_of_any_frame(kind, order):
    result = infer_direction(kind(DATA), *order)
    expected = infer_direction(FRAME[order[0]], FRAME[order[1]])
    assert result.names == order
    assert (result.score, result.confidence) == (expected.score, expected.confidence)


def test_text_and_missing_values_are_those_of_the_columns():
    frame = FRAME.assign(age=FRAME["age"].mask(FRAME.index == 3))
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        named = infer_direction(table, "age", "sex", missing="drop")
        given = infer_direction(frame["age"], frame["sex"], missing="drop")
        assert (named.score, named.n_dropped, named.names) == (given.score, 1, ("age", "sex"))


def test_names_may_be_whole_numbers():
    frame = pd.DataFrame(ARRAY)
    score = infer_direction(AGE, CRP).score
    assert infer_direction(frame, 0, 1).score == score
    assert infer_direction(frame, 1, 0).score == -score


def test_names_may_be_given_as_x_and_y():
    expected = infer_direction(FRAME, "age", "crp")
    for result in (
        infer_direction(FRAME, x="age", y="crp"),
        infer_direction(FRAME, y="crp", x="age"),
        infer_direction(FRAME, "age", y="crp"),
        infer_direction(x=AGE, y=CRP),
        infer_direction(AGE, y=CRP),
    ):
        assert result.score == expected.score


def test_a_list_of_names_is_a_variable_of_several_columns():
    frame = FRAME.assign(weight=AGE**2)
    result = infer_direction(frame, ["age", "weight"], "crp")
    assert result.score == infer_direction(frame[["age", "weight"]], frame["crp"]).score
    assert infer_direction(frame, ("age", "weight"), "crp").score == result.score
    # Texts without a second name are values.
    assert infer_direction(AGE, DATA["sex"].tolist()).names == ("x", "y")
    assert infer_direction(FRAME[["age"]], DATA["sex"].tolist()).names == ("age", "y")


def test_all_functions_of_pairs_take_names():
    both = FRAME["age"], FRAME["crp"]
    assert hsic(FRAME, "age", "crp", 0.5) == hsic(*both, 0.5)
    assert hsic_test(FRAME, "age", "crp").pvalue == hsic_test(*both).pvalue
    assert description_lengths(FRAME, "age", "crp").score == description_lengths(*both).score
    for arguments, options in (((2,), {}), ((), {"n_mechanisms": 2}), ((), {})):
        labels = cluster_mechanisms(FRAME, "age", "crp", *arguments, **options, random_state=0)
        assert labels.names == ("age", "crp")
        assert (labels.labels == cluster_mechanisms(*both, 2, random_state=0).labels).all()


@pytest.mark.parametrize(
    "function", [infer_direction, cluster_mechanisms, description_lengths, hsic, hsic_test]
)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (FRAME,),
            r"such as \w+\(frame, 'age', 'crp'\); .*" + ALL_PAIRS,
        ),
        ((FRAME[["age", "crp"]],), r"\(frame, 'age', 'crp'\)"),
        ((pl.DataFrame(DATA),), r"\(frame, 'age', 'crp'\)"),
        ((pa.table(DATA),), r"\(frame, 'age', 'crp'\)"),
        ((ARRAY,), r"\(x\[:, 0\], x\[:, 1\]\).*infer_graph"),
        ((FRAME["age"],), r"needs two variables, such as \w+\(x, y\)"),
        ((FRAME[["age"]],), r"needs two variables, such as \w+\(x, y\)"),
        ((AGE,), r"needs two variables, such as \w+\(x, y\)"),
        ((), r"needs two variables"),
        ((FRAME, "age"), r"needs two variables, such as \w+\(frame, 'age', "),
        ((FRAME, "age", "crpp"), "unknown column 'crpp'; the frame has crp$"),
        ((FRAME, 0, 1), "unknown column 0; the frame has age, crp, sex"),
        ((FRAME, "age", ["crp", "no"]), "unknown column 'no'"),
        ((FRAME, ("age", "no"), "crp"), "unknown column 'no'"),
        ((FRAME, "age", FRAME["crp"]), r"needs two variables, such as \w+\(frame, 'age', "),
        ((FRAME, ["age", "crp"]), r"needs two variables, such as \w+\(frame, 'age', "),
        ((FRAME, "age", None), r"needs two variables, such as \w+\(frame, 'age', "),
        ((FRAME, "age", "crp", "sex"), r"needs two variables.*" + ALL_PAIRS),
        (("age", "crp", FRAME), r"x is 'age'.*\(frame, 'a', 'b'\)"),
        ((ARRAY, "age", "crp"), "y is 'age', but x is no data frame"),
        ((ARRAY, 0, 1), "y is 0, but x is no data frame"),
        ((FRAME["age"], "crp"), "y is 'crp', but x is no data frame"),
        ((DATA, "age", "crp"), "y is 'age', but x is no data frame"),
        (("file.csv",), r"x is 'file.csv'.*pandas.read_csv"),
        (("file.csv", "age", "crp"), r"x is 'file.csv'.*pandas.read_csv"),
        ((Path("file.csv"), "age", "crp"), r"file.csv.*pandas.read_csv"),
        ((pl.DataFrame(DATA).lazy(), "age", "crp"), "x is no data frame: it is of type LazyFrame"),
        (
            (FRAME.set_axis(["a", "a", "b"], axis=1), "a", "b"),
            r"rename them.*'a' 2 times",
        ),
    ],
)
def test_what_is_typed_instead_names_the_remedy(function, arguments, message):
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        function(*arguments)
    assert all(len(part.split()) <= 30 for part in str(caught.value).split("; "))


def test_an_option_without_its_name_is_named():
    with pytest.raises(TypeError, match="options by name, such as criterion='hsic'"):
        infer_direction(AGE, CRP, "hsic")
    with pytest.raises(TypeError, match="options by name, such as criterion='hsic'"):
        infer_direction(FRAME, "age", "crp", "hsic")
    with pytest.raises(TypeError, match="options by name, such as criterion="):
        infer_direction(AGE, CRP, AGE)
    with pytest.raises(TypeError, match=r"takes two variables, found 3 arguments$"):
        description_lengths(AGE, CRP, "hsic")
    with pytest.raises(TypeError, match="options by name, such as alpha="):
        hsic_test(AGE, CRP, 0.1)
    with pytest.raises(TypeError, match="x is 'age', which holds no data"):
        infer_direction(data=FRAME, x="age", y="crp")
