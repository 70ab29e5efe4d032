"""Columns are known by their names; by positions only if no name is of digits."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from anmmm import infer_graph, orient
from anmmm.collection import SourceError, as_pairs
from anmmm.interop import cdt
from drawn import chain, write_columns

CHAIN = chain(120)
COLUMNS = [CHAIN[name] for name in "abc"]
DIGITS = dict(zip("123", COLUMNS, strict=True))
FRAMES = {
    "pandas": lambda folder: pd.DataFrame(DIGITS),
    "polars": lambda folder: pl.DataFrame(DIGITS),
    "parquet": lambda folder: parquet(folder / "t.parquet"),
}
ARGUMENTS = {
    "columns": {"columns": [1, 2]},
    "categories": {"categories": [1]},
    "required": {"required": [(1, 2)]},
    "forbidden": {"forbidden": [(np.int64(1), "2")]},
    "tiers": {"tiers": [["2"], [1]]},
    "within": {"within": [(1, 2)]},
}


def parquet(path):
    pl.DataFrame(DIGITS).write_parquet(path)
    return path


@pytest.mark.parametrize("form", FRAMES)
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_a_whole_number_is_no_name_of_digits(form, argument, tmp_path):
    with pytest.raises(ValueError, match=f"{argument} names .*1.* give the name as text: '1'"):
        infer_graph(FRAMES[form](tmp_path), **ARGUMENTS[argument])


@pytest.mark.parametrize("position", [0, 1, 3])
def test_no_position_is_taken_beside_names_of_digits(position):
    frame = pd.DataFrame(DIGITS)
    with pytest.raises(ValueError, match=f"names {position}, but"):
        as_pairs(frame, columns=[(position, "2")])
    with pytest.raises(ValueError, match=f"names {position}, but"):
        orient([(position, "2")], frame)
    with pytest.raises(ValueError, match=f"names {position}, but"):
        infer_graph(np.column_stack(COLUMNS), columns=["1", "2", "3"], required=[(position, "2")])


def test_one_name_of_digits_is_enough():
    frame = pd.DataFrame({"a": COLUMNS[0], "b": COLUMNS[1], "2020": COLUMNS[2]})
    with pytest.raises(ValueError, match="columns names 0, but"):
        infer_graph(frame, columns=[0, 1])


def test_text_of_digits_names_columns_of_an_array():
    table = np.column_stack(COLUMNS)
    graph = infer_graph(table, columns=["3", "1", "0"], required=[("1", "0")])
    assert graph.names == ("3", "1", "0")
    # Fewer are a choice among the numbers of the columns.
    for columns in ([0, 2], ["0", "2"]):
        assert infer_graph(table, columns=columns).names == (0, 2)
    with pytest.raises(ValueError, match=r"columns has 2 names, .*or choose by position"):
        infer_graph(table, columns=["1", "3"])


def test_whole_numbers_may_be_names():
    frame = pd.DataFrame(dict(zip((2, 1, 0), COLUMNS, strict=True)))
    graph = infer_graph(frame, columns=[2, "1"], required=[(2, 1)])
    assert graph.names == (2, 1)
    with pytest.raises(ValueError, match="columns names 3, but"):
        infer_graph(frame, columns=[2, 3])


def test_the_command_line_takes_names_of_digits_for_names(run, tmp_path):
    for header, wanted in (("1,2", ["2", "1"]), ("2,3", ["3", "2"])):
        write_columns(tmp_path / "t.csv", *COLUMNS[:2], header=header)
        pair = "--x", wanted[0], "--y", wanted[1]
        status, output, errors = run("direction", "t.csv", *pair, "--header")
        assert (status, errors) == (0, "")
        assert f"{wanted[1]} → {wanted[0]}" in output
    for option in ("--x", "--y"):
        status, _, errors = run("direction", "t.csv", option, "1", "--header")
        assert status == 2
        assert f"{option[2:].upper()} 1: no such column; there are 2, 3" in errors
    status, _, errors = run("directions", "t.csv", "--columns", "1,2", "--header")
    assert status == 2
    assert "columns names '1', but t.csv has no such column" in errors
    write_columns(tmp_path / "t.csv", *COLUMNS[:2], header="a,b")
    assert run("direction", "t.csv", "--x", "2", "--y", "1")[0] == 0


@pytest.mark.parametrize(
    "names", [(0, "0"), (1.5, "1.5"), (float("nan"), "nan"), (True, "True"), (None, "")]
)
def test_names_of_one_spelling_are_refused(names):
    frame = pd.DataFrame(np.column_stack(COLUMNS))
    frame.columns = pd.Index([*names, "c"], dtype=object)
    with pytest.raises(SourceError, match=r"have the same spelling, .*rename one") as fault:
        infer_graph(frame)
    assert all(f"{name!r}" in str(fault.value) for name in names)
    assert infer_graph(frame, columns=[names[1], "c"]).names == (names[1], "c")


def test_cdt_orients_nodes_of_another_spelling():
    networkx = pytest.importorskip("networkx")
    frame = pd.DataFrame(np.column_stack(COLUMNS))
    skeleton = networkx.Graph([("0", "1"), ("1", "2")])
    found = cdt.ANMMM().orient_graph(frame, skeleton)
    assert set(found.edges) == {("0", "1"), ("1", "2")}
    assert set(found.nodes) == {"0", "1", "2"}
    assert all(found.edges[edge]["weight"] > 0.0 for edge in found.edges)
