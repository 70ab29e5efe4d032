"""Gaussian quantiles of base distributions and sums of splines, against SciPy, dense columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.interpolate import BSpline

from anmmm._kernels.effects import N_SLOPES, WIDTH, EffectSums, base_quantiles, effect_sums
from anmmm._kernels.laws import NORMAL, STUDENT, UNIFORM
from anmmm._kernels.links import link_values

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


def test_far_tails_are_exact():
    far = np.logspace(0.0, 6.0, 200)
    z = quantiles(np.concatenate([PLACES[2, 0] + PLACES[2, 1] * far, PLACES[2, 0] - 0.6 * far]))[2]
    tails = 0.5 * stats.beta.cdf(3.0 / (3.0 + far**2), 1.5, 0.5)
    assert_allclose(z, np.concatenate([stats.norm.isf(tails), stats.norm.ppf(tails)]), rtol=1e-10)


def test_ends_of_a_bounded_base_are_infinite():
    z = quantiles(np.array([-3.0, -3.0 - 1e-15, 5.0, 5.0 + 1e-15, 1.0]))[0]
    assert_allclose(z, [-np.inf, -np.inf, np.inf, np.inf, 0.0], atol=1e-15)


def summed(values):
    """All that the kernel writes for values on one scale, and the same on a useless one."""
    n = len(values)
    useless = values.copy()
    useless[-1] = np.inf
    sums = EffectSums(
        np.array([values, useless]),
        np.empty((2, 3)),
        np.empty((2, n)),
        np.empty((2, N_SLOPES - 1), np.int64),
        np.zeros((2, WIDTH)),
        np.zeros((2, N_SLOPES, WIDTH)),
    )
    effect_sums(n, sums)
    assert np.isnan(sums.knots[1]).all()
    return sums


def integrals_of(values):
    """Of all splines, straight beyond the knots."""
    step = np.ptp(values) / (N_SLOPES - 2)
    u = np.clip((values - values.min()) / step, 0.0, N_SLOPES - 2.0)
    columns = []
    for i in range(N_SLOPES):
        spline = BSpline.basis_element(np.arange(i - 2.0, i + 2.0), extrapolate=False)
        within = np.clip(u, i - 2.0, i + 1.0)
        columns.append([step * float(spline.integrate(i - 2.0, end)) for end in within])
    return np.array(columns).T


@pytest.mark.parametrize("outlier", [None, 40.0, 1e4])
def test_sums_are_those_of_the_columns(outlier, rng):
    values = rng.normal(size=41)
    if outlier is not None:
        values[7] = outlier
    sums, columns = summed(values), integrals_of(values)
    centered = columns - columns.mean(axis=0)
    gram = centered.T @ centered
    assert_allclose(sums.centers[0, :N_SLOPES], columns.mean(axis=0), rtol=1e-11)
    assert_allclose(sums.gram[0, :, :N_SLOPES], gram, rtol=1e-8, atol=1e-11 * np.trace(gram))
    assert not sums.gram[0, :, N_SLOPES:].any()
    assert_allclose(sums.knots[0, :2], [values.min(), np.ptp(values) / 8])
    assert_allclose(sums.knots[0, 2], np.log(np.sqrt(2.0) / values.std()))


@given(st.lists(st.floats(-50.0, 50.0), min_size=3, max_size=40, unique=True))
def test_observations_lie_in_their_intervals(values):
    values = np.array(values)
    sums = summed(values)
    u = (values - values.min()) / sums.knots[0, 1]
    interval = np.clip(np.floor(u), 0, N_SLOPES - 3)
    ends = sums.ends[0]
    assert ends[0] == 0
    assert_allclose(np.diff(ends), np.bincount(interval.astype(int), minlength=N_SLOPES - 2))
    for j in range(N_SLOPES - 2):
        there = np.clip(u[interval == j] - j, 0.0, 1.0)
        assert_allclose(np.sort(sums.local[0, ends[j] : ends[j + 1]]), np.sort(there))


def test_values_of_a_function_are_sums_of_integrals(rng):
    values, slopes = rng.normal(size=30), rng.uniform(0.1, 3.0, N_SLOPES)
    out = np.empty(30)
    link_values(values, values.min(), np.ptp(values) / 8, slopes, 0.7, out)
    assert_allclose(out, integrals_of(values) @ slopes - 0.7, atol=1e-12)
    beyond, ends = np.array([values.min() - 2.0, values.max() + 2.0]), np.empty(2)
    link_values(beyond, values.min(), np.ptp(values) / 8, slopes, 0.7, ends)
    # h' is constant there.
    first, last = 0.5 * (slopes[0] + slopes[1]), 0.5 * (slopes[-2] + slopes[-1])
    assert_allclose(ends, [out.min() - 2.0 * first, out.max() + 2.0 * last])
