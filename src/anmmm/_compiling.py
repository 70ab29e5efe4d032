"""Announce that kernels are about to be compiled, which takes long once per machine and version."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Logger of the whole package, for phases that take long.
LOGGER = logging.getLogger("anmmm")
MESSAGE = "compiling for this machine, once: it may take half a minute"


def announce() -> None:
    """Log the message, and print it at a terminal."""
    LOGGER.info(MESSAGE)
    if sys.stderr is not None and sys.stderr.isatty():
        from tqdm.auto import tqdm

        tqdm.write(MESSAGE, file=sys.stderr)


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
