"""The limit on threads is one of the process; Python threads enter and leave it in any order."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, get_ident

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from anmmm._threads import SMALLEST_SHARED, blas_threads_for, both, single_thread
from anmmm.datasets import make_anm_mixture
from anmmm.evidence import description_lengths
from subprocess_helpers import LIMIT


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


@pytest.fixture
def two_numba_threads(numba_threads):
    numba_threads.set_num_threads(2)


def test_two_calls_run_at_once_where_samples_are_many_and_threads_are_two(two_numba_threads):
    met, here = Barrier(2, timeout=LIMIT), get_ident()
    assert len(set(both(met.wait, met.wait, SMALLEST_SHARED))) == 2
    assert both(get_ident, get_ident, SMALLEST_SHARED - 1) == (here, here)
    with single_thread():
        assert both(get_ident, get_ident, SMALLEST_SHARED) == (here, here)

    def fail():
        raise ValueError("one of two")

    for calls in ((fail, int), (int, fail)):
        with pytest.raises(ValueError, match="one of two"):
            both(*calls, SMALLEST_SHARED)


def test_a_large_pair_is_decided_alike_on_one_thread_and_on_two(two_numba_threads):
    x, y, _ = make_anm_mixture("f3", SMALLEST_SHARED, random_state=1)
    on_two = description_lengths(x, y)
    with single_thread():
        on_one = description_lengths(x, y)
    for side in ("forward", "backward"):
        assert getattr(on_two, side).lengths == getattr(on_one, side).lengths
