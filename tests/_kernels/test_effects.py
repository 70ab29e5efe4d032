"""Gaussian quantiles of base distributions against SciPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from anmmm._kernels.effects import base_quantiles
from anmmm._kernels.laws import NORMAL, STUDENT, UNIFORM

PLACES = np.array([[-3.0, 8.0], [0.4, 1.7], [-0.3, 0.6]])
BASES = np.array([UNIFORM, NORMAL, STUDENT])
LAWS = (stats.uniform, stats.norm, stats.t(df=3))


def quantiles(values):
    out = np.empty((3, len(values) + 1))
    base_quantiles(BASES, PLACES, values, values[:1], out)
    assert_allclose(out[:, -1], out[:, 0], rtol=0.0)
    return out[:, :-1]


def expected(k, values):
    """From whichever tail is smaller."""
    z = (values - PLACES[k, 0]) / PLACES[k, 1]
    below, above = LAWS[k].cdf(z), LAWS[k].sf(z)
    return np.where(below < above, stats.norm.ppf(below), stats.norm.isf(above))


@pytest.mark.parametrize("k", range(3))
def test_quantiles_are_those_of_the_base(k):
    values = np.concatenate([np.linspace(-2.99, 4.99, 997), -3.0 + np.logspace(-9, -2, 50)])
    assert_allclose(quantiles(values)[k], expected(k, values), rtol=1e-11, atol=1e-13)


def test_far_tails_are_exact_and_ends_of_a_bounded_base_infinite():
    far = np.logspace(0.0, 6.0, 200)
    z = quantiles(np.concatenate([PLACES[2, 0] + PLACES[2, 1] * far, PLACES[2, 0] - 0.6 * far]))[2]
    tails = 0.5 * stats.beta.cdf(3.0 / (3.0 + far**2), 1.5, 0.5)
    assert_allclose(z, np.concatenate([stats.norm.isf(tails), stats.norm.ppf(tails)]), rtol=1e-10)
    z = quantiles(np.array([-3.0, -3.0 - 1e-15, 5.0, 5.0 + 1e-15, 1.0]))[0]
    assert_allclose(z, [-np.inf, -np.inf, np.inf, np.inf, 0.0], atol=1e-15)
