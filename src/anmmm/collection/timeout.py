"""A limit of time for one pair, in whatever thread it is computed."""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from anmmm._kernels._lock import CompilingThreads

# Until the thread was stopped: whatever swallows an exception may swallow the first one.
AGAIN = 0.1
# How often the clock is looked at.
STEP = 0.02

Value = TypeVar("Value")


class OutOfTime(BaseException):
    """Raised in a computation that took too long.

    No `Exception`, so that no handler of numerical failures takes it for one.
    """


def within(seconds: float | None, function: Callable[[], Value]) -> Value:
    """Call a function and raise `OutOfTime` in it when its time is over.

    A second thread raises the exception in this one, as CPython allows on every system and in
    every thread, where signals reach the main thread alone. It takes effect when the interpreter
    runs the next bytecode: between calls of compiled code, never within one, nor while Numba
    compiles or loads some.
    """
    if seconds is None:
        return function()
    thread = threading.get_ident()
    try:
        try:
            _arm(thread, seconds)
            return function()
        finally:
            _disarm(thread)
    except OutOfTime:
        # It may have struck in the middle of the line above.
        _disarm(thread)
        raise


# Threads to be stopped and when; those that are being stopped at this moment. Both are read and
# written in single steps and without locks: an exception that strikes behind the acquisition of a
# lock would leave it locked.
_deadlines: dict[int, float] = {}
_striking: dict[int, bool] = {}
_start = threading.Lock()
_watcher: threading.Thread | None = None


# A strike that has begun is waited for, as by `_disarm`.
_compiling = CompilingThreads(lambda: _await_strike(threading.get_ident()))


def _arm(thread: int, seconds: float) -> None:
    global _watcher
    with _start:
        # Nobody is stopped while the lock is held.
        _deadlines[thread] = math.inf
        if _watcher is None or not _watcher.is_alive():
            _watcher = threading.Thread(target=_watch, name="anmmm-timeout", daemon=True)
            _watcher.start()
    _deadlines[thread] = time.monotonic() + seconds


def _disarm(thread: int) -> None:
    _deadlines.pop(thread, None)
    _await_strike(thread)
    # What is on its way does not arrive any more.
    _raise_in(thread, None)


def _await_strike(thread: int) -> None:
    # One that has begun and did not see what was just changed.
    while thread in _striking:
        time.sleep(0)


def _watch() -> None:
    struck: dict[tuple[int, float], float] = {}
    while True:
        time.sleep(STEP)
        now = time.monotonic()
        struck = {key: when for key, when in struck.items() if _deadlines.get(key[0]) == key[1]}
        for thread, deadline in list(_deadlines.items()):
            if now < struck.get((thread, deadline), deadline):
                continue
            _striking[thread] = True
            # Only now is it certain that the thread waits for this.
            if _deadlines.get(thread) == deadline and thread not in _compiling:
                struck[thread, deadline] = now + AGAIN
                _raise_in(thread, OutOfTime)
            del _striking[thread]
        with _start:
            if not _deadlines:
                return


def _raise_in(thread: int, exception: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if exception is None else ctypes.py_object(exception)
    )
