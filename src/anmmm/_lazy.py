"""Names of a package that are imported at their first use (PEP 562).

A package writes ``__getattr__, __dir__ = lazily(...)``, and imports the names for type checkers.
"""

from __future__ import annotations

import sys
from importlib import import_module

# Type checkers know the name; ``typing`` loads more slowly than this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazily(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__``; `homes`: the module of each name."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        module = import_module(home)
        value = module if home == f"{package}.{name}" else getattr(module, name)
        # Python finds it from now on.
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*sys.modules[package].__all__, *homes})

    return load, names
