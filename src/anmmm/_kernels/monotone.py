"""A smooth monotone function of the effect and a smooth curve of the cause, fitted together.

Products of their columns come in; the slopes of the function, the coefficients of the curve and
what both cost go out to `anmmm.evidence`. docs/method/decisions.md, eqs. 14 and 15.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import HYPER, dot, invert
from anmmm._kernels.slopes import SlopePrior, best_roughness, slope_precision

__all__ = ["LinkSums", "link_pieces", "monotone_link"]

# Largest change of a log-slope in a step; halvings of a step; share of the expected gain.
LONGEST, HALVINGS, GAIN = 2.0, 20, 1e-4
# Rounds of scales and slopes between two passes over the observations.
N_INNER = 3


class LinkSums(NamedTuple):
    """What a fit must know of an effect and of its cause's columns.

    Attributes
    ----------
    first : float64 (n,)
        The first of the three splines of h' that meet each observation.
    slopes : float64 (n, 3)
        Their values there.
    gram : float64 (m, m)
        Products of the splines' centered integrals, summed over the observations.
    moments : float64 (r, m)
        The same of the cause's columns and the centered integrals.
    """

    first: FloatArray
    slopes: FloatArray
    gram: FloatArray
    moments: FloatArray


@kernel(fastmath=SUMS)
def link_pieces(
    z: FloatArray, low: float, step: float, first: FloatArray, slopes: FloatArray,
    integrals: FloatArray,
) -> None:  # fmt: skip
    """Evaluate the quadratic B-splines of h', and their integrals, at points of the effect.

    Parameters
    ----------
    z : float64 (n,)
        Finite points.
    low, step : float
        First inner knot; distance of knots.
    first, slopes
        Overwritten; see `LinkSums`. Beyond the knots a spline keeps the value that it has there.
    integrals : float64 (n, m)
        Overwritten by the integrals of all m splines up to each point.

    Notes
    -----
    docs/method/decisions.md, eq. 14. O(n m).
    """
    m = integrals.shape[1]
    for k in range(z.shape[0]):
        u = (z[k] - low) / step
        j = int(max(0.0, min(math.floor(u), m - 3.0)))
        t = u - j
        s = max(0.0, min(t, 1.0))
        rest, beyond = 1.0 - s, t - s
        p, q, r = 0.5 * rest * rest, 0.5 + s * rest, 0.5 * s * s
        first[k] = j
        slopes[k, 0], slopes[k, 1], slopes[k, 2] = p, q, r
        for i in range(m):
            integrals[k, i] = step if i < j else 0.0
        integrals[k, j] = step * (1.0 - rest * rest * rest / 6.0 + beyond * p)
        integrals[k, j + 1] = step * (1.0 / 6.0 + s * (0.5 + s * (0.5 - s / 3.0)) + beyond * q)
        integrals[k, j + 2] = step * (s * s * s / 6.0 + beyond * r)


@kernel(fastmath=SUMS, part=True)
def _log_slopes(
    c: FloatArray, first: FloatArray, pieces: FloatArray, g: FloatArray, band: FloatArray
) -> float:
    """Sum of log h' over the observations; minus its first two derivatives by c.

    `band` (m, 3): the second ones, each row from the diagonal on.
    """
    for i in range(c.shape[0]):
        g[i] = 0.0
        for a in range(3):
            band[i, a] = 0.0
    total, product = 0.0, 1.0
    for k in range(first.shape[0]):
        j = int(first[k])
        s = c[j] * pieces[k, 0] + c[j + 1] * pieces[k, 1] + c[j + 2] * pieces[k, 2]
        # Logarithms cost more than all else here: one for four slopes.
        product *= s
        if k % 4 == 3:
            total += math.log(product)
            product = 1.0
        one = 1.0 / s
        p, q, t = pieces[k, 0] * one, pieces[k, 1] * one, pieces[k, 2] * one
        g[j] -= p
        g[j + 1] -= q
        g[j + 2] -= t
        band[j, 0] += p * p
        band[j, 1] += p * q
        band[j, 2] += p * t
        band[j + 1, 0] += q * q
        band[j + 1, 1] += q * t
        band[j + 2, 0] += t * t
    return total + math.log(product)


@kernel(fastmath=SUMS, part=True)
def _without_curve(sums: LinkSums, weight: FloatArray, A: FloatArray) -> None:
    """Write the quadratic form of c that is left when f is integrated out."""
    gram, moments = sums.gram, sums.moments
    for i in range(A.shape[0]):
        for j in range(i + 1):
            total = gram[i, j]
            for k in range(weight.shape[0]):
                total -= weight[k] * moments[k, i] * moments[k, j]
            A[i, j] = total
            A[j, i] = total


@kernel(fastmath=SUMS, inner=True)
def _quadratic(c: FloatArray, A: FloatArray, out: FloatArray) -> float:
    """Write the product of a matrix and a vector; return that of it and the vector."""
    total = 0.0
    for i in range(c.shape[0]):
        out[i] = dot(A[i], c)
        total += c[i] * out[i]
    return total


@kernel(fastmath=SUMS, part=True)
def _hessian(
    c: FloatArray, g: FloatArray, A: FloatArray, band: FloatArray, P: FloatArray, out: FloatArray
) -> None:
    """Write the Hessian by log c, lower triangle; `g` is the gradient but for the prior's part.

    Of the part that may be negative only what is positive counts.
    """
    for i in range(c.shape[0]):
        for j in range(i + 1):
            second = A[i, j]
            if i - j < 3:
                second += band[j, i - j]
            out[i, j] = c[i] * c[j] * second + P[i, j]
        out[i, i] += max(g[i], 0.0)


@kernel(fastmath=SUMS, part=True)
def _best_smoothness(
    c: FloatArray, sums: LinkSums, weight: FloatArray, prior: FloatArray, n_null: int, tau2: float
) -> float:
    """EM step of τ²; the same number where every column is free."""
    r = weight.shape[0]
    rough = 0.0
    for i in range(n_null, r):
        mean = weight[i] * dot(sums.moments[i], c)
        rough += (mean * mean + weight[i]) / prior[i]
    return (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER) if r > n_null else tau2


@kernel(fastmath=SUMS, part=True)
def _newton(
    cov: FloatArray, g: FloatArray, pull: FloatArray, move: FloatArray
) -> tuple[float, float]:
    """Write the step of a gradient and the prior's pull; return its largest part and its gain."""
    largest, gain = 0.0, 0.0
    for i in range(g.shape[0]):
        g[i] += pull[i]
    for i in range(g.shape[0]):
        move[i] = -dot(cov[i], g)
        gain -= move[i] * g[i]
        largest = max(largest, abs(move[i]))
    return largest, gain


@kernel(fastmath=SUMS)
def monotone_link(
    sums: LinkSums, prior: FloatArray, n_null: int, slope_prior: SlopePrior, tol: float,
    max_iter: int, log_slopes: FloatArray, mean: FloatArray, scales: FloatArray,
) -> tuple[float, int]:  # fmt: skip
    """Fit ``h(z) = f(x) + ε`` with h smooth and increasing, f smooth, ε standard Gaussian.

    Parameters
    ----------
    sums : LinkSums
    prior : float64 (r,)
        Prior variances of the coefficients of f, whose columns are orthogonal with mean square 1;
        beyond `n_null` in units of τ².
    n_null : int
        Columns that are not smoothed.
    slope_prior : SlopePrior
        Of the logarithms of the coefficients of h'.
    tol : float
        Stop when no log-slope would change by more.
    max_iter : int
        Most Newton steps.
    log_slopes : float64 (m,)
        Start and center of the prior; overwritten by the logarithms of the coefficients of h'.
    mean : float64 (r,)
        Overwritten by the posterior mean of the coefficients of f about the mean of h.
    scales : float64 (3,)
        Overwritten by the variance of columns that are not smoothed, τ² and ρ².

    Returns
    -------
    cost : float
        What both functions cost: the log-likelihood at their means minus the log evidence, f
        integrated out and h by Laplace's method.
    n_iter : int
        `max_iter` if it did not settle.

    Notes
    -----
    docs/method/decisions.md, eqs. 14 and 15. With f integrated out the objective is convex in the
    coefficients of h'. Of an effect of few values the slopes in between are told by the prior
    alone, which may take thousands of steps. O(n + r m² + m³) a step.
    """
    n, r, m = sums.first.shape[0], prior.shape[0], log_slopes.shape[0]
    A, P, work, cov = np.zeros((m, m)), np.zeros((m, m)), np.empty((m, m)), np.empty((m, m))
    c, g, by_c, off = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    pull, move, target, band = np.empty(m), np.zeros(m), np.empty(m), np.empty((m, 3))
    weight, start = np.empty(r), log_slopes.copy()
    scales[:] = 1.0
    share, aim, changed, cost, n_iter, halvings = 0.0, np.inf, 1.0, 0.0, 0, 0
    while True:
        for i in range(m):
            target[i] = log_slopes[i] + share * move[i]
            off[i] = target[i] - start[i]
            c[i] = math.exp(target[i])
        gained = _log_slopes(c, sums.first, sums.slopes, by_c, band)
        value = 0.5 * (_quadratic(c, A, g) + _quadratic(off, P, pull)) - gained
        if value > aim and halvings < HALVINGS:
            share *= 0.5
            halvings += 1
            continue
        for i in range(m):
            log_slopes[i] = target[i]
        scales[0] = max(_quadratic(c, sums.gram, g) / n, 1.0)
        settled = False
        for inner in range(N_INNER):
            for i in range(r):
                variance = scales[0] if i < n_null else prior[i] * scales[1]
                weight[i] = variance / (1.0 + n * variance)
            _without_curve(sums, weight, A)
            slope_precision(slope_prior, scales[2], 0, P)
            value = 0.5 * _quadratic(c, A, g) - gained
            penalty = 0.5 * _quadratic(off, P, pull)
            for i in range(m):
                g[i] = c[i] * (g[i] + by_c[i])
            _hessian(c, g, A, band, P, work)
            cost = penalty + 0.5 * invert(work, cov)
            largest, gain = _newton(cov, g, pull, move)
            settled = inner == 0 and (n_iter == max_iter or max(largest, changed) < tol)
            if settled:
                break
            share = min(1.0, LONGEST / largest)
            for i in range(m):
                target[i] = off[i] + share * move[i]
            scales[2] = best_roughness(slope_prior, target, 0, cov)
            for i in range(m):
                target[i] = math.exp(start[i] + target[i])
            tau2 = _best_smoothness(target, sums, weight, prior, n_null, scales[1])
            changed = 0.1 * abs(math.log(tau2 / scales[1]))
            scales[1] = tau2
        if settled:
            break
        aim = value + penalty - GAIN * share * gain
        halvings = 0
        n_iter += 1
    for i in range(r):
        mean[i] = weight[i] * dot(sums.moments[i], c)
        shrunk = 1.0 - n * weight[i]
        cost += 0.5 * (mean[i] * mean[i] * shrunk / weight[i] - math.log(shrunk))
    cost += 0.5 * (slope_prior.rough.shape[0] * math.log(scales[2]) - slope_prior.log_det)
    return cost, n_iter
