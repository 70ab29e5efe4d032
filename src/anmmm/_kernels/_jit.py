"""How kernels are compiled: the decorators, their options in one place, and the registry.

A kernel takes arrays and gives arrays. One Python body is compiled up to twice: `kernel` gives the
serial form, which releases the GIL, and `kernel_parallel` the form whose ``prange`` loops run on
Numba's threads. Everything compiled is entered in `REGISTRY`, for the tests to iterate.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from anmmm._kernels._cache import KernelCache
from anmmm._kernels._library import KernelCompiler
from anmmm._typing import FloatArray as FloatArray

IndexArray = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])

REGISTRY: dict[str, Any] = {}

# Sums may be reordered and multiply-adds fused, or no reduction is vectorized. NaN and infinity
# keep their meaning, so a failed evaluation still shows.
SUMS = frozenset({"reassoc", "contract", "nsz"})


def _compile(body: Callable[..., Any], *, cached: bool = True, **options: Any) -> Any:
    # Nothing takes a kernel as a C callback: the entry for it would be compiled in vain.
    options["no_cfunc_wrapper"] = True
    dispatcher = njit(body, nogil=True, error_model="numpy", **options)
    if cached:
        # Numba finds no folder that it may write to. Without a disk cache every process compiles
        # anew, which is slow but works.
        with suppress(RuntimeError):
            dispatcher._cache = KernelCache(body)
    REGISTRY[name_of(body)] = dispatcher
    return dispatcher


def name_of(body: Callable[..., Any]) -> str:
    """Key of a kernel in `REGISTRY`, ``"module.name"``."""
    return f"{body.__module__.rsplit('.', 1)[-1]}.{body.__name__}"


def kernel(
    *, fastmath: frozenset[str] = frozenset({"contract"}), inner: bool = False
) -> Callable[[F], F]:
    """Compile a body in serial form, GIL released.

    `fastmath`: `SUMS` where reductions may be reordered. `inner`: only kernels call it, so that it
    has neither an entry from Python nor machine code and a place in the disk cache of its own.
    """

    def decorate(body: F) -> F:
        options = {"no_cpython_wrapper": inner, "pipeline_class": KernelCompiler}
        return cast(F, _compile(body, cached=not inner, fastmath=set(fastmath), **options))

    return decorate


def kernel_parallel(dispatcher: F, *, fastmath: frozenset[str] = frozenset({"contract"})) -> F:
    """Compile the body of a serial kernel once more, its ``prange`` loops on Numba's threads."""
    body = cast(Any, dispatcher).py_func
    # Numba names the file of a cached function by its qualified name and line: without a name of
    # its own the twin would load the serial form's machine code.
    twin = FunctionType(body.__code__, body.__globals__, f"{body.__name__}_parallel")
    twin.__qualname__ = f"{body.__qualname__}_parallel"
    twin.__module__ = body.__module__
    twin.__doc__ = body.__doc__
    return cast(F, _compile(twin, fastmath=set(fastmath), parallel=True))
