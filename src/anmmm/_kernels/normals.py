"""Two Gaussians of one variance: the mixture of `anmmm._kernels.mixture` whose curves are constant.

A variable by itself comes in; shares, means, variance and costs go out to `anmmm.evidence`. With a
constant alone every matrix is a number, and which Gaussian an observation belongs to is a logistic
function of it. docs/method/decisions.md, eqs. 3 to 7.
"""

from __future__ import annotations

import math

import numpy as np

from anmmm._kernels._exp import exp_nonpositive
from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels.laws import median
from anmmm._kernels.mixture import NULL_SCALE, NULL_SHAPE, WEIGHT_PRIOR
from anmmm._kernels.packed import LOG_2PI, N_INNER

# Sums from 1 to 2 that are multiplied before a logarithm is taken.
MULTIPLIED = 256
# Share of a half of the values that starts in the other Gaussian, and the noise there.
START_SHARE, START_VARIANCE = 0.1, 0.25
# After so many iterations the fit goes on at least two more, as a run of the mixture's EM does.
SHORT_RUN = 10


@kernel(fastmath=SUMS, inner=True)
def _share_out(
    y: FloatArray, level: float, slope: float, scratch: FloatArray
) -> tuple[float, float, float]:
    """Share observations out to the first Gaussian, by log odds ``level + slope y``.

    Returns the sum of shares, that of their products with y, ``Σ log(1 + exp(level + slope y))``.
    """
    n, total, moment, logs = y.shape[0], 0.0, 0.0, 0.0
    for first in range(0, n, MULTIPLIED):
        m = min(MULTIPLIED, n - first)
        for k in range(m):
            scratch[k] = -abs(level + slope * y[first + k])
        exp_nonpositive(scratch, m)
        z = 1.0
        for k in range(m):
            odds = level + slope * y[first + k]
            positive = odds > 0.0
            share = (1.0 if positive else scratch[k]) / (1.0 + scratch[k])
            z *= 1.0 + scratch[k]
            total += share
            moment += share * y[first + k]
            logs += odds if positive else 0.0
        logs += math.log(z)
    return total, moment, logs


@kernel(fastmath=SUMS, inner=True)
def _posterior(
    totals: FloatArray,
    moments: FloatArray,
    n: int,
    y2: float,
    floor: float,
    state: FloatArray,
    means: FloatArray,
    variances: FloatArray,
) -> float:
    """Do what `mixture_posterior` does; `state` holds σ², the means' variance and their center."""
    penalty = 0.0
    for _ in range(N_INNER):
        precision, center = 1.0 / state[1], state[2]
        rss, second, penalty = y2, 0.0, 0.0
        for c in range(2):
            told = totals[c] / state[0] + precision
            mean = (moments[c] / state[0] + center * precision) / told
            penalty += 0.5 * math.log(told)
            second += 1.0 / told
            rss += state[0] * (1.0 - (1.0 / told + mean * (mean - center)) * precision)
            rss -= mean * moments[c]
            means[c], variances[c] = mean, 1.0 / told
        ratio = 1.0 + 2.0 * precision
        center, spread = (means[0] + means[1]) * precision / ratio, 1.0 / ratio
        penalty += 0.5 * (math.log(ratio) - 1.0 + center * center + spread)
        for c in range(2):
            second += (means[c] - center) ** 2 + spread
        omega = (second + 2.0 * NULL_SCALE) / (2.0 + 2.0 * NULL_SHAPE)
        penalty += NULL_SHAPE * math.log(omega / NULL_SCALE) + NULL_SCALE / omega
        penalty += 0.5 * second / omega - 1.0 + math.log(omega)
        penalty -= NULL_SHAPE * (1.0 - math.log(NULL_SHAPE))
        state[0], state[1], state[2] = max(rss / n, floor), omega, center
    return penalty


@kernel(fastmath=SUMS)
def two_normals(
    y: FloatArray, floor: float, tol: float, max_iter: int, weights: FloatArray, means: FloatArray
) -> tuple[float, float]:
    """Fit two Gaussians of one variance by variational EM, from the halves about the median.

    weights, means: (2,), overwritten. Returns the variance, and the log-likelihood at the means
    less the bound on the evidence.
    """
    n = y.shape[0]
    middle, scratch = median(y, np.empty(n)), np.empty(MULTIPLIED)
    variances, log_weights = np.zeros(2), np.zeros(2)
    totals, moments, state = np.zeros(2), np.zeros(2), np.array([START_VARIANCE, 1.0, 0.0])
    y1, y2 = 0.0, 0.0
    for k in range(n):
        share = START_SHARE if y[k] > middle else 1.0 - START_SHARE
        totals[0] += share
        moments[0] += share * y[k]
        y1 += y[k]
        y2 += y[k] * y[k]
    bound, before, penalty, log_likelihood, ended = -np.inf, 0.0, 0.0, 0.0, False
    for iteration in range(max_iter + 1):
        if not ended:
            totals[1], moments[1] = n - totals[0], y1 - moments[0]
            penalty = _posterior(totals, moments, n, y2, floor, state, means, variances)
            for c in range(2):
                weights[c] = (totals[c] + WEIGHT_PRIOR) / (n + 2.0 * WEIGHT_PRIOR)
                log_weights[c] = math.log(weights[c])
                penalty -= WEIGHT_PRIOR * (log_weights[c] + math.log(2.0))
        else:
            # Under the means themselves.
            variances[0] = variances[1] = 0.0
        one, other = means[0] * means[0] + variances[0], means[1] * means[1] + variances[1]
        half = 0.5 / state[0]
        level = log_weights[0] - log_weights[1] - half * (one - other)
        totals[0], moments[0], logs = _share_out(
            y, level, 2.0 * half * (means[0] - means[1]), scratch
        )
        log_likelihood = logs + n * log_weights[1] - half * (y2 - 2.0 * means[1] * y1 + n * other)
        log_likelihood -= 0.5 * n * (LOG_2PI + math.log(state[0]))
        if ended:
            break
        before, bound = bound, log_likelihood - penalty
        settled = iteration not in (0, SHORT_RUN) and bound - before < tol
        ended = settled or iteration == max_iter - 1
    return state[0], log_likelihood - bound
