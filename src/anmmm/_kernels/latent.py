"""A smooth curve behind an effect that takes few values: intervals of a Gaussian variable, counts.

A `Design` and levels or counts come in; the curve's coefficients, the cuts between levels and what
both cost go out to `anmmm.evidence`. docs/method/decisions.md, eqs. 16 and 17.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.packed import HYPER, Design, add, clear, dot, invert

__all__ = ["Cuts", "latent_curve"]

# Interval, in units of the noise, below which its probability is taken from the density.
NARROW = 1e-3
# Least probability of a level.
TINY = 1e-250
# Largest change of a coefficient in a step; halvings of a step; share of the expected gain.
LONGEST, HALVINGS, GAIN = 3.0, 20, 1e-4
# Prior variance of the constant and linear coefficients: that of the latent variable, at most.
WIDEST = 100.0


class Cuts(NamedTuple):
    """How the cuts between levels depend on positive numbers, and the prior of their logarithms.

    Attributes
    ----------
    first : float64 (n_cuts,)
        The cuts without them; none for counts.
    per_slope : float64 (n_cuts, m)
        What each number adds.
    fixed : float64 (m, m)
        Precision of the logarithms about the start.
    rough : float64 (q, m)
        Combinations of them with the variance ρ², which is fitted.
    """

    first: FloatArray
    per_slope: FloatArray
    fixed: FloatArray
    rough: FloatArray


@kernel(fastmath=SUMS, inner=True)
def _interval(a: float, b: float, out: FloatArray) -> float:
    """Log-probability of (a, b) under a standard Gaussian.

    `out` (5,): its derivatives by a and b, and minus the second ones aa, ab, bb.
    """
    if b - a < NARROW:
        middle, width = 0.5 * (a + b), max(b - a, TINY)
        out[0], out[1] = -0.5 * middle - 1.0 / width, -0.5 * middle + 1.0 / width
        out[2] = 0.25 + 1.0 / (width * width)
        out[3], out[4] = 0.25 - 1.0 / (width * width), out[2]
        return -0.5 * middle * middle - 0.5 * math.log(2.0 * math.pi) + math.log(width)
    if a > 0.0:
        mass = 0.5 * (math.erfc(a * math.sqrt(0.5)) - math.erfc(b * math.sqrt(0.5)))
    else:
        mass = 0.5 * (math.erfc(-b * math.sqrt(0.5)) - math.erfc(-a * math.sqrt(0.5)))
    mass = max(mass, TINY)
    scale = 1.0 / (math.sqrt(2.0 * math.pi) * mass)
    out[0] = -scale * math.exp(-0.5 * a * a) if a > -np.inf else 0.0
    out[1] = scale * math.exp(-0.5 * b * b) if b < np.inf else 0.0
    out[2] = out[0] * (a + out[0]) if a > -np.inf else 0.0
    out[3] = out[0] * out[1]
    out[4] = out[1] * (b + out[1]) if b < np.inf else 0.0
    return math.log(mass)


@kernel(fastmath=SUMS, inner=True)
def _log_likelihood(f: FloatArray, y: FloatArray, size: float, cuts: FloatArray) -> float:
    """Of all observations: levels 0, 1, … where there are cuts, else counts."""
    total = 0.0
    last = cuts.shape[0]
    out = np.empty(5)
    for n in range(f.shape[0]):
        if last > 0:
            k = int(y[n])
            a = cuts[k - 1] - f[n] if k > 0 else -np.inf
            b = cuts[k] - f[n] if k < last else np.inf
            total += _interval(a, b, out)
        else:
            total += y[n] * f[n] - (y[n] + size) * math.log1p(math.exp(f[n]) / size)
    return total


@kernel(fastmath=SUMS, part=True)
def _derivatives(
    columns: FloatArray, f: FloatArray, y: FloatArray, size: float, cuts: FloatArray,
    g: FloatArray, H: FloatArray, by_cut: FloatArray, across: FloatArray,
) -> None:  # fmt: skip
    """Gradient (r,) and minus the Hessian (r, r) by the coefficients of f; the same by the cuts.

    `by_cut` (3, n_cuts): gradient, diagonal and next diagonal; `across` (n_cuts, r): mixed.
    """
    r, last = columns.shape[1], cuts.shape[0]
    out = np.empty(5)
    clear(g)
    H[:] = 0.0
    by_cut[:] = 0.0
    across[:] = 0.0
    for n in range(f.shape[0]):
        if last > 0:
            k = int(y[n])
            a = cuts[k - 1] - f[n] if k > 0 else -np.inf
            b = cuts[k] - f[n] if k < last else np.inf
            _interval(a, b, out)
            gradient, weight = -out[0] - out[1], out[2] + 2.0 * out[3] + out[4]
            if b - a < NARROW:
                gradient, weight = 0.5 * (a + b), 1.0
            if k > 0:
                by_cut[0, k - 1] += out[0]
                by_cut[1, k - 1] += out[2]
                add(-out[2] - out[3], columns[n], across[k - 1])
            if k < last:
                by_cut[0, k] += out[1]
                by_cut[1, k] += out[4]
                add(-out[3] - out[4], columns[n], across[k])
            if 0 < k < last:
                by_cut[2, k - 1] += out[3]
        else:
            share = math.exp(f[n]) / (size + math.exp(f[n]))
            gradient = y[n] - (y[n] + size) * share
            weight = (y[n] + size) * share * (1.0 - share)
        for i in range(r):
            g[i] += gradient * columns[n, i]
            add(weight * columns[n, i], columns[n, : i + 1], H[i, : i + 1])


@kernel(fastmath=SUMS, part=True)
def _into_slopes(
    slopes: FloatArray, per_slope: FloatArray, by_cut: FloatArray, across: FloatArray,
    g: FloatArray, H: FloatArray,
) -> None:  # fmt: skip
    """Turn derivatives by the cuts into those by the logarithms of the slopes, below f's."""
    n_cuts, m = per_slope.shape
    r = across.shape[1]
    for i in range(m):
        g[r + i] = 0.0
        clear(H[r + i])
        for k in range(n_cuts):
            g[r + i] += by_cut[0, k] * per_slope[k, i] * slopes[i]
            add(per_slope[k, i] * slopes[i], across[k], H[r + i, :r])
        for j in range(i + 1):
            total = 0.0
            for k in range(n_cuts):
                total += by_cut[1, k] * per_slope[k, i] * per_slope[k, j]
                if k + 1 < n_cuts:
                    total += by_cut[2, k] * (
                        per_slope[k, i] * per_slope[k + 1, j]
                        + per_slope[k + 1, i] * per_slope[k, j]
                    )
            H[r + i, r + j] = total * slopes[i] * slopes[j]
        # The part of the Hessian that may be negative is left out.
        H[r + i, r + i] += max(-g[r + i], 0.0)


@kernel(fastmath=SUMS)
def latent_curve(
    design: Design, y: FloatArray, size: float, cuts: Cuts, tol: float, max_iter: int,
    log_slopes: FloatArray, mean: FloatArray,
) -> tuple[float, int]:  # fmt: skip
    """Fit a smooth f behind levels, ``y = number of cuts below f(x) + ε``, or behind counts.

    Parameters
    ----------
    design : Design
    y : float64 (n,)
        Levels 0, 1, …, or counts where there are no cuts.
    size : float
        Of the negative binomial distribution of counts, whose mean is exp(f).
    cuts : Cuts
    tol : float
        Stop when no parameter changes by more.
    max_iter : int
        Most Newton steps.
    log_slopes : float64 (m,)
        Start, and center of the prior; overwritten.
    mean : float64 (r,)
        Start; overwritten by the mode of the coefficients of f.

    Returns
    -------
    cost : float
        What curve and cuts cost: the log-likelihood at the mode minus Laplace's log evidence.
    n_iter : int
        `max_iter` if it did not settle.

    Notes
    -----
    docs/method/decisions.md, eqs. 16 and 17. The log-likelihood is concave in f and the cuts.
    O(n r² + (r + m)³) a step.
    """
    columns, prior, n_null = design.columns, design.prior, design.n_null
    n, r = columns.shape
    n_cuts, m = cuts.per_slope.shape
    d = r + m
    f, trial_f, edges = np.empty(n), np.empty(n), np.empty(n_cuts)
    by_cut, across = np.empty((3, n_cuts)), np.empty((n_cuts, r))
    g, move, at, trial = np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    H, work, cov, P = np.empty((d, d)), np.empty((d, d)), np.empty((d, d)), np.zeros((d, d))
    start, slopes = log_slopes.copy(), np.exp(log_slopes)
    at[:r], at[r:] = mean, log_slopes
    tau2, rho2, largest, cost, log_prior = 1.0, 1.0, np.inf, 0.0, 0.0
    iteration = 0
    while True:
        spread = 1.0
        for i in range(1, r):
            spread += at[i] * at[i]
        spread = min(spread, WIDEST)
        log_prior = 0.0
        for i in range(r):
            P[i, i] = 1.0 / spread if i < n_null else 1.0 / (prior[i] * tau2)
            log_prior += math.log(P[i, i])
        for i in range(m):
            for j in range(m):
                P[r + i, r + j] = cuts.fixed[i, j]
                for q in range(cuts.rough.shape[0]):
                    P[r + i, r + j] += cuts.rough[q, i] * cuts.rough[q, j] / rho2
        for k in range(n):
            f[k] = dot(columns[k], at[:r])
        for i in range(m):
            slopes[i] = math.exp(at[r + i])
        for k in range(n_cuts):
            edges[k] = cuts.first[k] + dot(cuts.per_slope[k], slopes)
        _derivatives(columns, f, y, size, edges, g[:r], H[:r, :r], by_cut, across)
        _into_slopes(slopes, cuts.per_slope, by_cut, across, g, H)
        for i in range(d):
            trial[i] = at[i] - (start[i - r] if i >= r else 0.0)
        penalty = 0.0
        for i in range(d):
            pull = dot(P[i], trial)
            g[i] -= pull
            penalty += 0.5 * trial[i] * pull
            for j in range(i + 1):
                work[i, j] = H[i, j] + P[i, j]
        log_det = invert(work, cov)
        if iteration == max_iter or largest < tol:
            cost = penalty + 0.5 * log_det
            break
        gain, largest = 0.0, 0.0
        for i in range(d):
            move[i] = dot(cov[i], g)
            gain += move[i] * g[i]
            largest = max(largest, abs(move[i]))
        value = _log_likelihood(f, y, size, edges) - penalty
        share = 1.0 if largest < LONGEST else LONGEST / largest
        for _ in range(HALVINGS):
            for i in range(d):
                trial[i] = at[i] + share * move[i]
            for k in range(n):
                trial_f[k] = dot(columns[k], trial[:r])
            for i in range(m):
                slopes[i] = math.exp(trial[r + i])
            for k in range(n_cuts):
                edges[k] = cuts.first[k] + dot(cuts.per_slope[k], slopes)
            new = _log_likelihood(trial_f, y, size, edges)
            for i in range(d):
                pull = 0.0
                for j in range(d):
                    pull += P[i, j] * (trial[j] - (start[j - r] if j >= r else 0.0))
                new -= 0.5 * (trial[i] - (start[i - r] if i >= r else 0.0)) * pull
            if new >= value + GAIN * share * gain:
                break
            share *= 0.5
        for i in range(d):
            at[i] += share * move[i]
        rough = 0.0
        for i in range(n_null, r):
            rough += (at[i] * at[i] + cov[i, i]) / prior[i]
        if r > n_null:
            new_tau2 = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
            largest = max(largest, 0.1 * abs(math.log(new_tau2 / tau2)))
            tau2 = new_tau2
        q_rough = cuts.rough.shape[0]
        if q_rough > 0:
            rough = 0.0
            for q in range(q_rough):
                value = 0.0
                for i in range(m):
                    value += cuts.rough[q, i] * (at[r + i] - start[i])
                    for j in range(m):
                        rough += cuts.rough[q, i] * cuts.rough[q, j] * cov[r + i, r + j]
                rough += value * value
            rho2 = (rough + 2.0 * HYPER) / (q_rough + 2.0 * HYPER)
        iteration += 1
    mean[:], log_slopes[:] = at[:r], at[r:]
    if m > 0:
        for i in range(m):
            for j in range(m):
                work[i, j] = P[r + i, r + j]
        log_prior += invert(work[:m, :m], cov[:m, :m])
    return cost - 0.5 * log_prior, iteration
