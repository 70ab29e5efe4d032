"""An error that a signal handler raises, such as a soft time limit, ends a call at once."""

import signal
import time

import numpy as np
import pytest

import anmmm
from anmmm._signals import unless_signal
from anmmm.datasets import make_anm_mixture
from subprocess_helpers import python

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="POSIX only")
X, Y, _ = make_anm_mixture("f3", 300, random_state=1)
# Longer than any limit below; the time of an end is that of a pair at most.
PAIRS = {str(i): (X, Y + 0.001 * i) for i in range(2000)}
TABLE = np.column_stack([np.roll(Y, i) + 0.2 * i * X for i in range(12)])
LIMIT = 0.3


class SoftTimeLimit(Exception):
    """As those of job queues."""


def limit(*_):
    raise SoftTimeLimit


class Handler:
    def method(self, *_):
        raise SoftTimeLimit


def caught(call):
    """Return the error of a call unless a handler raised it."""
    try:
        return call()
    except unless_signal(TypeError, ValueError, SoftTimeLimit) as error:
        return error


@pytest.fixture
def alarm():
    """Return a function that has a handler called after a time."""
    # Again and again: Python drops an exception that is raised in a destructor or a callback.
    again = 5.0
    before = signal.getsignal(signal.SIGALRM)

    def after(seconds, handler=limit):
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, seconds, again)

    yield after
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "handler",
    [limit, lambda *_: limit(), Handler().method],
)
def test_errors_of_handlers_are_told_from_others(alarm, handler):
    signal.signal(signal.SIGALRM, handler)
    with pytest.raises(SoftTimeLimit):
        caught(lambda: signal.raise_signal(signal.SIGALRM))
    # An enumeration is called as the default handlers are, which are members of one.
    for call in (lambda: int("x"), lambda: signal.Signals(-1)):
        assert isinstance(caught(call), ValueError)


def value_error(*_):
    raise ValueError("time is over")


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("handler", "error"), [(limit, SoftTimeLimit), (value_error, ValueError)])
def test_a_time_limit_ends_a_collection(alarm, handler, error, n_jobs):
    anmmm.infer_direction(X, Y)
    rows = anmmm.infer_directions(PAIRS, n_jobs=n_jobs, random_state=0)
    alarm(LIMIT, handler)
    start = time.monotonic()
    with pytest.raises(error):
        list(rows)
    assert time.monotonic() - start < LIMIT + 10.0
    alarm(0)
    again = anmmm.infer_directions({"a": (X, Y)}, n_jobs=n_jobs, random_state=0)
    assert [row.status for row in again] == ["ok"]


def test_a_time_limit_in_the_source_ends_a_collection_before_further_rows(alarm):
    def pairs():
        yield X, Y
        alarm(0.05)
        time.sleep(60)

    rows = anmmm.infer_directions(pairs(), n_jobs=2, random_state=0)
    with pytest.raises(SoftTimeLimit):
        list(rows)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_time_limit_ends_the_search_of_a_graph(alarm, n_jobs):
    pair = np.column_stack([X, Y])
    before = anmmm.infer_graph(pair).to_dict()
    alarm(LIMIT)
    with pytest.raises(SoftTimeLimit):
        anmmm.infer_graph(TABLE, n_jobs=n_jobs)
    alarm(0)
    assert anmmm.infer_graph(pair).to_dict() == before


COMPILING = """
import signal, sys, time
import numpy as np
import anmmm

def limit(*_):
    raise TimeoutError

def limited():
    signal.signal(signal.SIGALRM, limit)
    # Again and again: Python drops an exception that is raised in a destructor.
    signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]), 5.0)
    start = time.monotonic()
    try:
        {call}
    except TimeoutError:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return time.monotonic() - start
    return "no end"

x = np.linspace(-1.0, 1.0, 40)
y = x**3 + 0.1 * np.cos(40.0 * x)
# An interrupted import of Numba leaves a part of it behind, whoever interrupts it.
anmmm.infer_direction, anmmm.infer_directions, anmmm.infer_graph, anmmm.warm_up
print(limited())
signal.setitimer(signal.ITIMER_REAL, 0)
print(anmmm.infer_direction(x, y).score)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "anmmm.infer_direction(x, y)",
        "anmmm.warm_up()",
        "anmmm.infer_graph(np.stack([x, y], 1))",
        "list(anmmm.infer_directions({'a': (x, y)}, n_jobs=2))",
    ],
)
def test_a_time_limit_ends_compiling(call, tmp_path):
    program = COMPILING.format(call=call)
    done = python("-c", program, 4.0, env={"NUMBA_CACHE_DIR": str(tmp_path)}.items())
    taken, score = done.stdout.splitlines()
    assert taken != "no end", done.stderr
    # Alone on a machine it takes a second.
    assert float(taken) < 19.0
    x = np.linspace(-1.0, 1.0, 40)
    assert float(score) == anmmm.infer_direction(x, x**3 + 0.1 * np.cos(40.0 * x)).score
    assert "cannot" not in done.stderr
