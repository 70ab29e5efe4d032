import numpy as np
import pytest

from anmmm.datasets import make_anm_mixture
from anmmm.datasets.synthetic import draw_anm_mixture

FORMULAS = {
    "f1": lambda x, t: 1 / (1.5 + t * x**2),
    "f2": lambda x, t: 2 * x ** (t - 0.25),
    "f3": lambda x, t: np.exp(-t * x),
    "f4": lambda x, t: np.tanh(t * x),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_the_paper_s_mechanisms(name):
    sample = draw_anm_mixture(name, 200, noise_std=0.0, random_state=3)
    expected = FORMULAS[name](sample.x, sample.thetas[sample.labels])
    np.testing.assert_allclose(sample.y, expected, rtol=1e-14)
    assert ((sample.x > 0) & (sample.x < 1)).all()


def test_defaults_are_the_paper_s():
    sample = draw_anm_mixture(random_state=0)
    assert sample.x.shape == sample.y.shape == sample.labels.shape == (100,)
    np.testing.assert_array_equal(np.bincount(sample.labels), [50, 50])
    assert 1 <= sample.thetas[0] <= 1.1
    assert 3 <= sample.thetas[1] <= 3.1
    noise = sample.y - FORMULAS["f3"](sample.x, sample.thetas[sample.labels])
    assert 0.035 < noise.std() < 0.065
    # The rows are in random order: no run of fifty equal labels.
    assert np.count_nonzero(np.diff(sample.labels)) > 20


def test_equal_seeds_equal_draws_and_others_differ():
    for make_state in (lambda: 7, lambda: np.random.default_rng(7)):
        x, y, labels = make_anm_mixture("f1", 30, random_state=make_state())
        sample = draw_anm_mixture("f1", 30, random_state=make_state())
        np.testing.assert_array_equal([x, y, labels], [sample.x, sample.y, sample.labels])
    for state in (8, None):
        assert not np.array_equal(make_anm_mixture("f1", 30, random_state=state)[0], x)


@pytest.mark.parametrize(
    ("proportions", "n_samples", "counts"),
    [
        ((0.5, 0.5), 101, [51, 50]),
        ((0.25, 0.75), 10, [3, 7]),
        ((0.1, 0.9), 30, [3, 27]),
        ((1.0, 0.0), 12, [12, 0]),
        ((1 / 3, 1 / 3, 1 / 3), 11, [4, 4, 3]),
        ((0.2, 0.3, 0.5), 7, [1, 2, 4]),
    ],
)
def test_counts_by_largest_remainder(proportions, n_samples, counts):
    ranges = [(c, c + 0.1) for c in range(1, len(proportions) + 1)]
    labels = make_anm_mixture(
        "f4", n_samples, theta_ranges=ranges, proportions=proportions, random_state=0
    )[2]
    np.testing.assert_array_equal(np.bincount(labels, minlength=len(counts)), counts)


def test_own_mechanism():
    sample = draw_anm_mixture(
        lambda x, theta: theta + x, 20, theta_ranges=[(5, 5)], noise_std=0, random_state=0
    )
    np.testing.assert_allclose(sample.y, 5 + sample.x)


def test_bayes_labels_pick_the_likelier_mechanism():
    sample = draw_anm_mixture("f3", 300, proportions=(0.8, 0.2), noise_std=0.2, random_state=4)
    curves = np.exp(-np.outer(sample.thetas, sample.x))
    density = np.array([[0.8], [0.2]]) * np.exp(-0.5 * ((sample.y - curves) / 0.2) ** 2)
    np.testing.assert_array_equal(sample.bayes_labels(), density.argmax(axis=0))
    accuracy = np.mean(sample.bayes_labels() == sample.labels)
    assert 0.8 < accuracy < 1.0


def test_bayes_labels_without_noise_and_with_an_empty_mechanism():
    sample = draw_anm_mixture("f3", 100, noise_std=0.0, random_state=0)
    np.testing.assert_array_equal(sample.bayes_labels(), sample.labels)
    sample = draw_anm_mixture("f3", 100, proportions=(1, 0), random_state=0)
    assert not sample.bayes_labels().any()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"mechanism": "f5"}, ValueError),
        ({"mechanism": lambda x, t: 1.0}, ValueError),
        ({"mechanism": lambda x, t: x + np.inf}, ValueError),
        ({"n_samples": 0}, ValueError),
        ({"n_samples": 10.0}, TypeError),
        ({"theta_ranges": ()}, ValueError),
        ({"theta_ranges": ((1, 2), (3,))}, ValueError),
        ({"theta_ranges": ((2, 1),)}, ValueError),
        ({"theta_ranges": ((1, np.inf),)}, ValueError),
        ({"noise_std": -1}, ValueError),
        ({"noise_std": "a"}, TypeError),
        ({"proportions": (1,)}, ValueError),
        ({"proportions": (0.5, 0.6)}, ValueError),
        ({"proportions": (1.5, -0.5)}, ValueError),
        ({"random_state": -1}, ValueError),
    ],
)
def test_wrong_arguments_are_named(arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        make_anm_mixture(**arguments)
