"""Additive noise models of both directions, compared by the independence of their residuals."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from anmmm._typing import FloatArray
from anmmm.independence import median_width
from benchmarks.baselines.base import independence_score

# Of standardized variables: signal and noise variances, and length scales from far below the
# spacing of 1000 points to a straight line.
VARIANCES = (1e-3, 1e3)
NOISE = (1e-5, 1e1)
LENGTHS = (1e-2, 1e2)
START_NOISE = 0.1
N_STARTS = 2


def anm(x: FloatArray, y: FloatArray) -> float:
    """Additive noise model (ANM) with Gaussian process regression and HSIC.

    The direction in which the residual of the effect is more independent of the cause.

    Score: forward minus backward log p-value of the gamma HSIC test, in nats. The likelihood is
    maximized from `N_STARTS` length scales, the median distance, a quarter of it and so on; the
    likeliest end is taken. O(N³) time and O(N²) memory for each of some twenty evaluations a start.

    References
    ----------
    Hoyer, Janzing, Mooij, Peters, Schölkopf: Nonlinear causal discovery with additive noise
    models. NIPS 2008.

    Mooij, Peters, Janzing, Zscheischler, Schölkopf: Distinguishing cause from effect using
    observational data. JMLR 17, 2016 (Algorithm 1 with the score ANM-pHSIC).
    """
    return independence_score((x, _residual(x, y, N_STARTS)), (y, _residual(y, x, N_STARTS)))


def _residual(cause: FloatArray, effect: FloatArray, n_starts: int) -> FloatArray:
    points = cause[:, np.newaxis]
    width = median_width(points)
    ends = [_maximize(points, effect, width * 0.25**start) for start in range(n_starts)]
    kernel = max(ends, key=lambda end: end[0])[1]
    model = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(points, effect)
    # Of one dimension both: predictions of a column would have lost it.
    return np.asarray(effect - model.predict(points))


def _maximize(points: FloatArray, effect: FloatArray, length: float) -> tuple[float, Any]:
    """Log-likelihood and kernel where L-BFGS ends."""
    kernel = ConstantKernel(1.0, VARIANCES) * RBF(float(np.clip(length, *LENGTHS)), LENGTHS)
    kernel += WhiteKernel(START_NOISE, NOISE)
    model = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None).fit(points, effect)

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = model.log_marginal_likelihood(theta, True, clone_kernel=False)
        return -value, -gradient

    # Through SciPy and not through ``fit``, which warns of every parameter that ends at its bound:
    # here a bound means a straight line, or no noise.
    end = minimize(loss, model.kernel_.theta, jac=True, method="L-BFGS-B", bounds=kernel.bounds)
    return -float(end.fun), kernel.clone_with_theta(end.x)
