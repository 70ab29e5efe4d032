import sys
import threading
import time

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

from anmmm import _warm, infer_direction
from anmmm.collection import cluster_collection, infer_directions
from anmmm.collection import task as task_module
from anmmm.collection import timeout as timeout_module
from anmmm.collection.task import DirectionTask
from anmmm.collection.timeout import OutOfTime, within
from anmmm.datasets import make_anm_mixture
from waiting import LIMIT

# What has to be stopped would go on for as long as any test waits.
STUCK = LIMIT


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass
    return seconds


def test_a_function_in_time_returns_its_value():
    assert within(None, lambda: work(0.001)) == 0.001
    assert within(30.0, lambda: work(0.001)) == 0.001


@pytest.mark.parametrize("main", [True, False])
def test_a_function_out_of_time_is_stopped_in_any_thread(main):
    found = []

    def call():
        with pytest.raises(OutOfTime):
            within(0.05, lambda: work(STUCK))
        found.append("stopped")
        # Nothing is left on its way.
        work(0.3)
        found.append("calm")

    if main:
        call()
    else:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join(2 * LIMIT)
        assert not thread.is_alive(), "waited in vain for the end of a thread out of time"
    assert found == ["stopped", "calm"]


def test_a_handler_of_exceptions_does_not_save_it():
    def stubborn():
        while True:
            try:
                work(0.01)
            except Exception:
                continue

    with pytest.raises(OutOfTime):
        within(0.05, stubborn)


def test_what_swallows_the_first_exception_gets_another():
    def deaf():
        try:
            work(STUCK)
        except BaseException:
            work(STUCK)

    with pytest.raises(OutOfTime):
        within(0.05, deaf)


def test_an_error_of_the_function_is_its_own():
    with pytest.raises(ZeroDivisionError):
        within(30.0, lambda: 1 / 0)


def test_many_limits_leave_no_stray_exception(monkeypatch):
    # At once, so that many strike when the work is just done.
    monkeypatch.setattr(timeout_module, "STEP", 0.0)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def outcome(limit, seconds):
        try:
            return within(limit, lambda: work(seconds))
        except OutOfTime:
            return "stopped"

    try:
        # Behind each that is stopped, and each that may be, one that a stray exception would meet.
        late, close, early = zip(
            *(
                (outcome(0.001, STUCK), outcome(0.001, 0.001), outcome(30.0, 0.0005))
                for _ in range(100)
            ),
            strict=True,
        )
        work(0.2)
    finally:
        sys.setswitchinterval(before)
    assert set(late) == {"stopped"}
    assert set(close) <= {"stopped", 0.001}
    assert set(early) == {0.0005}


def test_no_limit_strikes_while_something_compiles():
    done = []

    def compile_and_go_on():
        # One within another, as kernels that call kernels.
        with global_compiler_lock:
            with global_compiler_lock:
                work(0.1)
            work(0.1)
            done.append("compiled")
        work(STUCK)

    with pytest.raises(OutOfTime):
        within(0.01, compile_and_go_on)
    assert done == ["compiled"]
    assert threading.get_ident() not in timeout_module._compiling


def test_a_strike_on_its_way_arrives_before_something_compiles(monkeypatch):
    monkeypatch.setattr(timeout_module, "STEP", 0.0)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    broken = []

    def compile_often():
        while True:
            with global_compiler_lock:
                try:
                    work(1e-4)
                except OutOfTime:
                    broken.append("struck while compiling")

    try:
        for _ in range(100):
            with pytest.raises(OutOfTime):
                within(0.001, compile_often)
    finally:
        sys.setswitchinterval(before)
    assert not broken
    # Nothing is held that a strike found.
    assert not global_compiler_lock.is_locked()
    assert threading.get_ident() not in timeout_module._compiling


def test_a_pair_out_of_time_is_a_row_and_ends_nothing(monkeypatch):
    sizes = (30, 20, 40)
    source = [make_anm_mixture("f3", n, random_state=1)[:2] for n in sizes]
    done = {}

    def keeping(task, pair, seed):
        return done.setdefault(len(pair.x), infer_direction(pair.x, pair.y, random_state=seed))

    monkeypatch.setattr(DirectionTask, "decide", keeping)
    free = infer_directions(source, random_state=0).to_list()

    def slow(task, pair, seed):
        if len(pair.x) == 20:
            work(STUCK)
        # At once, so that no machine is too slow for the limit.
        return done[len(pair.x)]

    monkeypatch.setattr(DirectionTask, "decide", slow)
    rows = infer_directions(source, max_seconds_per_pair=2.5, random_state=0).to_list()
    assert [row.status for row in rows] == ["ok", "timeout", "ok"]
    assert rows[1].reason == "not done after 2.5 seconds"
    assert (rows[1].n, rows[1].direction) == (20, None)
    # Time that was lost is told as well.
    assert rows[1].seconds > 0
    assert (rows[0].score, rows[2].score) == (free[0].score, free[2].score)


@pytest.mark.parametrize("analyze", [infer_directions, cluster_collection])
def test_all_is_compiled_before_a_limit_counts(monkeypatch, analyze):
    warmed = []
    monkeypatch.setattr(task_module, "_prepared", set())
    monkeypatch.setattr(_warm, "warm_up", lambda: warmed.append(1))
    pair = make_anm_mixture("f3", 20, random_state=1)[:2]
    # Those without a limit need none, and do not spare those with one.
    for limit, times in ((None, 0), (60.0, 1), (30.0, 1)):
        analyze([pair], max_seconds_per_pair=limit, random_state=0).to_list()
        assert len(warmed) == times


def test_a_fit_is_stopped_between_its_evaluations():
    # Latent fits of 2000 points from many starts take minutes.
    rows = infer_directions(
        [tuple(np.random.default_rng(0).normal(size=(2, 2000)))],
        max_seconds_per_pair=0.5,
        criterion="hsic",
        n_starts=50,
    )
    assert next(rows).status == "timeout"


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0, ValueError, "must be positive"),
        (-1, ValueError, "max_seconds_per_pair must be finite and not negative"),
        ("1", TypeError, "max_seconds_per_pair must be a number"),
    ],
)
def test_wrong_limits_are_refused(value, error, message):
    with pytest.raises(error, match=message):
        infer_directions([], max_seconds_per_pair=value)
