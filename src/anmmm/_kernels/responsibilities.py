"""Which curve each observation belongs to, and what the observations then say of each curve.

A `Design` in blocks and fitted curves come in; responsibilities and weighted sums go out to the
mixture's EM. docs/method/decisions.md, eq. 3.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._exp import exp_nonpositive
from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    larger,
    load,
    load_one,
    multiply_add,
    product,
    quotient,
    store,
    total_of,
)
from anmmm._kernels.packed import (
    BLOCK,
    add_products,
    add_rows,
    blocks_of,
    collect,
    copy_part,
    in_blocks,
    linear,
    packed_size,
    padded,
    quadratic,
)

# Blocks whose sums of exponentials, each from 1 to C, are multiplied before a logarithm is taken.
MULTIPLIED = 32


class Curves(NamedTuple):
    """C fitted curves."""

    # (3 + n_null,): noise variance σ², τ² of curves about their center and τ₀² of the center,
    # variances ω² of the constant and linear coefficients about theirs; a single curve has its
    # center at zero and keeps τ₀² and ω²
    scales: FloatArray
    center: FloatArray  # (r,), posterior mean of the curves' center
    weights: FloatArray  # (C,)
    mean: FloatArray  # (C, r), posterior means of the coefficients
    packed: FloatArray  # (C, r (r + 1) / 2), their covariances, off-diagonal entries doubled


class Sums(NamedTuple):
    """What the observations say of C curves, each row padded."""

    grams: FloatArray  # (C, packed_size(r)), Σ_n R_nc ψ_n ψ_nᵀ, packed
    moments: FloatArray  # (C, padded(r)), Σ_n R_nc y_n ψ_n
    totals: FloatArray  # (C,), Σ_n R_nc


class Observed(NamedTuple):
    """Observations in blocks, and what is written for each."""

    design: FloatArray  # (n_blocks r BLOCK,), as `in_blocks` lays it out
    y: FloatArray  # (n_blocks BLOCK,)
    present: FloatArray  # (n_blocks BLOCK,), 1 for an observation and 0 behind the last one
    shares: FloatArray  # (C, n_blocks BLOCK), responsibilities
    r: int


class Lanes(NamedTuple):
    """What a pass over the blocks writes to; sums are still parted into lanes, and zero between."""

    grams: FloatArray  # (C, LANES r (r + 1) / 2)
    moments: FloatArray  # (C, LANES r)
    totals: FloatArray  # (C, LANES)
    highest: FloatArray  # (LANES,), sum of the highest terms
    z: FloatArray  # (LANES,), product of the sums of terms as multiples of the highest
    terms: FloatArray  # (C BLOCK,), of one block
    scratch: FloatArray  # (BLOCK,)


@kernel(inner=True)
def observe(columns: FloatArray, y: FloatArray, C: int) -> Observed:
    """Lay observations out in blocks, with room for the responsibilities of C curves."""
    n, r = columns.shape
    size = blocks_of(n) * BLOCK
    design, shares = in_blocks(columns), np.zeros((C, size))
    effect, present = np.zeros(size), np.zeros(size)
    for k in range(n):
        effect[k] = y[k]
        present[k] = 1.0
    return Observed(design, effect, present, shares, r)


@kernel(inner=True)
def make_lanes(C: int, r: int) -> Lanes:
    """Return what a pass writes to, for C curves of r columns."""
    return Lanes(
        np.zeros((C, LANES * r * (r + 1) // 2)),
        np.zeros((C, LANES * r)),
        np.zeros((C, LANES)),
        np.zeros(LANES),
        np.ones(LANES),
        np.zeros(C * BLOCK),
        np.zeros(BLOCK),
    )


@kernel(inner=True)
def make_curves(curves: Curves) -> Curves:
    """Return the same curves in padded rows."""
    C, r = curves.mean.shape
    same = Curves(
        curves.scales,
        np.zeros(padded(r)),
        curves.weights,
        np.zeros((C, padded(r))),
        np.zeros((C, packed_size(r))),
    )
    copy_part(curves.center, same.center)
    for c in range(C):
        copy_part(curves.mean[c], same.mean[c])
        copy_part(curves.packed[c], same.packed[c])
    return same


@kernel(inner=True)
def make_sums(C: int, r: int) -> Sums:
    """Return room for the sums of C curves of r columns."""
    return Sums(np.zeros((C, packed_size(r))), np.zeros((C, padded(r))), np.zeros(C))


@kernel(inner=True)
def _write_terms(
    observed: Observed, block: int, curves: Curves, log_weights: FloatArray, lanes: Lanes
) -> None:
    """Write ``log a_c + E_q log p(y_n | c)`` of a block's observations, but for the noise's log."""
    design, r, terms, scratch = observed.design, observed.r, lanes.terms, lanes.scratch
    first, minus = block * r * BLOCK, everywhere(-1.0)
    half = everywhere(-0.5 / curves.scales[0])
    for c in range(curves.mean.shape[0]):
        linear(design, first, r, curves.mean[c], scratch, 0)
        quadratic(design, first, r, curves.packed[c], terms, c * BLOCK)
        for h in range(0, BLOCK, LANES):
            e = multiply_add(minus, load(scratch, h), load(observed.y, block * BLOCK + h))
            squares = multiply_add(e, e, load(terms, c * BLOCK + h))
            store(terms, c * BLOCK + h, multiply_add(half, squares, load_one(log_weights, c)))


@kernel(inner=True)
def _share_out(observed: Observed, block: int, lanes: Lanes) -> None:
    """Turn a block's terms into responsibilities; add to `highest` and multiply `z`."""
    terms, minus, one = lanes.terms, everywhere(-1.0), everywhere(1.0)
    C, at = observed.shares.shape[0], block * BLOCK
    for h in range(0, BLOCK, LANES):
        top = load(terms, h)
        for c in range(1, C):
            top = larger(load(terms, c * BLOCK + h), top)
        for c in range(C):
            below = multiply_add(minus, top, load(terms, c * BLOCK + h))
            store(terms, c * BLOCK + h, below)
        present = load(observed.present, at + h)
        store(lanes.highest, 0, multiply_add(top, present, load(lanes.highest, 0)))
    exp_nonpositive(terms, C * BLOCK)
    for h in range(0, BLOCK, LANES):
        total = load(terms, h)
        for c in range(1, C):
            total = multiply_add(one, load(terms, c * BLOCK + h), total)
        present = load(observed.present, at + h)
        share = quotient(present, total)
        for c in range(C):
            store(observed.shares[c], at + h, product(load(terms, c * BLOCK + h), share))
        # The sum is at least 1; behind the last observation it does not count.
        store(lanes.z, 0, product(load(lanes.z, 0), larger(product(total, present), one)))


@kernel(inner=True)
def _add_block(observed: Observed, block: int, shares: FloatArray, lanes: Lanes, c: int) -> None:
    """Add a block's observations, with their shares, to the sums of a curve."""
    first, at, scratch = block * observed.r * BLOCK, block * BLOCK, lanes.scratch
    add_products(observed.design, first, observed.r, shares, at, lanes.grams[c])
    total = load(lanes.totals[c], 0)
    for h in range(0, BLOCK, LANES):
        share = load(shares, at + h)
        store(scratch, h, product(share, load(observed.y, at + h)))
        total = multiply_add(everywhere(1.0), share, total)
    store(lanes.totals[c], 0, total)
    add_rows(observed.design, first, observed.r, scratch, 0, lanes.moments[c])


@kernel(inner=True)
def _collect_all(observed: Observed, first: bool, lanes: Lanes, sums: Sums, whole: Sums) -> None:
    """Write the sums of all curves; the last one has what the others leave of the whole."""
    last, r = sums.totals.shape[0] - 1, observed.r
    for c in range(last + 1 if first else last):
        collect(lanes.grams[c], r * (r + 1) // 2, sums.grams[c])
        collect(lanes.moments[c], r, sums.moments[c])
        sums.totals[c] = total_of(load(lanes.totals[c], 0))
        store(lanes.totals[c], 0, everywhere(0.0))
    if first:
        copy_part(sums.grams[last], whole.grams[0])
        copy_part(sums.moments[last], whole.moments[0])
        whole.totals[0] = sums.totals[last]
    subtract(whole.grams[0], sums.grams)
    subtract(whole.moments[0], sums.moments)
    total = whole.totals[0]
    for c in range(last):
        total -= sums.totals[c]
    sums.totals[last] = total


@kernel(inner=True)
def subtract(whole: FloatArray, parts: FloatArray) -> None:
    """Write the last row of `parts`: what the other rows leave of the whole."""
    last = parts.shape[0] - 1
    for i in range(whole.shape[0]):
        total = whole[i]
        for c in range(last):
            total -= parts[c, i]
        parts[last, i] = total


@kernel(inner=True)
def _logarithms(lanes: Lanes) -> float:
    """Return the sum of the logarithms of the lanes of `z`, which become 1."""
    total = 0.0
    for i in range(LANES):
        total += math.log(lanes.z[i])
        lanes.z[i] = 1.0
    return total


@kernel(inner=True)
def mixture_pass(
    observed: Observed,
    first: bool,
    curves: Curves,
    log_weights: FloatArray,
    lanes: Lanes,
    sums: Sums,
    whole: Sums,
) -> float:
    """Responsibilities under the curves, and the sums that the next posterior needs; eq. 3.

    docs/method/decisions.md. In the first pass the shares are those to start from, ones for the
    last curve, and `whole`, the sums of one curve that has all observations, is written. Returns
    ``Σ_n log Σ_c a_c exp(E_q log p(y_n | c))``, but for the noise's log. O(n C r²).
    """
    C, total = observed.shares.shape[0], 0.0
    for block in range(observed.y.shape[0] // BLOCK):
        if not first:
            _write_terms(observed, block, curves, log_weights, lanes)
            _share_out(observed, block, lanes)
        for c in range(C if first else C - 1):
            _add_block(observed, block, observed.shares[c], lanes, c)
        if block % MULTIPLIED == MULTIPLIED - 1:
            total += _logarithms(lanes)
    total += _logarithms(lanes) + total_of(load(lanes.highest, 0))
    store(lanes.highest, 0, everywhere(0.0))
    _collect_all(observed, first, lanes, sums, whole)
    return float(total)


@kernel(inner=True)
def write_shares(observed: Observed, R: FloatArray) -> None:
    """Write the responsibilities (n, C)."""
    for k in range(R.shape[0]):
        for c in range(R.shape[1]):
            R[k, c] = observed.shares[c, k]


@kernel(fastmath=SUMS)
def mixture_membership(columns: FloatArray, y: FloatArray, curves: Curves, R: FloatArray) -> None:
    """Write the responsibilities (n, C) of observations under fitted curves; O(n C r²)."""
    C, r = curves.mean.shape
    observed, lanes = observe(columns, y, C), make_lanes(C, r)
    log_weights, padded_curves = np.log(curves.weights), make_curves(curves)
    for block in range(observed.y.shape[0] // BLOCK):
        _write_terms(observed, block, padded_curves, log_weights, lanes)
        _share_out(observed, block, lanes)
        _logarithms(lanes)
    write_shares(observed, R)
