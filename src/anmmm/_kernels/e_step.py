"""E-step of mixtures of curves: a pass over observations, eight at a time.

docs/method/decisions.md, eq. 3. `pieces` and `columns` have what depends on the kind of curves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anmmm._kernels._jit import kernel
from anmmm._kernels._vectors import (
    LANES,
    broadcast,
    exponential,
    load,
    maximum,
    reduce_add,
    reduce_multiply,
    store,
)
from anmmm._kernels.packed import LARGE, sum_of_logs
from anmmm._kernels.posterior import Fits

# Slots whose responsibilities are computed before they are summed up; they stay in cache.
CHUNK = 256


class EStep(NamedTuple):
    """One start's E-step."""

    fits: Fits
    s: int  # the start
    given: bool  # responsibilities are those of the start
    plain: bool  # curves have no variance
    keep: bool  # write the responsibilities
    n_sums: int  # compute the sums of the first curves


@kernel(inner=True)
def _responsibilities(
    log_density: Any, rows: Any, space: Any, step: EStep, piece: int, slot: int, to: int
) -> Any:
    """Write those of eight slots; return highest terms, and sums in units of them."""
    R, present = space.responsibilities, load(rows.present, slot)
    C, top, total = step.fits.weights.shape[1], broadcast(-np.inf), broadcast(0.0)
    for c in range(C):
        term = log_density(rows, space, step, c, piece, slot) + step.fits.log_weights[step.s, c]
        store(R, c * CHUNK + to, term)
        top = maximum(term, top)
    for c in range(C):
        term = exponential(load(R, c * CHUNK + to) - top)
        store(R, c * CHUNK + to, term)
        total += term
    one = present / total
    for c in range(C):
        store(R, c * CHUNK + to, load(R, c * CHUNK + to) * one)
    return top * present, maximum(total * present, broadcast(1.0))


@kernel(inner=True)
def pass_over(log_density: Any, add_up: Any, rows: Any, space: Any, step: EStep) -> float:
    """Compute responsibilities and sums; return ``Σ_n log Σ_c a_c exp(E_q log p(y_n | c))``.

    Two kernels do what depends on the rows: `log_density` is ``E_q log p(y_n | c)``, without log σ,
    of eight slots, and `add_up` adds a chunk of slots to the sums of a curve.
    """
    fits, s, given, _, keep, n_sums = step
    C, n_slots, ends, R = fits.weights.shape[1], rows.y.shape[0], rows.ends, space.responsibilities
    highest, product, total = broadcast(0.0), broadcast(1.0), 0.0
    weights = rows.responsibilities if given else R
    for piece in range(ends.shape[0] - 1):
        for slot in range(ends[piece], ends[piece + 1], CHUNK):
            size = min(CHUNK, ends[piece + 1] - slot)
            for k in range(0, 0 if given else size, LANES):
                top, sums = _responsibilities(log_density, rows, space, step, piece, slot + k, k)
                highest, product = top + highest, sums * product
                for c in range(C if keep else 0):
                    responsibility = load(R, c * CHUNK + k)
                    store(rows.responsibilities, c * n_slots + slot + k, responsibility)
            for c in range(n_sums):
                at = (s * C + c) * n_slots + slot if given else c * CHUNK
                add_up(rows, space, step, c, piece, slot, weights[at : at + size])
            if not reduce_multiply(product) < LARGE:
                store(R, 0, product)
                total += sum_of_logs(R, LANES)
                product = broadcast(1.0)
    store(R, 0, product)
    return float(total + sum_of_logs(R, LANES) + reduce_add(highest))
