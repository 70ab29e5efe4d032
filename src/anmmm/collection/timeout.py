"""A limit of time for one pair, in whatever thread it is computed."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["OutOfTime", "within"]

# Until the thread was stopped: whatever swallows an exception may swallow the first one.
AGAIN = 0.1

Value = TypeVar("Value")


class OutOfTime(BaseException):
    """Raised in a computation that took too long.

    No `Exception`, so that no handler of numerical failures takes it for one.
    """


def within(seconds: float | None, function: Callable[[], Value]) -> Value:
    """Call a function and stop it when its time is over.

    Parameters
    ----------
    seconds : float or None
        Limit; None is no limit.
    function : callable

    Returns
    -------
    object
        What the function returns.

    Raises
    ------
    OutOfTime
        If it took longer.

    Notes
    -----
    A second thread raises the exception in this one, as CPython allows on every system and in
    every thread, where signals reach the main thread alone. It takes effect when the interpreter
    runs the next bytecode: between calls of compiled code, never within one.
    """
    if seconds is None:
        return function()
    watch = _Watch(seconds)
    try:
        with watch:
            return function()
    except OutOfTime:
        # May strike anywhere in the block above, its end included.
        watch.stop()
        raise


class _Watch:
    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds
        self._thread = threading.get_ident()
        self._lock = threading.Lock()
        self._done = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Raise nothing any more, not even what is already on its way."""
        with self._lock:
            self._done.set()
        _raise(self._thread, None)

    def _run(self) -> None:
        wait = self._deadline - time.monotonic()
        while not self._done.wait(max(wait, 0.0)):
            with self._lock:
                if not self._done.is_set():
                    _raise(self._thread, OutOfTime)
            wait = AGAIN


def _raise(thread: int, exception: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if exception is None else ctypes.py_object(exception)
    )
