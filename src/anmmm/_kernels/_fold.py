"""Sums in a fixed order.

Under ``parallel=True`` Numba turns ``array.sum()`` and ``array.mean()`` into reductions over
threads, whose rounding depends on the number of threads. A call of a serial kernel it leaves alone.
"""

from __future__ import annotations

from anmmm._kernels._jit import FloatArray, kernel


@kernel()
def add_up(values: FloatArray) -> float:
    """Return the sum of a vector, from the first entry to the last."""
    total = 0.0
    for i in range(values.shape[0]):
        total += values[i]
    return total


@kernel()
def fold(partial: FloatArray, factor: float, out: FloatArray) -> None:
    """Write ``out_j = factor Σ_c partial_cj``, added from the first chunk to the last."""
    for j in range(out.shape[0]):
        total = 0.0
        for c in range(partial.shape[0]):
            total += partial[c, j]
        out[j] = factor * total
