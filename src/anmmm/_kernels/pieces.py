"""E-step of a mixture of curves in one cause, whose columns are cubic between knots.

On a piece, between two knots, a curve has four coefficients, its variance seven, and the sums over
observations are eleven, for any number of columns. docs/method/decisions.md, eq. 3;
docs/notes/kernels.md, "Pieces".
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from anmmm._kernels._jit import FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    add_sums,
    broadcast,
    exponential,
    load,
    load_broadcast,
    maximum,
    reduce_add,
    store,
    store_rows,
)
from anmmm._kernels.packed import clear, padded
from anmmm._kernels.posterior import Fits

# Coefficients of a curve on a piece, in powers of u; of its variance; sums of w u^k, then w y u^k.
CUBIC, N_TERMS, N_SUMS = 4, 7, 11
# Slots whose responsibilities are computed before they are summed up.
CHUNK = 32 * LANES
# Slots whose sums of exponentials, each from 1 to C, are multiplied before a logarithm is taken.
MULTIPLIED = 64 * LANES


class Pieces(NamedTuple):
    """Columns as cubic polynomials of u, which goes from -1 to 1 on each piece."""

    planes: FloatArray  # (r CUBIC padded(n_pieces),): by column, power and piece
    rows: FloatArray  # (n_pieces CUBIC padded(r),): the same by piece, power and column


class Slots(NamedTuple):
    """Observations piece by piece, each in whole vectors of slots, of which some are empty."""

    u: FloatArray  # (n_slots,), place on the piece
    present: FloatArray  # (n_slots,): 1 for an observation, 0 for an empty slot
    ends: IndexArray  # (n_pieces + 1,): piece k has the slots from ends[k] to ends[k + 1]


class PieceRows(NamedTuple):
    """Observations of one cause, and their responsibilities."""

    pieces: Pieces
    slots: Slots
    y: FloatArray  # (n_slots,), the effect, 0 in empty slots
    responsibilities: FloatArray  # (S C n_slots,), curve by curve
    n: int


class PieceWorkspace(NamedTuple):
    """Arrays that a pass over the slots reads and writes; K = padded(n_pieces)."""

    curves: FloatArray  # (C N_SUMS K,), powers of each curve's mean, then of its variance
    sums: FloatArray  # (C N_SUMS K,), of each curve on the pieces
    responsibilities: FloatArray  # (C CHUNK,)
    ends: FloatArray  # (LANES,)
    scratch: FloatArray  # (n_pieces CUBIC padded(r),)


@kernel(inner=True)
def _curve_on_pieces(
    planes: FloatArray, K: int, r: int, mean: FloatArray, out: FloatArray, to: int
) -> None:
    """Write the powers of a curve on all pieces from ``out[to]`` on."""
    for power in range(CUBIC):
        for piece in range(0, K, LANES):
            total = broadcast(0.0)
            for j in range(r):
                column = load(planes, (j * CUBIC + power) * K + piece)
                total += load_broadcast(mean, j) * column
            store(out, to + power * K + piece, total)


@kernel(inner=True)
def _variance_on_pieces(
    planes: FloatArray, K: int, rows: FloatArray, pivots: FloatArray, out: FloatArray, to: int
) -> None:
    """Write the powers of ``ψᵀ A⁻¹ ψ`` on all pieces from ``out[to]`` on, after an elimination."""
    r, width = rows.shape
    start = width - padded(r)
    for piece in range(0, K, LANES):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = broadcast(0.0)
        for k in range(r):
            at = k * CUBIC * K + piece
            a, b = load(planes, at), load(planes, at + K)
            c, d = load(planes, at + 2 * K), load(planes, at + 3 * K)
            for j in range(k):
                w, at = load_broadcast(rows, start + k * width + j), j * CUBIC * K + piece
                a += w * load(planes, at)
                b += w * load(planes, at + K)
                c += w * load(planes, at + 2 * K)
                d += w * load(planes, at + 3 * K)
            one = load_broadcast(pivots, k)
            wa, wb, wc, wd = one * a, one * b, one * c, one * d
            s0 += wa * a
            s6 += wd * d
            s2 += wb * b
            s4 += wc * c
            wa, wd = wa + wa, wd + wd
            s1 += wa * b
            s2 += wa * c
            s3 += wa * d
            s3 += (wb + wb) * c
            s4 += wd * b
            s5 += wd * c
        store_rows(out, to + piece, K, (s0, s1, s2, s3, s4, s5, s6))


@kernel(inner=True)
def _from_pieces(
    rows: FloatArray,
    n_pieces: int,
    width: int,
    sums: FloatArray,
    K: int,
    scratch: FloatArray,
    gram: FloatArray,
    moment: FloatArray,
) -> None:
    """Write the Gram matrix (width, width), blocks on and above the diagonal, and the moment.

    sums (N_SUMS, K): of the observations on each piece; scratch: (n_pieces CUBIC width,).
    """
    n_rows = n_pieces * CUBIC
    for j in range(0, width, LANES):
        total = broadcast(0.0)
        for piece in range(n_pieces):
            at = piece * CUBIC * width + j
            a, b = load(rows, at), load(rows, at + width)
            c, d = load(rows, at + 2 * width), load(rows, at + 3 * width)
            for power in range(CUBIC):
                s = power * K + piece
                mixed = load_broadcast(sums, s) * a
                mixed += load_broadcast(sums, s + K) * b
                mixed += load_broadcast(sums, s + 2 * K) * c
                mixed += load_broadcast(sums, s + 3 * K) * d
                store(scratch, at + power * width, mixed)
            s = N_TERMS * K + piece
            total += load_broadcast(sums, s) * a
            total += load_broadcast(sums, s + K) * b
            total += load_broadcast(sums, s + 2 * K) * c
            total += load_broadcast(sums, s + 3 * K) * d
        store(moment, j, total)
    for i in range(0, width, LANES):
        for j in range(i, width, LANES):
            g0 = g1 = g2 = g3 = g4 = g5 = g6 = g7 = broadcast(0.0)
            for row in range(n_rows):
                mixed, at = load(scratch, row * width + j), row * width + i
                g0 += load_broadcast(rows, at) * mixed
                g1 += load_broadcast(rows, at + 1) * mixed
                g2 += load_broadcast(rows, at + 2) * mixed
                g3 += load_broadcast(rows, at + 3) * mixed
                g4 += load_broadcast(rows, at + 4) * mixed
                g5 += load_broadcast(rows, at + 5) * mixed
                g6 += load_broadcast(rows, at + 6) * mixed
                g7 += load_broadcast(rows, at + 7) * mixed
            at = i * width + j
            store_rows(gram, at, width, (g0, g1, g2, g3, g4, g5, g6, g7))


@kernel(inner=True)
def _responsibilities(
    rows: PieceRows,
    space: PieceWorkspace,
    log_weights: FloatArray,
    half: Any,
    piece: int,
    slot: int,
    to: int,
) -> Any:
    """Write responsibilities of eight slots; return highest terms, and sums in units of them."""
    curves, R, C = space.curves, space.responsibilities, log_weights.shape[0]
    u, y, present = load(rows.slots.u, slot), load(rows.y, slot), load(rows.slots.present, slot)
    K, top = padded(rows.slots.ends.shape[0] - 1), broadcast(-1e300)
    for c in range(C):
        at = c * N_SUMS * K + piece
        curve = load_broadcast(curves, at + (CUBIC - 1) * K)
        for power in range(CUBIC - 2, -1, -1):
            curve = curve * u + load_broadcast(curves, at + power * K)
        at += CUBIC * K
        variance = load_broadcast(curves, at + (N_TERMS - 1) * K)
        for power in range(N_TERMS - 2, -1, -1):
            variance = variance * u + load_broadcast(curves, at + power * K)
        e = y - curve
        term = half * (e * e + variance) + load_broadcast(log_weights, c)
        store(R, c * CHUNK + to, term)
        top = maximum(term, top)
    total = broadcast(0.0)
    for c in range(C):
        term = exponential(load(R, c * CHUNK + to) - top)
        store(R, c * CHUNK + to, term)
        total += term
    one = present / total
    for c in range(C):
        store(R, c * CHUNK + to, load(R, c * CHUNK + to) * one)
    return top * present, maximum(total * present, broadcast(1.0))


@kernel(inner=True)
def _add_up(
    rows: PieceRows, slot: int, size: int, weights: FloatArray, at: int, sums: FloatArray, to: int
) -> None:
    """Add so many slots of a piece, with weights from ``weights[at]`` on, to its sums."""
    y, places, K = rows.y, rows.slots.u, padded(rows.slots.ends.shape[0] - 1)
    h0 = h1 = h2 = h3 = h4 = h5 = h6 = m0 = m1 = m2 = m3 = broadcast(0.0)
    for k in range(0, size, LANES):
        w, u = load(weights, at + k), load(places, slot + k)
        wy, u2 = w * load(y, slot + k), u * u
        u3 = u2 * u
        w3 = w * u3
        h0, h1 = w + h0, w * u + h1
        h2, h3 = w * u2 + h2, w3 + h3
        h4, h5, h6 = w3 * u + h4, w3 * u2 + h5, w3 * u3 + h6
        m0, m1 = wy + m0, wy * u + m1
        m2, m3 = wy * u2 + m2, wy * u3 + m3
    add_sums(sums, to, K, (h0, h1, h2, h3, h4, h5, h6, m0, m1, m2, m3))


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
    """Pass over all slots; see `e_step_on_pieces`; given responsibilities begin at `at`."""
    C, n_slots, ends = log_weights.shape[0], rows.y.shape[0], rows.slots.ends
    half, of_curve = broadcast(-0.5 / s2), space.sums.shape[0] // C
    highest, z, multiplied, total = broadcast(0.0), broadcast(1.0), 0, 0.0
    weights = rows.responsibilities if given else space.responsibilities
    clear(space.sums)
    for piece in range(ends.shape[0] - 1):
        for slot in range(ends[piece], ends[piece + 1], CHUNK):
            size = min(CHUNK, ends[piece + 1] - slot)
            for k in range(0, 0 if given else size, LANES):
                tops, sums = _responsibilities(rows, space, log_weights, half, piece, slot + k, k)
                highest, z = tops + highest, sums * z
                for c in range(C if keep else 0):
                    responsibility = load(space.responsibilities, c * CHUNK + k)
                    store(rows.responsibilities, c * n_slots + slot + k, responsibility)
            multiplied += size
            if multiplied >= MULTIPLIED:
                total += _logarithms(z, space.ends)
                z, multiplied = broadcast(1.0), 0
            for c in range(n_sums):
                begin = at + c * n_slots + slot if given else c * CHUNK
                _add_up(rows, slot, size, weights, begin, space.sums, c * of_curve + piece)
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
    pieces, n_pieces, curves = rows.pieces, rows.slots.ends.shape[0] - 1, space.curves
    (C, r), width = fits.rows.shape[1:3], fits.mean.shape[2]
    K = padded(n_pieces)
    for c in range(C if not given else 0):
        to = c * N_SUMS * K
        _curve_on_pieces(pieces.planes, K, r, fits.mean[s, c], curves, to)
        to += CUBIC * K
        if plain:
            clear(curves[to : to + N_TERMS * K])
        else:
            _variance_on_pieces(pieces.planes, K, fits.rows[s, c], fits.pivots[s, c], curves, to)
    at, s2 = s * C * rows.y.shape[0], fits.scales[s, 0]
    total = _pass(rows, space, given, keep, n_sums, at, fits.log_weights[s], s2)
    for c in range(n_sums):
        on_pieces, sums = space.sums[c * N_SUMS * K : (c + 1) * N_SUMS * K], fits.sums[s, c]
        sums[-1, 0] = 0.0
        for piece in range(n_pieces):
            sums[-1, 0] += on_pieces[piece]
        _from_pieces(pieces.rows, n_pieces, width, on_pieces, K, space.scratch, sums, sums[-2])
    return total
