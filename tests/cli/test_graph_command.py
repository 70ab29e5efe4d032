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
    assert lines[2].split()[:4] == ["edge", "confidence", "loss", "without"]
    assert {line.split("  ")[0] for line in lines[3:5]} == {"a → b", "b → c"}
    text = (data / "graph.csv").read_text()
    # Two runs write the same, and what is written is a graph to stay within.
    run("graph", "data.csv", "-o", "again.csv")
    assert (data / "again.csv").read_text() == text
    found = document("graph", "data.csv", "--within", "graph.csv")
    edges = [(each["cause"], each["effect"], each["note"]) for each in found["edges"]]
    assert sorted(edges) == [("a", "b", "direction given"), ("b", "c", "direction given")]
    assert found["columns"] == ["c", "b", "a"]


def test_tiers_and_required_edges_constrain_the_graph(document, printed, data):
    lines = printed("graph", "data.csv", "--tiers", "c;a,b").splitlines()
    assert "tiers (assumed): c; b, a" in lines
    found = document("graph", "data.csv", "--tiers", "c;a,b")
    assert "c" not in {edge["effect"] for edge in found["edges"]}
    assert found["constraints"] == {"tiers": [["c"], ["b", "a"]]}
    options = "--required", "c,b", "--required", "b,a", "--forbidden", "c,a"
    found = document("graph", "data.csv", *options)
    assert {(edge["cause"], edge["effect"]) for edge in found["edges"]} == {("c", "b"), ("b", "a")}
    assert document("graph", "data.csv", "--columns", "a,b")["columns"] == ["a", "b"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--columns", "a,z"], "columns names 'z', but data.csv has no such column"),
        (["--tiers", "a,,"], "'--tiers': must be names of columns"),
        (["--required", "a"], "'--required': must be two names"),
        (["--required", "a\nb,c"], "'--required': must be a line of CSV"),
    ],
)
def test_wrong_options_are_refused_by_name(run, data, arguments, message):
    status, _, err = run("graph", "data.csv", *arguments)
    assert status == 2
    assert message in err


def test_messages_name_options_and_columns_left_out(run, data):
    text = (data / "data.csv").read_text()
    numbered = "".join(f"{row},{line}\n" for row, line in enumerate(text.splitlines()))
    (data / "data.csv").write_text(numbered.replace("0,", ",", 1))
    status, _, err = run("graph", "data.csv", "-o", "graph.csv")
    assert (status, "'column 1' has no name and numbers the rows" in err) == (0, True)
    (data / "gap.csv").write_text(f"{text}1.0,,2.0\n")
    assert "--missing drop leaves out the 1 incomplete row" in run("graph", "gap.csv")[2]
