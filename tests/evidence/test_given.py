"""A variable described given any number of others."""

import numpy as np
import pytest

from anmmm.evidence import Variable, evidence
from anmmm.evidence.vectors import describe_over
from anmmm.graph.lengths import Sample
from drawn import variable_of

N = 200


def test_a_variable_is_described_given_any_others(rng):
    """As a search over graphs needs it: shorter by a cause, not by what adds nothing."""
    p = rng.normal(size=N)
    u = np.sin(2 * p) + rng.uniform(-1, 1, N)
    v = np.tanh(2 * u) + p**2 + 0.3 * rng.uniform(-1, 1, N)
    columns = [(each - each.mean()) / each.std() for each in (p, u, v, rng.normal(size=N))]
    p, u, effect, noise = map(Variable.of, columns)

    def length(*causes):
        return describe_over(effect, causes, False).length

    assert length(u, p) < min(length(u), length(p)) - 20
    assert length(u, p, noise) > length(u, p) - 2
    assert min(length(u), length(p)) < effect.length


def test_a_joint_curve_of_four_causes_is_fine_enough():
    """Each cause of a process of unit length scale saves half as much by a spline of few knots."""
    rng = np.random.default_rng(3)
    causes, waves = rng.normal(size=(4, 800)), rng.normal(size=(200, 4))
    process = np.cos(waves @ causes + rng.uniform(0, 2 * np.pi, (200, 1))).sum(axis=0) / 10
    *given, effect = map(variable_of, [*causes, process + 0.5 * rng.normal(size=800)])
    whole = describe_over(effect, given, False)
    assert whole.name.startswith("anm-1")
    for left_out in given:
        others = [each for each in given if each is not left_out]
        assert describe_over(effect, others, False).length - whole.length > 155.0


@pytest.mark.parametrize(("n_shared", "is_tied"), [(N // 10, True), (N // 10 - 1, False)])
def test_a_value_that_a_tenth_of_rows_share_ties_a_parent_as_it_ties_a_pair(n_shared, is_tied, rng):
    """One rule: a cause has the same lengths in a graph as in a pair of its own."""
    parent, noise = rng.normal(size=N), 0.3 * rng.normal(size=(2, N))
    parent[:n_shared] = 0.5
    table = np.column_stack([parent, np.sin(parent) + noise[0], np.tanh(2 * parent) + noise[1]])
    sample = Sample(table, (False,) * 3)
    assert sample.is_tied == is_tied
    for child in (1, 2):
        pair = evidence(parent, table[:, child])
        there = sample.model(0, frozenset()).length + sample.model(child, frozenset([0])).length
        back = sample.model(child, frozenset()).length + sample.model(0, frozenset([child])).length
        assert there / N == pytest.approx(pair.forward_score)
        assert back / N == pytest.approx(pair.backward_score)
