"""Version of the package, for itself and for the files that it writes."""

from __future__ import annotations

__version__ = "0.1.0"
