import ctypes
import os
import signal
import sys
import threading
import time

import pytest

from anmmm.cli import signals as cli_signals
from anmmm.cli.signals import Ended, EndingSignals
from waiting import LIMIT, python

pytestmark = [
    pytest.mark.usefixtures("own_signals"),
    pytest.mark.skipif(os.name == "nt", reason="POSIX signals"),
]
NUMBERS = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_first_signal_ends_and_no_other_disturbs_the_end(name):
    with EndingSignals() as signals:
        assert signals.status is None
        with pytest.raises(Ended):
            signal.raise_signal(getattr(signal, name))
        for other in NUMBERS:
            signal.raise_signal(getattr(signal, other))
        assert signals.status == NUMBERS[name]
    # Nor that of the interpreter.
    for other in NUMBERS:
        signal.raise_signal(getattr(signal, other))


def test_what_hangs_while_it_tidies_up_can_be_ended(monkeypatch):
    monkeypatch.setattr(cli_signals, "TIDYING_SECONDS", 0.0)
    with EndingSignals() as signals:
        for name in ("SIGTERM", "SIGINT"):
            with pytest.raises(Ended):
                signal.raise_signal(getattr(signal, name))
        # That of the first.
        assert signals.status == 143


def test_a_signal_in_a_callback_from_c_is_not_lost():
    # Of such a callback no exception gets out: ctypes ignores it.
    callback = ctypes.CFUNCTYPE(None)(lambda: signal.raise_signal(signal.SIGTERM))
    with EndingSignals() as signals:
        callback()
        with pytest.raises(Ended):
            time.sleep(LIMIT)
        assert signals.status == 143
    assert sys.unraisablehook is signals._hook


def test_a_thread_that_the_end_leaves_without_work_fails_quietly(monkeypatch):
    # As that of worker processes does when they are killed between two tasks.
    said = []
    monkeypatch.setattr(threading, "excepthook", said.append)
    with EndingSignals():
        for number in range(2):
            thread = threading.Thread(target=lambda: 1 / 0)
            thread.start()
            thread.join(LIMIT)
            if not number:
                with pytest.raises(Ended):
                    signal.raise_signal(signal.SIGTERM)
    assert [each.exc_type for each in said] == [ZeroDivisionError]


def test_what_is_ignored_stays_so_and_handlers_of_others_stay():
    heard = []
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    with EndingSignals() as signals:
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGTERM)
    assert heard == [signal.SIGTERM] * 2
    assert signals.status is None


def test_another_thread_than_the_main_one_does_without():
    before = [signal.getsignal(getattr(signal, name)) for name in NUMBERS]

    def enter():
        with EndingSignals():
            pass

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join(LIMIT)
    assert not thread.is_alive(), "waited in vain for the end of the thread"
    assert [signal.getsignal(getattr(signal, name)) for name in NUMBERS] == before


def test_ctrl_c_while_the_command_loads_has_no_traceback():
    # Python's own answer is one, from wherever the imports are.
    script = (
        "import signal, anmmm; handler = signal.getsignal(signal.SIGINT); import anmmm.__main__; "
        "print(handler is signal.default_int_handler, signal.getsignal(signal.SIGINT).name)"
    )
    assert python("-c", script).stdout == "True SIG_DFL\n"
