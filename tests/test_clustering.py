"""Algorithm 2: labels, numbering, new observations, bad input."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from anmmm import MechanismClustering, cluster_mechanisms
from anmmm.datasets import make_anm_mixture


@pytest.fixture(scope="module")
def mixture():
    return make_anm_mixture("f3", 100, random_state=5)


def test_mechanisms_are_found(mixture):
    x, y, labels = mixture
    result = cluster_mechanisms(x, y, 2, random_state=0)
    assert adjusted_rand_score(labels, result.labels) > 0.6
    assert result.labels.shape == (100,)
    assert result.latent.shape == (100, 1)
    assert set(result.labels) == {0, 1}
    for c in range(2):
        np.testing.assert_allclose(
            result.centres[c], result.latent[result.labels == c].mean(axis=0)
        )


def test_labels_are_numbered_by_first_appearance(mixture):
    x, y, _ = mixture
    labels = cluster_mechanisms(x, y, 4, random_state=0).labels
    _, first = np.unique(labels, return_index=True)
    assert_array_equal(np.sort(first), first)


def test_same_seed_same_labels_and_order_of_observations_does_not_matter(mixture):
    x, y, _ = mixture
    labels = cluster_mechanisms(x, y, random_state=0).labels
    assert_array_equal(labels, cluster_mechanisms(x, y, random_state=0).labels)
    order = np.random.default_rng(0).permutation(100)
    shuffled = cluster_mechanisms(x[order], y[order], random_state=0).labels
    assert adjusted_rand_score(labels[order], shuffled) > 0.95


def test_one_mechanism_and_as_many_as_observations():
    x, y, _ = make_anm_mixture("f3", 12, random_state=0)
    assert set(cluster_mechanisms(x, y, 1).labels) == {0}
    assert len(set(cluster_mechanisms(x, y, 12).labels)) == 12


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (0, "n_mechanisms must be at least 1, found 0"),
        (101, "n_mechanisms must be at most n_samples, found 101"),
        (2.0, "n_mechanisms must be a whole number"),
        ("auto", "n_mechanisms must be a whole number"),
    ],
)
def test_number_of_mechanisms_is_checked(mixture, k, message):
    x, y, _ = mixture
    with pytest.raises((ValueError, TypeError), match=message):
        cluster_mechanisms(x, y, k)


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
    # One at a time or together is the same.
    assert_array_equal(
        predicted[:5],
        [model.predict([[a]], [b])[0] for a, b in zip(new_x[:5], new_y[:5], strict=True)],
    )


def test_pair_as_two_columns(mixture):
    x, y, _ = mixture
    wide = np.column_stack([x, y])
    model = MechanismClustering(random_state=0)
    assert_array_equal(
        model.fit_predict(wide), MechanismClustering(random_state=0).fit_predict(x[:, None], y)
    )
    assert model.predict(wide).shape == (100,)


def test_predict_wants_the_columns_of_fit(mixture):
    x, y, _ = mixture
    wide = np.column_stack([x, y])
    with pytest.raises(ValueError, match="y has 2 columns, but fit was given 1"):
        MechanismClustering(random_state=0).fit(x[:, None], y).predict(x[:, None], wide)
    with pytest.raises(ValueError, match="y has 1 columns, but fit was given the pair in X"):
        MechanismClustering(random_state=0).fit(wide).predict(wide, y)


def test_predict_checks_its_input(mixture):
    x, y, _ = mixture
    with pytest.raises(NotFittedError):
        MechanismClustering().predict(x[:, None], y)
    model = MechanismClustering(random_state=0).fit(x[:, None], y)
    with pytest.warns(UserWarning, match="y is None"):
        assert set(model.predict(x[:, None])) == {np.bincount(model.labels_).argmax()}
    with pytest.raises(ValueError, match="X and y must have the same number"):
        model.predict(x[:, None], y[:-1])
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((3, 1), np.nan), y[:3])
