"""What all baselines promise: signs, invariances, finite scores, labels of shapes that fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.metrics import adjusted_rand_score

from benchmarks.baselines import CLUSTERING_BASELINES, DIRECTION_BASELINES
from benchmarks.tests.drawn_pairs import OWN_PAIRS, SHAPES

ODD_PAIRS = {
    "identical": lambda x: (x, x),
    "binary": lambda x: ((x > 0) * 1.0, (np.roll(x, 1) > 0) * 1.0),
    "identical binary": lambda x: ((x > 0) * 1.0, (x > 0) * 1.0),
    "binary cause": lambda x: ((x > 0) * 1.0, x),
    "rounded": lambda x: (np.round(x), np.round(x**2)),
    "outlier": lambda x: (np.append(x[1:], 1e6), np.append(x[1:] ** 2, 1e6)),
    "one differs": lambda x: (np.append(np.zeros(len(x) - 1), 1.0), x),
    "huge": lambda x: (1e300 * x, 1e300 * x**2),
    "tiny": lambda x: (1e-300 * x, 1e-300 * x**2),
    "ten observations": lambda x: (x[:10], x[:10] ** 3),
}

each_direction = pytest.mark.parametrize("name", DIRECTION_BASELINES)
each_clustering = pytest.mark.parametrize("name", CLUSTERING_BASELINES)


def direction_method(name):
    if name == "ecp":
        pytest.importorskip("causallearn")
    return DIRECTION_BASELINES[name]()


def pair(seed, n=40):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, n)
    return x, x + x**2 + 0.3 * rng.uniform(-1.0, 1.0, n)


@pytest.mark.slow
@each_direction
def test_a_method_is_right_where_its_assumptions_hold(name):
    method = direction_method(name)
    # The most flexible model needs more observations.
    n = 200 if name == "pnl" else 100
    scores = [method.direction(*OWN_PAIRS[name](n, seed)) for seed in range(20)]
    # Guessing is right so often once in 160 times.
    assert np.mean(0.5 + 0.5 * np.sign(scores)) >= 0.8


@each_direction
@settings(max_examples=3)
@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-40, 40), shift=st.floats(-10.0, 10.0))
def test_only_the_order_of_the_variables_matters(name, seed, power, shift):
    method = direction_method(name)
    x, y = pair(seed)
    expected = method.direction(x, y)
    assert method.direction(y, x) == -expected
    # Powers of two, so that nothing rounds.
    assert method.direction(2.0**power * x, y) == expected
    assert method.direction(x, 2.0**power * y) == expected
    # Fits of the post-nonlinear model stop before rounding has died out.
    tolerance = {"rel": 0.2, "abs": 0.5} if name == "pnl" else {"rel": 1e-2, "abs": 1e-3}
    assert method.direction(x + shift, y) == pytest.approx(expected, **tolerance)
    assert method.direction(x, y + shift) == pytest.approx(expected, **tolerance)


@each_direction
def test_odd_pairs_have_a_finite_score_too(name):
    method = direction_method(name)
    for case, of in ODD_PAIRS.items():
        x, y = of(np.random.default_rng(1).standard_normal(40))
        score = method.direction(x, y)
        assert np.isfinite(score), case
        assert score == -method.direction(y, x), case
        assert score == 0.0 or not case.startswith("identical"), case


@each_clustering
def test_labels_depend_on_the_seed_and_not_on_scale_and_shift(name):
    x, y, _ = SHAPES["lines"](60, 0)
    method = CLUSTERING_BASELINES[name]()
    labels = method.labels(x, y, 2, random_state=0)
    assert labels.shape == (60,)
    assert labels.dtype == np.intp
    assert_array_equal(method.labels(1e6 * (x + 2), 1e-6 * y, 2, random_state=0), labels)
    if name != "dbscan":
        assert set(method.labels(x, y, 1, random_state=0)) == {0}


@pytest.mark.parametrize(
    ("name", "shape", "least"),
    [
        ("k-means", "blobs", 0.95),
        ("pca-k-means", "blobs", 0.95),
        ("gmm", "blobs", 0.95),
        ("spectral", "blobs", 0.95),
        ("dbscan", "blobs", 0.6),
        ("gmm", "lines", 0.5),
        ("dbscan", "lines", 0.4),
    ],
)
def test_shapes_that_fit_a_method_are_found(name, shape, least):
    aris = []
    for seed in range(5):
        x, y, truth = SHAPES[shape](200, seed)
        labels = CLUSTERING_BASELINES[name]().labels(x, y, 2, random_state=seed)
        aris.append(adjusted_rand_score(truth, labels))
    assert np.mean(aris) > least
