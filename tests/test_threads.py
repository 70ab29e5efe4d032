"""The limit on threads is one of the process; Python threads enter and leave it in any order."""

import threading

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from anmmm._threads import blas_threads_for, single_thread


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture
def two_threads():
    with threadpool_limits(limits=2, user_api="blas"):
        if 2 not in blas_threads():
            pytest.skip("this BLAS has one thread only")
        yield blas_threads()


def test_overlapping_threads_restore_what_was(two_threads):
    inside, leave = threading.Barrier(2), threading.Event()

    def first():
        with blas_threads_for(10):
            inside.wait()
        leave.set()

    def second():
        with blas_threads_for(10):
            inside.wait()
            leave.wait()
            assert set(blas_threads()) == {1}

    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert blas_threads() == two_threads


def test_nested_and_large(two_threads):
    with single_thread():
        with blas_threads_for(10):
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == two_threads
    with blas_threads_for(10_000):
        assert blas_threads() == two_threads
