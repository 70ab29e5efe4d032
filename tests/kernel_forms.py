"""Forms of kernels: parallel, which take seconds to compile and run with slow tests, and inner."""

import numpy as np
import pytest
from numba import njit


def in_parallel(*n_chunks):
    """Parameters that have a kernel run in its parallel form, in so many chunks."""
    return [pytest.param(n, marks=pytest.mark.slow) for n in n_chunks]


def lower_only(A):
    """Copy with NaN above the diagonal."""
    return np.where(np.tri(len(A), dtype=bool), A, np.nan)


def from_python(inner):
    """Compile a kernel that only kernels call so that a test can call it."""
    options = {name: inner.targetoptions[name] for name in ("error_model", "fastmath", "nogil")}
    return njit(inner.py_func, **options)
