"""Clusters of mechanisms: labels, numbering, new observations, bad input, best cuts."""

import itertools
import os

import numpy as np
import pandas as pd
import pytest
from benchmarks.families import mechanisms
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from anmmm import MechanismClustering, cluster_mechanisms
from anmmm.clustering.cluster import MOST_GROUPS, kmeans_labels
from anmmm.datasets import make_anm_mixture
from subprocess_helpers import python

THREE = ((1, 1.1), (3, 3.1), (0.5, 0.6))


X, Y, LABELS = make_anm_mixture("f3", 100, random_state=5)
COLUMN = X[:, None]


def test_mechanisms_are_found():
    result = cluster_mechanisms(X, Y, 2, random_state=0)
    assert adjusted_rand_score(LABELS, result.labels) > 0.6
    assert set(result.labels) == {0, 1}
    assert result.sizes == tuple(np.bincount(result.labels))
    # They are numbered by first appearance.
    result = cluster_mechanisms(X, Y, 3, random_state=0)
    _, first = np.unique(result.labels, return_index=True)
    assert_array_equal(np.sort(first), first)
    assert (result.refined, result.notes, set(result.lengths)) == (True, (), {1, 3})
    assert result.probabilities.shape == (100, 3)
    assert_allclose(result.probabilities.sum(axis=1), 1.0)
    assert_array_equal(result.probabilities.argmax(axis=1), result.labels)


@pytest.mark.parametrize("refine", [True, False])
def test_one_mechanism_and_as_many_as_observations(refine):
    x, y, _ = make_anm_mixture("f3", 12, random_state=0)
    assert set(cluster_mechanisms(x, y, 1, refine=refine).labels) == {0}
    assert len(set(cluster_mechanisms(x, y, 12, refine=refine).labels)) == 12


@pytest.mark.parametrize("latent_map", ["free", "mlp"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_new_observations_get_their_mechanism(latent_map):
    thetas = ((1.0, 1.0), (3.0, 3.0))
    x, y, labels = make_anm_mixture("f3", 100, theta_ranges=thetas, random_state=2)
    model = MechanismClustering(2, fit_options={"latent_map": latent_map}, random_state=0)
    assert adjusted_rand_score(labels, model.fit(x[:, None], y).labels_) > 0.7
    new_x, new_y, new_labels = make_anm_mixture("f3", 200, theta_ranges=thetas, random_state=1)
    predicted = model.predict(new_x[:, None], new_y)
    assert adjusted_rand_score(new_labels, predicted) > 0.7
    assert adjusted_rand_score(model.labels_, model.predict(x[:, None], y)) > 0.8


def test_predict_checks_its_input():
    for method in ("predict", "predict_proba", "score"):
        with pytest.raises(NotFittedError):
            getattr(MechanismClustering(), method)(COLUMN, Y)
    wide, model = np.column_stack([X, Y]), MechanismClustering(random_state=0)
    labels = model.fit_predict(wide)
    assert model.predict(wide).shape == (100,)
    with pytest.raises(ValueError, match="y has 1 column, but fit was given the pair in X"):
        model.predict(wide, Y)
    assert_array_equal(model.fit_predict(COLUMN, Y), labels)
    for arguments, message in (
        ((COLUMN,), "y is None"),
        ((COLUMN, wide), "y has 2 columns, but fit was given 1"),
        ((COLUMN, Y[:-1]), "X and y must have the same number"),
        ((np.full((3, 1), np.nan), Y[:3]), "NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(*arguments)


def test_refinement_is_the_default_and_nearer_the_truth():
    aris = []
    for seed in range(10_000, 10_006):
        x, y, labels = make_anm_mixture("f2", 100, random_state=seed)
        refined = cluster_mechanisms(x, y, 2, random_state=0).labels
        plain = cluster_mechanisms(x, y, 2, refine=False, random_state=0).labels
        aris.append([adjusted_rand_score(labels, found) for found in (refined, plain)])
    refined, plain = np.mean(aris, axis=0)
    assert refined > plain + 0.03


@pytest.mark.parametrize(("slopes", "n"), [((1.0, -1.0), 400), ((1.0, 3.0), 100)])
def test_curves_that_cross_are_found_where_theta_misses_them(slopes, n, rng):
    x, truth = rng.uniform(-2.0, 2.0, n), rng.integers(2, size=n)
    y = np.array(slopes)[truth] * x + 0.15 * rng.normal(size=n)
    result = cluster_mechanisms(x, y, 2, random_state=0)
    theta = cluster_mechanisms(x, y, 2, refine=False, random_state=0).labels
    # Its clusters are what lies above, and what below.
    assert adjusted_rand_score(truth, theta) < 0.1
    assert adjusted_rand_score(truth, result.labels) > 0.7
    assert_array_equal(result.labels, result.probabilities.argmax(axis=1))


def test_without_refinement_the_labels_are_the_clusters_of_theta():
    model = MechanismClustering(3, refine=False, random_state=0).fit(COLUMN, Y)
    result = model.result_
    many = KMeans(3, n_init=300, random_state=0).fit(result.latent)
    assert adjusted_rand_score(many.labels_, result.labels) == 1.0
    assert (result.probabilities, result.mixture, result.lengths) == (None, None, {})
    assert (result.curves, result.refined, result.notes) == (None, False, ("refine is False",))
    assert adjusted_rand_score(model.labels_, model.predict(COLUMN, Y)) > 0.8


def test_order_of_observations_permutes_labels_and_probabilities():
    order = np.random.default_rng(0).permutation(100)
    one, same = (cluster_mechanisms(X, Y, random_state=0) for _ in range(2))
    assert_array_equal(one.labels, same.labels)
    other = cluster_mechanisms(X[order], Y[order], random_state=0)
    assert adjusted_rand_score(one.labels[order], other.labels) > 0.95
    agreement = one.probabilities[order].T @ other.probabilities
    columns = agreement.argmax(axis=0)
    assert_allclose(one.probabilities[order][:, columns], other.probabilities, atol=0.02)


@pytest.mark.parametrize(("C", "refine"), [(1, True), (2, False), (3, True)])
def test_auto_finds_the_number(C, refine):
    x, y, _ = make_anm_mixture("f3", 200, theta_ranges=THREE[:C], random_state=10_000)
    result = cluster_mechanisms(x, y, "auto", refine=refine, random_state=0)
    assert result.n_mechanisms == C == min(result.lengths, key=result.lengths.get)
    assert len(set(result.labels)) == C
    given = cluster_mechanisms(x, y, C, refine=refine, random_state=0)
    assert_array_equal(given.labels, result.labels)
    assert cluster_mechanisms(x, y, "auto", max_mechanisms=1).n_mechanisms == 1


def test_several_effects_are_clustered_without_refinement():
    effect = np.column_stack([Y, Y + 0.01 * np.random.default_rng(0).normal(size=100)])
    model = MechanismClustering(random_state=0).fit(COLUMN, effect)
    result = model.result_
    assert (result.refined, result.probabilities, result.mixture) == (False, None, None)
    assert "2 columns" in result.notes[0]
    assert model.predict(X[:3, None], effect[:3]).shape == (3,)
    with pytest.raises(ValueError, match="needs an effect of one column"):
        cluster_mechanisms(X, effect, "auto")


# One mechanism that noise or a step makes look like several, and several ones.
FAMILIES = ["k1-hetero-strong", "k1-skew", "k1-t2", "k1-outliers", "k1-step", "k1-nothing"]
FAMILIES += ["size-9505", "noise-1:10", "hetero-one-of-two", "gate-logistic", "x-5-levels"]
FAMILIES += ["many-5", "many-8"]


@pytest.mark.parametrize("name", FAMILIES)
def test_mechanisms_of_a_family_are_found(name):
    drawn = mechanisms.draw(name, 300, 1)
    number = drawn.log_likelihood.shape[1]
    result = cluster_mechanisms(drawn.x, drawn.y, max_mechanisms=8, random_state=0)
    assert result.n_mechanisms == number
    assert result.curves.shape == (300, number)
    rows = drawn.truth != mechanisms.OUTLIER
    best = drawn.log_likelihood.argmax(axis=1)[rows]
    limit = adjusted_rand_score(drawn.truth[rows], best) - 0.1
    assert adjusted_rand_score(drawn.truth[rows], result.labels[rows]) > limit


def test_of_more_mechanisms_than_fit_none_is_without_observations():
    drawn = mechanisms.draw("many-5", 300, 1)
    assert min(cluster_mechanisms(drawn.x, drawn.y, 9, random_state=0).sizes) > 0


def test_three_curves_that_cross_are_found(rng):
    x, truth = rng.uniform(-2, 2, size=300), rng.choice(3, size=300, p=[0.5, 0.3, 0.2])
    y = np.choose(truth, [x, -x, 2 * np.cos(x)])
    y += np.array([0.1, 0.3, 0.2])[truth] * rng.normal(size=300)
    result = cluster_mechanisms(x, y, random_state=0)
    assert result.n_mechanisms == 3
    assert adjusted_rand_score(truth, result.labels) > 0.7


def test_an_effect_of_two_values_is_refused_by_name(rng):
    x = rng.normal(size=50)
    with pytest.raises(ValueError, match="effect sick has 2 distinct values"):
        cluster_mechanisms(pd.Series(x, name="age"), pd.Series(1.0 * (x > 0), name="sick"))


def test_curves_at_new_causes_have_standard_errors():
    result = cluster_mechanisms(X, Y, 2, random_state=0)
    at = np.linspace(0.1, 0.9, 9)
    curve, error = result.curve(at, return_std=True)
    assert curve.shape == error.shape == (9, 2)
    assert_array_equal(curve, result.curve(at))
    assert_allclose(result.curve(X), result.curves, rtol=1e-6)
    truth = np.exp(-at[:, np.newaxis] * [1.05, 3.05])
    if curve[-1, 0] < curve[-1, 1]:
        truth = truth[:, ::-1]
    assert np.all(np.abs(curve - truth) < 4 * error + 0.03)
    assert np.all(error < 0.1)
    plain = cluster_mechanisms(X, Y, 2, refine=False, random_state=0)
    with pytest.raises(ValueError, match="not refined"):
        plain.curve(at)


A, B = (lambda x: np.sin(2 * x)), (lambda x: 1.6 + 0.5 * x)


def two_curves(seed, n=300, noise=(0.2, 0.2), weight=0.5):
    rng = np.random.default_rng(seed)
    x, truth = rng.uniform(-2, 2, size=n), (rng.random(n) < weight).astype(int)
    y = np.where(truth, B(x), A(x)) + np.array(noise)[truth] * rng.normal(size=n)
    return x, y, truth


def test_nats_that_separate_two_numbers_count_for_a_quarter():
    x, y, _ = two_curves(0)
    result = cluster_mechanisms(x, y, random_state=0)
    odds = result.probabilities_of_number
    assert odds.keys() == result.lengths.keys()
    assert_allclose(sum(odds.values()), 1.0)
    assert max(odds, key=odds.get) == result.n_mechanisms
    nats = result.lengths[3] - result.lengths[2]
    assert_allclose(np.log(odds[2] / odds[3]), nats / 4.0)
    plain = cluster_mechanisms(x, y, 2, refine=False, random_state=0)
    assert plain.probabilities_of_number == {}


def test_a_number_without_a_length_has_no_probability():
    x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    result = cluster_mechanisms(x, y, 8, random_state=0)
    assert not result.refined
    assert result.probabilities_of_number == {}


def test_probabilities_are_less_sure_than_those_of_the_mixture():
    result = cluster_mechanisms(X, Y, 2, random_state=0)
    raw = result.mixture.probabilities
    odds = raw[:, 0] / raw[:, 1]
    found = result.probabilities[:, 0] / result.probabilities[:, 1]
    is_finite = (odds > 1e-100) & (odds < 1e100)
    assert_allclose(np.log(found)[is_finite], np.log(odds)[is_finite] / 1.5, atol=1e-9)


def test_standard_errors_include_uncertain_labels(rng):
    """Where curves overlap they are larger than with known mechanisms, elsewhere the same."""
    ratios = {}
    for distance in (0.5, 10.0):
        x, truth = rng.uniform(-2, 2, size=400), rng.integers(2, size=400)
        result = cluster_mechanisms(x, distance * truth + 0.2 * rng.normal(size=400), 2)
        _, std = result.curve([0.0], return_std=True)
        at = (np.zeros((1, 1)) - x.mean()) / x.std()
        known = result.mixture.curve_std_at(at, result.mixture.factor) * result._scaled.unit
        ratios[distance] = std / known
    assert_allclose(ratios[10.0], 1.0, atol=1e-3)
    assert np.all(ratios[0.5] > 1.1)


@pytest.mark.parametrize(("noise", "weight"), [((0.2, 0.2), 0.5), ((0.1, 0.4), 0.15)])
def test_bands_cover_the_curves(noise, weight):
    at = np.linspace(-1.8, 1.8, 10)
    truth = np.column_stack([A(at), B(at)])
    covered = []
    for seed in range(8):
        x, y, _ = two_curves(seed, noise=noise, weight=weight)
        curve, std = cluster_mechanisms(x, y, 2).curve(at, return_std=True)
        if curve[5, 0] > curve[5, 1]:
            curve, std = curve[:, ::-1], std[:, ::-1]
        covered.append(np.abs(curve - truth) < 2.0 * std)
    assert 0.88 < np.mean(covered) < 0.99


def test_quantiles_and_draws_of_effects_are_those_of_new_ones():
    result = cluster_mechanisms(*two_curves(0)[:2], 2)
    new_x, new_y, _ = two_curves(1, n=3000)
    predicted = result.predict_effect(new_x)
    low, middle, high = predicted.quantiles([0.05, 0.5, 0.95]).T
    assert_allclose(np.mean((low < new_y) & (new_y < high)), 0.9, atol=0.03)
    assert_allclose(np.mean(new_y < middle), 0.5, atol=0.04)
    assert_allclose(predicted.mean, (predicted.weights * predicted.means).sum(axis=1))
    assert_allclose(predicted.means, result.curve(new_x))
    drawn, mechanisms = predicted.draw(0)
    assert_allclose(np.mean((low < drawn) & (drawn < high)), 0.9, atol=0.02)
    assert_allclose(np.bincount(mechanisms) / 3000, predicted.weights.mean(axis=0), atol=0.03)
    residuals = drawn - predicted.means[np.arange(3000), mechanisms]
    assert_allclose(residuals.std(), 0.2, rtol=0.1)
    with pytest.raises(ValueError, match="levels must be between 0 and 1"):
        predicted.quantiles([0.0, 1.0])


def test_causes_far_from_the_data_are_warned_of():
    result = cluster_mechanisms(*two_curves(0)[:2], 2)
    causes = [0.0, 2.2, 5.0]
    for method in (result.curve, result.predict_effect, lambda x: result.predict(x, [0.0] * 3)):
        with pytest.warns(UserWarning, match="1 of 3 causes are farther"):
            found = method(causes)
    with pytest.warns(UserWarning, match="farther"):
        found = result.predict_effect(causes)
    assert_array_equal(found.is_far, [False, False, True])


def test_a_refined_fit_predicts_by_its_mixture():
    model = MechanismClustering(3, random_state=0).fit(COLUMN, Y)
    # Only where two mechanisms are almost as probable does an observation's θ decide.
    sure = model.probabilities_.max(axis=1) > 0.6
    assert_array_equal(model.predict(COLUMN, Y)[sure], model.labels_[sure])
    # The unit of a variable does not matter, but to curves.
    other = MechanismClustering(3, random_state=0).fit(1e6 * COLUMN, -1e-6 * Y)
    assert_array_equal(other.predict(1e6 * COLUMN, -1e-6 * Y), model.predict(COLUMN, Y))
    curves = model.result_.curves
    assert_allclose(other.result_.curves, -1e-6 * curves, rtol=1e-6)
    own = np.take_along_axis(curves, model.labels_[:, None], axis=1)[:, 0]
    assert np.std(Y - own) < 0.2 * np.std(Y)


@pytest.mark.parametrize("refine", [True, False])
def test_new_observations_have_probabilities_and_a_density(refine):
    new_x, new_y, _ = make_anm_mixture("f3", 50, random_state=6)
    models = [MechanismClustering(c, refine=refine, random_state=0).fit(COLUMN, Y) for c in (1, 2)]
    model, result = models[1], models[1].result_
    probabilities = model.predict_proba(new_x[:, None], new_y)
    assert probabilities.shape == (50, 2)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_array_equal(probabilities.argmax(axis=1), model.predict(new_x[:, None], new_y))
    # The result answers as the estimator does, and the score is the mean log of the density.
    assert_array_equal(result.predict(new_x, new_y), model.predict(new_x[:, None], new_y))
    assert_array_equal(result.predict_proba(new_x, new_y), probabilities)
    score = model.score(new_x[:, None], new_y)
    log_densities = result._log_densities(new_x[:, None], new_y[:, None])
    densities = np.exp(log_densities).sum(axis=1)
    assert_allclose(score, np.log(densities).mean())
    # Two mechanisms explain more than one; the density of the GPPOM is one of all its clusters.
    one = models[0].score(new_x[:, None], new_y)
    assert score > one + 0.3 if refine else score == pytest.approx(one, abs=1e-9)
    other = MechanismClustering(2, refine=refine, random_state=0).fit(COLUMN, 1e3 * Y)
    assert_allclose(other.score(new_x[:, None], 1e3 * new_y), score - np.log(1e3), atol=1e-6)


def test_options_are_checked():
    for name, values in {
        "n_mechanisms": (101, "two"),
        "refine": ("em", None),
        "max_mechanisms": (0, 9),
    }.items():
        for value in values:
            with pytest.raises((TypeError, ValueError), match=f"{name} must be"):
                cluster_mechanisms(X, Y, **{name: value})


FORK = """
import multiprocessing
from anmmm import cluster_mechanisms
from anmmm.datasets import make_anm_mixture
from anmmm.gppom import prediction

x, y, _ = make_anm_mixture("f3", n_samples=40, random_state=1)
options = {"fit_options": {"max_iter": 3}}
here = cluster_mechanisms(x, y, 2, **options)
with multiprocessing.get_context("fork").Pool(1) as pool:
    there = pool.apply_async(cluster_mechanisms, (x, y, 2), options).get(200)
assert (here.labels == there.labels).all()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_process_forked_after_a_clustering_can_cluster():
    # Several threads of OpenMP, which do not live on in a fork.
    python("-W", "ignore", "-c", FORK, env={"OMP_NUM_THREADS": "2"}, timeout=300)


def test_labels_of_complete_rows_name_their_rows():
    x, y, _ = make_anm_mixture("f3", 40, random_state=1)
    x[3] = y[11] = np.nan
    result = cluster_mechanisms(x, y, 1, missing="drop")
    assert_array_equal(result.rows, np.delete(np.arange(40), [3, 11]))
    assert (len(result.labels), result.n_dropped) == (38, 2)
    frame = pd.DataFrame({"dose": x, "growth": y})
    with pytest.raises(ValueError, match=r"dose holds 1 NaN .*; missing='drop' leaves them out"):
        cluster_mechanisms(frame, "dose", "growth")


def squares_within(values, labels):
    return sum(np.sum((values[labels == c] - values[labels == c].mean()) ** 2) for c in set(labels))


def least_squares_within(values, n_clusters):
    """Of every way to cut the sorted values."""
    ordered = np.sort(values)
    cuts = itertools.combinations(range(1, len(values)), n_clusters - 1)
    return min(
        sum(np.sum((part - part.mean()) ** 2) for part in np.split(ordered, cut)) for cut in cuts
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    # Steps of a hundredth: nearer ones than rounding tells apart are no clusters.
    arrays(np.int64, st.integers(4, 9), elements=st.integers(-500, 500), unique=True),
    st.integers(1, 4),
    st.sampled_from([0.0, 1e3]),
)
def test_one_latent_is_cut_in_the_best_way(whole, n_clusters, shift):
    values = whole / 100.0 + shift
    labels = kmeans_labels(values[:, np.newaxis], n_clusters, 0)
    best = least_squares_within(values, n_clusters)
    assert squares_within(values, labels) == pytest.approx(best, rel=1e-6, abs=1e-6)
    assert len(set(labels)) == n_clusters


@pytest.mark.parametrize("n", [MOST_GROUPS - 1, MOST_GROUPS + 1, 3001])
@pytest.mark.parametrize("n_clusters", [2, 5])
def test_many_values_are_cut_as_well_as_by_many_starts(rng, n, n_clusters):
    tails = np.where(rng.random(n) < 0.1, 3.0, 0.0) + rng.standard_t(3, size=n)
    for values in (tails, np.append(rng.normal(size=n), [30.0, 60.0])):
        labels = kmeans_labels(values[:, np.newaxis], n_clusters, 0)
        many = KMeans(n_clusters, n_init=30, random_state=0).fit(values[:, np.newaxis])
        slack = 2e-3 * (n > MOST_GROUPS)
        assert squares_within(values, labels) <= (1.0 + slack) * many.inertia_ + 1e-9


def test_neither_seed_nor_order_nor_sign_matters(rng):
    latent = rng.normal(size=(150, 1))
    labels, order = kmeans_labels(latent, 3, 0), rng.permutation(150)
    assert_array_equal(kmeans_labels(latent, 3, 7), labels)
    assert_array_equal(kmeans_labels(latent[order], 3, 0), labels[order])
    assert_array_equal(kmeans_labels(-latent, 3, 0), 2 - labels)


def test_several_latents_start_from_the_seed(rng):
    latent = rng.normal(size=(80, 2))
    expected = KMeans(3, n_init=10, random_state=4).fit(latent).labels_
    assert_array_equal(kmeans_labels(latent, 3, 4), expected)
