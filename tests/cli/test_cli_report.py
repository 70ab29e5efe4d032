import sys

import pytest

from anmmm.cli.messages import InputError
from anmmm.cli.options import parse_columns
from anmmm.collection.records import PairResult
from anmmm.collection.schema import DIRECTIONS
from anmmm.collection.sinks import write_rows
from anmmm.datasets import make_anm_mixture
from anmmm.report import write_report
from drawn import write_columns

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
    write_columns(tmp_path / "data.csv", x, y, header="a,b")
    return tmp_path


def test_the_page_is_that_of_the_library(run, rows):
    assert run("report", "rows.csv") == (0, "", "report of 2 rows written to report.html\n")
    write_report("rows.csv", "same.html")
    assert (rows / "report.html").read_bytes() == (rows / "same.html").read_bytes()


def test_pairs_that_the_source_lacks_are_counted(run, rows):
    status, _, err = run("report", "rows.csv", "--source", "sample", "--plots", "3")
    assert status == 0
    assert err.startswith("1 pair to be drawn not found in sample\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rows.csv", "-o", "p.txt"], "p.txt: the name must end in .html or .htm"),
        (["rows.csv", "--format", "cdt"], "--format is for the data of the pairs; name these"),
        (["rows.csv", "--header"], "--header is for the data of the pairs; name these"),
        (["rows.csv", "--source", "data.csv"], "data.csv: a table with a variable in each"),
        (["rows.csv", "--source", "none"], "none: no such folder"),
        (["rows.csv", "--plots", "501"], "--plots must be at most 500"),
        (["rows.txt"], "rows.txt: the name must end in .csv"),
        (["data.csv"], "data.csv:1: not a table of directions as anmmm writes it (schema 1)"),
        (["rows.csv", "-o", "none/p.html"], "none: no such folder"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_status_2(refused, rows, arguments, message):
    assert refused("report", *arguments).startswith(message)
    assert not list(rows.glob("*.htm*"))


def test_a_page_beside_the_pairs_may_be_written_anew(run, rows):
    for force in ([], ["--force"]):
        status, _, err = run("report", "rows.csv", "--source", ".", "--format", "folder", *force)
        last = "report of 2 rows written to report.html, 0 pairs drawn"
        assert (status, err.splitlines()[-1]) == (0, last)


def test_without_a_library_there_is_one_sentence_before_the_work(refused, rows, monkeypatch):
    for module, extra, arguments in (
        ("matplotlib.figure", "plot", ["rows.csv", "--source", "sample"]),
        ("jinja2", "report", ["rows.csv", "--source", "sample"]),
        ("pyarrow", "parquet", ["rows.parquet"]),
    ):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            err = refused("report", *arguments)
        assert f'pip install "anmmm[{extra}]"' in err
        assert not (rows / "report.html").exists()


def test_columns_are_spelled_as_the_ids_of_their_pairs(run, rows):
    assert parse_columns(("all",)) == "all"
    assert parse_columns(("a,b", 'c,"d,e"')) == [("a", "b"), ("c", "d,e")]
    for texts in (("a",), ("a,b,c",), ("a,",), ("",)):
        with pytest.raises(InputError, match="--columns must be two names"):
            parse_columns(texts)
    with pytest.raises(InputError, match="--columns all pairs every two columns; omit it, or"):
        parse_columns(("all", "a,b"))
    arguments = ("rows.csv", "-o", "p.htm", "--source", "data.csv", "--columns", "a,b")
    assert run("report", *arguments)[2] == "report of 2 rows written to p.htm, 1 pairs drawn\n"
