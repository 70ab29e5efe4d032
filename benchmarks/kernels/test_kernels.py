"""pytest-benchmark: each kernel by itself; ``pytest benchmarks/kernels --benchmark-enable``.

Not part of the tests: it checks nothing. ``--benchmark-autosave`` and ``--benchmark-compare`` show
what a change did to one kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from anmmm._kernels import _lapack, dense, hsic, lowrank, packed, pivoted
from anmmm._kernels._jit import SUMS
from anmmm._kernels.hidden import Pair
from anmmm.evidence.hidden import CURVE, GROUPS, HiddenFits
from anmmm.gppom.engines.factor import Factor

SIZES = [100, 1000]
RANK_TOLERANCE = 1e-12
one = np.ones(1)


def from_python(inner: Any) -> Any:
    """Compile a kernel that only kernels call so that it can be called here."""
    return njit(inner.py_func, error_model="numpy", fastmath=set(SUMS))


@pytest.fixture(params=SIZES)
def n(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def points(n: int) -> np.ndarray:
    """Coordinates [θ, x], (2, n)."""
    return np.random.default_rng(0).standard_normal((2, n))


@pytest.fixture
def matrix(n: int) -> np.ndarray:
    root = np.random.default_rng(0).standard_normal((n, n))
    return root @ root.T / n + np.eye(n)


def test_exp(benchmark: Any, n: int) -> None:
    values = -np.random.default_rng(0).uniform(0.0, 5.0, n)
    exp_nonpositive = from_python(packed.exp_nonpositive)
    benchmark(lambda: exp_nonpositive(values.copy(), n))


def test_potrf(benchmark: Any, matrix: np.ndarray) -> None:
    benchmark(lambda: _lapack.potrf(matrix.copy()))


def test_potri(benchmark: Any, matrix: np.ndarray) -> None:
    factor = np.linalg.cholesky(matrix)
    benchmark(lambda: _lapack.potri(factor.copy()))


def test_solve_rows(benchmark: Any, matrix: np.ndarray, n: int) -> None:
    factor, right = np.linalg.cholesky(matrix), np.ones((1, n))
    benchmark(lambda: _lapack.solve_rows(factor, right.copy()))


@pytest.mark.parametrize("keep", [True, False])
def test_assemble(benchmark: Any, points: np.ndarray, n: int, keep: bool) -> None:
    K_x, K_theta = np.empty((2, n if keep else 1, n))
    K, deviations = np.empty((n, n)), np.empty((2, n))
    inputs = dense.Points(points[1:], one, points[:1], one, 1.0, 0.1)
    grams = dense.Grams(K_x, K_theta, deviations, keep)
    benchmark(from_python(dense.assemble), inputs, grams, K, 1)


@pytest.mark.parametrize("keep", [True, False])
def test_dense_gradients(
    benchmark: Any, points: np.ndarray, matrix: np.ndarray, n: int, keep: bool
) -> None:
    K_x, K_theta = np.full((2, n if keep else 1, n), 0.5)
    inputs = dense.Points(points[1:], one, points[:1], one, 1.0, 0.1)
    grams = dense.Grams(K_x, K_theta, np.full((2, n), -0.5), keep)
    out = dense.Gradients(np.empty((1, n)), np.empty(1), np.empty(1))
    gradients = from_python(dense.gradients)
    benchmark(gradients, inputs, grams, matrix, np.ones((1, n)), 1.0, out, 1)


def test_gamma_moments(benchmark: Any, points: np.ndarray) -> None:
    benchmark(hsic.gamma_moments, points[:1], one, points[1:], one)


def test_pivoted_cholesky(benchmark: Any, points: np.ndarray, n: int) -> None:
    L, pivots, rest = np.empty((n, n)), np.empty(n, dtype=np.int64), np.empty(n)
    benchmark(
        pivoted.pivoted_cholesky, points, 0.1 * np.ones(2), 0.0, RANK_TOLERANCE * n, L, pivots, rest
    )


class TestBlocks:
    """Kernels over blocks of observations, at 20 000 of them."""

    n = 20_000

    @pytest.fixture
    def factor(self) -> tuple[Factor, np.ndarray, np.ndarray]:
        z = np.random.default_rng(0).standard_normal((2, self.n))
        factor = Factor(self.n, 64, None)
        blocks = factor.blocks(z)
        factor.fill(z, blocks, 0.1 * np.ones(2), RANK_TOLERANCE * self.n)
        return factor, blocks, factor.blocks(np.ones((1, self.n)))

    def test_extend(self, benchmark: Any, factor: tuple[Factor, np.ndarray, np.ndarray]) -> None:
        filled, blocks, _ = factor
        pivots = np.ascontiguousarray(blocks[0, :, : filled.rank])
        benchmark(
            pivoted.extend,
            blocks,
            self.n,
            0.1 * np.ones(2),
            pivots,
            np.eye(filled.rank),
            filled.L,
            np.empty((len(blocks), blocks.shape[2])),
            1,
        )

    def test_evaluate(self, benchmark: Any, factor: tuple[Factor, np.ndarray, np.ndarray]) -> None:
        filled, blocks, y = factor
        one = filled.L, filled.rank
        factors = lowrank.Factors(*one, *one, np.zeros(filled.rank), *one, np.zeros(filled.rank))
        rows, arrays = np.empty((len(blocks), 1, blocks.shape[2])), np.empty((3, 2))
        benchmark(lowrank.evaluate, factors, blocks, y, 1.0, 1.0, 1.0, 0.0, rows, arrays, 1)


@pytest.mark.parametrize("kind", ["curve", "groups"])
def test_hidden(benchmark: Any, points: np.ndarray, kind: str) -> None:
    """Six iterations of EM."""
    n = points.shape[1]
    nothing, ones = np.zeros((2, n), dtype=np.int64), np.full(2, 0.01)
    zeros, none = nothing[:, 0].copy(), np.zeros((2, 1))
    pair = Pair(points, nothing, zeros, zeros, ones, none, none)
    nodes, used = (CURVE, CURVE.basis.shape[1]) if kind == "curve" else (GROUPS, 4)
    at = (np.argsort(np.argsort(points[0]))[np.newaxis] + 0.5) / n
    benchmark(lambda: HiddenFits.start(pair, nodes, np.array([used]), at))
