"""Names of a package that are loaded when they are first used (PEP 562).

A package that hands on what is dear to load writes ``__getattr__, __dir__ = lazily(...)`` and
imports the same names for type checkers alone.
"""

from __future__ import annotations

import sys
from importlib import import_module

# Type checkers know it by its name; ``typing`` takes longer to load than this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazily(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to str
        Module that each name is taken from; a module itself has its own name as its home.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        home = homes[name]
        module = import_module(home)
        value = module if home == f"{package}.{name}" else getattr(module, name)
        # Found by itself from now on.
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        listed: list[str] = sys.modules[package].__all__
        return listed

    return load, names
