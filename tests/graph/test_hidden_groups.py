"""Hidden variables that switch the mechanisms of several columns."""

import numpy as np
import pytest

from anmmm import infer_graph
from anmmm.graph.groups import fit_group, fit_single
from anmmm.graph.hidden_groups import GroupSearch
from anmmm.graph.sample import Sample
from anmmm.graph.score import LocalScore
from anmmm.graph.search import Rules


def slopes(seed, n=500):
    """Two effects whose slopes one hidden variable turns, each of a cause of its own."""
    rng = np.random.default_rng(seed)
    group = rng.integers(2, size=n)
    x, z = rng.normal(size=(2, n))
    a = np.where(group, 1.5, -1.0) * x + rng.normal(size=n)
    b = np.where(group, -1.0, 1.5) * z + rng.normal(size=n)
    return np.column_stack([x, z, a, b]), group


def score_of(table):
    return LocalScore(Sample(table, (False,) * table.shape[1]))


def agreement(labels, group):
    return max((labels == group).mean(), (labels != group).mean())


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 0, 2, 1]])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_slopes_that_turn_together_are_found(order, sign):
    table, group = slopes(0)
    graph = infer_graph(sign * table[:, order])
    assert {(order[i], order[j]) for i, j in graph.directed} == {(0, 2), (1, 3)}
    (mixing,) = graph.hidden_groups
    assert {order[node] for node in mixing.nodes} == {2, 3}
    assert agreement(mixing.labels, group) > 0.8
    assert np.bincount(mixing.labels)[0] >= len(group) / 2
    assert mixing.gain > 20
    assert graph.node(order.index(2)).n_mechanisms == 2


def test_a_hidden_variable_replaces_edges_between_columns_that_it_shifts(rng):
    group = rng.random(500) < 0.3
    table = rng.normal(size=(500, 4)) + np.outer(group, [6.0, -5.0, 6.0, 0.0])
    graph = infer_graph(table)
    assert not graph.edges
    (mixing,) = graph.hidden_groups
    assert set(mixing.nodes) == {0, 1, 2}
    assert agreement(mixing.labels, group) > 0.99
    assert {node.check_pvalue for node in graph.nodes} == {1.0}
    # What is required stays.
    assert (0, 1) in infer_graph(table, required=[(0, 1)]).directed


def test_columns_that_nothing_switches_have_no_hidden_variable(rng):
    x = rng.normal(size=400)
    y = np.tanh(2 * x) + 0.3 * rng.normal(size=400)
    own, other = rng.integers(2, size=(2, 400))
    u = np.where(own, 2.0, -1.0) * x + 0.3 * rng.normal(size=400)
    v = np.where(other, 2.0, -1.0) * y + 0.3 * rng.normal(size=400)
    graph = infer_graph(np.column_stack([x, y, u, v]))
    assert not graph.hidden_groups
    assert graph.node(2).n_mechanisms == graph.node(3).n_mechanisms == 2


def test_a_switched_column_is_a_distribution():
    table, group = slopes(4)
    start = 0.1 + 0.8 * np.eye(2)[group]
    found = fit_group(score_of(table), {2: frozenset({0}), 3: frozenset({1})}, start)
    model = found.members[2]
    below, above = model.levels()
    assert ((below >= 0.0) & (above <= 1.0)).all()
    # What the cells' numbers encode is a small part.
    np.testing.assert_allclose(np.exp(-model.nats), above - below, rtol=0.1, atol=1e-4)
    np.testing.assert_allclose(model.weights.sum(axis=1), 1.0)


def test_the_columns_of_a_set_tell_of_each_other():
    table, group = slopes(5)
    score = score_of(table)
    causes = {2: frozenset({0}), 3: frozenset({1})}
    one, other = (fit_single(score, key) for key in causes.items())
    both = fit_group(score, causes, one.probabilities)
    assert both.length < one.length + other.length
    labels = [each.probabilities.argmax(axis=1) for each in (one, other, both)]
    right = [agreement(each, group) for each in labels]
    assert right[2] > max(right[:2])
    # A set costs a price for each column; a column that is switched by itself saves nothing here.
    rules = Rules(~np.eye(4, dtype=bool), np.zeros((4, 4), dtype=bool), 8, 4.0)
    parents = (frozenset(), frozenset(), frozenset({0}), frozenset({1}))
    before = score.length(2, {0}) + score.length(3, {1})
    gain = GroupSearch(score, rules).gain(causes, both.length, parents)
    assert gain == pytest.approx(before - both.length - 8.0)
