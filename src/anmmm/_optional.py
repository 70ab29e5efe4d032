"""Optional libraries."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require(module: str, extra: str | None, what_for: str) -> Any:
    """Import a module, or raise ImportError with the extra (or library) to install."""
    try:
        return import_module(module)
    except ImportError as error:
        install = f"anmmm[{extra}]" if extra else module
        raise ImportError(
            f'{what_for} ({error}); install it with: pip install "{install}"'
        ) from None


def pyarrow_module(name: str = "") -> Any:
    """Import PyArrow or one of its modules, e.g. ``"parquet"``."""
    module = f"pyarrow.{name}" if name else "pyarrow"
    return require(module, "files", "Parquet and Arrow files need PyArrow")
