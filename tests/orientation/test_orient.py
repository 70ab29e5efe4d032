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
from anmmm import EdgeDecision, OrientedGraph, infer_direction, infer_directions, orient
from anmmm.collection import read_rows
from anmmm.collection.sinks import write_rows
from anmmm.collection.sources.table import column_pair_id
from anmmm.orientation import EDGES
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


def test_a_chain_is_oriented_by_its_pairs(table):
    result = orient([("a", "b"), ("c", "b")], table)
    assert isinstance(result, OrientedGraph)
    assert result.directed == (("a", "b"), ("b", "c"))
    assert result.oriented == result.directed
    assert result.undirected == ()
    assert result.nodes == ("a", "b", "c")
    first, second = result.decisions
    assert (first.pair_id, first.source, first.edge, first.target) == ("a,b", "a", "->", "b")
    # As the graph had it, and as it is now.
    assert (second.pair_id, second.source, second.target) == ("c,b", "b", "c")


def test_the_rows_say_what_the_pairs_say(table):
    result = orient([("c", "b")], table, min_confidence=0.5)
    (row,) = result.decisions
    direct = infer_direction(table["c"], table["b"], random_state=0)
    assert row.score == -direct.score
    assert row.confidence == direct.confidence
    assert row.check_pvalue == direct.check_pvalue
    assert row.independence_pvalue == direct.independence_pvalue
    assert row.relation == "source→target"
    assert (row.status, row.by, row.step, row.n) == ("ok", "data", 1, N)


def test_below_the_confidence_edges_stay(table):
    result = orient([("a", "b")], table, min_confidence=1.0)
    (row,) = result.decisions
    assert result.undirected == (("a", "b"),)
    assert row.by == "open"
    assert "is below 1" in row.reason


def test_a_cpdag_gets_no_new_collider(table):
    # Turned round, b would be a collider of a and c in the truth of this table: the graph says that
    # it is none, and one of both pairs is overruled.
    turned = table.rename(columns={"a": "x", "b": "a"}).rename(columns={"x": "b"})
    two_causes = pd.DataFrame({"a": turned["b"], "b": turned["a"], "c": table["d"]})
    two_causes["b"] += np.tanh(2 * two_causes["c"])
    free = orient([("a", "b"), ("c", "b")], two_causes, min_confidence=0.5, new_colliders=True)
    assert set(free.directed) == {("a", "b"), ("c", "b")}
    bound = orient([("a", "b"), ("c", "b")], two_causes, min_confidence=0.5)
    assert set(bound.directed) in ({("a", "b"), ("b", "c")}, {("b", "a"), ("c", "b")})
    ruled = [row for row in bound.decisions if row.by == "rule"]
    assert len(ruled) == 1
    assert "new collider; the data favor it" in ruled[0].reason
    assert ruled[0].score < 0.0


def test_an_independent_pair_stays_open(table):
    (row,) = orient([("a", "d")], table).decisions
    assert (row.edge, row.by, row.relation) == ("--", "open", "independent")
    assert "independent" in row.reason


def test_given_edges_stay_and_say_so(table):
    graph = [("b", "->", "a"), ("c", "<->", "d"), ("b", "c")]
    result = orient(graph, table, new_colliders=True)
    assert result.edges[0] == ("b", "->", "a")
    assert result.edges[-1] == ("c", "<->", "d")
    assert [row.by for row in result.decisions] == ["given", "data", "given"]
    assert result.oriented == (("b", "c"),)


def test_common_parents_are_regressed_out():
    rng = np.random.default_rng(3)
    p = rng.normal(size=400)
    u = 2 * np.sin(p) + rng.uniform(-1, 1, 400)
    v = 3 * p + u + 0.3 * rng.uniform(-1, 1, 400)
    table = pd.DataFrame({"p": p, "u": u, "v": v})
    graph = [("p", "->", "u"), ("p", "->", "v"), ("v", "u")]
    row = orient(graph, table, min_confidence=0.5).decisions[-1]
    assert (row.source, row.target, row.adjusted) == ("u", "v", "p")
    plain = orient(graph, table, min_confidence=0.5, adjust=False).decisions[-1]
    assert plain.adjusted is None
    assert plain.score != row.score
    # What is left of both is a straight line with uniform noise.
    assert row.check_pvalue > 0.01


def test_an_unusable_pair_stays_open_with_its_reason(table):
    flat = table.assign(b=1.0)
    result = orient([("a", "b"), ("c", "d")], flat)
    row = result.decisions[0]
    assert (row.status, row.by, row.edge) == ("unusable", "open", "--")
    assert row.reason.startswith("unusable: ")


def test_rows_with_missing_values_are_left_out(table):
    holed = table.copy()
    holed.loc[:9, "a"] = np.nan
    row = orient([("a", "b")], holed).decisions[0]
    assert row.n == N - 10
    assert "10 incomplete rows dropped" in row.reason


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_checkpoint_and_workers_change_nothing(table, tmp_path, n_jobs):
    graph = [("a", "b"), ("c", "b"), ("a", "c")]
    whole = orient(graph, table, random_state=3, new_colliders=True)
    checkpoint = tmp_path / "rows"
    for _ in range(2):
        again = orient(
            graph, table, random_state=3, new_colliders=True, checkpoint=checkpoint, n_jobs=n_jobs
        )
        for path, result in ((tmp_path / "1.csv", whole), (tmp_path / "2.csv", again)):
            result.write(path)
        assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


def test_a_checkpoint_of_another_graph_is_refused(table, tmp_path):
    orient([("a", "b")], table, random_state=3, checkpoint=tmp_path / "rows")
    with pytest.raises(anmmm.collection.CheckpointError):
        orient([("a", "c")], table, random_state=3, checkpoint=tmp_path / "rows")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_decisions_are_files_of_rows(table, tmp_path, suffix):
    result = orient([("a", "b"), ("c", "->", "d")], table)
    path = tmp_path / f"oriented{suffix}"
    assert result.write(path, timings=True) == 2
    read = {".csv": pl.read_csv, ".jsonl": pl.read_ndjson, ".parquet": pl.read_parquet}[suffix]
    rows = read(path).to_dicts()
    assert [list(row) for row in rows] == [list(EDGES.columns)] * 2
    expected = [row.to_row() for row in result.decisions]
    assert [{**row, "reason": row["reason"] or ""} for row in rows] == expected


def test_a_written_csv_is_a_graph(table, tmp_path):
    result = orient([("a", "b"), ("c", "->", "d")], table)
    result.write(tmp_path / "oriented.csv")
    again = orient(tmp_path / "oriented.csv", table)
    assert set(again.directed) == set(result.directed)
    assert {row.by for row in again.decisions} == {"given"}


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
    data = table[["a", "b", "c"]].to_numpy() if form == "array" else table
    out = orient(given, data).graph
    if form == "networkx":
        assert set(out.edges) == {("a", "b"), ("b", "c")}
    else:
        assert type(out) is type(given)
        assert np.array_equal(np.asarray(out), [[0, 1, 0], [0, 0, 1], [0, 0, 0]])


def test_nodes_find_their_columns(table):
    values = table[["a", "b", "c"]].to_numpy()
    by_place = orient([(0, 1), (1, 2)], values)
    assert by_place.directed == ((0, 1), (1, 2))
    in_order = orient(networkx.Graph([("u", "v"), ("v", "w")]), values)
    assert in_order.directed == (("u", "v"), ("v", "w"))
    with pytest.raises(ValueError, match="nodes that the data lack: z; the data have a, b, c, d"):
        orient([("a", "z")], table)
    with pytest.raises(ValueError, match="An array has no names"):
        orient([("a", "b")], values)
    named = table.assign(d="text")
    with pytest.raises(ValueError, match="column 'd' holds"):
        orient([("a", "d")], named)
    named = table.assign(d=pd.Categorical(["a", "b"] * (len(table) // 2)))
    with pytest.raises(ValueError, match="column 'd' holds categories"):
        orient([("a", "d")], named)


def test_wrong_arguments_are_named(table):
    with pytest.raises(ValueError, match="min_confidence must lie between"):
        orient([("a", "b")], table, min_confidence=0.4)
    with pytest.raises(TypeError, match="unknown option 'n_latents'"):
        orient([("a", "b")], table, n_latents=2)
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


def test_the_function_is_at_the_root_whatever_was_imported():
    import anmmm.orientation

    assert callable(anmmm.orient)
    assert "orient" in dir(anmmm)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_files_of_rows_are_records_again(table, tmp_path, suffix):
    path = tmp_path / f"oriented{suffix}"
    flat = table.assign(c=1.0)
    result = orient([("a", "b"), ("c", "b"), ("a", "->", "d"), ("c", "<->", "d")], flat)
    result.write(path, timings=True)
    assert tuple(read_rows(path, EDGES)) == result.decisions
    result.write(path)
    assert [row.seconds for row in read_rows(path, EDGES)] == [None] * 4


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


def test_a_cycle_that_the_graph_came_with_stays_and_is_said(table):
    graph = [("a", "->", "b"), ("b", "->", "c"), ("c", "->", "a"), ("a", "d")]
    result = orient(graph, table, new_colliders=True)
    assert set(result.directed) >= {("a", "b"), ("b", "c"), ("c", "a")}
    came = [row.reason for row in result.decisions if row.by == "given"]
    assert came == ["as the graph came in, on a directed cycle"] * 3
    # An edge that closes one is directed otherwise.
    (row,) = orient([*graph[:2], ("c", "a")], table).decisions[2:]
    assert (row.source, row.target, row.by) == ("a", "c", "rule")


def test_columns_of_given_edges_alone_are_not_looked_at(table):
    named = table.assign(d="text", c=np.nan)
    result = orient([("a", "b"), ("a", "->", "d"), ("c", "->", "d")], named)
    assert result.oriented == (("a", "b"),)


def test_a_parent_that_cannot_be_used_is_named(table):
    rounded = table.assign(d=1e9 + 1e-6 * table["d"])
    graph = [("d", "->", "a"), ("d", "->", "b"), ("a", "b")]
    row = orient(graph, rounded).decisions[-1]
    assert row.status == "unusable"
    assert "the common parent 'd' is constant up to rounding" in row.reason
    missing = orient(graph, table.assign(d=table["d"].where(table["d"] > 0))).decisions[-1]
    assert (missing.status, missing.n) == ("ok", int((table["d"] > 0).sum()))


@settings(max_examples=25)
@given(
    names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=2),
    suffix=st.sampled_from([".csv", ".parquet"]),
    numbers=st.lists(st.floats(0.0, 1.0), min_size=2, max_size=2),
    mark=st.sampled_from(["->", "--", "<->"]),
)
def test_rows_of_any_names_are_read_back(tmp_path_factory, names, suffix, numbers, mark):
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    numbered = {"score": -numbers[0], "confidence": numbers[1], "step": 1, "n": 2}
    numbered["adjusted"] = column_pair_id(*names)
    rows = [
        EdgeDecision(column_pair_id(u, v), "ok", v, u, v, mark, "data", **numbered)
        for u, v in itertools.pairwise(names)
    ]
    write_rows(path, rows, EDGES, timings=True)
    assert list(read_rows(path, EDGES)) == rows
