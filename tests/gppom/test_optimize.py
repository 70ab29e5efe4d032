"""The L-BFGS-B driver on functions whose minimum is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from anmmm.gppom.optimize import minimize_from

CENTRE = np.array([1.0, 2.0, -3.0])
CURVATURE = np.array([1.0, 10.0, 100.0])
UNBOUNDED = (np.full(3, -np.inf), np.full(3, np.inf))


def quadratic(z):
    step = z - CENTRE
    return 0.5 * float(CURVATURE @ step**2), CURVATURE * step


def rosenbrock(z):
    a, b = 1.0 - z[0], z[1] - z[0] ** 2
    return a**2 + 100.0 * b**2, np.array([-2.0 * a - 400.0 * z[0] * b, 200.0 * b])


def failing_beyond(limit, function=quadratic):
    """Same function, but infinite where the first coordinate is above a limit."""

    def with_hole(z):
        return (np.inf, np.zeros_like(z)) if z[0] > limit else function(z)

    return with_hole


def descent(*arguments, **options):
    """Minimize, and check what every descent satisfies."""
    outcome = minimize_from(*arguments, **options)
    assert outcome.history.shape == (outcome.n_iter + 1,)
    assert (np.diff(outcome.history) <= 0.0).all()
    assert np.isfinite(outcome.history).all()
    assert outcome.value <= outcome.history[-1]
    assert np.isfinite(outcome.z).all()
    assert outcome.n_evaluations > outcome.n_iter
    assert outcome.converged == (outcome.status == "converged")
    return outcome


def test_units_change_the_way_and_not_the_goal():
    # In these units the bowl is round, and one line search finds its bottom.
    start = quadratic, np.zeros(3), UNBOUNDED
    round_, plain = (descent(*start, units=u, tol=1e-14) for u in (CURVATURE**-0.5, None))
    for outcome in (round_, plain):
        assert outcome.converged
        assert_allclose(outcome.z, CENTRE, atol=1e-5)
        assert_allclose(outcome.value, 0.0, atol=1e-9)
        assert outcome.history[0] == quadratic(np.zeros(3))[0]
    assert round_.n_evaluations < plain.n_evaluations
    assert round_.n_iter <= 2
    there = descent(quadratic, CENTRE, UNBOUNDED)
    assert (there.n_iter, there.converged) == (0, True)
    assert_array_equal(there.z, CENTRE)


def kinks(z):
    """No gradient at the minimum, so that line searches fail around it."""
    return float(np.sum(np.abs(z - CENTRE) * CURVATURE)), np.sign(z - CENTRE) * CURVATURE


@pytest.mark.parametrize("function", [quadratic, kinks, failing_beyond(0.5), failing_beyond(2.0)])
@pytest.mark.parametrize("max_iter", [2, 500])
def test_the_best_point_that_was_seen_is_kept(function, max_iter):
    values = []

    def watched(z):
        value, gradient = function(z)
        values.append(value)
        return value, gradient

    outcome = descent(watched, np.array([-9.0, 0.3, 1.0]), UNBOUNDED, max_iter=max_iter)
    assert outcome.value == min(values) == function(outcome.z)[0]
    assert outcome.n_evaluations == len(values)
    assert outcome.n_failed_evaluations == np.isinf(values).sum()


def test_bounds_are_kept_and_met():
    bounds = np.array([-5.0, -5.0, -2.0]), np.array([0.5, 5.0, 5.0])
    seen = []

    def watched(z):
        seen.append(z.copy())
        return quadratic(z)

    outcome = descent(watched, np.zeros(3), bounds, tol=1e-14)
    assert outcome.converged
    assert_allclose(outcome.z, [0.5, 2.0, -2.0], atol=1e-6)
    assert outcome.n_evaluations == len(seen)
    assert all((bounds[0] <= z).all() and (z <= bounds[1]).all() for z in seen)
    # They are those of z and not of its units.
    outcome = descent(quadratic, np.zeros(3), bounds, units=np.array([4.0, 0.5, 1.0]))
    assert_allclose(outcome.z, [0.5, 2.0, -2.0], atol=1e-4)


@pytest.mark.parametrize("limit", [1.01, 2.0, 3.0])
def test_a_failed_trial_step_does_not_end_the_descent(limit):
    # The minimum is in the domain, but a trial step falls out of it.
    outcome = descent(failing_beyond(limit), np.array([-100.0, -1.0, 1.0]), UNBOUNDED, tol=1e-12)
    assert outcome.n_failed_evaluations >= 1
    assert outcome.status == "converged"
    assert_allclose(outcome.z, CENTRE, atol=1e-4)


def cut_bowl(rng, d):
    """A bowl cut by a plane before its minimum, and a start."""
    root = rng.normal(size=(d, d))
    H = root @ root.T / d + np.eye(d)
    center, normal = rng.normal(size=(2, d))
    normal /= np.linalg.norm(normal)
    short = rng.uniform(0.05, 1.0)

    def bowl(z):
        step = z - center
        if normal @ step > -short:
            return np.inf, np.zeros(d)
        return 0.5 * float(step @ H @ step), H @ step

    return bowl, center - rng.uniform(1.1, 5.0) * normal


def test_no_edge_of_any_domain_is_called_converged():
    # Along the plane's normal the slope stays above 0.05, far more than tolerances leave, wherever
    # the rounding of a processor ends the descent.
    for seed in range(40):
        rng = np.random.default_rng(seed)
        bowl, start = cut_bowl(rng, int(rng.integers(2, 7)))
        unbounded = np.full(len(start), np.inf)
        outcome = descent(bowl, start, (-unbounded, unbounded))
        assert outcome.status == "cholesky_failed", seed
        assert outcome.n_failed_evaluations >= 1
        assert outcome.value == bowl(outcome.z)[0]
    # The minimum lies on the edge itself, where the gradient is zero.
    start = failing_beyond(1.0), np.array([-3.0, 2.0, -3.0]), UNBOUNDED
    outcome = descent(*start, tol=0.0, gradient_tol=1e-6)
    assert outcome.status in ("converged", "line_search")
    assert_allclose(outcome.z, CENTRE, atol=1e-4)


def test_too_few_iterations_and_a_wrong_gradient_are_reported():
    start, bounds = np.array([-1.2, 1.0]), (np.full(2, -9.0), np.full(2, 9.0))
    for max_iter in (1, 4):
        outcome = descent(rosenbrock, start, bounds, max_iter=max_iter)
        assert (outcome.status, outcome.n_iter) == ("max_iter", max_iter)
        assert outcome.value < outcome.history[0]

    def uphill(z):
        value, gradient = quadratic(z)
        return value, -gradient

    assert descent(uphill, np.zeros(3), UNBOUNDED).status == "line_search"


def test_a_start_that_cannot_be_evaluated_raises():
    for function in (failing_beyond(-1.0), lambda z: (np.nan, z)):
        with pytest.raises(FloatingPointError, match="cannot be evaluated at the starting point"):
            descent(function, np.zeros(3), UNBOUNDED)
