"""EM for two variables that are independent given one that nobody measured.

The hidden variable is on K nodes with weights. At each node a variable has a position and noise of
normal components, or shares of its values. Positions are groups' means, or a smooth
curve over the nodes. docs/method/confounders.md, eqs. 1 to 4.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from anmmm._kernels._jit import SUMS, FloatArray, IndexArray, kernel
from anmmm._kernels._vectors import (
    LANES,
    everywhere,
    exponential,
    load,
    multiply_add,
    plus,
    product,
    quotient,
    store,
    total_of,
)
from anmmm._kernels.packed import HYPER, clear, exp_nonpositive, log_of_product, padded
from anmmm._kernels.systems import eliminate, set_up, solution

# What a variable is at a node: a position with noise, shares of its values, Poisson counts.
NOISY, SHARES, COUNTS = 0, 1, 2
# Where no node is near, an observation says nothing of any.
NOWHERE = 1e-200
# Bounds of a smoothing variance, and Newton steps of the weights between two passes.
SMOOTHEST, ROUGHEST = 1e-4, 1e4
N_NEWTON = 2
# Observations' worth of the prior of a component's share and variance.
PSEUDO, PSEUDO_VARIANCE = 1.0, 0.02
# Iterations before which EM does not stop.
FEWEST = 4


class Pair(NamedTuple):
    """Two standardized variables."""

    values: FloatArray  # (2, n)
    places: IndexArray  # (2, n), place of each value among the distinct ones
    kinds: IndexArray  # (2,), `NOISY`, `SHARES` or `COUNTS`
    n_values: IndexArray  # (2,), distinct values of a variable with shares or counts
    floor: FloatArray  # (2,), least noise variance
    counts: FloatArray  # (2, V), distinct counts, and the logarithms of their factorials
    log_factorials: FloatArray


class Nodes(NamedTuple):
    """Where the hidden variable lies, and curves over it; K is a multiple of eight."""

    basis: FloatArray  # (r, K), zero beyond the nodes that are used
    prior: FloatArray  # (r,), prior variances, beyond `n_null` in units of a smoothing variance
    n_null: int
    used: int  # nodes that are used
    weight_basis: FloatArray  # (m, K), logits of weights; m = 0 where weights are free
    weight_prior: FloatArray  # (m,), in units of a variance
    own_scales: int  # 1 where each node has noise of its own


class Hidden(NamedTuple):
    """What EM changes: start and result."""

    weights: FloatArray  # (K,)
    positions: FloatArray  # (2, K)
    shares: FloatArray  # (2, J, K), of components of the noise
    offsets: FloatArray  # (2, J, K), their means
    variances: FloatArray  # (2, J, K)
    tables: FloatArray  # (2, V, K), shares of values
    smoothing: FloatArray  # (3,), variances of both curves and of the logits
    coefficients: FloatArray  # (2, padded(r))
    logits: FloatArray  # (m,)


@kernel(inner=True)
def _bells(at: float, used: int, width: float, out: FloatArray) -> None:
    """Write how near nodes in (0, 1) are; sums reordered would spoil the exponential."""
    rate = -0.5 / (width * width)
    for k in range(out.shape[0]):
        e = at - (k + 0.5) / used
        out[k] = exponential(rate * e * e)


@kernel(fastmath=SUMS, inner=True)
def _starting_sums(
    pair: Pair, nodes: Nodes, start: FloatArray, width: float, sums: FloatArray, counts: FloatArray
) -> None:
    """Write the sums of an E-step whose hidden variable is `start`, (n,), in (0, 1)."""
    each = np.empty(nodes.basis.shape[1])
    clear(sums.ravel())
    clear(counts.ravel())
    for i in range(start.shape[0]):
        _bells(start[i], nodes.used, width, each)
        total = NOWHERE
        for k in range(nodes.used):
            total += each[k]
        for d in range(2):
            z = pair.values[d, i]
            for k in range(nodes.used):
                q = each[k] / total
                sums[d, 0, 0, k] += q
                sums[d, 0, 1, k] += q * z
                sums[d, 0, 2, k] += q * z * z
            if pair.kinds[d] != NOISY:
                for k in range(nodes.used):
                    counts[d, pair.places[d, i], k] += each[k] / total


@kernel(inner=True)
def _e_step(
    pair: Pair, n_components: IndexArray, hidden: Hidden, sums: FloatArray, counts: FloatArray
) -> float:
    """Write sums of responsibilities, times values and squares, (2, J, 3, K); return log L."""
    n, K = pair.values.shape[1], hidden.weights.shape[0]
    J = hidden.shares.shape[1]
    factor, rate = np.empty((2, J, K)), np.empty((2, J, K))
    center, parts = np.empty((2, J, K)), np.empty((2, J, K))
    joint, either = np.empty(K), np.empty((2, K))
    for d in range(2):
        for j in range(n_components[d]):
            for k in range(K):
                v = hidden.variances[d, j, k]
                factor[d, j, k] = hidden.shares[d, j, k] / math.sqrt(2.0 * math.pi * v)
                rate[d, j, k] = -0.5 / v
                center[d, j, k] = hidden.positions[d, k] + hidden.offsets[d, j, k]
    clear(sums.ravel())
    clear(counts.ravel())
    log_likelihood, so_far = 0.0, 1.0
    one, minus, nowhere = everywhere(1.0), everywhere(-1.0), everywhere(NOWHERE)
    for i in range(n):
        for d in range(2):
            if pair.kinds[d] != NOISY:
                row = pair.places[d, i] + d * hidden.tables.shape[1]
                for k in range(0, K, LANES):
                    store(either, d * K + k, load(hidden.tables, row * K + k))
                continue
            z = everywhere(pair.values[d, i])
            for k in range(0, K, LANES):
                both = everywhere(0.0)
                for j in range(n_components[d]):
                    at = (d * J + j) * K + k
                    e = multiply_add(minus, load(center, at), z)
                    bell = exponential(product(load(rate, at), product(e, e)))
                    part = product(load(factor, at), bell)
                    store(parts, at, part)
                    both = plus(both, part)
                store(either, d * K + k, both)
        total = everywhere(0.0)
        for k in range(0, K, LANES):
            two = product(load(either, k), load(either, K + k))
            here = product(load(hidden.weights, k), two)
            store(joint, k, here)
            total = plus(total, here)
        whole = total_of(total) + NOWHERE
        so_far, logarithm = log_of_product(so_far, whole)
        log_likelihood += logarithm
        share = everywhere(1.0 / whole)
        for d in range(2):
            z = everywhere(pair.values[d, i])
            for k in range(0, K, LANES):
                q = product(load(joint, k), share)
                if n_components[d] > 1:
                    q = product(q, quotient(one, plus(load(either, d * K + k), nowhere)))
                for j in range(n_components[d]):
                    at = (d * J + j) * K + k
                    to = 3 * at - 2 * k
                    part = product(q, load(parts, at)) if n_components[d] > 1 else q
                    times = product(part, z)
                    store(sums, to, plus(load(sums, to), part))
                    store(sums, to + K, plus(load(sums, to + K), times))
                    to += 2 * K
                    store(sums, to, multiply_add(times, z, load(sums, to)))
            if pair.kinds[d] != NOISY:
                row = pair.places[d, i] + d * hidden.tables.shape[1]
                for k in range(0, K, LANES):
                    old = load(counts, row * K + k)
                    store(counts, row * K + k, multiply_add(load(joint, k), share, old))
    return log_likelihood + math.log(so_far)


@kernel(fastmath=SUMS, inner=True)
def _solve(
    basis: FloatArray,
    weight: FloatArray,
    moment: FloatArray,
    precision: FloatArray,
    z: FloatArray,
    variance: FloatArray,
) -> float:
    """Solve ``(Ψ W Ψᵀ + P) z = moment``; write z and the variances, return the log determinant."""
    r, K = basis.shape
    size = padded(r)
    gram = np.zeros((size, size))
    weighted = np.empty(K)
    for i in range(r):
        for k in range(K):
            weighted[k] = basis[i, k] * weight[k]
        for j in range(i, r):
            total = 0.0
            for k in range(K):
                total += weighted[k] * basis[j, k]
            gram[i, j] = total
    rows, pivots = np.zeros((r, padded(r + 1) + size)), np.empty(r)
    set_up(rows, r, gram, moment, 1.0, np.zeros(size), precision)
    log_det = eliminate(rows, pivots, r)
    solution(rows, pivots, r, z, variance)
    return log_det


@kernel(fastmath=SUMS, inner=True)
def _curve(d: int, nodes: Nodes, n_components: int, hidden: Hidden, sums: FloatArray) -> float:
    """Update a curve and its smoothing variance; return the cost of its numbers."""
    r, K = nodes.basis.shape
    weight, target = np.zeros(K), np.zeros(K)
    for j in range(n_components):
        for k in range(K):
            one = 1.0 / hidden.variances[d, j, k]
            weight[k] += sums[d, j, 0, k] * one
            target[k] += (sums[d, j, 1, k] - hidden.offsets[d, j, k] * sums[d, j, 0, k]) * one
    size = padded(r)
    moment, precision, variance = np.zeros(size), np.zeros(size), np.empty(size)
    log_prior, tau = 0.0, hidden.smoothing[d]
    for i in range(r):
        scale = nodes.prior[i] * (tau if i >= nodes.n_null else 1.0)
        precision[i] = 1.0 / scale
        log_prior += math.log(scale)
        total = 0.0
        for k in range(K):
            total += nodes.basis[i, k] * target[k]
        moment[i] = total
    z = hidden.coefficients[d]
    log_det = _solve(nodes.basis, weight, moment, precision, z, variance)
    rough, square = 0.0, 0.0
    for i in range(r):
        square += z[i] * z[i] * precision[i]
        if i >= nodes.n_null:
            rough += (z[i] * z[i] + variance[i]) / nodes.prior[i]
    if r > nodes.n_null:
        hidden.smoothing[d] = min(max(rough / (r - nodes.n_null), SMOOTHEST), ROUGHEST)
    clear(hidden.positions[d])
    for i in range(r):
        for k in range(K):
            hidden.positions[d, k] += z[i] * nodes.basis[i, k]
    return 0.5 * (log_det + log_prior + square)


@kernel(fastmath=SUMS, inner=True)
def _noise(
    d: int, pair: Pair, nodes: Nodes, n_components: int, hidden: Hidden, sums: FloatArray
) -> None:
    """Update the components of the noise of a variable about its positions."""
    n, K, floor = pair.values.shape[1], nodes.used, pair.floor[d]
    pooled = 0.0
    for j in range(n_components):
        total, moment, squares = 0.0, 0.0, 0.0
        for k in range(K):
            m = hidden.positions[d, k]
            total += sums[d, j, 0, k]
            moment += sums[d, j, 1, k] - m * sums[d, j, 0, k]
            squares += sums[d, j, 2, k] - 2.0 * m * sums[d, j, 1, k] + m * m * sums[d, j, 0, k]
        share, offset, variance = 1.0, 0.0, squares / n
        if n_components > 1:
            share = (total + PSEUDO) / (n + n_components * PSEUDO)
            offset = moment / (total + NOWHERE)
            variance = squares - moment * offset + 2.0 * PSEUDO_VARIANCE
            variance /= total + 2.0
        pooled = max(variance, floor)
        for k in range(hidden.weights.shape[0]):
            hidden.shares[d, j, k] = share
            hidden.offsets[d, j, k] = offset
            hidden.variances[d, j, k] = pooled
    if nodes.own_scales:
        for k in range(K):
            m = hidden.positions[d, k]
            squares = sums[d, 0, 2, k] - 2.0 * m * sums[d, 0, 1, k] + m * m * sums[d, 0, 0, k]
            hidden.variances[d, 0, k] = max((squares + pooled) / (sums[d, 0, 0, k] + 1.0), floor)


@kernel(fastmath=SUMS, inner=True)
def _weights(n: int, nodes: Nodes, hidden: Hidden, counts: FloatArray) -> float:
    """Update the weights of nodes from how many observations each has; return their cost."""
    m, K = nodes.weight_basis.shape
    weights = hidden.weights
    if m == 0:
        for k in range(nodes.used):
            weights[k] = (counts[k] + PSEUDO) / (n + nodes.used * PSEUDO)
        return 0.5 * (nodes.used - 1) * math.log(n)
    size, beta = padded(m), hidden.logits
    centered, each = np.zeros((m, K)), np.empty(K)
    gradient, precision = np.zeros(size), np.zeros(size)
    step, variance = np.empty(size), np.empty(size)
    tau, log_det, rough = hidden.smoothing[2], 0.0, 0.0
    for _ in range(N_NEWTON):
        for i in range(m):
            mean, seen = 0.0, 0.0
            for k in range(K):
                mean += weights[k] * nodes.weight_basis[i, k]
                seen += counts[k] * nodes.weight_basis[i, k]
            for k in range(K):
                centered[i, k] = nodes.weight_basis[i, k] - mean
            precision[i] = 1.0 / (nodes.weight_prior[i] * tau)
            gradient[i] = seen - n * mean - beta[i] * precision[i]
        for k in range(K):
            each[k] = n * weights[k]
        log_det = _solve(centered, each, gradient, precision, step, variance)
        largest = 1.0
        for i in range(m):
            largest = max(largest, abs(step[i]))
        for i in range(m):
            beta[i] += step[i] / largest
        total, highest = 0.0, -np.inf
        clear(each)
        for i in range(m):
            for k in range(K):
                each[k] += beta[i] * nodes.weight_basis[i, k]
        for k in range(nodes.used):
            highest = max(highest, each[k])
        for k in range(K):
            each[k] -= highest
        exp_nonpositive(each, K)
        for k in range(nodes.used):
            total += each[k]
        for k in range(nodes.used):
            weights[k] = each[k] / total
    cost = 0.5 * log_det
    for i in range(m):
        rough += (beta[i] * beta[i] + variance[i]) / nodes.weight_prior[i]
        cost += 0.5 * (beta[i] * beta[i] * precision[i] - math.log(precision[i]))
    new = (rough + 2.0 * HYPER) / (m + 2.0 * HYPER)
    hidden.smoothing[2] = min(max(new, SMOOTHEST), ROUGHEST)
    return cost


@kernel(inner=True)
def _tables(d: int, pair: Pair, nodes: Nodes, hidden: Hidden, counts: FloatArray) -> None:
    """Update how often each value occurs at each node: by shares, or by a mean count."""
    V = pair.n_values[d]
    each = np.empty(V)
    for k in range(nodes.used):
        total, moment = 0.0, 0.0
        for v in range(V):
            total += counts[d, v, k]
            moment += counts[d, v, k] * pair.counts[d, v]
        if pair.kinds[d] == COUNTS:
            mean = (moment + PSEUDO) / (total + PSEUDO)
            hidden.positions[d, k] = mean
            for v in range(V):
                each[v] = pair.counts[d, v] * math.log(mean) - mean - pair.log_factorials[d, v]
            exp_nonpositive(each, V)
            for v in range(V):
                hidden.tables[d, v, k] = each[v]
        else:
            for v in range(V):
                hidden.tables[d, v, k] = (counts[d, v, k] + 0.5) / (total + 0.5 * V)


@kernel(fastmath=SUMS)
def fit_hidden(
    pair: Pair,
    nodes: Nodes,
    hidden: Hidden,
    n_components: IndexArray,
    start: FloatArray,
    width: float,
    max_iter: int,
    tol: float,
) -> tuple[float, float, float]:
    """Fit by EM; return the log-likelihood, and what positions and weights cost.

    n_components: (2,); start: (n,) the hidden variable in (0, 1) of the first E-step, of which
    `width` is the uncertainty, or (0,) where `hidden` is the start. Ends where an iteration gains
    less than `tol` nats. O(n K J) an iteration, and O(K r² + r³).
    """
    n, K = pair.values.shape[1], nodes.basis.shape[1]
    sums = np.zeros((2, hidden.shares.shape[1], 3, K))
    counts = np.zeros(hidden.tables.shape)
    log_likelihood, last, cost, of_weights = -np.inf, -np.inf, 0.0, 0.0
    for n_iter in range(max_iter):
        if n_iter == 0 and start.shape[0] > 0:
            _starting_sums(pair, nodes, start, width, sums, counts)
        else:
            last = log_likelihood
            log_likelihood = _e_step(pair, n_components, hidden, sums, counts)
            if n_iter > FEWEST and log_likelihood - last < tol:
                break
        seen = np.zeros(K)
        for j in range(n_components[0]):
            for k in range(K):
                seen[k] += sums[0, j, 0, k]
        of_weights, cost = _weights(n, nodes, hidden, seen), 0.0
        for d in range(2):
            if pair.kinds[d] != NOISY:
                _tables(d, pair, nodes, hidden, counts)
            else:
                cost += _curve(d, nodes, n_components[d], hidden, sums)
                _noise(d, pair, nodes, n_components[d], hidden, sums)
    return log_likelihood, cost, of_weights
