"""E-step of a mixture of curves in one cause: a pass over observations in strips (see `pieces`).

docs/method/decisions.md, eq. 3.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from anmmm._kernels._jit import FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    broadcast,
    exponential,
    load,
    load_broadcast,
    maximum,
    reduce_add,
    store,
)
from anmmm._kernels.packed import clear
from anmmm._kernels.pieces import (
    CUBIC,
    N_SUMS,
    N_TERMS,
    Pieces,
    Strips,
    curve_on_pieces,
    from_pieces,
    variance_on_pieces,
)
from anmmm._kernels.posterior import Fits

# Steps whose responsibilities are computed before they are summed up.
CHUNK = 32
# Steps whose sums of exponentials, each from 1 to C, are multiplied before a logarithm is taken.
MULTIPLIED = 64


class PieceRows(NamedTuple):
    """Observations of one cause, and their responsibilities."""

    pieces: Pieces
    strips: Strips
    y: FloatArray  # (n_slots,), the effect, 0 in empty slots
    responsibilities: FloatArray  # (S C n_slots,), curve by curve
    n: int


class PieceWorkspace(NamedTuple):
    """Arrays that a pass over the strips reads and writes."""

    # (C N_SUMS K,), powers of each curve's mean on the pieces, then of its variance
    curves: FloatArray
    coefficients: FloatArray  # (C N_SUMS n_strips,), the same on the strips
    sums: FloatArray  # (C N_SUMS n_strips,), of each strip
    responsibilities: FloatArray  # (C CHUNK LANES,), of a chunk of steps
    ends: FloatArray  # (LANES,)
    piece_sums: FloatArray  # (N_SUMS K,), of one curve
    scratch: FloatArray  # (n_pieces CUBIC padded(r),)


@kernel(inner=True)
def _responsibilities(
    strips: Strips,
    y: FloatArray,
    slot: int,
    space: PieceWorkspace,
    of_curve: int,
    log_weights: FloatArray,
    half: Any,
    to: int,
) -> Any:
    """Write responsibilities of eight rows; return the highest terms, and sums in units of them."""
    coefficients, R = space.coefficients, space.responsibilities
    C, n_strips = R.shape[0] // (CHUNK * LANES), strips.piece.shape[0]
    u, effect, present = load(strips.u, slot), load(y, slot), load(strips.present, slot)
    top = broadcast(-1e300)
    for c in range(C):
        at = of_curve + c * N_SUMS * n_strips
        curve = load(coefficients, at + (CUBIC - 1) * n_strips)
        for power in range(CUBIC - 2, -1, -1):
            curve = curve * u + load(coefficients, at + power * n_strips)
        at += CUBIC * n_strips
        variance = load(coefficients, at + (N_TERMS - 1) * n_strips)
        for power in range(N_TERMS - 2, -1, -1):
            variance = variance * u + load(coefficients, at + power * n_strips)
        e = effect - curve
        term = half * (e * e + variance) + load_broadcast(log_weights, c)
        store(R, c * CHUNK * LANES + to, term)
        top = maximum(term, top)
    total = broadcast(0.0)
    for c in range(C):
        term = exponential(load(R, c * CHUNK * LANES + to) - top)
        store(R, c * CHUNK * LANES + to, term)
        total += term
    one = present / total
    for c in range(C):
        store(R, c * CHUNK * LANES + to, load(R, c * CHUNK * LANES + to) * one)
    return top * present, maximum(total * present, broadcast(1.0))


@kernel(inner=True)
def _add_up(
    strips: Strips,
    y: FloatArray,
    slot: int,
    steps: int,
    weights: FloatArray,
    at: int,
    sums: FloatArray,
    to: int,
) -> None:
    """Add so many steps from a slot on, with weights from ``weights[at]`` on, to eight strips."""
    next_sum = strips.piece.shape[0]
    h0, h1 = load(sums, to), load(sums, to + next_sum)
    h2, h3 = load(sums, to + 2 * next_sum), load(sums, to + 3 * next_sum)
    h4, h5 = load(sums, to + 4 * next_sum), load(sums, to + 5 * next_sum)
    h6, m0 = load(sums, to + 6 * next_sum), load(sums, to + 7 * next_sum)
    m1, m2 = load(sums, to + 8 * next_sum), load(sums, to + 9 * next_sum)
    m3 = load(sums, to + 10 * next_sum)
    for step in range(steps):
        w, u = load(weights, at + step * LANES), load(strips.u, slot + step * LANES)
        wy, u2 = w * load(y, slot + step * LANES), u * u
        u3 = u2 * u
        w3 = w * u3
        h0, h1 = w + h0, w * u + h1
        h2, h3 = w * u2 + h2, w3 + h3
        h4, h5, h6 = w3 * u + h4, w3 * u2 + h5, w3 * u3 + h6
        m0, m1 = wy + m0, wy * u + m1
        m2, m3 = wy * u2 + m2, wy * u3 + m3
    store(sums, to, h0)
    store(sums, to + next_sum, h1)
    store(sums, to + 2 * next_sum, h2)
    store(sums, to + 3 * next_sum, h3)
    store(sums, to + 4 * next_sum, h4)
    store(sums, to + 5 * next_sum, h5)
    store(sums, to + 6 * next_sum, h6)
    store(sums, to + 7 * next_sum, m0)
    store(sums, to + 8 * next_sum, m1)
    store(sums, to + 9 * next_sum, m2)
    store(sums, to + 10 * next_sum, m3)


@kernel(inner=True)
def _logarithms(z: Any, ends: FloatArray) -> float:
    store(ends, 0, z)
    total = 0.0
    for i in range(LANES):
        total += math.log(ends[i])
    return total


@kernel(inner=True)
def _pass(
    rows: PieceRows,
    space: PieceWorkspace,
    given: bool,
    keep: bool,
    n_sums: int,
    at: int,
    log_weights: FloatArray,
    s2: float,
) -> float:
    """Pass over all strips; see `e_step_on_pieces`; given responsibilities begin at `at`."""
    strips, y = rows.strips, rows.y
    n_strips, n_slots = strips.piece.shape[0], strips.u.shape[0]
    C, half = log_weights.shape[0], broadcast(-0.5 / s2)
    for i in range(n_sums * N_SUMS * n_strips):
        space.sums[i] = 0.0
    highest, z, multiplied, total = broadcast(0.0), broadcast(1.0), 0, 0.0
    for start in range(0, n_slots, strips.length * LANES):
        group = start // strips.length
        for step in range(0, strips.length, CHUNK):
            steps, slot = min(CHUNK, strips.length - step), start + step * LANES
            if not given:
                for k in range(steps):
                    to = k * LANES
                    tops, sums = _responsibilities(
                        strips, y, slot + to, space, group, log_weights, half, to
                    )
                    highest, z = tops + highest, sums * z
                    for c in range(C if keep else 0):
                        responsibility = load(space.responsibilities, c * CHUNK * LANES + to)
                        store(rows.responsibilities, c * n_slots + slot + to, responsibility)
                multiplied += steps
                if multiplied >= MULTIPLIED:
                    total += _logarithms(z, space.ends)
                    z, multiplied = broadcast(1.0), 0
            weights = rows.responsibilities if given else space.responsibilities
            for c in range(n_sums):
                begin = at + c * n_slots + slot if given else c * CHUNK * LANES
                to = c * N_SUMS * n_strips + group
                _add_up(strips, y, slot, steps, weights, begin, space.sums, to)
    return float(total + _logarithms(z, space.ends) + reduce_add(highest))


@kernel(inner=True)
def e_step_on_pieces(
    rows: PieceRows,
    space: PieceWorkspace,
    fits: Fits,
    s: int,
    given: bool,
    plain: bool,
    keep: bool,
    n_sums: int,
) -> float:
    """Compute one start's responsibilities, and the sums of its first `n_sums` curves.

    given: responsibilities are those of the start; plain: curves have no variance; keep: write
    the responsibilities. Returns ``Σ_n log Σ_c a_c exp(E_q log p(y_n | c))``, without log σ.
    """
    pieces, piece = rows.pieces, rows.strips.piece
    (C, r), n_strips, n_slots = fits.rows.shape[1:3], piece.shape[0], rows.y.shape[0]
    K, width, curves = pieces.planes.shape[0] // (CUBIC * r), fits.mean.shape[2], space.curves
    for c in range(C if not given else 0):
        to = c * N_SUMS * K
        curve_on_pieces(pieces.planes, K, r, fits.mean[s, c], curves, to)
        to += CUBIC * K
        if not plain:
            variance_on_pieces(pieces.planes, K, fits.rows[s, c], fits.pivots[s, c], curves, to)
        for i in range(to, to + N_TERMS * K if plain else 0):
            curves[i] = 0.0
        for row in range(c * N_SUMS, (c + 1) * N_SUMS):
            for strip in range(n_strips):
                space.coefficients[row * n_strips + strip] = curves[row * K + piece[strip]]
    at, s2 = s * C * n_slots, fits.scales[s, 0]
    total = _pass(rows, space, given, keep, n_sums, at, fits.log_weights[s], s2)
    n_pieces, on_pieces = pieces.rows.shape[0] // (CUBIC * width), space.piece_sums
    for c in range(n_sums):
        clear(on_pieces)
        for row in range(N_SUMS):
            first = (c * N_SUMS + row) * n_strips
            for strip in range(n_strips):
                on_pieces[row * K + piece[strip]] += space.sums[first + strip]
        sums = fits.sums[s, c]
        sums[-1, 0] = 0.0
        for i in range(K):
            sums[-1, 0] += on_pieces[i]
        from_pieces(pieces.rows, n_pieces, width, on_pieces, K, space.scratch, sums, sums[-2])
    return float(total)


@kernel()
def collect(
    strips: Strips,
    slots: IndexArray,
    coefficients: FloatArray,
    responsibilities: FloatArray,
    membership: FloatArray,
    curves: FloatArray,
) -> None:
    """Write responsibilities (n, C), and the curves of the last pass, from slots (n,)."""
    (n, C), n_slots, n_strips = curves.shape, strips.u.shape[0], strips.piece.shape[0]
    group = strips.length * LANES
    for k in range(n):
        slot = slots[k]
        u, strip = strips.u[slot], slot // group * LANES + slot % LANES
        for c in range(C):
            at = c * N_SUMS * n_strips + strip
            value = coefficients[at + (CUBIC - 1) * n_strips]
            for power in range(CUBIC - 2, -1, -1):
                value = value * u + coefficients[at + power * n_strips]
            membership[k, c], curves[k, c] = responsibilities[c * n_slots + slot], value
