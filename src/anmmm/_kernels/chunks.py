"""Kernels whose loops may run on Numba's threads: which form is called."""

from __future__ import annotations

from typing import Any

from anmmm._kernels._jit import REGISTRY, name_of


def run_in_chunks(kernel: Any, n_chunks: int | None, *arguments: Any) -> Any:
    """Call a kernel whose last argument is a number of chunks; serially where it is None."""
    if n_chunks is None:
        return kernel(*arguments, 1)
    return REGISTRY[f"{name_of(kernel.py_func)}_parallel"](*arguments, n_chunks)
