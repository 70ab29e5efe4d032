"""Mixtures of smooth mechanisms: kernels against the oracle, fits against what was drawn."""

from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.families.settings import bayes_labels
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

import oracle
from anmmm import ANMMixture
from anmmm._kernels.mixture import SHORT_RUN
from anmmm.datasets import make_anm_mixture
from anmmm.datasets.synthetic import MECHANISMS
from anmmm.mixture import em, splines
from anmmm.mixture.em import choose_mixture, fit_mixture, fit_single
from anmmm.mixture.fits import fit_location_scale
from anmmm.mixture.layout import ColumnLayout
from anmmm.mixture.splines import LARGEST, N_KNOTS, SplineBasis, Splines, gaussian_basis
from anmmm.mixture.starts import SOFTNESS, even_rows, residual_starts, soften, with_ties
from drawn import standard
from drawn import standard_mixture as mixture
from record_comparison import assert_parameters

THREE = ((1, 1.1), (3, 3.1), (0.5, 0.6))


def run(design, y, prior, n_null, R, **options):
    """Fit by columns, to which knots mean nothing: a short run and `max_iter` more iterations."""
    scales = options.pop("scales", np.ones(3 + n_null))
    basis = SplineBasis(design, prior, n_null, None)
    vars(basis)["layout"] = ColumnLayout.of(basis.columns, len(y))
    return fit_mixture(basis, y, starts=[R], scales=scales, tol=-np.inf, **options)


@pytest.mark.parametrize(
    ("n", "r", "n_null", "C"),
    # In one chunk, in several, with vectors of columns that are full and that are not. The product
    # of all sums over 12 mechanisms is beyond the largest number.
    [(7, 1, 1, 1), (12, 2, 2, 3), (40, 9, 3, 3), (600, 2, 1, 2), (2800, 2, 1, 12)],
)
def test_em_by_columns_matches_the_oracle(rng, monkeypatch, n, r, n_null, C):
    monkeypatch.setattr(em, "N_INNER", 1)
    design, y = rng.normal(size=(n, r)), rng.normal(size=n)
    design[:, 0] = 1.0
    prior = rng.uniform(0.1, 2.0, size=r)
    # Mechanisms that exclude each other, too.
    far = 10.0 * (np.arange(n) % C)
    for effect, R, scale in (
        (y, rng.dirichlet(np.ones(C), size=n), 1.0),
        (y + far, soften(np.eye(C)[np.arange(n) % C]), 0.1),
    ):
        start = np.ones(3 + n_null)
        start[0] = scale
        bound, expected, *parameters = oracle.mixture_steps(
            SHORT_RUN + 3, design, effect, prior, n_null, R, start
        )
        fit = run(design, effect, prior, n_null, R, max_iter=3, scales=start)
        assert_allclose(fit.bound, bound, rtol=1e-9)
        assert_allclose(fit.probabilities, expected, rtol=1e-6, atol=1e-9)
        assert_parameters(fit, *parameters, atol=1e-8)


def test_labels_count_in_every_iteration(rng, monkeypatch):
    monkeypatch.setattr(em, "N_INNER", 1)
    design = np.column_stack([np.ones(40), rng.normal(size=40)])
    y, R = rng.normal(size=40), rng.dirichlet([1, 1], size=40)
    label_likelihood = np.log(rng.dirichlet([1, 1], size=40))
    bound, expected, weights, scales, _, means, _ = oracle.mixture_steps(
        SHORT_RUN + 2, design, y, np.ones(2), 2, R, np.ones(5), label_likelihood
    )
    fit = run(design, y, np.ones(2), 2, R, max_iter=2, label_likelihood=label_likelihood)
    assert_allclose(fit.probabilities, expected, rtol=1e-7)
    assert_allclose(fit.bound, bound, rtol=1e-9)
    each = (
        np.exp(label_likelihood - 0.5 * (y[:, None] - design @ means.T) ** 2 / scales[0]) @ weights
    )
    likelihood = np.log(each / np.sqrt(2 * np.pi * scales[0])).sum()
    assert_allclose(fit.curve_cost, likelihood - bound, rtol=1e-7)


@pytest.mark.parametrize(("C", "n_inner"), [(1, 1), (2, 3), (5, 1)])
def test_em_never_lowers_the_bound(rng, monkeypatch, C, n_inner):
    monkeypatch.setattr(em, "N_INNER", n_inner)
    x, y, _ = mixture(C)
    basis = SplineBasis.of(x)
    R = rng.dirichlet(np.ones(C), size=len(y))
    fit = run(basis.design, y, basis.prior, basis.n_null, R, max_iter=60)
    assert np.diff(fit.history).min() > -1e-8


def test_the_bound_of_one_mechanism_is_its_log_marginal_likelihood():
    x, y, _ = mixture(3, n=40)
    basis = SplineBasis.of(x)
    fit = fit_single(basis, y)
    s2, tau2 = fit.scales[:2]
    scale = np.where(np.arange(len(basis.prior)) < basis.n_null, 1.0, tau2)
    covariance = basis.design @ np.diag(basis.prior * scale) @ basis.design.T + s2 * np.eye(40)
    marginal = -0.5 * (
        np.linalg.slogdet(2 * np.pi * covariance)[1] + y @ np.linalg.solve(covariance, y)
    )
    hyper = -oracle.HYPER * (np.log(tau2) + 1 / tau2 - 1)
    assert_allclose(fit.bound, marginal + hyper, atol=1e-7)


@pytest.mark.parametrize("n", [12, 100, 1000])
@pytest.mark.parametrize("shape", [np.sin, np.abs, np.zeros_like])
def test_one_mechanism_in_closed_form_is_that_of_em(rng, n, shape):
    x = rng.normal(size=n)
    y = standard(shape(2.0 * x) + 0.2 * rng.normal(size=n))[:, 0]
    basis = SplineBasis.of(standard(x))
    fit = fit_single(basis, y)
    slow = fit_mixture(basis, y, starts=[np.ones((n, 1))], tol=0.0, max_iter=30_000)
    assert fit.converged
    assert_allclose(fit.bound, slow.bound, atol=1e-5)
    assert_allclose(fit.curve_cost, slow.curve_cost, atol=0.01)
    assert_allclose(fit.curves, slow.curves, atol=1e-3)
    covariance = fit.factor[0] @ fit.factor[0].T
    assert_allclose(covariance, slow.factor[0] @ slow.factor[0].T, atol=1e-3)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_basis_is_orthonormal_and_evaluates_to_its_design(rng, d):
    X = standard(rng.normal(size=(200, d)))
    basis = SplineBasis.of(X)
    r = len(basis.prior)
    assert_allclose(basis.design.T @ basis.design / 200, np.eye(r), atol=1e-6)
    assert_allclose(basis.splines.evaluate(X), basis.design, atol=1e-6)
    assert basis.n_null == d + 1
    assert np.all(np.diff(basis.prior[basis.n_null :]) <= 0)


def test_basis_of_few_distinct_values_or_of_a_repeated_column(rng):
    for distinct in (2, 3, 5):
        basis = SplineBasis.of(standard(np.arange(30) % distinct))
        assert basis.design.shape == (30, min(distinct, len(basis.prior)))
        assert np.all(np.isfinite(basis.design))
    x = rng.normal(size=(50, 1))
    assert SplineBasis.of(standard(np.hstack([x, 2 * x]))).n_null == 2
    # Knots are quantiles of the distinct values.
    x = rng.integers(0, 90, size=400).astype(float)
    knots = SplineBasis.of(x[:, None], n_knots=7).splines.knots[:, 0]
    assert_allclose(knots, np.quantile(np.unique(x), np.linspace(0, 1, 7)), rtol=1e-14)


@pytest.mark.parametrize(
    ("n", "d", "n_smooth"), [(15, 1, 12), (130, 1, 12), (140, 1, 3), (70, 2, 8)]
)
def test_basis_has_the_columns_of_the_generalized_eigenproblem(rng, n, d, n_smooth):
    X = standard(rng.normal(size=(n, d)))
    basis = SplineBasis.of(X, n_knots=9, n_smooth=n_smooth)
    expected, squares = oracle.spline_basis(X, basis.splines.knots, n_smooth)
    assert_allclose(basis.prior[basis.n_null :], squares / squares.sum(), rtol=1e-8)
    signs = np.sign(np.sum(basis.design * expected, axis=0))
    assert_allclose(basis.design, expected * signs, atol=1e-7)


@pytest.mark.parametrize("length", [0.6, 1.5])
def test_gaussian_basis_has_the_covariance_of_a_process_beside_a_line(length, rng):
    """With all points as knots it is that of the process, projected off constants and lines."""
    X = rng.normal(size=(90, 3))
    X[80:] = X[:10]
    X = standard(X)
    basis = gaussian_basis(X, 90 * 3, length)
    at, n = basis.n_null, len(X)
    straight = np.column_stack([np.ones(n), X])
    off = np.eye(n) - straight @ np.linalg.pinv(straight)
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    expected = off @ np.exp(-0.5 * squares / length**2) @ off
    found = basis.design[:, at:] * basis.prior[at:] @ basis.design[:, at:].T
    assert_allclose(found, expected / np.trace(expected) * n, atol=1e-6)
    assert_allclose(basis.design.T @ basis.design / n, np.eye(len(basis.prior)), atol=1e-5)
    assert_allclose(basis.splines.evaluate(X), basis.design, atol=1e-5)
    repeated = gaussian_basis(X[:, [0, 0, 1]], 60, length)
    assert repeated.n_null == 3
    assert np.all(np.isfinite(repeated.design))


def test_curves_are_straight_along_columns_that_do_not_bend(rng):
    X = standard(rng.normal(size=(90, 3)) @ rng.normal(size=(3, 3)))
    basis = SplineBasis.of(X, n_bent=2)
    assert_allclose(basis.design.T @ basis.design / 90, np.eye(basis.design.shape[1]), atol=1e-6)
    assert_allclose(basis.splines.evaluate(X), basis.design, atol=1e-6)
    at = X[:5] + np.array([-1.0, 0.0, 1.0])[:, None, None] * [0.0, 0.0, 2.0]
    below, middle, above = map(basis.splines.evaluate, at)
    assert_allclose(below + above, 2.0 * middle, atol=1e-9)
    at = X[:5] + np.array([-1.0, 0.0, 1.0])[:, None, None] * [2.0, 0.0, 0.0]
    below, middle, above = map(basis.splines.evaluate, at)
    assert np.abs(below + above - 2.0 * middle).max() > 0.1


@pytest.mark.parametrize("mechanism", ["f2", "f4"])
def test_mechanisms_are_recovered(mechanism):
    x, y, labels = make_anm_mixture(mechanism, 300, random_state=10)
    model = ANMMixture("auto").fit(x[:, np.newaxis], y)
    limit = adjusted_rand_score(labels, bayes_labels(mechanism, 10, x, y))
    assert model.n_mechanisms_ == 2
    assert adjusted_rand_score(labels, model.labels_) > limit - 0.05
    assert_allclose(model.noise_std_, 0.05, rtol=0.15)
    grid = np.linspace(0.15, 0.9, 20)
    thetas = np.random.default_rng(10).uniform([1, 3], [1.1, 3.1])
    truth = np.stack([MECHANISMS[mechanism](grid, theta) for theta in thetas])
    curves = model.curves(grid[:, np.newaxis]).T
    errors = [np.abs(curves[order] - truth).max() for order in ([0, 1], [1, 0])]
    assert min(errors) < 0.06


@pytest.mark.parametrize("C", [1, 2, 3])
def test_auto_finds_the_number(C):
    pairs = (mixture(seed, 200, theta_ranges=THREE[:C]) for seed in range(5))
    assert [ANMMixture("auto").fit(x, y).n_mechanisms_ for x, y, _ in pairs] == [C] * 5


def test_location_scale_finds_the_scale_and_costs_little_where_it_is_constant(rng):
    x = rng.uniform(-2, 2, size=1000)
    basis = SplineBasis.of(standard(x))
    for scale in (np.exp(0.5 * x), np.ones(1000)):
        y = np.sin(x) + scale * rng.normal(size=1000)
        z = standard(y)[:, 0]
        single = fit_single(basis, z)
        fit = fit_location_scale(basis, z, single)
        assert_allclose(fit.scale * y.std(), scale, rtol=0.25)
        assert fit.curve_cost > 0
        gain = fit.evidence - single.bound
        assert abs(gain) < 6 if scale[0] == 1.0 else gain > 50
    # Over columns that are nearly equal, too.
    parts = [SplineBasis.of(standard(x + 0.02 * rng.normal(size=1000))) for _ in range(4)]
    basis, z = SplineBasis.sum_of(parts, [1] * 4), standard(np.exp(x) * rng.normal(size=1000))[:, 0]
    single = fit_single(basis, z)
    fit = fit_location_scale(basis, z, single)
    assert fit.converged
    assert fit.evidence - single.bound > 50


def assert_criteria(one, other, rtol):
    assert one.criteria_.keys() == other.criteria_.keys()
    assert_allclose([*one.criteria_.values()], [*other.criteria_.values()], rtol=rtol)


@pytest.mark.parametrize("factor", [-3.0, 1e-8, 1e8])
def test_neither_unit_nor_sign_nor_order_matters(rng, factor):
    x, y, _ = mixture(6)
    order = rng.permutation(len(y))
    one = ANMMixture(2).fit(x, y)
    other = ANMMixture(2).fit(factor * x, 5.0 - factor * y)
    assert_criteria(one, other, rtol=1e-6)
    assert_array_equal(one.labels_, other.labels_)
    assert_allclose(other.noise_std_, abs(factor) * one.noise_std_, rtol=1e-5)
    permuted = ANMMixture(2).fit(x[order], y[order])
    assert_criteria(one, permuted, rtol=1e-6)
    assert adjusted_rand_score(one.labels_[order], permuted.labels_) == 1.0


@pytest.mark.parametrize("n_mechanisms", [1, 2, 4, "auto"])
def test_odd_data_give_finite_fits(rng, n_mechanisms):
    x, place = rng.normal(size=60), np.arange(60)
    outlier = np.where(place == 0, 1e9, x)
    for effect in (x, (x > 0).astype(float), np.round(x), outlier, place % 2 + 0.0):
        model = ANMMixture(n_mechanisms).fit(x[:, np.newaxis], effect)
        assert_allclose(model.probabilities_.sum(axis=1), 1.0)
        assert np.isfinite(model.criterion_)
    assert ANMMixture(2).fit(rng.normal(size=(10, 1)), rng.normal(size=10)).labels_.shape == (10,)


def test_a_mechanism_without_observations_has_a_noise():
    rng = np.random.default_rng(108)
    x = rng.normal(size=60)
    y = np.where(np.arange(60) == 0, 1e4, x)
    model = ANMMixture(3).fit(x[:, np.newaxis], y)
    assert model.probabilities_.sum(axis=0).min() < 1e-9
    assert np.isfinite(model.noise_std_).all()


def test_new_observations_get_the_probabilities_of_the_equations():
    x, y, _ = mixture(8)
    model = ANMMixture(2).fit(x, y)
    new_x, new_y, _ = mixture(9)
    fit = model.fit_result_
    z = (new_y - y.mean()) / y.std()
    columns = fit.splines.evaluate((new_x - x.mean(axis=0)) / x.std(axis=0))
    logs = np.empty((len(z), 2))
    for c in range(2):
        covariance = fit.factor[c] @ fit.factor[c].T
        for n, column in enumerate(columns):
            variance = np.exp(fit.noise[c, 0])
            misfit = (z[n] - column @ fit.mean[c]) ** 2 + column @ covariance @ column
            logs[n, c] = np.log(fit.weights[c] / np.sqrt(variance)) - misfit / (2 * variance)
    densities = np.exp(logs) / np.sqrt(2 * np.pi) / y.std()
    expected = densities / densities.sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(new_x, new_y), expected, atol=1e-9)
    assert_array_equal(model.predict(new_x, new_y), expected.argmax(axis=1))
    assert_allclose(model.score(new_x, new_y), np.log(densities.sum(axis=1)).mean())
    # Those of the fit get what they have.
    assert_array_equal(model.predict(x, y), model.labels_)
    assert_allclose(model.predict_proba(x, y), model.probabilities_, atol=1e-6)
    assert_allclose(model.weights_.sum(), 1.0)


@pytest.mark.filterwarnings("error")
def test_the_score_tells_the_number_of_mechanisms_and_is_of_the_unit_of_the_effect():
    (x, new_x), (y, new_y) = (np.split(part, 2) for part in mixture(8, n=200)[:2])
    model = ANMMixture(2).fit(x, y)
    score = model.score(new_x, new_y)
    assert score > ANMMixture(1).fit(x, y).score(new_x, new_y) + 0.3
    for c in (1e3, -1e-3):
        scaled = ANMMixture(2).fit(x, c * y).score(new_x, c * new_y)
        assert_allclose(scaled, score - np.log(abs(c)), atol=1e-6)
    with pytest.raises(ValueError, match="y is None"):
        model.score(new_x, None)
    # What is too far for numbers belongs equally to all.
    for far_x, far_y in ((1e200, 0.0), (1e200, 1e200), (0.0, 1e200)):
        assert_array_equal(model.predict_proba(np.array([[far_x]]), [far_y]), [[0.5, 0.5]])


def test_a_cause_alone_says_nothing_of_the_mechanism_but_of_the_effect():
    x, y, _ = mixture(8)
    model = ANMMixture(2).fit(x, y)
    assert_array_equal(model.predict_proba(x[:3]), np.tile(model.weights_, (3, 1)))
    assert_array_equal(model.predict(x[:3]), [model.weights_.argmax()] * 3)
    assert_allclose(model.mean(x), model.curves(x) @ model.weights_)
    # What a regression predicts is better than the mean of all, with mechanisms and without.
    assert np.mean((y - model.mean(x)) ** 2) < np.var(y)
    single = ANMMixture(1).fit(x, y)
    assert_allclose(single.mean(x), single.curves(x)[:, 0])
    with pytest.raises(ValueError, match="X and y must have the same number of observations"):
        model.predict(x, y[:-1])


def test_a_fit_that_stays_longer_is_given_up():
    x, y, _ = mixture(9, theta_ranges=THREE)
    basis, y = SplineBasis.of(x), standard(y)[:, 0]
    starts = np.random.default_rng(0).dirichlet(np.ones(2), size=(3, len(y)))
    whole = fit_mixture(basis, y, starts=starts)
    assert whole.converged
    # Near enough, nothing changes.
    near = fit_mixture(basis, y, starts=starts, max_criterion=whole.criterion)
    assert_array_equal(near.history, whole.history)
    given_up = fit_mixture(basis, y, starts=starts, max_criterion=whole.criterion - 20.0)
    assert not given_up.converged
    assert given_up.n_iter < whole.n_iter
    assert given_up.criterion >= whole.criterion
    assert given_up.criterion == given_up.parameter_cost - given_up.history[-1]


def test_numbers_of_mechanisms_end_above_a_criterion():
    x, y, _ = mixture(9, theta_ranges=THREE)
    basis, y = SplineBasis.of(x), standard(y)[:, 0]
    single = fit_single(basis, y)
    fits = choose_mixture(basis, y, single)
    of_two = fits[1].criterion
    assert len(fits) > 2
    assert len(choose_mixture(basis, y, single, max_criterion=of_two)) > 2
    _, two = choose_mixture(basis, y, single, max_criterion=of_two - 20.0)
    assert not two.converged


def test_errors_name_the_parameter():
    x, y, _ = mixture(0)
    for name, values in {
        "n_mechanisms": ("two", 0, 1000),
        "max_mechanisms": (0,),
        "tol": (-1.0,),
        "max_iter": (0,),
    }.items():
        for value in values:
            with pytest.raises((TypeError, ValueError), match=name):
                ANMMixture(**{name: value}).fit(x, y)
    with pytest.raises(ValueError, match="y must have one column"):
        ANMMixture().fit(x, np.column_stack([y, y]))


def _equal_parts(values, n):
    none = np.ones((len(values), n - 1))
    fit = SimpleNamespace(probabilities=none, curves=none)
    residuals = with_ties(values[np.newaxis])
    return (residual_starts(values, n, fit, residuals)[0] - SOFTNESS / n) / (1.0 - SOFTNESS)


def test_a_mechanism_is_parted_by_its_curve(rng):
    y, probabilities, curves = rng.normal(size=40), rng.dirichlet(np.ones(3), 40), np.zeros((40, 3))
    fit = SimpleNamespace(probabilities=probabilities, curves=curves)
    starts = residual_starts(y, 4, fit, with_ties(y[np.newaxis]))
    assert_allclose(starts.sum(axis=2), 1.0)
    for c, start in enumerate(starts[1:]):
        labels = probabilities.argmax(axis=1)
        labels[(labels == c) & (y > 0.0)] = 3
        assert_array_equal(start.argmax(axis=1), labels)


def test_equal_shares_split_ties_alike_and_mirror():
    assert_allclose(
        _equal_parts(np.array([3.0, 1.0, 2.0, 4.0]), 2), [[0, 1], [1, 0], [1, 0], [0, 1]]
    )
    # The middle of an odd number, and three equal values about the cut.
    assert_allclose(_equal_parts(np.arange(3.0), 2)[1], [0.5, 0.5])
    tied = np.array([0.0, 1.0, 1.0 + 1e-12, 1.0, 1.0, 2.0])
    part = _equal_parts(tied, 3)
    assert_allclose(part[1:5], np.tile([0.25, 0.5, 0.25], (4, 1)))
    assert_allclose(part.sum(axis=0), 2.0)
    assert_array_equal(_equal_parts(-tied, 3), part[:, ::-1])
    assert_allclose(_equal_parts(np.zeros(7), 3), np.full((7, 3), 7 / 21))


@pytest.mark.parametrize("n", [4001, 20_003])
def test_rows_of_a_start_do_not_depend_on_order_or_sign(rng, n):
    x, y = rng.normal(size=(2, n))
    rows = even_rows(x, y, 2000)
    assert len(np.unique(rows)) == 2000
    order = rng.permutation(n)
    assert_array_equal(order[even_rows(x[order], y[order], 2000)], rows)
    assert_array_equal(even_rows(-x, y, 2000), rows[::-1])
    # Those of a tied cause are in the order of the effect.
    x = rng.integers(0, 9, size=n).astype(float)
    rows = even_rows(x, y, 2000, np.argsort(x))
    assert_array_equal(np.lexsort((y[rows], x[rows])), np.arange(2000))


BLOCK = LARGEST // 6


@pytest.mark.parametrize("n", [1, BLOCK, BLOCK + 1])
@pytest.mark.parametrize(("d", "n_bent"), [(1, 1), (3, 2)])
def test_columns(rng, n, d, n_bent):
    X, knots = rng.normal(size=(n, d)), rng.normal(size=(6, n_bent))
    combine = rng.normal(size=(1 + d + 6, 4))
    cubes = [[np.linalg.norm(x[:n_bent] - knot) ** 3 / 12 for knot in knots] for x in X]
    expected = np.hstack([np.ones((n, 1)), X, cubes]) @ combine
    assert_allclose(Splines(knots, combine).evaluate(X), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("kept", [0, 10**9], ids=["evaluated twice", "kept"])
@pytest.mark.parametrize("d", [1, 3])
def test_columns_are_orthogonal_over_all_blocks(rng, d, kept, monkeypatch):
    monkeypatch.setattr(splines, "MOST_KEPT", kept)
    X = rng.normal(size=(2 * LARGEST // N_KNOTS + 5, d))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    basis = SplineBasis.of(X)
    gram = basis.design.T @ basis.design / len(X)
    assert_allclose(gram, np.eye(len(gram)), atol=1e-8)


def test_curves_are_straight_lines_far_from_the_data(rng):
    X = rng.normal(size=(100, 1))
    columns = SplineBasis.of(X).splines
    near, far, farthest = columns.evaluate(np.array([[10.0], [1e9], [1e12]]))
    slopes = (columns.evaluate(np.array([[11.0]])) - near)[0]
    assert_allclose(far, near + (1e9 - 10.0) * slopes, rtol=1e-9)
    assert_allclose(farthest, near + (1e12 - 10.0) * slopes, rtol=1e-9)
