"""GPPOM: starts, status, estimator conventions, extreme data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from anmmm import GPPOM, FitOptions
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import options as fit_options
from anmmm.gppom.model import fit_gppom
from anmmm.gppom.start import initial_hyperparameters, initial_latent
from anmmm.preprocessing import standardize
from drawn import objective_of
from record_comparison import assert_same


@pytest.fixture(scope="module")
def pair():
    x, y, _ = make_anm_mixture("f3", 50, random_state=1)
    return standardize(x[:, None])[0], standardize(y[:, None])[0]


def fit(pair, **options):
    return fit_gppom(*pair, random_state=0, fit_options=FitOptions(**options))


def test_the_end_is_a_stationary_point_of_the_objective(pair):
    result = fit(pair, tol=1e-13)
    value, gradient = objective_of(*pair, lam=1.0).value_and_grad(result.parameters)
    assert_allclose(value, result.objective, rtol=1e-12)
    assert value < result.history[0] - 10
    # Against the gradient at a nearby point, which is of order 1 to 100.
    assert np.abs(gradient).max() < 1e-2


@pytest.mark.parametrize(("n", "growth", "factor"), [(50, 0.5, 1.0), (400, 0.5, 2.0), (400, 0, 1)])
def test_weights_grow_with_the_observations(n, growth, factor):
    x, y, _ = make_anm_mixture("f3", n, random_state=1)
    pair = standardize(x[:, None])[0], standardize(y[:, None])[0]
    result = fit_gppom(
        *pair, fit_options=FitOptions(lam=0.7, weight_growth=growth, hyper_prior=1.5, max_iter=200)
    )
    assert_allclose([result.lam, result.hyper_prior], [0.7 * factor, 1.5 * factor], rtol=1e-15)
    weights = {"lam": result.lam, "hyper_prior": result.hyper_prior}
    objective = objective_of(*pair, **weights, engine_tol=fit_options.FIT_TOLERANCE)
    assert_allclose(objective.value_and_grad(result.parameters)[0], result.objective, rtol=1e-12)


def test_the_default_tolerance_falls_with_many_observations(pair, monkeypatch):
    options = FitOptions()
    assert_allclose([options.tol_for(n) for n in (10, 50_000, 500_000)], [1e-6, 1e-6, 1e-7])
    assert options.tol_for(500_000, begun=True) == 1e-6
    assert FitOptions(tol=1e-2).tol_for(10**6) == 1e-2
    usual = fit(pair)
    monkeypatch.setattr(fit_options, "SMALLEST_GAIN", 1e-8 * len(pair[0]))
    assert fit(pair).n_iter == fit(pair, tol=1e-8).n_iter > usual.n_iter


def test_a_short_fit_says_that_it_did_not_converge(pair):
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        result = fit(pair, max_iter=3)
    assert not result.converged
    assert result.status == "max_iter"
    assert result.n_iter == 3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("latent_map", ["free", "mlp"])
@pytest.mark.parametrize(("n_latent", "dx", "d"), [(2, 2, 1), (3, 1, 2), (2, 1, 2)])
def test_every_map_and_width(latent_map, n_latent, dx, d, rng):
    X = standardize(rng.normal(size=(30, dx)))[0]
    Y = standardize(np.tanh(X[:, :1]) + rng.normal(size=(30, d)))[0]
    result = fit((X, Y), latent_map=latent_map, n_latent=n_latent, max_iter=15)
    assert result.latent.shape == (30, n_latent)
    assert np.isfinite(result.objective)
    assert result.objective < result.history[0]
    # Columns that the data do not have are noise.
    assert result.init == ("residual+noise" if n_latent > d else "residual")


def test_a_start_is_what_a_line_leaves(rng):
    x = rng.normal(size=(40, 1))
    y = x**3 + rng.normal(size=(40, 1))
    theta, name = initial_latent(x, y, 1, "residual", rng)
    left = y[:, 0] - np.polyval(np.polyfit(x[:, 0], y[:, 0], 1), x[:, 0])
    assert name == "residual"
    assert_allclose(abs(np.corrcoef(theta[:, 0], left)[0, 1]), 1.0, rtol=1e-10)
    assert_allclose(theta.std(), 1.0)


def test_given_start_is_taken_and_its_shape_checked(pair):
    given = np.random.default_rng(0).normal(size=(50, 1))
    result = fit(pair, init=given)
    assert result.init == "given"
    objective = objective_of(*pair, lam=1.0)
    start = objective.pack(given, initial_hyperparameters(1, 1))
    assert_allclose(result.history[0], objective.value_and_grad(start)[0])
    with pytest.raises(ValueError, match=r"init must have shape .*\(50, 1\).*\(50, 2\)"):
        fit(pair, init=np.random.default_rng(0).normal(size=(50, 2)))


WRONG = {
    "n_latent": (0, 1.0),
    "latent_map": ("linear", None),
    "n_hidden": (0, "20"),
    "engine": ("gpu",),
    "kernel_x": ("cubic",),
    "kernel_theta": ("cubic",),
    "combine": ("both",),
    "engine_tol": (-1.0, np.inf, "auto"),
    "n_chunks": (0, 2.5, True),
    "noise_floor": (-1e-3, np.nan),
    "hsic_floor": (-1e-3, "1"),
    "latent_prior": (-1.0, np.inf),
    "hyper_prior": (-1.0, 1e308),
    "weight_prior": (-1.0,),
    "weight_growth": (-1.0, "none"),
    "init": ("random",),
    "max_iter": (0, 1.5),
    "tol": (-1.0,),
    "subsample": (0, 2.5, "all"),
}


def test_options_out_of_range_are_refused_by_name(pair):
    for name, values in WRONG.items():
        for value in values:
            with pytest.raises((ValueError, TypeError), match=f"{name} must be"):
                FitOptions(**{name: value})
    with pytest.raises(ValueError, match="lam must be finite and not negative, found -1"):
        objective_of(*pair, lam=-1.0)
    with pytest.raises(TypeError, match="fit_options must be a FitOptions or a mapping"):
        FitOptions.of([("lam", 1.0)])
    x, y = np.random.default_rng(0).normal(size=(2, 202, 1))
    with pytest.raises(ValueError, match=r"weight_growth=10000.0 multiplies lam .* at 202 obs"):
        GPPOM(fit_options={"weight_growth": 1e4}).fit(x, y)


def test_open_options_are_filled():
    # What is left open is filled by the use, what is given is not.
    uses = {"weight_growth": 0.25, "subsample": None, "engine_tol": 1e-11}
    filled = FitOptions().filled(**uses)
    assert {name: getattr(filled, name) for name in uses} == uses
    given = {"weight_growth": 0.0, "subsample": 7, "engine_tol": 0.0}
    assert vars(FitOptions(**given).filled(**uses)) == vars(FitOptions(**given))


def test_the_estimator_has_the_fit_of_its_options(pair):
    options = FitOptions(lam=0.5, n_latent=2, tol=1e-3)
    model = GPPOM(fit_options=options, random_state=0).fit(pair[0], pair[1][:, 0])
    expected = fit([standardize(part)[0] for part in pair], lam=0.5, n_latent=2, tol=1e-3)
    assert_same(model.fit_result_, expected)
    for name in ("objective", "log_likelihood", "hsic", "n_iter", "converged"):
        assert getattr(model, f"{name}_") == getattr(expected, name)
    with pytest.raises(TypeError, match="'noise_floor'"):
        GPPOM(noise_floor=0.1)
