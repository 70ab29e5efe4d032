"""EM of a hidden common cause, against its equations written loop by loop.

p(x, y) = Σ_k w_k p(x | k) p(y | k);  p(z | k) = Σ_j π_j N(z; m_k + μ_j, v_j), or a table of shares,
or counts of mean λ_k and variance λ_k + α λ_k²
m = Ψ c,  c ~ N(0, V),  V = τ² V₀ for smooth columns, else V₀
w free: (n_k + 1) / (N + K);  w smooth: softmax(B β),  β ~ N(0, ρ² V₁), a Newton step
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln, softmax
from scipy.stats import dirichlet, nbinom, norm, poisson

from anmmm._kernels.hidden import (
    CATEGORICAL,
    COUNTS,
    NOISY,
    Nodes,
    Pair,
    cell_masses,
    fit_hidden,
    parts_of,
)

K, USED, J = 8, 5, 2
H = 0.01
NOTHING = np.empty((0, 0))


def nodes(name):
    """Free groups, groups with scales of their own, or a curve."""
    if name != "curve":
        return Nodes(
            np.eye(K), np.ones(K), K, 0.3, np.empty((0, K)), np.empty(0), 0.0, int(name == "own")
        )
    t = (np.arange(K) + 0.5) / K
    waves = np.cos(np.pi * np.outer(np.arange(1, 4), t))
    basis, prior = np.vstack([np.ones(K), t - 0.5, waves]), np.array([1.0, 1.0, 1.0, 0.2, 0.1])
    return Nodes(basis, prior, 2, 1.6, waves[:2].copy(), np.array([1.0, 0.3]), 0.0, 0)


def parts(row, net):
    return parts_of.py_func(row, net)


def drawn(kinds, n=90):
    rng = np.random.default_rng(3)
    group = rng.integers(3, size=n)
    values = np.stack([group + 0.4 * rng.normal(size=n), group**2 + rng.exponential(size=n)])
    places, counts = np.zeros((2, n), dtype=np.int64), np.zeros((2, 1))
    if any(kinds):
        counts = np.zeros((2, 31))
    for d, values_kind in enumerate(kinds):
        if values_kind != NOISY:
            # The first ones vary more than Poisson's.
            mean = (2 * group + 0.5) * (1.0 if d else rng.gamma(0.5, 2.0, n))
            raw = np.minimum(rng.poisson(mean), 30)
            distinct, places[d] = np.unique(raw, return_inverse=True)
            counts[d, : len(distinct)] = distinct
    n_values, floor = places.max(axis=1) + 1, np.array([0.01, 0.02])
    pair = Pair(values, places, np.array(kinds), n_values, floor, counts, gammaln(counts + 1.0))
    return pair, rng


def start(pair, net, rng, used, components=(1, 1)):
    """Return a row of numbers, one component of noise in it being the first of two."""
    V, r, m = pair.counts.shape[1], len(net.prior), len(net.weight_prior)
    row = np.zeros(7 * K + 17 + 2 * r + m + 2 * V * K)
    hidden, some = parts(row, net), np.arange(K) < used
    hidden.shape[:] = used, *components
    hidden.weights[:] = softmax(rng.normal(size=K)) * some
    hidden.positions[:] = rng.normal(size=(2, K)) * some
    hidden.variances[:] = np.array([0.3, 0.7])[:, np.newaxis]
    hidden.fractions[:], hidden.offsets[:] = (0.6, 0.4), (-0.2, 0.3)
    hidden.smoothing[:] = 2.0, 3.0, 0.7
    hidden.tables[:] = rng.dirichlet(np.ones(V), (2, K)).transpose(0, 2, 1) * some
    return row


def densities(pair, hidden, components, d):
    """p(z_i, j | k), (n, J, K)."""
    tables = hidden.tables[d][pair.places[d]][:, np.newaxis]
    if pair.kinds[d] != NOISY:
        return tables
    j = components[d]
    share, offset = hidden.fractions[d, :j, np.newaxis], hidden.offsets[d, :j, np.newaxis]
    z = pair.values[d][:, np.newaxis, np.newaxis]
    return share * norm.pdf(z, hidden.positions[d] + offset, np.sqrt(hidden.variances[d, :j]))


def iterate(pair, nodes, hidden, used, components):
    """One iteration; returns the log-likelihood and the responsibilities before it."""
    n, r = pair.values.shape[1], len(nodes.prior)
    some = np.arange(K) < used
    parts = [densities(pair, hidden, components, d) for d in range(2)]
    both = [part.sum(axis=1) for part in parts]
    joint = hidden.weights * both[0] * both[1]
    total = joint.sum(axis=1, keepdims=True)
    share = joint / total
    seen = share.sum(axis=0)
    if len(nodes.weight_prior) == 0:
        hidden.weights[:] = (seen + 1.0) / (n + used) * some
    else:
        B, prior = nodes.weight_basis, nodes.weight_prior * hidden.smoothing[2]
        beta, w = hidden.logits, hidden.weights
        gradient = B @ (seen - n * w) - beta / prior
        curvature = n * ((B * w) @ B.T - np.outer(B @ w, B @ w)) + np.diag(1.0 / prior)
        step = np.linalg.solve(curvature, gradient)
        beta += step / max(1.0, np.abs(step).max())
        w[:] = softmax(B.T @ beta)
        variance = np.diag(np.linalg.inv(curvature))
        rough = ((beta**2 + variance) / nodes.weight_prior).sum()
        hidden.smoothing[2] = (rough + 2 * H) / (len(beta) + 2 * H)
    for d in range(2):
        if pair.kinds[d] != NOISY:
            weight = np.stack([np.bincount(pair.places[d], q) for q in share[:, :used].T], axis=1)
            V, totals = len(weight), weight.sum(axis=0)
            if pair.kinds[d] == CATEGORICAL:
                hidden.tables[d, :V, :used] = (weight + 0.5) / (totals + 0.5 * V)
        if pair.kinds[d] == COUNTS:
            value = pair.counts[d, :V, np.newaxis]
            mean = ((weight * value).sum(axis=0) + 1.0) / (totals + 1.0)
            dispersion = (weight * ((value - mean) ** 2 - mean)).sum() / (totals @ mean**2)
            if dispersion > 2.0 * np.sqrt(2.0 / n):
                hidden.tables[d, :V, :used] = nbinom.pmf(
                    value, 1 / dispersion, 1 / (1 + mean * dispersion)
                )
            else:
                hidden.tables[d, :V, :used] = poisson.pmf(value, mean)
        if pair.kinds[d] in (CATEGORICAL, COUNTS):
            continue
        z = pair.values[d][:, np.newaxis]
        q = share[:, np.newaxis] * parts[d] / np.maximum(both[d], 1e-300)[:, np.newaxis]
        present = q.sum(axis=(0, 1))
        offset = hidden.offsets[d, : components[d], np.newaxis].copy()
        variance = hidden.variances[d, : components[d]].copy()
        weight = (q / variance).sum(axis=(0, 1))
        target = (q * (z[:, np.newaxis] - offset) / variance).sum(axis=(0, 1))
        basis = nodes.basis
        smooth = np.arange(r) >= nodes.n_null
        prior = nodes.prior * np.where(smooth, hidden.smoothing[d], 1.0)
        inverse = np.linalg.inv((basis * weight) @ basis.T + np.diag(1.0 / prior))
        c = inverse @ basis @ target
        if smooth.any():
            rough = (c**2 + np.diag(inverse)) / nodes.prior
            hidden.smoothing[d] = rough[smooth].mean()
        hidden.positions[d] = c @ basis
        e = z - hidden.positions[d]
        for j in range(components[d]):
            size, moment = q[:, j].sum(), (q[:, j] * e).sum()
            square = (q[:, j] * e**2).sum()
            pooled = square / n
            if components[d] > 1:
                hidden.fractions[d, j] = (size + 1.0) / (n + components[d])
                hidden.offsets[d, j] = moment / size
                pooled = (square - moment**2 / size + 0.04) / (size + 2.0)
            else:
                hidden.fractions[d, j], hidden.offsets[d, j] = 1.0, 0.0
            hidden.variances[d, j, some] = max(pooled, pair.floor[d])
        if nodes.own_scales:
            group_variances = ((q[:, 0] * e**2).sum(axis=0) + max(pooled, pair.floor[d])) / (
                present + 1.0
            )
            hidden.variances[d, 0, some] = np.maximum(group_variances, pair.floor[d])[some]
    return float(np.log(total).sum()), share


CASES = {
    "groups": ("groups", (NOISY, NOISY), (1, 1)),
    "groups, two components": ("groups", (NOISY, NOISY), (2, 1)),
    "scales of their own": ("own", (NOISY, NOISY), (1, 1)),
    "shares and counts": ("groups", (CATEGORICAL, COUNTS), (1, 1)),
    "counts and noise": ("groups", (COUNTS, NOISY), (1, 2)),
    "curve": ("curve", (NOISY, NOISY), (1, 1)),
    "curve, two components each": ("curve", (NOISY, NOISY), (2, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_iterations_are_those_of_the_equations(name):
    node_kind, kinds, components = CASES[name]
    net, used = nodes(node_kind), K if node_kind == "curve" else USED
    pair, rng = drawn(kinds)
    start_row = start(pair, net, rng, used, components)
    hidden = parts(start_row, net)
    for d in range(2):
        if components[d] == 1:
            hidden.fractions[d, 0], hidden.offsets[d, 0] = 1.0, 0.0
    expected = start_row.copy()
    rows = np.stack([start_row, start_row])
    results = [iterate(pair, net, parts(expected, net), used, components) for _ in range(4)]
    fit_hidden(pair, net, rows, NOTHING, 4)
    assert_allclose(parts(rows[0], net).result[0], results[-1][0], rtol=1e-10)
    assert np.array_equal(rows[0], rows[1])
    hidden, slow = parts(rows[0], net), parts(expected, net)
    assert_allclose(hidden.weights, slow.weights, rtol=1e-8, atol=1e-12)
    if node_kind == "curve":
        assert_allclose(hidden.smoothing, slow.smoothing, rtol=1e-7)
        assert_allclose(hidden.logits, slow.logits, rtol=1e-7, atol=1e-10)
    for d in range(2):
        if kinds[d] == NOISY:
            j = components[d]
            assert_allclose(hidden.positions[d], slow.positions[d], rtol=1e-8, atol=1e-10)
            for name in ("fractions", "offsets", "variances"):
                assert_allclose(getattr(hidden, name)[d, :j], getattr(slow, name)[d, :j], rtol=1e-7)
        if kinds[d] != NOISY:
            V = pair.n_values[d]
            assert_allclose(hidden.tables[d, :V], slow.tables[d, :V], rtol=1e-9)


def test_a_start_is_a_hidden_variable_that_is_known_up_to_a_width():
    net, (pair, rng) = nodes("curve"), drawn((NOISY, NOISY))
    t = rng.uniform(size=pair.values.shape[1])
    rows = start(pair, net, rng, K)[np.newaxis]
    fit_hidden(pair, net, rows, t[np.newaxis], 1)
    node_positions = (np.arange(K) + 0.5) / K
    bells = norm.pdf(t[:, np.newaxis], node_positions, 1.6 / K)
    share = bells / bells.sum(axis=1, keepdims=True)
    e = pair.values[0][:, np.newaxis] - parts(rows[0], net).positions[0]
    assert_allclose(parts(rows[0], net).variances[0, 0], (share * e**2).sum() / len(t))


def test_costs_are_laplace_terms_of_positions_weights_and_numbers():
    net, (pair, rng) = nodes("curve"), drawn((NOISY, NOISY))
    row = start(pair, net, rng, K)
    hidden = parts(row, net)
    hidden.offsets[:], hidden.fractions[:] = 0.0, 1.0
    before = parts(row.copy(), net)
    n = pair.values.shape[1]
    fit_hidden(pair, net, row[np.newaxis], NOTHING, 1)
    _, positions, others = hidden.result
    joint = before.weights.copy()
    for d in range(2):
        joint = joint * densities(pair, before, (1, 1), d)[:, 0]
    seen = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
    basis, expected = net.basis, 0.0
    for d in range(2):
        smooth = np.where(np.arange(5) >= 2, before.smoothing[d], 1.0)
        prior = np.diag(1.0 / (net.prior * smooth))
        A = (basis * seen / before.variances[d, 0]) @ basis.T + prior
        c = hidden.coefficients[d]
        log_dets = np.linalg.slogdet(A)[1] - np.linalg.slogdet(prior)[1]
        expected += 0.5 * (log_dets + c @ prior @ c)
    assert_allclose(positions, expected, rtol=1e-9)
    B, prior = net.weight_basis, np.diag(1.0 / (net.weight_prior * 0.7))
    A = n * ((B * before.weights) @ B.T - np.outer(B @ before.weights, B @ before.weights)) + prior
    log_dets, beta = np.linalg.slogdet(A)[1] - np.linalg.slogdet(prior)[1], hidden.logits
    numbers = np.log(n) - np.log(2.0)
    assert_allclose(others, 0.5 * (log_dets + beta @ prior @ beta) + numbers, rtol=1e-9)


def test_groups_cost_half_log_n_a_number_and_shares_the_evidence_of_their_prior():
    net, (pair, rng) = nodes("groups"), drawn((CATEGORICAL, NOISY))
    row, n = start(pair, net, rng, USED, (1, 2)), pair.values.shape[1]
    fit_hidden(pair, net, row[np.newaxis], NOTHING, 9)
    hidden, V, log_n = parts(row, net), pair.n_values[0], np.log(n)
    expected = 0.5 * (USED - 1) * log_n - gammaln(USED + 1) + 2.0 * log_n - np.log(2.0)
    for k in range(USED):
        # Dirichlet(½): minus the log-density of the fitted shares times their posterior's width.
        size = hidden.weights[k] * (n + USED) - 1.0 + 0.5 * V
        posterior = dirichlet(size * hidden.tables[0, :V, k])
        shares = hidden.tables[0, :V, k] / hidden.tables[0, :V, k].sum()
        expected += posterior.logpdf(shares) - dirichlet(np.full(V, 0.5)).logpdf(shares)
    assert_allclose(hidden.result[2], expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["groups", "curve"])
def test_an_observation_far_from_every_node_leaves_the_rest_finite(name):
    net, (pair, rng) = nodes(name), drawn((NOISY, NOISY))
    pair.values[:, 0] = 1e6
    used = USED if name == "groups" else K
    row = start(pair, net, rng, used)
    parts(row, net).fractions[:] = 1.0
    fit_hidden(pair, net, row[np.newaxis], NOTHING, 5)
    assert np.isfinite(row).all()


def test_masses_of_cells_are_differences_of_distribution_functions(rng):
    edges = np.sort(rng.normal(size=9))
    fractions, means = np.array([0.3, 0.7]), rng.normal(size=(2, 4))
    scales = rng.uniform(0.1, 2.0, (2, 4))
    levels = norm.cdf(edges[:, np.newaxis, np.newaxis], means, scales)
    expected = np.einsum("j,ijk->ik", fractions, np.diff(levels, axis=0))
    assert_allclose(cell_masses(edges, fractions, means, scales), expected, atol=1e-14)
