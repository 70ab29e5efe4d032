"""Numba's disk cache, for kernels that call one another across files, and on disks that fail.

Numba asks whether the file of a function is still the one that was compiled. A kernel holds the
code of those that it calls, from other files, so the text of all kernels is a part of the name that
its machine code is kept under. What was kept is read only if it is whole, and where the disk can't
be used, kernels are compiled without it.
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
from anmmm._kernels._library import KernelLibrary


@cache
def text_digest() -> str:
    """Return what tells the text of all kernels from that of another version."""
    paths = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:12]


class _Checked(CompileResultCacheImpl):
    """What is kept of a compiled function: its bytes and their digest, under the digest's name."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"{super().get_filename_base(fullname, abiflags)}.{text_digest()}"

    def reduce(self, cres: Any) -> tuple[bytes, bytes]:
        data = dumps(super().reduce(cres))
        return hashlib.sha256(data).digest(), data

    def rebuild(self, target_context: Any, reduced_data: tuple[bytes, bytes]) -> Any:
        digest, data = reduced_data
        # Damaged machine code would run.
        if hashlib.sha256(data).digest() != digest:
            raise ValueError("machine code is not what was kept")
        result = super().rebuild(target_context, pickle.loads(data))
        # It then is linked as one that was compiled.
        result.library.__class__ = KernelLibrary
        return result


class KernelCache(FunctionCache):
    """The cache of one kernel; a fault of the disk costs time and a warning, never a result."""

    _impl_class = _Checked

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of a signature; None if it is to be compiled."""
        found = self._find(sig, target_context)
        if found is None and about_to_compile():
            # Who heard of it may have had others compile.
            found = self._find(sig, target_context)
        return found

    def _find(self, sig: Any, target_context: Any) -> Any:
        try:
            # Numba would load all that it can compile first, which takes longer than a decision. To
            # run what was compiled, memory for arrays is enough; compiling loads the rest itself.
            rtsys.initialize(target_context)
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception as error:
            # A damaged pickle can raise anything.
            self._cannot("read", error)
        try:
            # An index that can't be read could not be added to either.
            self.flush()
        except OSError:
            self.disable()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, if the disk can."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            self._cannot("keep", error)
            self.disable()

    def _cannot(self, what: str, error: Exception) -> None:
        # One fault of a disk is met by dozens of kernels.
        if what in _warned:
            return
        _warned.add(what)
        fault = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        warnings.warn(
            f"cannot {what} compiled kernels in {self.cache_path} ({fault}); compiling them anew, "
            "which takes some seconds. NUMBA_CACHE_DIR names another folder",
            RuntimeWarning,
            stacklevel=2,
        )


_warned: set[str] = set()
