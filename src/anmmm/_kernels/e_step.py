"""What E-steps of a mixture of curves have in common: responsibilities, and their logarithms.

docs/method/decisions.md, eq. 3. `pieces` and `columns` pass over the rows, eight slots at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anmmm._kernels._jit import FloatArray, kernel
from anmmm._kernels._vectors import LANES, broadcast, exponential, load, maximum, store
from anmmm._kernels.packed import sum_of_logs
from anmmm._kernels.posterior import Fits

# Slots whose responsibilities are computed before they are summed up; they stay in cache.
CHUNK = 256
# Responsibilities are read, as a start gives them; computed; computed and written; computed by
# curves without variance.
READ = 0
COMPUTED = 1
WRITTEN = 2
AT_MEANS = 3


class EStep(NamedTuple):
    """One start's E-step."""

    fits: Fits
    s: int  # the start
    mode: int  # one of the above
    n_sums: int  # number of curves, from the first, whose sums are computed


@kernel(inner=True)
def normalize(R: FloatArray, C: int, slot: int, present: Any) -> Any:
    """Turn logarithms of C curves, of eight slots from ``R[slot]`` on, into responsibilities.

    Returns the highest logarithms, and sums in units of their exponentials.
    """
    top = broadcast(-np.inf)
    total = broadcast(0.0)
    for c in range(C):
        top = maximum(load(R, c * CHUNK + slot), top)
    for c in range(C):
        term = exponential(load(R, c * CHUNK + slot) - top)
        store(R, c * CHUNK + slot, term)
        total += term
    scale = present / total
    for c in range(C):
        store(R, c * CHUNK + slot, load(R, c * CHUNK + slot) * scale)
    return top * present, maximum(total * present, broadcast(1.0))


@kernel(inner=True)
def keep_chunk(R: FloatArray, C: int, size: int, out: FloatArray, slot: int, n_slots: int) -> None:
    """Copy the responsibilities of a chunk to those of all slots, curve by curve."""
    for c in range(C):
        for k in range(0, size, LANES):
            store(out, c * n_slots + slot + k, load(R, c * CHUNK + k))


@kernel(inner=True)
def log_of_lanes(product: Any, space: FloatArray) -> float:
    """Return the sum of the logarithms of eight positive numbers."""
    store(space, 0, product)
    return sum_of_logs(space, LANES)
