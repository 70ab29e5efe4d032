"""The number of threads of BLAS and Numba."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any, TypeVar

import numba
from threadpoolctl import ThreadpoolController

T = TypeVar("T")

# Order of a matrix from which a factorization is faster on several threads. For smaller ones on a
# busy machine, threads wait for each other much longer than the work takes.
SMALLEST_PARALLEL = 1000
# Observations from which the variables, or directions, of a pair are worth a thread each.
SMALLEST_SHARED = 10_000


def blas_threads_for(n_samples: int) -> AbstractContextManager[None]:
    """Limit BLAS to one thread if matrices of this order are small."""
    return _one_thread if n_samples < SMALLEST_PARALLEL else nullcontext()


@contextmanager
def single_thread() -> Iterator[None]:
    """Limit BLAS and Numba to one thread: on several, sums are rounded differently."""
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
    """Call two functions, in two threads if samples are many and Numba has several threads."""
    if n_samples < SMALLEST_SHARED or numba.get_num_threads() == 1:
        return first(), second()
    # Imported here to keep small decisions fast.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(second)
        return first(), future.result()


class _OneThread:
    """Limit of all thread pools to one thread; any number of Python threads may be inside."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before: list[tuple[Any, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                # The limiter of threadpoolctl describes all libraries first, which is slow.
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
    # Since 3.8 threadpoolctl ignores all Python threads except the first that changes a limit,
    # until it is cleared.
    release = getattr(library, "clear_controlling_thread", None)
    if release is not None:
        release(force=True)
    library.set_num_threads(count)
    if release is not None:
        release(force=True)


@cache
def _libraries() -> list[Any]:
    # Cached, because the search takes milliseconds.
    return list(ThreadpoolController().lib_controllers)
