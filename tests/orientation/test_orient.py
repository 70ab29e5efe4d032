"""Graphs oriented by pairs: what comes out, from what, and why."""

import itertools
import pickle

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anmmm
from anmmm import EdgeDecision, OrientedGraph, PairResult, infer_direction, infer_directions, orient
from anmmm.collection import read_rows
from anmmm.collection.sinks import write_rows
from anmmm.collection.sources.table import column_pair_id
from anmmm.orientation import EDGES
from anmmm.orientation.graph import PartialGraph
from anmmm.orientation.run import direct_edges
from same import assert_same

N = 200


@pytest.fixture(scope="module")
def table():
    """a -> b -> c, all that a CPDAG of them can say being a - b - c; d is alone."""
    rng = np.random.default_rng(5)
    a = rng.uniform(-2, 2, N)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=N)
    c = b**2 + 0.5 * b + 0.2 * rng.normal(size=N)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.normal(size=N)})


def decided(direction, confidence):
    return PairResult("", "ok", direction=direction, confidence=confidence)


def test_a_chain_is_oriented_by_its_pairs(table):
    result = orient([("a", "b"), ("c", "b")], table)
    assert isinstance(result, OrientedGraph)
    assert result.directed == result.oriented == (("a", "b"), ("b", "c"))
    assert result.undirected == ()
    assert result.nodes == ("a", "b", "c")
    first, second = result.decisions
    assert (first.pair_id, first.source, first.edge, first.target) == ("a,b", "a", "->", "b")
    # As the graph had it, and as it is now.
    assert (second.pair_id, second.source, second.target) == ("c,b", "b", "c")
    direct = infer_direction(table["c"], table["b"], random_state=0)
    assert second.score == -direct.score
    assert second.confidence == direct.confidence
    assert second.check_pvalue == direct.check_pvalue
    assert second.independence_pvalue == direct.independence_pvalue
    assert second.relation == "source→target"
    assert (second.status, second.by, second.n) == ("ok", "data", N)
    assert second.reason == f"confidence {direct.confidence:.3f}"


def test_every_edge_that_stays_open_says_why(table):
    table = table.assign(flat=1.0, text="t", holed=table["a"].where(table["a"] > 0))
    graph = [("a", "b"), ("a", "d"), ("a", "flat"), ("b", "text"), ("holed", "b")]
    result = orient(graph, table, min_confidence=1.0)
    assert result.undirected == tuple(graph)
    assert {(row.edge, row.by) for row in result.decisions} == {("--", "open")}
    low, independent, flat, text, holed = (row.reason for row in result.decisions)
    assert low.endswith(" is below 1")
    assert independent.startswith("independent: ")
    assert result.decisions[1].relation == "independent"
    assert flat.startswith("unusable: y is constant")
    assert text.startswith("unusable: column 'text' holds")
    assert holed.endswith(f"{(table['a'] <= 0).sum()} incomplete rows dropped")
    assert result.decisions[-1].n == (table["a"] > 0).sum()


def test_a_category_is_decided_as_in_a_pair(table):
    kinds = pd.Categorical(np.where(table["a"] > 0, "high", "low"))
    row = orient([("b", "kind")], table.assign(kind=kinds), min_confidence=1.0).decisions[0]
    assert (row.status, row.score) == ("ok", infer_direction(table["b"], kinds).score)


def test_given_edges_stay_and_say_so(table):
    graph = [("b", "->", "a"), ("c", "<->", "d"), ("b", "c")]
    result = orient(graph, table)
    assert result.edges == (("b", "->", "a"), ("b", "->", "c"), ("c", "<->", "d"))
    assert [row.by for row in result.decisions] == ["given", "data", "given"]
    assert result.oriented == (("b", "c"),)
    cycle = [("a", "->", "b"), ("b", "->", "c"), ("c", "->", "a"), ("a", "->", "d"), ("d", "b")]
    rows = orient(cycle, table).decisions
    assert [row.edge for row in rows[:4]] == ["->"] * 4
    assert [row.reason for row in rows[:3]] == ["as it was given, on a directed cycle"] * 3
    assert rows[3].reason == "as it was given"


def test_an_edge_that_closes_a_cycle_with_surer_ones_stays_open():
    graph = PartialGraph(range(4), [(0, 1)], [(3, 0), (1, 2), (2, 3), (1, 3)])
    # Of two equals the first one of the graph is taken first.
    rows = [decided(1, 0.95), decided(1, 0.95), decided(1, 0.99), decided(-1, 0.91)]
    reasons = direct_edges(graph, dict(zip(graph.undirected, rows, strict=True)), 0.9)
    assert graph.edges[1:] == [(3, "->", 0), (1, "--", 2), (2, "->", 3), (3, "->", 1)]
    closing = "confidence 0.950, but 1 → 2 closes a directed cycle with given or surer edges"
    assert reasons[1, 2] == closing
    assert reasons[1, 3] == "confidence 0.910"


@given(st.data())
@settings(max_examples=150)
def test_no_directions_of_pairs_close_a_cycle(data):
    order = data.draw(st.permutations(range(6)))
    pairs = [p for p in itertools.combinations(order, 2) if data.draw(st.booleans())]
    given_arcs = [pair for pair in pairs if data.draw(st.integers(0, 3)) == 0]
    graph = PartialGraph(range(6), given_arcs, [p for p in pairs if p not in given_arcs])
    found = {
        edge: decided(data.draw(st.sampled_from([1, -1])), data.draw(st.floats(0.5, 1.0)))
        for edge in graph.undirected
    }
    reasons = direct_edges(graph, found, 0.6)
    arcs = [(u, v) for u, mark, v in graph.edges if mark == "->"]
    assert networkx.is_directed_acyclic_graph(networkx.DiGraph(arcs))
    assert set(given_arcs) <= set(arcs)
    for edge, row in found.items():
        if row.confidence < 0.6:
            assert edge not in graph.oriented
            assert "is below 0.6" in reasons[edge]
        elif edge in graph.oriented:
            assert graph.oriented[edge] == edge[:: row.direction]
        else:
            # What surer and given edges say alone is against it.
            surer = [e for e in found if found[e].confidence >= row.confidence]
            known = [graph.oriented[e] for e in surer if e in graph.oriented and e != edge]
            cause, effect = edge[:: row.direction]
            arcs = networkx.DiGraph([*given_arcs, *known, (cause, effect)])
            assert networkx.has_path(arcs, effect, cause)
            assert "a directed cycle" in reasons[edge]


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_checkpoint_and_workers_change_nothing(table, tmp_path, n_jobs):
    graph = [("a", "b"), ("c", "b"), ("a", "c")]
    orient(graph, table, random_state=3).write(tmp_path / "1.csv")
    checkpoint = tmp_path / "rows"
    for _ in range(2):
        again = orient(graph, table, random_state=3, checkpoint=checkpoint, n_jobs=n_jobs)
        again.write(tmp_path / "2.csv")
        assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    with pytest.raises(anmmm.collection.CheckpointError):
        orient([("a", "c")], table, random_state=3, checkpoint=checkpoint)


def test_decisions_are_written_and_read_back(table, tmp_path):
    graph = [("a", "b"), ("c", "b"), ("a", "->", "d"), ("c", "<->", "d")]
    result = orient(graph, table.assign(c=1.0))
    expected = [row.to_row() for row in result.decisions]
    for name, read in (("1.csv", pl.read_csv), ("1.jsonl", pl.read_ndjson)):
        assert result.write(tmp_path / name, timings=True) == 4
        rows = read(tmp_path / name).to_dicts()
        assert [list(row) for row in rows] == [list(EDGES.columns)] * 4
        assert [{**row, "reason": row["reason"] or ""} for row in rows] == expected
    for name in ("2.csv", "2.parquet"):
        result.write(tmp_path / name, timings=True)
        assert tuple(read_rows(tmp_path / name, EDGES)) == result.decisions
        result.write(tmp_path / name)
        assert [row.seconds for row in read_rows(tmp_path / name, EDGES)] == [None] * 4
    again = orient(tmp_path / "2.csv", table)
    assert set(again.directed) >= set(result.directed)
    assert [row.by for row in again.decisions].count("given") == 3


def test_tables_come_out_as_they_came_in(table):
    graph = [("a", "b")]
    for data, kind in ((table, pd.DataFrame), (pl.from_pandas(table), pl.DataFrame)):
        rows = orient(graph, data).table()
        assert isinstance(rows, kind)
        assert list(rows.columns) == list(EDGES.columns)
        assert list(rows["source"]) == ["a"]
    assert isinstance(orient([(0, 1)], table.to_numpy()).table(), pd.DataFrame)
    empty = orient(networkx.Graph(), pl.from_pandas(table)).table()
    assert empty.shape == (0, len(EDGES.columns))


def test_arrays_that_have_columns_are_arrays(table):
    class Tensor(np.ndarray):
        """As of gCastle."""

        columns = property(lambda self: ["w", "x", "y", "z"])

    result = orient([(0, 1)], table.to_numpy().view(Tensor))
    assert result.directed == ((0, 1),)
    assert isinstance(result.table(), pd.DataFrame)


def test_arrow_tables_too(table):
    pytest.importorskip("pyarrow")
    arrow = pl.from_pandas(table).to_arrow()
    adjacency = pl.DataFrame({"a": [0, 1], "b": [1, 0]}).to_arrow()
    result = orient(adjacency, arrow)
    assert type(result.table()) is type(result.graph) is type(arrow)
    assert result.directed == (("a", "b"),)


@pytest.mark.parametrize("form", ["networkx", "pandas", "array"])
def test_the_graph_comes_out_as_it_came_in(table, form):
    graph = networkx.Graph([("a", "b"), ("b", "c")])
    given = {
        "networkx": graph,
        "pandas": networkx.to_pandas_adjacency(graph),
        "array": networkx.to_numpy_array(graph),
    }[form]
    # The rows of an array are the columns of the data, whatever their names.
    out = orient(given, table[["a", "b", "c"]]).graph
    if form == "networkx":
        assert set(out.edges) == {("a", "b"), ("b", "c")}
    else:
        assert type(out) is type(given)
        assert np.array_equal(np.asarray(out), [[0, 1, 0], [0, 0, 1], [0, 0, 0]])


def test_nodes_are_columns_by_their_names(table):
    # The graph names c first; an order of its own must not matter.
    shuffled = networkx.Graph([("c", "b"), ("b", "a")])
    assert set(orient(shuffled, table).directed) == {("a", "b"), ("b", "c")}
    numbered = table.set_axis([3, 2, 1, 0], axis=1)
    assert orient([(2, 3)], numbered).directed == ((3, 2),)
    with pytest.raises(ValueError, match="nodes that the data lack: z; the data have a, b, c, d"):
        orient([("a", "z")], table)


def test_columns_of_an_array_are_numbers_from_0(table):
    values = table.to_numpy()
    for graph in ([(2, 1)], networkx.Graph([(2, 1)]), [(1, 2)]):
        assert orient(graph, values).directed == ((1, 2),)
    for data, graph, message in (
        (values, [(1, 2), (3, 4)], r"no columns of data: 4; .* node numbers 0 to 3"),
        (
            values[:, :3],
            networkx.Graph([("c", "b"), ("b", "a")]),
            "lumns of data: c, b, a; pass a DataFrame with these names, or node numbers 0 to 2",
        ),
        (table, np.eye(3, k=1), "adjacency of 3 nodes, but data has 4 columns"),
        (values, np.eye(3, k=1), "adjacency of 3 nodes, but data has 4 columns"),
    ):
        with pytest.raises(ValueError, match=message):
            orient(graph, data)


def test_wrong_arguments_are_named(table):
    with pytest.raises(ValueError, match="min_confidence must lie between"):
        orient([("a", "b")], table, min_confidence=0.4)
    for option in ({"n_latents": 2}, {"shard": (1, 2)}, {"columns": "all"}):
        with pytest.raises(TypeError, match=f"unknown option '{next(iter(option))}'"):
            orient([("a", "b")], table, **option)
    with pytest.raises(TypeError, match="data must be a data frame"):
        orient([("a", "b")], {"a": [1]})
    with pytest.raises(ValueError, match="pass n_resamples=10, or take criterion='evidence'"):
        orient([("a", "b")], table, criterion="hsic", max_iter=5)


def test_the_result_is_a_record(table):
    result = orient([("a", "b")], table, random_state=1)
    copy = pickle.loads(pickle.dumps(result))
    assert_same(copy, result)
    assert copy.directed == result.directed
    assert set(result.to_networkx().edges) == {("a", "b")}


def test_what_no_oriented_graph_has_is_refused(table, tmp_path):
    path = tmp_path / "oriented.csv"
    orient([("a", "b"), ("c", "->", "d")], table).write(path)
    whole = path.read_text()
    for old, new, message in (
        ("->,given", "=>,given", "edge must be one of '->', '--', '<->'; found '=>'"),
        ("->,data", "->,oracle", "by must be one of 'given', 'data'"),
        (",ok,", ",given,", "status and by must both be 'given'"),
        ("target,", "effect,", "is no table of edges as anmmm writes it"),
        ('"a,b",a,b', '"a,b",a,', "target is missing"),
    ):
        assert old in whole
        path.write_text(whole.replace(old, new, 1))
        with pytest.raises(ValueError, match=message):
            list(read_rows(path, EDGES))
    infer_directions({"one": (table["a"], table["b"])}).write(path)
    with pytest.raises(ValueError, match="holds directions; a file of edges is needed"):
        list(read_rows(path, EDGES))


def test_columns_of_given_edges_alone_are_not_looked_at(table):
    named = table.assign(d="text", c=np.nan)
    result = orient([("a", "b"), ("a", "->", "d"), ("c", "->", "d")], named)
    assert result.oriented == (("a", "b"),)


@settings(max_examples=25)
@given(
    names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=2),
    numbers=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=2),
    mark=st.sampled_from(["->", "--", "<->"]),
)
def test_rows_of_any_names_are_read_back(tmp_path_factory, names, numbers, mark):
    path = tmp_path_factory.getbasetemp() / "any.csv"
    numbered = {"score": -numbers[0], "confidence": numbers[1], "n": 2}
    rows = [
        EdgeDecision(column_pair_id(u, v), "ok", v, u, v, mark, "data", **numbered)
        for u, v in itertools.pairwise(names)
    ]
    write_rows(path, rows, EDGES, timings=True)
    assert list(read_rows(path, EDGES)) == rows
