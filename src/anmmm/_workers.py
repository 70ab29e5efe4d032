"""Worker processes of joblib: signals are their driver's, and they end with it.

Imports what every worker has loaded before, as this comes before anything else that it does.
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

# What a terminal, its end, and a scheduler send to all processes of a run at once.
_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
# Between two looks of a worker at whether its driver is still there.
_LOOK_SECONDS = 0.5


def worker_options() -> dict[str, Any]:
    """Return what `joblib.Parallel` must be given for workers that end with this process."""
    backend = _loky()
    # Whoever brings an initializer of his own has a say in what workers do first.
    if backend is None or "initializer" in backend.backend_kwargs:
        return {}
    return {"initializer": start_worker, "initargs": (os.getpid(),)}


def start_worker(driver: int) -> None:
    """Do first in a worker: leave signals to the process `driver`, and end with it."""
    # Where no signals can be blocked for a process to come.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Its driver tells of compiling.
    LISTENERS.clear()
    end_with(driver)


@cache
def end_with(driver: int) -> None:
    """End this process soon after its parent, where that can be seen."""
    if os.name != "posix":
        return

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(_LOOK_SECONDS)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


@contextmanager
def starting_workers() -> Iterator[Iterable[int] | None]:
    """Start workers in the block without the driver's signals; give what was blocked before."""
    if _loky() is None or not hasattr(signal, "pthread_sigmask"):
        yield None
        return
    with blocked_signals(_SIGNALS, signal.SIG_BLOCK) as before:
        # Those that remove what a killed driver leaves. They are to be there before there is
        # anything to be removed, and some versions unblock signals when they have started.
        loky_tracker.ensure_running()
        resource_tracker.ensure_running()
        with blocked_signals(_SIGNALS, signal.SIG_BLOCK):
            yield before


@contextmanager
def blocked_signals(signals: Iterable[int], how: int | None = None) -> Iterator[Iterable[int]]:
    """Let this thread block these signals and no others, or also (`how`); give those before."""
    # Asked for by itself: the change may raise what a signal's handler does.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK if how is None else how, signals)
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _loky() -> Any:
    """Return joblib's backend in force if it is the one of worker processes."""
    backend, _ = joblib.parallel.get_active_backend()
    return backend if type(backend).__name__ == "LokyBackend" else None
