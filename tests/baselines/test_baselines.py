"""What all baselines promise: their protocol, their sign, and what they refuse."""

import importlib
import subprocess
import sys

import numpy as np
import pytest
from benchmarks.studies.baselines import FIRST_SEED, OWN_PAIRS, SHAPES, right
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from anmmm.baselines import CLUSTERING_BASELINES, DIRECTION_BASELINES
from waiting import LIMIT

# Guessing is right on so many of 20 data sets once in 160 times.
N_SETS = 20
LEAST = 0.8
# The most flexible model needs more observations.
N_SAMPLES = {"pnl": 200}

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


def direction_method(name):
    if name == "ecp":
        pytest.importorskip("causallearn")
    return DIRECTION_BASELINES[name]()


def pair(seed, n=40):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0, 1.0, n)
    return x, x + x**2 + 0.3 * rng.uniform(-1.0, 1.0, n)


def test_the_registries_hold_the_methods_of_the_paper():
    assert {"anm", "pnl", "igci", "ecp", "lingam"} <= set(DIRECTION_BASELINES)
    assert set(CLUSTERING_BASELINES) == {"k-means", "pca-k-means", "gmm", "spectral", "dbscan"}
    assert set(OWN_PAIRS) == set(DIRECTION_BASELINES)


@pytest.mark.parametrize("registry", [DIRECTION_BASELINES, CLUSTERING_BASELINES])
def test_every_method_has_a_printed_name_and_fixed_options(registry):
    for factory in registry.values():
        method = factory()
        assert isinstance(method.label, str)
        assert method == factory()
        with pytest.raises(AttributeError):
            method.label = "other"


def test_factories_take_options():
    assert DIRECTION_BASELINES["igci-gaussian-entropy"]().reference == "gaussian"
    assert DIRECTION_BASELINES["anm"](n_starts=3).n_starts == 3
    assert CLUSTERING_BASELINES["dbscan"](eps=0.5).eps == 0.5


# --- Directions -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", DIRECTION_BASELINES)
def test_a_method_is_right_where_its_assumptions_hold(name):
    direction_method(name)
    seeds = list(range(N_SETS))
    assert FIRST_SEED not in seeds
    assert right(name, name, N_SAMPLES.get(name, 100), seeds)[0] >= LEAST


@pytest.mark.parametrize("name", DIRECTION_BASELINES)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32 - 1))
def test_exchanging_the_variables_negates_the_score(name, seed):
    method = direction_method(name)
    x, y = pair(seed)
    assert method.direction(x, y) == -method.direction(y, x)


@pytest.mark.parametrize("name", DIRECTION_BASELINES)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-40, 40))
def test_the_unit_of_a_variable_does_not_matter(name, seed, power):
    method = direction_method(name)
    x, y = pair(seed)
    expected = method.direction(x, y)
    # Powers of two, so that nothing rounds.
    assert method.direction(2.0**power * x, y) == expected
    assert method.direction(x, 2.0**power * y) == expected


@pytest.mark.parametrize("name", DIRECTION_BASELINES)
@settings(max_examples=3)
@given(seed=st.integers(0, 2**32 - 1), shift=st.floats(-10.0, 10.0))
def test_the_zero_of_a_variable_does_not_matter(name, seed, shift):
    method = direction_method(name)
    x, y = pair(seed)
    # Fits of the post-nonlinear model stop before rounding has died out.
    tolerance = {"rel": 0.2, "abs": 0.5} if name == "pnl" else {"rel": 1e-2, "abs": 1e-3}
    expected = pytest.approx(method.direction(x, y), **tolerance)
    assert method.direction(x + shift, y) == expected
    assert method.direction(x, y + shift) == expected


@pytest.mark.parametrize("name", DIRECTION_BASELINES)
def test_any_container_is_taken_and_nothing_is_random(name):
    method = direction_method(name)
    x, y = pair(3)
    expected = method.direction(x, y)
    assert isinstance(expected, float)
    assert method.direction(x.tolist(), y[:, np.newaxis], random_state=7) == expected


@pytest.mark.parametrize("case", ODD_PAIRS)
@pytest.mark.parametrize("name", DIRECTION_BASELINES)
def test_odd_pairs_have_a_finite_score_too(name, case):
    method = direction_method(name)
    x, y = ODD_PAIRS[case](np.random.default_rng(1).standard_normal(40))
    score = method.direction(x, y)
    assert np.isfinite(score)
    assert score == -method.direction(y, x)


@pytest.mark.parametrize("name", DIRECTION_BASELINES)
def test_identical_variables_are_undecided(name):
    x = np.random.default_rng(1).standard_normal(40)
    assert direction_method(name).direction(x, x) == 0.0


@pytest.mark.parametrize("name", DIRECTION_BASELINES)
def test_unusable_variables_are_refused_by_name(name):
    method = DIRECTION_BASELINES[name]()
    x, y = pair(0)
    with pytest.raises(ValueError, match="y is constant"):
        method.direction(x, np.ones(len(x)))
    with pytest.raises(ValueError, match="x holds 1 NaN"):
        method.direction(np.append(x[1:], np.nan), y)
    with pytest.raises(ValueError, match="same number of observations, found 39 and 40"):
        method.direction(x[1:], y)
    with pytest.raises(ValueError, match=r"x has 2 columns, but .* pass one column"):
        method.direction(np.column_stack([x, y]), y)
    with pytest.raises(ValueError, match="random_state"):
        method.direction(x, y, random_state="seed")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("anm", {"criterion": "pearson"}, "criterion must be one of 'pvalue', 'hsic'"),
        ("anm", {"n_starts": 0}, "n_starts must be at least 1"),
        ("pnl", {"n_hidden": 0}, "n_hidden must be at least 1"),
        ("pnl", {"decay": 0.0}, "decay must be positive"),
        ("igci", {"reference": "laplace"}, "reference must be one of"),
        ("igci", {"estimator": "knn"}, "estimator must be one of"),
        ("ecp", {"alpha": 1.0}, "alpha must lie between 0 and 1"),
        ("ecp", {"alpha": 0.0}, "alpha must lie between 0 and 1"),
    ],
)
def test_options_out_of_range_are_refused_by_name(name, options, message):
    with pytest.raises(ValueError, match=message):
        DIRECTION_BASELINES[name](**options)


# --- Clustering -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLUSTERING_BASELINES)
def test_labels_are_one_whole_number_for_each_observation(name):
    x, y, _ = SHAPES["blobs"](60, 0)
    labels = CLUSTERING_BASELINES[name]().labels(x, y, 3, random_state=0)
    assert labels.shape == (60,)
    assert labels.dtype == np.intp


@pytest.mark.parametrize("name", CLUSTERING_BASELINES)
def test_a_seed_fixes_the_labels(name):
    x, y = np.random.default_rng(0).uniform(size=(2, 60))
    method = CLUSTERING_BASELINES[name]()
    for state in (0, np.random.SeedSequence(3)):
        first = method.labels(x, y, 3, random_state=state)
        assert_array_equal(first, method.labels(x, y, 3, random_state=state))


@pytest.mark.parametrize("name", CLUSTERING_BASELINES)
def test_clusters_do_not_depend_on_scale_and_shift(name):
    x, y, _ = SHAPES["lines"](60, 0)
    method = CLUSTERING_BASELINES[name]()
    expected = method.labels(x, y, 2, random_state=0)
    assert_array_equal(method.labels(1e6 * (x + 2), 1e-6 * y, 2, random_state=0), expected)


@pytest.mark.parametrize("name", CLUSTERING_BASELINES)
def test_unusable_points_are_refused_by_name(name):
    method = CLUSTERING_BASELINES[name]()
    x, y = pair(0)
    with pytest.raises(ValueError, match="x is constant"):
        method.labels(np.ones(len(y)), y, 2)
    with pytest.raises(ValueError, match="n_mechanisms must be at most n_samples"):
        method.labels(x, y, 41)
    with pytest.raises(TypeError, match="n_mechanisms must be a whole number"):
        method.labels(x, y, "auto")
    with pytest.raises(ValueError, match="random_state"):
        method.labels(x, y, 2, random_state="seed")


def test_importing_the_baselines_does_not_import_optional_libraries():
    code = "import sys, anmmm.baselines; sys.exit('causallearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=LIMIT)
    assert done.returncode == 0


def test_every_public_name_is_documented():
    package = importlib.import_module("anmmm.baselines")
    for name in package.__all__:
        if isinstance(getattr(package, name), type):
            assert getattr(package, name).__doc__
