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
from anmmm._typing import FloatArray as FloatArray

IndexArray = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])

REGISTRY: dict[str, Any] = {}

# Sums may be reordered and multiply-adds fused, or no reduction is vectorized. NaN and infinity
# keep their meaning, so a failed evaluation still shows.
SUMS = frozenset({"reassoc", "contract", "nsz"})


def _compile(body: Callable[..., Any], **options: Any) -> Any:
    # Nothing takes a kernel as a C callback: the entry for it would be compiled in vain.
    options["no_cfunc_wrapper"] = True
    dispatcher = njit(body, nogil=True, error_model="numpy", **options)
    # Numba finds no folder that it may write to. Without a disk cache every process compiles anew,
    # which is slow but works.
    with suppress(RuntimeError):
        dispatcher._cache = KernelCache(body)
    REGISTRY[name_of(body)] = dispatcher
    return dispatcher


def name_of(body: Callable[..., Any]) -> str:
    """Key of a kernel in `REGISTRY`, ``"module.name"``."""
    return f"{body.__module__.rsplit('.', 1)[-1]}.{body.__name__}"


def kernel(
    *,
    fastmath: frozenset[str] = frozenset({"contract"}),
    part: bool = False,
    inner: bool = False,
) -> Callable[[F], F]:
    """Compile a body in serial form, GIL released.

    `fastmath`: `SUMS` where reductions may be reordered. `part`: a long body with one caller,
    compiled as lines of its caller, with the caller's flags, and on its own only where Python calls
    it. `inner`: a short body that only kernels call, without an entry from Python.
    """

    def decorate(body: F) -> F:
        # Inlined always: otherwise a caller compiled in this process runs its callees' own machine
        # code, and a caller loaded from the disk cache the copies stored with it, which round
        # differently. Inlined, there is one machine code, and results are the same to the last bit.
        # By LLVM: Numba's own inlining repeats the typing of the callee at every call, and saves
        # the callee's own compilation, so that it pays where there is one call.
        how = {"inline": "always"} if part else {"forceinline": True, "no_cpython_wrapper": inner}
        return cast(F, _compile(body, fastmath=set(fastmath), **how))

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
