"""A monotone function and a curve, against dense matrices, SciPy's splines and differences.

    h(z) = Σ_i c_i ∫ B_i,  c = exp(b),    h - mean h = Ψ a + ε,  a ~ N(0, V),  ε ~ N(0, I)
    V = s² for columns that are not smoothed, s² = max(var h, 1); else d_j τ²
    b - b₀ ~ mean of deviation 2, slope between the middle and an end of 1, second differences ρ

a is integrated out; b is at its mode; τ², ρ² are fixed points of EM, h = 0.01 its prior.
"""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline
from scipy.stats import norm

import oracle
from anmmm._kernels.effects import WIDTH, EffectSums, effect_sums
from anmmm._kernels.links import link_values
from anmmm._kernels.monotone import LinkFit, LinkPrior, link_room, monotone_link
from anmmm._kernels.packed import Design

M, N_NULL, WEAK = 10, 2, 0.01
CASES = ("linear", "bent", "noise", "ten", "in twos", "outlier", "constant")
cases = pytest.mark.parametrize("name", CASES)


@cache
def drawn(name):
    """The columns of a cause (n, r), and an effect."""
    rng = np.random.default_rng(CASES.index(name))
    n = 10 if name == "ten" else 70
    x = np.sort(rng.normal(size=n))
    z = 0.8 * x + 0.5 * rng.normal(size=n)
    if name == "bent":
        z = np.cbrt(x + np.sin(2 * x) + 0.3 * rng.normal(size=n))
    if name == "noise":
        z = rng.standard_t(3, size=n)
    if name == "in twos":
        # As tied as an effect of such a model may be.
        z = np.repeat(z[::2], 2)[:n]
    if name == "outlier":
        z[n // 3] = 300.0
    powers = np.vander(x, 1 if name == "constant" else 6, increasing=True)
    design = np.linalg.qr(powers)[0] * np.sqrt(n)
    return design * np.sign(design[0, 0]), z


def splines(z):
    """B_i and their integrals from minus infinity at z, (n, M) each; straight beyond the knots."""
    step = np.ptp(z) / (M - 2)
    u = (z - z.min()) / step
    inside = np.clip(u, 0.0, M - 2.0)
    values, integrals = np.empty((len(z), M)), np.empty((len(z), M))
    for i in range(M):
        spline = BSpline.basis_element(np.arange(i - 2.0, i + 2.0), extrapolate=False)
        values[:, i] = np.nan_to_num(spline(inside))
        within = np.clip(inside, i - 2.0, i + 1.0)
        integrals[:, i] = [spline.integrate(i - 2.0, end) for end in within]
    return values, step * integrals


def precision(rho2):
    """P of the log-slopes."""
    trend = np.linspace(-1.0, 1.0, M)
    level, slope = np.full(M, 1.0 / M), trend / (trend @ trend)
    bends = np.diff(np.eye(M), n=2, axis=0)
    return np.outer(level, level) / 4.0 + np.outer(slope, slope) + bends.T @ bends / rho2


def prior_of(design):
    r = design.shape[1]
    return np.where(np.arange(r) < N_NULL, 1.0, 0.5 ** np.arange(r))


def cells_of(z):
    """Ends of the cells of the distinct values, and each observation's cell."""
    distinct, index = np.unique(z, return_inverse=True)
    middle = 0.5 * (distinct[:-1] + distinct[1:])
    ends = 2 * distinct[[0, -1]] - middle[[0, -1]]
    return np.concatenate([ends[:1], middle, ends[1:]]), index


def sums_of(*scales):
    """What the kernel is told of an effect on scales of (values, edges)."""
    points = np.array([np.concatenate(scale) for scale in scales])
    n, k = len(scales[0][0]), len(scales)
    sums = EffectSums(
        points,
        np.empty((k, 3)),
        np.empty((k, n)),
        np.empty((k, M - 1), np.int64),
        np.zeros((k, WIDTH)),
        np.zeros((k, M, WIDTH)),
    )
    effect_sums(n, sums)
    return sums


def padded_prior():
    unit, rough = precision(1.0), np.diff(np.eye(M), n=2, axis=0)
    fixed, bends = np.zeros((2, M, WIDTH))
    fixed[:, :M], bends[:, :M] = unit - rough.T @ rough, rough.T @ rough
    return LinkPrior(fixed, bends, len(rough), np.linalg.slogdet(unit)[1])


def fit_all(design, index, sums, costs, tol=1e-20, max_iter=5000):
    """What the kernel returns and writes."""
    n, r = design.shape
    fit = LinkFit(np.empty(M), np.empty(r), np.empty(3), np.empty((5, n)))
    made = Design(np.ascontiguousarray(design), prior_of(design), min(N_NULL, r))
    found = monotone_link(
        sums,
        np.array(costs, dtype=float),
        index,
        made,
        padded_prior(),
        tol,
        max_iter,
        link_room(r),
        fit,
    )
    return *found, fit


def fitted(design, z, tol=1e-20, max_iter=5000):
    """What the kernel finds: cost, iterations, b₀, b, mean of a, (s², τ², ρ²)."""
    edges, index = cells_of(z)
    best, cost, n_iter, fit = fit_all(design, index, sums_of((z, edges)), [0.0], tol, max_iter)
    assert best == 0
    assert n_iter < max_iter
    assert np.isfinite(cost)
    assert all(np.isfinite(part).all() for part in fit)
    b0 = np.full(M, np.log(np.sqrt(2.0) / z.std()))
    return cost, n_iter, b0, fit.log_slopes, fit.mean, fit.scales


class Dense:
    """Everything at given scales from n × n matrices."""

    def __init__(self, design, z, b0, scales):
        self.values, integrals = splines(z)
        self.integrals = integrals - integrals.mean(axis=0)
        s2, tau2, rho2 = scales
        prior = prior_of(design)
        self.design, self.b0 = design, b0
        self.V = np.diag(np.where(np.arange(len(prior)) < N_NULL, s2, prior * tau2))
        self.K = np.eye(len(z)) + design @ self.V @ design.T
        self.P = precision(rho2)

    def given_curve(self, b):
        """Minus the log-likelihood with a integrated out, but for a constant."""
        h = self.integrals @ np.exp(b)
        quadratic = h @ np.linalg.solve(self.K, h) + np.linalg.slogdet(self.K)[1]
        return 0.5 * quadratic - np.log(self.values @ np.exp(b)).sum()

    def objective(self, b):
        """Minus the log posterior of b, but for the Gaussian's 2π."""
        off = b - self.b0
        return self.given_curve(b) + 0.5 * (off @ self.P @ off - np.linalg.slogdet(self.P)[1])

    def curve(self, b):
        """Posterior mean and covariance of a."""
        h = self.integrals @ np.exp(b)
        mean = self.V @ self.design.T @ np.linalg.solve(self.K, h)
        return mean, np.linalg.inv(np.linalg.inv(self.V) + self.design.T @ self.design)

    def hessian(self, b):
        """Of the objective; of the part that may be negative only what is positive."""

        def gradient(at):
            return oracle.central_difference(self.objective, at, step=1e-3)

        found = np.array(
            [(gradient(b + step) - gradient(b - step)) / 2e-4 for step in 1e-4 * np.eye(M)]
        )
        by_b = oracle.central_difference(self.given_curve, b, step=1e-3)
        return found + np.diag(np.maximum(-by_b, 0.0))


@cases
def test_log_slopes_are_at_the_mode_the_cost_is_laplaces_and_scales_are_fixed_points(name):
    design, z = drawn(name)
    cost, _, b0, b, mean, (s2, tau2, rho2) = fitted(design, z)
    dense = Dense(design, z, b0, (s2, tau2, rho2))
    gradient = oracle.central_difference(dense.objective, b, step=1e-3)
    assert_allclose(gradient, 0.0, atol=1e-6 * len(z))
    expected, cov = dense.curve(b)
    assert_allclose(mean, expected, rtol=1e-6, atol=1e-8)

    # The likelihood less the evidence.
    c, hessian = np.exp(b), dense.hessian(b)
    h = dense.integrals @ c
    at_the_mode = np.log(dense.values @ c).sum() - 0.5 * ((h - design @ mean) ** 2).sum()
    evidence = -dense.objective(b) - 0.5 * np.linalg.slogdet(hessian)[1]
    assert_allclose(cost, at_the_mode - evidence, rtol=1e-5, atol=1e-5)

    assert_allclose(s2, max(h.var(), 1.0), rtol=1e-6)
    bends = np.diff(np.eye(M), n=2, axis=0)
    rough = ((bends @ b) ** 2).sum() + np.trace(bends @ np.linalg.inv(hessian) @ bends.T)
    assert_allclose(rho2, (rough + 2 * WEAK) / (M - 2 + 2 * WEAK), rtol=1e-4)
    if len(mean) > N_NULL:
        rough = ((mean**2 + np.diag(cov)) / prior_of(design))[N_NULL:].sum()
        assert_allclose(tau2, (rough + 2 * WEAK) / (len(mean) - N_NULL + 2 * WEAK), rtol=1e-5)


@cases
def test_neither_order_nor_sign_matters(name, rng):
    design, z = drawn(name)
    cost, _, _, b, mean, scales = fitted(design, z)
    rows = rng.permutation(len(z))
    for one, other, sign, back in ((design[rows], z[rows], 1.0, b), (design, -z, -1.0, b[::-1])):
        again = fitted(one, other)
        assert_allclose(again[0], cost, rtol=1e-7)
        assert_allclose(again[3], back, atol=1e-6)
        assert_allclose(sign * again[4], mean, atol=1e-6)
        assert_allclose(again[5], scales, rtol=1e-6)


@cases
def test_few_iterations_suffice(name):
    design, z = drawn(name)
    cost, n_iter, *_ = fitted(design, z, tol=1e-4)
    assert n_iter <= 40
    assert_allclose(cost, fitted(design, z)[0], atol=0.05)


@cases
def test_rows_are_the_functions_and_the_nats(name):
    design, z = drawn(name)
    edges, index = cells_of(z)
    _, _, _, fit = fit_all(design, index, sums_of((z, edges)), [0.0])
    curve, residual, lower, upper, nats = fit.rows
    _, integrals = splines(z)
    h = (integrals - integrals.mean(axis=0)) @ np.exp(fit.log_slopes)
    assert_allclose(curve, design @ fit.mean, atol=1e-9)
    assert_allclose(residual, h - curve, atol=1e-8)
    step, at = np.ptp(z) / (M - 2), np.empty((M, len(edges)))
    for one, c in zip(at, np.eye(M), strict=True):
        link_values(edges, z.min(), step, c, 0.0, one)
    ends = (at.T - integrals.mean(axis=0)) @ np.exp(fit.log_slopes)
    assert_allclose(lower, ends[index], atol=1e-8)
    assert_allclose(upper, ends[index + 1], atol=1e-8)
    n = len(z)
    mass = norm.sf(np.maximum(lower - curve, curve - upper))
    mass = mass - norm.sf(np.maximum(upper - curve, curve - lower))
    inside = (lower < curve) & (curve < upper)
    mass[inside] = (norm.cdf(upper - curve) - norm.cdf(lower - curve))[inside]
    assert_allclose(nats, -np.log((1 - 1 / n) * mass + 1 / n / (len(edges) - 1)), rtol=1e-7)


def test_the_shortest_scale_wins_and_infinite_ones_are_left_out():
    design, z = drawn("bent")
    edges, index = cells_of(z)
    scales = [(z, edges), (z**3, edges**3), (np.where(z == z.max(), np.inf, z), edges)]
    alone = [fit_all(design, index, sums_of(scale), [0.0]) for scale in scales[:2]]
    lengths = [one[1] + one[3].rows[4].sum() for one in alone]
    assert lengths[1] < lengths[0] - 1.0
    for costs, winner in (([0.0, 0.0, 0.0], 1), ([0.0, lengths[0] - lengths[1] + 0.1, 0.0], 0)):
        best, cost, _, fit = fit_all(design, index, sums_of(*scales), costs)
        assert best == winner
        assert_allclose(cost, alone[winner][1] + costs[winner], rtol=1e-12)
        assert_allclose(fit.rows, alone[winner][3].rows, rtol=1e-12)


# --- What the kernel is given, and the function ---------------------------------------------------


def summed(values):
    """Sums of values on one scale; on one with an infinite value there are none."""
    useless = np.append(values[:-1], np.inf)
    sums = sums_of((values, []), (useless, []))
    assert np.isnan(sums.knots[1]).all()
    return sums


@pytest.mark.parametrize("outlier", [None, 40.0, 1e4])
def test_sums_are_those_of_the_columns(outlier, rng):
    values = rng.normal(size=41)
    if outlier is not None:
        values[7] = outlier
    sums, (_, columns) = summed(values), splines(values)
    centered = columns - columns.mean(axis=0)
    gram = centered.T @ centered
    assert_allclose(sums.centers[0, :M], columns.mean(axis=0), rtol=1e-11)
    assert_allclose(sums.gram[0, :, :M], gram, rtol=1e-8, atol=1e-11 * np.trace(gram))
    assert not sums.gram[0, :, M:].any()
    assert_allclose(sums.knots[0, :2], [values.min(), np.ptp(values) / 8])
    assert_allclose(sums.knots[0, 2], np.log(np.sqrt(2.0) / values.std()))


@given(st.lists(st.floats(-50.0, 50.0), min_size=3, max_size=40, unique=True))
def test_observations_lie_in_their_intervals(values):
    values = np.array(values)
    sums = summed(values)
    u = (values - values.min()) / sums.knots[0, 1]
    interval = np.clip(np.floor(u), 0, M - 3)
    ends = sums.ends[0]
    assert ends[0] == 0
    assert_allclose(np.diff(ends), np.bincount(interval.astype(int), minlength=M - 2))
    for j in range(M - 2):
        there = np.clip(u[interval == j] - j, 0.0, 1.0)
        assert_allclose(np.sort(sums.local[0, ends[j] : ends[j + 1]]), np.sort(there))


def test_values_of_a_function_are_sums_of_integrals(rng):
    values, slopes = rng.normal(size=30), rng.uniform(0.1, 3.0, M)
    out = np.empty(30)
    link_values(values, values.min(), np.ptp(values) / 8, slopes, 0.7, out)
    assert_allclose(out, splines(values)[1] @ slopes - 0.7, atol=1e-12)
    beyond, ends = np.array([values.min() - 2.0, values.max() + 2.0]), np.empty(2)
    link_values(beyond, values.min(), np.ptp(values) / 8, slopes, 0.7, ends)
    # h' is constant there.
    first, last = 0.5 * (slopes[0] + slopes[1]), 0.5 * (slopes[-2] + slopes[-1])
    assert_allclose(ends, [out.min() - 2.0 * first, out.max() + 2.0 * last])
    # And so are infinite values.
    link_values(np.array([-np.inf, 0.5, np.inf]), 0.0, 1.0, np.ones(M), 0.0, out[:3])
    assert_allclose(out[:3], [-np.inf, 1.5, np.inf])
