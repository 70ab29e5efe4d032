import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from anmmm import ANMMixture, cluster_mechanisms
from anmmm.datasets import make_anm_mixture
from anmmm.evidence import description_lengths
from anmmm.evidence.curves import mixture_curves, model_curves
from anmmm.preprocessing import standardize

X, Y, _ = make_anm_mixture("f3", 100, random_state=1)
X_COLUMN, Y_COLUMN = (40 + 7 * X)[:, np.newaxis], (3 * Y - 20)[:, np.newaxis]


def test_curves_of_a_mixture_are_those_of_the_estimator():
    result = cluster_mechanisms(X_COLUMN, Y_COLUMN, 2, random_state=0)
    curves = mixture_curves(result.mixture, X_COLUMN, Y_COLUMN, X_COLUMN)
    assert_allclose(curves.center, standardize(Y_COLUMN)[1].undo(result.mixture.curves), rtol=1e-9)
    std = result.mixture.noise_std * Y_COLUMN.std()
    assert_allclose(curves.upper - curves.center, std)
    assert_allclose(curves.center - curves.lower, std)
    model = ANMMixture(3).fit(X_COLUMN, Y_COLUMN)
    points = np.linspace(X_COLUMN.min() - 1, X_COLUMN.max() + 1, 31)[:, np.newaxis]
    curves = mixture_curves(model.fit_result_, X_COLUMN, Y_COLUMN, points).center
    sorted_curves, expected = (np.sort(values, axis=1) for values in (curves, model.curves(points)))
    assert_allclose(sorted_curves, expected, rtol=1e-6)


def test_every_model_draws_the_curve_that_it_was_measured_by(rng):
    x = rng.uniform(-2, 2, 200)
    y = x**2 + (1 + 0.4 * x) * rng.normal(size=200)
    side = description_lengths(x, y).forward
    cause = standardize(x[:, None])[0]
    for name, model in side.models.items():
        curves = model.curves(cause)
        if name == "independent":
            assert_allclose(np.ptp(curves.center), 0.0)
            continue
        fit = getattr(model.base, "fit", model.base)
        fitted = fit.curves if name.startswith("anm") else fit.curve[:, None]
        if "pnl" in name:
            # The function takes the curve drawn back to the one that was fitted.
            inside = np.abs(fitted - np.median(fitted)) < 1
            linked = fit.link.apply(curves.center)
            assert_allclose(linked[inside], fitted[inside], atol=0.05)
            fitted = curves.center
        elif name in ("ordered", "ordered+link", "count"):
            assert np.all(np.diff(curves.center[np.argsort(fitted[:, 0]), 0]) >= -1e-12)
            fitted = curves.center
        assert_allclose(curves.center, fitted, rtol=1e-7, atol=1e-7)
        assert np.all((curves.lower <= curves.center) & (curves.center <= curves.upper))
        assert curves.center.shape == (200, model.n_mechanisms)


def test_data_of_another_fit_are_refused():
    result = description_lengths(X, Y)
    for side in (result.forward, result.backward):
        with pytest.raises(ValueError, match="not the data that the result was made from"):
            model_curves(side, X_COLUMN**3, Y_COLUMN, X_COLUMN)
        with pytest.raises(ValueError, match="all rows"):
            model_curves(side, X_COLUMN[:50], Y_COLUMN[:50], X_COLUMN)


def test_a_scale_that_depends_on_the_cause_makes_the_band_widen(rng):
    x = rng.uniform(0, 4, 400)
    y = 2 * x + np.exp(x - 2) * rng.normal(size=400)
    side = description_lengths(x, y).forward
    assert side.model == "location-scale"
    points = np.array([[0.5], [2.0], [3.5]])
    curves = model_curves(side, x[:, np.newaxis], y[:, np.newaxis], points)
    width = (curves.upper - curves.lower)[:, 0] / 2
    assert_allclose(np.log(width), points[:, 0] - 2, atol=0.35)
    assert_allclose(curves.center[:, 0], 2 * points[:, 0], atol=1.0)


N = 1000


def drawn_effects(rng):
    x = rng.normal(size=N)
    latent = 1.5 * x + rng.logistic(size=N)
    at_atom = rng.random(N) < expit(2.0 * x)
    grades = np.digitize(x + 0.7 * rng.normal(size=N), [-0.9, 0.0, 0.9])
    return x, {
        "binary": (latent > 0.5) * 1.0,
        "ordered": np.digitize(latent, [-1.5, 1.2]) * 1.0,
        "grades": grades + 1.0,
        "unequal": np.array([1.0, 2.0, 5.0, 10.0])[grades],
        "count": rng.poisson(np.exp(0.3 + 0.8 * x)) * 1.0,
        "count without zeros": np.maximum(rng.poisson(np.exp(0.8 * x)), 1) * 1.0,
        "many zeros": np.where(rng.random(N) < 0.4, 0, 1 + rng.poisson(np.exp(0.6 + 0.6 * x)))
        * 1.0,
        "constant but for an atom": np.where(at_atom, 0.0, 3.0 + rng.normal(size=N)),
        "independent": (rng.random(N) < 0.3) * 1.0,
    }


def test_curves_of_levels_and_counts_are_observed_means(rng):
    x, effects = drawn_effects(rng)
    for name, y in effects.items():
        side = description_lengths(x, y).forward
        center = model_curves(side, x[:, None], y[:, None], x[:, None]).center[:, 0]
        for rows in np.array_split(np.argsort(x), 10):
            # A bin without a spread, all of one level, may still miss one of its hundred rows.
            error = max(y[rows].std(), 0.2) / np.sqrt(len(rows))
            assert abs(y[rows].mean() - center[rows].mean()) < 4.5 * error, (name, side.model)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (2.0, 7.0)])
def test_the_curve_of_a_binary_effect_is_the_probability_of_its_upper_value(rng, low, high):
    x = rng.normal(size=N)
    y = np.where(rng.random(N) < expit(2.5 * x + 0.5), high, low)
    points = np.linspace(*np.quantile(x, [0.02, 0.98]), 100)[:, None]
    curves = model_curves(description_lengths(x, y).forward, x[:, None], y[:, None], points)
    assert curves.levels == (high,)
    assert np.abs(curves.center - expit(2.5 * points + 0.5)).max() < 0.08
    # A probability has no band.
    assert np.array_equal(curves.lower, curves.upper)


def test_the_curves_of_categories_are_probabilities_even_if_they_are_independent(rng):
    names = rng.choice(["a", "b", "c", "d"], N, p=[0.1, 0.2, 0.3, 0.4])
    x = rng.normal(size=N)
    codes = np.unique(names, return_inverse=True)[1].astype(float)[:, None]
    curves = model_curves(
        description_lengths(x, names).forward, x[:, None], codes, np.zeros((1, 1))
    )
    assert_allclose(curves.center[0], [0.1, 0.2, 0.3, 0.4], atol=0.06)
