"""A smooth monotone function of the effect and a smooth curve of the cause, fitted together.

A `Design` and the effect on some Gaussian scale come in; the slopes of the function, the
coefficients of the curve and what both cost go out to `anmmm.evidence`.
docs/method/decisions.md, eq. 14.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import HYPER, Design, add, clear, dot, invert

__all__ = ["N_SLOPES", "monotone_link"]

N_SLOPES = 10
# Of the function's logarithmic slope: standard deviations of its level about the start, and of the
# linear part between the middle and an end.
LEVEL_SPREAD, TREND_SPREAD = 2.0, 1.0
# Largest change of a log-slope in a step; halvings of a step; share of the expected gain.
LONGEST, HALVINGS, GAIN = 2.0, 20, 1e-4


@kernel(fastmath=SUMS, inner=True)
def _piece(z: float, low: float, step: float, slopes: FloatArray, integrals: FloatArray) -> int:
    """Quadratic B-splines that meet a point, (3,) each, and their integrals; index of the first.

    Of those before it the integral is 1, all in units of `step`; beyond the knots slopes are those
    at the end.
    """
    u = (z - low) / step
    last = N_SLOPES - 3
    j = min(max(math.floor(u), 0), last)
    t = u - j
    s = min(max(t, 0.0), 1.0)
    slopes[0], slopes[1], slopes[2] = 0.5 * (1.0 - s) ** 2, 0.5 + s - s * s, 0.5 * s * s
    integrals[0] = 1.0 - (1.0 - s) ** 3 / 6.0
    integrals[1] = 1.0 / 6.0 + s * (0.5 + s * (0.5 - s / 3.0))
    integrals[2] = s**3 / 6.0
    for k in range(3):
        integrals[k] += (t - s) * slopes[k]
    return j


@kernel(fastmath=SUMS, part=True)
def _prior_precision(P: FloatArray, rho2: float) -> None:
    """Precision of the log-slopes: second differences of variance ρ², a level, a trend."""
    m = P.shape[0]
    center = 0.5 * (m - 1)
    norm = 0.0
    for i in range(m):
        norm += ((i - center) / center) ** 2
    for i in range(m):
        for j in range(m):
            trend = (i - center) * (j - center) / (center * norm * TREND_SPREAD) ** 2
            P[i, j] = trend + 1.0 / (m * LEVEL_SPREAD) ** 2
    for i in range(m - 2):
        for a in range(3):
            for b in range(3):
                P[i + a, i + b] += (-2.0 if a == 1 else 1.0) * (-2.0 if b == 1 else 1.0) / rho2


@kernel(fastmath=SUMS, inner=True)
def _quadratic(c: FloatArray, gram: FloatArray) -> float:
    total = 0.0
    for i in range(c.shape[0]):
        total += c[i] * dot(gram[i], c)
    return total


@kernel(fastmath=SUMS, inner=True)
def _log_slopes(c: FloatArray, at: FloatArray, pieces: FloatArray) -> float:
    """Sum of log h' over the observations; `at` (n,) is the first spline that meets each."""
    total = 0.0
    for k in range(at.shape[0]):
        j = int(at[k])
        s = c[j] * pieces[k, 0] + c[j + 1] * pieces[k, 1] + c[j + 2] * pieces[k, 2]
        total += math.log(s)
    return total


@kernel(fastmath=SUMS)
def monotone_link(
    design: Design, z: FloatArray, low: float, step: float, tol: float, max_iter: int,
    log_slopes: FloatArray, mean: FloatArray,
) -> tuple[float, float, int]:  # fmt: skip
    """Fit ``h(z) = f(x) + ε`` with h smooth and increasing, f smooth, ε standard Gaussian.

    Parameters
    ----------
    design : Design
        Of the cause.
    z : float64 (n,)
        The effect, on a scale where h is nearly linear in its tails.
    low, step : float
        First inner knot of h and the distance of knots; h' has `N_SLOPES` quadratic B-splines.
    tol : float
        Stop when no log-slope changes by more.
    max_iter : int
        Most Newton steps.
    log_slopes : float64 (N_SLOPES,)
        Start, equal slopes; overwritten by the logarithms of the coefficients of h'.
    mean : float64 (r,)
        Overwritten by the posterior mean of the coefficients of f about the mean of h.

    Returns
    -------
    cost : float
        What both functions cost: the log-likelihood at their means minus the log evidence, f
        integrated out and h by Laplace's method.
    center : float
        Mean over the observations of h, integrated from minus infinity.
    n_iter : int
        `max_iter` if it did not settle.

    Notes
    -----
    docs/method/decisions.md, eqs. 14 and 15. With f integrated out the objective is convex in the
    coefficients of h', whose number is fixed: O(n (r + N_SLOPES) N_SLOPES) once, O(n) a step.
    """
    columns, prior, n_null = design.columns, design.prior, design.n_null
    n, r = columns.shape
    m = log_slopes.shape[0]
    at, pieces = np.empty(n), np.empty((n, 3))
    moments, gram, sums = np.zeros((r, m)), np.zeros((m, m)), np.zeros(m)
    A, P, work, cov = np.empty((m, m)), np.empty((m, m)), np.empty((m, m)), np.empty((m, m))
    c, g, move, trial, row = np.empty(m), np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    weight, variance, ratios = np.empty(r), np.empty(r), np.empty((m, m))
    integrals = np.empty(3)
    for k in range(n):
        j = _piece(z[k], low, step, pieces[k], integrals)
        at[k] = j
        for i in range(m):
            row[i] = step if i < j else 0.0
        for i in range(3):
            row[j + i] = step * integrals[i]
        for i in range(m):
            add(row[i], row, gram[i])
            sums[i] += row[i]
        for i in range(r):
            add(columns[k, i], row, moments[i])
    # Columns of the cause beyond the constant one have mean zero: centering h changes that alone.
    for i in range(m):
        add(-sums[i] / n, sums, gram[i])
        moments[0, i] = 0.0
    start = log_slopes[0]
    tau2, rho2, cost, largest = 1.0, 1.0, 0.0, 1.0
    iteration = 0
    while iteration <= max_iter:
        for i in range(m):
            c[i] = math.exp(log_slopes[i])
        spread = max(_quadratic(c, gram) / n, 1.0)
        for i in range(r):
            variance[i] = spread if i < n_null else prior[i] * tau2
            weight[i] = variance[i] / (1.0 + n * variance[i])
        for i in range(m):
            for j in range(m):
                A[i, j] = gram[i, j]
        for i in range(r):
            for j in range(m):
                add(-weight[i] * moments[i, j], moments[i], A[j])
        _prior_precision(P, rho2)
        # Gradient and Hessian of ½ cᵀAc - Σ log h' + ½ (b - b₀)ᵀP(b - b₀) in b = log c.
        clear(g)
        ratios[:] = 0.0
        for k in range(n):
            j = int(at[k])
            s = dot(c[j : j + 3], pieces[k])
            for a in range(3):
                share = pieces[k, a] / s
                g[j + a] -= share
                for b in range(a + 1):
                    ratios[j + a, j + b] += share * pieces[k, b] / s
        for i in range(m):
            g[i] = c[i] * (g[i] + dot(A[i], c))
            trial[i] = log_slopes[i] - start
        for i in range(m):
            for j in range(i + 1):
                work[i, j] = c[i] * c[j] * (A[i, j] + ratios[i, j]) + P[i, j]
            work[i, i] += max(g[i], 0.0)
        for i in range(m):
            g[i] += dot(P[i], trial)
        penalty = _quadratic(trial, P)
        log_det = invert(work, cov)
        if iteration == max_iter or largest < tol:
            cost = 0.5 * (penalty + log_det)
            break
        gain, largest = 0.0, 0.0
        for i in range(m):
            move[i] = dot(cov[i], g)
            gain += move[i] * g[i]
            largest = max(largest, abs(move[i]))
        value = 0.5 * (_quadratic(c, A) + penalty) - _log_slopes(c, at, pieces)
        share = 1.0 if largest < LONGEST else LONGEST / largest
        for _ in range(HALVINGS):
            for i in range(m):
                trial[i] = log_slopes[i] - share * move[i] - start
                c[i] = math.exp(trial[i] + start)
            new = 0.5 * (_quadratic(c, A) + _quadratic(trial, P)) - _log_slopes(c, at, pieces)
            if new <= value - GAIN * share * gain:
                break
            share *= 0.5
        for i in range(m):
            log_slopes[i] = trial[i] + start
        rough = 0.0
        for i in range(m - 2):
            curvature = log_slopes[i] - 2.0 * log_slopes[i + 1] + log_slopes[i + 2]
            spread = (
                cov[i, i] + 4.0 * cov[i + 1, i + 1] + cov[i + 2, i + 2]
                - 4.0 * cov[i, i + 1] - 4.0 * cov[i + 1, i + 2] + 2.0 * cov[i, i + 2]
            )  # fmt: skip
            rough += curvature * curvature + spread
        rho2 = (rough + 2.0 * HYPER) / (m - 2 + 2.0 * HYPER)
        rough = 0.0
        for i in range(n_null, r):
            mean[i] = weight[i] * dot(moments[i], c)
            rough += (mean[i] * mean[i] + weight[i]) / prior[i]
        if r > n_null:
            new_tau2 = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
            largest = max(largest, 0.1 * abs(math.log(new_tau2 / tau2)))
            tau2 = new_tau2
        iteration += 1
    for i in range(r):
        mean[i] = weight[i] * dot(moments[i], c)
        cost += 0.5 * (mean[i] * mean[i] / variance[i] + math.log(1.0 + n * variance[i]))
    _prior_precision(work, rho2)
    cost -= 0.5 * invert(work, cov)
    return cost, dot(sums, c) / n, iteration
