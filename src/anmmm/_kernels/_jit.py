"""The decorators that compile kernels, and the registry of all kernels.

`kernel` compiles the serial form of a body, which releases the GIL. `kernel_parallel` compiles it
once more, with its ``prange`` loops on Numba's threads, and with the parallel forms of its callees.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numba import config, njit
from numpy.typing import NDArray

from anmmm._kernels._cache import KernelCache
from anmmm._kernels._library import KernelCompiler, SmallKernelCompiler
from anmmm._typing import FloatArray as FloatArray

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise ImportError("NUMBA_DISABLE_JIT is set, but kernels must be compiled; unset it")

IndexArray = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])

REGISTRY: dict[str, Any] = {}

# Sums may be reordered and multiply-adds fused: otherwise no reduction is vectorized. NaN and
# infinity keep their meaning, so that a failed evaluation is noticed.
SUMS = frozenset({"reassoc", "contract", "nsz"})


def _compile(body: Callable[..., Any], *, cached: bool = True, **options: Any) -> Any:
    # No kernel is a C callback.
    options["no_cfunc_wrapper"] = True
    dispatcher = njit(body, nogil=True, error_model="numpy", **options)
    if cached:
        # Raised if no folder is writable. Every process then compiles, which is slow but works.
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
        compiler = KernelCompiler if loops or fastmath == SUMS else SmallKernelCompiler
        options = {"no_cpython_wrapper": inner, "pipeline_class": compiler}
        options["_nrt"] = allocates
        return cast(F, _compile(body, cached=not inner, fastmath=set(fastmath), **options))

    return decorate


def kernel_parallel(dispatcher: F, *, fastmath: frozenset[str] = frozenset({"contract"})) -> F:
    """Compile a serial kernel once more, with its ``prange`` loops on Numba's threads."""
    body = cast(Any, dispatcher).py_func
    scope = {name: _parallel_form(value) for name, value in body.__globals__.items()}
    if "prange" in body.__code__.co_names:
        options: dict[str, Any] = {"parallel": True}
    else:
        options = {"pipeline_class": KernelCompiler}
    # Numba names cache files by qualified name and line: with the same name the parallel form would
    # load the machine code of the serial one.
    twin = FunctionType(body.__code__, scope, f"{body.__name__}_parallel")
    twin.__qualname__ = f"{body.__qualname__}_parallel"
    twin.__module__ = body.__module__
    twin.__doc__ = body.__doc__
    return cast(F, _compile(twin, fastmath=set(fastmath), **options))


def _parallel_form(value: Any) -> Any:
    body = getattr(value, "py_func", None)
    return value if body is None else REGISTRY.get(f"{name_of(body)}_parallel", value)
