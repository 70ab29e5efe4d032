"""Pivoted Cholesky factors against whole matrices; test_engines.py has the kernels that use it."""

from types import SimpleNamespace

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import pivoted
from anmmm.gppom.engines.lowrank import posterior


def factorize(points, gamma, *, largest=0.0, total=0.0, capacity=None):
    """Run the kernel on memory full of NaN; the whole memory comes back as well."""
    n = points.shape[1]
    capacity = n if capacity is None else capacity
    L, residual = np.full((capacity, n), np.nan), np.full(n, np.nan)
    pivots = np.full(capacity, -7, dtype=np.int64)
    before = points.copy()
    rank, rest = pivoted.pivoted_cholesky(points, gamma, largest, total, L, pivots, residual)
    assert_array_equal(points, before)
    assert_allclose(rest, residual.sum(), atol=1e-16)
    result = SimpleNamespace(too_small=rank < 0, residual=residual, memory=L, indices=pivots)
    result.rank = capacity if result.too_small else rank
    result.L, result.pivots = L[: result.rank], pivots[: result.rank]
    return result


def gram(points, gamma):
    return oracle.rbf(points.T, gamma)


def greedy(K, rank):
    """Pivots of largest residual, and the trace and the largest of what each step leaves."""
    rest, pivots = K.copy(), []
    traces, largest = [np.trace(K)], [1.0]
    for _ in range(rank):
        p = int(np.argmax(np.diag(rest)))
        rest = rest - np.outer(rest[p], rest[p]) / rest[p, p]
        pivots.append(p)
        traces.append(np.trace(rest))
        largest.append(np.diag(rest).max())
    return pivots, np.array(traces), np.array(largest)


def test_stops_at_the_first_rank_whose_residuals_are_small_enough(rng):
    points, gamma = rng.normal(size=(1, 50)), np.array([0.8])
    pivots, traces, remaining = greedy(gram(points, gamma), 14)
    assert traces[-1] < 1e-4
    for total in (60.0, 50.0, 20.0, 1.0, 1e-2, 1e-4):
        result = factorize(points, gamma, total=total)
        assert result.rank == np.argmax(traces <= total)
        assert_array_equal(result.pivots, pivots[: result.rank])
        assert result.residual.sum() <= total
        # The row of the step that was not taken has not been begun either.
        assert np.isnan(result.memory[result.rank :]).all()
        assert (result.indices[result.rank :] == -7).all()
    assert remaining[-1] < 1e-5
    for largest in (1.0, 0.9, 0.1, 1e-3, 1e-5):
        result = factorize(points, gamma, largest=largest)
        assert result.rank == np.argmax(remaining <= largest)
        assert result.residual.max() <= largest


def test_too_few_rows_show_in_the_rank(rng):
    points, gamma = rng.normal(size=(1, 40)), np.array([4.0])
    result = factorize(points, gamma, total=1e-10, capacity=5)
    assert result.too_small
    longer = factorize(points, gamma, total=1e-10)
    assert not longer.too_small
    assert longer.rank > 5
    assert not factorize(points, gamma, total=1e-10, capacity=longer.rank).too_small
    assert_array_equal(longer.L[:5], result.L)
    assert_array_equal(longer.pivots[:5], result.pivots)
    # Rank 10 or so in floating point; forty steps are asked for.
    result = factorize(points, np.array([1e-2]), capacity=40)
    assert (result.residual >= 0.0).all()
    assert np.isfinite(result.L).all()
    assert len(set(result.pivots)) == result.rank


def test_a_posterior_that_is_not_definite_is_none():
    S, Ly = np.stack([-np.eye(5)] * 4), np.ones((4, 2, 5))
    assert posterior(S, Ly, 1.7, 0.3, 2) is None
