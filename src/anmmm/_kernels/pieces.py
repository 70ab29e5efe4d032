"""E-step of a mixture of curves in one cause, whose columns are cubic between knots.

On a piece, between two knots, a curve has four coefficients, its variance seven, and the sums over
observations are eleven, for any number of columns. docs/method/decisions.md, eq. 3.
docs/development.md has a picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numba.extending import overload

from anmmm._kernels._jit import FloatArray, IndexArray, kernel, kernel_options
from anmmm._kernels._vectors import (
    LANES,
    add_sums,
    broadcast,
    load,
    load_broadcast,
    reduce_add,
    reduce_multiply,
    store,
    store_rows,
)
from anmmm._kernels.e_step import (
    AT_MEANS,
    CHUNK,
    READ,
    WRITTEN,
    EStep,
    keep_chunk,
    log_of_lanes,
    normalize,
)
from anmmm._kernels.packed import LARGE, clear, padded

# Coefficients of a curve on a piece, in powers of u; of its variance; sums of w u^k, then w y u^k.
CUBIC = 4
N_TERMS = 7
N_SUMS = 11


class Pieces(NamedTuple):
    """Columns as cubic polynomials of u, which goes from -1 to 1 on each piece."""

    planes: FloatArray  # (r CUBIC padded(n_pieces),): by column, power and piece
    rows: FloatArray  # (n_pieces CUBIC padded(r),): the same by piece, power and column


class PieceRows(NamedTuple):
    """Observations of one cause in slots, piece by piece, and their responsibilities."""

    pieces: Pieces
    u: FloatArray  # (n_slots,), place on the piece
    present: FloatArray  # (n_slots,), 1 for an observation, 0 for an empty slot
    ends: IndexArray  # (n_pieces + 1,), of the pieces' slots, which are whole vectors
    n: int
    y: FloatArray  # (n_slots,), the effect, 0 in empty slots
    responsibilities: FloatArray  # (S C n_slots,), curve by curve


def of_either_layout(on_pieces: Callable[..., Any], on_columns: Callable[..., Any]) -> Any:
    """Make a function for kernels whose first argument is `PieceRows` or `columns.ColumnRows`."""

    def function(rows: Any, *arguments: Any) -> Any:
        raise NotImplementedError

    @overload(function, strict=False, jit_options=kernel_options())
    def implementation(rows: Any, *arguments: Any) -> Any:
        return on_pieces if rows.instance_class is PieceRows else on_columns

    return function


class PieceWorkspace(NamedTuple):
    """Arrays that a pass over the slots reads and writes; K = padded(n_pieces)."""

    responsibilities: FloatArray  # (C CHUNK,)
    curves: FloatArray  # (C N_SUMS K,), powers of each curve's mean, then of its variance
    sums: FloatArray  # (C N_SUMS K,), of each curve on the pieces
    scratch: FloatArray  # (n_pieces CUBIC padded(r),)


@kernel(inner=True)
def _curve_on_pieces(
    planes: FloatArray, K: int, r: int, mean: FloatArray, out: FloatArray, start: int
) -> None:
    """Write the powers of a curve on all pieces from ``out[start]`` on."""
    for power in range(CUBIC):
        for piece in range(0, K, LANES):
            total = broadcast(0.0)
            for j in range(r):
                column = load(planes, (j * CUBIC + power) * K + piece)
                total += load_broadcast(mean, j) * column
            store(out, start + power * K + piece, total)


@kernel(inner=True)
def _variance_on_pieces(
    planes: FloatArray, K: int, rows: FloatArray, pivots: FloatArray, out: FloatArray, start: int
) -> None:
    """Write the powers of ``ψᵀ A⁻¹ ψ`` on all pieces from ``out[start]`` on; A is eliminated."""
    r, width = rows.shape
    identity_start = width - padded(r)
    for piece in range(0, K, LANES):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = broadcast(0.0)
        for k in range(r):
            entry = k * CUBIC * K + piece
            a = load(planes, entry)
            b = load(planes, entry + K)
            c = load(planes, entry + 2 * K)
            d = load(planes, entry + 3 * K)
            for j in range(k):
                w = load_broadcast(rows, identity_start + k * width + j)
                entry = j * CUBIC * K + piece
                a += w * load(planes, entry)
                b += w * load(planes, entry + K)
                c += w * load(planes, entry + 2 * K)
                d += w * load(planes, entry + 3 * K)
            pivot = load_broadcast(pivots, k)
            wa = pivot * a
            wb = pivot * b
            wc = pivot * c
            wd = pivot * d
            s0 += wa * a
            s6 += wd * d
            s2 += wb * b
            s4 += wc * c
            wa = wa + wa
            wd = wd + wd
            s1 += wa * b
            s2 += wa * c
            s3 += wa * d
            s3 += (wb + wb) * c
            s4 += wd * b
            s5 += wd * c
        store_rows(out, start + piece, K, (s0, s1, s2, s3, s4, s5, s6))


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
            entry = piece * CUBIC * width + j
            a = load(rows, entry)
            b = load(rows, entry + width)
            c = load(rows, entry + 2 * width)
            d = load(rows, entry + 3 * width)
            for power in range(CUBIC):
                s = power * K + piece
                mixed = load_broadcast(sums, s) * a
                mixed += load_broadcast(sums, s + K) * b
                mixed += load_broadcast(sums, s + 2 * K) * c
                mixed += load_broadcast(sums, s + 3 * K) * d
                store(scratch, entry + power * width, mixed)
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
                mixed = load(scratch, row * width + j)
                entry = row * width + i
                g0 += load_broadcast(rows, entry) * mixed
                g1 += load_broadcast(rows, entry + 1) * mixed
                g2 += load_broadcast(rows, entry + 2) * mixed
                g3 += load_broadcast(rows, entry + 3) * mixed
                g4 += load_broadcast(rows, entry + 4) * mixed
                g5 += load_broadcast(rows, entry + 5) * mixed
                g6 += load_broadcast(rows, entry + 6) * mixed
                g7 += load_broadcast(rows, entry + 7) * mixed
            entry = i * width + j
            store_rows(gram, entry, width, (g0, g1, g2, g3, g4, g5, g6, g7))


@kernel(inner=True)
def _squared_residuals(
    rows: PieceRows, space: PieceWorkspace, c: int, piece: int, slot: int
) -> Any:
    """Return the expected squared residuals of eight slots about a curve in `space.curves`."""
    curves = space.curves
    K = padded(rows.ends.shape[0] - 1)
    u = load(rows.u, slot)
    entry = c * N_SUMS * K + piece
    curve = load_broadcast(curves, entry + (CUBIC - 1) * K)
    for power in range(CUBIC - 2, -1, -1):
        curve = curve * u + load_broadcast(curves, entry + power * K)
    entry += CUBIC * K
    variance = load_broadcast(curves, entry + (N_TERMS - 1) * K)
    for power in range(N_TERMS - 2, -1, -1):
        variance = variance * u + load_broadcast(curves, entry + power * K)
    e = load(rows.y, slot) - curve
    return e * e + variance


@kernel(inner=True)
def _add_up(
    rows: PieceRows, space: PieceWorkspace, c: int, piece: int, slot: int, weights: FloatArray
) -> None:
    """Add a chunk of slots to the sums of a curve."""
    K = padded(rows.ends.shape[0] - 1)
    h0 = h1 = h2 = h3 = h4 = h5 = h6 = m0 = m1 = m2 = m3 = broadcast(0.0)
    for k in range(0, weights.shape[0], LANES):
        w = load(weights, k)
        u = load(rows.u, slot + k)
        wy = w * load(rows.y, slot + k)
        u2 = u * u
        u3 = u2 * u
        w3 = w * u3
        h0 = w + h0
        h1 = w * u + h1
        h2 = w * u2 + h2
        h3 = w3 + h3
        h4 = w3 * u + h4
        h5 = w3 * u2 + h5
        h6 = w3 * u3 + h6
        m0 = wy + m0
        m1 = wy * u + m1
        m2 = wy * u2 + m2
        m3 = wy * u3 + m3
    add_sums(space.sums, c * N_SUMS * K + piece, K, (h0, h1, h2, h3, h4, h5, h6, m0, m1, m2, m3))


def e_step_on_pieces(rows: PieceRows, space: PieceWorkspace, step: EStep) -> float:
    """E-step; returns ``Σ_n log Σ_c a_c exp(E_q log p(y_n | c))``. O(n C + C r³)."""
    fits, s, mode, n_sums = step
    is_given = mode == READ
    pieces = rows.pieces
    n_pieces = rows.ends.shape[0] - 1
    curves = space.curves
    C, r = fits.systems.shape[1:3]
    width = fits.mean.shape[2]
    K = padded(n_pieces)
    n_slots = rows.y.shape[0]
    ends = rows.ends
    R = space.responsibilities
    weights = rows.responsibilities if is_given else R
    highest = broadcast(0.0)
    product = broadcast(1.0)
    total = 0.0
    for c in range(C if not is_given else 0):
        start = c * N_SUMS * K
        _curve_on_pieces(pieces.planes, K, r, fits.mean[s, c], curves, start)
        start += CUBIC * K
        if mode == AT_MEANS:
            clear(curves[start : start + N_TERMS * K])
        else:
            _variance_on_pieces(
                pieces.planes, K, fits.systems[s, c], fits.pivots[s, c], curves, start
            )
    clear(space.sums)
    for piece in range(n_pieces):
        for slot in range(ends[piece], ends[piece + 1], CHUNK):
            size = min(CHUNK, ends[piece + 1] - slot)
            for k in range(0, 0 if is_given else size, LANES):
                for c in range(C):
                    squares = _squared_residuals(rows, space, c, piece, slot + k)
                    density = -0.5 / fits.scales[s, 0] * squares
                    store(R, c * CHUNK + k, density + fits.log_weights[s, c])
                top, sum_of_terms = normalize(R, C, k, load(rows.present, slot + k))
                highest = top + highest
                product = sum_of_terms * product
            if mode == WRITTEN:
                keep_chunk(R, C, size, rows.responsibilities, slot, n_slots)
            for c in range(n_sums):
                weights_start = (s * C + c) * n_slots + slot if is_given else c * CHUNK
                _add_up(rows, space, c, piece, slot, weights[weights_start : weights_start + size])
            if not reduce_multiply(product) < LARGE:
                total += log_of_lanes(product, R)
                product = broadcast(1.0)
    for c in range(n_sums):
        on_pieces = space.sums[c * N_SUMS * K : (c + 1) * N_SUMS * K]
        sums = fits.sums[s, c]
        _from_pieces(pieces.rows, n_pieces, width, on_pieces, K, space.scratch, sums, sums[-1])
    return float(total + log_of_lanes(product, R) + reduce_add(highest))


def squares_on_pieces(
    rows: PieceRows,
    space: PieceWorkspace,
    mean: FloatArray,
    system: FloatArray,
    pivots: FloatArray,
    out: FloatArray,
) -> None:
    """Write expected squared residuals (n_slots,) about a curve, given its eliminated system."""
    planes = rows.pieces.planes
    K = padded(rows.ends.shape[0] - 1)
    _curve_on_pieces(planes, K, system.shape[0], mean, space.curves, 0)
    _variance_on_pieces(planes, K, system, pivots, space.curves, CUBIC * K)
    for piece in range(rows.ends.shape[0] - 1):
        for slot in range(rows.ends[piece], rows.ends[piece + 1], LANES):
            store(out, slot, _squared_residuals(rows, space, 0, piece, slot))


def sums_on_pieces(
    rows: PieceRows, space: PieceWorkspace, weights: FloatArray, sums: FloatArray
) -> None:
    """Write the weighted Gram matrix of the columns, and the moment in the last row of `sums`."""
    n_pieces = rows.ends.shape[0] - 1
    width = sums.shape[1]
    clear(space.sums)
    for piece in range(n_pieces):
        begin = rows.ends[piece]
        end = rows.ends[piece + 1]
        if end > begin:
            _add_up(rows, space, 0, piece, begin, weights[begin:end])
    K = padded(n_pieces)
    moment = sums[-1]
    _from_pieces(rows.pieces.rows, n_pieces, width, space.sums, K, space.scratch, sums, moment)
