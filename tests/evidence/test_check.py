"""The check of a model: what it draws within tied cells is nobody else's."""

import numpy as np
import pytest

from anmmm import infer_direction


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_draws_depend_on_no_data_that_a_small_seed_made(generator):
    for rng in map(generator, range(5)):
        x = rng.uniform(-2.0, 2.0, size=400)
        y = rng.poisson(np.exp(0.4 * x))
        assert infer_direction(x, y).check_pvalue > 1e-3
