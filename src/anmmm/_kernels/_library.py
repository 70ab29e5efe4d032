"""Libraries of machine code in which each kernel is optimized once.

Numba optimizes every function, and once more in each of its callers. Here a kernel that Python
calls gets an unoptimized copy of every kernel that it calls, and the whole is optimized once. So a
result never depends on which other kernels were compiled in the process or loaded from the disk.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from llvmlite.binding import Linkage, parse_assembly
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.cpu_options import FastMathOptions
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import InlineOverloads, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from anmmm._kernels._lowering import KernelLowering

# The first line of a function, except Numba's that count references.
INLINED = re.compile(r"^(define (?!.*@NRT_).*?) *\{$", re.MULTILINE)

# Flags of Numba's own functions in kernels, whatever those of the kernel.
CONTRACT: Any = FastMathOptions({"contract"})  # type: ignore[no-untyped-call]
# Passes over closures, arrays added as a whole and overloads to inline, of which kernels have none.
UNUSED = (InlineClosureLikes, InlineOverloads, NopythonRewrites)


class _Library(JITCodeLibrary):
    """The unoptimized code of a kernel, which others link."""

    # Whether a kernel is linking or stored. All compiling is done under one lock.
    by_kernel: ClassVar[bool] = False
    # Whether loops are neither unrolled nor made of vectors.
    is_small: bool
    _shared_module: Any

    def add_linking_library(self, library: Any) -> None:
        """Add a callee, and the callees of a kernel, whose module has only its own functions."""
        super().add_linking_library(library)  # type: ignore[no-untyped-call]
        if isinstance(library, _Library):
            self._linking_libraries += library._linking_libraries

    def finalize(self) -> None:
        """Keep the unoptimized code."""
        self._shared_module = self._final_module.clone()
        _relink(self._shared_module, Linkage.external, Linkage.linkonce_odr)

    def _optimize_functions(self, module: Any) -> None:
        # All functions are optimized together later.
        module.data_layout = self._codegen._data_layout

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        if _Library.by_kernel:
            return self._shared_module
        # Numba's functions of parallel loops would share copies, one of which may be freed with the
        # function that it came with: so they inline all.
        return parse_assembly(INLINED.sub(r"\1 alwaysinline {", str(self._whole())))

    def _whole(self) -> Any:
        """Return the unoptimized code of the kernel and of its callees."""
        module = self._shared_module.clone()
        with _linking():
            for library in dict.fromkeys(self._linking_libraries):
                module.link_in(library._get_module_for_linking(), preserve=True)
        return module


class KernelLibrary(_Library):
    """Machine code of a kernel that Python calls, with its own copies of its callees."""

    def finalize(self) -> None:
        """Link the callees, and make machine code."""
        super().finalize()
        with _linking():
            JITCodeLibrary.finalize(self)  # type: ignore[no-untyped-call]

    def _optimize_final_module(self) -> None:
        _relink(self._final_module, Linkage.linkonce_odr, Linkage.internal)
        manager: Any = self._codegen._module_pass_manager()  # type: ignore[no-untyped-call]
        # llvmlite's newer pass managers come with their builder.
        passes, *builder = manager if isinstance(manager, tuple) else (manager,)
        passes.run(self._final_module, *builder)

    def serialize_using_object_code(self) -> Any:
        """Return name, kind, machine code and unoptimized code."""
        machine_code = self._get_compiled_object()  # type: ignore[no-untyped-call]
        return self.name, "object", (machine_code, self._whole().as_bitcode())


class InnerLibrary(_Library):
    """Code of a kernel that only kernels call: it is optimized and run as a part of theirs."""

    def finalize(self) -> None:
        """Keep the unoptimized code; there is no other."""
        super().finalize()
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the null pointer: there is no machine code."""
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        return 0

    @property
    def codegen(self) -> InnerLibrary:
        """Return the object on which Numba calls `set_env`."""
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Do nothing: without machine code nothing reads the environment."""


@contextmanager
def _linking() -> Iterator[None]:
    """Have kernels return their own functions only."""
    before, _Library.by_kernel = _Library.by_kernel, True
    try:
        yield
    finally:
        _Library.by_kernel = before


def _relink(module: Any, old: Linkage, new: Linkage) -> None:
    for function in module.functions:
        if not function.is_declaration and function.linkage == old:
            function.linkage = new


class KernelCompiler(Compiler):
    """Numba's compiler, with the libraries of kernels."""

    is_small = False

    def compile_extra(self, func: Any) -> Any:
        """Compile without garbage collections, a tenth of the time: Numba makes many objects."""
        collects = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)  # type: ignore[no-untyped-call]
        finally:
            if collects:
                # All those objects are new: they would be searched at once, and are old this way.
                if gc.get_freeze_count() == 0:
                    gc.freeze()
                    gc.unfreeze()
                gc.enable()

    def define_pipelines(self) -> Any:
        """Return Numba's own pipeline without `UNUSED`, with a library for its last pass."""
        state = self.state
        if state.library is None:
            kind = InnerLibrary if state.flags.no_cpython_wrapper else KernelLibrary
            state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.library.is_small = self.is_small
        # Numba compiles its own functions, such as `max`, once for each set of a caller's flags.
        flags: Any = ConfigStack().top()  # type: ignore[no-untyped-call]
        flags.no_cpython_wrapper, flags.nrt, flags.fastmath = True, True, CONTRACT
        pipelines: list[Any] = super().define_pipelines()  # type: ignore[no-untyped-call]
        for pipeline in pipelines:
            pipeline.passes = [
                (KernelLowering if each is NativeLowering else each, description)
                for each, description in pipeline.passes
                if each not in UNUSED
            ]
        return pipelines


class SmallKernelCompiler(KernelCompiler):
    """The same, for half of the machine code: loops are neither unrolled nor made of vectors."""

    is_small = True
