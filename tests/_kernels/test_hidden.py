"""EM of a hidden common cause, against its equations written loop by loop.

p(x, y) = Σ_k w_k p(x | k) p(y | k);  p(z | k) = Σ_j π_j N(z; m_k + μ_j, v_j), or a table of shares,
or Poisson's of mean λ_k;  m = Ψᵀ c,  c ~ N(0, V),  V = τ² V₀ for smooth columns, else V₀
w free: (n_k + 1) / (N + K);  w smooth: softmax(Bᵀ β),  β ~ N(0, ρ² V₁), two Newton steps
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln, softmax
from scipy.stats import norm, poisson

from anmmm._kernels.hidden import COUNTS, NOISY, SHARES, Hidden, Nodes, Pair, fit_hidden

K, USED, J = 8, 5, 2
H = 0.01


def nodes(name):
    """Free groups, groups with scales of their own, or a curve over the nodes."""
    if name != "curve":
        eye = np.eye(USED, K)
        return Nodes(eye, np.ones(USED), USED, USED, np.empty((0, K)), np.empty(0), name == "own")
    at = (np.arange(K) + 0.5) / K
    waves = np.cos(np.pi * np.outer(np.arange(1, 4), at))
    basis = np.vstack([np.ones(K), at - 0.5, waves])
    prior = np.array([1.0, 1.0, 1.0, 0.2, 0.1])
    return Nodes(basis, prior, 2, K, waves[:2].copy(), np.array([1.0, 0.3]), 0)


def drawn(kinds, n=90):
    rng = np.random.default_rng(3)
    group = rng.integers(3, size=n)
    values = np.stack([group + 0.4 * rng.normal(size=n), group**2 + rng.exponential(size=n)])
    places, counts = np.zeros((2, n), dtype=np.int64), np.zeros((2, 1))
    if any(kinds):
        counts = np.zeros((2, 7))
    for d, kind in enumerate(kinds):
        if kind != NOISY:
            raw = np.minimum(rng.poisson(2 * group + 0.5), 6)
            distinct, places[d] = np.unique(raw, return_inverse=True)
            counts[d, : len(distinct)] = distinct
    n_values, floor = places.max(axis=1) + 1, np.array([0.01, 0.02])
    pair = Pair(values, places, np.array(kinds), n_values, floor, counts, gammaln(counts + 1.0))
    return pair, rng


def start(pair, nodes, rng):
    V = pair.counts.shape[1]
    used = np.arange(K) < nodes.used
    table = np.ascontiguousarray(rng.dirichlet(np.ones(V), (2, K)).transpose(0, 2, 1) * used)
    return Hidden(
        softmax(rng.normal(size=K)) * used,
        rng.normal(size=(2, K)) * used,
        np.broadcast_to(np.array([[0.6], [0.4]]), (2, J, K)).copy(),
        np.broadcast_to(np.array([[-0.2], [0.3]]), (2, J, K)).copy(),
        np.broadcast_to(np.array([[0.3], [0.7]]), (2, J, K)).copy(),
        table,
        np.array([2.0, 3.0, 0.7]),
        np.zeros((2, 8)),
        np.zeros(len(nodes.weight_prior)),
    )


def densities(pair, hidden, components, d):
    """p(z_i, j | k), (n, J, K)."""
    if pair.kinds[d] != NOISY:
        return hidden.tables[d][pair.places[d]][:, np.newaxis]
    j = components[d]
    share = hidden.shares[d, :j] if j > 1 else np.ones((1, K))
    offset = hidden.offsets[d, :j]
    z = pair.values[d][:, np.newaxis, np.newaxis]
    return share * norm.pdf(z, hidden.positions[d] + offset, np.sqrt(hidden.variances[d, :j]))


def iterate(pair, nodes, hidden, components):
    """One iteration; returns the log-likelihood before it."""
    n, used = pair.values.shape[1], slice(0, nodes.used)
    parts = [densities(pair, hidden, components, d) for d in range(2)]
    both = [part.sum(axis=1) for part in parts]
    joint = hidden.weights * both[0] * both[1]
    total = joint.sum(axis=1, keepdims=True)
    share = joint / total
    seen = share.sum(axis=0)
    if len(nodes.weight_prior) == 0:
        hidden.weights[used] = (seen[used] + 1.0) / (n + nodes.used)
    else:
        B, prior = nodes.weight_basis, nodes.weight_prior * hidden.smoothing[2]
        beta, w = hidden.logits, hidden.weights
        for _ in range(2):
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
            for k in range(nodes.used):
                weight = np.bincount(pair.places[d], share[:, k])
                V = len(weight)
                if pair.kinds[d] == SHARES:
                    hidden.tables[d, :V, k] = (weight + 0.5) / (weight.sum() + 0.5 * V)
                else:
                    mean = (weight @ pair.counts[d, :V] + 1.0) / (weight.sum() + 1.0)
                    hidden.positions[d, k] = mean
                    hidden.tables[d, :V, k] = poisson.pmf(pair.counts[d, :V], mean)
            continue
        z, q = pair.values[d], share[:, np.newaxis] * parts[d] / both[d][:, np.newaxis]
        offset, variance = (part[d, : components[d]].copy() for part in hidden[3:5])
        weight = (q / variance).sum(axis=(0, 1))
        target = (q * (z[:, np.newaxis, np.newaxis] - offset) / variance).sum(axis=(0, 1))
        smooth = np.arange(len(nodes.prior)) >= nodes.n_null
        prior = nodes.prior * np.where(smooth, hidden.smoothing[d], 1.0)
        inverse = np.linalg.inv((nodes.basis * weight) @ nodes.basis.T + np.diag(1.0 / prior))
        c = inverse @ nodes.basis @ target
        if smooth.any():
            rough = (c**2 + np.diag(inverse)) / nodes.prior
            hidden.smoothing[d] = rough[smooth].mean()
        hidden.positions[d] = c @ nodes.basis
        e = z[:, np.newaxis] - hidden.positions[d]
        for j in range(components[d]):
            size, moment = q[:, j].sum(), (q[:, j] * e).sum()
            square = (q[:, j] * e**2).sum()
            pooled = square / n
            if components[d] > 1:
                hidden.shares[d, j] = (size + 1.0) / (n + components[d])
                hidden.offsets[d, j] = moment / size
                pooled = (square - moment**2 / size + 0.04) / (size + 2.0)
            else:
                hidden.shares[d, j], hidden.offsets[d, j] = 1.0, 0.0
            hidden.variances[d, j] = max(pooled, pair.floor[d])
        if nodes.own_scales:
            own = ((q[:, 0] * e**2).sum(axis=0) + max(pooled, pair.floor[d])) / (seen + 1.0)
            hidden.variances[d, 0, used] = np.maximum(own, pair.floor[d])[used]
    return float(np.log(total).sum())


CASES = {
    "groups": ("groups", (NOISY, NOISY), (1, 1)),
    "groups, two components": ("groups", (NOISY, NOISY), (2, 1)),
    "scales of their own": ("own", (NOISY, NOISY), (1, 1)),
    "shares and counts": ("groups", (SHARES, COUNTS), (1, 1)),
    "counts and noise": ("groups", (COUNTS, NOISY), (1, 2)),
    "curve": ("curve", (NOISY, NOISY), (1, 1)),
    "curve, two components each": ("curve", (NOISY, NOISY), (2, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_iterations_are_those_of_the_equations(name):
    of_nodes, kinds, components = CASES[name]
    net = nodes(of_nodes)
    pair, rng = drawn(kinds)
    found = start(pair, net, rng)
    if components == (1, 1):
        found.offsets[:] = 0.0
        found.shares[:] = 1.0
    expected = Hidden(*(part.copy() for part in found))
    likelihoods = [iterate(pair, net, expected, components) for _ in range(4)]
    log_likelihood, _, _ = fit_hidden(
        pair, net, found, np.array(components), np.empty(0), 1.0, 4, -np.inf
    )
    assert_allclose(log_likelihood, likelihoods[-1], rtol=1e-10)
    used = np.arange(K) < net.used
    assert_allclose(found.weights, expected.weights, rtol=1e-8, atol=1e-12)
    for d in range(2):
        if kinds[d] == NOISY:
            assert_allclose(found.positions[d], expected.positions[d], rtol=1e-8, atol=1e-10)
            for part, other in zip(found[2:5], expected[2:5], strict=True):
                j = components[d]
                assert_allclose(part[d, :j, used], other[d, :j, used], rtol=1e-7, atol=1e-10)
        else:
            V = pair.n_values[d]
            assert_allclose(found.tables[d, :V, used], expected.tables[d, :V, used], rtol=1e-9)
    if of_nodes == "curve":
        assert_allclose(found.smoothing, expected.smoothing, rtol=1e-7)
        assert_allclose(found.logits, expected.logits, rtol=1e-7, atol=1e-10)


def test_costs_are_laplace_terms_of_positions_and_weights():
    net = nodes("curve")
    pair, rng = drawn((NOISY, NOISY))
    hidden = start(pair, net, rng)
    hidden.offsets[:], hidden.shares[:] = 0.0, 1.0
    before = Hidden(*(part.copy() for part in hidden))
    _, positions, weights = fit_hidden(
        pair, net, hidden, np.array([1, 1]), np.empty(0), 1.0, 1, -np.inf
    )
    joint = before.weights.copy()
    for d in range(2):
        joint = joint * densities(pair, before, (1, 1), d)[:, 0]
    seen = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
    expected = 0.0
    for d in range(2):
        smooth = np.where(np.arange(5) >= 2, before.smoothing[d], 1.0)
        prior = np.diag(1.0 / (net.prior * smooth))
        A = (net.basis * seen / before.variances[d, 0]) @ net.basis.T + prior
        c = hidden.coefficients[d, :5]
        log_dets = np.linalg.slogdet(A)[1] - np.linalg.slogdet(prior)[1]
        expected += 0.5 * (log_dets + c @ prior @ c)
    assert_allclose(positions, expected, rtol=1e-9)
    assert weights > 0.0


def test_an_observation_far_from_every_node_leaves_the_rest_finite():
    net = nodes("groups")
    pair, rng = drawn((NOISY, NOISY))
    pair.values[:, 0] = 1e6
    hidden = start(pair, net, rng)
    hidden.offsets[:], hidden.shares[:] = 0.0, 1.0
    assert np.isfinite(
        fit_hidden(pair, net, hidden, np.array([1, 1]), np.empty(0), 1.0, 5, -np.inf)
    ).all()
    assert all(np.isfinite(part).all() for part in hidden)
