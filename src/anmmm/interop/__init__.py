"""Other causal libraries with the decisions of this one: a module a neighbour.

None of them is required, and none is imported before its module here needs it: ``cdt``, ``dowhy``,
``gcastle`` and ``lingam`` know theirs by what their objects look like alone, ``pgmpy`` derives from
its base class, ``causal_learn`` imports what it registers and makes.

Whatever sign the neighbour has, that x causes y stays that; docs/guide/interop.md lists them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from anmmm.interop._pairs import hsic_score

__all__ = ["causal_learn", "cdt", "dowhy", "gcastle", "hsic_score", "lingam", "pgmpy"]

_MODULES = frozenset(__all__) - {"hsic_score"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"anmmm.interop.{name}")
    raise AttributeError(f"module 'anmmm.interop' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
