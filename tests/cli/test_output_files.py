"""Files that commands write: whole or not at all, never over an input or a file of the user."""

import json
import os
import sys

import pytest

import anmmm
from anmmm.collection.records import PairResult
from anmmm.datasets import make_anm_mixture
from anmmm.report import write_report
from drawn import write_columns, write_rows
from subprocess_helpers import largest_file

for module in ("matplotlib", "jinja2", "networkx", "pyarrow"):
    pytest.importorskip(module)

COMMANDS = {
    "direction": ("data.csv",),
    "cluster": ("data.csv", "-k", "1"),
    "directions": ("data.csv", "--pairs", "all"),
    "clusters": ("data.csv", "--pairs", "all", "-k", "1"),
    "graph": ("data.csv",),
    "report": ("rows.csv",),
}
OUTPUTS = [
    ("direction", "--plot", "p.png"),
    ("cluster", "-o", "labels.csv"),
    ("cluster", "--plot", "p.pdf"),
    *(("directions", "-o", f"r.{suffix}") for suffix in ("csv", "parquet")),
    ("clusters", "-o", "c.csv"),
    *(("graph", "-o", f"g.{suffix}") for suffix in ("csv", "json", "graphml")),
    ("graph", "--plot", "g.png"),
    ("graph", "--report", "g.html"),
    ("report", "-o", "report.html"),
]
BEGINNINGS = {"png": b"\x89PNG", "pdf": b"%PDF", "SVG": b"<?xml"}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with a table and with the rows of its pair."""
    monkeypatch.chdir(tmp_path)
    x, y, _ = make_anm_mixture("f3", 30, random_state=1)
    write_columns(tmp_path / "data.csv", x, y, header="a,b")
    rows = [PairResult("a,b", "ok", n=30, direction=1, score=0.2)]
    write_rows(tmp_path / "rows.csv", rows)
    return tmp_path


@pytest.mark.parametrize(("command", "option", "output"), OUTPUTS)
def test_an_existing_file_is_replaced_only_by_force(run, data, command, option, output):
    arguments = (command, *COMMANDS[command], option, output)
    notes = "my notes on anmmm 0.2\n" * 10
    (data / output).write_text(notes)
    status, _, err = run(*arguments)
    assert (status, (data / output).read_text(), "--force" in err) == (2, notes, True)
    assert run(*arguments, "--force")[0] == 0
    assert (data / output).read_bytes() != notes.encode()


@pytest.mark.parametrize(("command", "option", "output"), OUTPUTS)
def test_no_input_is_written_over(refused, data, command, option, output):
    source, *options = COMMANDS[command]
    text = (data / source).read_text()
    (data / source).rename(data / output)
    assert "part of the input" in refused(command, output, *options, option, output, "--force")
    assert (data / output).read_text() == text


@pytest.mark.parametrize("option", ["--within", "--checkpoint"])
def test_no_input_of_another_option_is_written_over(refused, data, option):
    (data / "g.csv").write_text("mine")
    assert "part of the input" in refused("graph", "data.csv", option, "g.csv", "-o", "g.csv")
    assert (data / "g.csv").read_text() == "mine"


@pytest.mark.parametrize(
    ("command", "suffix"), [("direction", "png"), ("cluster", "pdf"), ("cluster", "SVG")]
)
def test_a_plot_has_the_format_of_its_suffix(run, data, command, suffix):
    before = run(command, "data.csv", "--json")
    status, out, err = run(command, "data.csv", "--json", "--plot", f"p.{suffix}")
    assert (status, out) == before[:2]
    assert json.loads(out)["anmmm_version"] == anmmm.__version__
    assert f"p.{suffix}" in err
    picture = (data / f"p.{suffix}").read_bytes()
    assert picture.startswith(BEGINNINGS[suffix])
    assert f"anmmm {anmmm.__version__}".encode() in picture


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["direction", "data.csv", "--plot", "p.gif"], "p.gif: the name must end in .png"),
        (["direction", "data.csv", "--plot", "none/p.png"], "none: no such folder"),
        (["cluster", "data.csv", "-o", "x.txt"], "x.txt: the name must end in .csv"),
        (["directions", "sample", "-o", "r.xlsx"], "r.xlsx: the name must end in .csv"),
        (["graph", "data.csv", "-o", "graph.txt"], "graph.txt: the name must end in .csv"),
        (["graph", "data.csv", "--report", "graph.txt"], "graph.txt: the name must end in .html"),
        (["report", "rows.csv", "-o", "p.txt"], "p.txt: the name must end in .html"),
        (["report", "rows.csv", "--source", "none"], "none: No such file"),
        (["report", "rows.csv", "--n-plots", "501"], "n_plots must be at most 500"),
        (["report", "data.csv"], "data.csv:1: not a table of PairResult"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    refused, data, arguments, message
):
    before = sorted(os.listdir())
    assert message in refused(*arguments)
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize(
    ("module", "extra", "arguments"),
    [
        ("matplotlib.figure", "plot", ["direction", "data.csv", "--plot", "p.png"]),
        ("matplotlib.figure", "plot", ["report", "rows.csv", "--source", "sample"]),
        ("jinja2", "report", ["report", "rows.csv"]),
        ("networkx", "graph", ["graph", "data.csv", "--plot", "g.png"]),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    refused, data, monkeypatch, module, extra, arguments
):
    monkeypatch.setitem(sys.modules, module, None)
    assert f"anmmm[{extra}]" in refused(*arguments)


@pytest.mark.parametrize("command", ["direction", "cluster"])
def test_names_between_dollar_signs_are_no_formula(run, data, command):
    text = (data / "data.csv").read_text()
    (data / "data.csv").write_text(text.replace("a,b", "$a_$,b", 1))
    assert run(command, "data.csv", "--plot", "p.svg")[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_a_full_disk_names_the_plot_and_leaves_none(run, data, suffix):
    with largest_file(4096):
        status, _, err = run("direction", "data.csv", "--plot", f"p.{suffix}")
    assert (status, err.splitlines()[-1]) == (2, f"p.{suffix}: File too large")
    assert sorted(os.listdir()) == ["data.csv", "rows.csv"]


def test_the_report_is_that_of_the_library(run, data):
    assert run("report", "rows.csv")[0] == 0
    write_report("rows.csv", "same.html")
    assert (data / "report.html").read_bytes() == (data / "same.html").read_bytes()
    arguments = ("rows.csv", "-o", "p.htm", "--source", "data.csv", "--pairs", "a,b")
    assert run("report", *arguments)[0] == 0
    assert b"data:image" in (data / "p.htm").read_bytes()
    arguments = ("rows.csv", "-o", "q.htm", "--source", "sample", "--n-plots", "3")
    status, _, err = run("report", *arguments)
    assert (status, "1 of 1 pairs to be drawn are not in the source" in err) == (0, True)
