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
with suppress(ImportError, AttributeError):
    from anmmm._kernels._cache import KernelCache
KernelCompiler: Any = None
with suppress(ImportError, AttributeError):
    from anmmm._kernels._library import KernelCompiler
# The class whose attributes are the options that ``njit`` takes.
CompilerOptions: Any = None
with suppress(ImportError):
    from numba.core.options import DefaultOptions as CompilerOptions

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise ImportError("NUMBA_DISABLE_JIT is set, but kernels must be compiled; unset it")

IndexArray = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])

REGISTRY: dict[str, Any] = {}

# Sums may be reordered and multiply-adds fused: otherwise no reduction is vectorized. NaN and
# infinity keep their meaning, so that a failed evaluation is noticed.
SUMS = frozenset({"reassoc", "contract", "nsz"})
# Multiply-adds alone.
PRODUCTS = frozenset({"contract"})


def _options(*, inner: bool, allocates: bool, fastmath: frozenset[str]) -> dict[str, Any]:
    """Return what a kernel and its parallel form have in common."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": set(fastmath)}
    # Wrappers for callers in Python and in C take a quarter of the time that kernels compile.
    private = {"no_cpython_wrapper": inner, "no_cfunc_wrapper": True, "_nrt": allocates}
    for name, value in private.items():
        if hasattr(CompilerOptions, name):
            options[name] = value
    return options


def kernel_options(
    *, inner: bool = True, allocates: bool = False, fastmath: frozenset[str] = PRODUCTS
) -> Any:
    """Return the options with which ``njit`` compiles a kernel."""
    options = _options(inner=inner, allocates=allocates, fastmath=fastmath)
    if KernelCompiler is not None:
        options["pipeline_class"] = KernelCompiler
    return options


def _compile(body: Callable[..., Any], options: dict[str, Any], *, inner: bool = False) -> Any:
    dispatcher = njit(body, **options)
    if not inner:
        # Raised if no folder is writable. Every process then compiles, which is slow but works.
        with suppress(RuntimeError):
            if KernelCache is None or not hasattr(dispatcher, "_cache"):
                dispatcher.enable_caching()
            else:
                dispatcher._cache = KernelCache(body)
    return dispatcher


def kernel(
    *,
    fastmath: frozenset[str] = PRODUCTS,
    inner: bool = False,
    allocates: bool = False,
) -> Callable[[F], F]:
    """Compile a body in serial form, GIL released.

    `fastmath`: `SUMS` if sums may be reordered. `inner`: called only by kernels, not cached.
    `allocates`: it makes arrays, returns some, or calls one that does so. Other kernels count no
    references, because their callers hold all arrays: a tenth of a decision.
    """

    def decorate(body: F) -> F:
        options = kernel_options(inner=inner, allocates=allocates, fastmath=fastmath)
        dispatcher = _compile(body, options, inner=inner)
        REGISTRY[f"{body.__module__.rsplit('.', 1)[-1]}.{body.__name__}"] = dispatcher
        return cast(F, dispatcher)

    return decorate


@cache
def parallel_form(dispatcher: Any) -> Any:
    """Compile a kernel and its callees with their ``prange`` loops on Numba's threads."""
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
    fastmath = dispatcher.targetoptions["fastmath"]
    options = _options(inner=False, allocates=True, fastmath=fastmath)
    options["parallel"] = "prange" in body.__code__.co_names
    return _compile(twin, options)
