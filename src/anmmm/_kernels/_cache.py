"""Numba's disk cache, for kernels that call one another across files, and on disks that fail.

Numba checks only the file of a function, but a kernel includes the code of the kernels that it
calls. So a digest of the text of all kernels is part of the file name of its machine code.
"""

from __future__ import annotations

import hashlib
import pickle
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from anmmm._compiling import about_to_compile

# What is overridden or used below: without one of these the import fails, and `_jit` does without.
NEEDED = (
    CompileResultCacheImpl.get_filename_base,
    CompileResultCacheImpl.reduce,
    CompileResultCacheImpl.rebuild,
    FunctionCache._load_overload,
    FunctionCache._guard_against_spurious_io_errors,
    rtsys.initialize,
)


@cache
def text_digest() -> str:
    """Return a digest of the text of all kernels."""
    paths = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:12]


class _Checked(CompileResultCacheImpl):
    """Stores the bytes of a compiled function and their digest, named by `text_digest`."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}.{text_digest()}"

    def reduce(self, cres: Any) -> tuple[bytes, bytes]:
        data = dumps(super().reduce(cres))
        return hashlib.sha256(data).digest(), data

    def rebuild(self, target_context: Any, reduced_data: tuple[bytes, bytes]) -> Any:
        digest, data = reduced_data
        # Damaged machine code would run.
        if hashlib.sha256(data).digest() != digest:
            raise ValueError("machine code is not as it was stored")
        return super().rebuild(target_context, pickle.loads(data))


class KernelCache(FunctionCache):
    """The cache of one kernel; a disk error costs time and a warning, never a result."""

    _impl_class = _Checked
    _is_loading = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of a signature; None if it must be compiled."""
        overload = self._find(sig, target_context)
        if overload is not None:
            return overload
        if self._is_loading:
            # A listener calls the kernel for which it is called: Numba would then hold it twice.
            raise RuntimeError("this kernel is being loaded")
        self._is_loading = True
        try:
            is_announced = about_to_compile()
        finally:
            self._is_loading = False
        # A listener may have compiled it in another process; check again.
        return self._find(sig, target_context) if is_announced else None

    def _find(self, sig: Any, target_context: Any) -> Any:
        try:
            # Numba would first load its whole library, which takes longer than a decision. Compiled
            # code needs only memory for arrays.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception as error:
            # A damaged pickle can raise any exception.
            self._cannot("read", error)
        try:
            # An index that cannot be read cannot be extended.
            self.flush()
        except OSError:
            self.disable()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled function if the disk allows it."""
        if getattr(data.library, "_compiled_object", True) is None:
            # An error of a signal handler in a callback of LLVM is lost, and the object with it.
            return
        try:
            super().save_overload(sig, data)
        except Exception as error:
            self._cannot("store", error)
            self.disable()

    def _cannot(self, action: str, error: Exception) -> None:
        # Dozens of kernels meet the same error.
        if action in _warned:
            return
        _warned.add(action)
        fault = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        warnings.warn(
            f"cannot {action} compiled kernels in {self.cache_path} ({fault}); compiling them "
            "anew, which takes some seconds. NUMBA_CACHE_DIR names another folder",
            RuntimeWarning,
            stacklevel=2,
        )


_warned: set[str] = set()
