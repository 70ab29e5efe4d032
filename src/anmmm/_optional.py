"""Libraries that come with an extra of the package, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["require"]


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module, or say which extra of the package brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f'{purpose} needs {module}; pip install "anmmm[{extra}]"') from error
