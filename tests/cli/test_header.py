"""``header`` reaches every reader of text tables, in Python and on the command line."""

import json

import numpy as np
import pytest

from anmmm import infer_graph, orient
from anmmm.collection import as_pairs
from anmmm.datasets import load_pairs, make_anm_mixture
from drawn import write_columns


@pytest.fixture
def years(tmp_path):
    """Two columns whose names are numbers, in a file and in a folder of such files."""
    x, y, _ = make_anm_mixture("f3", 30, random_state=1)
    (tmp_path / "folder").mkdir()
    write_columns(tmp_path / "folder" / "years.csv", x, y, header="2019,2020")
    return write_columns(tmp_path / "years.csv", x, y, header="2019,2020")


def test_a_checkpoint_tells_the_two_readings_apart(years):
    for source, options in ((years, {"columns": "all"}), (years.parent / "folder", {})):
        plain, named = (
            as_pairs(source, header=header, **options).fingerprint() for header in (None, True)
        )
        assert plain != named


def test_a_file_of_a_folder_that_cannot_do_without_a_header_says_so(tmp_path):
    (tmp_path / "a.csv").write_text("p,q\n1,2\n3,4\n")
    (pair,) = load_pairs(tmp_path, header=False)
    assert pair.problem.startswith("a.csv:1: header=False (--no-header), but this line holds no")


def test_a_header_is_refused_where_it_is_of_no_use(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (tmp_path / "pairs.csv").write_text("SampleID,A,B\np,1 2,3 4\n")
    parquet.write_table(pyarrow.table({"a": [1.0, 2.0], "b": [2.0, 1.0]}), tmp_path / "t.parquet")
    for source, options, message in (
        (np.ones((20, 2)), {"columns": "all"}, " with a variable in each column"),
        ({"a": (np.ones(3), np.ones(3))}, {}, ""),
        (tmp_path / "pairs.csv", {}, ""),
        (tmp_path / "t.parquet", {"columns": "all"}, ".*has no effect for Parquet"),
    ):
        for header in (True, False):
            with pytest.raises(ValueError, match=f"header is for text files{message}"):
                as_pairs(source, header=header, **options)


def test_commands_of_one_file(run, document, years):
    for options, expected, warned in (
        (["--header"], (30, "2019"), False),
        (["--no-header"], (31, "column 1"), False),
        ([], (30, "2019"), True),
    ):
        status, out, err = run("direction", years, "--json", *options)
        found = json.loads(out)
        assert (status, found["n"], found["x"]) == (0, *expected)
        assert ("is taken as names" in err) == warned == bool(err)
    found = document("cluster", years, "--header", "--x", "2020")
    assert (found["cause"], len(found["rows"]), found["rows"][0]["line"]) == ("2020", 30, 2)


def test_commands_of_many_pairs(document, years):
    folder = years.parent / "folder"
    for arguments in (
        ["directions", years, "--columns", "all"],
        ["directions", folder],
        ["clusters", folder],
    ):
        assert document(*arguments, "--header")["rows"][0]["n"] == 30


def test_the_command_on_a_graph(document, years):
    for options, nodes in (([], ["2019", "2020"]), (["--no-header"], ["column 1", "column 2"])):
        assert document("graph", years, *options)["columns"] == nodes


def test_graphs_in_python(years):
    assert infer_graph(years).names == infer_graph(years, header=True).names == ("2019", "2020")
    assert infer_graph(years, header=False).names == ("column 1", "column 2")
    assert orient([("column 1", "column 2")], years, header=False)
    for table in (np.ones((30, 2)), {"a": 1}):
        with pytest.raises((TypeError, ValueError), match=r"header is for text files|data must be"):
            infer_graph(table, header=True)


def test_row_numbers_are_no_variable_of_a_pair(document, tmp_path):
    x, y, _ = make_anm_mixture("f3", 30, random_state=1)
    rows = [f"{row},{a},{b}" for row, (a, b) in enumerate(zip(x, y, strict=True))]
    (tmp_path / "t.csv").write_text("\n".join([",a,b", *rows]))
    found = document("direction", tmp_path / "t.csv")
    assert (found["x"], found["y"], found["n"]) == ("a", "b", 30)
    found = document("direction", tmp_path / "t.csv", "--y", "a")
    assert (found["x"], found["y"]) == ("b", "a")


@pytest.mark.parametrize("header", ["yes", 1, "", ["auto"]])
def test_other_values_are_refused(years, header):
    for read in (as_pairs, load_pairs, infer_graph):
        source = years if read is infer_graph else years.parent / "folder"
        with pytest.raises((TypeError, ValueError), match="header must be"):
            read(source, header=header)


@pytest.mark.parametrize(("header", "n"), [("auto", 30), (None, 30), (True, 30), (False, 31)])
def test_python_readers(years, header, n):
    assert [len(pair.x) for pair in as_pairs(years, columns="all", header=header)] == [n]
    assert [len(pair.x) for pair in as_pairs(years.parent / "folder", header=header)] == [n]
    assert [len(pair.x) for pair in load_pairs(years.parent / "folder", header=header)] == [n]


def test_names_that_are_numbers_choose_columns(years):
    (pair,) = as_pairs(years, columns=[("2020", "2019")], header=True)
    assert pair.pair_id == "2020,2019"


def test_numbers_as_text_are_refused_in_a_line(run, tmp_path):
    rows = [f"{number % 7}%,{number}" for number in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b", *rows]))
    status, _, err = run("direction", tmp_path / "t.csv")
    assert (status, err.count("\n")) == (2, 1)
    assert "a holds numbers as text, such as '0%'; remove units" in err
