"""Mixtures whose mechanisms are more or less probable by the cause."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import norm

from anmmm import infer_direction
from anmmm.datasets import make_anm_mixture
from anmmm.evidence import evidence
from anmmm.evidence.models.gated import PRECISION, _follow


def gated(rng, n=300):
    x = rng.uniform(-2.0, 2.0, n)
    upper = rng.random(n) < expit(2.0 * x)
    return x, np.where(upper, 2.5, 0.0) + 0.5 * x + 0.3 * rng.normal(size=n), upper


def test_mechanisms_that_follow_the_cause_are_seen(rng):
    x, y, upper = gated(rng)
    result = infer_direction(x, y)
    assert result.direction == 1
    model = result.models.forward.models["anm-2+gate"]
    assert result.models.forward.model == model.name
    assert model.text.startswith("2 mechanisms, more or less probable by the cause")
    # Weights add up to one, follow the slope that was drawn, and labels are those of the rows.
    assert_allclose(model.weights.sum(axis=1), 1.0)
    high = int(np.argmax(model.fit.curves.mean(axis=0)))
    assert_allclose(model.weights[:, high], expit(2.0 * x), atol=0.15)
    assert np.mean((model.fit.probabilities[:, high] > 0.5) == upper) > 0.95


def test_a_row_costs_its_probability_under_both_mechanisms(rng):
    x, y, _ = gated(rng, 120)
    model = evidence(x, y).forward.models["anm-2+gate"]
    cells, scale = model.cells, np.sqrt(model.fit.noise_variance)
    curves = model.fit.curves.T
    mass = norm.cdf((cells.upper - curves) / scale) - norm.cdf((cells.lower - curves) / scale)
    n = len(x)
    expected = -np.log((1.0 - 1.0 / n) * (model.weights.T * mass).sum(axis=0) + 1.0 / n**2)
    assert cells.n_distinct == n
    assert_allclose(model.nats, expected, rtol=1e-9)


def test_a_gate_maximizes_its_posterior(rng):
    linear = np.column_stack([np.ones(80), rng.normal(size=(80, 2))])
    labels, gate = rng.random(80), np.zeros(3)

    def log_posterior(gate):
        odds = linear @ gate
        fit = labels @ odds - np.logaddexp(0.0, odds).sum()
        return fit - 0.5 * PRECISION * (gate[1:] @ gate[1:])

    precision, h = _follow(gate, linear, labels), 1e-4
    steps = h * np.eye(3)
    gradient = [(log_posterior(gate + s) - log_posterior(gate - s)) / (2 * h) for s in steps]
    assert_allclose(gradient, 0.0, atol=1e-5)
    hessian = [
        [
            sum(i * j * log_posterior(gate + i * s + j * t) for i in (-1, 1) for j in (-1, 1))
            for t in steps
        ]
        for s in steps
    ]
    assert_allclose(precision, -np.array(hessian) / (4 * h * h), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("draw", ["f2", "f3"])
def test_mechanisms_apart_from_the_cause_have_no_gate(draw):
    x, y, _ = make_anm_mixture(draw, 300, random_state=1)
    side = evidence(x, y).forward
    assert side.model in ("anm-2", "anm-3")
    assert "anm-2+gate" not in side.models


def test_a_gate_of_a_rare_mechanism_converges(rng):
    x = np.exp(1.1 * rng.normal(size=3000))
    x = (x.mean() - x) / x.std()
    linear, odds = np.column_stack([np.ones(3000), x]), -4.5 - 1.2 * x
    labels = (rng.random(3000) < expit(odds)).astype(float)
    gate = np.array([np.log(labels.mean() / (1.0 - labels.mean())), 0.0])
    for _ in range(4):
        _follow(gate, linear, labels)
    slope = linear.T @ (labels - expit(linear @ gate)) - [0.0, PRECISION * gate[1]]
    assert_allclose(slope, 0.0, atol=1e-6)
