import numpy as np
import pytest

from anmmm.datasets import load_bafu_air, load_sample, make_anm_mixture
from anmmm.datasets.sample import SAMPLE


def test_the_sample_is_a_dozen_small_univariate_real_pairs_and_four_drawn_mixtures():
    pairs, drawn = list(load_sample()[:12]), list(load_sample()[12:])
    assert len({pair.pair_id for pair in pairs}) == 12
    assert [pair.pair_id for pair in drawn] == ["drawn-f1", "drawn-f2", "drawn-f3", "drawn-f4"]
    for pair, mechanism in zip(drawn, ("f1", "f2", "f3", "f4"), strict=True):
        x, y, _ = make_anm_mixture(mechanism, 200, random_state=1)
        np.testing.assert_allclose([pair.x, pair.y], [x, y], atol=0.00051)
        # Accuracies are those of the real pairs.
        assert (pair.problem, pair.truth, pair.weight) == ("", None, 1.0)
    for pair in pairs:
        assert pair.problem == ""
        assert pair.x.shape == pair.y.shape
        assert pair.x.ndim == 1
        assert 100 <= len(pair.x) <= 400
        assert np.isfinite([pair.x, pair.y]).all()
        assert pair.truth in (1, -1)
        assert 0 < pair.weight <= 1
    assert sum(pair.truth == -1 for pair in pairs) == 4


def test_bafu_air_has_temperature_as_x():
    x, y, labels = load_bafu_air()
    assert x.shape == y.shape == labels.shape == (730,)
    np.testing.assert_array_equal(np.bincount(labels), [365, 365])
    # First row of pair 49: ozone 62.2, temperature 2.3.
    assert (x[0], y[0]) == (2.3, 62.2)
    # Chaumont lies 700 m above Lausanne: colder, more ozone.
    assert x[labels == 1].mean() < x[labels == 0].mean()
    assert y[labels == 1].mean() > y[labels == 0].mean()


def test_bafu_air_from_a_folder(tmp_path):
    (tmp_path / "pairmeta.txt").write_text("0049 2 2 1 1 1\n")
    with pytest.raises(ValueError, match="has no pair0050"):
        load_bafu_air(tmp_path)
    (tmp_path / "pairmeta.txt").write_text("0049 2 2 1 1 1\n0050 2 2 1 1 1\n")
    with pytest.raises(ValueError, match=r"pair0049 cannot be read: pair0049.txt: no such file"):
        load_bafu_air(tmp_path)
    (tmp_path / "pair0049.txt").write_text("60 1\n61 2\n")
    (tmp_path / "pair0050.txt").write_text("80 -1\n")
    x, y, labels = load_bafu_air(tmp_path)
    np.testing.assert_array_equal([x, y, labels], [[1, 2, -1], [60, 61, 80], [0, 0, 1]])


def test_the_sample_names_its_source_and_stays_small():
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert "Mooij" in readme
    assert "17(32)" in readme
    assert all(pair_id.removeprefix("pair") in readme for pair_id in load_sample().ids)
    assert sum(file.stat().st_size for file in SAMPLE.iterdir()) < 150_000
