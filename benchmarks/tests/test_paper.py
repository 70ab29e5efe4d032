"""Experiments run and write what they found."""

import csv
import re

import pytest
from click.testing import CliRunner

from anmmm.datasets.sample import SAMPLE
from benchmarks.paper import __main__ as paper
from benchmarks.paper.study import Scale

# Of all studies one that takes least; any other takes a minute or more on a busy machine. What
# figure 3 does beyond figure 4 is tested on made-up records.
CHEAP = "fig5"
LONG = ("table1", "fig4", "fig6")


def invoke(*arguments):
    return CliRunner().invoke(paper.main, [str(argument) for argument in arguments])


def rows_of(folder, name):
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(file)]


@pytest.fixture
def tiny(monkeypatch):
    """One data set a cell."""
    pytest.importorskip("causallearn")
    scale = Scale(n_datasets=1, n_clusterings=1, n_repetitions=1, n_seeds=1)
    monkeypatch.setattr(Scale, "quick", lambda: scale)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [CHEAP, *(pytest.param(name, marks=pytest.mark.long) for name in LONG)]
)
def test_every_experiment_writes_records_report_and_figure(tmp_path, tiny, name):
    result = invoke(name, "--quick", "-o", tmp_path, "--data", SAMPLE)
    assert result.exit_code == 0, result.output
    assert {file.suffix for file in tmp_path.iterdir()} == {".csv", ".md", ".pdf", ".png"}
    rows = rows_of(tmp_path, name)
    assert rows
    assert all(not row["problem"] for row in rows)
    text = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert result.stdout == text + "\n"
    assert "| ANM-MM" in text
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    if name == "fig5":
        assert "pair0047" not in {row["pair"] for row in rows}


@pytest.mark.slow
@pytest.mark.long
def test_results_do_not_depend_on_the_number_of_processes(tmp_path, tiny):
    one, two = (
        invoke(CHEAP, "--quick", "-j", jobs, "-o", tmp_path / str(jobs), "--data", SAMPLE)
        for jobs in (1, 2)
    )
    assert one.stdout == two.stdout
    assert rows_of(tmp_path / "1", CHEAP) == rows_of(tmp_path / "2", CHEAP)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "fig5 needs the folder of the Tübingen pairs"),
        (["fig5", "--data", "none"], "'none' does not exist"),
        (["fig9"], "fig6"),
    ],
)
def test_mistakes_are_told_before_the_work(arguments, message):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert re.search(message, result.output)
