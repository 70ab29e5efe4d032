"""Libraries of machine code in which each kernel is optimized once.

Numba optimizes every function, and once more in each of its callers. Here the kernels that only
kernels call keep their unoptimized code, and each kernel that Python calls is optimized with them.
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.cpu_options import FastMathOptions
from numba.core.targetconfig import ConfigStack
from numba.core.typed_passes import InlineOverloads, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from anmmm._compiling import without_collections

# What is overridden or used below: without one of these this import fails, and `_jit` does without.
NEEDED = (
    JITCodeLibrary._optimize_functions,
    JITCodeLibrary._optimize_final_module,
    JITCodeLibrary._finalize_final_module,
    JITCodeLibrary._finalize_dynamic_globals,
    JITCodeLibrary.get_pointer_to_function,
    JITCodeLibrary.codegen,
    Compiler.define_pipelines,
    Compiler.compile_extra,
    ConfigStack.top,
)
# Passes for closures, sums of whole arrays and overloads to inline, of which kernels have none.
UNUSED = (InlineClosureLikes, InlineOverloads, NopythonRewrites)


class KernelLibrary(JITCodeLibrary):
    """Machine code of a kernel that Python calls, with its own copies of its callees."""

    def _optimize_functions(self, module: Any) -> None:
        # All functions are optimized together later.
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            # Copies that libraries share would be freed with the first of them.
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        manager: Any = self._codegen._module_pass_manager()  # type: ignore[no-untyped-call]
        # llvmlite's newer pass managers come with their builder.
        passes, *builder = manager if isinstance(manager, tuple) else (manager,)
        passes.run(self._final_module, *builder)


class InnerLibrary(KernelLibrary):
    """Code of a kernel that only kernels call: it is optimized and run as a part of theirs."""

    def _optimize_final_module(self) -> None:
        """Keep the unoptimized code."""

    def _finalize_final_module(self) -> None:
        """Make no machine code."""
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


class KernelCompiler(Compiler):
    """Numba's compiler, with the libraries of kernels."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)  # type: ignore[no-untyped-call]
        self._arguments = arguments

    def compile_extra(self, func: Any) -> Any:
        """Compile with the libraries above; where that fails, as Numba does."""
        # Collections take a tenth of the time.
        with without_collections():
            try:
                return super().compile_extra(func)  # type: ignore[no-untyped-call]
            except Exception:
                # Numba's insides differ; or the kernel is wrong, and this raises again.
                by_numba: Any = Compiler(*self._arguments)  # type: ignore[no-untyped-call]
                return by_numba.compile_extra(func)

    def define_pipelines(self) -> Any:
        """Return Numba's pipelines without the unused passes, with a library for the last one."""
        state = self.state
        if state.library is None:
            library_class = InnerLibrary if state.flags.no_cpython_wrapper else KernelLibrary
            codegen = state.targetctx.codegen()
            state.library = library_class(codegen, state.func_id.func_qualname)  # type: ignore[no-untyped-call]
            state.library.enable_object_caching()
        # Numba compiles its own functions, such as `max`, once for each set of a caller's flags.
        flags: Any = ConfigStack().top()  # type: ignore[no-untyped-call]
        flags.no_cpython_wrapper = True
        flags.nrt = True
        flags.fastmath = FastMathOptions(False)  # type: ignore[no-untyped-call]
        pipelines: list[Any] = super().define_pipelines()  # type: ignore[no-untyped-call]
        for pipeline in pipelines:
            pipeline.passes = [entry for entry in pipeline.passes if entry[0] not in UNUSED]
        return pipelines
