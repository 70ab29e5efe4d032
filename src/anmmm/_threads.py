"""How many threads BLAS and Numba get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, TypeVar

import numba
from threadpoolctl import ThreadpoolController

T = TypeVar("T")

# From about this size on a factorization is faster on several threads. Below, threads cost more
# than they bring, and on a machine with other work they wait for each other many times longer than
# the work takes.
SMALLEST_PARALLEL = 1000
# Observations from which on a pair's two variables, or directions, are worth a thread each.
SMALLEST_SHARED = 10_000


@contextmanager
def blas_threads_for(n_samples: int) -> Iterator[None]:
    """Keep BLAS to one thread while matrices, of this order, are small."""
    if n_samples >= SMALLEST_PARALLEL:
        yield
        return
    with _one_thread:
        yield


@contextmanager
def single_thread() -> Iterator[None]:
    """Keep BLAS and Numba to one thread: on several, sums are rounded differently."""
    with _one_thread:
        n_threads = numba.get_num_threads()
        if n_threads == 1:
            yield
            return
        numba.set_num_threads(1)
        try:
            yield
        finally:
            numba.set_num_threads(n_threads)


def both(first: Callable[[], T], second: Callable[[], T], n_samples: int) -> tuple[T, T]:
    """Call two functions, at once where samples are many and Numba has more threads than one."""
    if n_samples < SMALLEST_SHARED or numba.get_num_threads() == 1:
        return first(), second()
    # Here, as no decision on fewer observations needs what it loads.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(second)
        return first(), other.result()


class _OneThread:
    """Limit of all thread pools to one thread, entered by any number of Python threads at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before: list[tuple[Any, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                # One library at a time: threadpoolctl's own limiter describes all of them first,
                # which takes as long as the driver of a collection has for two pairs.
                counts = [(library, library.num_threads) for library in _libraries()]
                self._before = [(library, n) for library, n in counts if n is not None and n > 1]
                for library, _ in self._before:
                    _set_threads(library, 1)

    def __exit__(self, *exception: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                for library, count in self._before:
                    _set_threads(library, count)


_one_thread = _OneThread()


def _set_threads(library: Any, count: int) -> None:
    # From 3.8 on threadpoolctl lets one Python thread change a limit of the whole process, and
    # ignores all others until that one is told to have done: here the last to leave restores.
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
    library.set_num_threads(count)
    if release is not None:
        release(force=True)


@cache
def _libraries() -> list[Any]:
    # Looking through the loaded libraries takes milliseconds, as long as a small fit's setup.
    return list(ThreadpoolController().lib_controllers)
