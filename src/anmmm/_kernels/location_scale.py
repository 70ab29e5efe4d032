"""One smooth mechanism with noise of a scale that depends smoothly on the cause.

A `Design` and the effect come in; coefficients of both curves and the evidence go out to
`anmmm.mixture`. docs/method/decisions.md, eq. 9.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import LANES
from anmmm._kernels.packed import (
    BLOCK,
    HYPER,
    LOG_2PI,
    Design,
    Pivots,
    add_products,
    add_rows,
    blocks_of,
    clear,
    collect,
    copy_part,
    curve_posterior,
    in_blocks,
    linear,
    make_pivots,
    pack_covariance,
    packed_size,
    padded,
    quadratic,
)

# Share of a scoring step for g that is taken.
STEP = 0.7


@kernel(fastmath=SUMS, inner=True)
def _curve_step(
    gram: FloatArray,
    moment: FloatArray,
    design: Design,
    n_inner: int,
    scales: FloatArray,
    precision: FloatArray,
    mean: FloatArray,
    pivots: Pivots,
) -> float:
    """Fit f and its smoothness to weighted sums; return what f costs. Vectors are padded."""
    prior, n_null = design.prior, design.n_null
    r, width = prior.shape[0], precision.shape[0]
    zero = np.zeros(width)
    penalty = 0.0
    for _ in range(n_inner):
        for i in range(r):
            precision[i] = 1.0 / (prior[i] * (scales[1] if i >= n_null else 1.0))
        log_det = curve_posterior(gram, moment, 1.0, zero, precision, mean, pivots)
        rough = 0.0
        for i in range(n_null, r):
            rough += (mean[i] * mean[i] - pivots.matrix[i * width + i]) / prior[i]
        if r > n_null:
            scales[1] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
        penalty = 0.5 * log_det
        for i in range(r):
            v = prior[i] * (scales[1] if i >= n_null else 1.0)
            square = mean[i] * mean[i] - pivots.matrix[i * width + i]
            penalty += 0.5 * (square / v - 1.0 + math.log(v))
    return penalty


class _Room(NamedTuple):
    """What one observation after the other writes to, in blocks with zeros behind the last."""

    blocks: FloatArray  # (n_blocks r BLOCK,), the design as `in_blocks` lays it out
    g: FloatArray  # (n_blocks BLOCK,), logarithm of the noise scale
    w: FloatArray  # exp(-2 g)
    e2: FloatArray  # expected square of the residual
    variance: FloatArray  # of the curve
    pull: FloatArray  # derivative of the log-likelihood by g; also whatever is weighted by w
    grams: FloatArray  # (LANES r (r + 1) / 2,), parted into lanes, zero between passes
    moments: FloatArray  # (LANES r,)


@kernel(inner=True)
def _make_room(columns: FloatArray) -> _Room:
    n, r = columns.shape
    size = blocks_of(n) * BLOCK
    return _Room(
        in_blocks(columns),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(LANES * r * (r + 1) // 2),
        np.zeros(LANES * r),
    )


@kernel(fastmath=SUMS, inner=True)
def _weighted_sums(
    room: _Room, r: int, y: FloatArray, gram: FloatArray, moment: FloatArray
) -> None:
    """Write ``Σ_n w_n ψ_n ψ_nᵀ``, packed, and ``Σ_n w_n y_n ψ_n``."""
    for k in range(y.shape[0]):
        room.pull[k] = room.w[k] * y[k]
    for block in range(room.g.shape[0] // BLOCK):
        first, at = block * r * BLOCK, block * BLOCK
        add_products(room.blocks, first, r, room.w, at, room.grams)
        add_rows(room.blocks, first, r, room.pull, at, room.moments)
    collect(room.grams, r * (r + 1) // 2, gram)
    collect(room.moments, r, moment)


@kernel(fastmath=SUMS, inner=True)
def _expected_residuals(
    room: _Room, r: int, y: FloatArray, mean: FloatArray, packed: FloatArray, floor: float
) -> None:
    """Write the variance of the curve and the expected square of the residual."""
    for block in range(room.g.shape[0] // BLOCK):
        first, at = block * r * BLOCK, block * BLOCK
        quadratic(room.blocks, first, r, packed, room.variance, at)
        linear(room.blocks, first, r, mean, room.e2, at)
    for k in range(y.shape[0]):
        e = y[k] - room.e2[k]
        room.e2[k] = e * e + room.variance[k] + floor


@kernel(fastmath=SUMS, inner=True)
def _scale_step(
    room: _Room, design: Design, scales: FloatArray, gamma: FloatArray, gradient: FloatArray
) -> None:
    """Take one scoring step for g, given the expected squared residuals, and fit its smoothness."""
    prior, n_null = design.prior, design.n_null
    n, r = design.columns.shape
    for k in range(n):
        # The cap keeps one outlier from throwing the step; it is inactive at a solution
        # unless a residual exceeds five of its own standard deviations.
        pull = room.e2[k] * room.w[k] - 1.0
        room.pull[k] = pull if pull < 24.0 else 24.0
    for block in range(room.g.shape[0] // BLOCK):
        add_rows(room.blocks, block * r * BLOCK, r, room.pull, block * BLOCK, room.moments)
    collect(room.moments, r, gradient)
    rough = 0.0
    for i in range(r):
        v = prior[i] * scales[2] if i >= n_null else (prior[i] if i > 0 else np.inf)
        h = 2.0 * n + 1.0 / v
        gamma[i] += STEP * (gradient[i] - gamma[i] / v) / h
        if i >= n_null:
            rough += (gamma[i] * gamma[i] + 1.0 / h) / prior[i]
    if r > n_null:
        scales[2] = (rough + 2.0 * HYPER) / (r - n_null + 2.0 * HYPER)
    for block in range(room.g.shape[0] // BLOCK):
        linear(room.blocks, block * r * BLOCK, r, gamma, room.g, block * BLOCK)
    for k in range(n):
        room.w[k] = math.exp(-2.0 * room.g[k])


@kernel(fastmath=SUMS)
def location_scale(
    design: Design,
    y: FloatArray,
    floor: float,
    n_inner: int,
    tol: float,
    max_iter: int,
    scales: FloatArray,
    mean: FloatArray,
    gamma: FloatArray,
) -> tuple[float, float, int]:
    """Fit ``y = f(x) + exp(g(x)) ε`` with both curves smooth, by scoring steps.

    docs/method/decisions.md, eq. 9. floor is added to every squared residual; n_inner: rounds of
    (f, its smoothness) between steps for g. scales (3,), noise variance, τ² of f and of g, is the
    start; mean and gamma (r,) of f and g are written. Returns the log evidence (f integrated out, g
    by Laplace's method), the cost of the curves, and the iterations. The expected Hessian of g is
    2n I in this basis. O(n r² + r³) an iteration.
    """
    prior, n_null = design.prior, design.n_null
    n, r = design.columns.shape
    room, pivots = _make_room(design.columns), make_pivots(r)
    gram, packed = np.zeros(packed_size(r)), np.zeros(packed_size(r))
    moment, center, precision = np.zeros(padded(r)), np.zeros(padded(r)), np.zeros(padded(r))
    gradient = np.empty(r)
    clear(gamma)
    gamma[0] = 0.5 * math.log(scales[0])
    for k in range(n):
        room.g[k], room.w[k] = gamma[0], 1.0 / scales[0]
    evidence, complexity, n_iter = -np.inf, 0.0, max_iter
    for iteration in range(max_iter):
        _weighted_sums(room, r, y, gram, moment)
        penalty = _curve_step(gram, moment, design, n_inner, scales, precision, center, pivots)
        pack_covariance(pivots, r, packed)
        _expected_residuals(room, r, y, center, packed, floor)
        for _ in range(2):
            _scale_step(room, design, scales, gamma, gradient)

        for i in range(1, r):
            v = prior[i] * scales[2] if i >= n_null else prior[i]
            penalty += 0.5 * (gamma[i] * gamma[i] / v + math.log(1.0 + 2.0 * n * v))
        value, shrunk = 0.0, 0.0
        for k in range(n):
            value -= 0.5 * (LOG_2PI + room.e2[k] * room.w[k]) + room.g[k]
            shrunk += 0.5 * room.variance[k] * room.w[k]
        complexity = penalty + shrunk
        change = abs(value - penalty - evidence)
        evidence = value - penalty
        if iteration > 0 and change < tol:
            n_iter = iteration + 1
            break
    copy_part(center, mean)
    return evidence, complexity, n_iter
