"""Libraries that only some installations have."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["require"]


def require(module: str, extra: str, what_for: str) -> Any:
    """Import a module, or say what needs it ("plots need Matplotlib") and which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f'{what_for} ({error}); install it with: pip install "anmmm[{extra}]"'
        ) from None
