"""Graphs of tables: what is found, what it does not depend on, what is refused."""

import itertools
import json
import os
import re

import joblib
import networkx
import numpy as np
import pandas as pd
import pytest

from anmmm import infer_graph, orient
from anmmm.datasets import SourceError
from anmmm.evidence.models import MODELS
from anmmm.evidence.models.form import SUFFIXES, Form
from anmmm.graph import common_causes, hidden_groups, score
from anmmm.graph.forms import read_graph
from anmmm.graph.text import short_text
from subprocess_helpers import largest_file


def table(n=300, seed=0):
    """dose → level → effect ← age, and noise."""
    rng = np.random.default_rng(seed)
    dose, age, other = rng.normal(size=(3, n))
    level = np.tanh(2 * dose) + 0.15 * rng.normal(size=n)
    effect = level**2 + 0.5 * level + np.sin(1.5 * age) + 0.3 * rng.normal(size=n)
    return pd.DataFrame(
        {"effect": effect, "other": other, "dose": dose, "level": level, "age": age}
    )


EDGES = {("dose", "level"), ("level", "effect"), ("age", "effect")}


@pytest.fixture(scope="module")
def found():
    return infer_graph(table())


def test_a_table_becomes_a_graph(found):
    assert set(found.directed) == EDGES
    assert all(edge.is_sure and edge.loss_without > 20 for edge in found.edges)
    confidences = [edge.confidence for edge in found.edges]
    assert confidences == sorted(confidences, reverse=True)
    assert found.names == ("effect", "other", "dose", "level", "age")
    node = found.node("effect")
    assert (node.parents, found.node("other").parents) == (("level", "age"), ())
    assert node.check_pvalue > 0.01
    assert found.length == pytest.approx(sum(each.length for each in found.nodes))
    order = found.order
    assert all(order.index(cause) < order.index(effect) for cause, effect in EDGES)
    assert not found.unexplained
    assert not found.hidden_groups
    with pytest.raises(ValueError, match="no column is called 'x'"):
        found.node("x")


def test_neither_order_nor_units_nor_workers_matter(found, monkeypatch):
    frame = table()
    other = frame[frame.columns[::-1]] * [3.0, -0.1, 1e6, 1.0, 2.0] + 5.0
    again = infer_graph(other)
    assert set(again.directed) == EDGES
    losses = {(e.cause, e.effect): e.loss_without for e in found.edges}
    # A column turned upside down has its knots elsewhere: nearly the same.
    assert losses == pytest.approx(
        {(e.cause, e.effect): e.loss_without for e in again.edges}, rel=1e-3
    )
    shuffled = infer_graph(frame[["age", "dose", "effect", "level", "other"]])
    assert {(e.cause, e.effect): e.loss_without for e in shuffled.edges} == losses
    monkeypatch.setattr("anmmm.graph.score.SMALL", 0)
    monkeypatch.setattr("anmmm.graph.search.CHALLENGE_BATCH", 1)
    with joblib.parallel_config("threading"):
        parallel = infer_graph(frame, n_jobs=2)
    assert list(map(str, parallel.edges)) == list(map(str, found.edges))
    assert parallel.length == found.length


@pytest.mark.parametrize("form", ["array", "csv", "parquet"])
def test_tables_of_every_form(form, found, tmp_path):
    frame = table()
    file = tmp_path / f"table.{form}"
    if form == "array":
        result, names = infer_graph(frame.to_numpy()), dict(enumerate(frame.columns))
    else:
        frame.to_csv(file, index=False) if form == "csv" else frame.to_parquet(file)
        result, names = infer_graph(file), {name: name for name in frame.columns}
    assert {(names[u], names[v]) for u, v in result.directed} == EDGES
    assert result.length == pytest.approx(found.length, rel=1e-9)


def test_constraints_are_kept():
    frame = table(150)
    required = infer_graph(frame, required=[("effect", "dose")])
    assert ("effect", "dose") in required.directed
    forbidden = infer_graph(frame, forbidden=[("level", "effect"), ("effect", "level")])
    assert not {("level", "effect"), ("effect", "level")} & {*forbidden.directed}
    tiers = infer_graph(frame, tiers=[["effect"], ["level", "dose"]])
    assert not [edge for edge in tiers.directed if edge[1] == "effect" and edge[0] != "age"]
    within = infer_graph(frame, within=[("dose", "level"), ("level", "<->", "effect")])
    # A result is a graph to stay within.
    for graph in (within, infer_graph(frame, within=within)):
        assert {frozenset((e.cause, e.effect)) for e in graph.edges} == {
            frozenset(("dose", "level")),
            frozenset(("level", "effect")),
        }
    few = infer_graph(frame, columns=["level", "dose"])
    assert (few.names, few.directed) == (("level", "dose"), (("dose", "level"),))


def test_columns_name_those_of_an_array():
    frame = table()
    few = frame[["dose", "level"]]
    named = infer_graph(few.to_numpy(), columns=["d", "l"], within=1 - np.eye(2))
    assert (named.names, named.directed) == (("d", "l"), (("d", "l"),))
    assert orient([("l", "d")], few.to_numpy(), columns=["d", "l"]) == [("d", "->", "l")]
    # Spelled positions are positions.
    assert infer_graph(frame.to_numpy(), columns=["2", "3"]).names == (2, 3)
    with pytest.raises(ValueError, match="columns has 2 names, but the array has 5 columns"):
        infer_graph(frame.to_numpy(), columns=["d", "l"])
    with pytest.raises(ValueError, match="called 'd'"):
        infer_graph(few.to_numpy(), columns=["d", "d"])


def test_a_graph_is_oriented_in_its_form():
    frame = table()
    skeleton = networkx.Graph(sorted(EDGES))
    skeleton.add_edge("dose", "other")
    oriented = orient(skeleton, frame)
    assert set(oriented.edges) == EDGES | {("dose", "other"), ("other", "dose")}
    numbers = np.zeros((5, 5), dtype=int)
    numbers[2, 3] = numbers[3, 2] = 1
    assert orient(numbers, frame)[[2, 3], [3, 2]].tolist() == [1, 0]
    # Nothing is sure enough.
    assert orient([("dose", "level")], frame, min_confidence=1.0) == [("dose", "--", "level")]
    assert orient([], FRAME) == []
    assert not orient(networkx.Graph(), FRAME).nodes
    with pytest.raises(TypeError, match="'min_confidance'"):
        orient([("dose", "level")], FRAME, min_confidance=0.5)


def test_numbers_of_nodes_are_places_of_columns():
    frame = table(600)[["dose", "level", "effect"]]
    # Whichever edges there are: 1 is the second column.
    assert orient([(1, 2)], frame.to_numpy()) == [(1, "->", 2)]
    assert orient([(1, 0), (1, 2)], frame) == [(0, "->", 1), (1, "->", 2)]
    assert infer_graph(frame, within=[(0, 1)]).edges[0].cause == "dose"
    both = 1 - np.eye(2)
    assert orient(both, frame, columns=["level", "dose"]).tolist() == [[0, 0], [1, 0]]
    for graph, data, message in (
        (networkx.Graph([(1, 2), (2, 3)]), frame.to_numpy(), "graph names 3"),
        ([("x3", "x2"), ("x2", "x1")], frame, "graph names 'x3'"),
        (both, frame, "2 nodes, but data has 3 columns"),
        ([(0, 1), ("dose", 2)], frame, "two nodes for one column"),
    ):
        with pytest.raises(ValueError, match=message):
            orient(graph, data)


def test_a_name_is_one_of_its_own_type_and_else_a_place():
    frame = table()[["dose", "level"]].set_axis(["1", "0"], axis=1)
    for function in (orient, lambda edges, data: infer_graph(data, within=edges)):
        with pytest.raises(ValueError, match=r"(graph|within) names 0, .*'1', '0'"):
            function([(0, 1)], frame)
    assert orient([("0", "1")], frame) == [("1", "->", "0")]
    assert orient([(0, 1)], frame.set_axis(["a", "b"], axis=1)) == [(0, "->", 1)]
    assert orient([(0, 1)], frame.set_axis([1, 0], axis=1)) == [(1, "->", 0)]
    for edge in ((False, True), (0.0, 1.0)):
        for argument in ("within", "required", "forbidden"):
            with pytest.raises(ValueError, match=f"{argument} names {edge[0]}, but"):
                infer_graph(frame.to_numpy(), **{argument: [edge]})


def test_linear_gaussian_edges_have_no_direction(rng):
    a, b = rng.normal(size=(2, 500))
    chain = a, a + rng.normal(size=500)
    collider = chain[1] + b + rng.normal(size=500)
    graph = infer_graph(np.column_stack([*chain, b, collider]))
    kinds = {frozenset((e.cause, e.effect)): (e.kind, e.effect) for e in graph.edges}
    assert kinds[frozenset((0, 1))][0] == "--"
    assert not any(edge.is_sure for edge in graph.edges if {edge.cause, edge.effect} == {0, 1})
    assert kinds[frozenset((1, 3))][1] == kinds[frozenset((2, 3))][1] == 3
    # The confidence in an edge without a direction is not read as one in a direction.
    assert "(edge)" in graph.summary()
    frame = graph.to_pandas()
    assert frame.certainty.isna().tolist() == [kind == "--" for kind in frame.kind]
    with pytest.raises(ValueError, match=r"0 -- 1|1 -- 0"):
        graph.to_dag()
    assert graph.adjacency[[0, 1], [1, 0]].tolist() == [1, 1]
    assert set(graph.to_networkx().edges) >= {(0, 1), (1, 0)}


def test_columns_of_every_kind(rng):
    n = 400
    group = rng.choice(["a", "b", "c"], n)
    x = rng.normal(size=n)
    shift = pd.Series(group).map({"a": -2.0, "b": 0.0, "c": 2.0}).to_numpy()
    y = shift + np.sin(2 * x) + 0.4 * rng.normal(size=n)
    count = rng.poisson(np.exp(0.5 * y))
    flag = rng.random(n) < 1 / (1 + np.exp(-3 * x))
    frame = pd.DataFrame(
        {"group": pd.Categorical(group), "x": x, "y": y, "count": count, "flag": flag}
    )
    graph = infer_graph(frame)
    assert set(graph.directed) >= {("group", "y"), ("x", "y"), ("y", "count")}
    at, curves = graph.curve("y", "x")
    assert (at[0], at[-1]) == (x.min(), x.max())
    assert curves.center.shape == (100, 1)
    assert np.ptp(curves.center) > 1.0
    at, curves = graph.curve("y", "group")
    assert at.tolist() == ["a", "b", "c"]
    assert curves.center.shape == (3, 1)
    assert np.all(np.diff(curves.center[:, 0]) > 1.5)
    with pytest.raises(ValueError, match="'count' is no cause of 'y'"):
        graph.curve("y", "count")
    with pytest.raises(ValueError, match="categories names 'z'"):
        infer_graph(frame, categories=["z"])


def test_each_cause_has_its_own_curve_in_units_of_the_table(rng):
    a, b, c = rng.uniform(-2, 2, (3, 400))
    d = 50.0 + 5.0 * (np.tanh(2 * a) + b**2 - 0.7 * c + 0.2 * rng.normal(size=400))
    # In an order that is not its own inverse.
    table = pd.DataFrame({"c": c, "a": a, "d": d, "b": 100.0 + 10.0 * b})
    graph = infer_graph(table, within=[("a", "->", "d"), ("b", "->", "d"), ("c", "->", "d")])
    shapes = {"a": lambda x: np.tanh(2 * x), "b": lambda x: (x / 10.0 - 10.0) ** 2}
    shapes["c"] = lambda x: -0.7 * x
    for cause, shape in shapes.items():
        at, curves = graph.curve("d", cause)
        off = curves.center[:, 0] - 5.0 * shape(at)
        assert np.std(off) < 1.0


def test_a_hidden_variable_that_switches_mechanisms_is_found(rng):
    n = 500
    x, z = rng.normal(size=(2, n))
    group, own = rng.integers(2, size=(2, n))
    a = np.where(group, np.sin(2 * x), 1.5 + x) + 0.15 * rng.normal(size=n)
    b = np.where(group, -np.tanh(2 * z) - 1, z) + 0.15 * rng.normal(size=n)
    c = np.where(own, 2 * x - 1, -np.sin(2 * x) + 1) + 0.15 * rng.normal(size=n)
    graph = infer_graph(pd.DataFrame({"x": x, "z": z, "a": a, "b": b, "c": c}))
    (mixing,) = graph.hidden_groups
    assert set(mixing.nodes) == {"a", "b"}
    assert (mixing.n_groups, mixing.probabilities.shape) == (2, (n, 2))
    agreement = (mixing.labels == group).mean()
    assert max(agreement, 1 - agreement) > 0.97
    alone = (graph.node("a").labels == group).mean()
    assert max(agreement, 1 - agreement) >= max(alone, 1 - alone)
    assert graph.node("x").labels is None
    assert "switches the mechanisms of" in graph.summary()


def test_what_a_graph_leaves_unexplained_is_listed(rng):
    hidden, x = rng.normal(size=(2, 500))
    a = np.tanh(2 * hidden) + 0.3 * rng.normal(size=500)
    b = hidden**2 + 0.3 * rng.normal(size=500)
    graph = infer_graph(np.column_stack([a, b, x]), forbidden=[(0, 1), (1, 0)])
    assert [{one, other} for one, other, _ in graph.unexplained] == [{0, 1}]
    assert graph.unexplained[0][2] > 20
    assert "a common cause may be missing" in graph.summary()
    # Of independent columns of few values nothing is.
    coin, die = rng.random(300) < 0.3, rng.choice(["p", "q", "r"], 300)
    frame = pd.DataFrame({"coin": coin, "die": die, "count": rng.poisson(2.0, 300)})
    graph = infer_graph(frame, categories=["die"])
    assert (graph.edges, graph.unexplained) == ((), ())


def test_columns_that_others_determine_are_no_fault(rng):
    a, b = rng.normal(size=(2, 200))
    graph = infer_graph(pd.DataFrame({"a": a, "b": b, "sum": a + b, "near": a + 1e-7 * b}))
    assert graph.edges
    assert all(edge.confidence < 0.9 for edge in graph.edges if "determine" in edge.note)
    assert any("determine" in edge.note for edge in graph.edges)


def with_codes(values):
    values[::40, 0] = 999.0
    return values


def exact(values):
    amount = np.round(2.0 + np.abs(values[:, 0]), 2)
    return np.column_stack([amount, np.round(100 / amount, 1)])


def rounded(values):
    return np.column_stack([values[:, 0], np.round(8.0 * values[:, 0])])


@pytest.mark.parametrize(
    ("spoil", "note"),
    [
        (with_codes, "8 rows with an outlier"),
        (exact, "the causes determine"),
        (rounded, "one variable is an exact monotone function"),
    ],
)
def test_no_arrow_is_surer_than_without_rows_that_mislead(spoil, note, rng):
    values = np.column_stack([rng.normal(size=300), np.zeros(300)])
    values[:, 1] = values[:, 0] + 0.8 * rng.normal(size=300)
    graph = infer_graph(spoil(values))
    assert not any(edge.is_sure for edge in graph.edges)
    assert all(edge.note.startswith((note, "as short")) for edge in graph.edges)
    # A given direction comes before them.
    given = infer_graph(spoil(values), required=[(0, 1)]).edges[0]
    assert given.note.startswith("direction given")


def test_rows_that_confirm_an_arrow_leave_it_sure(rng):
    x = rng.normal(size=300)
    y = np.tanh(2 * x) + 0.2 * rng.normal(size=300)
    (edge,) = infer_graph(with_codes(np.column_stack([x, y]))).edges
    assert (edge.cause, edge.effect, edge.is_sure, edge.note) == (0, 1, True, "")


@pytest.mark.parametrize(("place", "n_looks"), [(0, 1), (2, 0)])
def test_edges_of_columns_with_outliers_are_compared_again(place, n_looks, rng, caplog):
    x, z = rng.normal(size=(2, 300))
    table = np.column_stack([x, np.tanh(2 * x) + 0.2 * rng.normal(size=300), z])
    table[::40, place] = 999.0
    with caplog.at_level("INFO", logger="anmmm"):
        infer_graph(table)
    assert caplog.text.count("again on 292 of 300 rows") == n_looks


def test_outliers_that_leave_no_common_rows_confirm_nothing():
    rng = np.random.default_rng(0)
    a, other = rng.normal(size=(2, 1000))
    b = np.tanh(2 * a) + 0.1 * rng.normal(size=1000)
    # Both have values in 60 rows, all of which have an outlier elsewhere.
    a[60:500] = np.nan
    b[500:] = np.nan
    a[700] = 500.0
    other[:60] = 1e4 + rng.normal(size=60)
    graph = infer_graph(np.column_stack([a, b, other]), missing="drop")
    assert [(edge.confidence, edge.note) for edge in graph.edges] == [
        (0.5, "61 rows with an outlier")
    ]


def test_a_common_cause_by_outliers_alone_is_not_sure():
    rng = np.random.default_rng(5)
    table = rng.normal(size=(400, 3))
    table[:40, :2] = -999.0 + 30.0 * rng.normal(size=(40, 2))
    (edge,) = infer_graph(table).edges
    assert (edge.kind, edge.is_sure, edge.note) == ("<->", False, "40 rows with an outlier")


def test_an_edge_whose_rivals_have_a_constant_column_without_outliers_is_not_confirmed():
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    y = np.tanh(2 * x) + 0.2 * rng.normal(size=200)
    rare = np.where(np.arange(200) < 2, 50.0 + rng.normal(size=200), 0.0)
    graph = infer_graph(np.column_stack([x, y + 0.3 * rare, rare]))
    assert [edge.confidence for edge in graph.edges] == [0.5, 0.5]


def test_a_column_that_is_constant_without_outliers_leaves_others_sure(rng):
    a, far = rng.normal(size=(2, 500))
    b = np.tanh(2 * a) + 0.1 * rng.normal(size=500)
    a[3] = 40.0
    far[10:15] = 1e3 + rng.normal(size=5)
    flag = (far > 100.0).astype(float)
    graph = infer_graph(np.column_stack([a, b, far, flag]))
    assert [edge.is_sure for edge in graph.edges if edge.effect == 1] == [True]


def test_required_edges_leave_others_as_open_as_they_are():
    rng = np.random.default_rng(0)
    m, b, a = rng.normal(size=(3, 400))
    b = 0.8 * m + 0.6 * b
    a = 0.7 * m + 0.9 * b + 0.7 * a
    # To turn a – b, the edge of a and m has to turn too.
    graph = infer_graph(pd.DataFrame({"a": a, "m": m, "b": b}), required=[("m", "b")])
    kinds = {frozenset((edge.cause, edge.effect)): edge.kind for edge in graph.edges}
    assert kinds == {frozenset("mb"): "->", frozenset("ab"): "--", frozenset("am"): "--"}


def test_no_arrow_is_sure_at_a_column_of_all_causes_allowed():
    a, b, c, d = np.random.default_rng(4).normal(size=(4, 400))
    b += 0.8 * a
    c += 0.7 * a - 0.9 * b
    d += 0.6 * a + 0.8 * b + 0.7 * c
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": d})
    directed = [edge for edge in infer_graph(frame, max_parents=2).edges if edge.kind == "->"]
    assert {edge.note for edge in directed} == {"c has as many causes as allowed: not sure"}
    assert not any(edge.is_sure for edge in directed)


def test_copies_of_rows_are_left_out():
    a, b, c = np.random.default_rng(4).normal(size=(3, 200))
    rows = np.column_stack([a, b, c, np.sin(2.0 * a) + 0.3 * b])
    with pytest.warns(UserWarning, match="each row occurs 2 times: distinct ones count"):
        graph = infer_graph(np.tile(rows, (2, 1)))
    assert graph.n_samples == 200
    assert list(map(repr, graph.edges)) == list(map(repr, infer_graph(rows).edges))


def test_copies_do_not_make_a_column_long_enough():
    a, b, c = np.random.default_rng(4).normal(size=(3, 60))
    c[10:] = np.nan
    rows = np.tile(np.column_stack([a, b, c]), (4, 1))
    with (
        pytest.warns(UserWarning, match="each row occurs 4 times"),
        pytest.raises(ValueError, match="10 values in 60 distinct rows; a graph needs 20"),
    ):
        infer_graph(rows, missing="drop")


def test_missing_values_are_refused_or_dropped(found):
    frame = table()
    gaps = pd.concat([frame, frame.iloc[:3].assign(dose=np.nan)], ignore_index=True)
    with pytest.raises(
        SourceError,
        match=r"column 'dose' lacks 3 of 303 values, the first in row 300 \(from 0\); missing=",
    ):
        infer_graph(gaps)
    dropped = infer_graph(gaps, missing="drop")
    assert dropped.n_dropped == 3
    assert dropped.length == found.length


def families():
    """Heights of children below each other, one family after another, in whole inches."""
    rng = np.random.default_rng(0)
    father, mother = np.repeat(rng.normal(size=(2, 120)), 4, axis=1)
    boy = rng.integers(2, size=480)
    child = 0.6 * father + 0.5 * mother + 1.5 * boy + 0.6 * rng.normal(size=480)
    heights = {"father": father, "mother": mother, "child": child}
    return pd.DataFrame({"boy": boy, **{name: (4 * x).round() for name, x in heights.items()}})


def test_the_order_of_rows_does_not_matter():
    frame = families().sort_values("father", kind="stable")
    graph = infer_graph(frame)
    assert ("boy", "child") in graph.directed
    order = np.random.default_rng(1).permutation(len(frame))
    shuffled = infer_graph(frame.iloc[order])
    for edge, other in zip(graph.edges, shuffled.edges, strict=True):
        assert (edge.cause, edge.kind, edge.effect) == (other.cause, other.kind, other.effect)
        assert edge.confidence == pytest.approx(other.confidence)


def test_labels_follow_the_rows_of_the_table():
    frame = every_phase()["table"].drop(columns=["p", "q", "u", "v"])
    labels = infer_graph(frame).hidden_groups[0].labels
    assert infer_graph(frame[::-1]).hidden_groups[0].labels.tolist() == labels[::-1].tolist()


def test_combinations_of_several_columns_that_occur_again_count_once():
    rng = np.random.default_rng(0)
    length, width, depth = rng.integers(1, 7, size=(3, 24)).astype(float)
    ship = np.repeat(np.arange(24), 14)
    speed = np.tile(np.linspace(0.1, 0.5, 14), 24)
    ships = {"length": length, "width": width, "depth": depth + length, "area": length * width}
    frame = pd.DataFrame({name: values[ship] for name, values in ships.items()})
    frame["speed"] = speed
    frame["resistance"] = np.exp(5 * speed) + frame["area"] / 10 + 0.2 * rng.normal(size=len(ship))
    edges = infer_graph(frame).edges
    repeated = [edge for edge in edges if {edge.cause, edge.effect} <= ships.keys()]
    assert not any(edge.is_sure for edge in repeated)
    assert any("22 combinations of 4 columns" in edge.note for edge in repeated)
    (speed_edge,) = (edge for edge in edges if edge.cause == "speed")
    assert (speed_edge.effect, speed_edge.is_sure, speed_edge.note) == ("resistance", True, "")


def test_hidden_groups_are_left_out_on_request():
    frame = every_phase()["table"].drop(columns=["p", "q", "u", "v"])
    assert infer_graph(frame, hidden_groups=False).hidden_groups == ()


def test_a_table_has_few_words_of_each_model(found):
    models = [short_text(kind.FORM) for kind in MODELS if kind.FORM.base]
    for suffixes in itertools.permutations(SUFFIXES.values()):
        models.append(short_text(Form("pnl", "", 2, suffixes)))
    assert max(len(model.split()) for model in models) <= 6
    assert found.node("level")._model.form.text not in found.summary()


@pytest.fixture(scope="module")
def gaps():
    """The table with a third of its values missing, and few complete rows."""
    frame = table(600)
    is_missing = np.random.default_rng(1).random(frame.shape) < 0.3
    return frame.mask(is_missing)


def test_each_fit_uses_the_rows_that_have_its_columns(gaps):
    graph = infer_graph(gaps, missing="drop")
    assert set(graph.directed) == EDGES
    assert graph.n_dropped == (gaps.notna().sum(axis=1) < 2).sum()
    for edge in graph.edges:
        columns = [edge.effect, *graph.node(edge.effect).parents]
        assert edge.n_rows == gaps[columns].notna().all(axis=1).sum()
    assert graph.node("effect").check_pvalue > 0.01
    _, curves = graph.curve("effect", "age")
    assert np.isfinite(curves.center).all()


def test_neither_order_nor_workers_matter_if_values_are_missing(gaps, monkeypatch):
    graph = infer_graph(gaps, missing="drop")
    shuffled = infer_graph(gaps[gaps.columns[::-1]], missing="drop")
    assert {str(edge) for edge in shuffled.edges} == {str(edge) for edge in graph.edges}
    monkeypatch.setattr("anmmm.graph.score.SMALL", 0)
    monkeypatch.setattr("anmmm.graph.search.CHALLENGE_BATCH", 1)
    with joblib.parallel_config("threading"):
        parallel = infer_graph(gaps, missing="drop", n_jobs=2)
    assert list(map(str, parallel.edges)) == list(map(str, graph.edges))


def test_causes_that_no_row_has_together_are_not_compared(rng):
    a, b = rng.normal(size=(2, 300))
    c = np.tanh(2 * a) + b**2 + 0.2 * rng.normal(size=300)
    frame = pd.DataFrame({"a": a, "b": b, "c": c})
    frame.loc[:149, "a"] = np.nan
    frame.loc[150:, "b"] = np.nan
    graph = infer_graph(frame, missing="drop")
    assert not any({edge.cause, edge.effect} == {"a", "b"} for edge in graph.edges)
    with pytest.raises(ValueError, match="values in too few common rows"):
        infer_graph(frame, missing="drop", required=[("a", "b")])


def test_columns_without_missing_values_are_screened_beside_one_with_some(monkeypatch):
    """In tables of more than `SCREEN_ROWS` rows."""
    monkeypatch.setattr("anmmm.graph.score.SCREEN_ROWS", 100)
    rng = np.random.default_rng(0)
    a = rng.poisson(3, size=300)
    frame = pd.DataFrame({"a": a, "b": rng.poisson(1 + a), "c": rng.normal(size=300)})
    frame.loc[:59, "c"] = np.nan
    (edge,) = infer_graph(frame, missing="drop").edges
    assert {edge.cause, edge.effect} == {"a", "b"}


def test_labels_of_rows_without_values_are_missing(rng):
    x = rng.normal(size=400)
    y = np.where(rng.integers(2, size=400), 2.0, -1.0) * x + 0.2 * rng.normal(size=400)
    y[:100] = np.nan
    node = infer_graph(np.column_stack([x, y, rng.normal(size=400)]), missing="drop").node(1)
    assert (node.labels[:100] == -1).all()
    assert np.isnan(node.probabilities[:100]).all()
    assert set(node.labels[100:]) == {0, 1}


@pytest.fixture
def fitted(monkeypatch):
    """Lengths that are computed, in their order; `at` is the one that is killed."""
    made, limit = [], {"at": None}

    def counting(fit):
        def counted(*arguments, **options):
            if len(made) == limit["at"]:
                raise KeyboardInterrupt
            made.append(arguments[1:])
            return fit(*arguments, **options)

        return counted

    places = (
        (score, "_length"),
        (hidden_groups, "_pair_length"),
        (common_causes, "_saved"),
    )
    for owner, name in places:
        monkeypatch.setattr(owner, name, counting(getattr(owner, name)))
    return made, limit


def every_phase():
    """Hidden groups, outliers, an edge to compare with a common cause, dependent residuals."""
    rng = np.random.default_rng(0)
    x, z, hidden, u = rng.normal(size=(4, 200))
    group = rng.integers(2, size=200)
    noise = 0.15 * rng.normal(size=(5, 200))
    frame = pd.DataFrame({"x": x, "z": z, "u": u, "v": np.tanh(2 * u) + noise[4]})
    frame["a"] = np.where(group, np.sin(2 * x), 1.5 + x) + noise[0]
    frame["b"] = np.where(group, -np.tanh(2 * z) - 1, z) + noise[1]
    frame["p"] = np.tanh(2 * hidden) + 2 * noise[2]
    frame["q"] = hidden**2 + 2 * noise[3]
    frame.loc[::50, "x"] = 25.0
    return {"table": frame, "forbidden": [("p", "q"), ("q", "p")]}


def document(graph):
    return json.dumps(graph.to_dict())


def test_a_run_that_is_repeated_computes_no_length_again_whatever_its_phase(
    fitted, tmp_path, caplog
):
    caplog.set_level("INFO")
    made, limit = fitted
    options = every_phase()
    graph = infer_graph(**options)
    assert graph.hidden_groups
    assert graph.unexplained
    assert "again on 196 of 200 rows" in caplog.text
    whole = document(graph)
    n_fits = len(made)
    file = tmp_path / "fits"
    # Killed in the first search, among groups and common causes, in the second search.
    for part in (0.1, 0.2, 0.2, 0.2, 0.1):
        made.clear()
        limit["at"] = int(part * n_fits)
        with pytest.raises(KeyboardInterrupt):
            infer_graph(**options, checkpoint=file)
    made.clear()
    limit["at"] = None
    assert document(infer_graph(**options, checkpoint=file)) == whole
    assert 0 < len(made) < n_fits / 2
    made.clear()
    assert document(infer_graph(**options, checkpoint=file)) == whole
    assert not made
    # Other rules need a few other lengths only.
    infer_graph(options["table"], checkpoint=file, min_gain=5.0)
    assert len(made) < n_fits


def test_a_checkpoint_of_another_table_is_not_used(tmp_path):
    file = tmp_path / "fits"
    whole = infer_graph(FRAME).to_dict()
    infer_graph(table(seed=1), checkpoint=file)
    assert infer_graph(FRAME, checkpoint=file).to_dict() == whole


@pytest.mark.skipif(os.name == "nt", reason="POSIX limits")
def test_a_full_disk_names_the_checkpoint(tmp_path):
    with largest_file(4096), pytest.raises(OSError, match="is the disk full") as caught:
        infer_graph(table(), checkpoint=tmp_path / "fits")
    assert caught.value.filename == str(tmp_path / "fits")


def test_graphs_are_written_and_read_back(found, tmp_path):
    for suffix in (".csv", ".json", ".graphml"):
        found.write(tmp_path / f"graph{suffix}")
    assert set(read_graph(tmp_path / "graph.csv").marked("->")) == EDGES
    document = json.loads((tmp_path / "graph.json").read_text())
    assert {(e["cause"], e["effect"]) for e in document["edges"]} == EDGES
    arcs = networkx.read_graphml(tmp_path / "graph.graphml").edges
    assert {arc: arcs[arc]["loss_without"] for arc in arcs} == {
        (e.cause, e.effect): e.loss_without for e in found.edges
    }
    assert set(found.to_dag().edges) == EDGES
    assert set(found.to_pandas().certainty) == {"sure"}
    for text in (found.summary(), found._repr_html_()):
        assert "dose → level" in text
    with pytest.raises(ValueError, match=r"must end in \.csv"):
        found.write(tmp_path / "graph.txt")


def test_a_graph_replaces_no_file_of_others(tmp_path):
    # As an earlier run might have written it, but the table of this graph.
    source, notes = tmp_path / "cause,effect,kind.csv", tmp_path / "notes.csv"
    frame = FRAME[["dose", "level", "age"]].set_axis(["cause", "effect", "kind"], axis=1)
    frame.to_csv(source, index=False)
    notes.write_text("a,b\n1,2\n")
    graph = infer_graph(source, within=[("cause", "--", "effect")], columns=list(frame))
    with pytest.raises(FileExistsError, match="is part of the input"):
        graph.write(source, force=True)
    with pytest.raises(FileExistsError, match="exists; write to another file"):
        graph.write(notes)
    graph.write(notes, force=True)
    assert read_graph(notes).edges
    nothing = infer_graph(frame, within=networkx.Graph(), columns=list(frame))
    for suffix in ("csv", "json", "graphml"):
        nothing.write(tmp_path / f"nothing.{suffix}")


def test_edges_that_were_given_are_no_findings():
    graph = infer_graph(table(), within=[("dose", "->", "level"), ("level", "effect")])
    assert "2 edges (1 sure)" in repr(graph)
    (given,) = (edge for edge in graph.edges if edge.is_given)
    assert (given.cause, given.note) == ("dose", "direction given")
    assert given.confidence > 0.9
    assert "inf" not in graph.summary()
    json.dumps(graph.to_dict(), allow_nan=False)


@pytest.fixture(scope="module")
def line():
    """Linear Gaussian a → b, whose direction no data determine, and c apart."""
    a, b, c = np.random.default_rng(0).normal(size=(3, 400))
    return pd.DataFrame({"a": a, "b": a + b, "c": c})


@pytest.mark.parametrize(
    "options",
    [
        {"tiers": [["b"], ["c"], ["a"]]},
        {"required": [("b", "a")]},
        {"forbidden": [("a", "b")]},
        {"within": [("b", "->", "a"), ("b", "--", "c")], "columns": ["a", "b", "c"]},
        {"within": [("b", "--", "a")], "tiers": [["b"], ["a"]], "columns": ["a", "b", "c"]},
    ],
)
def test_a_direction_that_was_given_is_not_found(options, line):
    (edge,) = infer_graph(line, **options).edges
    assert (edge.cause, edge.effect, edge.note) == ("b", "a", "direction given")
    assert (edge.is_sure, edge.certainty, edge.is_given) == (False, None, True)
    # Its confidence is that of the edge, as if it had no direction.
    (free,) = infer_graph(line).edges
    assert free.kind == "--"
    assert edge.confidence >= free.confidence > 0.9


@pytest.mark.parametrize(
    "options", [{}, {"tiers": [["c"], ["b"], ["a"]]}, {"forbidden": [("a", "c"), ("b", "c")]}]
)
def test_a_required_edge_of_independent_columns_has_a_low_confidence(options, line):
    graph = infer_graph(line, required=[("c", "a")], **options)
    (edge,) = (edge for edge in graph.edges if edge.cause == "c")
    assert (edge.effect, edge.note) == ("a", "direction given")
    assert edge.confidence < 0.5
    assert edge.loss_without < 0.0


def test_orient_directs_what_was_given_and_no_edge_of_little_confidence(line):
    skeleton = [("a", "b"), ("a", "c")]
    assert orient(skeleton, line) == [("a", "--", "b"), ("a", "--", "c")]
    given = orient(skeleton, line, required=[("a", "c")], tiers=[["b"], ["a"]])
    assert sorted(given) == [("a", "->", "c"), ("b", "->", "a")]


def test_everything_that_was_assumed_or_left_out_is_listed(line, tmp_path):
    frame = line.copy()
    frame.loc[:2, "c"] = np.nan
    constraints = {
        "tiers": [("b", "c"), ("a",)],
        "required": [("c", "a")],
        "forbidden": [("a", "b"), ("b", "c")],
        "within": [("b", "--", "a"), ("c", "--", "a")],
    }
    # Each iterable can be read once.
    options = {name: iter(values) for name, values in constraints.items()}
    graph = infer_graph(frame, missing="drop", **options)
    assert graph.n_dropped == 3
    assert {name: sorted(values) for name, values in graph.constraints.items()} == {
        name: sorted(values) for name, values in constraints.items()
    }
    for words in ("tiers (assumed): b, c; a", "forbidden (assumed): a → b", "rows left out: 3"):
        assert words in graph.summary()
    # They may be passed again.
    again = infer_graph(line.iloc[3:], **graph.constraints)
    assert list(map(str, again.edges)) == list(map(str, graph.edges))
    for name in ("graph.json", "graph.graphml", "graph.csv"):
        graph.write(tmp_path / name)
    document = json.loads((tmp_path / "graph.json").read_text())
    expected = json.loads(json.dumps(graph.constraints))
    assert (document["n_dropped"], document["constraints"]) == (3, expected)
    drawn = networkx.read_graphml(tmp_path / "graph.graphml")
    assert json.loads(drawn.graph["constraints"]) == expected
    assert set(pd.read_csv(tmp_path / "graph.csv").note) == {"direction given"}
    # An empty graph to stay within is one, too.
    empty = infer_graph(line, within=networkx.Graph(), columns=["a", "b"])
    assert empty.constraints == {"within": []}


def test_graphml_holds_numbers_that_xml_spells(line, tmp_path):
    graph = infer_graph(line, within=[("b", "->", "a"), ("a", "--", "c")], required=[("a", "c")])
    graph.write(tmp_path / "graph.graphml")
    text = (tmp_path / "graph.graphml").read_text()
    # Of what was given the loss is infinite, which Python spells in small letters.
    assert not re.search(r">-?(inf|nan)<", text)


FRAME, A_TO_B = table(60), ["dose", "level"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"required": [("dose", "levl")]}, ValueError, "has no such column"),
        ({"required": [A_TO_B], "forbidden": [A_TO_B]}, ValueError, "required has the edge dose"),
        ({"required": [A_TO_B, A_TO_B[::-1]]}, ValueError, "make a cycle among"),
        (
            {"within": [("dose", "->", "level")], "tiers": [["level"], ["dose"]]},
            ValueError,
            "within",
        ),
        ({"tiers": [["dose"], ["dose"]]}, ValueError, "'dose' in two groups"),
        ({"tiers": {"dose": 1, "level": 0}}, TypeError, "tiers must be a list"),
        ({"tiers": [0, 1]}, TypeError, r"tiers must be a list, groups .*; found 0"),
        ({"required": {("dose", "level"): False}}, TypeError, "required must be a list"),
        ({"required": pd.DataFrame({"a": ["dose"]})}, TypeError, "required must hold pairs of"),
        ({"required": ["dose"]}, TypeError, r"pairs of names \(cause, effect\); found 'dose'"),
        ({"forbidden": "dose"}, TypeError, "forbidden must be a list"),
        ({"within": np.zeros((2, 2))}, ValueError, "an adjacency of 2 nodes, but data has 5"),
        ({"within": [("dose", 9)]}, ValueError, "within names 9, but .* has no such column"),
        ({"columns": A_TO_B, "required": [("age", "dose")]}, ValueError, "required names 'age'"),
        ({"columns": ["dose"]}, SourceError, "needs 2 or more columns of numbers"),
        ({"columns": ["dose", "levl"]}, ValueError, "columns names 'levl'.*no such column"),
        ({"max_parents": 0}, ValueError, "max_parents"),
        ({"random_state": 0}, TypeError, "'random_state'"),
        ({"missing": "ignore"}, ValueError, "missing"),
        ({"table": FRAME.head(15)}, SourceError, "needs 20 complete rows or more, found 15"),
        (
            {"table": FRAME.assign(far=1 / (FRAME.dose > 0))},
            SourceError,
            "'far' holds infinite numbers",
        ),
    ],
)
def test_impossible_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        infer_graph(**{"table": FRAME, **options})


def with_curve(n_samples=120):
    """A frame of four columns in which a causes b, and b causes c."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=n_samples)
    b = np.tanh(2 * a) + 0.2 * rng.normal(size=n_samples)
    c = b**2 + 0.2 * rng.normal(size=n_samples)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.normal(size=n_samples)})


NAMES = list("abcd")


@pytest.mark.parametrize(
    ("rows", "values", "problem"),
    [
        (slice(60, None), np.sqrt(np.arange(60.0)), "has no values"),
        (slice(60, None), ["v"] * 60, "is constant"),
        (slice(5), [5.0, 4.0, 3.0, 2.0, 1.0], "repeats 'a'"),
    ],
)
@pytest.mark.filterwarnings("ignore:1 column left out")
def test_columns_are_judged_by_the_rows_that_are_used(rows, values, problem):
    table = with_curve()
    table["z"] = {"is constant": "u", "repeats 'a'": table["a"]}.get(problem, np.nan)
    table.loc[table.index[rows], "z"] = values
    table.loc[table.index[rows], ["b"] if rows.start is None else NAMES] = np.nan
    graph = infer_graph(table, missing="drop")
    assert problem in graph.left_out["z"]
    assert ("a", "b") in graph.directed


def test_required_edges_with_few_common_rows_need_none_without_outliers():
    table = with_curve()
    table["z"] = np.random.default_rng(5).normal(size=120)
    table.loc[22:69, "c"] = np.nan
    table.loc[70:, "z"] = np.nan
    table.loc[[1, 2, 3], "b"] = [60.0, -70.0, 80.0]
    graph = infer_graph(table, missing="drop", required=[("z", "c")])
    assert ("z", "c") in graph.directed


def test_a_checkpoint_of_another_version_is_not_used(fitted, tmp_path, monkeypatch):
    table = with_curve(60)
    infer_graph(table, checkpoint=tmp_path / "c")
    monkeypatch.setattr("anmmm.graph.sample.__version__", "0")
    made, _ = fitted
    infer_graph(table, checkpoint=tmp_path / "c")
    assert made


def test_a_checkpoint_may_hold_a_longer_table(tmp_path):
    table = with_curve(3000)[["a", "b"]]
    for part in (table, table[:20]):
        infer_graph(part, checkpoint=tmp_path / "c")


def test_an_edge_that_the_prior_speaks_against_says_so():
    rng = np.random.default_rng(3)
    number = rng.normal(size=300)
    level = np.digitize(number + 0.5 * rng.normal(size=300), [-0.4, 0.7])
    table = pd.DataFrame({"number": number, "level": np.array(["u", "v", "w"])[level]})
    (edge,) = infer_graph(table).edges
    assert (edge.kind, edge.note) == ("--", "lengths and prior disagree about the direction")
    (edge,) = infer_graph(table, prior="flat").edges
    assert edge.kind == "->"
