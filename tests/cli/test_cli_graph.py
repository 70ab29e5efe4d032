import pytest

from drawn import chain, write_columns


@pytest.fixture
def data(tmp_path):
    table = chain(120)
    return write_columns(tmp_path / "data.csv", *map(table.get, "cba"), header="c,b,a").parent


def test_a_table_becomes_a_graph(run, printed, document, data):
    message = "2 edges written to graph.csv\n"
    lines = printed("graph", "data.csv", "-o", "graph.csv", messages=message).splitlines()
    assert lines[0].startswith("3 columns, 120 rows: 2 edges, ")
    assert lines[2].split()[:3] == ["edge", "confidence", "gain"]
    assert {line.split("  ")[0] for line in lines[3:5]} == {"a → b", "b → c"}
    text = (data / "graph.csv").read_text()
    # Two runs write the same, and what is written is a graph to stay within.
    run("graph", "data.csv", "-o", "again.csv")
    assert (data / "again.csv").read_text() == text
    found = document("graph", "data.csv", "--within", "graph.csv")
    edges = [(each["cause"], each["effect"], each["note"]) for each in found["edges"]]
    assert sorted(edges) == [("a", "b", "direction given"), ("b", "c", "direction given")]
    assert found["columns"] == ["c", "b", "a"]


def test_what_is_known_is_told(document, printed, data):
    lines = printed("graph", "data.csv", "--tiers", "c;a,b").splitlines()
    assert "tiers (assumed): c; b, a" in lines
    found = document("graph", "data.csv", "--tiers", "c;a,b")
    assert "c" not in {edge["effect"] for edge in found["edges"]}
    assert found["constraints"] == {"tiers": [["c"], ["b", "a"]]}
    options = "--required", "c,b", "--required", "b,a", "--forbidden", "c,a"
    found = document("graph", "data.csv", *options)
    assert {(edge["cause"], edge["effect"]) for edge in found["edges"]} == {("c", "b"), ("b", "a")}
    assert document("graph", "data.csv", "--columns", "a,b")["columns"] == ["a", "b"]
    assert document("graph", "data.csv", "--columns", "all")["columns"] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "graph.txt"], "must end in .csv"),
        (["-o", "data.csv"], "is part of the input"),
        (
            ["--columns", "a,z"],
            "--columns names 'z', but data.csv has no such column; the columns are c, b, a",
        ),
        (["--plot", "data.csv"], "must end in .png"),
        (["--tiers", "a,,"], "--tiers must be names of columns"),
        (["--min-gain", "-1"], "--min-gain must be finite"),
        (["--seed", "1"], "No such option"),
        (["--required", "a"], "--required must be two names, cause and effect, such as a,b"),
        (["--forbidden", "a,z"], "--forbidden names 'z', but data.csv has no such column"),
        (
            ["--required", "a,b", "--forbidden", "a,b"],
            "--required has the edge a → b, which --forbidden, --tiers or --within rules out",
        ),
    ],
)
def test_what_cannot_be_is_refused(run, data, arguments, message):
    status, _, err = run("graph", "data.csv", *arguments)
    assert status == 2
    assert message in err


def test_the_graph_becomes_a_page(run, printed, data):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    for force in ([], ["--force"]):
        message = "report written to graph.html\n"
        printed("graph", "data.csv", "--report", "graph.html", *force, messages=message)
    assert '<p class="soft">data.csv</p>' in (data / "graph.html").read_text(encoding="utf-8")
    (data / "mine.html").write_text("<html>mine</html>")
    for name, message in [
        ("graph.txt", "must end in .html"),
        ("mine.html", "exists; write to another file"),
        ("none/graph.html", "none: no such folder"),
    ]:
        status, _, err = run("graph", "data.csv", "--report", name)
        assert (status, message in err) == (2, True), err
    assert (data / "mine.html").read_text() == "<html>mine</html>"


def test_messages_are_lines_and_name_options(run, data):
    text = (data / "data.csv").read_text()
    unnamed = "".join(f"{at},{line}\n" for at, line in enumerate(text.splitlines()))
    (data / "data.csv").write_text(unnamed.replace("0,", ",", 1))
    status, _, err = run("graph", "data.csv", "-o", "graph.csv")
    assert status == 0
    assert err == (
        "1 column left out:\n  data.csv: 'column 1' has no name and numbers the rows; --columns "
        "takes it if named there\n2 edges written to graph.csv\n"
    )
    again = run("graph", "data.csv", "--columns", "a,b", "-o", "graph.csv", "--force")
    assert again[2] == "1 edge written to graph.csv\n"
    (data / "gap.csv").write_text(f"{text}1.0,,2.0\n")
    assert "; --drop-missing leaves out the 1 incomplete row" in run("graph", "gap.csv")[2]
    choice = "choose pairs of its columns with --columns a,b or --columns all"
    assert choice in run("directions", "gap.csv")[2]
