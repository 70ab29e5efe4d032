"""How many threads BLAS and Numba get.

Fits and collections run their numerical work inside these contexts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numba
from threadpoolctl import ThreadpoolController

__all__ = ["blas_threads_for", "single_thread"]

# From about this size on a factorisation is faster on several threads. Below, threads cost more
# than they bring, and on a machine with other work they wait for each other many times longer than
# the work takes.
SMALLEST_PARALLEL = 1000


@contextmanager
def blas_threads_for(n_samples: int) -> Iterator[None]:
    """Keep BLAS to one thread while matrices are small.

    Parameters
    ----------
    n_samples : int
        Order of the matrices.

    Yields
    ------
    None
    """
    if n_samples >= SMALLEST_PARALLEL:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield


@contextmanager
def single_thread() -> Iterator[None]:
    """Keep BLAS and Numba to one thread, here and in every worker alike.

    Sums are rounded differently on several threads, so this also makes the results of one worker
    and of many the same to the last bit.

    Yields
    ------
    None
    """
    n_threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        with _controller().limit(limits=1):
            yield
    finally:
        numba.set_num_threads(n_threads)


@cache
def _controller() -> ThreadpoolController:
    # Looking through the loaded libraries takes milliseconds, as long as a small fit's setup.
    return ThreadpoolController()
