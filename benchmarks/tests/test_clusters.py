"""Families with known mechanisms, other methods that label them, and measures of sureness."""

import shutil
import subprocess

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms
from benchmarks import clusters
from benchmarks.baselines.labels import LABELS
from benchmarks.cluster_sureness import best_matching, measure_sureness
from benchmarks.families import mechanisms
from benchmarks.families.settings import draw_setting


@pytest.mark.parametrize("name", mechanisms.FAMILIES)
def test_a_family_is_drawn_with_its_truth(name):
    drawn = mechanisms.draw(name, 60, 0)
    assert_array_equal(drawn.y, mechanisms.draw(name, 60, 0).y)
    assert drawn.log_likelihood.shape[0] == len(drawn.x) == len(drawn.truth) == 60
    assert drawn.truth.max() < drawn.log_likelihood.shape[1]
    # The truth is likely: no row is at a place that its mechanism cannot have.
    is_inlier = drawn.truth != mechanisms.OUTLIER
    of_truth = np.take_along_axis(drawn.log_likelihood, drawn.truth[:, np.newaxis], axis=1)
    assert np.all(np.isfinite(of_truth[is_inlier]))


def test_a_setting_and_a_family_of_one_name_are_different_data():
    mixture = clusters.read("f3-c3", 50, 0, clusters.MIXTURES)
    assert_array_equal(mixture.x, draw_setting("f3-c3", 50, 0)[0])
    family = clusters.read("f3-c3", 50, 0, clusters.FAMILIES)
    assert_array_equal(family.x, mechanisms.draw("f3-c3", 50, 0).x)


def has_flexmix():
    if shutil.which("Rscript") is None:
        return False
    command = ["Rscript", "-e", "library(flexmix)"]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.parametrize("method", LABELS)
def test_other_methods_label_what_is_clear(method):
    if method == "flexmix" and not has_flexmix():
        pytest.skip("R has no flexmix")
    drawn = mechanisms.draw("parallel-20", 150, 0)
    number = None if method == "hdbscan" else 2
    labels, seconds = LABELS[method](drawn.x[:, np.newaxis], drawn.y, number, 0)
    assert adjusted_rand_score(drawn.truth, labels) > 0.3
    assert seconds >= 0.0


def test_labels_are_matched_with_the_truth():
    truth = np.array([0, 0, 1, 1, 2, mechanisms.OUTLIER])
    assert_array_equal(best_matching(truth, np.array([2, 2, 0, 0, 1, 1])), [1, 2, 0])


def test_a_clear_clustering_is_right_where_it_is_sure():
    drawn = mechanisms.draw("parallel-20", 150, 0)
    result = cluster_mechanisms(drawn.x, drawn.y, random_state=0)
    row = measure_sureness(result, drawn, mechanisms.draw("parallel-20", 150, 1))
    assert row["rows from 0.99"] == row["right from 0.99"] == 150
    assert_allclose(row["sureness from 0.99"], 150, atol=0.1)
    assert row["number_probability"] > 0.8
    assert row["band"] > 0.7
    assert row["interval"] > 0.8
