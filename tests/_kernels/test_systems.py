"""Vectors of eight numbers and small systems against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal

from anmmm._kernels import packed, systems
from anmmm._kernels._vectors import (
    LANES,
    broadcast,
    load,
    load_broadcast,
    maximum,
    polynomial,
    reduce_add,
    store,
)
from kernel_forms import lower_only

series = polynomial((0.5, -2.0, 3.0))


@njit
def _arithmetic(a, b, c, out):
    x, y, z = load(a, 3), load(b, 0), load(c, 1)
    store(out, 0, x * y)
    store(out, 8, x / y)
    z += x * y
    store(out, 16, z)
    store(out, 24, maximum(x, y))
    store(out, 32, broadcast(2.5))
    store(out, 40, load_broadcast(a, 5))
    store(out, 48, 2.0 * x - y)
    store(out, 56, 1.5 + x / 4.0)
    return reduce_add(x)


def test_eight_numbers_at_a_time(rng):
    a, b, c = rng.standard_normal((3, 12))
    out = np.zeros(64)
    total = _arithmetic(a, b, c, out)
    x, y, z = a[3:11], b[:8], c[1:9]
    expected = [x * y, x / y, x * y + z, np.maximum(x, y), np.full(8, 2.5), np.full(8, a[5])]
    expected += [2.0 * x - y, 1.5 + x / 4.0]
    assert_allclose(out, np.concatenate(expected), rtol=1e-15, atol=1e-16)
    assert total == pytest.approx(x.sum(), rel=1e-14)
    assert njit(lambda x: series(x))(1.5) == 0.5 - 2.0 * 1.5 + 3.0 * 1.5**2


def test_a_sum_of_lanes_has_one_order_of_additions():
    # In another order the small numbers would be lost beside the large ones, or kept.
    x = np.array([1e16, 1.0, -1e16, 1.0, 1.0, 1.0, 1.0, 1.0])
    out = np.zeros(64)
    total = _arithmetic(np.concatenate([np.zeros(3), x]), np.ones(8), np.zeros(9), out)
    first = x[:4] + x[4:]
    assert total == (first[0] + first[2]) + (first[1] + first[3])


@njit
def _solve(A, b, z, variance, inverse, factor):
    r = b.shape[0]
    width = packed.padded(r)
    # Before the diagonal there may be anything.
    rows, pivots = np.full((r, packed.padded(r + 1) + width), np.nan), np.zeros(width)
    rows[:, r:] = 0.0
    for i in range(r):
        rows[i, i:r], rows[i, r] = A[i, i:], b[i]
        rows[i, rows.shape[1] - width + i] = 1.0
    log_det = systems.eliminate(rows, pivots, r)
    systems.solution(rows, pivots, r, z, variance)
    systems.invert(A, inverse)
    systems.inverse_factor(rows, pivots, r, factor)
    return log_det


@njit
def _inverted(A, out):
    return systems.invert(A, out)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.integers(1, 26), st.integers(0, 10_000), st.floats(-150.0, 150.0))
def test_elimination_solves_inverts_and_counts(r, seed, exponent):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((r, r + 2))
    A, b = (root @ root.T + np.eye(r)), rng.standard_normal(r)
    unit = 10.0**exponent
    z, variance = np.full((2, -(-r // LANES) * LANES), np.nan)
    inverted, factor = np.empty((2, r, r))
    log_det = _solve(A * unit, b, z, variance, inverted, factor)
    inverse = np.linalg.inv(A)
    assert_allclose(inverted * unit, inverse, rtol=1e-8, atol=1e-11)
    assert_allclose(factor @ factor.T * unit, inverse, rtol=1e-8, atol=1e-11)
    assert_array_equal(factor, np.triu(factor))
    assert_allclose(z[:r] * unit, inverse @ b, rtol=1e-7, atol=1e-10)
    assert_allclose(variance[:r] * unit, np.diag(inverse), rtol=1e-8, atol=1e-11)
    assert not z[r:].any()
    assert not variance[r:].any()
    assert log_det == pytest.approx(np.linalg.slogdet(A)[1] + r * np.log(unit), abs=1e-9 * r)
    # The inverse reads the lower triangle alone, and may take its place.
    lower = lower_only(A * unit)
    _inverted(lower, lower)
    assert_array_equal(lower, inverted)
