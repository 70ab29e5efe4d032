"""The low-rank engine's kernels against the formulas of their docstrings, written out in NumPy."""

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


def test_pivots_are_those_of_largest_residual(rng):
    points, gamma = rng.normal(size=(2, 40)), np.array([1.5, 0.7])
    result = factorize(points, gamma, capacity=9)
    pivots, traces, _ = greedy(gram(points, gamma), 9)
    assert_array_equal(result.pivots, pivots)
    assert_allclose(result.residual.sum(), traces[-1], rtol=1e-9)


def test_stops_at_the_first_rank_whose_residuals_are_small_enough(rng):
    points, gamma = rng.normal(size=(1, 50)), np.array([0.8])
    _, traces, remaining = greedy(gram(points, gamma), 14)
    assert traces[-1] < 1e-4
    for total in (60.0, 50.0, 20.0, 1.0, 1e-2, 1e-4):
        result = factorize(points, gamma, total=total)
        assert result.rank == np.argmax(traces <= total)
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


# --- Sums and rows of the likelihood --------------------------------------------------------------

AMPLITUDE, NOISE = 1.7, 0.3


def likelihood_case(n, c, q=2, dx=1, D=2, r=5):
    """Any L is the factor of some covariance: it need not come from a kernel."""
    rng = np.random.default_rng(100 * n + c)
    return SimpleNamespace(
        n=n,
        c=c,
        q=q,
        r=r,
        L=rng.normal(size=(r, n)),
        z=rng.normal(size=(q + dx, n)),
        y=rng.normal(size=(D, n)),
    )


def sums_of(case):
    """``L diag(w) Lᵀ`` and ``(L diag(w) Y)ᵀ`` for w = 1 and each coordinate."""
    weights = [np.ones(case.n), *case.z]
    S = np.stack([case.L @ np.diag(w) @ case.L.T for w in weights])
    return S, np.stack([case.y @ np.diag(w) @ case.L.T for w in weights])


def maps_of(case):
    """What `posterior` makes, by the definitions of its docstring."""
    L, y, r = case.L, case.y, case.r
    B_inverse = np.linalg.inv(NOISE * np.eye(r) + AMPLITUDE * L @ L.T)
    alpha = np.linalg.solve(AMPLITUDE * L.T @ L + NOISE * np.eye(case.n), y.T)
    products = [(L * w) @ L.T @ B_inverse for w in case.z[: case.q]]
    moved = [((L * w) @ alpha).T for w in case.z[: case.q]]
    symmetric = [0.5 * (SB + SB.T) for SB in products]
    return np.concatenate([B_inverse, *symmetric, (B_inverse @ L @ y.T).T, *moved])


def run_likelihood_sums(case, n_chunks=None):
    d, D, r = len(case.z), len(case.y), case.r
    S, Ly = np.full((1 + d, r, r), np.nan), np.full((1 + d, D, r), np.nan)
    arguments = (
        factor_in(case.L, case.c, r + 3),
        r,
        cut(case.z, case.c),
        cut(case.y, case.c),
        S,
        Ly,
    )
    run_in_chunks(lowrank.likelihood_sums, n_chunks, *arguments)
    return S, Ly


def run_posterior(case):
    maps = np.full(((1 + case.q) * (case.r + len(case.y)), case.r), np.nan)
    crossed = np.full(len(case.z), np.nan)
    result = lowrank.posterior(*sums_of(case), AMPLITUDE, NOISE, case.q, maps, crossed)
    return result, maps, crossed


def run_likelihood_rows(case, n_chunks=None):
    blocks = cut(case.z, case.c)
    rows, squares = np.full((len(blocks), case.q, case.c), np.nan), np.full(len(case.z), np.nan)
    arguments = (
        factor_in(case.L, case.c, case.r + 3),
        case.r,
        blocks,
        cut(case.y, case.c),
        AMPLITUDE,
        NOISE,
        maps_of(case),
        rows,
        squares,
    )
    fit, norm = run_in_chunks(lowrank.likelihood_rows, n_chunks, *arguments)
    return uncut(rows, case.n), squares, np.array([fit, norm])


@cuts
def test_likelihood_sums_are_the_products(n, c):
    case = likelihood_case(n, c)
    for found, expected in zip(run_likelihood_sums(case), sums_of(case), strict=True):
        assert_allclose(found, expected, atol=1e-12)


sizes = pytest.mark.parametrize(("q", "dx", "D"), [(1, 1, 1), (1, 2, 2), (2, 1, 1), (2, 2, 2)])


@sizes
def test_posterior_is_what_its_definitions_say(q, dx, D):
    case = likelihood_case(30, 30, q, dx, D)
    (definite, log_det, trace, norm), maps, crossed = run_posterior(case)
    expected = maps_of(case)
    assert definite
    assert_allclose(maps, expected, rtol=1e-9, atol=1e-12)
    B = NOISE * np.eye(case.r) + AMPLITUDE * case.L @ case.L.T
    assert_allclose(log_det, np.linalg.slogdet(B)[1], rtol=1e-12)
    assert_allclose(trace, np.trace(np.linalg.inv(B)), rtol=1e-10)
    start = (1 + q) * case.r
    assert_allclose(norm, (expected[start : start + D] ** 2).sum(), rtol=1e-10)
    # With the rows' share it is the sum over pairs, by the covariance itself.
    squares = run_likelihood_rows(case)[1]
    K = AMPLITUDE * case.L.T @ case.L
    inverse = np.linalg.inv(K + NOISE * np.eye(case.n))
    alpha = inverse @ case.y.T
    M = 0.5 * (D * inverse - alpha @ alpha.T) * K
    pairs = [np.sum(M * (z[:, np.newaxis] - z) ** 2) for z in case.z]
    assert_allclose(crossed - squares, pairs, rtol=1e-8, atol=1e-9)


def test_posterior_says_where_there_is_none():
    case = likelihood_case(20, 20)
    S, Ly = sums_of(case)
    maps, crossed = np.empty((3 * (case.r + len(case.y)), case.r)), np.empty(len(case.z))
    assert not lowrank.posterior(-S, Ly, AMPLITUDE, NOISE, case.q, maps, crossed)[0]


@pytest.mark.parametrize(("q", "dx", "D"), [(1, 1, 1), (2, 2, 2)])
@cuts
def test_likelihood_rows_are_those_of_the_full_cotangent(n, c, q, dx, D):
    case = likelihood_case(n, c, q, dx, D)
    rows, squares, (fit, norm) = run_likelihood_rows(case)

    K = AMPLITUDE * case.L.T @ case.L
    inverse = np.linalg.inv(K + NOISE * np.eye(n))
    alpha = inverse @ case.y.T
    M = 0.5 * (D * inverse - alpha @ alpha.T) * K
    for k in range(q):
        differences = case.z[k][:, np.newaxis] - case.z[k]
        assert_allclose(rows[k], np.sum(M * differences, axis=1), rtol=1e-9, atol=1e-11)
    # m_i is the row sum of M but for the factor -1/2 and the diagonal part of the cotangent.
    m = -2.0 * (M.sum(axis=1) - 0.5 * D / NOISE * np.diag(K))
    assert_allclose(squares, (case.z**2) @ m, rtol=1e-9)
    assert_allclose(fit, np.sum(case.y.T * alpha), rtol=1e-10)
    assert_allclose(norm, np.sum(alpha**2), rtol=1e-10)


# --- Sums and rows of HSIC ------------------------------------------------------------------------


def hsic_case(n, c, q=2, dx=1, u_rank=4, v_rank=3):
    rng = np.random.default_rng(100 * n + c)
    U, V = rng.normal(size=(u_rank, n)), rng.normal(size=(v_rank, n))
    U -= U.mean(axis=1, keepdims=True)
    v_means = V.mean(axis=1)
    return SimpleNamespace(
        n=n,
        c=c,
        q=q,
        U=U,
        V=V - v_means[:, np.newaxis],
        v_means=v_means,
        z=rng.normal(size=(q + dx, n)),
        before=rng.normal(size=(q, n)),
        factor=0.37,
    )


def weights_of(case):
    return np.concatenate([np.ones((1, case.n)), case.z, case.z**2])


def run_hsic_sums(case, n_chunks=None):
    (u_rank, v_rank), n_weights = (len(case.U), len(case.V)), 1 + 2 * len(case.z)
    sums = np.full((n_weights, v_rank, u_rank), np.nan)
    u_sums, v_sums = np.full((n_weights, u_rank), np.nan), np.full((n_weights, v_rank), np.nan)
    arguments = (
        factor_in(case.U, case.c, 6),
        u_rank,
        factor_in(case.V, case.c, 5),
        v_rank,
        cut(case.z, case.c),
        sums,
        u_sums,
        v_sums,
    )
    run_in_chunks(lowrank.hsic_sums, n_chunks, *arguments)
    return sums, u_sums, v_sums


def run_hsic_rows(case, n_chunks=None):
    uncentered = case.V + case.v_means[:, np.newaxis]
    E = [(uncentered * case.z[k]) @ case.U.T for k in range(case.q)]
    rows = cut(case.before, case.c)
    arguments = (
        factor_in(case.U, case.c, 6),
        factor_in(case.V, case.c, 5),
        case.v_means,
        cut(case.z, case.c),
        np.concatenate([case.V @ case.U.T, *E]),
        case.factor,
        rows,
    )
    run_in_chunks(lowrank.hsic_rows, n_chunks, *arguments)
    return uncut(rows, case.n)


@cuts
def test_center_takes_the_means_of_the_points_alone(n, c):
    case = hsic_case(n, c)
    uncentered = case.V + case.v_means[:, np.newaxis]
    L, means = factor_in(uncentered, c, 5), np.full(len(uncentered), np.nan)
    pivoted.center(L, len(uncentered), n, means)
    assert_allclose(means, case.v_means, atol=1e-14)
    assert_allclose(uncut(L[:, : len(uncentered)], n), case.V, atol=1e-14)
    assert np.isnan(L[:, len(uncentered) :]).all()
    padding = len(L) * c - n
    if padding:
        assert_array_equal(L[-1, : len(uncentered), -padding:], 0.0)


@cuts
def test_hsic_sums_are_the_weighted_products(n, c):
    case = hsic_case(n, c)
    sums, u_sums, v_sums = run_hsic_sums(case)
    for k, weights in enumerate(weights_of(case)):
        assert_allclose(sums[k], case.V @ np.diag(weights) @ case.U.T, atol=1e-12)
        assert_allclose(u_sums[k], case.U @ weights, atol=1e-12)
        assert_allclose(v_sums[k], case.V @ weights, atol=1e-12)


@pytest.mark.parametrize(("q", "dx"), [(1, 1), (2, 1), (1, 2)])
def test_hsic_moments_are_sums_over_pairs(q, dx):
    case = hsic_case(20, 20, q, dx)
    u_means = np.random.default_rng(3).normal(size=len(case.U))
    K_x = case.U.T @ case.U
    K_theta = case.V.T @ case.V
    sums, u_sums, v_sums = run_hsic_sums(case)
    moments = np.full(q + dx, np.nan)
    trace, factor = lowrank.hsic_moments(
        sums, u_sums, v_sums, u_means, case.v_means, q, 1.5, 0.25, moments
    )
    assert_allclose(trace, np.sum(K_x * K_theta), rtol=1e-12)
    assert_allclose(factor, 1.5 / (trace + 0.25), rtol=1e-14)
    # A matrix, centered, meets the other one as it was before.
    U = case.U + u_means[:, np.newaxis]
    V = case.V + case.v_means[:, np.newaxis]
    for k, z in enumerate(case.z):
        M = K_x * (V.T @ V) if k < q else (U.T @ U) * K_theta
        pairs = np.sum(M * (z[:, np.newaxis] - z) ** 2)
        assert_allclose(2.0 * moments[k], pairs, rtol=1e-9, atol=1e-10)
        left, right = (case.U, V) if k < q else (U, case.V)
        assert_allclose(sums[1 + k], right @ np.diag(z) @ left.T, atol=1e-11)


@cuts
def test_hsic_rows_are_added_and_are_those_of_the_centered_cotangent(n, c):
    q = 2
    case = hsic_case(n, c, q)
    uncentered = case.V + case.v_means[:, np.newaxis]
    M = (case.U.T @ case.U) * (uncentered.T @ uncentered)
    rows = run_hsic_rows(case)
    for k in range(q):
        differences = case.z[k][:, np.newaxis] - case.z[k]
        expected = case.before[k] + case.factor * np.sum(M * differences, axis=1)
        assert_allclose(rows[k], expected, rtol=1e-10, atol=1e-11)


# --- Parallel forms -------------------------------------------------------------------------------


def everything(n_chunks):
    """All results of all four kernels and of `extend`, in one array; five blocks."""
    likelihood, hsic = likelihood_case(23, 5), hsic_case(23, 5)
    rng = np.random.default_rng(5)
    L, residual, _ = run_extend(rng.normal(size=(2, 23)), 5, np.ones(2), [3, 8, 22], n_chunks)
    parts = [
        L[:, :3],
        residual,
        *run_likelihood_sums(likelihood, n_chunks),
        *run_likelihood_rows(likelihood, n_chunks),
        *run_hsic_sums(hsic, n_chunks),
        run_hsic_rows(hsic, n_chunks),
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
def test_bits_do_not_depend_on_the_number_of_threads(under_each_thread_count, n_chunks):
    first, *others = under_each_thread_count(lambda: everything(n_chunks))
    for other in others:
        assert_array_equal(other, first)
