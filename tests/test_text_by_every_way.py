"""What text means is the same by every way in: arrays, frames, files, graphs and commands."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from anmmm import CausalDirection, infer_direction, infer_directions, infer_graph
from anmmm.evidence import evidence
from anmmm.plotting import plot_direction

CODES = np.random.default_rng(0).integers(0, 4, 80)
Y = np.random.default_rng(1).normal(np.array([0.0, 3.0, -2.0, 5.0])[CODES])
# Four texts, and what they are if nobody declares them.
TEXTS = {
    "lot": (["1001-01", "1001-02", "1002-11", "2003-12"], "categories"),
    "version": (["1.2.10", "1.2.11", "2.0.20", "3.1.99"], "categories"),
    "season": (["2008/09", "2009/10", "2010/11", "2011/12"], "categories"),
    "decade": (["1901-10", "1911-20", "1950-59", "2001-10"], "categories"),
    "nines": (["9999-99", "2020-01", "2020-02", "2020-03"], "categories"),
    "no day": (["2020-02-30", "2020-13-01", "2020-00-10", "2020-04-31"], "categories"),
    "no year": (["1001-01-02", "9999-12-31", "0001-01-01", "2300-01-05"], "categories"),
    "one word": (["2020-01-01", "2020-01-02", "2020-01-03", "later"], "categories"),
    "day": (["2020-01-01", "2020-01-02", "2021-12-31", "2024-02-29"], "dates"),
    "time": (["2020-01-01 10:00", "2020-01-02T11:30:05Z", "2021-1-3", "2020/01/04"], "dates"),
    "day first": (["31.12.2020", "01.02.2020", "3.4.2021", "28.02.1999"], "dates"),
    "month first": (["12/31/2020", "02/01/2020", "4/3/2021", "02/28/1999"], "dates"),
    "digits": (["3", "1", "20", "007"], "numbers"),
    "decimals": (["1000.5", "-1e3", "+2.", ".25"], "numbers"),
    "commas": (["1,5", "2,5", "1.000,5", "3,25"], "separators"),
}
PROBLEMS = {"dates": "holds dates; convert", "separators": "holds numbers as text"}
# Ways to pass a column of text, and to declare that it holds categories.
UNDECLARED = {
    "list": list,
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
    "polars enum": lambda text: pl.Series(text).cast(pl.Categorical).to_frame(),
    "arrow": lambda text: pa.array(text).dictionary_encode(),
}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


def text_of(name):
    return [TEXTS[name][0][code] for code in CODES]


def expected_score(name, declared):
    """The score, or the problem."""
    kind = "categories" if declared else TEXTS[name][1]
    if kind in PROBLEMS:
        return PROBLEMS[kind]
    x = [float(text) for text in text_of(name)] if kind == "numbers" else [f"n{c}" for c in CODES]
    return pytest.approx(infer_direction(x, Y).score, rel=1e-6)


def agree(decide, wanted):
    if not isinstance(wanted, str):
        assert decide() == wanted
        return
    with pytest.raises((TypeError, ValueError), match=wanted):
        decide()


@pytest.mark.parametrize("name", TEXTS)
def test_functions_of_a_pair(name):
    for make in UNDECLARED.values():
        x = make(text_of(name))
        agree(lambda x=x: infer_direction(x, Y).score, expected_score(name, False))
        agree(lambda x=x: infer_direction(x, Y, missing="drop").score, expected_score(name, False))
        agree(lambda x=x: evidence(x, Y).score, expected_score(name, False))
    for make in DECLARED.values():
        x = make(text_of(name))
        agree(lambda x=x: infer_direction(x, Y, missing="drop").score, expected_score(name, True))
        agree(lambda x=x: infer_direction(x, Y).score, expected_score(name, True))


def rows_or_problem(source, **options):
    (row,) = infer_directions(source, **options)
    if row.status != "ok":
        raise ValueError(row.reason)
    return row.score


@pytest.mark.parametrize("name", TEXTS)
def test_items_in_memory(name):
    for make in UNDECLARED.values():
        item = make(text_of(name)), Y
        agree(lambda item=item: rows_or_problem([item]), expected_score(name, False))
    for make in DECLARED.values():
        item = make(text_of(name)), Y
        agree(lambda item=item: rows_or_problem([item]), expected_score(name, True))


def tables(name, folder, declared):
    """The table of one text and a number in every form, and whether its types declare it."""
    text = text_of(name)
    frames = {form: make({"x": text, "y": Y}) for form, make in FRAMES.items()}
    pd.DataFrame({"x": text, "y": Y}).to_csv(folder / "t.csv", index=False)
    pl.DataFrame({"x": text, "y": Y}).write_parquet(folder / "t.parquet")
    yield from frames.values()
    # The numbers of a text file need no types.
    yield folder / "t.csv"
    yield folder / "t.parquet"
    if declared:
        categories = pd.Series(text, dtype="category")
        yield pd.DataFrame({"x": categories, "y": Y})
        yield pl.DataFrame({"x": pl.Series(text, dtype=pl.Categorical), "y": Y})
        yield pa.table({"x": pa.array(text).dictionary_encode(), "y": Y})


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_tables_of_pairs_and_of_graphs(name, declared, tmp_path):
    wanted = expected_score(name, declared)
    unordered = declared or TEXTS[name][1] == "categories"
    for at, table in enumerate(tables(name, tmp_path, declared)):
        given = {"categories": ["x"]} if declared and at < 5 else {}
        agree(
            lambda t=table, g=given: rows_or_problem(t, columns=[("x", "y")], **g),
            wanted,
        )

        def kinds(t=table, g=given):
            graph = infer_graph(t, columns=["x", "y"], common_cause=False, **g)
            return dict(zip(graph._sample.names, graph._sample.categorical, strict=True))

        agree(kinds, wanted if isinstance(wanted, str) else {"x": unordered, "y": False})
        if isinstance(wanted, str):
            with (
                pytest.warns(UserWarning, match="left out"),
                pytest.raises(ValueError, match="2 or"),
            ):
                infer_graph(table)
            with pytest.raises(ValueError, match="2 or more columns"):
                infer_directions(table, columns="all")


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_commands(name, declared, run, tmp_path):
    list(tables(name, tmp_path, False))
    options = ["--categories", "x"] if declared else []
    wanted = expected_score(name, declared)

    def document(command, *arguments):
        status, output, errors = run(command, *arguments, *options, "--json")
        if status:
            raise ValueError(errors)
        return json.loads(output)

    agree(lambda: document("direction", "t.csv")["score"], wanted)
    for file in ("t.csv", "t.parquet"):
        (row,) = document("directions", file, "--columns", "x,y")["rows"]
        if isinstance(wanted, str):
            assert wanted in row["reason"]
            with pytest.raises(ValueError, match=wanted):
                document("graph", file, "--columns", "x,y")
        else:
            assert row["score"] == wanted
            assert document("graph", file, "--columns", "x,y")["columns"] == ["x", "y"]


@pytest.mark.parametrize("make", [*UNDECLARED.values(), *DECLARED.values()])
def test_estimators_take_numbers_alone(make):
    for name in ("lot", "day", "digits"):
        with pytest.raises(TypeError, match="y must be numeric"):
            CausalDirection().fit(Y[:, None], make(text_of(name)))


def test_plots_read_text_as_decisions_do():
    for name in ("digits", "lot"):
        x = text_of(name)
        panels = plot_direction(x, Y, infer_direction(x, Y))
        labels = [label.get_text() for label in panels[0].get_xticklabels()]
        assert ("1001-01" in labels) == (name == "lot")


def test_dates_of_a_type_for_dates_are_refused_unless_declared():
    days = pd.Series(pd.to_datetime(text_of("day")))
    for values in (days, pl.Series(days), pa.array(days), days.to_numpy()):
        with pytest.raises(TypeError, match="x holds dates"):
            infer_direction(values, Y)
    declared = infer_direction(days.astype("category"), Y).score
    assert declared == expected_score("day", True)
    frame = pd.DataFrame({"x": days, "y": Y})
    assert rows_or_problem(frame, columns=[("x", "y")], categories=["x"]) == declared
    with pytest.raises(ValueError, match="x' holds dates"):
        infer_graph(frame, columns=["x", "y"])
    assert infer_graph(frame, categories=["x"]).names == ("x", "y")


def test_missing_values_of_text_stay_missing():
    text = [None, *text_of("digits")[1:]]
    with pytest.raises(ValueError, match="x holds 1 NaN"):
        infer_direction(text, Y)
    numbers = [float(value) for value in text[1:]]
    dropped = infer_direction(text, Y, missing="drop")
    assert dropped.n_dropped == 1
    assert dropped.score == infer_direction(numbers, Y[1:]).score
    frame = pd.DataFrame({"x": text, "y": Y})
    assert rows_or_problem(frame, columns="all", missing="drop") == dropped.score


def test_series_of_text_are_aligned_like_others():
    x = pd.Series(text_of("digits"))
    with pytest.raises(ValueError, match="same index labels at different positions"):
        infer_direction(x, pd.Series(Y)[::-1])
