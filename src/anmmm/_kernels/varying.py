"""EM for mixtures of curves whose noise and weights may differ and depend on the cause.

docs/method/decisions.md, eqs. 3 to 8. Each mechanism has a noise variance ``exp(γ_c · z_n)`` and a
weight proportional to ``exp(β_c · g_n)``, where z_n and g_n are columns of the cause that begin
with 1. The curves' posteriors are those of `posterior`, from sums weighted by the precisions.
A fraction ε of the rows may be outliers, of no mechanism and of a constant density.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from anmmm._kernels._jit import SUMS, FloatArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    broadcast,
    exponential,
    load,
    maximum,
    reduce_add,
    reduce_multiply,
    store,
)
from anmmm._kernels.columns import combine, squares_on_columns, sums_on_columns
from anmmm._kernels.e_step import log_of_lanes
from anmmm._kernels.packed import LARGE, LOG_2PI, dot
from anmmm._kernels.pieces import of_either_layout, squares_on_pieces, sums_on_pieces
from anmmm._kernels.posterior import (
    CONVERGED,
    GIVEN_UP,
    RUNNING,
    Fits,
    Problem,
    Work,
    fit_posteriors,
)

# Iterations after which the worse half of the starts is stopped.
ROUND_ITER = 4
# Gradient steps of the gate in an iteration.
GATE_STEPS = 3
# Largest change of a coefficient of the log variance in a step.
MAX_NOISE_STEP = 1.0
# Inverse-gamma prior of a noise variance: shape, and mode in units of the start's variance.
NOISE_SHAPE = 1.0
NOISE_MODE = 0.1
# Prior precisions of the coefficients of the gate and, beyond the constant, of the noise.
GATE_RIDGE = 0.05
NOISE_RIDGE = 1.0
# Prior rows that are outliers, and those that are not; and the logarithm of their normalizer.
PRIOR_OUTLIERS = 1.0
PRIOR_OTHERS = 19.0
LOG_OUTLIER_PRIOR = math.log(420.0)
# Logarithm of the density of outliers that there are not.
NO_OUTLIERS = -1e6


class Rows(NamedTuple):
    """Observations in P slots, some of which are empty."""

    curves: Any  # PieceRows or ColumnRows, without responsibilities
    noise_columns: FloatArray  # (n_noise, P), z
    gate_columns: FloatArray  # (n_gate, P), g; none of equal weights
    label_likelihood: FloatArray  # (C, P), log-likelihood of given labels, or (0, P)
    present: FloatArray  # (P,), 1 for an observation, else 0
    n: int


class Mixing(NamedTuple):
    """Noise and weights of S starts of C curves, and arrays of an iteration."""

    responsibilities: FloatArray  # (S, C, P)
    log_prior: FloatArray  # (S, C, P), log weight up to a constant of each row, minus log σ,
    # and of the label
    precision: FloatArray  # (S, C, P), 1 / σ²
    noise: FloatArray  # (S, C, n_noise), γ
    gate: FloatArray  # (S, C, n_gate), β
    outliers: FloatArray  # (S,), ε
    bounds: FloatArray  # (S,)
    n_iter: FloatArray  # (S,)
    state: FloatArray  # (S,)
    squares: FloatArray  # (C, P), expected squared residuals
    scratch: FloatArray  # (C, P)
    scratch_rows: FloatArray  # (2, P)
    gate_inverse: FloatArray  # (n_gate, n_gate), inverse of the bound of the gate's information
    buffer: FloatArray  # (LANES,)


class NoiseOptions(NamedTuple):
    """What is fitted of noise and weights."""

    is_shared: bool  # one noise variance
    start_variance: float
    floor: float  # smallest noise variance
    pseudo_rows: float  # of each weight's prior
    log_outliers: float  # logarithm of the density of outliers, or NO_OUTLIERS
    has_own_smoothness: bool  # of each curve; else curves have a smooth center in common


curve_sums = of_either_layout(sums_on_pieces, sums_on_columns)
curve_squares = of_either_layout(squares_on_pieces, squares_on_columns)


@kernel(inner=True)
def _softmax(
    values: FloatArray, present: FloatArray, out: FloatArray, buffer: FloatArray, constant: float
) -> float:
    """Write the softmax over C of values (C, P) and a constant; return the log normalizers' sum."""
    C, P = values.shape
    highest = broadcast(0.0)
    product = broadcast(1.0)
    total = 0.0
    for k in range(0, P, LANES):
        top = broadcast(constant)
        is_present = load(present, k)
        for c in range(C):
            top = maximum(load(values, c * P + k), top)
        sums = exponential(broadcast(constant) - top)
        for c in range(C):
            term = exponential(load(values, c * P + k) - top)
            store(out, c * P + k, term)
            sums += term
        scale = is_present / sums
        for c in range(C):
            store(out, c * P + k, load(out, c * P + k) * scale)
        highest = top * is_present + highest
        product = maximum(sums * is_present, broadcast(1.0)) * product
        if not reduce_multiply(product) < LARGE:
            total += log_of_lanes(product, buffer)
            product = broadcast(1.0)
    return float(total + log_of_lanes(product, buffer) + reduce_add(highest))


@kernel(fastmath=SUMS, inner=True)
def _products(a: FloatArray, b: FloatArray, out: FloatArray) -> None:
    for k in range(out.shape[0]):
        out[k] = a[k] * b[k]


@kernel(fastmath=SUMS, inner=True)
def _newton_sums(
    R: FloatArray, precision: FloatArray, squares: FloatArray, u: FloatArray
) -> tuple[float, float, float, float, float]:
    """Return sums of the gradient of the noise and of its information, of columns 1 and u."""
    g0 = g1 = h0 = h1 = h2 = 0.0
    for k in range(R.shape[0]):
        excess = R[k] * (precision[k] * squares[k] - 1.0)
        g0 += excess
        g1 += excess * u[k]
        h0 += R[k]
        h1 += R[k] * u[k]
        h2 += R[k] * u[k] * u[k]
    return g0, g1, h0, h1, h2


@kernel(inner=True)
def _log_variances(rows: Rows, options: NoiseOptions, gamma: FloatArray, out: FloatArray) -> None:
    combine(rows.noise_columns, gamma, out)
    lowest = broadcast(math.log(options.floor))
    for k in range(0, out.shape[0], LANES):
        store(out, k, maximum(load(out, k), lowest))


@kernel(inner=True)
def _set_precision(rows: Rows, options: NoiseOptions, mixing: Mixing, s: int, c: int) -> None:
    """Write precisions from the coefficients of the noise, and log variances in scratch row 0."""
    logs = mixing.scratch_rows[0]
    precision = mixing.precision[s, c]
    _log_variances(rows, options, mixing.noise[s, c], logs)
    for k in range(0, logs.shape[0], LANES):
        store(precision, k, exponential(broadcast(0.0) - load(logs, k)))


@kernel(inner=True)
def _fit_noise(rows: Rows, options: NoiseOptions, mixing: Mixing, s: int) -> float:
    """Fit the noise to expected squares; return the penalty of its prior."""
    R = mixing.responsibilities[s]
    squares = mixing.squares
    noise = mixing.noise[s]
    C = R.shape[0]
    mode = NOISE_MODE * options.start_variance
    total = count = penalty = 0.0
    for c in range(C):
        # With one column the precision is not needed.
        rss = dot(R[c], squares[c])
        size = dot(R[c], rows.present)
        if rows.noise_columns.shape[0] == 1:
            variance = (rss + 2.0 * NOISE_SHAPE * mode) / (size + 2.0 * NOISE_SHAPE)
            noise[c, 0] = math.log(max(variance, options.floor))
            total += rss
            count += size
            continue
        # One Newton step.
        g0, g1, h0, h1, h2 = _newton_sums(
            R[c], mixing.precision[s, c], squares[c], rows.noise_columns[1]
        )
        g0 = 0.5 * g0 + NOISE_SHAPE * (mode * math.exp(-noise[c, 0]) - 1.0)
        g1 = 0.5 * g1 - NOISE_RIDGE * noise[c, 1]
        h0 = 0.5 * h0 + NOISE_SHAPE
        h1 = 0.5 * h1
        h2 = 0.5 * h2 + NOISE_RIDGE
        det = h0 * h2 - h1 * h1
        step0 = (h2 * g0 - h1 * g1) / det
        step1 = (h0 * g1 - h1 * g0) / det
        noise[c, 0] += min(max(step0, -MAX_NOISE_STEP), MAX_NOISE_STEP)
        noise[c, 1] += min(max(step1, -MAX_NOISE_STEP), MAX_NOISE_STEP)
        _set_precision(rows, options, mixing, s, c)
        penalty += 0.5 * NOISE_RIDGE * noise[c, 1] * noise[c, 1]
    if options.is_shared:
        variance = (total + 2.0 * NOISE_SHAPE * mode) / (count + 2.0 * NOISE_SHAPE)
        for c in range(C):
            noise[c, 0] = math.log(max(variance, options.floor))
    for c in range(C):
        ratio = noise[c, 0] - math.log(mode)
        term = NOISE_SHAPE * (ratio + math.exp(-ratio) - 1.0)
        penalty += term / C if options.is_shared else term
    return penalty


@kernel(inner=True)
def _fit_gate(rows: Rows, options: NoiseOptions, mixing: Mixing, s: int) -> tuple[float, float]:
    """Fit the weights; return their penalty, and the sum of their log normalizers."""
    R = mixing.responsibilities[s]
    gate = mixing.gate[s]
    G = rows.gate_columns
    C, n_gate = gate.shape
    P = R.shape[1]
    n = rows.n
    if n_gate == 0:
        return 0.0, n * math.log(float(C))
    penalty = 0.0
    if n_gate == 1:
        total = C * options.pseudo_rows
        for c in range(C):
            total += dot(R[c], rows.present)
        for c in range(C):
            weight = (dot(R[c], rows.present) + options.pseudo_rows) / total
            gate[c, 0] = math.log(weight)
            penalty -= options.pseudo_rows * (gate[c, 0] + math.log(float(C)))
        return penalty, 0.0
    values = mixing.scratch
    difference = mixing.scratch_rows[1]
    gradient = mixing.buffer
    normalizer = 0.0
    for step in range(GATE_STEPS + 1):
        for c in range(C):
            combine(G, gate[c], values[c])
        normalizer = _softmax(values, rows.present, values, gradient, NO_OUTLIERS)
        if step == GATE_STEPS:
            break
        for c in range(C):
            for k in range(P):
                difference[k] = R[c, k] - values[c, k]
            for j in range(n_gate):
                gradient[j] = dot(difference, G[j]) - GATE_RIDGE * gate[c, j]
            for i in range(n_gate):
                for j in range(n_gate):
                    gate[c, i] += mixing.gate_inverse[i, j] * gradient[j]
    for c in range(C):
        for j in range(1, n_gate):
            penalty += 0.5 * GATE_RIDGE * gate[c, j] * gate[c, j]
    return penalty, normalizer


@kernel(inner=True)
def _fit_outliers(rows: Rows, mixing: Mixing, s: int) -> float:
    """Fit the fraction of outliers; return its penalty, and the rows' cost of not being one."""
    R = mixing.responsibilities[s]
    n_outliers = float(rows.n)
    for c in range(R.shape[0]):
        n_outliers -= dot(R[c], rows.present)
    n_others = rows.n + PRIOR_OTHERS
    weight = (max(n_outliers, 0.0) + PRIOR_OUTLIERS) / (n_others + PRIOR_OUTLIERS)
    mixing.outliers[s] = weight
    penalty = -PRIOR_OUTLIERS * math.log(weight) - n_others * math.log(1.0 - weight)
    return penalty - LOG_OUTLIER_PRIOR


@kernel(inner=True)
def _iterate(
    problem: Problem,
    rows: Rows,
    options: NoiseOptions,
    space: Any,
    work: Work,
    fits: Fits,
    singles: Fits,
    mixing: Mixing,
    s: int,
) -> float:
    """M-step and E-step of a start; return its bound."""
    R = mixing.responsibilities[s]
    C, P = mixing.squares.shape
    for c in range(C):
        weights = mixing.scratch_rows[1]
        _products(R[c], mixing.precision[s, c], weights)
        curve_sums(rows.curves, space, weights, fits.sums[s, c])
    penalty = 0.0
    if options.has_own_smoothness:
        for c in range(C):
            penalty += fit_posteriors(problem, rows.n, 0.0, singles, s * C + c, work, True)
    else:
        penalty += fit_posteriors(problem, rows.n, 0.0, fits, s, work, True)
    for c in range(C):
        system = fits.systems[s, c]
        pivots = fits.pivots[s, c]
        curve_squares(rows.curves, space, fits.mean[s, c], system, pivots, mixing.squares[c])
    penalty += _fit_noise(rows, options, mixing, s)
    gate_penalty, normalizer = _fit_gate(rows, options, mixing, s)
    penalty += gate_penalty
    for c in range(C):
        _set_precision(rows, options, mixing, s, c)
        prior = mixing.log_prior[s, c]
        logs = mixing.scratch_rows[0]
        precision = mixing.precision[s, c]
        combine(rows.gate_columns, mixing.gate[s, c], prior)
        for k in range(0, P, LANES):
            term = load(prior, k) - 0.5 * load(logs, k)
            if rows.label_likelihood.shape[0] > 0:
                term = term + load(rows.label_likelihood, c * P + k)
            store(prior, k, term)
            squared = load(precision, k) * load(mixing.squares, c * P + k)
            store(mixing.scratch, c * P + k, term - 0.5 * squared)
    constant = NO_OUTLIERS
    if options.log_outliers > NO_OUTLIERS:
        penalty += _fit_outliers(rows, mixing, s)
        weight = mixing.outliers[s]
        constant = options.log_outliers + math.log(weight / (1.0 - weight)) + normalizer / rows.n
    total = _softmax(mixing.scratch, rows.present, R, mixing.buffer, constant)
    return total - normalizer - 0.5 * rows.n * LOG_2PI - penalty


@kernel(inner=True)
def _stop_worse_half(mixing: Mixing, tolerance: float) -> None:
    """Stop starts that are equal to another one or in the worse half of the remaining ones."""
    bounds = mixing.bounds
    state = mixing.state
    S = bounds.shape[0]
    n_left = 0
    for s in range(S):
        for earlier in range(s):
            if state[earlier] != GIVEN_UP and abs(bounds[earlier] - bounds[s]) < tolerance:
                state[s] = GIVEN_UP
        if state[s] != GIVEN_UP:
            n_left += 1
    for _ in range(n_left // 2):
        worst = -1
        for s in range(S):
            if state[s] != GIVEN_UP and (worst < 0 or bounds[s] < bounds[worst]):
                worst = s
        state[worst] = GIVEN_UP


@kernel()
def fit_varying(
    problem: Problem,
    rows: Rows,
    options: NoiseOptions,
    space: Any,
    work: Work,
    fits: Fits,
    singles: Fits,
    mixing: Mixing,
) -> int:
    """Fit C curves, noise and weights from the best of S starts; return that start.

    singles: the same curves as S C fits of one curve each, with scales of their own.
    Each start runs a few iterations; then the worse half is stopped, and so on until one is left.
    O(S N C r²) an iteration.
    """
    S = mixing.bounds.shape[0]
    C = mixing.squares.shape[0]
    for s in range(S):
        for c in range(C):
            _set_precision(rows, options, mixing, s, c)
    iteration = 0
    while iteration < problem.max_iter:
        n_running = 0
        for s in range(S):
            if mixing.state[s] != RUNNING:
                continue
            bound = _iterate(problem, rows, options, space, work, fits, singles, mixing, s)
            gain = bound - mixing.bounds[s]
            mixing.bounds[s] = bound
            mixing.n_iter[s] = iteration + 1.0
            if iteration > 0 and abs(gain) < problem.tol * rows.n:
                mixing.state[s] = CONVERGED
            else:
                n_running += 1
        iteration += 1
        if iteration % ROUND_ITER == 0:
            _stop_worse_half(mixing, 10.0 * problem.tol * rows.n)
        if n_running == 0:
            break
    winner = -1
    for s in range(S):
        if mixing.state[s] != GIVEN_UP and (winner < 0 or mixing.bounds[s] > mixing.bounds[winner]):
            winner = s
    return winner
