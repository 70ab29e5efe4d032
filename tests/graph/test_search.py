"""The search against all graphs there are, and what climbs and rules keep."""

import itertools
import math

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from anmmm import infer_direction
from anmmm.direction.prior import nats_error
from anmmm.graph.sample import Sample
from anmmm.graph.score import LocalScore
from anmmm.graph.search import (
    SLOPE,
    Rules,
    ancestors,
    arrows,
    causal_order,
    climb,
    loss,
    saved,
    search,
)


def rules(n, **changes):
    every = {"allowed": ~np.eye(n, dtype=bool), "required": np.zeros((n, n), dtype=bool)}
    return Rules(**{**every, "max_parents": 8, "min_gain": 4.0, **changes})


def all_dags(n):
    """Every DAG of n nodes, as sets of causes."""
    pairs = list(itertools.combinations(range(n), 2))
    for marks in itertools.product((0, 1, 2), repeat=len(pairs)):
        causes = [set() for _ in range(n)]
        for (i, j), mark in zip(pairs, marks, strict=True):
            if mark:
                causes[j if mark == 1 else i].add(i if mark == 1 else j)
        parents = tuple(map(frozenset, causes))
        if len(causal_order(parents)) == n:
            yield parents


def score_of(table):
    return LocalScore(Sample(table, (False,) * table.shape[1]))


def drawn(seed, n_samples=150):
    """Four columns of a random graph, each edge a curve."""
    rng = np.random.default_rng(seed)
    shapes = (np.tanh, np.sin, np.square, np.exp, lambda u: u)
    columns = []
    for at in range(4):
        value = rng.choice([0.4, 1.0]) * rng.normal(size=n_samples)
        for column in columns:
            if rng.random() < 0.5:
                value = value + rng.choice([-1, 1]) * shapes[rng.integers(5)](column)
        columns.append((value - value.mean()) / value.std())
        assert at < 4
    return np.column_stack(columns)[:, rng.permutation(4)]


@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_shortest_of_all_graphs(seed):
    score = score_of(drawn(seed))
    found, challenges = search(score, rules(4))
    graphs = list(all_dags(4))
    assert len(graphs) == 543
    totals = {graph: -saved(score, found, graph, rules(4)) for graph in graphs}
    assert totals[found] == pytest.approx(min(totals.values()), abs=1e-9)
    # What an edge's challenge loses is nearly what the best graph without it, or turned, loses.
    for (i, j), challenge in challenges.items():
        without = min(t for g, t in totals.items() if i not in g[j] and j not in g[i])
        turned = min(t for g, t in totals.items() if j in g[i])
        for best, nats in ((without, challenge.removed.nats), (turned, challenge.reversed.nats)):
            least = best - totals[found]
            assert least - 1e-6 <= nats <= 1.1 * least + 1e-6


def test_rules_hold_in_every_climb():
    score = score_of(drawn(7))
    free, _ = search(score, rules(4))
    first = arrows(free)[0]
    assert first not in arrows(climb(score, free_of(free, first), rules(4).forbidding(first)))
    back = first[::-1]
    demanding = rules(4).requiring(back)
    turned, challenges = search(score, demanding)
    assert back in arrows(turned)
    # What is required is compared with the best graph without it, and is never turned.
    assert challenges[back].is_given
    assert math.isfinite(challenges[back].removed.nats)
    assert not any(challenges[each].is_given for each in challenges if each != back)
    lean, _ = search(score, rules(4, max_parents=1))
    assert max(map(len, lean)) == 1
    bare, _ = search(score, rules(4, min_gain=1e6))
    assert not arrows(bare)


def test_a_climb_ends_if_a_length_is_not_a_number():
    class Broken:
        fit = staticmethod(lambda keys: None)
        candidates = staticmethod(lambda j, causes, allowed: [sorted(allowed - causes)])
        n_calls = 0

        is_comparable = staticmethod(lambda columns: True)
        n_rows = staticmethod(lambda *columns: 100)

        def saved(self, j, before, after):
            self.n_calls += 1
            assert self.n_calls < 100
            return math.nan

    assert arrows(climb(Broken(), (frozenset(), frozenset()), rules(2))) == []


def free_of(parents, arrow):
    return tuple(each - {arrow[0]} if j == arrow[1] else each for j, each in enumerate(parents))


def test_a_loss_is_that_of_the_columns_that_differ():
    score = score_of(drawn(1))
    one = (frozenset(), frozenset({0}), frozenset(), frozenset())
    other = (frozenset({1}), frozenset(), frozenset(), frozenset())
    found, back = loss(score, one, other, rules(4)), loss(score, other, one, rules(4))
    assert found.nats == pytest.approx(score.saved(0, {1}, ()) + score.saved(1, (), {0}))
    sets = (0, {1}), (1, ()), (0, ()), (1, {0})
    models = [score.model(j, frozenset(causes)) for j, causes in sets]
    rows = models[0].nats + models[1].nats - models[2].nats - models[3].nats
    error = nats_error(math.sqrt(len(rows)) * rows.std(), len(rows))
    sure = 1.0 / (1.0 + math.exp(-SLOPE * abs(found.nats) / error))
    assert sorted([found.confidence, back.confidence]) == pytest.approx([1.0 - sure, sure])


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_orders_and_paths_are_those_of_networkx(data):
    n = data.draw(st.integers(1, 7))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])
    edges = data.draw(st.lists(pairs, max_size=12, unique=True))
    parents = tuple(frozenset(i for i, k in edges if k == j) for j in range(n))
    graph = networkx.DiGraph(edges)
    graph.add_nodes_from(range(n))
    order = causal_order(parents)
    if not networkx.is_directed_acyclic_graph(graph):
        assert len(order) < n
        return
    assert sorted(order) == list(range(n))
    assert all(order.index(i) < order.index(j) for i, j in edges)
    assert sorted(arrows(parents)) == sorted(edges)
    above = ancestors(parents)
    for j in range(n):
        assert set(np.flatnonzero(above[:, j])) == networkx.ancestors(graph, j) | {j}


def test_a_further_cause_that_saves_much_is_not_passed_over(rng):
    a, b, c = rng.normal(size=(3, 400))
    # The product acts through neither of its factors alone.
    columns = [a, b, c, np.sin(a) + a * b + 0.2 * rng.normal(size=400)]
    score = score_of(np.column_stack(columns))
    others = frozenset({0, 1, 2})
    assert [1] in score.candidates(3, frozenset({0}), others)
    assert score.candidates(3, frozenset(), others) == [[0, 1, 2]]


def test_a_direction_has_the_prior_of_pairs(rng):
    """Two columns with repeated values: the edge has the log-odds of `infer_direction`."""
    x = rng.normal(size=200).round(1)
    y = (np.tanh(2.0 * x) + 0.3 * rng.normal(size=200)).round(2)
    score = score_of(np.column_stack([x, y]))
    _, challenges = search(score, rules(2))
    ((arrow, challenge),) = challenges.items()
    pair = infer_direction(x, y, common_cause=False)
    odds = pair.log_odds if arrow == (0, 1) else -pair.log_odds
    assert challenge.direction_confidence == pytest.approx(expit(odds), rel=1e-6)


def test_without_the_prior_a_direction_has_its_nats_alone(rng):
    x = rng.normal(size=200).round(1)
    y = (np.tanh(2.0 * x) + 0.3 * rng.normal(size=200)).round(2)
    _, challenges = search(score_of(np.column_stack([x, y])), rules(2, prior="flat"))
    ((_, challenge),) = challenges.items()
    assert challenge.direction_confidence == challenge.reversed.confidence
