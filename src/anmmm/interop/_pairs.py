"""Functions of several adapters."""

from __future__ import annotations

from typing import Any

import numpy as np

from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import as_finite, as_pair, check_aligned, check_lengths
from anmmm.direction import DirectionResult, infer_direction
from anmmm.independence import hsic_test
from anmmm.mixture import ANMMixture


def single(values: Any, name: str) -> FloatArray:
    """Return one variable of shape (n,) or (n, 1), as other libraries pass them, as (n,)."""
    array = as_finite(values, name)
    if array.size != len(array):
        raise ValueError(f"{name} must be one variable, found shape {array.shape}; pass one column")
    return array.ravel()


def decision(x: Any, y: Any, **options: Any) -> DirectionResult:
    """Decide a pair of single variables, with a seed."""
    check_aligned(x, y)
    return infer_direction(single(x, "x"), single(y, "y"), **{"random_state": 0, **options})


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
    check_aligned(cause, residual, ("cause", "residual"))
    columns = single(cause, "cause"), single(residual, "residual")
    test = hsic_test(*as_pair(*columns, names=("cause", "residual"), resolved=False), null="gamma")
    return test.statistic / test.threshold


def conditional_pvalue(x: Any, y: Any, given: Any = None) -> float:
    """P-value of the HSIC test of two variables, or of their residuals from splines in `given`.

    It does not include the regression: too small if that is poor (Zhang et al., AAAI 2017).
    """
    first, second = as_pair(x, y, resolved=False)
    if given is not None:
        check_aligned(x, given, ("x", "given"))
        check_aligned(y, given, ("y", "given"))
        conditions = as_finite(given, "given")
        check_lengths(first, conditions, ("x", "given"))
        conditions = conditions.reshape(len(first), -1)
        # A constant column conditions on nothing.
        conditions = conditions[:, np.ptp(conditions, axis=0) > 0.0]
        if conditions.size:
            first = _residuals(first, conditions)
            second = _residuals(second, conditions)
    # Searches look at the tail, for which the published gamma distribution is too light.
    return hsic_test(first, second).pvalue


def _residuals(values: FloatArray, given: FloatArray) -> FloatArray:
    """Return the residuals of smoothing splines in `given`, of fitted smoothness."""
    fits = [ANMMixture(n_mechanisms=1).fit(given, column) for column in values.T]
    return values - np.column_stack([fit.curves(given)[:, 0] for fit in fits])
