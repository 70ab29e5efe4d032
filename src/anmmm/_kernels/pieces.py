"""Columns that are cubic between knots, and observations laid out by the piece between two knots.

On a piece a curve has four coefficients, its variance seven, and the sums over observations are
eleven, for any number of columns. `strips` passes over the observations. docs/notes/kernels.md,
"Pieces and strips".
"""

from __future__ import annotations

from typing import NamedTuple

from anmmm._kernels._jit import FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import LANES, broadcast, load, load_broadcast, store
from anmmm._kernels.packed import padded

# Coefficients of a curve on a piece, in powers of u; of its variance; sums of w u^k, then w y u^k.
CUBIC, N_TERMS, N_SUMS = 4, 7, 11


class Pieces(NamedTuple):
    """Columns as cubic polynomials of u, which goes from -1 to 1 on each piece."""

    planes: FloatArray  # (r CUBIC padded(n_pieces),): by column, power and piece
    rows: FloatArray  # (n_pieces CUBIC padded(r),): the same by piece, power and column


class Strips(NamedTuple):
    """Observations in strips of equal length, each on one piece, eight strips side by side."""

    # (n_slots,), place on the piece; slot (group length + step) LANES + lane is that of step `step`
    # of strip group LANES + lane
    u: FloatArray
    present: FloatArray  # (n_slots,): 1 for an observation, 0 for an empty slot
    piece: IndexArray  # (n_strips,)
    length: int  # steps of a strip


@kernel(inner=True)
def curve_on_pieces(
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
def variance_on_pieces(
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
        store(out, to + piece, s0)
        store(out, to + K + piece, s1)
        store(out, to + 2 * K + piece, s2)
        store(out, to + 3 * K + piece, s3)
        store(out, to + 4 * K + piece, s4)
        store(out, to + 5 * K + piece, s5)
        store(out, to + 6 * K + piece, s6)


@kernel(inner=True)
def from_pieces(
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
            store(gram, at, g0)
            store(gram, at + width, g1)
            store(gram, at + 2 * width, g2)
            store(gram, at + 3 * width, g3)
            store(gram, at + 4 * width, g4)
            store(gram, at + 5 * width, g5)
            store(gram, at + 6 * width, g6)
            store(gram, at + 7 * width, g7)
