"""Layout of the flat parameter vector."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from anmmm.gppom import Hyperparameters
from anmmm.gppom.parameters import LATENT_MAPS, LOG_BOUND, LOG_UNIT, ParameterLayout

FREE = ParameterLayout(n_samples=5, n_features_x=3, n_outputs=2, n_latent=2)
MLP = ParameterLayout(
    n_samples=5, n_features_x=3, n_outputs=2, n_latent=2, latent_map="mlp", n_hidden=4
)
layouts = pytest.mark.parametrize("layout", [FREE, MLP], ids=LATENT_MAPS)


def test_theta_comes_first_row_by_row_then_the_logarithms():
    theta = np.arange(10.0).reshape(5, 2)
    omega = Hyperparameters(2.0, 3.0, np.array([4.0, 5.0, 6.0]), np.array([7.0, 8.0]))
    z = FREE.join(theta, omega)
    assert_array_equal(z, [*range(10), *np.log([2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])])
    assert_array_equal(FREE.latent_part(z), np.arange(10.0))
    assert_array_equal(FREE.log_hyperparameters(z), np.log(np.arange(2.0, 9.0)))
    # W1, b1, W2, b2.
    assert MLP.n_params == 5 * 4 + 4 + 4 * 2 + 2 + 7


def test_weights_are_views_that_cover_the_latent_part():
    part = np.arange(34.0)
    weights = MLP.weights(part)
    assert [w.shape for w in weights] == [(5, 4), (4,), (4, 2), (2,)]
    assert_array_equal(np.concatenate([w.ravel() for w in weights]), part)
    for block in weights:
        assert block.flags.c_contiguous
        block[...] = -1.0
    assert_array_equal(part, np.full(34, -1.0))


@layouts
def test_bounds_and_units_are_for_the_logarithms_alone(layout):
    lower, upper = layout.bounds
    assert lower.shape == upper.shape == (layout.n_params,)
    assert_array_equal(lower, -upper)
    assert np.isinf(upper[: layout.n_latent_params]).all()
    assert_array_equal(upper[layout.n_latent_params :], np.full(7, LOG_BOUND))
    assert_array_equal(layout.units[: layout.n_latent_params], 1.0)
    assert_array_equal(layout.units[layout.n_latent_params :], np.full(7, LOG_UNIT))
