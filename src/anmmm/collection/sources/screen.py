"""A quick test of dependence for all pairs of columns of a table, before any is analyzed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial.legendre import legvander

from anmmm._typing import BoolArray, FloatArray
from anmmm.collection.summary import largest_related
from anmmm.preprocessing import indicators, mean_ranks

# Functions of a column: polynomials of its ranks up to this degree.
DEGREE = 4
# Numbers of functions that are tested: few see weak trends best, many see other relations.
TESTED = (1, 2, 4)
# Rows that are used.
MAX_ROWS = 5000
# Columns whose products with all others are computed at once.
_BLOCK = 64


def rank_functions(values: FloatArray, is_categorical: bool) -> FloatArray:
    """Return orthonormal functions (at most DEGREE, n_samples) of a column; 0 where it is NaN.

    Of a number: polynomials of its ranks. Of a category: which of the most frequent ones it is.
    """
    present = ~np.isnan(values)
    known = values[present]
    if is_categorical:
        columns = indicators(known)
        columns = columns[:, np.argsort(-columns.sum(axis=0), kind="stable")[:DEGREE]]
        columns = np.column_stack([np.ones(len(known)), columns])
    else:
        ranks = mean_ranks(known)
        n_distinct = len(np.unique(ranks))
        places = 2.0 * ranks / len(known) - 1.0
        columns = np.asarray(legvander(places, min(DEGREE, n_distinct - 1)), dtype=np.float64)
    basis, triangle = np.linalg.qr(columns)
    # As many categories as functions make the last one redundant.
    independent = np.abs(triangle.diagonal()) > 1e-8 * np.sqrt(len(known))
    functions = np.zeros((np.count_nonzero(independent) - 1, len(values)))
    functions[:, present] = basis[:, independent].T[1:]
    return functions


def dependence_pvalues(
    columns: Sequence[FloatArray | None], categorical: Sequence[bool]
) -> FloatArray:
    """Test every two columns for dependence: p-values (n_pairs,) in the order of `combinations`.

    The statistic ``(n - 1) Σ_kl r_kl²`` sums the squared correlations of the first functions of
    both, a smooth test whose null distribution is chi-squared (n rows have both values). The
    smallest of three such p-values counts three times. NaN for pairs with a column that is None, or
    with fewer than three such rows.
    """
    # It loads slowly, and other runs need none of it.
    from scipy.special import chdtrc

    n_columns = len(columns)
    pvalues = np.full((n_columns, n_columns), np.nan)
    used = {place: values for place, values in enumerate(columns) if values is not None}
    if len(used) < 2:
        return pvalues[np.triu_indices(n_columns, 1)]
    places = list(used)
    step = -(-max(map(len, used.values())) // MAX_ROWS)
    table = [values[::step] for values in used.values()]
    functions = np.zeros((len(used), DEGREE, len(table[0])))
    for row, values in enumerate(table):
        basis = rank_functions(values, categorical[places[row]])
        functions[row, : len(basis)] = basis
    present = np.array([~np.isnan(values) for values in table], dtype=float)
    counts = present.sum(axis=1)
    sizes = functions.any(axis=2).sum(axis=1)
    for first in range(0, len(used), _BLOCK):
        block = slice(first, first + _BLOCK)
        later = slice(first, None)
        rows = functions[block].reshape(-1, functions.shape[2])
        products = rows @ functions[later].reshape(-1, functions.shape[2]).T
        squares = (products**2).reshape(-1, DEGREE, len(used) - first, DEGREE)
        common = present[block] @ present[later].T
        # Functions have length 1 over the rows of their own column, of which these are a part.
        scale = np.outer(counts[block], counts[later])
        with np.errstate(invalid="ignore", divide="ignore"):
            scale *= (common - 1.0) / common**2
        smallest = np.full_like(common, np.nan)
        for degree in TESTED:
            statistic = scale * squares[:, :degree, :, :degree].sum(axis=(1, 3))
            capped = np.minimum(sizes, degree)
            freedom = np.outer(capped[block], capped[later])
            is_tested = (common > 2.0) & (freedom > 0)
            tested = np.where(is_tested, chdtrc(freedom, statistic), np.nan)
            smallest = np.fmin(smallest, tested)
        corrected = np.minimum(len(TESTED) * smallest, 1.0)
        pvalues[np.ix_(places[block], places[later])] = corrected
    return pvalues[np.triu_indices(n_columns, 1)]


def left_out(pvalues: FloatArray, rate: float) -> BoolArray:
    """Return which tests (n_pairs,) find nothing at a false discovery rate; never those of NaN."""
    return np.asarray(pvalues > largest_related(pvalues[~np.isnan(pvalues)], rate))
