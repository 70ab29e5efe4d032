import sys

import numpy as np
import pytest

from anmmm.cli.messages import InputError
from anmmm.cli.options import parse_columns
from anmmm.collection.records import PairResult
from anmmm.collection.schema import DIRECTIONS
from anmmm.collection.sinks import write_rows
from anmmm.datasets import make_anm_mixture
from anmmm.report import write_report

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

ROWS = [
    PairResult("a,b", "ok", n=60, direction=1, score=0.2),
    PairResult("b", "unusable", "y is constant"),
]


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_rows("rows.csv", ROWS, DIRECTIONS)
    x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    np.savetxt("data.csv", np.column_stack([x, y]), delimiter=",", header="a,b", comments="")
    return tmp_path


def test_the_page_is_that_of_the_library(run, rows):
    assert run("report", "rows.csv") == (0, "", "report of 2 rows written to report.html\n")
    write_report("rows.csv", "same.html")
    assert (rows / "report.html").read_bytes() == (rows / "same.html").read_bytes()


def test_the_options_of_the_source_are_those_of_directions(run, rows):
    status, _, err = run(
        "report", "rows.csv", "-o", "p.htm", "--source", "data.csv", "--columns", "a,b"
    )
    assert (status, err) == (0, "report of 2 rows written to p.htm, 1 pairs drawn\n")
    assert "1 pairs drawn" in (rows / "p.htm").read_text()


def test_pairs_that_the_source_lacks_are_counted(run, rows):
    status, _, err = run("report", "rows.csv", "--source", "sample", "--plots", "3")
    assert status == 0
    assert err.startswith("1 pair to be drawn not found in sample\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rows.csv", "-o", "p.txt"], "p.txt: the name must end in .html or .htm"),
        (["rows.csv", "--format", "cdt"], "--format is for the data of the pairs; name these"),
        (["rows.csv", "--columns", "all"], "--columns is for the data of the pairs; name these"),
        (["rows.csv", "--targets", "t"], "--targets is for the data of the pairs; name these"),
        (["rows.csv", "--source", "data.csv", "--columns", "a"], "--columns must be two names"),
        (["rows.csv", "--source", "data.csv"], "data.csv: a table with a variable in each"),
        (["rows.csv", "--source", "none"], "none: no such folder"),
        (["rows.csv", "--plots", "501"], "--plots must be at most 500"),
        (["rows.txt"], "rows.txt: the name must end in .csv"),
        (["none.csv"], "none.csv: No such file or directory"),
        (["data.csv"], "data.csv:1: is no table of directions as anmmm writes it (schema 1)"),
        (["empty.csv"], "empty.csv: the file is empty"),
        (["rows.csv", "-o", "none/p.html"], "none: no such folder"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_status_2(run, rows, arguments, message):
    (rows / "empty.csv").touch()
    status, out, err = run("report", *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1
    assert not list(rows.glob("*.htm*"))


def test_input_is_not_written_over(run, rows):
    (rows / "rows.csv").rename(rows / "rows.html")
    assert run("report", "rows.html", "-o", "rows.html")[2].startswith(
        "rows.html: is part of the input"
    )
    assert (rows / "rows.html").read_text().startswith("pair_id,")


def test_a_page_beside_the_pairs_may_be_written_anew(run, rows):
    for _ in range(2):
        status, _, err = run("report", "rows.csv", "--source", ".", "--format", "folder")
        assert (status, err.splitlines()[-1]) == (
            0,
            "report of 2 rows written to report.html, 0 pairs drawn",
        )


def test_without_matplotlib_there_is_one_sentence_before_the_work(run, rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, out, err = run("report", "rows.csv", "--source", "sample")
    assert (status, out) == (2, "")
    assert err.startswith("plots need Matplotlib")
    assert 'pip install "anmmm[plot]"' in err
    assert not (rows / "report.html").exists()


def test_without_jinja_there_is_one_sentence_before_the_work(run, rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    status, out, err = run("report", "rows.csv", "--source", "sample")
    assert (status, out) == (2, "")
    assert err.startswith("a report needs Jinja2")
    assert err.endswith('pip install "anmmm[report]"\n')


def test_without_pyarrow_a_parquet_file_is_one_sentence(run, rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, _, err = run("report", "rows.parquet")
    assert status == 2
    assert 'pip install "anmmm[parquet]"' in err


@pytest.mark.parametrize(
    ("texts", "columns"),
    [
        ((), None),
        (("all",), "all"),
        (("a,b", "c,a"), [("a", "b"), ("c", "a")]),
        (('a,"c,d"',), [("a", "c,d")]),
    ],
)
def test_columns_are_spelled_as_the_ids_of_their_pairs(texts, columns):
    assert parse_columns(texts) == columns


@pytest.mark.parametrize("texts", [("a",), ("a,b,c",), ("a,",), ("",)])
def test_columns_that_are_no_pairs_are_refused(texts):
    with pytest.raises(InputError, match="--columns must be two names"):
        parse_columns(texts)


def test_all_columns_stand_alone():
    with pytest.raises(InputError, match="--columns all pairs every two columns; leave it out, or"):
        parse_columns(("all", "a,b"))
