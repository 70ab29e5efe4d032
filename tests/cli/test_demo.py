"""The command ``anmmm demo``."""

from pathlib import Path

import pytest

pytest.importorskip("jinja2")


def test_answers_are_those_of_the_readme_and_files_are_left(run, tmp_path):
    status, out, err = run("demo", "-o", "made")
    assert status == 0
    readme = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8")
    # The folder is another one.
    shown = readme.split("```text\n")[1].split("```")[0].replace("anmmm-demo", "made")
    assert out.strip() == shown.strip()
    assert {path.name for path in (tmp_path / "made").iterdir()} == {
        "plants.csv",
        "mechanisms.png",
        "graph.html",
    }
    assert "graph.html" in err


def test_files_of_an_earlier_run_are_kept(run, tmp_path):
    folder = tmp_path / "anmmm-demo"
    folder.mkdir()
    (folder / "plants.csv").write_text("mine")
    status, _, err = run("demo")
    assert (status, "--force" in err) == (2, True)
    assert (folder / "plants.csv").read_text() == "mine"
