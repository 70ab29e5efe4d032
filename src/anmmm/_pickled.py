"""Pickles of estimators that know the version they were made by."""

from __future__ import annotations

from typing import Any

from anmmm._version import __version__
from anmmm._warning import warn_caller

KEY = "_anmmm_version"


class VersionedPickle:
    """Mixin of estimators, before ``BaseEstimator``: their pickles name the package's version."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes with the version."""
        return {**super().__getstate__(), KEY: __version__}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the attributes, and warn where another version left them."""
        kept = dict(state)
        version = kept.pop(KEY, None)
        if version != __version__:
            made = "a version that left no note" if version is None else f"version {version}"
            warn_caller(
                f"this {type(self).__name__} was pickled by anmmm, {made}, and is loaded by "
                f"version {__version__}: what it holds may mean something else, or lack what "
                f"methods need; fit it again, or load it with the version that made it",
                UserWarning,
            )
        super().__setstate__(kept)  # type: ignore[misc]
