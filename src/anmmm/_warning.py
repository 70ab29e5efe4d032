"""Warnings that name the line of the user who called, and floating-point errors."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any, TypeVar

import numpy as np
from scipy import special

T = TypeVar("T")

# The decorator `default_float_errors` has its frames in the second.
_INSIDE = (os.path.join(os.path.dirname(__file__), ""), contextlib.__file__)
_suppressed: ContextVar[bool] = ContextVar("suppressed", default=False)
# Underflow is no error, others show (in tests, as errors).
numpy_defaults = np.errstate(all="warn", under="ignore")
_SPECIAL: Any = {"all": "ignore"}
# Whether the defaults are set already: setting them again takes longer than many a property.
_are_defaults_set: ContextVar[bool] = ContextVar("are_defaults_set", default=False)


@contextmanager
def default_float_errors() -> Iterator[None]:
    """Compute under the defaults of NumPy and `scipy.special`, whatever the caller has set."""
    token = _are_defaults_set.set(True)
    try:
        with np.errstate(all="warn", under="ignore"), special.errstate(**_SPECIAL):
            yield
    finally:
        _are_defaults_set.reset(token)


def with_numpy_defaults(function: Callable[[Any], T], argument: Any) -> T:
    """Return ``function(argument)`` under NumPy's defaults of `default_float_errors`."""
    return function(argument) if _are_defaults_set.get() else _under_defaults(function, argument)


@numpy_defaults
def _under_defaults(function: Callable[[Any], T], argument: Any) -> T:
    return function(argument)


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning at the first line outside the package."""
    # From Python 3.12 on, warnings have an option to skip files.
    level = 1
    caller: FrameType | None = sys._getframe()
    while caller is not None and caller.f_code.co_filename.startswith(_INSIDE):
        level += 1
        caller = caller.f_back
    warnings.warn(message, category, stacklevel=level)


def warn_unconverged(message: str) -> None:
    """Issue a ``ConvergenceWarning``, but within `suppress_convergence_warnings`."""
    if not _suppressed.get():
        # Here, since scikit-learn takes longer to load than a decision.
        from sklearn.exceptions import ConvergenceWarning

        warn_caller(message, ConvergenceWarning)


@contextmanager
def suppress_convergence_warnings() -> Iterator[None]:
    """Silence `warn_unconverged`, without the class (and scikit-learn) that a filter would need."""
    token = _suppressed.set(True)
    try:
        yield
    finally:
        _suppressed.reset(token)
