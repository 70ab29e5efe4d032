"""HSIC and its tests of independence."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, Literal

import numpy as np
from scipy.special import (
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    log_ndtr,
    logsumexp,
    ndtri,
)

from anmmm._columns import takes_pairs
from anmmm._kernels.distances import middle_distances
from anmmm._kernels.hsic import gamma_moments
from anmmm._record import Record
from anmmm._typing import ArrayLike, FloatArray, IntArray
from anmmm._validation import as_pair, check_between, check_choice
from anmmm._warning import default_float_errors
from anmmm.gppom.engines.factor import RankTooLargeError
from anmmm.permutation import (
    LARGEST_PAIRWISE,
    CenteredGram,
    Permuted,
    permuted_trace,
    placed_traces,
    two_by_two_traces,
)

# Rows on which the median distance is taken; more change it in the third digit.
MEDIAN_ROWS = 1000
# Distances, relative to the largest value, that count as ties.
TIE = 1e-15
# Below it the regularized incomplete gamma function is near the smallest float, and its logarithm
# is taken from the continued fraction instead.
SMALL_TAIL = 1e-280
# Skewness below which Pearson's distribution of type III is normal to four digits.
NO_SKEW = 1e-4
NULLS = ("gamma", "permutation")
# Rows that differ from one value of all others, up to which their places are enumerated or drawn.
# Of more, three moments reject at most 1.5 times too often at 0.001, 0.01 and 0.05.
FEW_ROWS = 10
# Draws of the places of few rows; the second number if the p-value by the first is not large.
N_DRAWS = (999, 9999)
LARGE_PVALUE = 0.1
# Draws in the tail below which the distribution of the moments continues it.
TAIL_DRAWS = 10
# Traces, relative to their mean, that are equal up to rounding.
EQUAL_TRACES = 1e-10
# Largest size of a factor, 512 MB, that is kept for another test of the same variable.
LARGEST_KEPT = 2**26


def median_width(x: FloatArray) -> float:
    """Return the width ``sqrt(median(d²) / 2)`` of points (n, d), ties left out."""
    # Distances so small relative to the data are ties up to rounding.
    tie = TIE * float(max(x.max(), -x.min()))
    rows: Any = slice(None)
    if len(x) > MEDIAN_ROWS:
        # Rounded to the nearest, the rows of -x are those of x.
        rows = np.rint(np.linspace(0, len(x) - 1, MEDIAN_ROWS)).astype(np.intp)
    if x.shape[1] == 1:
        lower, upper = middle_distances(np.sort(x[:, 0])[rows], tie)
        return math.sqrt(0.25 * (lower**2 + upper**2))
    # Imported here because one column, the common case, does not need it.
    from scipy.spatial.distance import pdist

    squared = pdist(x[np.lexsort(x.T[::-1])[rows]], "sqeuclidean")
    return math.sqrt(0.5 * float(np.median(squared[squared > tie**2])))


class HSICTest(Record, eq=True):
    """Result of an HSIC test of independence.

    Attributes
    ----------
    statistic : float
        ``N * HSIC_b``, the biased estimate scaled by the number of samples.
    threshold : float
        The ``1 - alpha`` quantile of the distribution under independence.
    pvalue : float
        Probability under the null of a statistic at least this large.
    log_pvalue : float
        Its natural logarithm, which stays finite where `pvalue` underflows to zero.
    null : {"permutation", "gamma"}
        Null distribution.
    """

    statistic: float
    threshold: float
    pvalue: float
    log_pvalue: float
    null: str


@takes_pairs
def hsic(x: ArrayLike, y: ArrayLike) -> float:
    """Biased Hilbert-Schmidt independence criterion with Gaussian kernels of median widths.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        Or a frame and two names of its columns.

    Returns
    -------
    float
        ``tr(K H L H) / N²``, at least 0 up to rounding; 0 means independent in the limit.

    Raises
    ------
    TypeError, ValueError
        If a variable cannot be used.

    Notes
    -----
    O(N²) time up to 1000 rows; above, O(N) where low-rank factors allow it (see `hsic_test`). O(N)
    memory.

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
    first, second = (HSICVariable(variable) for variable in as_pair(x, y, resolved=False))
    n: int = first.points.shape[1]
    if n > LARGEST_PAIRWISE:
        with suppress(RankTooLargeError):
            return permuted_trace(first.gram(), second.gram()).trace / n**2
    return _moments(first.points, second.points)[0] / n**2


@takes_pairs
def hsic_test(
    x: ArrayLike,
    y: ArrayLike,
    *,
    alpha: float = 0.05,
    null: Literal["permutation", "gamma"] = "permutation",
) -> HSICTest:
    """Test of independence by HSIC.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        Or a frame and two names of its columns.
    alpha : float
        Level of the threshold, between 0 and 1.
    null : {"permutation", "gamma"}
        Distribution of the statistic under independence. ``"permutation"``: over all permutations
        of one variable, as Pearson's distribution of type III with its first three moments. Exact
        for two variables of two values each, and if all but one row of a variable are equal; from
        9999 draws, with a fixed seed, if all but two to ten are.
        ``"gamma"``: a gamma distribution of two asymptotic moments, as published and in other
        software; small p-values are too frequent: below 0.01 in some 1.5 of 100 independent
        pairs.

    Returns
    -------
    HSICTest
        Statistic ``N HSIC_b``, threshold, p-value and its logarithm, and the distribution: above
        1000 rows ``"gamma"`` also if the ranks are too large for the other.

    Raises
    ------
    TypeError, ValueError
        If a variable, alpha or null cannot be used.

    Notes
    -----
    Kernel widths by the median distance over all pairs (above 1000 rows over a subset, see
    `median_width`); causal-learn and lingam take it over the first 100 rows: their results agree up
    to 100 observations. docs/method/mathematics.md, eqs. 13 and 21 to 23. Deterministic.

    ``"gamma"`` takes O(N²) time. Otherwise both Gram matrices are replaced by low-rank factors, and
    the statistic is off by less than 1e-7 of its mean under independence. Where above 1000 rows the
    ranks are too large for that (heavy tails, many columns) the distribution is ``"gamma"``. O(N)
    memory; O(N²) up to 1000 rows.

    References
    ----------
    Gretton, Fukumizu, Teo, Song, Schölkopf, Smola: A kernel statistical test of independence.
    NIPS 2007.

    F. Kazi-Aoual, S. Hitier, R. Sabatier, J.-D. Lebreton: Refined approximations to permutation
    tests for multivariate inference. Computational Statistics & Data Analysis 20 (1995).

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm import hsic_test
    >>> x = np.linspace(-1, 1, 50)
    >>> hsic_test(x, x**2).pvalue < 1e-6
    True
    """
    check_between(alpha, "alpha", 0.0, 1.0, ends=False)
    check_choice(null, "null", NULLS)
    first, second = (HSICVariable(variable) for variable in as_pair(x, y, resolved=False))
    if null == "permutation":
        return permutation_test(first, second, alpha)
    return _gamma_test(first.points, second.points, alpha)


class HSICVariable:
    """A variable prepared for tests; points: (n_features, n_samples), in kernel widths."""

    # Not a test case for test runners.
    __test__ = False

    def __init__(self, variable: FloatArray) -> None:
        """Take finite numbers (n_samples, n_features) that are not all the same."""
        # At size 1 no squared distance overflows; median widths do not depend on the unit.
        scaled = np.asarray(variable / max(variable.max(), -variable.min()))
        # Divided by the width first, so that no width is squared.
        self.points = np.ascontiguousarray((scaled / median_width(scaled)).T)
        self._kept: CenteredGram | None = None

    def unusual_rows(self) -> IntArray:
        """Return the rows that differ from the median: the value of most rows, if there is one."""
        middle = self.points.shape[1] // 2
        median = np.partition(self.points, middle, axis=1)[:, middle : middle + 1]
        return np.flatnonzero((self.points != median).any(axis=0))

    def has_two_values(self) -> bool:
        """Return whether all rows that differ from the first one are equal."""
        unlike = self.points[:, (self.points != self.points[:, :1]).any(axis=0)]
        return bool((unlike == unlike[:, :1]).all())

    def gram(self, *, again: bool = False) -> CenteredGram:
        """Return the factor of the Gram matrix, kept if another test will follow."""
        gram = self._kept or CenteredGram.of(self.points)
        self._kept = gram if again and gram.factor.size <= LARGEST_KEPT else None
        return gram

    def __getstate__(self) -> dict[str, object]:
        """Leave the factor out of copies and pickles."""
        return self.__dict__ | {"_kept": None}


@default_float_errors()
def permutation_test(
    first: HSICVariable, second: HSICVariable, alpha: float = 0.05, *, again: bool = False
) -> HSICTest:
    """Test by eq. 23, as `hsic_test` by default; `again` if `first` is tested again."""
    n = first.points.shape[1]
    if first.has_two_values() and second.has_two_values():
        return _discrete_test(*two_by_two_traces(first.points, second.points), alpha, n)
    try:
        grams = first.gram(again=again), second.gram()
    except RankTooLargeError:
        return _gamma_test(first.points, second.points, alpha)
    moments = permuted_trace(*grams)
    if moments.variance <= 0.0:
        # Every order has the same statistic.
        return HSICTest(moments.trace / n, moments.mean / n, 1.0, 0.0, "permutation")
    rows = first.unusual_rows()
    other_rows = second.unusual_rows()
    # Of as many rows, by the traces, so that the order of the variables does not count.
    if (len(other_rows), grams[1].trace) < (len(rows), grams[0].trace):
        grams = grams[::-1]
        rows = other_rows
    # More than half of the rows have one value, whichever way they are sorted.
    if len(rows) <= min(FEW_ROWS, (n - 1) // 2):
        return _places_test(moments, rows, *grams, alpha)
    quantile, log_pvalue = _moments_tail(moments, moments.trace, alpha)
    return _result(moments.trace, quantile, log_pvalue, n)


def _places_test(
    moments: Permuted, rows: IntArray, first: CenteredGram, second: CenteredGram, alpha: float
) -> HSICTest:
    """Compare with the traces of all places of one row, or of drawn places of a few rows."""
    n = first.points.shape[1]
    k = len(rows)
    for n_draws in N_DRAWS:
        traces = placed_traces(first, rows, second, n_draws)
        if k > 1:
            # As one of the draws.
            traces = np.append(traces, moments.trace)
        log_draw = -math.log(len(traces))
        log_probabilities = np.full(len(traces), log_draw)
        result = _discrete_test(moments.trace, traces, log_probabilities, alpha, n)
        if k == 1 or result.pvalue > LARGE_PVALUE:
            return result
    log_tail = log_draw + math.log(TAIL_DRAWS)
    if result.log_pvalue > log_tail:
        return result
    # Continued beyond the draws as by the moments, down to the number of places.
    tail = float(np.sort(traces)[-TAIL_DRAWS])
    log_pvalue = log_tail + _moments_tail(moments, moments.trace, alpha)[1]
    log_pvalue -= _moments_tail(moments, tail, alpha)[1]
    n_places = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return _result(moments.trace, n * result.threshold, max(log_pvalue, float(-n_places)), n)


def _discrete_test(
    trace: float, traces: FloatArray, log_probabilities: FloatArray, alpha: float, n: int
) -> HSICTest:
    """Compare with traces of given probabilities."""
    probabilities = np.exp(log_probabilities)
    is_beyond = traces >= trace - EQUAL_TRACES * float(probabilities @ traces)
    log_pvalue = min(float(logsumexp(log_probabilities[is_beyond])), 0.0)
    order = np.argsort(traces)
    below = np.cumsum(probabilities[order])
    place = np.searchsorted(below, (1.0 - alpha) * below[-1])
    return _result(trace, float(traces[order[place]]), log_pvalue, n)


def _moments_tail(moments: Permuted, trace: float, alpha: float) -> tuple[float, float]:
    """Upper quantile of the traces, and log of the tail at one, by their three moments."""
    deviation = math.sqrt(moments.variance)
    skewness = moments.third / deviation**3
    quantile, log_pvalue = _pearson_tail(skewness, (trace - moments.mean) / deviation, alpha)
    return moments.mean + deviation * quantile, log_pvalue


def _result(trace: float, threshold: float, log_pvalue: float, n: int) -> HSICTest:
    """Return the result of a test against permutations of a trace, n times the statistic."""
    return HSICTest(trace / n, threshold / n, math.exp(log_pvalue), log_pvalue, "permutation")


def _gamma_test(x: FloatArray, y: FloatArray, alpha: float) -> HSICTest:
    """Compare with eq. 13; points are (n_features, n_samples), in units of the widths."""
    n = x.shape[1]
    trace, squares, mu_x, mu_y = _moments(x, y)
    # Rounding can leave less than nothing of the statistic of an exactly balanced table.
    statistic = max(trace, 0.0) / n
    variance = squares / 36.0 / n / (n - 1)
    variance *= 72.0 * (n - 4) * (n - 5) / n / (n - 1) / (n - 2) / (n - 3)
    mean = (1.0 + mu_x * mu_y - mu_x - mu_y) / n
    shape = mean**2 / variance
    scale = n * variance / mean
    log_pvalue = _log_gamma_tail(shape, statistic / scale)
    threshold = float(scale * gammainccinv(shape, alpha))
    return HSICTest(statistic, threshold, math.exp(log_pvalue), log_pvalue, "gamma")


def _pearson_tail(skewness: float, z: float, alpha: float) -> tuple[float, float]:
    """Upper quantile, and log of the tail above z, of a standard Pearson type III distribution."""
    if abs(skewness) < NO_SKEW:
        return -float(ndtri(alpha)), float(log_ndtr(-z))
    root = 2.0 / abs(skewness)
    shape = root * root
    if skewness > 0.0:
        quantile = gammainccinv(shape, alpha)
        end = shape + root * z
        return float(quantile / root - root), _log_gamma_tail(shape, end) if end > 0.0 else 0.0
    quantile = gammaincinv(shape, alpha)
    end = max(shape - root * z, 0.0)
    below = float(gammainc(shape, end))
    return float(root - quantile / root), math.log(below) if below > 0.0 else -math.inf


def _moments(x: FloatArray, y: FloatArray) -> tuple[float, float, float, float]:
    trace, squares, mu_x, mu_y = gamma_moments(x, np.full(len(x), 0.5), y, np.full(len(y), 0.5))
    return float(trace), float(squares), float(mu_x), float(mu_y)


def _log_gamma_tail(shape: float, t: float) -> float:
    """Logarithm of the regularized upper incomplete gamma function Q(shape, t)."""
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
