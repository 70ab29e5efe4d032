"""Worker processes of joblib: they ignore Ctrl-C, and end with their driver.

This module is loaded first in every worker, so it imports little.
"""

from __future__ import annotations

import os
import signal
import time
from threading import Thread
from typing import Any

import joblib

from anmmm._compiling import LISTENERS

# Interval in which a worker checks that its driver is alive.
_LOOK_SECONDS = 0.5


def worker_options() -> dict[str, Any]:
    """Return arguments of `joblib.Parallel` for workers that end with this process."""
    backend, _ = joblib.parallel.get_active_backend()
    # Only loky has initializers; the user's own one has priority.
    if type(backend).__name__ != "LokyBackend" or "initializer" in backend.backend_kwargs:
        return {}
    return {"initializer": start_worker, "initargs": (os.getpid(),)}


def start_worker(driver: int) -> None:
    """Initialize a worker: leave Ctrl-C to the process `driver`, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The driver announces compiling.
    LISTENERS.clear()
    if os.name == "posix":
        Thread(target=_end_with, args=(driver,), daemon=True).start()


def _end_with(driver: int) -> None:
    """End this process soon after its parent, which loky's workers outlive by five minutes."""
    while os.getppid() == driver:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)
