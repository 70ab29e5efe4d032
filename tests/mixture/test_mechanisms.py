"""Mixtures whose noise and weights may depend on the cause: against the equations, invariances."""

import numpy as np
import pytest
from benchmarks.families import mechanisms
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import logsumexp, softmax
from scipy.stats import multivariate_normal
from sklearn.metrics import adjusted_rand_score

from anmmm.mixture.layout import ColumnLayout
from anmmm.mixture.mechanisms import Sample, Variant
from anmmm.mixture.search import (
    equal_parts,
    least_squares_parts,
    refine_by_labels,
    search_mechanisms,
)
from anmmm.mixture.splines import SplineBasis
from drawn import standard

VARIANTS = [
    Variant("shared", -1),
    Variant("shared", 0),
    Variant("own", 0),
    Variant("linear", 0),
    Variant("own", 1),
    Variant("linear", 2),
    Variant("shared", -1, outliers=True),
    Variant("own", 0, outliers=True),
    Variant("own", 0, smoothness="own"),
]


def drawn(rng, n=150):
    """Two curves; the noise of the second one is larger, and the cause chooses."""
    x = rng.uniform(-2, 2, size=n)
    truth = (rng.random(n) < 1 / (1 + np.exp(-2 * x))).astype(int)
    y = np.where(truth, 2 + np.sin(x), -0.5 * x) + (0.15 + 0.25 * truth) * rng.normal(size=n)
    return x, y, truth


def sample_of(x, y, floor=1e-6):
    X = standard(x)
    return Sample(SplineBasis.of(X), X, standard(y)[:, 0], floor)


def fit(sample, start, variant, **options):
    given = {"tol": -1.0, "max_iter": 25} | options
    return sample.fit([start], variant, 0.1, **given)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_no_iteration_lowers_the_bound(rng, variant):
    sample = sample_of(*drawn(rng)[:2])
    start = rng.dirichlet(np.ones(3), size=150)
    labels = np.log(rng.dirichlet(np.ones(3), size=150))
    for given in (None, labels):
        bounds = []
        for count in range(1, 40):
            found = fit(sample, start, variant, max_iter=count, label_likelihood=given)
            bounds.append(found.bound)
        assert np.diff(bounds).min() > -1e-8


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_fit_on_pieces_is_the_fit_by_columns(rng, variant):
    x, y, truth = drawn(rng)
    start = 0.1 + 0.8 * np.eye(2)[truth]
    by_pieces = fit(sample_of(x, y), start, variant)
    sample = sample_of(x, y)
    vars(sample.basis)["layout"] = ColumnLayout.of(sample.basis.columns, len(y))
    by_columns = fit(sample, start, variant)
    assert_allclose(by_pieces.bound, by_columns.bound, rtol=1e-9)
    assert_allclose(by_pieces.probabilities, by_columns.probabilities, atol=1e-6)
    assert_allclose(by_pieces.noise, by_columns.noise, atol=1e-6)
    assert_allclose(by_pieces.gate, by_columns.gate, atol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_probabilities_are_those_of_the_equations(rng, variant):
    x, y, truth = drawn(rng)
    sample = sample_of(x, y)
    found = fit(sample, 0.1 + 0.8 * np.eye(2)[truth], variant)
    u = 1.7 * sample.points / np.abs(sample.points).max()
    powers = [np.ones_like(u), u - u.mean(), u**2 - (u**2).mean()]
    log_variance = np.hstack(powers[: found.noise.shape[1]]) @ found.noise.T
    log_weights = np.zeros((len(y), 2)) - np.log(2)
    if variant.gate >= 0:
        logits = np.hstack(powers[: variant.gate + 1]) @ found.gate.T
        log_weights = logits - logsumexp(logits, axis=1, keepdims=True)
    covariance = found.factor @ found.factor.transpose(0, 2, 1)
    design = sample.basis.design
    uncertain = np.einsum("ni,cij,nj->nc", design, covariance, design)
    squared = (sample.y[:, np.newaxis] - design @ found.mean.T) ** 2 + uncertain
    joint = log_weights - 0.5 * (np.log(2 * np.pi) + log_variance + squared / np.exp(log_variance))
    assert_allclose(found.probabilities, softmax(joint, axis=1), atol=1e-8)
    assert_allclose(found.noise_std, np.exp(0.5 * log_variance), rtol=1e-10)
    assert_allclose(found.log_weights, log_weights, atol=1e-10)
    # Those of new observations are the same functions.
    expected = np.log1p(-found.outlier_weight) + joint
    assert_allclose(found.log_densities(sample.points, sample.y), expected, atol=1e-7)


def test_coefficients_are_a_maximum(rng):
    """The posterior of each curve, given the responsibilities, is that of a weighted regression."""
    x, y, truth = drawn(rng)
    sample = sample_of(x, y)
    found = fit(sample, 0.1 + 0.8 * np.eye(2)[truth], Variant("own", 1), max_iter=2000, tol=1e-12)
    # The gradient of the gate is zero up to its weak prior.
    u = 1.7 * sample.points / np.abs(sample.points).max()
    columns = np.hstack([np.ones_like(u), u - u.mean()])
    residual = found.probabilities - np.exp(found.log_weights)
    assert_allclose(residual.T @ columns, 0.05 * found.gate, atol=1e-3)
    # Expected squares are the noise variances, up to their weak prior.
    covariance = found.factor @ found.factor.transpose(0, 2, 1)
    design = sample.basis.design
    uncertain = np.einsum("ni,cij,nj->nc", design, covariance, design)
    squared = (sample.y[:, np.newaxis] - found.curves) ** 2 + uncertain
    size = found.probabilities.sum(axis=0)
    total = (found.probabilities * squared).sum(axis=0) + 2 * 0.1 * 0.1
    assert_allclose(np.exp(found.noise[:, 0]), total / (size + 2), rtol=1e-4)


def test_the_bound_of_separate_curves_is_their_marginal_likelihood(rng):
    """The two differ by the scales of the curves, of which the bound has the best ones."""
    x = rng.uniform(-2, 2, size=60)
    truth = rng.integers(2, size=60)
    y = np.where(truth, 10.0, np.sin(x)) + 0.1 * rng.normal(size=60)
    sample = sample_of(x, y)
    found = fit(sample, np.eye(2)[truth] * 0.98 + 0.01, Variant("shared", -1), max_iter=300)
    variance = np.exp(found.noise[0, 0])
    likelihoods = []
    for scale in (0.01, 0.03, 0.1, 0.3, 1.0):
        likelihood = -60 * np.log(2)
        for mechanism in (0, 1):
            design = sample.basis.design[truth == mechanism]
            covariance = design @ np.diag(scale * sample.basis.prior) @ design.T
            normal = multivariate_normal(cov=covariance + variance * np.eye(len(design)))
            likelihood += normal.logpdf(sample.y[truth == mechanism])
        likelihoods.append(likelihood)
    assert abs(found.bound - max(likelihoods)) < 5.0


@pytest.mark.parametrize("factor", [-2.0, 1e-6])
def test_neither_order_nor_unit_matters(rng, factor):
    x, y, truth = drawn(rng)
    start = 0.1 + 0.8 * np.eye(2)[truth]
    for variant in VARIANTS:
        one = fit(sample_of(x, y), start, variant)
        order = rng.permutation(len(y))
        other = fit(sample_of(factor * x[order], factor * y[order]), start[order], variant)
        assert_allclose(other.bound, one.bound, rtol=1e-7)
        assert_allclose(other.probabilities, one.probabilities[order], atol=1e-5)


def test_distant_rows_are_outliers_and_belong_to_the_nearest_curve(rng):
    x, truth = rng.uniform(-2, 2, size=300), rng.integers(2, size=300)
    y = np.where(truth, 3.0, np.sin(x)) + 0.1 * rng.normal(size=300)
    is_outlier = np.arange(300) < 15
    y[is_outlier] = np.linspace(-20.0, 20.0, 15)
    start = 0.01 + 0.98 * np.eye(2)[truth]
    found = fit(sample_of(x, y), start, Variant("shared", -1, outliers=True), max_iter=200)
    assert_allclose(found.outlier_weight, 0.05, atol=0.01)
    assert_array_equal(found.labels[~is_outlier], truth[~is_outlier])
    assert_array_equal(found.labels[[0, 14]], [0, 1])
    assert_allclose(found.probabilities.sum(axis=1), 1.0)
    plain = fit(sample_of(x, y), start, Variant("shared", -1), max_iter=200)
    assert found.criterion < plain.criterion - 50.0


def test_a_line_and_a_wave_have_a_smoothness_of_their_own(rng):
    x, truth = rng.uniform(-2, 2, size=300), rng.integers(2, size=300)
    y = np.where(truth, 2 + x, np.sin(4 * x)) + 0.2 * rng.normal(size=300)
    start = 0.01 + 0.98 * np.eye(2)[truth]
    shared = fit(sample_of(x, y), start, Variant("shared", -1), max_iter=200)
    own = fit(sample_of(x, y), start, Variant("shared", -1, smoothness="own"), max_iter=200)
    assert own.criterion < shared.criterion - 2.0
    # The line is surer to be one.
    at = np.linspace(-1.5, 1.5, 20)[:, np.newaxis]
    assert own.curve_std_at(at, own.factor)[:, 1].mean() < 0.8 * (
        shared.curve_std_at(at, shared.factor)[:, 1].mean()
    )


def test_four_mechanisms_of_unequal_size_are_found():
    """Two of four curves are near each other, and one has few rows."""
    x, y, truth, *_ = mechanisms.draw("size-60-25-10-5", 300, 1)
    fits = search_mechanisms(sample_of(x, y), max_mechanisms=6)
    assert set(fits) == {1, 2, 3, 4, 5, 6}
    best = min((found for of_number in fits.values() for found in of_number), key=criterion)
    assert best.n_mechanisms == 4
    assert adjusted_rand_score(truth, best.labels) > 0.8


def criterion(found):
    return found.criterion


def test_many_rows_are_searched_by_a_part_of_them(rng):
    x, y, truth = drawn(rng, n=6000)
    fits = search_mechanisms(sample_of(x, y), number=2)
    assert set(fits) == {1, 2}
    (best,) = fits[2]
    assert best.probabilities.shape == (6000, 2)
    assert best.variant.gate > 0
    assert adjusted_rand_score(truth, best.labels) > 0.9


def test_labels_count_where_curves_overlap_and_not_where_they_contradict_them(rng):
    x, truth = rng.uniform(-2, 2, size=200), rng.integers(2, size=200)
    overlapping = sample_of(x, 0.25 * truth + 0.2 * rng.normal(size=200))
    start = 0.4 + 0.2 * np.eye(2)[truth]
    plain = fit(overlapping, start, Variant("shared", -1), tol=1e-6, max_iter=200)
    led = refine_by_labels(overlapping, plain, truth)
    assert adjusted_rand_score(truth, led.labels) > adjusted_rand_score(truth, plain.labels) + 0.05
    crossing = sample_of(x, np.where(truth, x, -x) + 0.15 * rng.normal(size=200))
    plain = fit(crossing, 0.1 + 0.8 * np.eye(2)[truth], Variant("shared", -1), tol=1e-6)
    above = (crossing.y > 0).astype(int)
    assert refine_by_labels(crossing, plain, above) is plain


@pytest.mark.parametrize("number", [1, 2, 4])
def test_parts_of_least_squares(rng, number):
    truth = rng.integers(number, size=80)
    values = 10.0 * truth + rng.normal(size=80)
    assert adjusted_rand_score(truth, least_squares_parts(values, number)) == 1.0
    # Equal values stay together, even if there are fewer than parts.
    labels = least_squares_parts(np.repeat([0.0, 1.0, 1.0, 1.0], 5), 2)
    assert_allclose(labels, np.repeat([0, 1, 1, 1], 5))
    assert least_squares_parts(np.zeros(6), 3).shape == (6,)


def test_equal_parts_are_equal_and_keep_ties_together():
    parts = equal_parts(np.array([3.0, 1.0, 2.0, 4.0]), 2).argmax(axis=1)
    assert_allclose(parts, [1, 0, 0, 1])
    tied = equal_parts(np.array([0.0, 1.0, 1.0, 1.0, 1.0, 2.0]), 3).argmax(axis=1)
    assert_allclose(tied, [0, 1, 1, 1, 1, 2])
