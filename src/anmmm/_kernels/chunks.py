"""Kernels whose loops may run on Numba's threads, and sums over their chunks in a fixed order.

Under ``parallel=True`` Numba turns ``array.sum()`` and ``array.mean()`` into reductions over
threads, whose rounding depends on their number. Calls of serial kernels are not changed.
"""

from __future__ import annotations

from typing import Any

from anmmm._kernels._jit import FloatArray, kernel, parallel_form


@kernel(inner=True)
def sum_serial(values: FloatArray) -> float:
    """Return the sum of a vector, from the first entry to the last."""
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i]
    return total


@kernel(inner=True)
def reduce_chunks(partial: FloatArray, factor: float, out: FloatArray) -> None:
    """Write ``out_j = factor Σ_c partial_cj``, added from the first chunk to the last."""
    for j in range(out.shape[0]):
        total = 0.0
        for c in range(partial.shape[0]):
            total += partial[c, j]
        out[j] = factor * total


def run_in_chunks(kernel: Any, n_chunks: int | None, *arguments: Any) -> Any:
    """Call a kernel whose last argument is a number of chunks; serially if that is None."""
    if n_chunks is None:
        return kernel(*arguments, 1)
    return parallel_form(kernel)(*arguments, n_chunks)
