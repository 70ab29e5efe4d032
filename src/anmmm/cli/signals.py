"""Ctrl-C, a scheduler's SIGTERM and a closed terminal's SIGHUP end a command in the same way."""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType
from typing import Any

# To tidy up in: kill workers, remove the unfinished file, say what is kept. A signal that comes
# later finds something that hangs, and ends that, too.
TIDYING_SECONDS = 10.0
# Until a signal is raised again whose exception a callback from C, such as the compiler's, dropped.
AGAIN_SECONDS = 0.05


class Ended(BaseException):
    """Raised where the command is at; no `KeyboardInterrupt`, which libraries answer themselves."""


class EndingSignals:
    """While entered, the first signal that asks the command to end raises `Ended`."""

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
        """Report what ended a thread, but for those whose work the end of the command took away."""
        if self.status is None:
            self._thread_hook(failed)

    def _again(self, ignored: sys.UnraisableHookArgs) -> None:
        """Raise the signal again soon where `Ended` came in a callback, which cannot end."""
        if self.status is None or not issubclass(ignored.exc_type, Ended):
            self._hook(ignored)
            return
        self._deaf_until = 0.0
        # To the main thread, which may be waiting; Windows has only signals of the process.
        number, main = self.status - 128, threading.main_thread().ident
        kill = getattr(signal, "pthread_kill", lambda thread, number: signal.raise_signal(number))
        timer = threading.Timer(AGAIN_SECONDS, kill, (main, number))
        timer.daemon = True
        timer.start()
