"""Who hears that kernels are about to be compiled, which takes long, once a machine and version."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["LISTENERS", "about_to_compile"]

LISTENERS: list[Callable[[], object]] = []


def about_to_compile() -> None:
    """Call the listeners, each once in a process."""
    while LISTENERS:
        LISTENERS.pop()()
