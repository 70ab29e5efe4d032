"""Worker processes of joblib: they ignore signals, and end with their driver.

This module is loaded first in every worker, so it imports little.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import resource_tracker
from threading import Thread
from typing import Any

import joblib
from joblib.externals.loky.backend import resource_tracker as loky_tracker

from anmmm._compiling import LISTENERS

# Signals that a terminal or a scheduler sends to all processes of a run.
_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
# Interval in which a worker checks that its driver is alive.
_LOOK_SECONDS = 0.5


def worker_options() -> dict[str, Any]:
    """Return arguments of `joblib.Parallel` for workers that end with this process."""
    backend = _loky()
    # The user's own initializer has priority.
    if backend is None or "initializer" in backend.backend_kwargs:
        return {}
    return {"initializer": start_worker, "initargs": (os.getpid(),)}


def start_worker(driver: int) -> None:
    """Initialize a worker: ignore signals, and end with the process `driver`."""
    # For systems where signals cannot be blocked before the process starts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The driver announces compiling.
    LISTENERS.clear()
    end_with(driver)


@cache
def end_with(driver: int) -> None:
    """End this process soon after its parent (POSIX only)."""
    if os.name != "posix":
        return

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(_LOOK_SECONDS)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


@contextmanager
def starting_workers() -> Iterator[Iterable[int] | None]:
    """Block signals for workers that the block starts; yield the signals blocked before."""
    if _loky() is None or not hasattr(signal, "pthread_sigmask"):
        yield None
        return
    with blocked_signals(_SIGNALS, signal.SIG_BLOCK) as before:
        # They remove the files of a killed driver, so they start first; some versions then
        # unblock signals.
        loky_tracker.ensure_running()
        resource_tracker.ensure_running()
        with blocked_signals(_SIGNALS, signal.SIG_BLOCK):
            yield before


@contextmanager
def blocked_signals(signals: Iterable[int], how: int | None = None) -> Iterator[Iterable[int]]:
    """Set the blocked signals of this thread, or change them by `how`; yield those before."""
    # A separate call, because the change itself may run a handler that raises.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK if how is None else how, signals)
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _loky() -> Any:
    """Return joblib's active backend if it is loky."""
    backend, _ = joblib.parallel.get_active_backend()
    return backend if type(backend).__name__ == "LokyBackend" else None
