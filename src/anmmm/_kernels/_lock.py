"""Threads in which Numba is at work, and which no exception may be raised in from outside.

LLVM calls functions of Python and drops what they raise: the exception would be lost, and what was
to be compiled fail with another one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from numba.core import event


class CompilingThreads(event.Listener):
    """The threads that compile or load machine code, or wait until another one has.

    Parameters
    ----------
    on_entry : callable
        Called by a thread that was just entered, without arguments, before Numba begins. What it
        raises goes to the caller of what was to be compiled, and the thread is none of these.

    Notes
    -----
    A thread is entered when it asks for Numba's lock, which it holds to load as well as to compile,
    and leaves when it gives the lock back. Only the thread itself changes its entry.
    """

    def __init__(self, on_entry: Callable[[], object]) -> None:
        self._on_entry = on_entry
        # Numba asks for its lock again where one function calls another.
        self._depths: dict[int, int] = {}
        event.register("numba:compiler_lock", self)  # type: ignore[no-untyped-call]

    def __contains__(self, thread: object) -> bool:
        """Whether a thread, by its identifier, is among them."""
        return thread in self._depths

    def on_start(self, event: event.Event) -> None:
        """Enter this thread."""
        thread = threading.get_ident()
        before = self._depths.get(thread, 0)
        try:
            self._depths[thread] = before + 1
            self._on_entry()
        except BaseException:
            self._set(thread, before)
            raise

    def on_end(self, event: event.Event) -> None:
        """Let this thread go."""
        thread = threading.get_ident()
        self._set(thread, self._depths.get(thread, 0) - 1)

    def _set(self, thread: int, depth: int) -> None:
        if depth > 0:
            self._depths[thread] = depth
        else:
            self._depths.pop(thread, None)
