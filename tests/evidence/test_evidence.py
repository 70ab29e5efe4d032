"""Descriptions of both directions, the check of models, several causes, set points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm import infer_direction
from anmmm.datasets import make_anm_mixture, make_single_mechanism
from anmmm.evidence import description_lengths
from anmmm.evidence.lengths import INDEPENDENCE_EVEN
from anmmm.evidence.models import base as evidence_module
from anmmm.evidence.variable import Variable
from anmmm.evidence.vectors import describe_over
from anmmm.graph.sample import Sample
from anmmm.graph.score import LocalScore
from drawn import NAMES, draw_effect


@pytest.mark.parametrize("family", NAMES)
def test_direction_of_single_mechanisms(family):
    for seed in range(2):
        x, y = draw_effect(family, 300, random_state=seed)
        result = description_lengths(y, x)
        assert result.direction == -1
        if family in ("AN", "AN-s"):
            assert result.backward.n_mechanisms == 1


def test_totals_are_the_sums_of_their_parts():
    x, y, _ = make_anm_mixture("f2", random_state=6)
    result, exchanged = description_lengths(x, y), description_lengths(y, x)
    assert result.forward_score == result.forward.total / 100
    assert_allclose(result.score, result.backward_score - result.forward_score)
    for side in (result.forward, result.backward):
        assert side.total == side.cause + side.effect
        assert side.effect == side.lengths[side.model] == min(side.lengths.values())
        assert side.converged
        assert side.mixtures[side.n_mechanisms - 1].n_mechanisms == side.n_mechanisms
    # The side of the direction is chosen.
    assert result.chosen is result.forward
    assert exchanged.chosen is exchanged.backward
    assert description_lengths(x, x).chosen is None


def test_convergence_is_that_of_the_chosen_model(monkeypatch, rng):
    x = rng.normal(size=150)
    monkeypatch.setattr(evidence_module, "MAX_ITER", 1)
    linear = description_lengths(x, x + rng.normal(size=150))
    assert linear.forward.model == "anm-1"
    assert linear.forward.converged == linear.forward.mixtures[0].converged
    x, y = make_single_mechanism("LS", 300, random_state=0)
    spread = description_lengths(x, y)
    assert spread.forward.model.startswith("location-scale")
    # Its iterations have a limit of their own.
    assert spread.forward.converged


def test_what_saves_little_is_independent():
    weak = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        numbers, names = rng.normal(size=100), rng.choice(list("abcd"), 100)
        result = (
            description_lengths(numbers, names) if seed % 2 else description_lengths(names, numbers)
        )
        lengths = [side.lengths for side in (result.forward, result.backward)]
        saved = max(
            model_lengths["independent"] - min(model_lengths.values()) for model_lengths in lengths
        )
        assert result.independent == (saved <= INDEPENDENCE_EVEN)
        if result.independent:
            assert (result.score, result.forward.model) == (0.0, "independent")
            weak.append(saved > 0.0)
    assert len(weak) >= 38
    # Else the limit would not be tested.
    assert any(weak)


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_draws_depend_on_no_data_that_a_small_seed_made(generator):
    for rng in map(generator, range(5)):
        x = rng.uniform(-2.0, 2.0, size=400)
        y = rng.poisson(np.exp(0.4 * x))
        assert infer_direction(x, y).check_pvalue > 1e-3


N = 200


def test_a_variable_is_described_given_any_others(rng):
    """As a search over graphs needs it: shorter by a cause, not by what adds nothing."""
    p = rng.normal(size=N)
    u = np.sin(2 * p) + rng.uniform(-1, 1, N)
    v = np.tanh(2 * u) + p**2 + 0.3 * rng.uniform(-1, 1, N)
    columns = [(values - values.mean()) / values.std() for values in (p, u, v, rng.normal(size=N))]
    p, u, effect, noise = map(Variable.of, columns)

    def length(*causes):
        return describe_over(effect, causes).length

    assert length(u, p) < min(length(u), length(p)) - 20
    assert length(u, p, noise) > length(u, p) - 2
    assert min(length(u), length(p)) < effect.marginal.length


@pytest.mark.parametrize("n_shared", [0, N // 10])
def test_a_cause_has_the_same_lengths_in_a_graph_as_in_a_pair(n_shared, rng):
    parent, noise = rng.normal(size=N), 0.3 * rng.normal(size=(2, N))
    parent[:n_shared] = 0.5
    table = np.column_stack([parent, np.sin(parent) + noise[0], np.tanh(2 * parent) + noise[1]])
    score = LocalScore(Sample(table, (False,) * 3))
    for child in (1, 2):
        pair = description_lengths(parent, table[:, child])
        there = score.length(0, ()) + score.length(child, [0])
        back = score.length(child, ()) + score.length(0, [child])
        assert there / N == pytest.approx(pair.forward_score)
        assert back / N == pytest.approx(pair.backward_score)


def set_points(rng, n, count):
    """Equally many of each of some settings, with small errors."""
    return rng.choice(np.arange(float(count)), n) + 0.05 * rng.normal(size=n)


@pytest.mark.parametrize("count", [5, 8, 12])
def test_set_points_are_the_cause_of_what_follows_them(count):
    results = []
    for seed in range(6):
        rng = np.random.default_rng([seed, 9])
        x = set_points(rng, 300, count)
        y = np.tanh(3.0 * (x / count - 0.5)) + 0.3 * rng.normal(size=300)
        results.append(infer_direction(x, y))
    assert [result.relation for result in results] == ["x->y"] * 6


def test_unrelated_set_points_are_independent(rng):
    for count in (5, 8):
        x = set_points(rng, 300, count)
        for y in (rng.normal(size=300), set_points(rng, 300, count)):
            assert description_lengths(x, y).independent


def test_rounded_set_points_are_no_hidden_groups():
    # Clusters of one variable alone say nothing of a common cause.
    for seed in range(4):
        rng = np.random.default_rng([seed, 11])
        usual = rng.choice([5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 75.0, 90.0], 300)
        x = np.maximum(usual + np.round(rng.normal(size=300)), 1.0)
        y = 40.0 * (1.0 - np.exp(-0.04 * x)) * rng.normal(1.0, 0.1, 300)
        result = infer_direction(x, np.round(y + 1.5 * rng.normal(size=300)))
        assert result.relation == "x->y"
