"""Ctrl-C, SIGTERM of a scheduler and SIGHUP of a closed terminal all end a command alike."""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

# Time to kill workers, remove the unfinished file and report the checkpoint. A later signal finds a
# command that hangs, and ends it.
TIDYING_SECONDS = 10.0
# Delay before a signal is raised again if a callback from C dropped its exception.
AGAIN_SECONDS = 0.05


class Ended(BaseException):
    """Raised by a signal; not a `KeyboardInterrupt`, which libraries catch."""


class EndingSignals:
    """Context in which the first signal to end raises `Ended`."""

    def __init__(self) -> None:
        self.status: int | None = None
        self._numbers: list[int] = []
        self._deaf_until = 0.0
        self._hook, self._thread_hook = sys.unraisablehook, threading.excepthook

    def __enter__(self) -> EndingSignals:
        if threading.current_thread() is threading.main_thread():
            for name in ("SIGINT", "SIGTERM", "SIGHUP"):
                # Windows has no SIGHUP.
                number = getattr(signal, name, None)
                free = (signal.SIG_DFL, signal.default_int_handler)
                if number is not None and signal.getsignal(number) in free:
                    self._numbers.append(number)
                    signal.signal(number, self._end)
            sys.unraisablehook, threading.excepthook = self._again, self._thread_failed
        return self

    def __exit__(self, *exception: Any) -> None:
        for number in self._numbers:
            signal.signal(number, signal.SIG_IGN)
        sys.unraisablehook = self._hook
        if self.status is None:
            threading.excepthook = self._thread_hook

    def _end(self, number: int, frame: FrameType | None) -> None:
        if time.monotonic() < self._deaf_until:
            return
        self._deaf_until = time.monotonic() + TIDYING_SECONDS
        if self.status is None:
            self.status = 128 + number
        raise Ended

    def _thread_failed(self, failed: threading.ExceptHookArgs) -> None:
        """Report errors of threads, except after the end of the command."""
        if self.status is None:
            self._thread_hook(failed)

    def _again(self, ignored: sys.UnraisableHookArgs) -> None:
        """Raise the signal again soon if `Ended` was raised in a callback, which drops it."""
        if self.status is None or not issubclass(ignored.exc_type, Ended):
            self._hook(ignored)
            return
        self._deaf_until = 0.0
        # The main thread may be waiting. Windows has only signals of the process.
        number, main = self.status - 128, threading.main_thread().ident
        kill = getattr(signal, "pthread_kill", lambda thread, number: signal.raise_signal(number))
        timer = threading.Timer(AGAIN_SECONDS, kill, (main, number))
        timer.daemon = True
        timer.start()
