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
    add,
    clear,
    curve_posterior,
    dot,
    outer_product,
    outer_products,
    pack_covariance,
    product_of,
)

__all__ = ["Curves", "Sums", "mixture_em", "mixture_membership"]

# Inverse-gamma prior on the variances of intercepts and slopes about their mean over the
# mechanisms: broad, with its mass above (a tenth of the effect's standard deviation)². Costs count
# from its mode.
NULL_SHAPE, NULL_SCALE = 0.5, 0.01
# Observations that each mechanism is taken to hold beforehand. At N = 100 the data hardly tell
# overlapping mechanisms apart, and free weights let one of them swallow another.
WEIGHT_PRIOR = 20.0
# A mechanism that is less probable than another by so many nats gets nothing of an observation.
IMPOSSIBLE = 40.0


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
    """What the observations say of C curves.

    Attributes
    ----------
    grams : float64 (C, r (r + 1) / 2)
        ``Σ_n R_nc ψ_n ψ_nᵀ``, packed.
    moments : float64 (C, r)
        ``Σ_n R_nc y_n ψ_n``.
    totals : float64 (C,)
        ``Σ_n R_nc``.
    """

    grams: FloatArray
    moments: FloatArray
    totals: FloatArray


@kernel(inner=True)
def clear_sums(sums: Sums) -> None:
    """Set all sums to zero."""
    clear(sums.totals)
    for c in range(sums.totals.shape[0]):
        clear(sums.grams[c])
        clear(sums.moments[c])


@kernel(fastmath=SUMS, inner=True)
def _variances(prior: FloatArray, n_null: int, scales: FloatArray, out: FloatArray) -> None:
    """Write the variances of coefficients about their mean over the mechanisms."""
    for i in range(prior.shape[0]):
        out[i] = prior[i] * (scales[3 + i] if i < n_null else scales[1])


@kernel(fastmath=SUMS, inner=True)
def _expected_squares(
    moment: FloatArray, s2: float, center: FloatArray, variance: FloatArray, mean: FloatArray,
    cov: FloatArray,
) -> float:  # fmt: skip
    """Return what a curve adds to the expected sum of squares beyond ``Σ R y²``.

    The Gram matrix is not read: times a curve's covariance or mean it is what `curve_posterior`
    has just solved for.
    """
    total = 0.0
    for i in range(mean.shape[0]):
        told = 1.0 - (cov[i, i] + mean[i] * (mean[i] - center[i])) / variance[i]
        total += s2 * told - mean[i] * moment[i]
    return total


@kernel(fastmath=SUMS, part=True)
def _center_posterior(
    design: Design, curves: Curves, variance: FloatArray, spread: FloatArray, shared: FloatArray
) -> float:
    """Posterior of the curves' center, its variances in `spread`; returns what the center costs."""
    prior, n_null = design.prior, design.n_null
    scales, center, mean = curves.scales, curves.center, curves.mean
    C, r = mean.shape
    penalty = 0.0
    rough = 0.0
    for i in range(r):
        wide = prior[i] * (1.0 if i < n_null else scales[2])
        spread[i] = 1.0 / (C / variance[i] + 1.0 / wide)
        total = 0.0
        for c in range(C):
            total += mean[c, i]
        center[i] = spread[i] * total / variance[i]
        shared[i] = center[i] * center[i] + spread[i]
        if i >= n_null:
            rough += shared[i] / prior[i]
    if r > n_null:
        scales[2] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
        penalty += HYPER * (math.log(scales[2]) + 1.0 / scales[2] - 1.0)
    for i in range(r):
        wide = prior[i] * (1.0 if i < n_null else scales[2])
        penalty += 0.5 * (shared[i] / wide - 1.0 + math.log(wide / spread[i]))
    return penalty


@kernel(fastmath=SUMS, part=True)
def mixture_posterior(
    sums: Sums, y2: float, design: Design, floor: float, n_inner: int, curves: Curves
) -> float:
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

    Returns
    -------
    float
        What the bound pays for curves, center and variances.

    Notes
    -----
    docs/method/decisions.md, eqs. 4 to 7. Every step raises the bound or leaves it. O(C r³).
    """
    grams, moments = sums.grams, sums.moments
    prior, n_null = design.prior, design.n_null
    scales, center, mean = curves.scales, curves.center, curves.mean
    n = design.columns.shape[0]
    C, r = moments.shape
    work, cov = np.empty((r, r)), np.empty((r, r))
    variance, spread, second, shared = np.empty(r), np.empty(r), np.empty(r), np.empty(r)
    clear(spread)
    penalty = 0.0
    for inner in range(n_inner):
        _variances(prior, n_null, scales, variance)
        rss = y2
        log_det = 0.0
        clear(second)
        for c in range(C):
            log_det += curve_posterior(
                grams[c], moments[c], scales[0], center, variance, mean[c], cov, work
            )
            rss += _expected_squares(moments[c], scales[0], center, variance, mean[c], cov)
            if inner == n_inner - 1:
                pack_covariance(cov, curves.packed[c])
            for i in range(r):
                second[i] += cov[i, i]

        penalty = 0.0
        if C > 1:
            penalty = _center_posterior(design, curves, variance, spread, shared)
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
        _variances(prior, n_null, scales, variance)
        penalty += 0.5 * log_det
        for i in range(r):
            penalty += 0.5 * (second[i] / variance[i] - C + C * math.log(variance[i]))
    return penalty


@kernel(fastmath=SUMS, part=True)
def mixture_sweep(
    columns: FloatArray, products: FloatArray, y: FloatArray, whole: Sums, curves: Curves,
    R: FloatArray, sums: Sums,
) -> float:  # fmt: skip
    """Responsibilities under the curves, and the sums that the next posterior needs.

    Parameters
    ----------
    columns : float64 (n, r), C order
    products : float64 (n or 1, r (r + 1) / 2)
        What `outer_products` gives for the columns.
    y : float64 (n,)
    whole : Sums
        Of one curve that has all observations.
    curves : Curves
        As `mixture_posterior` leaves them.
    R : float64 (n, C)
        Overwritten by the responsibilities.
    sums : Sums
        Overwritten.

    Returns
    -------
    float
        ``Σ_n log Σ_c a_c exp(E_q log p(y_n | c))``.

    Notes
    -----
    docs/method/decisions.md, eq. 3. O(n C r²), one pass, no temporary of length n.
    """
    n = y.shape[0]
    clear_sums(sums)
    log_weights = np.log(curves.weights)
    total = 0.0
    for k in range(n):
        outer = product_of(columns, products, k)
        total += _observation(columns[k], outer, y[k], curves, log_weights, R[k])
        _add_observation(R[k], y[k], columns[k], outer, sums)
    _complete(whole, sums)
    return float(total - 0.5 * n * (LOG_2PI + math.log(curves.scales[0])))


@kernel(fastmath=SUMS)
def mixture_membership(columns: FloatArray, y: FloatArray, curves: Curves, R: FloatArray) -> None:
    """Responsibilities alone, as `mixture_sweep` writes them."""
    log_weights = np.log(curves.weights)
    outer = np.empty(curves.packed.shape[1])
    for k in range(y.shape[0]):
        outer_product(columns[k], outer)
        _observation(columns[k], outer, y[k], curves, log_weights, R[k])


@kernel(fastmath=SUMS, inner=True)
def _observation(
    row: FloatArray, outer: FloatArray, y: float, curves: Curves, log_weights: FloatArray,
    shares: FloatArray,
) -> float:  # fmt: skip
    """Write the responsibilities for an observation; return its term but for the noise's log."""
    mean, packed, s2 = curves.mean, curves.packed, curves.scales[0]
    C = shares.shape[0]
    highest = -np.inf
    for c in range(C):
        e = y - dot(mean[c], row)
        value = log_weights[c] - 0.5 * e * e / s2
        if value > highest - IMPOSSIBLE:
            value -= 0.5 * dot(packed[c], outer) / s2
        shares[c] = value
        highest = value if value > highest else highest
    z = 0.0
    for c in range(C):
        below = shares[c] - highest
        shares[c] = math.exp(below) if below > -IMPOSSIBLE else 0.0
        z += shares[c]
    for c in range(C):
        shares[c] /= z
    return highest + math.log(z)


@kernel(fastmath=SUMS, inner=True)
def _add_observation(
    shares: FloatArray, y: float, row: FloatArray, outer: FloatArray, sums: Sums
) -> None:
    """Add an observation's shares to the sums of all curves but the last."""
    for c in range(shares.shape[0] - 1):
        if shares[c] > 0.0:
            sums.totals[c] += shares[c]
            add(shares[c], outer, sums.grams[c])
            add(shares[c] * y, row, sums.moments[c])


@kernel(fastmath=SUMS, inner=True)
def _complete(whole: Sums, sums: Sums) -> None:
    """Write the sums of the last curve, which has what the others leave of the whole."""
    last = sums.totals.shape[0] - 1
    sums.totals[last] = whole.totals[0]
    add(1.0, whole.grams[0], sums.grams[last])
    add(1.0, whole.moments[0], sums.moments[last])
    for c in range(last):
        sums.totals[last] -= sums.totals[c]
        add(-1.0, sums.grams[c], sums.grams[last])
        add(-1.0, sums.moments[c], sums.moments[last])


@kernel(inner=True)
def _empty_sums(C: int, r: int) -> Sums:
    return Sums(np.empty((C, r * (r + 1) // 2)), np.empty((C, r)), np.empty(C))


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
    columns = design.columns
    n, r = columns.shape
    C = R.shape[1]
    weights = curves.weights
    products = outer_products(columns)
    sums, whole = _empty_sums(C, r), _empty_sums(1, r)
    clear_sums(sums)
    clear_sums(whole)
    for k in range(n):
        outer = product_of(columns, products, k)
        _add_observation(R[k], y[k], columns[k], outer, sums)
        whole.totals[0] += 1.0
        add(1.0, outer, whole.grams[0])
        add(y[k], columns[k], whole.moments[0])
    _complete(whole, sums)
    y2 = dot(y, y)
    for iteration in range(history.shape[0]):
        penalty = mixture_posterior(sums, y2, design, floor, n_inner, curves)
        for c in range(C):
            weights[c] = (sums.totals[c] + WEIGHT_PRIOR) / (n + C * WEIGHT_PRIOR)
            penalty -= WEIGHT_PRIOR * math.log(C * weights[c])
        bound = mixture_sweep(columns, products, y, whole, curves, R, sums)
        history[iteration] = bound - penalty
        if iteration > 0 and history[iteration] - history[iteration - 1] < tol:
            return iteration + 1
    return int(history.shape[0])
