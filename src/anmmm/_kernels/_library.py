"""Libraries of machine code in which each kernel is optimized once.

Numba optimizes every function, and once more in each of its callers. Here a kernel that Python
calls gets an unoptimized copy of every kernel that it calls, and the whole is optimized once. So a
result never depends on which other kernels were compiled in the process or loaded from the disk.
"""

from __future__ import annotations

import re
from typing import Any, ClassVar

from llvmlite.binding import Linkage, parse_assembly
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

# The first line of a function, except Numba's that count references.
INLINED = re.compile(r"^(define (?!.*@NRT_).*?) *\{$", re.MULTILINE)


class _Library(JITCodeLibrary):
    """The unoptimized code of a kernel, which others link."""

    # Whether a kernel is linking. All compiling is done under one lock.
    by_kernel: ClassVar[bool] = False

    def finalize(self) -> None:
        """Link the callees, and make machine code if Python calls the kernel."""
        before, _Library.by_kernel = _Library.by_kernel, True
        try:
            super().finalize()  # type: ignore[no-untyped-call]
        finally:
            _Library.by_kernel = before

    def _optimize_functions(self, module: Any) -> None:
        # All functions are optimized together later.
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        self._shared_module = self._final_module.clone()
        _relink(self._shared_module, Linkage.external, Linkage.linkonce_odr)

    def _get_module_for_linking(self) -> Any:
        self._ensure_finalized()  # type: ignore[no-untyped-call]
        if _Library.by_kernel:
            return self._shared_module
        # Numba's functions of parallel loops would share copies, one of which may be freed with the
        # function that it came with: so they inline all.
        return parse_assembly(INLINED.sub(r"\1 alwaysinline {", str(self._shared_module)))


class KernelLibrary(_Library):
    """Machine code of a kernel that Python calls, with its own copies of its callees."""

    def _optimize_final_module(self) -> None:
        super()._optimize_final_module()
        _relink(self._final_module, Linkage.linkonce_odr, Linkage.internal)
        manager: Any = self._codegen._module_pass_manager()  # type: ignore[no-untyped-call]
        # llvmlite's newer pass managers come with their builder.
        passes, *builder = manager if isinstance(manager, tuple) else (manager,)
        passes.run(self._final_module, *builder)


class InnerLibrary(_Library):
    """Code of a kernel that only kernels call: it is optimized and run as a part of theirs."""

    def _finalize_final_module(self) -> None:
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


def _relink(module: Any, old: Linkage, new: Linkage) -> None:
    for function in module.functions:
        if not function.is_declaration and function.linkage == old:
            function.linkage = new


class KernelCompiler(Compiler):
    """Numba's compiler, with the libraries of kernels."""

    def define_pipelines(self) -> Any:
        """Return Numba's own pipeline, with a library for its last pass."""
        state = self.state
        if state.library is None:
            kind = InnerLibrary if state.flags.no_cpython_wrapper else KernelLibrary
            state.library = kind(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().define_pipelines()  # type: ignore[no-untyped-call]
