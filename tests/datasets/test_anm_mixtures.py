import numpy as np
import pytest

from anmmm.datasets import make_anm_mixture

FORMULAS = {
    "f1": lambda x, t: 1 / (1.5 + t * x**2),
    "f2": lambda x, t: 2 * x ** (t - 0.25),
    "f3": lambda x, t: np.exp(-t * x),
    "f4": lambda x, t: np.tanh(t * x),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_the_paper_s_mechanisms(name):
    ranges = ((1.05, 1.05), (3.0, 3.0))
    x, y, labels = make_anm_mixture(name, 200, theta_ranges=ranges, noise_std=0.0, random_state=3)
    expected = FORMULAS[name](x, np.array([1.05, 3.0])[labels])
    np.testing.assert_allclose(y, expected, rtol=1e-14)
    assert ((x > 0) & (x < 1)).all()


def test_defaults_are_the_paper_s():
    x, y, labels = make_anm_mixture(random_state=0)
    assert x.shape == y.shape == labels.shape == (100,)
    np.testing.assert_array_equal(np.bincount(labels), [50, 50])
    noise = y - FORMULAS["f3"](x, np.array([1.05, 3.05])[labels])
    assert 0.035 < noise.std() < 0.065
    # The rows are in random order: no run of fifty equal labels.
    assert np.count_nonzero(np.diff(labels)) > 20


def test_equal_seeds_equal_draws_and_others_differ():
    drawn = make_anm_mixture("f1", 30, random_state=7)
    again = make_anm_mixture("f1", 30, random_state=np.random.default_rng(7))
    np.testing.assert_array_equal(drawn, again)
    for state in (8, None):
        assert not np.array_equal(make_anm_mixture("f1", 30, random_state=state)[0], drawn[0])


@pytest.mark.parametrize(
    ("proportions", "n_samples", "counts"),
    [
        ((0.5, 0.5), 101, [51, 50]),
        ((0.25, 0.75), 10, [3, 7]),
        ((0.1, 0.9), 30, [3, 27]),
        ((1.0, 0.0), 12, [12, 0]),
        ((0.2, 0.3, 0.5), 7, [1, 2, 4]),
    ],
)
def test_counts_by_largest_remainder(proportions, n_samples, counts):
    ranges = [(c, c + 0.1) for c in range(1, len(proportions) + 1)]
    labels = make_anm_mixture(
        "f4", n_samples, theta_ranges=ranges, proportions=proportions, random_state=0
    )[2]
    np.testing.assert_array_equal(np.bincount(labels, minlength=len(counts)), counts)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"mechanism": "f5"}, ValueError),
        ({"n_samples": 10.0}, TypeError),
        ({"theta_ranges": ()}, ValueError),
        ({"theta_ranges": ((2, 1),)}, ValueError),
        ({"theta_ranges": ((1, np.inf),)}, ValueError),
        ({"noise_std": -1}, ValueError),
        ({"proportions": (1,)}, ValueError),
        ({"proportions": (1.5, -0.5)}, ValueError),
        ({"random_state": -1}, ValueError),
    ],
)
def test_wrong_arguments_are_named(arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        make_anm_mixture(**arguments)
