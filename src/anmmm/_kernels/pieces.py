"""Columns that are cubic between knots, and observations laid out by the piece that they lie on.

On a piece a curve is four numbers, its variance seven, and observations tell eleven sums, whatever
the number of columns. A cause and knots come in; `anmmm._kernels.strips` passes over what goes out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    load,
    load_one,
    multiply_add,
    plus,
    product,
    store,
)
from anmmm._kernels.packed import padded

# Coefficients of a curve on a piece, in powers of u; of its variance; sums of w u^k, then w y u^k.
CUBIC, N_TERMS, N_SUMS = 4, 7, 11
# Steps that a group of strips costs beside its own, and shares that strips may be of a piece.
GROUP_COST, MOST_SHARES = 4, LANES


class Pieces(NamedTuple):
    """Columns as cubic polynomials of u, which goes from -1 to 1 on each piece."""

    planes: FloatArray  # (r CUBIC padded(n_pieces),): column by column, power by power, each piece
    # (n_pieces CUBIC padded(r),): the same piece by piece, power by power, each column
    rows: FloatArray


class Strips(NamedTuple):
    """Observations in strips of equal length, each on one piece, eight strips side by side."""

    # (n_slots,), place; slot (group length + step) LANES + lane of strip group LANES + lane
    u: FloatArray
    present: FloatArray  # (n_slots,): 1 for an observation, 0 where a strip has none left
    piece: IndexArray  # (n_strips,)
    length: int  # steps of a strip


@kernel(inner=True)
def _strips_on(count: int, length: int) -> int:
    return (count + length - 1) // length


@kernel(inner=True)
def _choose_length(counts: IndexArray, n: int) -> int:
    """Length of strips at which the fewest slots are passed over."""
    chosen, least, most, k = 1, np.inf, 0, counts.shape[0] - 1
    for i in range(k):
        most = max(most, counts[i])
    for share in range(1, MOST_SHARES + 1):
        for even in range(2):
            length = _strips_on((n + k - 1) // k if even else most, share)
            strips = 0
            for i in range(k):
                strips += _strips_on(counts[i], length)
            steps = float(padded(strips) * (length + GROUP_COST))
            if steps < least:
                chosen, least = length, steps
    return chosen


@kernel()
def find_pieces(x: FloatArray, knots: FloatArray, piece: IndexArray, first: IndexArray) -> int:
    """Tell on which piece each observation (n,) lies, and choose strips; return their length.

    knots: (n_pieces + 1,), increasing, or fewer than two for columns that do not depend on the
    cause; first (n_pieces + 1,) gets each piece's first strip, and their number. O(n log n_pieces),
    no sort.
    """
    k = first.shape[0] - 1
    for i in range(k + 1):
        first[i] = 0
    for row in range(x.shape[0]):
        low, high = 0, k
        while high - low > 1:
            middle = (low + high) // 2
            if x[row] >= knots[middle]:
                low = middle
            else:
                high = middle
        piece[row] = low
        first[low] += 1
    length = _choose_length(first, x.shape[0])
    strips = 0
    for i in range(k + 1):
        count = first[i]
        first[i] = strips
        strips += _strips_on(count, length)
    return length


@kernel()
def lay_out(
    x: FloatArray,
    knots: FloatArray,
    piece: IndexArray,
    first: IndexArray,
    seen: IndexArray,
    strips: Strips,
    slots: IndexArray,
) -> None:
    """Lay observations out in strips, zero before, and write the slot of each.

    seen (n_pieces,), zero, counts those of each piece.
    """
    length = strips.length
    for i in range(seen.shape[0]):
        for strip in range(first[i], first[i + 1]):
            strips.piece[strip] = i
    for row in range(x.shape[0]):
        i = piece[row]
        shares = first[i + 1] - first[i]
        strip, step = first[i] + seen[i] % shares, seen[i] // shares
        seen[i] += 1
        slot = (strip // LANES * length + step) * LANES + strip % LANES
        slots[row], strips.present[slot] = slot, 1.0
        if knots.shape[0] > 1:
            width = knots[i + 1] - knots[i]
            strips.u[slot] = (2.0 * x[row] - knots[i] - knots[i + 1]) / width


@kernel()
def deal_out(
    effect: FloatArray, starts: FloatArray, slots: IndexArray, y: FloatArray, shares: FloatArray
) -> None:
    """Write an effect (n,) and responsibilities (S, n, C) to slots, the latter curve by curve."""
    S, n, C = starts.shape
    n_slots = y.shape[0]
    for k in range(effect.shape[0]):
        y[slots[k]] = effect[k]
    for s in range(S):
        for k in range(n):
            for c in range(C):
                shares[(s * C + c) * n_slots + slots[k]] = starts[s, k, c]


@kernel(inner=True)
def curve_on_pieces(
    planes: FloatArray, K: int, r: int, mean: FloatArray, out: FloatArray, to: int
) -> None:
    """Write the powers of a curve on all pieces from ``out[to]`` on."""
    for power in range(CUBIC):
        for piece in range(0, K, LANES):
            total = everywhere(0.0)
            for j in range(r):
                column = load(planes, (j * CUBIC + power) * K + piece)
                total = multiply_add(load_one(mean, j), column, total)
            store(out, to + power * K + piece, total)


@kernel(inner=True)
def variance_on_pieces(
    planes: FloatArray, K: int, rows: FloatArray, pivots: FloatArray, out: FloatArray, to: int
) -> None:
    """Write the powers of ``ψᵀ A⁻¹ ψ`` on all pieces from ``out[to]`` on, after an elimination."""
    r, width = rows.shape
    start = width - padded(r)
    for piece in range(0, K, LANES):
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = everywhere(0.0)
        for k in range(r):
            at = k * CUBIC * K + piece
            a, b = load(planes, at), load(planes, at + K)
            c, d = load(planes, at + 2 * K), load(planes, at + 3 * K)
            for j in range(k):
                w, at = load_one(rows, start + k * width + j), j * CUBIC * K + piece
                a = multiply_add(w, load(planes, at), a)
                b = multiply_add(w, load(planes, at + K), b)
                c = multiply_add(w, load(planes, at + 2 * K), c)
                d = multiply_add(w, load(planes, at + 3 * K), d)
            one = load_one(pivots, k)
            wa, wb, wc, wd = product(one, a), product(one, b), product(one, c), product(one, d)
            s0 = multiply_add(wa, a, s0)
            s6 = multiply_add(wd, d, s6)
            s2 = multiply_add(wb, b, s2)
            s4 = multiply_add(wc, c, s4)
            wa, wd = plus(wa, wa), plus(wd, wd)
            s1 = multiply_add(wa, b, s1)
            s2 = multiply_add(wa, c, s2)
            s3 = multiply_add(wa, d, s3)
            s3 = multiply_add(plus(wb, wb), c, s3)
            s4 = multiply_add(wd, b, s4)
            s5 = multiply_add(wd, c, s5)
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
    """Write the Gram matrix (width, width) and the moment (width,) of all columns.

    sums (N_SUMS, K) are those of the observations on each piece. Of the Gram matrix the blocks on
    and above the diagonal are written. scratch is (n_pieces CUBIC width,).
    """
    n_rows = n_pieces * CUBIC
    for j in range(0, width, LANES):
        total = everywhere(0.0)
        for piece in range(n_pieces):
            at = piece * CUBIC * width + j
            a, b = load(rows, at), load(rows, at + width)
            c, d = load(rows, at + 2 * width), load(rows, at + 3 * width)
            for power in range(CUBIC):
                s = power * K + piece
                mixed = product(load_one(sums, s), a)
                mixed = multiply_add(load_one(sums, s + K), b, mixed)
                mixed = multiply_add(load_one(sums, s + 2 * K), c, mixed)
                mixed = multiply_add(load_one(sums, s + 3 * K), d, mixed)
                store(scratch, at + power * width, mixed)
            s = N_TERMS * K + piece
            total = multiply_add(load_one(sums, s), a, total)
            total = multiply_add(load_one(sums, s + K), b, total)
            total = multiply_add(load_one(sums, s + 2 * K), c, total)
            total = multiply_add(load_one(sums, s + 3 * K), d, total)
        store(moment, j, total)
    for i in range(0, width, LANES):
        for j in range(i, width, LANES):
            g0 = g1 = g2 = g3 = g4 = g5 = g6 = g7 = everywhere(0.0)
            for row in range(n_rows):
                mixed, at = load(scratch, row * width + j), row * width + i
                g0 = multiply_add(load_one(rows, at), mixed, g0)
                g1 = multiply_add(load_one(rows, at + 1), mixed, g1)
                g2 = multiply_add(load_one(rows, at + 2), mixed, g2)
                g3 = multiply_add(load_one(rows, at + 3), mixed, g3)
                g4 = multiply_add(load_one(rows, at + 4), mixed, g4)
                g5 = multiply_add(load_one(rows, at + 5), mixed, g5)
                g6 = multiply_add(load_one(rows, at + 6), mixed, g6)
                g7 = multiply_add(load_one(rows, at + 7), mixed, g7)
            at = i * width + j
            store(gram, at, g0)
            store(gram, at + width, g1)
            store(gram, at + 2 * width, g2)
            store(gram, at + 3 * width, g3)
            store(gram, at + 4 * width, g4)
            store(gram, at + 5 * width, g5)
            store(gram, at + 6 * width, g6)
            store(gram, at + 7 * width, g7)
