"""Pickles of estimators that record the version of the package."""

from __future__ import annotations

from typing import Any

from anmmm._version import __version__
from anmmm._warning import warn_caller

KEY = "_anmmm_version"


class VersionedPickle:
    """Mixin of estimators, before ``BaseEstimator``: pickles record the version."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes with the version."""
        return {**super().__getstate__(), KEY: __version__}  # type: ignore[dict-item]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set the attributes, and warn if another version wrote them."""
        kept = dict(state)
        version = kept.pop(KEY, None)
        if version != __version__:
            made = "an unknown version" if version is None else f"version {version}"
            warn_caller(
                f"this {type(self).__name__} was pickled by anmmm, {made}, and is loaded by "
                f"version {__version__}: attributes may be missing or differ in meaning; fit it "
                f"again, or load it with the version that made it",
                UserWarning,
            )
        super().__setstate__(kept)  # type: ignore[misc]
