"""Clusters of points: each method on shapes that fit it, and DBSCAN's radius and noise."""

import numpy as np
import pytest
from benchmarks.studies.baselines import SHAPES
from sklearn.metrics import adjusted_rand_score

from anmmm.baselines import CLUSTERING_BASELINES, DBSCAN, SpectralClustering


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


@pytest.mark.filterwarnings("ignore:Graph is not fully connected")
def test_rings_are_found_by_neighbors_and_by_a_radius_that_suits_them():
    x, y, truth = SHAPES["rings"](200, 0)
    by_neighbors = SpectralClustering("nearest_neighbors").labels(x, y, 2, random_state=0)
    assert adjusted_rand_score(truth, by_neighbors) == 1.0
    assert adjusted_rand_score(truth, DBSCAN(eps=0.3).labels(x, y, 2)) == 1.0


def test_k_means_does_not_find_parallel_lines():
    x, y, truth = SHAPES["lines"](200, 0)
    labels = CLUSTERING_BASELINES["k-means"]().labels(x, y, 2, random_state=0)
    assert adjusted_rand_score(truth, labels) < 0.2


def test_the_first_component_of_anticorrelated_variables_is_their_difference():
    x = np.repeat([0.0, 1.0], 10) + np.tile(np.linspace(0.0, 0.1, 10), 2)
    labels = CLUSTERING_BASELINES["pca-k-means"]().labels(x, -x, 2, random_state=0)
    assert adjusted_rand_score(np.repeat([0, 1], 10), labels) == 1.0


def test_one_mechanism_is_one_cluster():
    x, y = np.random.default_rng(0).uniform(size=(2, 30))
    for name in ("k-means", "pca-k-means", "gmm", "spectral"):
        assert set(CLUSTERING_BASELINES[name]().labels(x, y, 1, random_state=0)) == {0}


def test_neighbors_as_affinity_are_at_most_the_observations():
    x, y, _ = SHAPES["blobs"](10, 0)
    method = SpectralClustering("nearest_neighbors", n_neighbors=50)
    assert method.labels(x, y, 2, random_state=0).shape == (10,)


def test_dbscan_ignores_the_number_of_mechanisms():
    x, y, _ = SHAPES["rings"](100, 0)
    labels = [DBSCAN().labels(x, y, number).tolist() for number in (1, 2, 7)]
    assert labels[0] == labels[1] == labels[2]


def test_dbscan_marks_a_far_point_as_noise():
    x, y, _ = SHAPES["blobs"](100, 0)
    labels = DBSCAN().labels(np.append(x, 30.0), np.append(y, -30.0), 2)
    assert labels[-1] == -1
    assert set(labels) > {-1}


def test_dbscan_takes_a_radius_and_parts_ties():
    x = np.repeat([0.0, 1.0, 2.0], 10)
    assert len(set(DBSCAN().labels(x, x, 2))) == 3
    assert set(DBSCAN(eps=10.0).labels(x, x, 2)) == {0}


def test_dbscan_refuses_what_has_no_meaning():
    x, y = np.random.default_rng(0).uniform(size=(2, 12))
    with pytest.raises(ValueError, match="eps must be positive"):
        DBSCAN(eps=0.0)
    with pytest.raises(ValueError, match="min_samples must be at least 2"):
        DBSCAN(min_samples=1)
    with pytest.raises(ValueError, match="min_samples must be at most n_samples, found 13 for 12"):
        DBSCAN(min_samples=13).labels(x, y, 2)
    with pytest.raises(ValueError, match="gamma must be positive"):
        SpectralClustering(gamma=0.0)
