"""Mixtures of smooth mechanisms in a fixed basis, by variational EM.

A `Design` and the effect come in; posteriors of the curves, responsibilities and bounds on the
evidence go out to `anmmm.mixture`. The equations are in docs/method/decisions.md.
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
    HYPER,
    LOG_2PI,
    Design,
    Pivots,
    add_products,
    add_rows,
    blocks_of,
    clear,
    collect,
    copy_part,
    curve_posterior,
    dot,
    in_blocks,
    linear,
    log_of_product,
    make_pivots,
    pack_covariance,
    packed_size,
    padded,
    quadratic,
)

__all__ = ["Curves", "Sums", "mixture_em", "mixture_membership"]

# Inverse-gamma prior on the variances of intercepts and slopes about their mean over the
# mechanisms: broad, with its mass above (a tenth of the effect's standard deviation)². Costs count
# from its mode.
NULL_SHAPE, NULL_SCALE = 0.5, 0.01
# Observations that each mechanism is taken to hold beforehand. At N = 100 the data hardly tell
# overlapping mechanisms apart, and free weights let one of them swallow another.
WEIGHT_PRIOR = 20.0
# Blocks whose sums of exponentials, each from 1 to C, are multiplied before a logarithm is taken.
MULTIPLIED = 32


class Curves(NamedTuple):
    """C fitted curves.

    Attributes
    ----------
    scales : float64 (3 + n_null,)
        Noise variance σ², smoothing variances τ² of the curves about their center and τ₀² of the
        center, variances ω² of the constant and linear coefficients about theirs. A single curve
        has its center at zero and keeps τ₀² and ω².
    center : float64 (r,)
        Posterior mean of the curves' center.
    weights : float64 (C,)
        Share of each curve.
    mean : float64 (C, r)
        Posterior means of the coefficients.
    packed : float64 (C, r (r + 1) / 2)
        Their posterior covariances, packed, off-diagonal entries doubled.
    """

    scales: FloatArray
    center: FloatArray
    weights: FloatArray
    mean: FloatArray
    packed: FloatArray


class Sums(NamedTuple):
    """What the observations say of C curves, each row padded.

    Attributes
    ----------
    grams : float64 (C, packed_size(r))
        ``Σ_n R_nc ψ_n ψ_nᵀ``, packed.
    moments : float64 (C, padded(r))
        ``Σ_n R_nc y_n ψ_n``.
    totals : float64 (C,)
        ``Σ_n R_nc``.
    """

    grams: FloatArray
    moments: FloatArray
    totals: FloatArray


class _Room(NamedTuple):
    """What a round of (curves, center, variances) writes to; vectors are padded."""

    pivots: Pivots
    precision: FloatArray
    spread: FloatArray
    second: FloatArray


class _Observed(NamedTuple):
    """Observations in blocks, and what is written for each.

    Attributes
    ----------
    design : float64 (n_blocks r BLOCK,)
        As `in_blocks` lays it out.
    y, present : float64 (n_blocks BLOCK,)
        The effect; 1 for an observation and 0 behind the last one.
    shares : float64 (C, n_blocks BLOCK)
        Responsibilities.
    r : int
    """

    design: FloatArray
    y: FloatArray
    present: FloatArray
    shares: FloatArray
    r: int


class _Lanes(NamedTuple):
    """What a pass over the blocks writes to; sums are still parted into lanes, and zero between.

    Attributes
    ----------
    grams : float64 (C, LANES r (r + 1) / 2)
    moments : float64 (C, LANES r)
    totals : float64 (C, LANES)
    highest, z : float64 (LANES,)
        Sum of the highest terms; product of the sums of terms as multiples of the highest.
    terms : float64 (C BLOCK,)
        Of one block.
    scratch : float64 (BLOCK,)
    """

    grams: FloatArray
    moments: FloatArray
    totals: FloatArray
    highest: FloatArray
    z: FloatArray
    terms: FloatArray
    scratch: FloatArray


@kernel(inner=True)
def _observe(columns: FloatArray, y: FloatArray, C: int) -> _Observed:
    n, r = columns.shape
    size = blocks_of(n) * BLOCK
    design, shares = in_blocks(columns), np.zeros((C, size))
    effect, present = np.zeros(size), np.zeros(size)
    for k in range(n):
        effect[k] = y[k]
        present[k] = 1.0
    return _Observed(design, effect, present, shares, r)


@kernel(inner=True)
def _make_lanes(C: int, r: int) -> _Lanes:
    return _Lanes(
        np.zeros((C, LANES * r * (r + 1) // 2)), np.zeros((C, LANES * r)), np.zeros((C, LANES)),
        np.zeros(LANES), np.ones(LANES), np.zeros(C * BLOCK),
        np.zeros(BLOCK),
    )  # fmt: skip


@kernel(inner=True)
def _make_curves(curves: Curves) -> Curves:
    """Return the same curves in padded rows."""
    C, r = curves.mean.shape
    same = Curves(
        curves.scales, np.zeros(padded(r)), curves.weights, np.zeros((C, padded(r))),
        np.zeros((C, packed_size(r))),
    )  # fmt: skip
    copy_part(curves.center, same.center)
    return same


@kernel(inner=True)
def _make_sums(C: int, r: int) -> Sums:
    return Sums(np.zeros((C, packed_size(r))), np.zeros((C, padded(r))), np.zeros(C))


@kernel(fastmath=SUMS, part=True)
def _center_posterior(design: Design, curves: Curves, room: _Room) -> float:
    """Posterior of the curves' center and its smoothness; returns what the center costs."""
    prior, n_null = design.prior, design.n_null
    scales, center, mean = curves.scales, curves.center, curves.mean
    precision, spread = room.precision, room.spread
    C, r = mean.shape[0], prior.shape[0]
    rough, log_ratios, so_far = 0.0, 0.0, 1.0
    for i in range(r):
        wide = prior[i] * (1.0 if i < n_null else scales[2])
        ratio = 1.0 + C * wide * precision[i]
        so_far, logarithm = log_of_product(so_far, ratio)
        log_ratios += logarithm
        spread[i] = wide / ratio
        total = 0.0
        for c in range(C):
            total += mean[c, i]
        center[i] = spread[i] * total * precision[i]
        if i >= n_null:
            rough += (center[i] * center[i] + spread[i]) / prior[i]
    penalty = 0.5 * (log_ratios + math.log(so_far) - r)
    if r > n_null:
        tau2 = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
        penalty += HYPER * (math.log(tau2) + 1.0 / tau2 - 1.0)
        penalty += 0.5 * (r - n_null) * math.log(tau2 / scales[2])
        scales[2] = tau2
    for i in range(r):
        wide = prior[i] * (1.0 if i < n_null else scales[2])
        penalty += 0.5 * (center[i] * center[i] + spread[i]) / wide
    return float(penalty)


@kernel(fastmath=SUMS, part=True)
def _mixture_posterior(
    sums: Sums, y2: float, design: Design, floor: float, n_inner: int, curves: Curves, room: _Room
) -> float:  # fmt: skip
    """Posteriors of all curves, of their center and the variances, given the responsibilities.

    Parameters
    ----------
    sums : Sums
        Of the responsibilities.
    y2 : float
        ``Σ y_n²``.
    design : Design
        Its columns are not read.
    floor : float
        Smallest noise variance.
    n_inner : int
        Rounds of (curves, center, variances).
    curves : Curves
        All but the weights overwritten; scales and center are read.
    room : _Room

    Returns
    -------
    float
        What the bound pays for curves, center and variances.

    Notes
    -----
    docs/method/decisions.md, eqs. 4 to 7. Every step raises the bound or leaves it. O(C r³).
    """
    prior, n_null = design.prior, design.n_null
    scales, center, mean = curves.scales, curves.center, curves.mean
    pivots, precision, spread, second = room
    n = design.columns.shape[0]
    C, r = mean.shape[0], prior.shape[0]
    width = padded(r)
    penalty = 0.0
    for inner in range(n_inner):
        for i in range(r):
            precision[i] = 1.0 / (prior[i] * (scales[3 + i] if i < n_null else scales[1]))
        rss = y2
        log_det = 0.0
        clear(second)
        for c in range(C):
            moment = sums.moments[c]
            log_det += curve_posterior(
                sums.grams[c], moment, scales[0], center, precision, mean[c], pivots
            )
            if inner == n_inner - 1:
                pack_covariance(pivots, r, curves.packed[c])
            # The Gram matrix is not read again: times a curve's covariance or mean it is what the
            # sweep has just solved for.
            for i in range(r):
                m, variance = mean[c, i], -pivots.matrix[i * width + i]
                second[i] += variance
                told = 1.0 - (variance + m * (m - center[i])) * precision[i]
                rss += scales[0] * told - m * moment[i]

        penalty = 0.5 * log_det
        if C > 1:
            penalty += _center_posterior(design, curves, room)
        rough = 0.0
        for i in range(r):
            for c in range(C):
                e = mean[c, i] - center[i]
                second[i] += e * e + spread[i]
            if i >= n_null:
                rough += second[i] / prior[i]
            elif C > 1:
                omega = (second[i] / prior[i] + 2.0 * NULL_SCALE) / (C + 2.0 * NULL_SHAPE)
                scales[3 + i] = omega
                penalty += NULL_SHAPE * math.log(omega / NULL_SCALE) + NULL_SCALE / omega
                penalty -= NULL_SHAPE * (1.0 - math.log(NULL_SHAPE))
        if r > n_null:
            scales[1] = (rough + 2.0 * HYPER) / (C * (r - n_null) + 2.0 * HYPER)
            penalty += HYPER * (math.log(scales[1]) + 1.0 / scales[1] - 1.0)
        s2 = rss / n
        scales[0] = s2 if s2 > floor else floor
        so_far = 1.0
        for i in range(r):
            variance = prior[i] * (scales[3 + i] if i < n_null else scales[1])
            so_far, logarithm = log_of_product(so_far, variance)
            penalty += 0.5 * (second[i] / variance + C * (logarithm - 1.0))
        penalty += 0.5 * C * math.log(so_far)
    return penalty


@kernel(inner=True)
def _write_terms(
    observed: _Observed, block: int, curves: Curves, log_weights: FloatArray, lanes: _Lanes
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
def _share_out(observed: _Observed, block: int, lanes: _Lanes) -> None:
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
def _add_block(observed: _Observed, block: int, shares: FloatArray, lanes: _Lanes, c: int) -> None:
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


@kernel(part=True)
def _collect_all(observed: _Observed, first: bool, lanes: _Lanes, sums: Sums, whole: Sums) -> None:
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
    _subtract(whole.grams[0], sums.grams)
    _subtract(whole.moments[0], sums.moments)
    total = whole.totals[0]
    for c in range(last):
        total -= sums.totals[c]
    sums.totals[last] = total


@kernel(inner=True)
def _subtract(whole: FloatArray, parts: FloatArray) -> None:
    """Write the last row of `parts`: what the other rows leave of the whole."""
    last = parts.shape[0] - 1
    for i in range(whole.shape[0]):
        total = whole[i]
        for c in range(last):
            total -= parts[c, i]
        parts[last, i] = total


@kernel(inner=True)
def _logarithms(lanes: _Lanes) -> float:
    """Return the sum of the logarithms of the lanes of `z`, which become 1."""
    total = 0.0
    for i in range(LANES):
        total += math.log(lanes.z[i])
        lanes.z[i] = 1.0
    return total


@kernel(part=True)
def _mixture_pass(
    observed: _Observed, first: bool, curves: Curves, log_weights: FloatArray, lanes: _Lanes,
    sums: Sums, whole: Sums,
) -> float:  # fmt: skip
    """Responsibilities under the curves, and the sums that the next posterior needs.

    Parameters
    ----------
    observed : _Observed
        Its shares are overwritten, but not in the first pass.
    first : bool
        Whether the shares are those to start from, ones for the last curve: `whole` is written.
    curves : Curves
        As `_mixture_posterior` leaves them.
    log_weights : float64 (C,)
        Logarithms of the curves' weights.
    lanes : _Lanes
    sums : Sums
        Overwritten.
    whole : Sums
        Of one curve that has all observations.

    Returns
    -------
    float
        ``Σ_n log Σ_c a_c exp(E_q log p(y_n | c))``, but for the noise's log.

    Notes
    -----
    docs/method/decisions.md, eq. 3. O(n C r²), one pass over the blocks.
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


@kernel(fastmath=SUMS)
def mixture_membership(columns: FloatArray, y: FloatArray, curves: Curves, R: FloatArray) -> None:
    """Write the responsibilities (n, C) of observations under fitted curves; O(n C r²)."""
    C, r = curves.mean.shape
    observed, lanes = _observe(columns, y, C), _make_lanes(C, r)
    log_weights, padded_curves = np.log(curves.weights), _make_curves(curves)
    for c in range(C):
        copy_part(curves.mean[c], padded_curves.mean[c])
        copy_part(curves.packed[c], padded_curves.packed[c])
    for block in range(observed.y.shape[0] // BLOCK):
        _write_terms(observed, block, padded_curves, log_weights, lanes)
        _share_out(observed, block, lanes)
        lanes.z[:] = 1.0
    _write_shares(observed, R)


@kernel(inner=True)
def _write_shares(observed: _Observed, R: FloatArray) -> None:
    for k in range(R.shape[0]):
        for c in range(R.shape[1]):
            R[k, c] = observed.shares[c, k]


@kernel(fastmath=SUMS)
def mixture_em(
    design: Design, y: FloatArray, floor: float, n_inner: int, tol: float, R: FloatArray,
    curves: Curves, history: FloatArray,
) -> int:  # fmt: skip
    """Fit C smooth curves with shared noise by variational EM, from given responsibilities.

    Parameters
    ----------
    design : Design
    y : float64 (n,)
    floor, n_inner
        See `mixture_posterior`.
    tol : float
        Stop when an iteration raises the bound by less.
    R : float64 (n, C)
        Responsibilities to start from; overwritten.
    curves : Curves
        Scales and center are where to start from; all overwritten by the fit.
    history : float64 (max_iter,)
        Overwritten by the bound after each iteration.

    Returns
    -------
    int
        Iterations done.

    Notes
    -----
    docs/method/decisions.md, eqs. 3 to 7. The bound never falls. O(n C r² + C r³) an iteration.
    """
    n, r = design.columns.shape
    C, width = R.shape[1], padded(r)
    weights, log_weights, fitted = curves.weights, np.empty(C), _make_curves(curves)
    observed, lanes = _observe(design.columns, y, C), _make_lanes(C, r)
    room = _Room(make_pivots(r), np.zeros(width), np.zeros(width), np.zeros(width))
    sums, whole = _make_sums(C, r), _make_sums(1, r)
    for k in range(n):
        observed.shares[C - 1, k] = 1.0
        for c in range(C - 1):
            observed.shares[c, k] = R[k, c]
    y2, penalty, n_iter = dot(y, y), 0.0, history.shape[0]
    for iteration in range(-1, history.shape[0]):
        if iteration >= 0:
            penalty = _mixture_posterior(sums, y2, design, floor, n_inner, fitted, room)
            for c in range(C):
                weights[c] = (sums.totals[c] + WEIGHT_PRIOR) / (n + C * WEIGHT_PRIOR)
                log_weights[c] = math.log(weights[c])
                penalty -= WEIGHT_PRIOR * (log_weights[c] + math.log(C))
        bound = _mixture_pass(observed, iteration < 0, fitted, log_weights, lanes, sums, whole)
        if iteration < 0:
            continue
        history[iteration] = bound - 0.5 * n * (LOG_2PI + math.log(fitted.scales[0])) - penalty
        if iteration > 0 and history[iteration] - history[iteration - 1] < tol:
            n_iter = iteration + 1
            break
    _write_shares(observed, R)
    copy_part(fitted.center, curves.center)
    for c in range(C):
        copy_part(fitted.mean[c], curves.mean[c])
        copy_part(fitted.packed[c], curves.packed[c])
    return int(n_iter)
