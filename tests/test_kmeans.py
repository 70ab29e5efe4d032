"""Clusters of one latent are the best ones; of several, scikit-learn's."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans

from anmmm.clustering.kmeans import MOST_GROUPS, kmeans_labels


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
    values = np.where(rng.random(n) < 0.1, 3.0, 0.0) + rng.standard_t(3, size=n)
    labels = kmeans_labels(values[:, np.newaxis], n_clusters, 0)
    many = KMeans(n_clusters, n_init=30, random_state=0).fit(values[:, np.newaxis])
    assert squares_within(values, labels) <= (1.0 + 2e-3 * (n > MOST_GROUPS)) * many.inertia_ + 1e-9


@pytest.mark.parametrize("n", [250, 1000])
def test_what_lies_far_is_grouped_with_nothing(rng, n):
    for tail in ([30.0, 60.0], rng.standard_cauchy(size=40)):
        values = np.append(rng.normal(size=n), tail)
        labels = kmeans_labels(values[:, np.newaxis], 3, 0)
        many = KMeans(3, n_init=60, random_state=0).fit(values[:, np.newaxis])
        assert squares_within(values, labels) <= 1.002 * many.inertia_


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
