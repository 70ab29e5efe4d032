"""Edges of graphs between two effects of a hidden common cause."""

import joblib
import numpy as np
import pytest

from anmmm import infer_graph

N = 500


def confounded(kind, seed=4):
    """Columns a and b with a hidden common cause, a cause of a, and an effect of b."""
    rng = np.random.default_rng(seed)
    hidden = rng.uniform(-1, 1, N) if kind == "curve" else rng.integers(3, size=N) - 1.0
    cause = rng.normal(size=N)
    a = 1.5 * np.sin(2.5 * hidden) + 0.4 * np.tanh(2 * cause) + 0.15 * rng.normal(size=N)
    b = hidden**2 + 0.5 * hidden + 0.12 * rng.normal(size=N)
    effect = np.tanh(2 * b) + 0.3 * rng.normal(size=N)
    return np.column_stack([a, b, cause, effect])


def bidirected(graph):
    return [each for each in graph.edges if each.kind == "<->"]


@pytest.mark.parametrize(("kind", "model"), [("curve", "hidden-curve"), ("groups", "hidden-3")])
def test_two_effects_of_a_hidden_cause_are_no_cause_and_effect(kind, model):
    table = confounded(kind)
    graph = infer_graph(table)
    (edge,) = bidirected(graph)
    assert (edge.cause, edge.effect, edge.model) == (0, 1, model)
    assert edge.confidence > 0.9
    assert not edge.is_sure
    # The cause of one effect is no cause of the other, at which both arrows would end.
    joined = {frozenset((each.cause, each.effect)) for each in graph.edges}
    assert joined == {frozenset(pair) for pair in [(0, 1), (0, 2), (1, 3)]}
    assert (1, 3) in graph.directed
    assert not graph.unexplained
    assert graph.length == pytest.approx(
        sum(each.length for each in graph.nodes) - edge.loss_without
    )
    without = infer_graph(table, common_cause=False)
    assert not bidirected(without)
    assert graph.length < without.length
    with pytest.raises(ValueError, match=r"0 <-> 1"):
        graph.to_dag()
    # Another run within the graph finds it again.
    assert [(each.cause, each.effect) for each in bidirected(infer_graph(table, within=graph))] == [
        (0, 1)
    ]
    # What is required stays.
    assert (1, 0) in infer_graph(table, required=[(1, 0)]).directed


def test_neither_order_nor_units_nor_workers_matter(monkeypatch):
    table = confounded("groups")
    graph = infer_graph(table)
    edges = list(map(str, graph.edges))
    (edge,) = bidirected(graph)
    order = [3, 1, 0, 2]
    graph = infer_graph(table[:, order] * [2.0, 1e3, 0.1, 1.0] + 1.0)
    (other,) = bidirected(graph)
    assert (order[other.cause], order[other.effect]) == (1, 0)
    assert (other.loss_without, other.loss_reversed) == pytest.approx(
        (edge.loss_without, edge.loss_reversed), rel=1e-6
    )
    monkeypatch.setattr("anmmm.graph.score.SMALL", 0)
    monkeypatch.setattr("anmmm.graph.common_causes.CHALLENGE_BATCH", 1)
    with joblib.parallel_config("threading"):
        parallel = infer_graph(table, n_jobs=2)
    assert list(map(str, parallel.edges)) == edges


def test_an_edge_of_categories_is_compared_if_they_have_no_causes():
    rng = np.random.default_rng(0)
    hidden = rng.integers(2, size=N)
    name = np.where(rng.random(N) < 0.9, hidden, rng.integers(3, size=N)).astype(float)
    number = np.where(hidden, 2.0, -2.0) + rng.normal(size=N)
    other = number + 0.5 * rng.normal(size=N)
    graph = infer_graph(np.column_stack([name, number, other]), categories=[0])
    assert {each.kind for each in graph.edges if 0 in (each.cause, each.effect)} == {"<->"}
