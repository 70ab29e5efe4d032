"""E-step of a mixture of curves in any basis, in chunks of observations.

docs/method/decisions.md, eq. 3. Columns are padded with zeros to whole vectors of observations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    broadcast,
    load,
    load_broadcast,
    reduce_add,
    reduce_multiply,
    store,
)
from anmmm._kernels.e_step import (
    AT_MEANS,
    CHUNK,
    READ,
    WRITTEN,
    EStep,
    keep_chunk,
    log_of_lanes,
    normalize,
)
from anmmm._kernels.packed import LARGE, clear, dot
from anmmm._kernels.systems import inverse_factor


class ColumnRows(NamedTuple):
    """Observations in any basis, and their responsibilities; P = padded(n)."""

    columns: FloatArray  # (r, P)
    label_likelihood: FloatArray  # (C, P), log-likelihood of given labels, or (0, 0)
    present: FloatArray  # (P,), 1 for an observation, then 0
    n: int
    y: FloatArray  # (P,), the effect
    responsibilities: FloatArray  # (S C P,), curve by curve


class ColumnWorkspace(NamedTuple):
    """Arrays that a pass over the observations reads and writes."""

    responsibilities: FloatArray  # (C CHUNK,)
    factor: FloatArray  # (C, padded(r), padded(r)), F of `inverse_factor`
    curve: FloatArray  # (CHUNK,)
    variance: FloatArray  # (LANES,)


@kernel(inner=True)
def combine(columns: FloatArray, factors: FloatArray, out: FloatArray) -> None:
    """Write the sum of the columns (r, n) times factors; n is whole vectors."""
    r, n = columns.shape
    for k in range(0, n, LANES):
        total = broadcast(0.0)
        for i in range(r):
            total += load_broadcast(factors, i) * load(columns, i * n + k)
        store(out, k, total)


@kernel(inner=True)
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
    r, n = columns.shape
    width = factor.shape[1]
    for k in range(0, size, LANES):
        value = broadcast(0.0)
        squares = broadcast(0.0)
        for i in range(r):
            value += load_broadcast(mean, i) * load(columns, i * n + begin + k)
        # Two columns of the factor at a time; it is padded with zeros.
        for j in range(0, r, 2):
            first_product = broadcast(0.0)
            second_product = broadcast(0.0)
            for i in range(min(j + 2, r)):
                psi = load(columns, i * n + begin + k)
                entry = i * width + j
                first_product += load_broadcast(factor, entry) * psi
                second_product += load_broadcast(factor, entry + 1) * psi
            squares += first_product * first_product
            squares += second_product * second_product
        store(curve, k, value)
        store(variance, k, squares)


@kernel(fastmath=SUMS, inner=True)
def add_weighted(
    columns: FloatArray,
    begin: int,
    weights: FloatArray,
    y: FloatArray,
    products: FloatArray,
    gram: FloatArray,
    moment: FloatArray,
) -> None:
    """Add upper ``Σ_n w_n ψ_n ψ_nᵀ`` and ``Σ_n w_n y_n ψ_n``; weights, y: from row `begin` on."""
    r, _ = columns.shape
    n = weights.shape[0]
    # Slices, because a sum of indices might be negative for all the compiler knows: no vectors.
    products = products[:n]
    end = begin + n
    for i in range(r):
        a = columns[i][begin:end]
        for k in range(n):
            products[k] = weights[k] * a[k]
        moment[i] += dot(products, y)
        # Two at a time, so that a product is read once for both.
        for j in range(i, r - 1, 2):
            a = columns[j][begin:end]
            b = columns[j + 1][begin:end]
            first_sum = 0.0
            second_sum = 0.0
            for k in range(n):
                first_sum += products[k] * a[k]
                second_sum += products[k] * b[k]
            gram[i, j] += first_sum
            gram[i, j + 1] += second_sum
        if (r - i) % 2 == 1:
            gram[i, r - 1] += dot(products, columns[r - 1][begin:end])


@kernel(inner=True)
def _log_density(rows: ColumnRows, space: ColumnWorkspace, step: EStep, c: int, slot: int) -> Any:
    """Return ``E_q log p(y_n | c)``, without log σ, of eight slots."""
    mean = step.fits.mean[step.s, c]
    factor = space.factor[c]
    labels = rows.label_likelihood
    expected_curve(rows.columns, slot, LANES, mean, factor, space.curve, space.variance)
    e = load(rows.y, slot) - load(space.curve, 0)
    squares = e * e if step.mode == AT_MEANS else e * e + load(space.variance, 0)
    density = -0.5 / step.fits.scales[step.s, 0] * squares
    return density + load(labels[c], slot) if labels.shape[0] > 0 else density


def e_step_on_columns(rows: ColumnRows, space: ColumnWorkspace, step: EStep) -> float:
    """E-step; returns ``Σ_n log Σ_c a_c exp(E_q log p(y_n | c))``. O(n C r²)."""
    fits, s, mode, n_sums = step
    is_given = mode == READ
    C, r = fits.systems.shape[1:3]
    n_slots = rows.y.shape[0]
    R = space.responsibilities
    weights = rows.responsibilities if is_given else R
    highest = broadcast(0.0)
    product = broadcast(1.0)
    total = 0.0
    for c in range(C if not is_given else 0):
        inverse_factor(fits.systems[s, c], fits.pivots[s, c], r, space.factor[c])
    for c in range(n_sums):
        for i in range(fits.sums.shape[2]):
            clear(fits.sums[s, c, i])
    for slot in range(0, n_slots, CHUNK):
        size = min(CHUNK, n_slots - slot)
        for k in range(0, 0 if is_given else size, LANES):
            for c in range(C):
                density = _log_density(rows, space, step, c, slot + k)
                store(R, c * CHUNK + k, density + fits.log_weights[s, c])
            top, sum_of_terms = normalize(R, C, k, load(rows.present, slot + k))
            highest = top + highest
            product = sum_of_terms * product
        if mode == WRITTEN:
            keep_chunk(R, C, size, rows.responsibilities, slot, n_slots)
        for c in range(n_sums):
            start = (s * C + c) * n_slots + slot if is_given else c * CHUNK
            w = weights[start : start + size]
            y = rows.y[slot : slot + size]
            sums = fits.sums[s, c]
            add_weighted(rows.columns, slot, w, y, space.curve, sums, sums[-1])
        if not reduce_multiply(product) < LARGE:
            total += log_of_lanes(product, R)
            product = broadcast(1.0)
    return float(total + log_of_lanes(product, R) + reduce_add(highest))


@kernel(fastmath=SUMS, inner=True)
def _square(y: FloatArray, curve: FloatArray, out: FloatArray) -> None:
    """Add squared differences to `out`."""
    for k in range(out.shape[0]):
        e = y[k] - curve[k]
        out[k] += e * e


def squares_on_columns(
    rows: ColumnRows,
    space: ColumnWorkspace,
    mean: FloatArray,
    system: FloatArray,
    pivots: FloatArray,
    out: FloatArray,
) -> None:
    """Write expected squared residuals (P,) about a curve, given its eliminated system."""
    inverse_factor(system, pivots, system.shape[0], space.factor[0])
    for begin in range(0, out.shape[0], CHUNK):
        block = out[begin : begin + CHUNK]
        y = rows.y[begin : begin + CHUNK]
        expected_curve(
            rows.columns, begin, block.shape[0], mean, space.factor[0], space.curve, block
        )
        _square(y, space.curve[: block.shape[0]], block)


def sums_on_columns(
    rows: ColumnRows, space: ColumnWorkspace, weights: FloatArray, sums: FloatArray
) -> None:
    """Write the weighted Gram matrix of the columns, and the moment in the last row of `sums`."""
    for i in range(sums.shape[0]):
        clear(sums[i])
    for begin in range(0, weights.shape[0], CHUNK):
        block_weights = weights[begin : begin + CHUNK]
        y = rows.y[begin : begin + CHUNK]
        add_weighted(rows.columns, begin, block_weights, y, space.curve, sums, sums[-1])
