"""Mixtures of smooth mechanisms in a fixed basis, by variational EM.

A `Design` and the effect come in; posteriors of the curves, responsibilities and bounds on the
evidence go out to `anmmm.mixture`. The equations are in docs/method/decisions.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import (
    HYPER,
    LOG_2PI,
    Design,
    Pivots,
    clear,
    copy_part,
    curve_posterior,
    dot,
    log_of_product,
    make_pivots,
    pack_covariance,
    padded,
)
from anmmm._kernels.responsibilities import (
    Curves,
    Sums,
    make_curves,
    make_lanes,
    make_sums,
    mixture_pass,
    observe,
    write_shares,
)

__all__ = ["Curves", "Sums", "mixture_em", "mixture_posterior"]

# Inverse-gamma prior on the variances of intercepts and slopes about their mean over the
# mechanisms: broad, with its mass above (a tenth of the effect's standard deviation)². Costs count
# from its mode.
NULL_SHAPE, NULL_SCALE = 0.5, 0.01
# Observations that each mechanism is taken to hold beforehand. At N = 100 the data hardly tell
# overlapping mechanisms apart, and free weights let one of them swallow another.
WEIGHT_PRIOR = 20.0


class _Room(NamedTuple):
    """What a round of (curves, center, variances) writes to; vectors are padded."""

    pivots: Pivots
    precision: FloatArray
    spread: FloatArray
    second: FloatArray


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
def mixture_posterior(
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
    weights, log_weights, fitted = curves.weights, np.empty(C), make_curves(curves)
    observed, lanes = observe(design.columns, y, C), make_lanes(C, r)
    room = _Room(make_pivots(r), np.zeros(width), np.zeros(width), np.zeros(width))
    sums, whole = make_sums(C, r), make_sums(1, r)
    for k in range(n):
        observed.shares[C - 1, k] = 1.0
        for c in range(C - 1):
            observed.shares[c, k] = R[k, c]
    y2, penalty, n_iter = dot(y, y), 0.0, history.shape[0]
    for iteration in range(-1, history.shape[0]):
        if iteration >= 0:
            penalty = mixture_posterior(sums, y2, design, floor, n_inner, fitted, room)
            for c in range(C):
                weights[c] = (sums.totals[c] + WEIGHT_PRIOR) / (n + C * WEIGHT_PRIOR)
                log_weights[c] = math.log(weights[c])
                penalty -= WEIGHT_PRIOR * (log_weights[c] + math.log(C))
        bound = mixture_pass(observed, iteration < 0, fitted, log_weights, lanes, sums, whole)
        if iteration < 0:
            continue
        history[iteration] = bound - 0.5 * n * (LOG_2PI + math.log(fitted.scales[0])) - penalty
        if iteration > 0 and history[iteration] - history[iteration - 1] < tol:
            n_iter = iteration + 1
            break
    write_shares(observed, R)
    copy_part(fitted.center, curves.center)
    for c in range(C):
        copy_part(fitted.mean[c], curves.mean[c])
        copy_part(fitted.packed[c], curves.packed[c])
    return int(n_iter)
