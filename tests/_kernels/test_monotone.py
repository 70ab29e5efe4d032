"""A monotone function and a curve, against dense matrices, SciPy's splines and differences.

    h(z) = Σ_i c_i ∫ B_i,  c = exp(b),    h - mean h = Ψ a + ε,  a ~ N(0, V),  ε ~ N(0, I)
    V = s² for columns that are not smoothed, s² = max(var h, 1); else d_j τ²
    b - b₀ ~ mean of deviation 2, slope between the middle and an end of 1, second differences ρ

a is integrated out; b is at its mode; τ², ρ² are fixed points of EM, h = 0.01 its prior.
"""

from functools import cache, partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import BSpline

import oracle
from anmmm._kernels.monotone import EffectSums, effect_sums, link_values, monotone_link
from anmmm._kernels.packed import Design
from anmmm._kernels.slopes import SlopePrior

M, N_NULL, WEAK = 10, 2, 0.01
prior_of = partial(oracle.halving_prior, n_null=N_NULL)
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
    # In any order.
    rows = rng.permutation(n)
    return oracle.polynomials(x, 1 if name == "constant" else 6)[rows], z[rows]


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


def sums_of(z):
    ends = np.zeros(M - 1, np.int64)
    sums = EffectSums(z, np.empty(3), np.empty(len(z)), ends, np.zeros(M), np.zeros((M, M)))
    effect_sums(np.sort(z), sums)
    return sums


def fitted(design, z, tol=1e-20, max_iter=5000):
    """What the kernel finds: cost, iterations, b₀, b, mean of a, (s², τ², ρ²)."""
    r = design.shape[1]
    c, mean, scales = np.empty(M), np.empty(r), np.empty(3)
    bends, log_det = precision(0.5) - precision(1.0), np.linalg.slogdet(precision(1.0))[1]
    prior = SlopePrior(precision(1.0) - bends, bends, M - 2, float(log_det))
    columns = Design(np.ascontiguousarray(design), prior_of(design), min(N_NULL, r))
    cost, n_iter = monotone_link(sums_of(z), columns, prior, tol, max_iter, c, mean, scales)
    assert n_iter < max_iter
    assert all(np.isfinite(part).all() for part in (cost, c, mean, scales))
    b0 = np.full(M, np.log(np.sqrt(2.0) / z.std()))
    return cost, n_iter, b0, np.log(c), mean, scales


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
        shift = b - self.b0
        return self.given_curve(b) + 0.5 * (shift @ self.P @ shift - np.linalg.slogdet(self.P)[1])

    def curve(self, b):
        """Posterior mean and covariance of a."""
        h = self.integrals @ np.exp(b)
        mean = self.V @ self.design.T @ np.linalg.solve(self.K, h)
        return mean, np.linalg.inv(np.linalg.inv(self.V) + self.design.T @ self.design)

    def hessian(self, b):
        """Of the objective; of the part that may be negative only what is positive."""
        by_b = oracle.central_difference(self.given_curve, b, step=1e-3)
        hessian = oracle.hessian(self.objective, b, step=1e-4)
        return hessian + np.diag(np.maximum(-by_b, 0.0))


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
def test_few_iterations_suffice(name):
    design, z = drawn(name)
    rough, n_iter, *_ = fitted(design, z, tol=1e-4)
    assert n_iter <= 40
    assert_allclose(rough, fitted(design, z)[0], atol=0.05)


def values_at(points, low, step, c, center=0.0):
    """The function at points, the center taken from its first spline."""
    out, centers = np.empty((1, len(points))), np.zeros(M)
    centers[0] = center / c[0]
    link_values(points, np.array([low, step, 0.0]), centers, c[np.newaxis], out)
    return out[0]


def test_values_of_a_function_are_sums_of_integrals(rng):
    values, slopes = rng.normal(size=30), rng.uniform(0.1, 3.0, M)
    low, step = values.min(), np.ptp(values) / 8
    out = values_at(values, low, step, slopes, 0.7)
    assert_allclose(out, splines(values)[1] @ slopes - 0.7, atol=1e-12)
    ends = values_at(np.array([low - 2.0, values.max() + 2.0]), low, step, slopes, 0.7)
    # h' is constant there.
    first, last = 0.5 * (slopes[0] + slopes[1]), 0.5 * (slopes[-2] + slopes[-1])
    assert_allclose(ends, [out.min() - 2.0 * first, out.max() + 2.0 * last])
    # And so are infinite values.
    out = values_at(np.array([-np.inf, 0.5, np.inf]), 0.0, 1.0, np.ones(M))
    assert_allclose(out, [-np.inf, 1.5, np.inf])
