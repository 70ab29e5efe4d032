"""Nats of intervals about curves against quadrature of the density."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm._kernels.distributions import NARROW, gaussian_nats

NODES, QUADRATURE = np.polynomial.legendre.leggauss(40)


def mass(middle, half):
    points = middle[:, None] + half[:, None] * NODES
    return np.exp(-0.5 * points**2) @ QUADRATURE * half / np.sqrt(2.0 * np.pi)


def nats_of(lower, upper, curves, weights=(1.0,), scale=(1.0,), n_cells=9):
    nats = np.empty(len(lower))
    curves, weights = np.ascontiguousarray(curves), np.array(weights)
    gaussian_nats(lower, upper, curves, weights, np.array(scale), n_cells, nats)
    return nats


# Relative errors: of the nats' exponential, so that the tails count.
@pytest.mark.parametrize("width", [1e-9, 1e-3, 0.05, 0.3, NARROW - 1e-9, NARROW + 1e-9, 2.0])
def test_nats_are_exact_on_both_sides_of_the_series(width):
    middle = np.linspace(-12.0, 12.0, 301)
    half = np.full(301, 0.5 * width)
    nats = nats_of(middle - half, middle + half, np.zeros((301, 1)), n_cells=10**15)
    # As rounding of the ends leaves it.
    middle, half = middle - half + half, 0.5 * ((middle + half) - (middle - half))
    assert_allclose(
        np.exp(-nats), mass(middle, half) * 300 / 301 + 1e-15 / 301, rtol=3e-12 + 1e-14 / width
    )
