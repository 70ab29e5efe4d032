import json

import numpy as np
import pytest


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(5)
    a = rng.uniform(-2, 2, 120)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=120)
    c = b**2 + 0.5 * b + 0.2 * rng.normal(size=120)
    rows = "\n".join(f"{u!r},{v!r},{w!r}" for u, v, w in np.column_stack([a, b, c]).tolist())
    (tmp_path / "data.csv").write_text(f"a,b,c\n{rows}\n")
    (tmp_path / "edges.csv").write_text("source,target\na,b\nc,b\n")
    return tmp_path


def test_a_graph_is_oriented(run, data):
    status, out, err = run("orient", "data.csv", "--graph", "edges.csv", "-o", "oriented.csv")
    assert status == 0
    assert err == "2 edges written to oriented.csv\n"
    lines = out.splitlines()
    assert lines[0].split() == ["edge", "by", "score", "confidence", "reason"]
    assert lines[1].startswith("a → b  data")
    assert lines[2].startswith("b → c  data")
    assert lines[-1] == "2 edges: 0 given, 2 directed by data, 0 undirected"
    text = (data / "oriented.csv").read_text()
    assert text.startswith("pair_id,source,target,edge,by,")
    assert {path.name for path in data.iterdir()} == {"data.csv", "edges.csv", "oriented.csv"}
    # Two runs write the same, and what is written is a graph again.
    run("orient", "data.csv", "--graph", "edges.csv", "-o", "again.csv")
    assert (data / "again.csv").read_text() == text
    status, out, _ = run("orient", "data.csv", "--graph", "oriented.csv", "-o", "2.csv", "--json")
    document = json.loads(out)
    assert (status, document["nodes"]) == (0, ["a", "b", "c"])
    assert [(row["source"], row["edge"], row["target"], row["by"]) for row in document["rows"]] == [
        ("a", "->", "b", "given"),
        ("b", "->", "c", "given"),
    ]
    status, out, _ = run("orient", "data.csv", "--graph", "edges.csv", "--min-confidence", "1")
    assert status == 0
    assert "a — b  open" in out
    assert "is below 1" in out


def test_an_interrupted_run_goes_on(run, data, monkeypatch):
    import anmmm.orientation.run as library

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(library, "direct_edges", interrupted)
        status, _, err = run("orient", "data.csv", "--graph", "edges.csv", "-o", "oriented.csv")
    assert status == 130
    assert "2 finished pairs are kept in oriented.csv.checkpoint" in err
    command = ("orient", "data.csv", "--graph", "edges.csv", "-o", "oriented.csv")
    status, _, err = run(*command)
    assert status == 2
    assert "--resume goes on" in err
    assert run(*command, "--resume")[0] == 0
    assert not (data / "oriented.csv.checkpoint").exists()
    status, _, err = run(*command, "--resume")
    assert (status, err) == (0, "oriented.csv: complete, nothing to do\n")


def test_the_graph_is_drawn(run, data):
    pytest.importorskip("matplotlib")
    status, _, err = run("orient", "data.csv", "--graph", "edges.csv", "--plot", "g.png")
    assert (status, err) == (0, "plot written to g.png\n")
    assert (data / "g.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--graph", "none.csv"), "none.csv: No such file or directory"),
        (("--graph", "data.csv"), "data.csv: the header must name the columns source and target"),
        (("--graph", "edges.csv", "-o", "data.csv"), "data.csv: is part of the input"),
        (("--graph", "other.csv"), "graph has nodes that the data lack: z; the data have a, b, c"),
        (("--graph", "edges.csv", "--min-confidence", "2"), "--min-confidence must lie between"),
        (("--graph", "edges.csv", "--criterion", "hsic"), "pass --resamples=10"),
        (("--graph", "edges.csv", "--resume"), "--resume needs the file"),
    ],
)
def test_what_cannot_be_used_is_refused(refused, data, arguments, message):
    (data / "other.csv").write_text("source,target\na,z\n")
    assert message in refused("orient", "data.csv", *arguments)
