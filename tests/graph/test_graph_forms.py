"""Graphs of every form come in and go out as they came, oriented."""

import networkx
import numpy as np
import pandas as pd
import pytest

from anmmm.datasets import SourceError
from anmmm.graph.forms import PartialGraph, read_graph, to_form_of

# a -> b, b - c, c - d.
NODES = ("a", "b", "c", "d")
DIRECTED, UNDIRECTED = [("a", "b")], [("b", "c"), ("c", "d")]
MATRIX = np.array([[0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])


def causallearn_graph():
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    nodes = [GraphNode(name) for name in NODES]
    graph = GeneralGraph(nodes)
    graph.add_directed_edge(nodes[0], nodes[1])
    for i, j in ((1, 2), (2, 3)):
        graph.add_edge(Edge(nodes[i], nodes[j], Endpoint.TAIL, Endpoint.TAIL))
    return graph


def file_of_edges(folder):
    (folder / "edges.csv").write_text("cause,kind,effect\na,->,b\nb,,c\nc,--,d\n")
    return folder / "edges.csv"


TRIPLES = [("a", "->", "b"), ("b", "--", "c"), ("c", "--", "d")]
ARCS = [("a", "b"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "c")]
FORMS = {
    "networkx": lambda folder: networkx.DiGraph(ARCS),
    "pandas": lambda folder: pd.DataFrame(MATRIX, index=NODES, columns=NODES),
    "causallearn": lambda folder: causallearn_graph(),
    "the dict of ges": lambda folder: {"G": causallearn_graph(), "score": 1.0},
    "file": file_of_edges,
    "triples": lambda folder: [("a", "->", "b"), ("b", "c"), ("c", "--", "d")],
    "itself": lambda folder: PartialGraph(NODES, TRIPLES),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_say_the_same(form, tmp_path):
    pytest.importorskip("causallearn")
    given = FORMS[form](tmp_path)
    graph = read_graph(given)
    assert graph.nodes == NODES
    assert graph.marked("->") == DIRECTED
    assert graph.marked("--") == UNDIRECTED
    graph = graph.with_directed([("c", "b"), ("c", "d")])
    expected = [("a", "->", "b"), ("c", "->", "b"), ("c", "->", "d")]
    assert graph.edges == expected
    back = to_form_of(given, graph)
    assert set(read_graph(back).edges) == set(expected)
    assert type(back) is (list if form in ("file", "triples", "itself") else type(given))
    # What was given stays as it was.
    assert read_graph(given).marked("--") == UNDIRECTED


def test_an_array_is_row_to_column_and_networkx_keeps_attributes():
    graph = read_graph(MATRIX)
    assert graph.edges == [(0, "->", 1), (1, "--", 2), (2, "--", 3)]
    back = to_form_of(MATRIX, graph.with_directed([(2, 1)]))
    assert (back[2, 1], back[1, 2]) == (1, 0)
    given = networkx.Graph()
    given.add_node("a", color="red")
    given.add_edge("a", "b", weight=2.0)
    back = to_form_of(given, read_graph(given).with_directed([("b", "a")]))
    assert back.nodes["a"] == {"color": "red"}
    assert dict(back.edges) == {("b", "a"): {"weight": 2.0}}
    several = to_form_of(networkx.MultiGraph(given), read_graph(given))
    assert dict(several.edges) == {ends: {"weight": 2.0} for ends in [("a", "b"), ("b", "a")]}


def test_a_pc_graph_and_its_inner_graph_are_the_same_and_a_pag_is_refused():
    graph_class = pytest.importorskip("causallearn.graph.GraphClass")
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint

    outer = graph_class.CausalGraph(4, list(NODES))
    outer.G = causallearn_graph()
    graph = read_graph(outer)
    assert graph.marked("--") == UNDIRECTED
    ends = to_form_of(outer, graph.with_directed([("d", "c")])).G.graph
    # causal-learn: i -> j has -1 at [i, j] and 1 at [j, i].
    assert (ends[3, 2], ends[2, 3]) == (-1, 1)
    first, *_, last = outer.G.get_nodes()
    outer.G.add_edge(Edge(first, last, Endpoint.CIRCLE, Endpoint.ARROW))
    with pytest.raises(ValueError, match="it is a PAG"):
        read_graph(outer)


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        (3, TypeError, "found int"),
        ([("a", "a")], ValueError, "joins 'a' to itself"),
        ([("a", "b"), ("b", "->", "a")], ValueError, "joins 'a' and 'b' by two edges"),
        ([[0, 1], [1, 0]], ValueError, "pass an adjacency as an array"),
        ([("a", "o->", "b")], TypeError, "a mark of ->, --, <->"),
        ([1, 2], TypeError, "found 1"),
        (np.ones((2, 3)), ValueError, "must be square"),
        (np.eye(2), ValueError, "joins 0 to itself"),
        (pd.DataFrame(np.eye(2), index=[0, 1], columns=[1, 0]), ValueError, "index and columns"),
        ({("a", "b"): "->"}, TypeError, "an iterable of edges; found dict"),
        (np.array([[0, "x"], [1, 0]], dtype=object), TypeError, "graph must be numeric"),
    ],
)
def test_what_is_no_graph_is_refused(graph, error, message):
    with pytest.raises(error, match=message):
        read_graph(graph)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "a file of edges has the columns cause, effect.*; the first line is 'a,b'"),
        ("", "a file of edges has the columns cause, effect"),
        ("cause,effect\na,\n", ":2: expected columns"),
        ("cause,effect,kind\na,b,o-o\n", "one of ->, --, <->; found .*'o-o'"),
        ("cause,effect\né,b\n", r"edges.csv:2: byte 0xe9 is not UTF-8 text"),
    ],
)
def test_a_broken_file_says_where(text, message, tmp_path):
    file = tmp_path / "edges.csv"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(SourceError, match=message):
        read_graph(file)
