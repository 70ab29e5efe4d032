"""Warnings that name the line of the user who called, and not one of the package."""

from __future__ import annotations

import os
import sys
import warnings
from types import FrameType

__all__ = ["deprecated", "warn_caller"]

_PACKAGE = os.path.join(os.path.dirname(__file__), "")


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning at the first line outside the package.

    Parameters
    ----------
    message : str
    category : type of warning

    Notes
    -----
    A fit is reached by ways of different depth, so no constant ``stacklevel`` is right.
    """
    # From Python 3.12 on, warnings can skip files by themselves.
    level = 1
    caller: FrameType | None = sys._getframe()
    while caller is not None and caller.f_code.co_filename.startswith(_PACKAGE):
        level, caller = level + 1, caller.f_back
    warnings.warn(message, category, stacklevel=level)


def deprecated(what: str, *, since: str, until: str, instead: str) -> None:
    """Warn that something goes: shown by default, at the line of whoever uses it.

    Parameters
    ----------
    what : str
        As it is typed, e.g. ``"anmmm.plotting.COLOURS"``.
    since, until : str
        Versions: the first one that warns, and the first one that lacks it.
    instead : str
        What to use.
    """
    warn_caller(
        f"{what} is deprecated since anmmm {since} and will be gone in {until}; use {instead}",
        FutureWarning,
    )
