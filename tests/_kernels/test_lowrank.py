"""The low-rank engine's kernels against whole matrices."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm._kernels import lowrank, pivoted
from anmmm._kernels.chunks import run_in_chunks

# Observations, and points of a block: one block, whole blocks, padded blocks, nearly all padding.
CUTS = [(20, 20), (20, 10), (23, 10), (21, 10)]
cuts = pytest.mark.parametrize(("n", "c"), CUTS, ids=str)


def cut(rows, c):
    """(d, n) in blocks of c, (n_blocks, d, c), the last padded with zeros."""
    d, n = rows.shape
    blocks = np.zeros((-(-n // c), d, c))
    for i in range(n):
        blocks[i // c, :, i % c] = rows[:, i]
    return blocks


def uncut(blocks, n):
    """Undo `cut`."""
    return np.concatenate(list(blocks), axis=1)[:, :n]


def factor_in(rows, c, capacity):
    """A factor cut into blocks whose rows beyond its rank hold NaN."""
    blocks = cut(rows, c)
    spare = np.full((len(blocks), capacity - len(rows), c), np.nan)
    return np.concatenate([blocks, spare], axis=1)


# --- Pivoted Cholesky -----------------------------------------------------------------------------


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
    too_small = rank < 0
    rank = capacity if too_small else rank
    return SimpleNamespace(
        rank=rank,
        too_small=too_small,
        L=L[:rank],
        pivots=pivots[:rank],
        residual=residual,
        memory=L,
        indices=pivots,
    )


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


@pytest.mark.parametrize(("d", "capacity"), [(1, 1), (1, 7), (3, 7), (2, 30)])
def test_residual_is_what_the_factor_leaves_of_the_diagonal(rng, d, capacity):
    points, gamma = rng.normal(size=(d, 30)), np.exp(rng.normal(size=d))
    result = factorize(points, gamma, capacity=capacity)
    rest = gram(points, gamma) - result.L.T @ result.L
    assert_allclose(result.residual, np.diag(rest), atol=1e-14)
    assert np.linalg.eigvalsh(rest).min() >= -1e-13
    assert_array_equal(result.residual[result.pivots], 0.0)
    # The factor is a Cholesky factor: its columns at the pivots are a triangle.
    triangle = result.L[:, result.pivots].T
    assert_allclose(triangle, np.tril(triangle), atol=1e-14)


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
    assert result.residual.sum() > 1e-10
    longer = factorize(points, gamma, total=1e-10)
    assert not longer.too_small
    assert longer.rank > 5
    assert not factorize(points, gamma, total=1e-10, capacity=longer.rank).too_small
    assert_array_equal(longer.L[:5], result.L)
    assert_array_equal(longer.pivots[:5], result.pivots)


@pytest.mark.parametrize("stop", [{"total": 1e-14}, {"largest": 1e-15}], ids=str)
def test_points_that_are_there_several_times_are_chosen_once(rng, stop):
    distinct = np.arange(6.0)[np.newaxis] + 0.1 * rng.normal(size=(1, 6))
    copies = rng.permutation(np.repeat(np.arange(6), 7))
    points = np.ascontiguousarray(distinct[:, copies])
    result = factorize(points, np.array([0.9]), **stop)
    assert result.rank == 6
    assert sorted(copies[result.pivots]) == list(range(6))
    assert_allclose(result.L.T @ result.L, gram(points, np.array([0.9])), atol=1e-14)


def test_rounding_leaves_no_negative_residual_and_no_nan(rng):
    # Rank 10 or so in floating point; thirty steps are asked for.
    points = rng.normal(size=(1, 30))
    result = factorize(points, np.array([1e-2]), capacity=30)
    assert (result.residual >= 0.0).all()
    assert np.isfinite(result.L).all()
    assert len(set(result.pivots)) == result.rank


# --- Columns of all points from given pivots ------------------------------------------------------


def run_extend(points, c, gamma, pivots, n_chunks=None, capacity=12):
    n = points.shape[1]
    pivot_points = np.ascontiguousarray(points[:, pivots])
    triangle = np.linalg.cholesky(gram(pivot_points, gamma))
    blocks = cut(points, c)
    # Padding holds no zeros here: the factor is zero there whatever the points are.
    padding = len(blocks) * c - n
    if padding:
        blocks[-1, :, -padding:] = 0.3
    L, residual = np.full((len(blocks), capacity, c), np.nan), np.full((len(blocks), c), np.nan)
    arguments = blocks, n, gamma, pivot_points, triangle, L, residual
    run_in_chunks(pivoted.extend, n_chunks, *arguments)
    return L, residual, triangle


@cuts
def test_extend_solves_for_any_pivots_and_leaves_padding_zero(rng, n, c):
    points, gamma = rng.normal(size=(3, n)), np.array([1.2, 0.6, 0.1])
    pivots = rng.permutation(n)[:5]
    L, residual, triangle = run_extend(points, c, gamma, pivots)
    K = gram(points, gamma)
    expected = np.linalg.solve(triangle, K[pivots])
    assert_allclose(uncut(L[:, :5], n), expected, atol=1e-12)
    assert_allclose(uncut(residual[:, np.newaxis], n)[0], 1 - (expected**2).sum(0), atol=1e-12)
    assert (residual >= 0.0).all()
    padding = len(L) * c - n
    if padding:
        assert_array_equal(L[-1, :5, -padding:], 0.0)
        assert_array_equal(residual[-1, -padding:], 0.0)


# --- The likelihood and HSIC ----------------------------------------------------------------------

AMPLITUDE, NOISE = 1.7, 0.3
sizes = pytest.mark.parametrize(("q", "dx", "D"), [(1, 1, 1), (1, 2, 2), (2, 1, 1), (2, 2, 2)])


def case(n, q=2, dx=1, D=2):
    """Any L is the factor of some covariance: none of the three need come from a kernel."""
    rng = np.random.default_rng(100 * n + q)
    L, U, V = (rng.normal(size=(rank, n)) for rank in (5, 4, 3))
    return SimpleNamespace(
        q=q, L=L, U=U, V=V, z=rng.normal(size=(q + dx, n)), y=rng.normal(size=(D, n))
    )


def pairs(M, z):
    """Sums over pairs of M times differences of coordinates, by row, and times their squares."""
    apart = z[:, :, np.newaxis] - z[:, np.newaxis]
    return (M * apart).sum(axis=2), (M * apart**2).sum(axis=(1, 2))


def run_likelihood(of, c, n_chunks=None):
    """All that the three kernels make one of another: scalars, and moments and rows."""
    d, D, r = len(of.z), len(of.y), len(of.L)
    L, z, y = factor_in(of.L, c, r + 3), cut(of.z, c), cut(of.y, c)
    S, Ly = np.full((1 + d, r, r), np.nan), np.full((1 + d, D, r), np.nan)
    maps, rows = np.full(((1 + of.q) * (r + D), r), np.nan), np.full((len(z), of.q, c), np.nan)
    crossed, squares = np.full((2, d), np.nan)
    run_in_chunks(lowrank.likelihood_sums, n_chunks, L, r, z, y, S, Ly)
    solved = lowrank.posterior(S, Ly, AMPLITUDE, NOISE, of.q, maps, crossed)
    fit, norm = run_in_chunks(
        lowrank.likelihood_rows, n_chunks, L, r, z, y, AMPLITUDE, NOISE, maps, rows, squares
    )
    return np.array([*solved, fit, norm]), crossed - squares, uncut(rows, len(of.L.T))


@sizes
@cuts
def test_likelihood_is_that_of_the_whole_covariance(n, c, q, dx, D):
    of = case(n, q, dx, D)
    (definite, log_det, trace, length, fit, norm), squares, rows = run_likelihood(of, c)
    K, empty = AMPLITUDE * of.L.T @ of.L, n - len(of.L)
    covariance = K + NOISE * np.eye(n)
    inverse = np.linalg.inv(covariance)
    alpha = inverse @ of.y.T
    assert definite
    assert_allclose(log_det + empty * np.log(NOISE), np.linalg.slogdet(covariance)[1], rtol=1e-12)
    assert_allclose(trace + empty / NOISE, np.trace(inverse), rtol=1e-10)
    assert_allclose(length, np.sum((of.L @ alpha) ** 2), rtol=1e-10)
    assert_allclose([fit, norm], [np.sum(of.y.T * alpha), np.sum(alpha**2)], rtol=1e-10)
    of_rows, of_squares = pairs(0.5 * (D * inverse - alpha @ alpha.T) * K, of.z)
    assert_allclose(rows, of_rows[:q], rtol=1e-9, atol=1e-11)
    assert_allclose(squares, of_squares, rtol=1e-8, atol=1e-9)


def test_posterior_says_where_there_is_none():
    maps, crossed = np.empty((3 * (5 + 2), 5)), np.empty(3)
    S, Ly = np.stack([-np.eye(5)] * 4), np.ones((4, 2, 5))
    assert not lowrank.posterior(S, Ly, AMPLITUDE, NOISE, 2, maps, crossed)[0]


def run_hsic(of, c, before, n_chunks=None):
    """All that centering and the three kernels make one of another, rows added to `before`."""
    n, (u_rank, v_rank), d = len(of.U.T), (len(of.U), len(of.V)), len(of.z)
    (U, V), z, rows = (factor_in(rows, c, 6) for rows in (of.U, of.V)), cut(of.z, c), cut(before, c)
    u_means, v_means, moments = (np.full(size, np.nan) for size in (u_rank, v_rank, d))
    pivoted.center(U, u_rank, n, u_means)
    pivoted.center(V, v_rank, n, v_means)
    sums = np.full((1 + 2 * d, v_rank, u_rank), np.nan)
    u_sums, v_sums = np.full((1 + 2 * d, u_rank), np.nan), np.full((1 + 2 * d, v_rank), np.nan)
    run_in_chunks(lowrank.hsic_sums, n_chunks, U, u_rank, V, v_rank, z, sums, u_sums, v_sums)
    trace, factor = lowrank.hsic_moments(
        sums, u_sums, v_sums, u_means, v_means, of.q, 1.5, 0.25, moments
    )
    maps = sums[: 1 + of.q].reshape(-1, u_rank)
    run_in_chunks(lowrank.hsic_rows, n_chunks, U, V, v_means, z, maps, factor, rows)
    return np.array([trace, factor]), moments, uncut(rows, n)


@sizes
@cuts
def test_hsic_is_that_of_whole_matrices(rng, n, c, q, dx, D):
    of, before = case(n, q, dx), rng.normal(size=(q, n))
    (trace, factor), moments, rows = run_hsic(of, c, before)
    H = np.eye(n) - 1.0 / n
    K_x, K_theta = of.U.T @ of.U, of.V.T @ of.V
    assert_allclose(trace, np.sum((H @ K_x @ H) * K_theta), rtol=1e-12)
    assert_allclose(factor, 1.5 / (trace + 0.25), rtol=1e-14)
    # A matrix, centered, meets the other one as it was before.
    of_rows, of_theta = pairs((H @ K_x @ H) * K_theta, of.z[:q])
    _, of_x = pairs(K_x * (H @ K_theta @ H), of.z[q:])
    assert_allclose(2.0 * moments, np.concatenate([of_theta, of_x]), rtol=1e-9, atol=1e-10)
    assert_allclose(rows, before + factor * of_rows, rtol=1e-10, atol=1e-11)


# --- Parallel forms -------------------------------------------------------------------------------


def everything(n_chunks):
    """All results of all kernels, in one array; five blocks."""
    of, rng = case(23), np.random.default_rng(5)
    L, residual, _ = run_extend(rng.normal(size=(2, 23)), 5, np.ones(2), [3, 8, 22], n_chunks)
    parts = [
        L[:, :3],
        residual,
        *run_likelihood(of, 5, n_chunks),
        *run_hsic(of, 5, np.ones((2, 23)), n_chunks),
    ]
    return np.concatenate([part.ravel() for part in parts])


@pytest.mark.slow
@pytest.mark.parametrize("n_chunks", [1, 3, 5, 12])
def test_parallel_is_serial(n_chunks):
    serial, parallel = everything(None), everything(n_chunks)
    assert np.isfinite(serial).all()
    assert_allclose(parallel, serial, rtol=1e-11, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("n_chunks", [2, 3, 12])
def test_bits_do_not_depend_on_threads(same_bits_under_each_thread_count, n_chunks):
    same_bits_under_each_thread_count(lambda: everything(n_chunks))
