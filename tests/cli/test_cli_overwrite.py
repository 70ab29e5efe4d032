"""No command replaces an existing file without --force."""

import pytest

from anmmm.datasets import make_anm_mixture
from drawn import write_columns

for module in ("matplotlib", "jinja2", "networkx", "pyarrow"):
    pytest.importorskip(module)

COMMANDS = {
    "direction": ("data.csv",),
    "cluster": ("data.csv", "-k", "1"),
    "directions": ("data.csv", "--columns", "all"),
    "clusters": ("data.csv", "--columns", "all", "-k", "1"),
    "evaluate": ("f3", "--n-pairs", "2", "--n-samples", "20"),
    "graph": ("data.csv",),
    "report": ("rows.csv",),
}
OUTPUTS = [
    *(("direction", "--plot", f"p.{suffix}") for suffix in ("png", "pdf", "svg")),
    ("cluster", "-o", "labels.csv"),
    ("cluster", "--plot", "p.png"),
    *(("directions", "-o", f"r.{suffix}") for suffix in ("csv", "jsonl", "parquet")),
    ("clusters", "-o", "c.csv"),
    ("directions", "--plot", "map.svg"),
    ("evaluate", "--plot", "p.svg"),
    *(("graph", "-o", f"g.{suffix}") for suffix in ("csv", "json", "graphml", "parquet")),
    ("graph", "--plot", "g.png"),
    ("graph", "--report", "g.html"),
    ("report", "-o", "report.html"),
]


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x, y, _ = make_anm_mixture("f3", 30, random_state=1)
    write_columns(tmp_path / "data.csv", x, y, header="a,b")
    (tmp_path / "rows.csv").write_text("")
    return tmp_path


@pytest.mark.parametrize(("command", "option", "output"), OUTPUTS)
def test_an_existing_file_is_replaced_only_by_force(run, data, command, option, output):
    if command == "report":
        assert run("directions", "data.csv", "--columns", "all", "-o", "rows.csv")[0] == 0
    arguments = (command, *COMMANDS[command], option, output)
    path, notes = data / output, "my notes on anmmm 0.2\n" * 10
    path.write_text(notes)
    status, _, err = run(*arguments)
    assert (status, path.read_text()) == (2, notes)
    assert f"{output}: exists; write to another file" in err
    assert "--force" in err
    assert run(*arguments, "--force")[0] == 0
    assert path.read_bytes() != notes.encode()


@pytest.mark.parametrize(("command", "option", "output"), OUTPUTS)
def test_no_input_is_written_over(run, data, command, option, output):
    if command == "evaluate":
        pytest.skip("its input is a setting")
    source, *options = COMMANDS[command]
    text = (data / source).read_text()
    (data / source).rename(data / output)
    for more in ([], ["--force"]):
        status, _, err = run(command, output, *options, option, output, *more)
        assert (status, (data / output).read_text()) == (2, text)
        assert f"{output}: is part of the input" in err


def test_no_input_of_another_option_is_written_over(run, data):
    (data / "pairs.csv").write_text("SampleID,A,B\na,1 2 3,4 5 7\n")
    (data / "targets.csv").write_text("SampleID,Target\na,1\n")
    assert run("graph", "data.csv", "-o", "g.csv")[0] == 0
    before = {path: path.read_bytes() for path in data.iterdir()}
    for command, output in (
        ("directions pairs.csv --targets targets.csv -o", "targets.csv"),
        ("directions pairs.csv --targets targets.csv -o", "pairs.csv"),
        ("graph data.csv --within g.csv -o", "g.csv"),
        ("graph data.csv --checkpoint new.json -o", "new.json"),
        ("graph data.csv --checkpoint p.png --plot", "p.png"),
        ("graph data.csv --checkpoint ./g.html --report", "g.html"),
    ):
        status, _, err = run(*command.split(), output)
        assert (status, err) == (2, f"{output}: is part of the input; write to another file\n")
    assert {path: path.read_bytes() for path in data.iterdir()} == before
