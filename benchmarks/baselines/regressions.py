"""Methods that regress each variable on the other one, reimplemented from their papers.

Each returns a score of x and y (n_samples,), positive if x causes y; exchanging both negates it.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree
from scipy.special import digamma
from scipy.stats import norm, rankdata, zscore
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer

from anmmm._typing import FloatArray
from anmmm.direction.prior import log_error_ratio

# bQCD: levels of quantiles by Gauss-Legendre quadrature, one level with fewer rows.
N_LEVELS = 7
FEWEST_ROWS = 200
# GRCI: neighbors of the mutual information, what rounding may add to their distance, and the
# smallest scale of the noise relative to the mean one.
N_NEIGHBORS = 10
ROUNDING = 1e-9
SMALLEST_SCALE = 0.05


def reci(x: FloatArray, y: FloatArray) -> float:
    """Return the log of the backward over the forward error of cubic curves (RECI).

    Blöbaum, Janzing, Washio, Shimizu, Schölkopf: Cause-effect inference by comparing regression
    errors. AISTATS 2018. Variables are scaled to [0, 1]. O(N).
    """
    return log_error_ratio(x, y)


def bqcd(x: FloatArray, y: FloatArray) -> float:
    """Return how much shorter x → y is by quantile codes, over the length without a cause (bQCD).

    Tagasovska, Chavez-Demoulin, Vatter: Distinguishing cause from effect using quantiles: bivariate
    quantile causal discovery. ICML 2020. The code of a variable has the length of the pinball loss
    of its quantiles, integrated over their levels; the effect has quantiles given the cause.

    Simplified: the paper takes quantiles from a kernel copula or a forest, and breaks ties at
    random. Here rows are weighed by a Gaussian kernel of normal scores, and ties have mean ranks.
    O(N²) time and memory.
    """
    u = norm.ppf(rankdata(x) / (len(x) + 1.0))
    v = norm.ppf(rankdata(y) / (len(y) + 1.0))
    marginal_x, conditional_x = _code_lengths(v, u)
    marginal_y, conditional_y = _code_lengths(u, v)
    forward = marginal_x + conditional_y
    backward = marginal_y + conditional_x
    return (backward - forward) / (marginal_x + marginal_y)


def _code_lengths(cause: FloatArray, effect: FloatArray) -> tuple[float, float]:
    """Return the lengths of codes of the effect without and with its cause."""
    nodes, weights = np.polynomial.legendre.leggauss(N_LEVELS if len(effect) >= FEWEST_ROWS else 1)
    order = np.argsort(effect, kind="stable")
    width = 1.06 * cause.std() * len(cause) ** -0.2
    kernel = np.exp(-0.5 * ((cause[:, np.newaxis] - cause[order]) / width) ** 2)
    shares = np.cumsum(kernel, axis=1)
    shares /= shares[:, -1:]
    lengths = np.zeros(2)
    for level, weight in zip(0.5 + 0.5 * nodes, 0.5 * weights, strict=True):
        given_cause = effect[order[(shares < level).sum(axis=1)]]
        for place, quantile in enumerate((np.quantile(effect, level), given_cause)):
            above = effect - quantile
            lengths[place] += weight * np.mean(np.maximum(level * above, (level - 1.0) * above))
    return float(lengths[0]), float(lengths[1])


def grci(x: FloatArray, y: FloatArray) -> float:
    """Return the backward minus the forward mutual information of cause and noise, in nats (GRCI).

    Strobl, Lasko: Identifying patient-specific root causes with the heteroscedastic noise model.
    arXiv:2205.13085, 2022. The noise is the effect minus its mean given the cause, over its mean
    absolute deviation given the cause.

    Simplified: only the decision about a pair. Means and deviations are cubic splines with a ridge
    penalty by leave-one-out errors; residuals are of the rows of the fit. O(N log N).
    """
    x = zscore(x)
    y = zscore(y)
    return _information(y, _noise(y, x)) - _information(x, _noise(x, y))


def _noise(cause: FloatArray, effect: FloatArray) -> FloatArray:
    model = make_pipeline(SplineTransformer(), RidgeCV(np.logspace(-3.0, 3.0, 13)))
    points = cause[:, np.newaxis]
    residual = effect - model.fit(points, effect).predict(points)
    deviation = np.abs(residual)
    scale = model.fit(points, deviation).predict(points)
    noise = residual / np.maximum(scale, SMALLEST_SCALE * deviation.mean() + np.finfo(float).tiny)
    return np.asarray(noise / (noise.std() or 1.0))


def _information(cause: FloatArray, noise: FloatArray) -> float:
    """Return mutual information less a constant of N, after Kraskov et al. (2004)."""
    points = np.column_stack([cause, noise])
    distance = KDTree(points).query(points, [N_NEIGHBORS + 1], p=np.inf)[0][:, 0]
    radius = distance * (1.0 + ROUNDING) + ROUNDING
    information = 0.0
    for values in points.T:
        ordered = np.sort(values)
        first = np.searchsorted(ordered, values - radius, "left")
        last = np.searchsorted(ordered, values + radius, "right")
        information -= float(np.mean(digamma(last - first)))
    return information
