"""Parallel forms of kernels: each takes seconds to compile, so that they run with slow tests."""

import pytest


def in_parallel(*n_chunks):
    """Parameters that have a kernel run in its parallel form, in so many chunks."""
    return [pytest.param(n, marks=pytest.mark.slow) for n in n_chunks]
