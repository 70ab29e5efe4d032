"""Optional libraries."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require(module: str, extra: str, what_for: str) -> Any:
    """Import a module, or raise ImportError with the extra to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            f'{what_for} ({error}); install it with: pip install "anmmm[{extra}]"'
        ) from None


def pyarrow_module(name: str = "") -> Any:
    """Import PyArrow or one of its modules, e.g. ``"parquet"``."""
    module = f"pyarrow.{name}" if name else "pyarrow"
    return require(module, "files", "Parquet and Arrow files need PyArrow")
