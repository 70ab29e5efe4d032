"""A quick test of dependence for all pairs of columns of a table, before any is analyzed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial.legendre import legvander

from anmmm._typing import BoolArray, FloatArray
from anmmm.collection.summary import largest_related
from anmmm.preprocessing import indicators, mean_ranks

# Functions of a column: polynomials of its ranks up to this degree. A test each of the first of
# them: few see weak trends best, many see other relations. Rows used at most.
DEGREE, TESTED, MOST_ROWS = 4, (1, 2, 4), 5000
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
    used = [at for at, values in enumerate(columns) if values is not None]
    if len(used) < 2:
        return pvalues[np.triu_indices(n_columns, 1)]
    rows = max(len(columns[at]) for at in used)  # type: ignore[arg-type]
    step = -(-rows // MOST_ROWS)
    table = [np.asarray(columns[at])[::step] for at in used]
    functions = np.zeros((len(used), DEGREE, len(table[0])))
    for place, (values, at) in enumerate(zip(table, used, strict=True)):
        own = rank_functions(values, categorical[at])
        functions[place, : len(own)] = own
    present = np.array([~np.isnan(values) for values in table], dtype=float)
    counts, sizes = present.sum(axis=1), functions.any(axis=2).sum(axis=1)
    for first in range(0, len(used), _BLOCK):
        at_block, at_later = slice(first, first + _BLOCK), slice(first, None)
        block, later = functions[at_block], functions[at_later]
        products = block.reshape(-1, later.shape[2]) @ later.reshape(-1, later.shape[2]).T
        squares = (products**2).reshape(len(block), DEGREE, len(later), DEGREE)
        common = present[at_block] @ present[at_later].T
        # Functions have length 1 over the rows of their own column, of which these are a part.
        scale = np.outer(counts[at_block], counts[at_later])
        with np.errstate(invalid="ignore", divide="ignore"):
            scale *= (common - 1.0) / common**2
        least = np.full_like(common, np.nan)
        for most in TESTED:
            sums = squares[:, :most, :, :most].sum(axis=(1, 3))
            capped = np.minimum(sizes, most)
            degrees = np.outer(capped[at_block], capped[at_later])
            found = np.where((common > 2.0) & (degrees > 0), chdtrc(degrees, sums * scale), np.nan)
            least = np.fmin(least, found)
        pvalues[np.ix_(used[at_block], used[at_later])] = np.minimum(len(TESTED) * least, 1.0)
    return pvalues[np.triu_indices(n_columns, 1)]


def left_out(pvalues: FloatArray, rate: float) -> BoolArray:
    """Return which tests (n_pairs,) find nothing at a false discovery rate; never those of NaN."""
    return np.asarray(pvalues > largest_related(pvalues[~np.isnan(pvalues)], rate))
