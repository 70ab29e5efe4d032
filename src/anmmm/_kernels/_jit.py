"""The decorator that compiles kernels, their parallel forms, and the registry of all kernels.

`_library` halves the time that kernels compile, and `_cache` checks machine code on the disk. Both
rest on Numba's private classes; if these differ, kernels are those of ``njit(cache=True)``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numba import config, njit
from numpy.typing import NDArray

from anmmm._typing import FloatArray as FloatArray

KernelCache: Any = None
try:
    from anmmm._kernels._library import private_options as private_options
except (ImportError, AttributeError):

    def private_options(*, loops: bool, inner: bool, allocates: bool) -> dict[str, Any]:
        """Return no options for plain ``njit``."""
        return {}


with suppress(ImportError, AttributeError):
    from anmmm._kernels._cache import KernelCache

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise ImportError("NUMBA_DISABLE_JIT is set, but kernels must be compiled; unset it")

IndexArray = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])

REGISTRY: dict[str, Any] = {}

# Sums may be reordered and multiply-adds fused: otherwise no reduction is vectorized. NaN and
# infinity keep their meaning, so that a failed evaluation is noticed.
SUMS = frozenset({"reassoc", "contract", "nsz"})


def _compile(body: Callable[..., Any], *, cached: bool = True, **options: Any) -> Any:
    dispatcher = njit(body, nogil=True, error_model="numpy", **options)
    if cached:
        # Raised if no folder is writable. Every process then compiles, which is slow but works.
        with suppress(RuntimeError):
            if KernelCache is None or not hasattr(dispatcher, "_cache"):
                dispatcher.enable_caching()
            else:
                dispatcher._cache = KernelCache(body)
    return dispatcher


def kernel(
    *,
    fastmath: frozenset[str] = frozenset({"contract"}),
    inner: bool = False,
    allocates: bool = False,
    loops: bool = False,
) -> Callable[[F], F]:
    """Compile a body in serial form, GIL released.

    `fastmath`: `SUMS` if sums may be reordered. `loops`: these are unrolled and made of vectors, as
    with `SUMS`; other kernels compile in half the time. `inner`: called only by kernels, not
    cached. `allocates`: it makes arrays, returns some, or calls one that does so. Other kernels
    count no references, which takes a quarter of an EM of mixtures: their callers hold all arrays.
    """

    def decorate(body: F) -> F:
        vectors = loops or fastmath == SUMS
        options = private_options(loops=vectors, inner=inner, allocates=allocates)
        dispatcher = _compile(body, cached=not inner, fastmath=set(fastmath), **options)
        REGISTRY[f"{body.__module__.rsplit('.', 1)[-1]}.{body.__name__}"] = dispatcher
        return cast(F, dispatcher)

    return decorate


@cache
def parallel_form(dispatcher: Any) -> Any:
    """Compile a kernel and its callees by plain Numba, their ``prange`` loops on its threads."""
    body = dispatcher.py_func
    scope = dict(body.__globals__)
    for name in body.__code__.co_names:
        if hasattr(scope.get(name), "py_func"):
            scope[name] = parallel_form(scope[name])
    # Numba names cache files by qualified name and line: with the same name the parallel form would
    # load the machine code of the serial one.
    twin = FunctionType(body.__code__, scope, f"{body.__name__}_parallel")
    twin.__qualname__ = f"{body.__qualname__}_parallel"
    twin.__module__ = body.__module__
    has_loops = "prange" in body.__code__.co_names
    return _compile(twin, fastmath=dispatcher.targetoptions["fastmath"], parallel=has_loops)
