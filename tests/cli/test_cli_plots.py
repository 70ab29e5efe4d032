import json
import os
import sys

import pytest

import anmmm
from anmmm.datasets import make_anm_mixture
from drawn import write_columns
from waiting import largest_file

pytest.importorskip("matplotlib")

MAGIC = {"png": b"\x89PNG", "pdf": b"%PDF", "SVG": b"<?xml"}


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x, y, _ = make_anm_mixture("f3", 40, random_state=1)
    return write_columns(tmp_path / "data.csv", x, y, header="height $m$,cost in $")


@pytest.mark.parametrize(
    ("command", "suffix"), [("direction", "png"), ("cluster", "pdf"), ("cluster", "SVG")]
)
def test_the_plot_is_written_in_the_format_of_its_suffix(run, data, command, suffix):
    before = run(command, data, "--json")
    status, out, err = run(command, data, "--json", "--plot", f"p.{suffix}")
    assert (status, out) == before[:2]
    assert json.loads(out)["anmmm_version"] == anmmm.__version__
    assert err.endswith(f"plot written to p.{suffix}\n")
    picture = (data.parent / f"p.{suffix}").read_bytes()
    assert picture.startswith(MAGIC[suffix])
    assert f"anmmm {anmmm.__version__}, by Matplotlib".encode() in picture
    assert {path.name for path in data.parent.iterdir()} == {"data.csv", f"p.{suffix}"}


def test_the_names_of_columns_are_set_as_they_are(run, data, monkeypatch):
    from anmmm import plotting

    figure_class = plotting.matplotlib_module("figure").Figure
    texts = []
    saved = figure_class.savefig

    def savefig(self, *arguments, **options):
        texts.extend(ax.get_xlabel() for ax in self.axes)
        return saved(self, *arguments, **options)

    monkeypatch.setattr(figure_class, "savefig", savefig)
    assert run("cluster", data, "--plot", "p.png")[0] == 0
    assert texts == [r"height \$m\$"]


@pytest.mark.parametrize("command", ["direction", "cluster", "evaluate"])
def test_a_plot_that_cannot_be_written_is_refused_before_the_computation(
    refused, data, command, monkeypatch
):
    from anmmm import clustering, direction, evaluation

    def refuse(*arguments, **options):
        raise AssertionError("computed before the plot was checked")

    monkeypatch.setattr(direction, "infer_direction", refuse)
    monkeypatch.setattr(clustering, "cluster_mechanisms", refuse)
    monkeypatch.setattr(evaluation, "evaluate", refuse)
    source = "f3" if command == "evaluate" else data
    wrong = "p.gif: the name must end in .png or .pdf or .svg\n"
    assert refused(command, source, "--plot", "p.gif") == wrong
    assert refused(command, source, "--plot", "nowhere/p.png") == "nowhere: no such folder\n"
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    err = refused(command, source, "--plot", "p.png")
    assert err.startswith("--plot: plots need Matplotlib")
    assert err.endswith('pip install "anmmm[plot]"\n')


def test_pairs_of_no_table_have_no_map(refused, data):
    (data.parent / "pairs").mkdir()
    data.rename(data.parent / "pairs" / "pair0001.txt")
    err = refused("directions", "pairs", "--plot", "map.png")
    assert err.startswith("pairs: a map (--plot) needs the pairs of one table, --columns all; ")
    assert not (data.parent / "map.png").exists()


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
@pytest.mark.parametrize("command", [("direction", "data.csv"), ("evaluate", "f3", "--n-pairs=1")])
def test_a_full_disk_is_named_whatever_the_format(run, data, command, suffix):
    with largest_file(4096):
        status, _, err = run(*command, "--plot", f"p.{suffix}")
    assert (status, err.splitlines()[-1]) == (2, f"p.{suffix}: File too large")
    assert [path.name for path in data.parent.iterdir()] == ["data.csv"]


def test_letters_that_the_font_lacks_are_no_message(run, data, recwarn):
    rows = data.read_text().splitlines()[1:]
    data.write_text("\n".join(["身長,体重", *rows]), encoding="utf-8")
    status, _, err = run("cluster", data, "--plot", "p.png")
    assert status == 0
    assert "Glyph" not in err
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]


def test_a_figure_that_fails_leaves_the_old_file(run, data, monkeypatch):
    from anmmm import plotting

    (data.parent / "p.png").write_bytes(b"old")

    def fail(self, file, **options):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(plotting.matplotlib_module("figure").Figure, "savefig", fail)
    status, _, err = run("cluster", data, "--plot", "p.png", "--force")
    assert status == 2
    assert err.endswith("p.png: No space left on device\n")
    assert (data.parent / "p.png").read_bytes() == b"old"
    assert {path.name for path in data.parent.iterdir()} == {"data.csv", "p.png"}
