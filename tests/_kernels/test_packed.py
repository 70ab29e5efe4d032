"""Blocks of observations and packed matrices against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal

from anmmm._kernels import packed
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    larger,
    load,
    load_one,
    multiply_add,
    product,
    quotient,
    store,
    total_of,
)

sizes = st.tuples(st.integers(1, 40), st.integers(1, 19), st.integers(0, 10_000))


@njit
def _arithmetic(a, b, c, out):
    x, y, z = load(a, 3), load(b, 0), load(c, 1)
    store(out, 0, product(x, y))
    store(out, 8, quotient(x, y))
    store(out, 16, multiply_add(x, y, z))
    store(out, 24, larger(x, y))
    store(out, 32, everywhere(2.5))
    store(out, 40, load_one(a, 5))
    return total_of(x)


def test_eight_numbers_at_a_time():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 12))
    out = np.zeros(48)
    total = _arithmetic(a, b, c, out)
    x, y, z = a[3:11], b[:8], c[1:9]
    expected = [x * y, x / y, x * y + z, np.maximum(x, y), np.full(8, 2.5), np.full(8, a[5])]
    assert_allclose(out, np.concatenate(expected), rtol=1e-15, atol=1e-16)
    assert total == pytest.approx(x.sum(), rel=1e-14)


def test_total_of_has_one_order_of_additions():
    # In another order the small numbers would be lost beside the large ones, or kept.
    x = np.array([1e16, 1.0, -1e16, 1.0, 1.0, 1.0, 1.0, 1.0])
    out = np.zeros(48)
    total = _arithmetic(np.concatenate([np.zeros(3), x]), np.ones(8), np.zeros(9), out)
    first = x[:4] + x[4:]
    assert total == (first[0] + first[2]) + (first[1] + first[3])


@njit
def _passes(columns, shares, factors, form, gram, row, linear, quadratic):
    n, r = columns.shape
    blocks = packed.in_blocks(columns)
    grams, rows = np.zeros(LANES * r * (r + 1) // 2), np.zeros(LANES * r)
    for block in range(packed.blocks_of(n)):
        first, at = block * r * packed.BLOCK, block * packed.BLOCK
        packed.add_products(blocks, first, r, shares, at, grams)
        packed.add_rows(blocks, first, r, shares, at, rows)
        packed.linear(blocks, first, r, factors, linear, at)
        packed.quadratic(blocks, first, r, form, quadratic, at)
    packed.collect(grams, r * (r + 1) // 2, gram)
    packed.collect(rows, r, row)
    return grams, rows


@settings(max_examples=60, derandomize=True, deadline=None)
@given(sizes)
def test_passes_over_blocks(size):
    n, r, seed = size
    rng = np.random.default_rng(seed)
    columns, factors = rng.standard_normal((n, r)), rng.standard_normal(r)
    filled = -(-n // packed.BLOCK) * packed.BLOCK
    # What stands behind the last observation must not matter.
    shares = np.concatenate([rng.random(n), rng.random(filled - n)])
    form = rng.standard_normal((r, r))
    lower = np.tril_indices(r)
    doubled = np.where(lower[0] == lower[1], 1.0, 2.0) * (form + form.T)[lower] / 2
    gram, row = np.zeros(len(doubled)), np.zeros(r)
    linear, quadratic = np.full(filled, np.nan), np.full(filled, np.nan)
    lanes = _passes(columns, shares, factors, doubled, gram, row, linear, quadratic)
    weighted = columns.T * shares[:n]
    assert_allclose(gram, (weighted @ columns)[lower], atol=1e-12)
    assert_allclose(row, weighted.sum(axis=1), atol=1e-12)
    assert_allclose(linear[:n], columns @ factors, atol=1e-12)
    assert_allclose(quadratic[:n], np.einsum("ni,ij,nj->n", columns, form, columns), atol=1e-11)
    assert not any(lane.any() for lane in lanes)


@njit
def _solve(A, b):
    r = b.shape[0]
    pivots, width = packed.make_pivots(r), packed.padded(r)
    # Above the diagonal there may be anything.
    pivots.matrix[:] = np.nan
    for i in range(r):
        pivots.matrix[r * width + i] = b[i]
        for j in range(i + 1):
            pivots.matrix[i * width + j] = A[i, j]
    return packed.sweep(pivots, r), pivots.matrix


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.integers(1, 26), st.integers(0, 10_000), st.floats(-150.0, 150.0))
def test_sweep_inverts_solves_and_counts(r, seed, exponent):
    rng = np.random.default_rng(seed)
    factor = rng.standard_normal((r, r + 2))
    A, b = (factor @ factor.T + np.eye(r)), rng.standard_normal(r)
    unit = 10.0**exponent
    log_det, matrix = _solve(A * unit, b)
    rows = matrix.reshape(r + 1, -1)
    inverse = np.linalg.inv(A)
    assert_allclose(-np.tril(rows[:r, :r]) * unit, np.tril(inverse), rtol=1e-8, atol=1e-11)
    assert_allclose(rows[r, :r] * unit, inverse @ b, rtol=1e-7, atol=1e-10)
    assert log_det == pytest.approx(np.linalg.slogdet(A)[1] + r * np.log(unit), abs=1e-9 * r)


@njit
def _posterior(gram, moment, s2, center, precision, mean, form):
    r = precision.shape[0]
    width = packed.padded(r)
    vectors = np.zeros((4, width))
    for i in range(r):
        vectors[0, i], vectors[1, i], vectors[2, i] = moment[i], center[i], precision[i]
    pivots, rows = packed.make_pivots(r), np.zeros(packed.packed_size(r))
    for i in range(gram.shape[0]):
        rows[i] = gram[i]
    log_det = packed.curve_posterior(
        rows, vectors[0], s2, vectors[1], vectors[2], vectors[3], pivots
    )
    for i in range(r):
        mean[i] = vectors[3, i]
    packed.pack_covariance(pivots, r, form)
    return log_det


@pytest.mark.parametrize("r", [1, 2, 7, 8, 9, 14, 16, 17])
def test_posterior_of_a_curve(r):
    rng = np.random.default_rng(r)
    columns, y = rng.standard_normal((40, r)), rng.standard_normal(40)
    center, precision = rng.standard_normal(r), rng.random(r) + 0.1
    gram = columns.T @ columns
    lower = np.tril_indices(r)
    mean, form = np.empty(r), np.full(r * (r - 1) // 2 + -(-r // LANES) * LANES, np.nan)
    log_det = _posterior(gram[lower], columns.T @ y, 0.3, center, precision, mean, form)
    full = gram / 0.3 + np.diag(precision)
    cov = np.linalg.inv(full)
    assert log_det == pytest.approx(np.linalg.slogdet(full)[1], rel=1e-12)
    assert_allclose(mean, cov @ (columns.T @ y / 0.3 + precision * center), atol=1e-12)
    doubled = np.where(lower[0] == lower[1], 1.0, 2.0) * cov[lower]
    assert_allclose(form[: len(doubled)], doubled, atol=1e-13)
    assert_array_equal(form[len(doubled) :], 0.0)


@pytest.mark.parametrize("r", [1, 5, 14, 20])
def test_invert_reads_the_lower_triangle(r):
    @njit
    def inverted(A, out):
        return packed.invert(A, out)

    rng = np.random.default_rng(r)
    factor = rng.standard_normal((r, r + 1))
    A = factor @ factor.T + np.eye(r)
    out = np.empty((r, r))
    log_det = inverted(np.where(np.tri(r, dtype=bool), A, np.nan), out)
    assert_allclose(out, np.linalg.inv(A), atol=1e-12)
    assert log_det == pytest.approx(np.linalg.slogdet(A)[1], abs=1e-12)
