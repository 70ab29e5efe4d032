"""Single mechanisms follow their distributions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm.datasets import make_single_mechanism
from anmmm.datasets.families import CAUSES, FAMILIES, gaussian_process


def test_a_seed_repeats_the_draw_and_families_share_none():
    first = set()
    for family in FAMILIES:
        one = make_single_mechanism(family, 40, random_state=3)
        other = make_single_mechanism(family, 40, random_state=np.int64(3))
        assert [values.shape for values in one] == [(40,), (40,)]
        assert np.array_equal(one, other)
        assert not np.array_equal(one, make_single_mechanism(family, 40, random_state=4))
        first.add(one[0][0])
    assert len(first) == len(FAMILIES)


@pytest.mark.parametrize(
    ("family", "x_first", "x_sum", "y_first", "y_sum"),
    [
        ("AN", 0.6025131309038704, -5.11510060420734, None, None),
        ("AN-s", 2.7631693186899984, -0.9475601247238123, 3.0672520063368767, 26.099776531073566),
        ("LS", -2.4323498726228205, -8.331558583482641, None, None),
        ("LS-s", -0.4491020555264019, 1.9515400096433648, 0.6609195745860473, -31.94649636568647),
        ("MN-U", 0.4385671372229226, 0.1383754700466736, 2.2020949173548328, 13.677211913368476),
    ],
)
def test_draws_of_the_published_families_are_fixed(family, x_first, x_sum, y_first, y_sum):
    # Functions of a Gaussian process come from eigenvectors, whose signs are LAPACK's.
    x, y = make_single_mechanism(family, 25, random_state=5)
    assert_allclose([x[0], x.sum()], [x_first, x_sum], rtol=1e-12)
    if y_first is not None:
        assert_allclose([y[0], y.sum()], [y_first, y_sum], rtol=1e-12)


def test_causes_have_the_moments_of_their_distributions():
    # Third and fourth moments; the bimodal one is a mixture of Gaussians at ±0.9.
    expected = {
        "gaussian": (0.0, 3.0),
        "uniform": (0.0, 1.8),
        "bimodal": (0.0, 1.6878),
        "exponential": (2.0, 9.0),
    }
    assert list(expected) == list(CAUSES)
    for cause, moments in expected.items():
        x = make_single_mechanism("AN-s", 40_000, cause=cause, random_state=1)[0] / np.sqrt(2.0)
        for power, moment in enumerate((0.0, 1.0, *moments), start=1):
            error = np.std(x**power) / np.sqrt(len(x))
            assert abs(np.mean(x**power) - moment) < 4.0 * error
        if cause == "uniform":
            assert np.abs(x).max() <= np.sqrt(3.0)
        if cause == "exponential":
            assert x.min() >= -1.0


def test_a_gaussian_process_has_unit_variance_and_length():
    x = np.array([0.0, 1.0, 5.0])
    rng = np.random.default_rng(0)
    values = np.array([gaussian_process(x, rng) for _ in range(20_000)])
    expected = np.exp(-0.5 * (x[:, np.newaxis] - x) ** 2)
    assert_allclose(np.cov(values.T), expected, atol=0.04)
