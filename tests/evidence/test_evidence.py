"""Evidence: both directions are told by the same rules, and the true one is told shorter."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm.datasets import FAMILIES, make_anm_mixture, make_single_mechanism
from anmmm.evidence import evidence
from anmmm.evidence.lengths import INDEPENDENCE_EVEN
from anmmm.evidence.models import base as evidence_module


@pytest.mark.parametrize("family", FAMILIES)
def test_direction_of_single_mechanisms(family):
    for seed in range(2):
        x, y = make_single_mechanism(family, 300, random_state=seed)
        result = evidence(y, x)
        assert result.direction == -1
        if family in ("AN", "AN-s"):
            assert result.backward.n_mechanisms == 1


def test_exchange_negates_the_score_exactly():
    x, y, _ = make_anm_mixture("f3", random_state=4)
    one, other = evidence(x, y), evidence(y, x)
    assert one.score == -other.score
    assert one.forward_score == other.backward_score
    assert one.direction == -other.direction


def test_totals_are_the_sums_of_their_parts():
    x, y, _ = make_anm_mixture("f2", random_state=6)
    result = evidence(x, y)
    assert result.forward_score == result.forward.total / 100
    assert_allclose(result.score, result.backward_score - result.forward_score)
    for side in (result.forward, result.backward):
        assert side.total == side.cause + side.effect
        assert side.effect == side.lengths[side.model] == min(side.lengths.values())
        assert side.converged
        assert side.n_iter == max(fit.n_iter for fit in side.mixtures)
        assert side.mixtures[side.n_mechanisms - 1].n_mechanisms == side.n_mechanisms


def test_the_chosen_side_is_that_of_the_direction():
    x, y, _ = make_anm_mixture("f2", random_state=6)
    there, back = evidence(x, y), evidence(y, x)
    assert there.chosen is there.forward
    assert back.chosen is back.backward
    assert evidence(x, x).chosen is None


def test_convergence_is_that_of_the_chosen_model(monkeypatch, rng):
    x = rng.normal(size=150)
    monkeypatch.setattr(evidence_module, "MAX_ITER", 1)
    linear = evidence(x, x + rng.normal(size=150))
    assert linear.forward.model == "anm-1"
    assert linear.forward.converged == linear.forward.mixtures[0].converged
    x, y = make_single_mechanism("LS", 300, random_state=0)
    spread = evidence(x, y)
    assert spread.forward.model.startswith("location-scale")
    # Its iterations have a limit of their own.
    assert spread.forward.converged


def test_independent_variables_decide_little():
    rng = np.random.default_rng(7)
    for first, second in (
        (rng.normal(size=400), rng.uniform(size=400)),
        (rng.poisson(2.0, size=400), rng.exponential(size=400)),
    ):
        assert abs(evidence(first, second).score) < 0.05


def test_odd_data_give_finite_scores():
    x = np.random.default_rng(9).normal(size=80)
    even = np.arange(80) % 2 == 0
    effects = {
        "exact": x**3,
        "binary": (x > 0).astype(float),
        "rounded": np.round(2 * x),
        "outlier": np.where(np.arange(80) == 0, 1e12, x),
        "atom": np.where(even, np.maximum(x, 0.0), 0.0),
        "unrelated coin": even + 0.0,
    }
    for name, effect in effects.items():
        score = evidence(x, effect).score
        assert np.isfinite(score), name
        assert abs(score) < 10, name
    assert evidence(x, x).direction == 0


def test_tied_data_get_linked_models_in_both_directions(rng):
    x = rng.normal(size=200)
    result = evidence(x, np.round(x + rng.normal(size=200)))
    assert "location-scale+link" in result.forward.lengths
    assert "location-scale+link" in result.backward.lengths
    assert "location-scale+link" not in evidence(x, x + rng.normal(size=200)).forward.lengths


def test_more_observations_say_the_same():
    x, y, _ = make_anm_mixture("f3", n_samples=5000, random_state=11)
    result = evidence(x, y)
    assert result.direction == 1
    assert result.forward.model == "anm-2"


@pytest.mark.parametrize(
    ("x", "options", "message"),
    [
        (np.zeros((20, 2)) + np.arange(20)[:, None] ** [1, 2], {}, "2 of x and 1 of y"),
        (np.ones(20), {}, "x"),
        (np.arange(20.0), {"max_mechanisms": 0}, "max_mechanisms"),
    ],
)
def test_errors_name_the_argument(x, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        evidence(x, np.random.default_rng(0).normal(size=20), **options)


def test_what_saves_little_is_independent():
    weak = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        numbers, names = rng.normal(size=100), rng.choice(list("abcd"), 100)
        result = evidence(numbers, names) if seed % 2 else evidence(names, numbers)
        lengths = [each.lengths for each in (result.forward, result.backward)]
        saved = max(each["independent"] - min(each.values()) for each in lengths)
        assert result.independent == (saved <= INDEPENDENCE_EVEN)
        if result.independent:
            assert (result.score, result.forward.model) == (0.0, "independent")
            weak.append(saved > 0.0)
    assert len(weak) >= 38
    # Else the limit would not be tested.
    assert any(weak)
