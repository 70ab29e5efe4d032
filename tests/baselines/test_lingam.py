"""Likelihood ratios of linear models agree with DirectLiNGAM's decisions."""

import numpy as np
import pytest

from anmmm.baselines import LiNGAM


@pytest.mark.parametrize("noise", ["uniform", "laplace"])
def test_decisions_are_those_of_direct_lingam(noise):
    module = pytest.importorskip("causallearn.search.FCMBased.lingam")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, error = getattr(rng, noise)(0.0, 1.0, (2, 60))
        y = x + error
        model = module.DirectLiNGAM()
        model.fit(np.column_stack([x, y]))
        expected = 1.0 if model.causal_order_[0] == 0 else -1.0
        assert np.sign(LiNGAM().direction(x, y)) == expected


def test_a_heavy_tailed_line_is_told_too():
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(20):
        x, error = rng.laplace(size=(2, 200))
        scores.append(LiNGAM().direction(x, x + error))
    assert np.mean(np.array(scores) > 0) > 0.9


def test_a_line_without_noise_is_undecided():
    x = np.random.default_rng(0).uniform(size=50)
    assert LiNGAM().direction(x, 3.0 - 2.0 * x) == 0.0
