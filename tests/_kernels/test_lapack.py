"""LAPACK from compiled code, against NumPy; and its machine code cached on disk."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from anmmm._kernels import _lapack
from anmmm._kernels._lapack import potrf, potri
from kernel_forms import from_python, lower_only
from subprocess_helpers import python

gemm = from_python(_lapack.gemm)
# Below, at and above the block size of LAPACK.
SIZES = [1, 2, 7, 64, 130]


def positive_definite(rng, n):
    root = rng.normal(size=(n, n))
    return root @ root.T / n + np.eye(n)


def assert_upper_untouched(A):
    assert np.isnan(A[np.triu_indices(len(A), 1)]).all()


@pytest.mark.parametrize("n", SIZES)
def test_potrf_and_potri_are_the_cholesky_factor_and_the_inverse(rng, n):
    A = positive_definite(rng, n)
    memory = lower_only(A)
    assert potrf(memory) == 0
    assert_upper_untouched(memory)
    assert_allclose(np.tril(memory), np.linalg.cholesky(A), rtol=1e-11, atol=1e-13)
    assert potri(memory) == 0
    assert_upper_untouched(memory)
    assert_allclose(np.tril(memory), np.tril(np.linalg.inv(A)), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("m", "k", "n"), [(1, 1, 1), (3, 1, 2), (1, 5, 4), (20, 130, 7)])
def test_gemm_is_the_product(rng, m, k, n):
    A, B = rng.normal(size=(m, k)), rng.normal(size=(k, n))
    for A_transposed, B_transposed, kept in product((False, True), (False, True), (0.0, -2.5)):
        C = rng.normal(size=(m, n))
        expected = A @ B + kept * C
        if kept == 0.0:
            C[:] = np.nan
        left, right = (A.T if A_transposed else A).copy(), (B.T if B_transposed else B).copy()
        gemm(left, A_transposed, right, B_transposed, kept, C)
        assert_allclose(C, expected, rtol=1e-11, atol=1e-12)


def test_what_has_no_factor_or_no_inverse_is_reported_by_its_row():
    for n, diagonal in product((3, 80), (-1.0, 0.0)):
        A = np.eye(n)
        A[n // 2, n // 2] = diagonal
        assert potrf(A) == n // 2 + 1
    L = np.eye(4)
    L[2, 2] = 0.0
    assert potri(L) == 3


SCRIPT = """
import json, sys
import numpy as np
from anmmm._kernels._jit import parallel_form
from anmmm._kernels._lapack import potrf
from anmmm._kernels.pivoted import extend

extend_parallel = parallel_form(extend)
A = np.array([[4.0, 0.0], [2.0, 5.0]])
info = potrf(A)
serial, parallel = np.zeros((2, 1, 1, 5))
points, one, rest = np.ones((1, 1, 5)), np.ones((1, 1)), np.empty((1, 5))
for run, factor in ((extend, serial), (extend_parallel, parallel)):
    run(points, 5, np.ones(1), one, 2.0 * one, factor, rest, 2)
hits = [sum(kernel.stats.cache_hits.values()) for kernel in (potrf, extend, extend_parallel)]
# Points at the pivot have the factor's inverse.
print(info, np.tril(A).tolist(), hits, (serial == 0.5).all(), (parallel == 0.5).all())
"""


def test_machine_code_is_cached_across_processes_and_still_works(tmp_path):
    for hits in (0, 1):
        done = python("-c", SCRIPT, env={"NUMBA_CACHE_DIR": str(tmp_path)})
        assert done.stdout.strip() == f"0 [[2.0, 0.0], [1.0, 2.0]] {[hits] * 3} True True"
    # The parallel twin shares the body's file and line: only a name of its own keeps them apart.
    indices = [file.name for file in tmp_path.rglob("*.nbi")]
    for name in ("extend", "extend_parallel"):
        assert sum(index.startswith(f"pivoted.{name}-") for index in indices) == 1
