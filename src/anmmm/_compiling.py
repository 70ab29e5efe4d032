"""Who hears that kernels are about to be compiled, which takes long, once a machine and version."""

from __future__ import annotations

from collections.abc import Callable

LISTENERS: list[Callable[[], object]] = []


def about_to_compile() -> bool:
    """Call the listeners in turn, each once in a process; tells whether there was one."""
    heard = bool(LISTENERS)
    while LISTENERS:
        LISTENERS.pop(0)()
    return heard
