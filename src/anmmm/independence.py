"""HSIC and its gamma-approximated test of independence.

Two variables come in; a number or an `HSICTest` goes out. The direction's criteria read it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from scipy.special import gammaincc, gammaln
from scipy.stats import gamma as gamma_distribution

from anmmm._kernels.hsic import gamma_moments
from anmmm._validation import as_pair, check_nonnegative
from anmmm.results import HSICTest

__all__ = ["hsic", "hsic_test", "median_width"]

FloatArray = NDArray[np.float64]

# Rows on which the median distance is taken; more change it in the third digit.
MEDIAN_ROWS = 1000
# Distances, relative to the largest value, that count as ties.
TIE = 1e-15
# Kernel width, relative to the largest value, from which on only ties are not independent.
SMALLEST_WIDTH = 1e-150
# Below it the regularised incomplete gamma function is near the smallest float, and its logarithm
# is taken from the continued fraction instead.
SMALL_TAIL = 1e-280


def median_width(x: FloatArray) -> float:
    """Kernel width by the median distance, ``sqrt(median(d²) / 2)`` over distinct points.

    Parameters
    ----------
    x : ndarray of shape (n_samples, n_features)

    Returns
    -------
    float
        Width w of the kernel ``exp(-d² / (2 w²))``.

    Notes
    -----
    Zero distances (ties, up to rounding) are left out. Above 1000 rows, 1000 of them are taken,
    evenly spaced in lexicographic order, so that the width does not depend on the order of the
    observations.
    """
    if len(x) > MEDIAN_ROWS:
        order = np.lexsort(x.T[::-1])
        x = x[order[np.linspace(0, len(x) - 1, MEDIAN_ROWS).astype(np.intp)]]
    squared = pdist(x, "sqeuclidean")
    # Distances so far below the data's own size are ties but for rounding.
    apart = squared[squared > (TIE * np.abs(x).max()) ** 2]
    return math.sqrt(0.5 * float(np.median(apart)))


def hsic(x: Any, y: Any, width: str | float = "median") -> float:
    """Biased Hilbert-Schmidt independence criterion with Gaussian kernels.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
    width : "median" or float
        Kernel width w in ``exp(-d² / (2 w²))``, of both variables; ``"median"`` takes each one's
        own median distance.

    Returns
    -------
    float
        ``tr(K H L H) / N²``, at least 0 up to rounding; 0 means independent in the limit.

    Raises
    ------
    TypeError, ValueError
        If a variable or the width cannot be used.

    Notes
    -----
    O(N²) time, O(N) memory.

    References
    ----------
    Gretton, Bousquet, Smola, Schölkopf: Measuring statistical dependence with Hilbert-Schmidt
    norms. ALT 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm import hsic
    >>> x = np.linspace(-1, 1, 50)
    >>> round(hsic(x, x**2), 4)
    0.0509
    """
    first, second = as_pair(x, y)
    widths = [_width(variable, width) for variable in (first, second)]
    first, second = _unit_scaled(first, second)
    return _moments(first, second, *widths)[0] / len(first) ** 2


def hsic_test(x: Any, y: Any, alpha: float = 0.05) -> HSICTest:
    """Test of independence by HSIC, its null approximated by a gamma distribution.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
    alpha : float
        Level of the threshold, between 0 and 1.

    Returns
    -------
    HSICTest
        Statistic ``N HSIC_b``, threshold, p-value and its logarithm.

    Raises
    ------
    TypeError, ValueError
        If a variable or alpha cannot be used.

    Notes
    -----
    Kernel widths by the median distance over all pairs (above 1000 rows over a subset, see
    `median_width`); causal-learn and lingam take it over the first 100 rows, so their numbers agree
    with these up to 100 observations. O(N²) time, O(N) memory. docs/mathematics.md, eq. 13.

    References
    ----------
    Gretton, Fukumizu, Teo, Song, Schölkopf, Smola: A kernel statistical test of independence.
    NIPS 2007.
    """
    if not 0.0 < check_nonnegative(alpha, "alpha") < 1.0:
        raise ValueError(f"alpha must lie between 0 and 1, found {alpha!r}")
    first, second = _unit_scaled(*as_pair(x, y))
    n = len(first)
    trace, squares, mu_x, mu_y = _moments(first, second, median_width(first), median_width(second))
    statistic = trace / n
    variance = squares / 36.0 / n / (n - 1)
    variance *= 72.0 * (n - 4) * (n - 5) / n / (n - 1) / (n - 2) / (n - 3)
    mean = (1.0 + mu_x * mu_y - mu_x - mu_y) / n
    shape, scale = mean**2 / variance, n * variance / mean
    log_pvalue = _log_gamma_tail(shape, statistic / scale)
    return HSICTest(
        statistic=statistic,
        threshold=float(gamma_distribution.isf(alpha, shape, scale=scale)),
        pvalue=math.exp(log_pvalue),
        log_pvalue=log_pvalue,
    )


def _unit_scaled(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    # With median widths HSIC does not change under a common scaling of a variable's columns, and
    # at size 1 no squared distance overflows or vanishes.
    return x / np.abs(x).max(), y / np.abs(y).max()


def _width(x: FloatArray, width: str | float) -> float:
    """Kernel width in units of the largest value of x."""
    unit = np.abs(x).max()
    if width == "median":
        return median_width(x / unit)
    number = check_nonnegative(width, "width") if not isinstance(width, str) else 0.0
    if number == 0.0:
        raise ValueError(f"width must be 'median' or a positive number, found {width!r}")
    with np.errstate(over="ignore"):
        return max(float(number / unit), SMALLEST_WIDTH)


def _moments(
    x: FloatArray, y: FloatArray, width_x: float, width_y: float
) -> tuple[float, float, float, float]:
    # Divided by its width first, so that no square of a width is ever formed.
    trace, squares, mu_x, mu_y = gamma_moments(
        np.ascontiguousarray((x / width_x).T),
        np.full(x.shape[1], 0.5),
        np.ascontiguousarray((y / width_y).T),
        np.full(y.shape[1], 0.5),
        1,
    )
    return float(trace), float(squares), float(mu_x), float(mu_y)


def _log_gamma_tail(shape: float, t: float) -> float:
    """Logarithm of the regularised upper incomplete gamma function Q(shape, t)."""
    tail = float(gammaincc(shape, t))
    if tail > SMALL_TAIL:
        return math.log(tail)
    # Continued fraction of Γ(a, t) (DLMF 8.9.2) by Lentz's method; it converges fast here, since
    # so small a tail means t far above the shape.
    b = t + 1.0 - shape
    d = 1.0 / b
    c = math.inf
    fraction = d
    for k in range(1, 1000):
        a = -k * (k - shape)
        b += 2.0
        d = 1.0 / (a * d + b)
        c = b + a / c
        fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return shape * math.log(t) - t - float(gammaln(shape)) + math.log(fraction)
