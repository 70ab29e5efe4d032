"""Linear non-Gaussian models of both directions, compared by their likelihoods."""

from __future__ import annotations

import math

import numpy as np

from anmmm._typing import FloatArray

# Hyvärinen 1998, the two-moment approximation with log cosh u and u exp(-u²/2).
GAUSSIAN_ENTROPY = 0.5 * (1.0 + math.log(2.0 * math.pi))
WEIGHT_LOGCOSH = 79.047
WEIGHT_ODD = 7.4129
LOGCOSH_OF_GAUSSIAN = 0.37457
# A residual below this share of the effect is rounding: a line has no direction.
SMALLEST_RESIDUAL = 1e-12


def lingam(x: FloatArray, y: FloatArray) -> float:
    """Linear non-Gaussian acyclic model (LiNGAM) of two variables.

    The direction in which a linear model with independent, non-Gaussian noise is likelier. For two
    variables this is the decision of DirectLiNGAM with its default measure.

    Notes
    -----
    The score is the log-likelihood ratio in nats per observation; 0 where x and y lie on one line.
    O(N).

    References
    ----------
    Shimizu, Hoyer, Hyvärinen, Kerminen: A linear non-Gaussian acyclic model for causal discovery.
    JMLR 7, 2006 (the model).

    Hyvärinen, Smith: Pairwise likelihood ratios for estimation of non-Gaussian structural equation
    models. JMLR 14, 2013 (the comparison, section 2; its entropies, section 3).
    """
    slope = float(np.mean(x * y))
    if 1.0 - slope * slope < SMALLEST_RESIDUAL:
        return 0.0
    return _length(y, x, slope) - _length(x, y, slope)


def _length(cause: FloatArray, effect: FloatArray, slope: float) -> float:
    residual = effect - slope * cause
    # Both directions have residuals of one variance, so that entropies of unit scale are compared.
    return _entropy(cause) + _entropy(residual / np.sqrt(np.mean(residual * residual)))


def _entropy(u: FloatArray) -> float:
    """Approximate differential entropy of a variable of mean 0 and variance 1."""
    size = np.abs(u)
    log_cosh = size + np.log1p(np.exp(-2.0 * size)) - math.log(2.0)
    even = float(log_cosh.mean()) - LOGCOSH_OF_GAUSSIAN
    odd = float(np.mean(u * np.exp(-0.5 * u * u)))
    return GAUSSIAN_ENTROPY - WEIGHT_LOGCOSH * even * even - WEIGHT_ODD * odd * odd
