"""Bounds fitted from several starts, and the criterion that compares them in both directions."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from anmmm import infer_direction, infer_directions
from anmmm.collapsed import BoundOptions, CollapsedBound, fit_bound, latent_bounds
from anmmm.collapsed.starts import alone_start, starts_of
from anmmm.datasets import NOISE_FORMS, make_noise_form, make_single_mechanism
from anmmm.preprocessing import Cells, standardize

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
FEW = {"n_inducing": 9, "n_inducing_cause": 6}


@pytest.fixture(scope="module")
def pair():
    x, y = make_single_mechanism("AN", 40, random_state=10_002)
    return standardize(x[:, np.newaxis])[0], standardize(y[:, np.newaxis])[0]


@pytest.fixture(scope="module")
def decision(pair):
    return infer_direction(*pair, criterion="latent", random_state=0)


@pytest.mark.parametrize(
    "family", ["LS", *(pytest.param(name, marks=pytest.mark.slow) for name in ("AN", "MN-U"))]
)
def test_single_mechanisms_are_decided_rightly(family):
    x, y = make_single_mechanism(family, 120, random_state=10_003)
    assert latent_bounds(x, y, random_state=0, **FEW).direction == 1


def test_exchange_reverses_the_score_exactly_and_seeds_decide_the_rest(pair):
    there = latent_bounds(*pair, random_state=3, **FEW)
    back = latent_bounds(*pair[::-1], random_state=3, **FEW)
    assert (back.score, back.direction) == (-there.score, -there.direction)
    assert back.forward == there.backward
    assert latent_bounds(*pair, random_state=3, **FEW) == there
    assert there.score == there.backward_score - there.forward_score
    total = there.forward.cause.bound + there.forward.effect.bound
    assert there.forward.total == -total
    assert_allclose(there.forward_score, -total / 40)


def test_a_fit_is_the_best_of_its_starts_and_tells_its_bound(pair):
    x, y = pair
    fit = fit_bound(y, x, random_state=0, **FEW)
    assert set(fit.screened) == {"quantile", "output", "unused", "random"}
    assert fit.screened[fit.start] == max(fit.screened.values())
    assert fit.bound >= fit.screened[fit.start]
    bound = CollapsedBound(y, x, n_inducing=9)
    assert_allclose(-bound.value_and_grad(bound.pack(fit.parameters))[0], fit.bound, rtol=1e-9)
    assert fit.n_failed_evaluations == 0


def test_starts_can_all_be_evaluated_and_differ(pair):
    x, y = pair
    for X in (None, x, np.hstack([x, x**2])):
        bound = CollapsedBound(np.hstack([y, x]), X, n_latent=3, n_inducing=7)
        starts = starts_of(bound, np.random.default_rng(0))
        for start in starts.values():
            assert np.isfinite(bound.value_and_grad(start)[0])
        means = [bound.unpack(start).mean for start in starts.values()]
        assert all(np.abs(a - b).max() > 0.1 for a in means for b in means if a is not b)


def test_an_effect_by_itself_is_a_start_that_the_cause_hardly_moves(pair):
    x, y = pair
    alone = fit_bound(y, random_state=0)
    bound = CollapsedBound(y, x, n_inducing=30)
    start = bound.unpack(alone_start(bound, alone.parameters))
    assert_array_equal(start.mean, alone.parameters.mean)
    assert len(np.unique(start.inducing[:, 1])) == 2
    fit = fit_bound(y, x, alone=alone, random_state=0)
    assert "alone" in fit.screened
    fewer = CollapsedBound(y, x, n_inducing=1)
    assert np.isfinite(fewer.value_and_grad(alone_start(fewer, alone.parameters))[0])


def test_a_gaussian_variable_costs_what_its_density_says():
    # The latent is then not used, and nothing is lost by the bound.
    y = standardize(np.random.default_rng(0).normal(size=(200, 1)))[0]
    fit = fit_bound(y, random_state=0)
    gaussian = -100.0 * (np.log(2.0 * np.pi) + 1.0)
    assert gaussian - 0.05 <= fit.bound <= gaussian + 5.0


def test_noise_is_not_below_the_resolution():
    values = np.repeat(np.arange(5.0), 12)
    y = standardize(values[:, np.newaxis])[0]
    fit = fit_bound(y, random_state=0, **FEW)
    assert fit.parameters.noise >= Cells.of(y[:, 0]).variance * (1.0 - 1e-12)


def test_several_columns():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = np.tanh(x @ rng.normal(size=(2, 3))) + 0.1 * rng.normal(size=(60, 3))
    result = latent_bounds(x, y, random_state=0, n_latent=2, **FEW)
    assert result.forward.effect.parameters.inducing.shape == (9, 4)
    assert np.isfinite(result.score)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_inducing": 0}, "n_inducing must be at least 1"),
        ({"n_screen": 0}, "n_screen must be at least 1"),
        ({"tol": -1.0}, "tol must be finite and not negative"),
        ({"nugget": np.nan}, "nugget must be finite"),
        ({"n_chunks": 0}, "n_chunks must be at least 1"),
        ({"steam": 1}, "unknown option 'steam'; the options of a bound are n_latent, n_inducing"),
    ],
)
def test_bad_options_are_named(pair, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        latent_bounds(*pair, **options)
    with pytest.raises((ValueError, TypeError), match=message):
        fit_bound(pair[0], **options)


def test_bad_data_are_named():
    with pytest.raises(ValueError, match="x is constant"):
        latent_bounds(np.ones(20), np.arange(20))
    with pytest.raises(ValueError, match="found 20 and 19"):
        latent_bounds(np.arange(20), np.arange(19))


def test_a_bound_that_no_start_can_evaluate_says_what_to_do():
    # Two distinct points for nine inducing ones, and no nugget.
    y = np.repeat([-1.0, 1.0], 10)[:, np.newaxis]
    with pytest.raises(FloatingPointError, match="raise nugget or lower n_inducing"):
        fit_bound(y, y, nugget=0.0, n_inducing=20, n_latent=1, random_state=_Constant())


class _Constant(np.random.Generator):
    """Draws nothing but zeros, so that the start that is drawn is as degenerate as the others."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def standard_normal(self, size=None):
        return np.zeros(size)


def test_the_criterion_is_what_the_function_says(decision):
    result, bounds = decision, decision.bounds
    assert (result.score, result.forward_score) == (bounds.score, bounds.forward_score)
    assert (result.evidence, result.confidence, result.dependence) == (None, None, None)
    assert (result.relation, result.check_pvalue) == ("x→y", None)
    assert result.converged == (bounds.forward.converged and bounds.backward.converged)
    assert result.n_iter == max(bounds.forward.n_iter, bounds.backward.n_iter)
    assert "_made" not in vars(result._fitting)


@pytest.mark.slow
def test_halves_make_a_confidence(pair):
    result = infer_direction(*pair, criterion="latent", n_resamples=2, random_state=0)
    assert len(result.resamples.scores) == 2
    assert 0.5 <= result.confidence <= 1.0


def test_rows_of_a_collection_fit_nothing_else(pair, monkeypatch):
    monkeypatch.setattr(
        "anmmm.dependence.LatentFitting._fit", lambda _: pytest.fail("a GPPOM was fitted")
    )
    (row,) = infer_directions([pair], criterion="latent")
    assert (row.status, row.direction) == ("ok", 1)
    assert (row.forward_pvalue, row.engine, row.model) == (None, None, None)


def test_an_unconverged_bound_is_told(pair, monkeypatch):
    monkeypatch.setattr(
        "anmmm.collapsed.compare.BoundOptions", lambda: BoundOptions(n_screen=2, max_iter=3)
    )
    with pytest.warns(ConvergenceWarning, match="a bound of the hypothesis that x causes y"):
        infer_direction(*pair, criterion="latent", random_state=0)
    (row,) = infer_directions([pair], criterion="latent")
    assert "bound of x → y not converged" in row.reason


def test_command_line(run, pair, tmp_path):
    path = tmp_path / "pair.csv"
    np.savetxt(path, np.hstack(pair), delimiter=",")
    status, out, err = run("direction", path, "--criterion", "latent", "--lam", "2")
    assert status == 0
    assert "criterion     latent" in out
    assert "--lam is not used" in err
    _, out, _ = run("direction", path, "--criterion", "latent", "--json")
    document = json.loads(out)
    assert (document["direction"], document["criterion"]) == (1, "latent")
    assert (document["lam"], document["forward_pvalue"]) == (None, None)


def test_plot(pair, decision):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib.figure import Figure

    from anmmm.plotting import plot_direction

    panels = plot_direction(*pair, decision, axes=Figure().subplots(1, 3))
    sides = decision.bounds.forward, decision.bounds.backward
    for panel, side in zip(panels, sides, strict=False):
        (points,) = panel.collections
        assert_array_equal(points.get_array(), side.effect.parameters.mean[:, 0])
    assert "nats per observation" in " ".join(panels[2].get_title(loc="left").split())


@pytest.mark.parametrize("form", NOISE_FORMS)
def test_noise_forms(form):
    x, y = make_noise_form(form, 50, random_state=1)
    again = make_noise_form(form, 50, random_state=1)
    assert x.shape == y.shape == (50,)
    assert_array_equal(x, again[0])
    assert_array_equal(y, again[1])
    others = [make_noise_form(other, 50, random_state=1)[0] for other in NOISE_FORMS]
    assert sum(np.array_equal(x, other) for other in others) == 1


def test_noise_forms_are_what_they_say():
    # Given the cause an effect of f(x)+e varies by the noise alone, and the others as their f says.
    for seed in range(20):
        x, y = make_noise_form("f(x*e)", 400, random_state=seed)
        # A parabola has no values beyond its vertex; neither form is constant.
        assert np.ptp(y) > 0.0
        assert np.isfinite(x).all()
    with pytest.raises(ValueError, match="form must be one of"):
        make_noise_form("f(e)")
    with pytest.raises(ValueError, match="n_samples must be at least 1"):
        make_noise_form(n_samples=0)
