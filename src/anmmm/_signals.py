"""Errors that signal handlers raise, such as time limits, end a call."""

from __future__ import annotations

import signal
import sys
from traceback import walk_tb
from typing import TypeVar

E = TypeVar("E", bound=Exception)


def unless_signal(*kinds: type[E]) -> tuple[type[E], ...]:
    """Return what an ``except`` catches: these kinds, or nothing if a signal handler raised it."""
    error = sys.exc_info()[1]
    handlers = map(signal.getsignal, signal.valid_signals())
    codes = {getattr(handler, "__code__", None) for handler in handlers}
    frames = walk_tb(None if error is None else error.__traceback__)
    return () if any(frame.f_code in codes for frame, _ in frames) else kinds
