"""The limit on threads is one of the process; Python threads enter and leave it in any order."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from anmmm._threads import blas_threads_for, single_thread
from waiting import LIMIT


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture
def two_threads():
    with threadpool_limits(limits=2, user_api="blas"):
        if 2 not in blas_threads():
            pytest.skip("this BLAS has one thread only")
        yield blas_threads()


def test_overlapping_threads_restore_what_was(two_threads):
    inside, leave = Barrier(2, timeout=LIMIT), Event()

    def first():
        with blas_threads_for(10):
            inside.wait()
            seen = blas_threads()
        leave.set()
        return seen

    def second():
        with blas_threads_for(10):
            inside.wait()
            assert leave.wait(LIMIT), "waited in vain for the first thread to leave"
            return blas_threads()

    with ThreadPoolExecutor(2) as pool:
        seen = [task.result() for task in [pool.submit(first), pool.submit(second)]]
    assert [set(threads) for threads in seen] == [{1}, {1}]
    assert blas_threads() == two_threads


def test_nested_and_large(two_threads):
    with single_thread():
        with blas_threads_for(10):
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == two_threads
    with blas_threads_for(10_000):
        assert blas_threads() == two_threads
