"""Fits that start where the fit of a subsample ended."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from anmmm import FitOptions
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import model
from anmmm.gppom.model import fit_gppom
from anmmm.gppom.start import evenly_spaced_rows, nearest_rows
from anmmm.preprocessing import standardize
from drawn import objective_of
from record_comparison import assert_same

# Dense, so that ends agree to the last digits.
N, FEW = 95, 19


@pytest.fixture(scope="module")
def pair():
    x, y, _ = make_anm_mixture("f3", N, random_state=1)
    return standardize(x[:, None])[0], standardize(y[:, None])[0]


def fit(pair, seed=0, **options):
    return fit_gppom(*pair, random_state=seed, fit_options=FitOptions(**options))


@pytest.mark.parametrize("dx", [1, 3])
def test_rows_are_distinct_whatever_the_order_of_the_data_and_the_nearest_are_nearest(rng, dx):
    # Whole numbers, so that the first column has ties.
    X, Y = rng.integers(0, 6, size=(N, dx)).astype(float), rng.normal(size=(N, 2))
    order = rng.permutation(N)
    for size in (1, 7, 60, N):
        rows = evenly_spaced_rows(X, Y, size)
        assert len(set(rows)) == len(rows) == size
        others = evenly_spaced_rows(X[order], Y[order], size)
        assert_array_equal(X[order][others], X[rows])
        assert_array_equal(Y[order][others], Y[rows])
        Z = np.hstack([X, Y])
        distances = np.linalg.norm(Z[:, None] - Z[rows], axis=2)
        assert_array_equal(nearest_rows(X, Y, rows), distances.argmin(axis=1))
    # Equally far apart along the first column.
    X, Y = rng.normal(size=(2, 100, 1))
    ranks = X[:, 0].argsort().argsort()
    assert_array_equal(ranks[evenly_spaced_rows(X, Y, 20)], np.arange(2, 100, 5))


def test_below_five_times_the_subsample_or_with_a_given_start_nothing_changes(pair):
    assert_same(fit(pair, subsample=FEW + 1), fit(pair))
    given = np.random.default_rng(0).normal(size=(N, 1))
    assert_same(fit(pair, init=given, subsample=FEW), fit(pair, init=given))
    assert fit(pair).subsample is None


def test_it_starts_where_the_fit_of_the_subsample_ended(pair):
    result, (X, Y) = fit(pair, subsample=FEW), pair
    rows = evenly_spaced_rows(X, Y, FEW)
    few = result.subsample
    assert_same(few, fit((X[rows], Y[rows])))
    objective = objective_of(X, Y, lam=result.lam, hyper_prior=result.hyper_prior)
    start = objective.pack(few.latent[nearest_rows(X, Y, rows)], few.hyperparameters)
    assert_allclose(result.history[0], objective.value_and_grad(start)[0], rtol=1e-12)
    assert result.converged
    assert result.objective < result.history[0]
    # Nothing is drawn for it.
    assert_same(fit(pair, seed=2, subsample=FEW), result)
    assert result.init == few.init


@pytest.mark.parametrize(
    ("dx", "d", "options"),
    [
        (2, 1, {"kernel_x": "linear", "kernel_theta": "linear"}),
        (1, 2, {"n_latent": 2}),
        (1, 1, {"latent_map": "mlp", "n_hidden": 3}),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_kind_of_fit_may_start_there(rng, dx, d, options):
    X = rng.normal(size=(N, dx))
    Y = rng.normal(size=(N, d))
    result = fit((X, Y), subsample=FEW, max_iter=15, **options)
    assert result.subsample is not None
    assert result.objective < result.history[0] < np.inf


def test_where_its_end_cannot_be_evaluated_the_descent_starts_at_init(pair, monkeypatch):
    # Latents so large that their prior overflows.
    original = model._fit

    def far_away(X, *others):
        result = original(X, *others)
        return result if len(X) == N else dataclasses.replace(result, latent=1e200 * result.latent)

    monkeypatch.setattr(model, "_fit", far_away)
    assert_same(fit(pair, subsample=FEW), fit(pair))
