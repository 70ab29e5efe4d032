"""Effects of other kinds of values follow their formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm.datasets.families import CAUSES, FAMILIES
from benchmarks.families.effects import NAMES, STEP, draw_effect


@pytest.mark.parametrize("cause", CAUSES)
def test_effects_have_the_values_of_their_family(cause):
    for seed in range(2):
        options = {"cause": cause, "random_state": seed}
        effect = {each: draw_effect(each, 120, **options)[1] for each in NAMES}
        for family in (*FAMILIES, "PNL-arcsinh", "PNL-logistic", "PNL-cbrt"):
            assert len(set(effect[family])) == 120
        assert np.all((effect["PNL-logistic"] > 0.0) & (effect["PNL-logistic"] < 1.0))
        assert set(effect["binary"]) == {0.0, 1.0}
        assert 0.25 <= effect["binary"].mean() <= 0.75
        assert set(effect["logistic"]) <= {0.0, 1.0}
        levels, sizes = np.unique(effect["ordered"], return_counts=True)
        assert np.array_equal(levels, np.arange(len(levels)))
        assert 3 <= len(levels) <= 6
        assert sizes.min() >= 120 / len(levels) / 3 - 1
        assert np.array_equal(effect["grouped"] / STEP, np.rint(effect["grouped"] / STEP))
        assert np.array_equal(effect["count"], np.rint(effect["count"]))
        assert effect["count"].min() >= 0.0


def test_counts_have_the_mean_that_the_cause_gives_them():
    x, y = draw_effect("count", 40_000, random_state=3)
    near = np.abs(x - 1.0) < 0.1
    assert_allclose(y[near].mean(), np.exp(x[near] + 0.3).mean(), rtol=0.04)
    assert_allclose(y[near].var(), y[near].mean(), rtol=0.1)


def test_transformed_effects_follow_their_formulas():
    noise_of = {
        "PNL-arcsinh": lambda x, y: (np.sinh(y) / 5.0 - x - 0.3 * x * np.abs(x)) / 0.4,
        "PNL-logistic": lambda x, y: (np.log(y / (1.0 - y)) / 2.0 - x - np.sin(x)) / 0.5,
        "PNL-cbrt": lambda x, y: (y**3 - x**3 - x) / 0.5,
    }
    for family, invert in noise_of.items():
        x, y = draw_effect(family, 20_000, random_state=4)
        noise = invert(x, y)
        found = noise.mean(), noise.std(), np.corrcoef(x, noise)[0, 1]
        assert_allclose(found, [0, 1, 0], atol=0.03)
