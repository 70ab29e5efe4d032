"""EM for two variables that are independent given a hidden one.

The hidden variable has K values, the nodes, with weights. At each node a variable has a position
and noise of normal components, or probabilities of its values. Positions are means of groups, or a
smooth curve over the nodes. docs/method/confounders.md, eqs. 1 to 4.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import LANES, broadcast, exponential, load, reduce_add, store
from anmmm._kernels.columns import add_weighted
from anmmm._kernels.distributions import normal_levels
from anmmm._kernels.packed import HYPER, clear, copy_part, dot, exp_nonpositive, padded, sum_of_logs
from anmmm._kernels.systems import System, clear_sums, new_system, solve

# A variable given the node: a position with noise, probabilities of its values, or counts.
NOISY = 0
CATEGORICAL = 1
COUNTS = 2
# Added to the density of an observation: one distant from all nodes belongs to none.
DENSITY_FLOOR = 1e-200
# Bounds of a smoothing variance.
MIN_SMOOTHING = 1e-4
MAX_SMOOTHING = 1e4
# Pseudo-observations of a component, and its prior variance.
PSEUDO_ROWS = 1.0
PSEUDO_VARIANCE = 0.02
# Iterations before which EM does not stop.
MIN_ITER = 4
# Gain in nats of an iteration that ends a fit: with 0.2, 17 of 1492 probabilities change by 0.05.
MIN_ITER_GAIN = 0.02


class Pair(NamedTuple):
    """Two standardized variables."""

    values: FloatArray  # (2, n)
    places: IndexArray  # (2, n), place of each value among the distinct ones
    kinds: IndexArray  # (2,), `NOISY`, `CATEGORICAL` or `COUNTS`
    n_values: IndexArray  # (2,), distinct values of a variable that is not `NOISY`
    floor: FloatArray  # (2,), variance of a typical cell, the smallest of noise
    counts: FloatArray  # (2, V), distinct counts, and the logarithms of their factorials
    log_factorials: FloatArray


class Nodes(NamedTuple):
    """Values of the hidden variable, and curves over them."""

    basis: FloatArray  # (r, K)
    prior: FloatArray  # (r,), prior variances, beyond `n_null` in units of a smoothing variance
    n_null: int
    width: float  # uncertainty of a start, in distances between nodes
    weight_basis: FloatArray  # (m, K), of the logits of weights; m = 0: weights are free
    weight_prior: FloatArray  # (m,), in units of a variance
    floor: float  # smallest noise variance
    own_scales: int  # 1: noise has a scale for each group


# Columns of `Hidden.shape` and `Hidden.result` in a row of numbers.
SHAPE = slice(0, 3)
RESULT = slice(3, 6)


class Hidden(NamedTuple):
    """A fit: views into its row of numbers, made by `parts_of`."""

    shape: FloatArray  # (3,), used nodes and components of both noises
    result: FloatArray  # (3,), log-likelihood, costs of positions and of the other parameters
    weights: FloatArray  # (K,)
    positions: FloatArray  # (2, K)
    variances: FloatArray  # (2, J, K), of components of the noise; first, the dispersion of counts
    fractions: FloatArray  # (2, J), weights of the components
    offsets: FloatArray  # (2, J), their means
    smoothing: FloatArray  # (3,), variances of both curves and of the logits
    coefficients: FloatArray  # (2, r)
    logits: FloatArray  # (m,)
    tables: FloatArray  # (2, V, K), probabilities of values


@kernel(inner=True, allocates=True)
def parts_of(row: FloatArray, nodes: Nodes) -> Hidden:
    """Return the parts of a fit's row of numbers, tables last; J = 2."""
    r, K = nodes.basis.shape
    after_nodes = 6 + 7 * K
    after_noise = after_nodes + 11
    after_curves = after_noise + 2 * r
    end = after_curves + nodes.weight_basis.shape[0]
    return Hidden(
        row[:3],
        row[3:6],
        row[6 : 6 + K],
        row[6 + K : 6 + 3 * K].reshape((2, K)),
        row[6 + 3 * K : after_nodes].reshape((2, 2, K)),
        row[after_nodes : after_nodes + 4].reshape((2, 2)),
        row[after_nodes + 4 : after_nodes + 8].reshape((2, 2)),
        row[after_nodes + 8 : after_noise],
        row[after_noise:after_curves].reshape((2, r)),
        row[after_curves:end],
        row[end:].reshape((2, (row.shape[0] - end) // (2 * K), K)),
    )


@kernel(inner=True)
def _components(
    start_width: float, pair: Pair, shape: IndexArray, hidden: Hidden, noise: FloatArray
) -> None:
    """Write center, rate and height of components ``height exp(rate (z - center)²)``.

    noise: (2, J, 3, K), of both variables; or, if `start_width` is positive, of a hidden variable
    that is known up to it alone.
    """
    n_used = shape[0]
    for axis in range(2):
        is_noisy = pair.kinds[axis] == NOISY
        for j in range(shape[1 + axis]):
            center = noise[axis, j, 0]
            rate = noise[axis, j, 1]
            height = noise[axis, j, 2]
            for k in range(n_used):
                center[k] = 0.0
                rate[k] = 0.0
                height[k] = 1.0
                if start_width > 0.0 and axis == 0:
                    center[k] = (k + 0.5) / n_used
                    rate[k] = -0.5 * n_used * n_used / (start_width * start_width)
                if start_width == 0.0 and is_noisy:
                    center[k] = hidden.positions[axis, k] + hidden.offsets[axis, j]
                    rate[k] = -0.5 / hidden.variances[axis, j, k]
                    height[k] = hidden.fractions[axis, j] * math.sqrt(-rate[k] / math.pi)


@kernel(inner=True)
def _write_joint(
    start_width: float,
    pair: Pair,
    shape: IndexArray,
    hidden: Hidden,
    values: FloatArray,
    joint: FloatArray,
    noise: FloatArray,
) -> None:
    """Write the density of each observation and node; arguments are those of `_e_step`.

    joint: (4 K, P), a row for each node and pair of components; their sums to ``values[4]``.
    """
    n = pair.values.shape[1]
    n_used = shape[0]
    P = values.shape[1]
    row = values[3]
    totals = values[4]
    origin = 2 * P if start_width > 0.0 else 0
    _components(start_width, pair, shape, hidden, noise)
    for i in range(P):
        totals[i] = DENSITY_FLOOR
    joint_start = 0
    for k in range(n_used):
        for i in range(P):
            row[i] = 1.0
        for axis in range(2):
            if pair.kinds[axis] != NOISY and start_width == 0.0:
                for i in range(n):
                    row[i] *= hidden.tables[axis, pair.places[axis, i], k]
        for j in range(shape[1]):
            for m in range(shape[2]):
                x = noise[0, j, 0, k]
                x_rate = noise[0, j, 1, k]
                y = noise[1, m, 0, k]
                y_rate = noise[1, m, 1, k]
                height = noise[0, j, 2, k] * noise[1, m, 2, k]
                if start_width == 0.0:
                    height *= hidden.weights[k]
                # One exponential for both variables.
                for i in range(0, P, LANES):
                    e = load(values, origin + i) - x
                    f = load(values, P + i) - y
                    power = y_rate * f * f
                    power += x_rate * e * e
                    density = height * exponential(power) * load(row, i)
                    store(joint, joint_start + i, density)
                    store(totals, i, load(totals, i) + density)
                joint_start += P


@kernel(inner=True)
def _e_step(
    start_width: float,
    pair: Pair,
    shape: IndexArray,
    hidden: Hidden,
    values: FloatArray,
    joint: FloatArray,
    noise: FloatArray,
    sums: FloatArray,
    counts: FloatArray,
) -> float:
    """Write sums of responsibilities, times values and squares, (2, J, 3, K); return log L.

    values: (5, P), P = padded(n), both variables, the hidden one, and workspace; joint, (4 K, P),
    and noise, (2, J, 3, K): workspace. If `start_width` is positive, the hidden variable is known
    up to that uncertainty.
    """
    n = pair.values.shape[1]
    P = values.shape[1]
    row = values[3]
    totals = values[4]
    _write_joint(start_width, pair, shape, hidden, values, joint, noise)
    log_likelihood = sum_of_logs(totals, n)
    for i in range(P):
        totals[i] = 1.0 / totals[i] if i < n else 0.0
    for axis in range(2):
        for j in range(sums.shape[1]):
            for moment in range(3):
                clear(sums[axis, j, moment])
        for v in range(counts.shape[1]):
            clear(counts[axis, v])
    joint_start = 0
    for k in range(shape[0]):
        for j in range(shape[1]):
            for m in range(shape[2]):
                total = broadcast(0.0)
                x_moment = total
                x_squares = total
                y_moment = total
                y_squares = total
                for i in range(0, P, LANES):
                    q = load(joint, joint_start + i) * load(totals, i)
                    z = load(values, i)
                    w = load(values, P + i)
                    store(row, i, q)
                    total += q
                    x_moment += q * z
                    x_squares += q * z * z
                    y_moment += q * w
                    y_squares += q * w * w
                joint_start += P
                components = j, m
                moments = reduce_add(x_moment), reduce_add(y_moment)
                squares = reduce_add(x_squares), reduce_add(y_squares)
                for axis in range(2):
                    sums[axis, components[axis], 0, k] += reduce_add(total)
                    sums[axis, components[axis], 1, k] += moments[axis]
                    sums[axis, components[axis], 2, k] += squares[axis]
                    if pair.kinds[axis] != NOISY:
                        for i in range(n):
                            counts[axis, pair.places[axis, i], k] += row[i]
    return log_likelihood


@kernel(inner=True)
def _at_nodes(basis: FloatArray, z: FloatArray, out: FloatArray) -> None:
    """Write the curve (K,) of coefficients z (r,)."""
    clear(out)
    for i in range(basis.shape[0]):
        for k in range(basis.shape[1]):
            out[k] += z[i] * basis[i, k]


class MStepArrays(NamedTuple):
    """Arrays of an M-step."""

    curve: System  # of r equations
    logits: System  # of m equations
    centered: FloatArray  # (m, K)
    node_weights: FloatArray  # (K,), as the others
    targets: FloatArray
    products: FloatArray


@kernel(inner=True)
def _curve(
    axis: int, nodes: Nodes, n_components: int, hidden: Hidden, sums: FloatArray, work: MStepArrays
) -> float:
    """Update a curve and its smoothing variance; return the cost of its coefficients."""
    r, K = nodes.basis.shape
    tau = hidden.smoothing[axis]
    weight = work.node_weights
    target = work.targets
    system = work.curve
    clear(weight)
    clear(target)
    clear_sums(system)
    for j in range(n_components):
        for k in range(K):
            precision = 1.0 / hidden.variances[axis, j, k]
            weight[k] += sums[axis, j, 0, k] * precision
            target[k] += (
                sums[axis, j, 1, k] - hidden.offsets[axis, j] * sums[axis, j, 0, k]
            ) * precision
    for k in range(K):
        target[k] /= max(weight[k], DENSITY_FLOOR)
    add_weighted(nodes.basis, 0, weight, target, work.products, system.gram, system.moment)
    log_prior = 0.0
    for i in range(r):
        scale = nodes.prior[i] * (tau if i >= nodes.n_null else 1.0)
        system.precision[i] = 1.0 / scale
        log_prior += math.log(scale)
    log_det = solve(system, r, 1.0)
    z = system.mean
    variance = system.variance
    rough = 0.0
    square = 0.0
    for i in range(r):
        square += z[i] * z[i] * system.precision[i]
        if i >= nodes.n_null:
            rough += (z[i] * z[i] + variance[i]) / nodes.prior[i]
    if r > nodes.n_null:
        hidden.smoothing[axis] = min(max(rough / (r - nodes.n_null), MIN_SMOOTHING), MAX_SMOOTHING)
    copy_part(z, hidden.coefficients[axis])
    _at_nodes(nodes.basis, z, hidden.positions[axis])
    return 0.5 * (log_det + log_prior + square)


@kernel(inner=True)
def _squares(sums: FloatArray, k: int, m: float) -> float:
    """Return the sum of weighted squares about m at a node; sums: (3, K)."""
    return float(sums[2, k] - 2.0 * m * sums[1, k] + m * m * sums[0, k])


@kernel(inner=True)
def _noise(
    axis: int, pair: Pair, nodes: Nodes, shape: IndexArray, hidden: Hidden, sums: FloatArray
) -> None:
    """Update the components of the noise of a variable about its positions."""
    n = pair.values.shape[1]
    n_used = shape[0]
    n_components = shape[1 + axis]
    floor = max(pair.floor[axis], nodes.floor)
    pooled = 0.0
    for j in range(n_components):
        total = 0.0
        moment = 0.0
        squares = 0.0
        for k in range(n_used):
            m = hidden.positions[axis, k]
            total += sums[axis, j, 0, k]
            moment += sums[axis, j, 1, k] - m * sums[axis, j, 0, k]
            squares += _squares(sums[axis, j], k, m)
        fraction = 1.0
        offset = 0.0
        variance = squares / max(total, 1.0)
        if n_components > 1:
            fraction = (total + PSEUDO_ROWS) / (n + n_components * PSEUDO_ROWS)
            offset = moment / (total + DENSITY_FLOOR)
            variance = squares - moment * offset + 2.0 * PSEUDO_VARIANCE
            variance /= total + 2.0
        pooled = max(variance, floor)
        hidden.fractions[axis, j] = fraction
        hidden.offsets[axis, j] = offset
        for k in range(n_used):
            hidden.variances[axis, j, k] = pooled
    if nodes.own_scales:
        for k in range(n_used):
            squares = _squares(sums[axis, 0], k, hidden.positions[axis, k])
            hidden.variances[axis, 0, k] = max(
                (squares + pooled) / (sums[axis, 0, 0, k] + 1.0), floor
            )


@kernel(inner=True)
def _weights(
    n: int, nodes: Nodes, n_used: int, hidden: Hidden, counts: FloatArray, work: MStepArrays
) -> float:
    """Update the weights of nodes from the expected counts of each; return their cost."""
    m, K = nodes.weight_basis.shape
    weights = hidden.weights
    beta = hidden.logits
    tau = hidden.smoothing[2]
    if m == 0:
        for k in range(n_used):
            weights[k] = (counts[k] + PSEUDO_ROWS) / (n + n_used * PSEUDO_ROWS)
        return 0.5 * (n_used - 1) * math.log(n)
    basis = nodes.weight_basis
    system = work.logits
    centered = work.centered
    expected = work.node_weights
    target = work.targets
    clear_sums(system)
    for i in range(m):
        mean = dot(basis[i], weights)
        for k in range(K):
            centered[i, k] = basis[i, k] - mean
    for k in range(K):
        expected[k] = n * weights[k]
        target[k] = (counts[k] - expected[k]) / max(expected[k], DENSITY_FLOOR)
    add_weighted(centered, 0, expected, target, work.products, system.gram, system.moment)
    step = system.mean
    variance = system.variance
    precision = system.precision
    for i in range(m):
        precision[i] = 1.0 / (nodes.weight_prior[i] * tau)
        system.moment[i] -= beta[i] * precision[i]
    log_det = solve(system, m, 1.0)
    largest = 1.0
    highest = -np.inf
    total = 0.0
    rough = 0.0
    for i in range(m):
        largest = max(largest, abs(step[i]))
    for i in range(m):
        beta[i] += step[i] / largest
    _at_nodes(basis, beta, weights)
    for k in range(K):
        highest = max(highest, weights[k])
    for k in range(K):
        weights[k] -= highest
    exp_nonpositive(weights, K)
    for k in range(K):
        total += weights[k]
    for k in range(K):
        weights[k] /= total
    cost = 0.5 * log_det
    for i in range(m):
        rough += (beta[i] * beta[i] + variance[i]) / nodes.weight_prior[i]
        cost += 0.5 * (beta[i] * beta[i] * precision[i] - math.log(precision[i]))
    new = (rough + 2.0 * HYPER) / (m + 2.0 * HYPER)
    hidden.smoothing[2] = min(max(new, MIN_SMOOTHING), MAX_SMOOTHING)
    return cost


@kernel(inner=True)
def _tables(axis: int, pair: Pair, n_used: int, hidden: Hidden, counts: FloatArray) -> None:
    """Update the probabilities of categories at each node."""
    V = pair.n_values[axis]
    for k in range(n_used):
        total = 0.0
        for v in range(V):
            total += counts[axis, v, k]
        for v in range(V):
            hidden.tables[axis, v, k] = (counts[axis, v, k] + 0.5) / (total + 0.5 * V)


@kernel(inner=True, allocates=True)
def _count_tables(axis: int, pair: Pair, n_used: int, hidden: Hidden, counts: FloatArray) -> None:
    """Update the mean of counts at each node, their dispersion, and their probabilities.

    Poisson if the dispersion, by moments, is within two standard errors of 0.
    """
    n = pair.values.shape[1]
    V = pair.n_values[axis]
    common_logs = np.empty(V)
    log_probabilities = np.empty(V)
    excess = 0.0
    squares = DENSITY_FLOOR
    for k in range(n_used):
        total = 0.0
        moment = 0.0
        for v in range(V):
            total += counts[axis, v, k]
            moment += counts[axis, v, k] * pair.counts[axis, v]
        mean = (moment + PSEUDO_ROWS) / (total + PSEUDO_ROWS)
        hidden.positions[axis, k] = mean
        squares += total * mean * mean
        for v in range(V):
            e = pair.counts[axis, v] - mean
            excess += counts[axis, v, k] * (e * e - mean)
    dispersion = excess / squares
    if dispersion < math.sqrt(8.0 / n):
        dispersion = 0.0
    hidden.variances[axis, 0, 0] = dispersion
    size = 1.0 / dispersion if dispersion > 0.0 else 0.0
    # What is the same at all nodes.
    for v in range(V):
        common_logs[v] = -pair.log_factorials[axis, v]
        if dispersion > 0.0:
            common_logs[v] += math.lgamma(pair.counts[axis, v] + size) - math.lgamma(size)
            common_logs[v] += size * math.log(size)
    for k in range(n_used):
        mean = hidden.positions[axis, k]
        for v in range(V):
            count = pair.counts[axis, v]
            log_probabilities[v] = common_logs[v] + count * math.log(mean)
            log_probabilities[v] -= (
                (count + size) * math.log(size + mean) if dispersion > 0.0 else mean
            )
        exp_nonpositive(log_probabilities, V)
        for v in range(V):
            hidden.tables[axis, v, k] = log_probabilities[v]


@kernel(inner=True)
def _parameter_cost(pair: Pair, nodes: Nodes, shape: IndexArray, hidden: Hidden) -> float:
    """Return the cost of the parameters other than positions and weights of nodes."""
    n = pair.values.shape[1]
    n_used = shape[0]
    is_curve = nodes.weight_prior.shape[0] > 0
    cost = -math.log(2.0) if is_curve else -math.lgamma(n_used + 1.0)
    for axis in range(2):
        J = shape[1 + axis]
        half = 0.5 * pair.n_values[axis]
        if pair.kinds[axis] == CATEGORICAL:
            # Under Jeffreys' prior, from the expected counts of values.
            for k in range(n_used):
                size = max(hidden.weights[k] * (n + n_used) - 1.0, 0.0) + half
                cost += math.lgamma(size) - math.lgamma(half) + 2.0 * half * math.lgamma(0.5)
                for v in range(pair.n_values[axis]):
                    p = hidden.tables[axis, v, k]
                    cost += (p * size - 0.5) * math.log(p) - math.lgamma(p * size)
            continue
        if pair.kinds[axis] == COUNTS:
            cost += 0.5 * (n_used + (hidden.variances[axis, 0, 0] > 0.0)) * math.log(n)
        elif nodes.own_scales:
            cost += 0.5 * n_used * math.log(n)
        else:
            cost += 0.5 * (3 * J - 2) * math.log(n) - math.lgamma(J + 1.0)
    return cost


@kernel(inner=True)
def _set_start(n_used: int, hidden: Hidden) -> None:
    """Write normal noise of variance 0.1 and smoothing variances, before the first M-step."""
    for axis in range(2):
        for j in range(2):
            hidden.fractions[axis, j] = 1.0
            for k in range(hidden.weights.shape[0]):
                hidden.variances[axis, j, k] = 0.1
        hidden.smoothing[axis] = 5.0
    hidden.smoothing[2] = 1.0
    for k in range(n_used):
        hidden.weights[k] = 1.0 / n_used


@kernel(inner=True, allocates=True)
def _m_step(
    pair: Pair,
    nodes: Nodes,
    shape: IndexArray,
    hidden: Hidden,
    sums: FloatArray,
    counts: FloatArray,
    work: MStepArrays,
) -> tuple[float, float]:
    """Update all parameters from the sums of an E-step; return costs of positions and weights."""
    K = nodes.basis.shape[1]
    node_counts = np.empty(K)
    for k in range(K):
        node_counts[k] = sums[0, 0, 0, k] + sums[0, 1, 0, k]
    weight_cost = _weights(pair.values.shape[1], nodes, shape[0], hidden, node_counts, work)
    position_cost = 0.0
    for axis in range(2):
        if pair.kinds[axis] == CATEGORICAL:
            _tables(axis, pair, shape[0], hidden, counts)
        elif pair.kinds[axis] == COUNTS:
            _count_tables(axis, pair, shape[0], hidden, counts)
        else:
            position_cost += _curve(axis, nodes, shape[1 + axis], hidden, sums, work)
            _noise(axis, pair, nodes, shape, hidden, sums)
    return position_cost, weight_cost


@kernel(allocates=True)
def fit_hidden(
    pair: Pair, nodes: Nodes, fits: FloatArray, starts: FloatArray, max_iter: int
) -> None:
    """Fit S times by EM, in place.

    fits: (S, ...), rows of `parts_of`, with their shapes; starts: (S, n), the hidden variable of
    the first E-step in (0, 1), or (0, 0) to start from fits. O(n K J² + K r² + r³) an iteration,
    until one gains less than `MIN_ITER_GAIN` nats.
    """
    n = pair.values.shape[1]
    K = nodes.basis.shape[1]
    values = np.zeros((5, padded(n)))
    joint = np.empty((4 * K, padded(n)))
    sums = np.zeros((2, 2, 3, K))
    noise = np.empty((2, 2, 3, K))
    shape = np.empty(3, np.int64)
    m = nodes.weight_prior.shape[0]
    systems = new_system(nodes.prior.shape[0]), new_system(m)
    space = np.empty((3, K))
    work = MStepArrays(*systems, np.empty((m, K)), space[0], space[1], space[2])
    for axis in range(2):
        for i in range(n):
            values[axis, i] = pair.values[axis, i]
    for s in range(fits.shape[0]):
        hidden = parts_of(fits[s], nodes)
        for i in range(3):
            shape[i] = int(hidden.shape[i])
        counts = np.empty(hidden.tables.shape)
        log_likelihood = -np.inf
        previous = -np.inf
        position_cost = 0.0
        weight_cost = 0.0
        if starts.shape[0] > 0:
            _set_start(shape[0], hidden)
        for n_iter in range(max_iter):
            start_width = nodes.width if n_iter == 0 and starts.shape[0] > 0 else 0.0
            if start_width > 0.0:
                for i in range(n):
                    values[2, i] = starts[s, i]
            previous = log_likelihood
            log_likelihood = _e_step(
                start_width, pair, shape, hidden, values, joint, noise, sums, counts
            )
            if n_iter > MIN_ITER and log_likelihood - previous < MIN_ITER_GAIN:
                break
            position_cost, weight_cost = _m_step(pair, nodes, shape, hidden, sums, counts, work)
        hidden.result[0] = log_likelihood
        hidden.result[1] = position_cost
        hidden.result[2] = weight_cost + _parameter_cost(pair, nodes, shape, hidden)


@kernel(allocates=True)
def cell_masses(
    edges: FloatArray, fractions: FloatArray, means: FloatArray, scales: FloatArray
) -> FloatArray:
    """Return the probability of each cell at each node, (n_cells, K); means, scales: (J, K)."""
    J, K = means.shape
    n_cells = edges.shape[0] - 1
    masses = np.zeros((n_cells, K))
    levels = np.empty(n_cells + 1)
    for k in range(K):
        for j in range(J):
            for i in range(n_cells + 1):
                levels[i] = (edges[i] - means[j, k]) / scales[j, k]
            normal_levels(levels)
            for i in range(n_cells):
                masses[i, k] += fractions[j] * (levels[i + 1] - levels[i])
    return masses
