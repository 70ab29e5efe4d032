"""How many threads BLAS and Numba get.

Fits and collections run their numerical work inside these contexts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import numba
from threadpoolctl import ThreadpoolController

__all__ = ["blas_threads_for", "single_thread"]

# From about this size on a factorization is faster on several threads. Below, threads cost more
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
    with _one_thread:
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
        with _one_thread:
            yield
    finally:
        numba.set_num_threads(n_threads)


class _OneThread:
    """Limit of all thread pools to one thread, entered by any number of Python threads at once.

    The limit is one of the whole process: the first to enter sets it and the last to leave takes it
    back. Without the count, the second would remember the first's limit as the one to restore.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limiter: Any = None

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                _take_control()
                self._limiter = _controller().limit(limits=1)

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                _take_control()
                self._limiter.restore_original_limits()
                _take_control()


_one_thread = _OneThread()


def _take_control() -> None:
    # From 3.8 on threadpoolctl lets one Python thread change a limit of the whole process, and
    # ignores all others until that one is told to have done: here the last to leave restores.
    for library in _controller().lib_controllers:
        if hasattr(library, "clear_controlling_thread"):
            library.clear_controlling_thread(force=True)


@cache
def _controller() -> ThreadpoolController:
    # Looking through the loaded libraries takes milliseconds, as long as a small fit's setup.
    return ThreadpoolController()
