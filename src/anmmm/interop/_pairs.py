"""Dependence of two variables, as several libraries ask for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import as_pair, check_aligned
from anmmm.independence import hsic_test
from anmmm.mixture import ANMMixture


def hsic_score(cause: ArrayLike, residual: ArrayLike) -> float:
    """How much a residual depends on its hypothetical cause; lower is better.

    Statistic of the gamma-approximated HSIC test over its 5 % threshold: below 1 the test does not
    distinguish them from independent ones. A ``scoring_method`` of pgmpy's pairwise estimators.

    Parameters
    ----------
    cause, residual : array-like of shape (n_samples,) or (n_samples, 1)

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm.interop import hsic_score
    >>> rng = np.random.default_rng(0)
    >>> x = rng.uniform(-1, 1, 200)
    >>> hsic_score(x, rng.normal(size=200)) < 1 < hsic_score(x, x**2)
    True
    """
    names = ("cause", "residual")
    columns = as_pair(cause, residual, names=names, resolved=False, single="pass one column")
    test = hsic_test(*columns, null="gamma")
    return test.statistic / test.threshold


def conditional_pvalue(x: Any, y: Any, given: Any = None) -> float:
    """P-value of the HSIC test of two variables, or of their residuals from splines in `given`.

    It does not include the regression: too small if that is poor (Zhang et al., AAAI 2017).
    """
    first, second = as_pair(x, y, resolved=False)
    if given is not None:
        check_aligned(y, given, ("y", "given"))
        conditions = as_pair(x, given, names=("x", "given"), resolved=False)[1]
        first = _residuals(first, conditions)
        second = _residuals(second, conditions)
    # Searches look at the tail, for which the published gamma distribution is too light.
    return hsic_test(first, second).pvalue


def _residuals(values: FloatArray, given: FloatArray) -> FloatArray:
    """Return the residuals of smoothing splines in `given`, of fitted smoothness."""
    fits = [ANMMixture(n_mechanisms=1).fit(given, column) for column in values.T]
    return values - np.column_stack([fit.curves(given)[:, 0] for fit in fits])
