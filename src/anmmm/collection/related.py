"""P-values of many pairs come in; which of the pairs are called related goes out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

# Expected share of unrelated pairs among those called related.
FALSE_DISCOVERIES = 0.05


def largest_related(pvalues: Iterable[float]) -> float:
    """Return the p-value up to which pairs are called related, negative if none is.

    Parameters
    ----------
    pvalues : iterable of float
        Of the tests of independence of all pairs, in any order.

    Returns
    -------
    float
        The largest one that Benjamini and Hochberg's step-up procedure rejects at 0.05.

    Notes
    -----
    The rate is controlled where the p-values are exact and the tests independent or positively
    dependent, as those of pairs that share a column mostly are. What it is with those of the
    HSIC test: docs/guide/outcomes.md.

    References
    ----------
    Y. Benjamini, Y. Hochberg, "Controlling the False Discovery Rate", Journal of the Royal
    Statistical Society B 57 (1995).

    Examples
    --------
    >>> largest_related([0.001, 0.02, 0.03, 0.8]), largest_related([0.03, 0.8])
    (0.03, -1.0)
    """
    values = np.fromiter(pvalues, float)
    if not len(values):
        return -1.0
    # At the end of a run: workers never need it.
    from scipy.stats import false_discovery_control

    rejected = values[false_discovery_control(values) <= FALSE_DISCOVERIES]
    return float(rejected.max()) if len(rejected) else -1.0
