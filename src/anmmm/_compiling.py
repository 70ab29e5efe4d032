"""Who hears that kernels are about to be compiled, which takes long, once a machine and version."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Of the whole package, as it tells of phases that take long.
LOGGER = logging.getLogger("anmmm")
MESSAGE = "compiling for this machine, once: it may take half a minute"


def announce() -> None:
    """Log it, and tell a person at a terminal, who would wonder what takes so long."""
    LOGGER.info(MESSAGE)
    if sys.stderr is not None and sys.stderr.isatty():
        from tqdm.auto import tqdm

        tqdm.write(MESSAGE, file=sys.stderr)


LISTENERS: list[Callable[[], object]] = [announce]


def about_to_compile() -> bool:
    """Call the listeners in turn, each once in a process; tells whether there was one."""
    heard = bool(LISTENERS)
    while LISTENERS:
        LISTENERS.pop(0)()
    return heard


@contextmanager
def listening(listener: Callable[[], object]) -> Iterator[None]:
    """Call a listener where the block is the first in the process to compile kernels."""
    # Later ones lack few kernels, if any; the command line listens itself.
    if len(LISTENERS) == 1:
        LISTENERS.append(listener)
    try:
        yield
    finally:
        if listener in LISTENERS:
            LISTENERS.remove(listener)
