"""Announce that kernels are about to be compiled, which takes long once per machine and version."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import current_process

# Logger of the whole package, for phases that take long.
LOGGER = logging.getLogger("anmmm")
MESSAGE = "compiling for this machine, once: it may take half a minute"


def announce() -> None:
    """Log the message, and print it to standard error, unless this is a worker process."""
    LOGGER.info(MESSAGE)
    if can_report() and current_process().name == "MainProcess":
        # Above any bar; in a notebook tqdm.auto may warn of libraries that it does not find.
        from tqdm import tqdm

        tqdm.write(MESSAGE, file=sys.stderr)


def can_report() -> bool:
    """Return whether standard error can be written; programs without a console have none."""
    return sys.stderr is not None and not getattr(sys.stderr, "closed", False)


@contextmanager
def without_collections() -> Iterator[None]:
    """Collect no garbage in the block: Numba makes many objects that live on."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


LISTENERS: list[Callable[[], object]] = [announce]


def about_to_compile() -> bool:
    """Call each listener once per process; return whether there was one."""
    called = bool(LISTENERS)
    while LISTENERS:
        LISTENERS.pop(0)()
    return called


@contextmanager
def listening(listener: Callable[[], object]) -> Iterator[None]:
    """Call a listener if the block is the first in the process to compile kernels."""
    # Later blocks need few new kernels; the command line has its own listener.
    if len(LISTENERS) == 1:
        LISTENERS.append(listener)
    try:
        yield
    finally:
        if listener in LISTENERS:
            LISTENERS.remove(listener)
