"""The limit on threads is one of the process; Python threads enter and leave it in any order."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, get_ident

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from anmmm._threads import SMALLEST_SHARED, blas_threads_for, both, single_thread
from anmmm.datasets import make_anm_mixture
from anmmm.evidence import evidence
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
    met = Barrier(2, timeout=LIMIT)
    assert len(set(both(met.wait, met.wait, SMALLEST_SHARED))) == 2


def test_two_calls_run_in_this_thread_where_samples_are_few_or_threads_are_one(two_numba_threads):
    here = get_ident()
    assert both(get_ident, get_ident, SMALLEST_SHARED - 1) == (here, here)
    with single_thread():
        assert both(get_ident, get_ident, SMALLEST_SHARED) == (here, here)


@pytest.mark.parametrize("fails", ["first", "second"])
def test_what_one_of_two_calls_raises_is_raised(two_numba_threads, fails):
    def fail():
        raise ValueError(fails)

    calls = (fail, int) if fails == "first" else (int, fail)
    with pytest.raises(ValueError, match=fails):
        both(*calls, SMALLEST_SHARED)


def test_a_large_pair_is_decided_alike_on_one_thread_and_on_two(two_numba_threads):
    x, y, _ = make_anm_mixture("f3", SMALLEST_SHARED, random_state=1)
    on_two = evidence(x, y)
    with single_thread():
        on_one = evidence(x, y)
    for side in ("forward", "backward"):
        assert getattr(on_two, side).lengths == getattr(on_one, side).lengths
