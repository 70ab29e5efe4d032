"""Monotone functions of two variables that follow a hidden number, against their objective."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

import oracle
from anmmm import infer_direction
from anmmm.evidence import common_cause, hidden_links
from anmmm.evidence.hidden_links import HiddenLink
from anmmm.evidence.models.postnonlinear import LINK_PRIOR
from drawn import seen_through, variable_of

# Of one variance, so that a best function is that of one objective.
PRECISION = LINK_PRIOR.fixed + LINK_PRIOR.bends
PRIOR = LINK_PRIOR._replace(fixed=PRECISION, bends=np.zeros_like(PRECISION), rank=0)


@pytest.fixture
def link(rng):
    variable = variable_of(np.sinh(2.0 * rng.normal(size=200)))
    return HiddenLink.start(variable, variable.cells.index)


@pytest.fixture
def nodes(rng):
    return rng.dirichlet(np.ones(5), size=200), np.array([-1.2, -0.4, 0.1, 0.5, 1.6])


def objective(h, R, at, log_slopes):
    """Log-density of an observation about its nodes, at places of its scale, and the prior."""
    z, near = h.z, 1e-5
    value, ahead, behind, node = (
        h.scale.link_at(each, np.exp(log_slopes)) for each in (z, z + near, z - near, at)
    )
    off = log_slopes - h.scale.start
    squares = np.sum(R * (value[:, np.newaxis] - node) ** 2)
    return np.log((ahead - behind) / (2.0 * near)).sum() - 0.5 * (squares + off @ PRECISION @ off)


def test_an_update_finds_the_best_function_given_the_nodes(link, nodes, monkeypatch):
    monkeypatch.setattr(hidden_links, "LINK_PRIOR", PRIOR)
    R, positions = nodes
    found, _ = link.updated(R, positions)
    z = np.linspace(-20.0, 20.0, 400_001)
    at = np.interp(positions, link.link.at(z), z)
    best = np.log(found.slopes)
    of_slopes = partial(objective, found, R, at)
    information = -oracle.hessian(of_slopes, best)
    step = np.linalg.solve(information, oracle.central_difference(of_slopes, best))
    assert_allclose(step, 0.0, atol=0.02)
    # Laplace's cost, without what makes curvatures smaller than of squares; the unit of h is that
    # of the noise, which is paid for.
    off = best - found.scale.start
    information += np.diag(np.maximum(PRECISION @ off, 0.0))
    dets = np.linalg.slogdet(information)[1] - np.linalg.slogdet(PRECISION)[1]
    cost = 0.5 * (dets + off @ PRECISION @ off - np.log(len(R))) + found.scale.cost
    assert found.cost == pytest.approx(cost, abs=0.05)


def test_nodes_stay_on_the_variables_own_scale(link, nodes):
    R, positions = nodes
    found, moved = link.updated(R, positions)
    assert_allclose(found.undo(moved), link.undo(positions), atol=2e-2)
    assert not np.allclose(moved, positions, atol=0.1)
    assert_allclose(found.undo(found.apply(np.linspace(-0.2, 0.2, 4))), np.linspace(-0.2, 0.2, 4))


@pytest.mark.parametrize("f", [lambda x: np.sinh(2.0 * x), lambda x: np.tanh(1.5 * x)])
def test_a_curve_is_found_behind_a_monotone_function(f, monkeypatch):
    x, y = seen_through(f)
    result = infer_direction(x, y)
    found = result.models.common_cause
    assert (result.relation, found.kind) == ("common cause", "curve")
    # Nodes follow the rows on the variables' own scales.
    expected = found.probabilities @ found.positions.T
    standard = np.column_stack([(v - v.mean()) / v.std() for v in (x, y)])
    assert np.mean((expected - standard) ** 2) < 0.2
    monkeypatch.setattr(common_cause, "fit_links", lambda *_: None)
    assert infer_direction(x, y).direction != 0
