"""The check of a model: what it draws within tied cells is nobody else's."""

import numpy as np
import pytest

from anmmm import infer_direction
from anmmm.evidence import evidence


@pytest.mark.parametrize("generator", [np.random.default_rng, np.random.RandomState])
def test_draws_depend_on_no_data_that_a_small_seed_made(generator):
    for rng in map(generator, range(5)):
        x = rng.uniform(-2.0, 2.0, size=400)
        y = rng.poisson(np.exp(0.4 * x))
        assert infer_direction(x, y).check_pvalue > 1e-3


def test_the_rows_that_limit_a_confidence_do_not_depend_on_their_order():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2500)
    y = np.tanh(2.0 * x) + 0.1 * x * rng.normal(size=2500)
    order = rng.permutation(2500)
    one, other = evidence(x, y), evidence(x[order], y[order])
    assert one.forward.refusal == pytest.approx(other.forward.refusal, rel=1e-3)
    assert one.backward.refusal == pytest.approx(other.backward.refusal, rel=1e-3)
