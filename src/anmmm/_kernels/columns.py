"""E-step of a mixture of curves in any basis, in blocks of observations.

docs/method/decisions.md, eq. 3. Columns are padded with zeros to whole vectors of observations.
"""

from __future__ import annotations

from typing import NamedTuple

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import LANES, broadcast, load, load_broadcast, store
from anmmm._kernels.packed import clear, dot, exp_nonpositive, padded, sum_of_logs
from anmmm._kernels.posterior import Fits
from anmmm._kernels.systems import inverse_factor

# Observations of a block, whose columns should stay in the nearest cache.
BLOCK = 256


class ColumnRows(NamedTuple):
    """Observations in any basis, and their responsibilities."""

    columns: FloatArray  # (r, padded(n))
    label_likelihood: FloatArray  # (n, C), log-likelihood of given labels, or (0, C)
    y: FloatArray  # (n,), the effect
    responsibilities: FloatArray  # (S C n,), curve by curve
    n: int


class ColumnWorkspace(NamedTuple):
    """Arrays that a pass over the observations writes to, of one block except the first."""

    factor: FloatArray  # (C, padded(r), padded(r)), F of `inverse_factor`
    terms: FloatArray  # (C, BLOCK), log-densities, then responsibilities
    top: FloatArray  # (BLOCK,), largest terms
    total: FloatArray  # (BLOCK,)
    curve: FloatArray  # (BLOCK,)
    variance: FloatArray  # (BLOCK,)


@kernel(inner=True, loops=True)
def combine(columns: FloatArray, factors: FloatArray, out: FloatArray) -> None:
    """Write the sum of the columns (r, n) times factors; n is whole vectors."""
    r, n = columns.shape
    for k in range(0, n, LANES):
        total = broadcast(0.0)
        for i in range(r):
            total += load_broadcast(factors, i) * load(columns, i * n + k)
        store(out, k, total)


@kernel(inner=True, loops=True)
def expected_curve(
    columns: FloatArray,
    begin: int,
    size: int,
    mean: FloatArray,
    factor: FloatArray,
    curve: FloatArray,
    variance: FloatArray,
) -> None:
    """Write mean and variance of a curve at whole vectors of observations from `begin` on."""
    (r, n), width = columns.shape, factor.shape[1]
    for k in range(0, size, LANES):
        value, squares = broadcast(0.0), broadcast(0.0)
        for i in range(r):
            value += load_broadcast(mean, i) * load(columns, i * n + begin + k)
        # Two columns of the factor at a time; it is padded with zeros.
        for j in range(0, r, 2):
            one, other = broadcast(0.0), broadcast(0.0)
            for i in range(min(j + 2, r)):
                psi, at = load(columns, i * n + begin + k), i * width + j
                one += load_broadcast(factor, at) * psi
                other += load_broadcast(factor, at + 1) * psi
            squares += one * one
            squares += other * other
        store(curve, k, value)
        store(variance, k, squares)


@kernel(fastmath=SUMS, inner=True)
def add_weighted(
    columns: FloatArray,
    begin: int,
    weights: FloatArray,
    y: FloatArray,
    part: FloatArray,
    gram: FloatArray,
    moment: FloatArray,
) -> None:
    """Add upper ``Σ_n w_n ψ_n ψ_nᵀ`` and ``Σ_n w_n y_n ψ_n``; weights, y: from row `begin` on."""
    (r, _), n = columns.shape, weights.shape[0]
    # Slices, because a sum of indices might be negative for all the compiler knows: no vectors.
    part, end = part[:n], begin + n
    for i in range(r):
        a = columns[i][begin:end]
        for k in range(n):
            part[k] = weights[k] * a[k]
        moment[i] += dot(part, y)
        # Two at a time, so that a product is read once for both.
        for j in range(i, r - 1, 2):
            a, b, one, other = columns[j][begin:end], columns[j + 1][begin:end], 0.0, 0.0
            for k in range(n):
                one += part[k] * a[k]
                other += part[k] * b[k]
            gram[i, j] += one
            gram[i, j + 1] += other
        if (r - i) % 2 == 1:
            gram[i, r - 1] += dot(part, columns[r - 1][begin:end])


@kernel(fastmath=SUMS, inner=True)
def _write_terms(
    rows: ColumnRows, space: ColumnWorkspace, fits: Fits, s: int, plain: bool, begin: int, n: int
) -> None:
    """Write ``log a_c + E_q log p(y_n | c)`` of a block, without the logarithm of σ."""
    half, curve, variance = -0.5 / fits.scales[s, 0], space.curve, space.variance
    y = rows.y[begin : begin + n]
    for c in range(fits.weights.shape[1]):
        terms, log_weight, factor = space.terms[c], fits.log_weights[s, c], space.factor[c]
        mean = fits.mean[s, c]
        expected_curve(rows.columns, begin, padded(n), mean, factor, curve, variance)
        for k in range(n):
            e = y[k] - curve[k]
            squares = e * e if plain else e * e + variance[k]
            terms[k] = log_weight + half * squares
        if rows.label_likelihood.shape[0] > 0:
            for k in range(n):
                terms[k] += rows.label_likelihood[begin + k, c]


@kernel(fastmath=SUMS, inner=True)
def _responsibilities(space: ColumnWorkspace, n: int) -> float:
    """Turn a block's terms into responsibilities; return the sum of the logs of their totals."""
    terms, top, total = space.terms, space.top, space.total
    C, logs = terms.shape[0], 0.0
    for k in range(n):
        top[k], total[k] = terms[0, k], 0.0
    for c in range(1, C):
        for k in range(n):
            top[k] = max(terms[c, k], top[k])
    for c in range(C):
        for k in range(n):
            terms[c, k] -= top[k]
        exp_nonpositive(terms[c], n)
        for k in range(n):
            total[k] += terms[c, k]
    for k in range(n):
        logs += top[k]
    logs += sum_of_logs(total, n)
    for c in range(C):
        for k in range(n):
            terms[c, k] /= total[k]
    return logs


@kernel(inner=True, loops=True)
def e_step_on_columns(
    rows: ColumnRows,
    space: ColumnWorkspace,
    fits: Fits,
    s: int,
    given: bool,
    plain: bool,
    keep: bool,
    n_sums: int,
) -> float:
    """E-step, as `e_step_on_pieces`. O(n C r²)."""
    C, r = fits.rows.shape[1:3]
    n, total = rows.n, 0.0
    for c in range(C if not given else 0):
        inverse_factor(fits.rows[s, c], fits.pivots[s, c], r, space.factor[c])
    for c in range(n_sums):
        for i in range(fits.sums.shape[2]):
            clear(fits.sums[s, c, i])
    for begin in range(0, n, BLOCK):
        size = min(BLOCK, n - begin)
        if not given:
            _write_terms(rows, space, fits, s, plain, begin, size)
            total += _responsibilities(space, size)
        for c in range(C):
            for k in range(size):
                if given:
                    space.terms[c, k] = rows.responsibilities[(s * C + c) * n + begin + k]
                elif keep:
                    rows.responsibilities[c * n + begin + k] = space.terms[c, k]
        for c in range(n_sums):
            weights = space.terms[c, :size]
            sums, y = fits.sums[s, c], rows.y[begin : begin + size]
            for k in range(size):
                sums[-1, 0] += weights[k]
            add_weighted(rows.columns, begin, weights, y, space.curve, sums, sums[-2])
    return total
