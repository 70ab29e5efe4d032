"""Parallel forms of kernels: each takes seconds to compile, so that they run with slow tests."""

import pytest

# Of a kernel, and the number of its chunks.
FORMS = [
    ("serial", 1),
    ("serial", 3),
    *(pytest.param("parallel", n, marks=pytest.mark.slow) for n in (1, 3, 30)),
]


def in_parallel(*n_chunks):
    """Parameters that have a kernel run in its parallel form, in so many chunks."""
    return [pytest.param(n, marks=pytest.mark.slow) for n in n_chunks]
