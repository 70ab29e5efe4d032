"""Layout of the flat parameter vector."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from anmmm.gppom.parameters import LATENT_MAPS, LOG_BOUND, LOG_UNIT, ParameterLayout

FREE = ParameterLayout(n_samples=5, n_features_x=3, n_outputs=2, n_latent=2)
MLP = ParameterLayout(
    n_samples=5, n_features_x=3, n_outputs=2, n_latent=2, latent_map="mlp", n_hidden=4
)
layouts = pytest.mark.parametrize("layout", [FREE, MLP], ids=LATENT_MAPS)


@layouts
def test_bounds_and_units_are_for_the_logarithms_alone(layout):
    lower, upper = layout.bounds
    assert lower.shape == upper.shape == (layout.n_params,)
    assert_array_equal(lower, -upper)
    assert np.isinf(upper[: layout.n_latent_params]).all()
    assert_array_equal(upper[layout.n_latent_params :], np.full(7, LOG_BOUND))
    assert_array_equal(layout.units[: layout.n_latent_params], 1.0)
    assert_array_equal(layout.units[layout.n_latent_params :], np.full(7, LOG_UNIT))
