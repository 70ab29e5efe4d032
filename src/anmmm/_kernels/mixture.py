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

# Inverse-gamma prior on the variances of intercepts and slopes about their mean over the
# mechanisms: broad, with its mass above (a tenth of the effect's standard deviation)². Costs count
# from its mode.
NULL_SHAPE, NULL_SCALE = 0.5, 0.01
# Observations that each mechanism is taken to hold beforehand. At N = 100 the data hardly tell
# overlapping mechanisms apart, and free weights let one of them swallow another.
WEIGHT_PRIOR = 20.0


class Rounds(NamedTuple):
    """What a round of (curves, center, variances) writes to; vectors are padded."""

    precision: FloatArray
    spread: FloatArray
    second: FloatArray


class Posteriors(NamedTuple):
    """Of C curves, each row padded."""

    moments: FloatArray  # (C, padded(r)), Σ_n R_nc y_n ψ_n
    mean: FloatArray  # (C, padded(r)), of the coefficients
    variance: FloatArray  # (C, padded(r))


@kernel(inner=True)
def make_rounds(r: int) -> Rounds:
    """Return room for curves of r columns."""
    return Rounds(np.zeros(padded(r)), np.zeros(padded(r)), np.zeros(padded(r)))


@kernel(inner=True)
def curve_precision(prior: FloatArray, n_null: int, scales: FloatArray, out: FloatArray) -> None:
    """Write the prior precision of the curves about their center."""
    for i in range(prior.shape[0]):
        out[i] = 1.0 / (prior[i] * (scales[3 + i] if i < n_null else scales[1]))


@kernel(fastmath=SUMS, inner=True)
def _center_posterior(
    prior: FloatArray,
    n_null: int,
    scales: FloatArray,
    center: FloatArray,
    mean: FloatArray,
    room: Rounds,
) -> float:
    """Posterior of the curves' center and its smoothness; returns what the center costs."""
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


@kernel(fastmath=SUMS, inner=True)
def conclude(
    n: int,
    y2: float,
    floor: float,
    prior: FloatArray,
    n_null: int,
    posteriors: Posteriors,
    log_det: float,
    scales: FloatArray,
    center: FloatArray,
    room: Rounds,
) -> tuple[float, float]:
    """Overwrite center and variances given the curves' posteriors; return penalty and residuals.

    y2: ``Σ y_n²``; log_det: sum over the curves' posterior precisions. The penalty is what the
    bound pays for curves, center and variances; residuals are expected squares.
    """
    precision, spread, second = room
    moments, mean, variance = posteriors
    C, r = mean.shape[0], prior.shape[0]
    rss = y2
    clear(second)
    for c in range(C):
        # The Gram matrix is not read: times a curve's covariance or mean it is what has just been
        # solved for.
        for i in range(r):
            m = mean[c, i]
            second[i] += variance[c, i]
            told = 1.0 - (variance[c, i] + m * (m - center[i])) * precision[i]
            rss += scales[0] * told - m * moments[c, i]
    penalty = 0.5 * log_det
    if C > 1:
        penalty += _center_posterior(prior, n_null, scales, center, mean, room)
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
        wide = prior[i] * (scales[3 + i] if i < n_null else scales[1])
        so_far, logarithm = log_of_product(so_far, wide)
        penalty += 0.5 * (second[i] / wide + C * (logarithm - 1.0))
    return penalty + 0.5 * C * math.log(so_far), rss


@kernel(fastmath=SUMS, inner=True)
def mixture_posterior(
    sums: Sums,
    y2: float,
    design: Design,
    floor: float,
    n_inner: int,
    curves: Curves,
    pivots: Pivots,
    variance: FloatArray,
    room: Rounds,
) -> float:
    """Posteriors of the curves, their center and variances; return what the bound pays for them.

    docs/method/decisions.md, eqs. 4 to 7. variance: (C, padded(r)), overwritten; the design's
    columns are not read. Every step raises the bound or leaves it. O(C r³).
    """
    prior, n_null, scales, mean = design.prior, design.n_null, curves.scales, curves.mean
    C, r = mean.shape[0], prior.shape[0]
    penalty = 0.0
    for inner in range(n_inner):
        curve_precision(prior, n_null, scales, room.precision)
        log_det = 0.0
        for c in range(C):
            log_det += curve_posterior(
                sums.grams[c],
                sums.moments[c],
                scales[0],
                curves.center,
                room.precision,
                mean[c],
                pivots,
            )
            if inner == n_inner - 1:
                pack_covariance(pivots, r, curves.packed[c])
            for i in range(r):
                variance[c, i] = -pivots.matrix[i * padded(r) + i]
        penalty = conclude(
            design.columns.shape[0],
            y2,
            floor,
            prior,
            n_null,
            Posteriors(sums.moments, mean, variance),
            log_det,
            scales,
            curves.center,
            room,
        )[0]
    return penalty


@kernel(inner=True)
def weigh(totals: FloatArray, n: int, weights: FloatArray, log_weights: FloatArray) -> float:
    """Write the shares of curves that have so many of n observations; return what they cost."""
    C, penalty = totals.shape[0], 0.0
    for c in range(C):
        weights[c] = (totals[c] + WEIGHT_PRIOR) / (n + C * WEIGHT_PRIOR)
        log_weights[c] = math.log(weights[c])
        penalty -= WEIGHT_PRIOR * (log_weights[c] + math.log(C))
    return penalty


@kernel(fastmath=SUMS)
def mixture_em(
    design: Design,
    y: FloatArray,
    floor: float,
    n_inner: int,
    tol: float,
    R: FloatArray,
    curves: Curves,
    history: FloatArray,
) -> int:
    """Fit C smooth curves with shared noise by variational EM; return the iterations done.

    docs/method/decisions.md, eqs. 3 to 7. R: (n, C), responsibilities to start from, overwritten as
    are curves and history (max_iter,). The bound never falls. O(n C r² + C r³) an iteration.
    """
    n, r = design.columns.shape
    C, width = R.shape[1], padded(r)
    weights, log_weights, fitted = curves.weights, np.empty(C), make_curves(curves)
    observed, lanes = observe(design.columns, y, C), make_lanes(C, r)
    pivots, variance, room = make_pivots(r), np.zeros((C, width)), make_rounds(r)
    sums, whole = make_sums(C, r), make_sums(1, r)
    for k in range(n):
        observed.shares[C - 1, k] = 1.0
        for c in range(C - 1):
            observed.shares[c, k] = R[k, c]
    y2, penalty, n_iter = dot(y, y), 0.0, history.shape[0]
    for iteration in range(-1, history.shape[0]):
        if iteration >= 0:
            penalty = mixture_posterior(
                sums, y2, design, floor, n_inner, fitted, pivots, variance, room
            )
            penalty += weigh(sums.totals, n, weights, log_weights)
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
