import numpy as np

from anmmm.datasets import load_bafu_air, load_sample, make_anm_mixture
from anmmm.datasets.sample import SAMPLE


def test_the_sample_is_a_dozen_small_univariate_real_pairs_and_four_drawn_mixtures():
    sample = load_sample()
    assert sample.ids[12:] == ("drawn-f1", "drawn-f2", "drawn-f3", "drawn-f4")
    for pair, mechanism in zip(sample[12:], ("f1", "f2", "f3", "f4"), strict=True):
        x, y, _ = make_anm_mixture(mechanism, 200, random_state=1)
        np.testing.assert_allclose([pair.x, pair.y], [x, y], atol=0.00051)
        # Accuracies are those of the real pairs.
        assert (pair.problem, pair.truth, pair.weight) == ("", None, 1.0)
    for pair in sample[:12]:
        assert pair.problem == ""
        assert pair.names != ("x", "y")
        assert pair.x.shape == pair.y.shape
        assert 100 <= len(pair.x) <= 400
        assert np.isfinite([pair.x, pair.y]).all()
        assert pair.truth in (1, -1)
        assert 0 < pair.weight <= 1
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert all(pair_id.removeprefix("pair") in readme for pair_id in sample.ids)


def test_bafu_air_has_temperature_as_x():
    x, y, labels = load_bafu_air()
    assert x.shape == y.shape == labels.shape == (730,)
    np.testing.assert_array_equal(np.bincount(labels), [365, 365])
    # First row of pair 49: ozone 62.2, temperature 2.3.
    assert (x[0], y[0]) == (2.3, 62.2)
    # Chaumont lies 700 m above Lausanne: colder, more ozone.
    assert x[labels == 1].mean() < x[labels == 0].mean()
    assert y[labels == 1].mean() > y[labels == 0].mean()
