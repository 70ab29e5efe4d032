"""Curves behind levels and counts, against SciPy's distributions and central differences.

P(level k) = Φ(t_{k+1} - f) - Φ(t_k - f),  t = first + exp(b) · per_slope,  f = Ψ a
count ~ negative binomial of mean exp(f), Poisson where the size is 10⁹
a - a₀ ~ N(0, V),  V = s² for columns that are not smoothed, s² = min(1 + Σ_{j>0} a_j², 100)
b - b₀ ~ N(0, P⁻¹),  a and b at their mode;  τ², ρ² are fixed points of EM, h = 0.01 its prior
"""

from functools import cache, partial

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import erfcx, log_ndtr
from scipy.stats import nbinom, poisson

import oracle
from anmmm._kernels.latent import Cuts, Levels, _interval, latent_curve
from anmmm._kernels.packed import Design
from anmmm._kernels.slopes import SlopePrior

N_NULL, WEAK, POISSON = 2, 0.01, 1e9
prior_of = partial(oracle.halving_prior, n_null=N_NULL)
CASES = (
    "binary",
    "separable",
    "one rare",
    "three",
    "six",
    "gaps",
    "ten",
    "poisson",
    "overdispersed",
    "large counts",
    "one count",
    "constant",
)
cases = pytest.mark.parametrize("name", CASES)


@cache
def drawn(name):
    """The columns of a cause (n, r), an effect, its number of levels and its size."""
    rng = np.random.default_rng(CASES.index(name))
    n = 10 if name == "ten" else 130
    x = np.sort(rng.normal(size=n))
    noisy = x + 0.7 * rng.normal(size=n)
    effect = {
        "binary": noisy > 0.3,
        "separable": x > 0.0,
        "one rare": np.arange(n) == n // 4,
        "three": np.digitize(noisy, [-0.5, 0.4]),
        "six": np.digitize(noisy, [-2, -1, -0.4, 0, 1.5]),
        "gaps": np.searchsorted([-1.0, -0.9999, 0.5], x),
        "ten": noisy > np.median(noisy),
        "poisson": rng.poisson(np.exp(x)),
        "overdispersed": rng.poisson(rng.gamma(2, np.exp(x))),
        "large counts": np.rint(1e5 * np.exp(0.1 * x + 0.05 * rng.normal(size=n))),
        "one count": 3 + (np.arange(n) == 5),
        "constant": noisy > 0.3,
    }[name].astype(float)
    counts = name in ("poisson", "overdispersed", "large counts", "one count")
    design = oracle.polynomials(x, 1 if name == "constant" else 6)
    # In any order.
    rows = rng.permutation(n)
    size = {"overdispersed": 2.0, "large counts": 100.0}.get(name, POISSON)
    return design[rows], effect[rows], 0 if counts else int(effect.max()) + 1, size


def cuts_of(n_levels):
    """Cuts at free distances from the first one, and the prior of the distances' logarithms."""
    m = max(n_levels - 2, 0)
    if not n_levels:
        return Cuts(np.empty(0), np.empty((0, 0))), np.empty((0, 0)), np.empty((0, 0))
    first = np.concatenate([[-np.inf], np.full(m + 1, -0.5 * m), [np.inf]])
    per_slope = np.zeros((m, n_levels + 1))
    for i in range(m):
        per_slope[i, i + 2 : -1] = 1.0
    rough = np.diff(np.eye(m), axis=0) if m > 1 else np.empty((0, m))
    return Cuts(first, per_slope), np.full((m, m), 0.25 / max(m, 1) ** 2), rough


def fitted(
    design, y, n_levels, size, tol=1e-10, max_iter=3000, weights=None, start=None, scales=None
):
    """What the kernel finds: cost, iterations, center, parameters (a, b), scales."""
    cuts, fixed, rough = cuts_of(n_levels)
    center = np.zeros(design.shape[1] + len(cuts.per_slope))
    if not n_levels:
        center[0] = np.log(np.average(y, weights=weights))
    scales = np.ones(3) if scales is None else scales.copy()
    parameters = center.copy() if start is None else start.copy()
    bends = rough.T @ rough
    prior = SlopePrior(fixed, bends, len(rough), float(np.linalg.slogdet(fixed + bends)[1]))
    columns = Design(design, prior_of(design), min(N_NULL, design.shape[1]))
    weights = np.ones(len(y)) if weights is None else weights
    options = cuts, prior, tol, max_iter, center
    cost, n_iter = latent_curve(columns, Levels(y, weights, size), *options, parameters, scales)
    assert n_iter < max_iter
    assert all(np.isfinite(part).all() for part in (cost, parameters, scales))
    return cost, n_iter, center, parameters, scales


def log_normal_mass(a, b):
    """Log-probability of (a, b), from the side where it is small."""
    a, b = np.where(a + b > 0, -b, a), np.where(a + b > 0, -a, b)
    return log_ndtr(b) + np.log1p(-np.exp(log_ndtr(a) - log_ndtr(b)))


class Slow:
    """Everything at given scales."""

    def __init__(self, design, y, n_levels, size, start, scales):
        self.design, self.y, self.size, self.start = design, y, size, start
        self.cuts, fixed, rough = cuts_of(n_levels)
        s2, tau2, rho2 = scales
        self.r, d = design.shape[1], len(start)
        V = np.where(np.arange(self.r) < N_NULL, s2, prior_of(design) * tau2)
        self.P = np.zeros((d, d))
        self.P[: self.r, : self.r] = np.diag(1.0 / V)
        self.P[self.r :, self.r :] = fixed + rough.T @ rough / rho2

    def log_likelihood(self, parameters):
        f = self.design @ parameters[: self.r]
        if not len(self.cuts.first):
            mean = np.exp(f)
            if self.size == POISSON:
                return poisson(mean).logpmf(self.y).sum()
            return nbinom(self.size, self.size / (self.size + mean)).logpmf(self.y).sum()
        level = self.y.astype(int)
        edges = self.cuts.first + np.exp(parameters[self.r :]) @ self.cuts.per_slope
        return log_normal_mass(edges[level] - f, edges[level + 1] - f).sum()

    def objective(self, parameters):
        """Minus the log posterior, but for the Gaussian's 2π."""
        shift = parameters - self.start
        prior = 0.5 * (shift @ self.P @ shift - np.linalg.slogdet(self.P)[1])
        return prior - self.log_likelihood(parameters)

    def hessian(self, parameters):
        """Of the objective; of the part that may be negative only what is positive."""
        by_b = oracle.central_difference(self.log_likelihood, parameters, step=1e-3)
        by_b[: self.r] = 0.0
        return oracle.hessian(self.objective, parameters) + np.diag(np.maximum(by_b, 0.0))


@cache
def solved(name):
    """What the kernel finds for a case, the truth at its scales, and the Hessian there."""
    data = drawn(name)
    cost, _, start, parameters, scales = fitted(*data)
    slow = Slow(*data, start, scales)
    return cost, parameters, scales, slow, slow.hessian(parameters)


@cases
def test_curve_and_cuts_are_at_the_mode_the_cost_is_laplaces_and_scales_are_fixed_points(name):
    cost, parameters, (s2, tau2, rho2), slow, hessian = solved(name)
    gradient = oracle.central_difference(slow.objective, parameters, step=1e-4)
    # In units of the standard deviations that the posterior has about the mode.
    cov = np.linalg.inv(hessian)
    assert_allclose(gradient * np.sqrt(np.diag(cov)), 0.0, atol=1e-4)

    # The likelihood less the evidence.
    evidence = -slow.objective(parameters) - 0.5 * np.linalg.slogdet(hessian)[1]
    assert_allclose(cost, slow.log_likelihood(parameters) - evidence, rtol=1e-4, atol=1e-4)

    design, _, n_levels, _ = drawn(name)
    r = design.shape[1]
    assert_allclose(s2, min(1.0 + (parameters[1:r] ** 2).sum(), 100.0), rtol=1e-6)
    if r > N_NULL:
        second = (parameters**2 + np.diag(cov))[N_NULL:r] / prior_of(design)[N_NULL:]
        expected = (second.sum() + 2 * WEAK) / (r - N_NULL + 2 * WEAK)
        assert_allclose(tau2, expected, rtol=1e-3)
    rough = cuts_of(n_levels)[2]
    if len(rough):
        second = ((rough @ parameters[r:]) ** 2).sum() + np.trace(rough @ cov[r:, r:] @ rough.T)
        assert_allclose(rho2, (second + 2 * WEAK) / (len(rough) + 2 * WEAK), rtol=1e-3)


@cases
def test_few_iterations_suffice(name):
    rough, n_iter, *_ = fitted(*drawn(name), tol=1e-3)
    assert n_iter <= 60
    assert_allclose(rough, solved(name)[0], atol=0.1)


@pytest.mark.parametrize("name", ["one rare", "six", "overdispersed"])
def test_weights_are_numbers_of_equal_rows(name):
    design, y, n_levels, size = drawn(name)
    weights = 1.0 + np.arange(len(y)) % 3
    repeated = weights.astype(int)
    unweighted = fitted(design.repeat(repeated, axis=0), y.repeat(repeated), n_levels, size)
    weighted = fitted(design, y, n_levels, size, weights=weights)
    assert_allclose(weighted[0], unweighted[0], rtol=1e-7)
    assert_allclose(weighted[3], unweighted[3], atol=1e-6)


@pytest.mark.parametrize("name", ["separable", "gaps", "overdispersed", "constant"])
def test_a_fit_from_the_mode_of_another_is_the_same_and_faster(name):
    data = drawn(name)
    cost, n_iter, _, parameters, scales = fitted(*data)
    again = fitted(*data, start=parameters, scales=scales)
    assert_allclose(again[0], cost, rtol=1e-7)
    assert_allclose(again[3], parameters, atol=1e-6)
    assert again[1] < n_iter


@numba.njit(error_model="numpy")
def interval(a, b, out):
    """Give the kernel an entry from Python."""
    return _interval(a, b, out)


def log_mass(middle, half):
    """Log-probability of an interval, exact for narrow and for far ones."""
    a, b = middle - half, middle + half
    if half * max(1.0, abs(middle)) < 0.5:
        nodes, weights = np.polynomial.legendre.leggauss(20)
        inside = weights @ np.exp(-half * nodes * (middle + 0.5 * half * nodes))
        return np.log(half * inside) - 0.5 * (middle**2 + np.log(2 * np.pi))
    lower, upper = (a, b) if middle > 0 else (-b, -a)
    if lower < 0:
        return float(log_normal_mass(a, b))
    ratio = erfcx(upper / np.sqrt(2)) * np.exp(0.5 * (lower - upper) * (lower + upper))
    return np.log(0.5 * (erfcx(lower / np.sqrt(2)) - ratio)) - 0.5 * lower**2


@given(middle=st.floats(-60.0, 60.0), log_half=st.floats(-9.0, 4.0))
@example(middle=0.0, log_half=-8.0)
@example(middle=25.1, log_half=-2.4)
@example(middle=-25.0, log_half=-20.0)
@example(middle=38.5, log_half=0.0)
@example(middle=-1000.0, log_half=-7.5)
@settings(max_examples=60)
def test_log_probability_and_derivatives_of_intervals(middle, log_half):
    half, out = np.exp(log_half), np.empty(5)
    log_probability = interval(middle - half, middle + half, out)
    assert_allclose(log_probability, log_mass(middle, half), rtol=1e-6, atol=1e-6)
    step, scale = 1e-3 * min(half, 1.0 / (1.0 + abs(middle))), abs(middle) + 1.0 / half
    gradient = oracle.central_difference(
        lambda ends: log_mass(*ends), [middle, half], step, least=None
    )
    assert_allclose(out[:2], gradient, rtol=1e-4, atol=1e-4 * scale)
    middle_too, mixed, half_too = out[2:]
    # Each is what the curve's Newton step divides by: a positive definite matrix.
    assert middle_too >= 0.0
    assert half_too >= 0.0
    assert mixed**2 <= middle_too * half_too * (1 + 1e-6) + 1e-9 * scale**2


@pytest.mark.parametrize("cut", [-40.0, -26.0, -3.0, 0.0, 0.7, 24.9, 25.1, 1e4])
def test_tails_have_one_end(cut):
    out, mirrored = np.empty(5), np.empty(5)
    assert_allclose(interval(-np.inf, cut, out), log_ndtr(cut), rtol=1e-9, atol=1e-15)
    assert_allclose(interval(-cut, np.inf, mirrored), log_ndtr(cut), rtol=1e-9, atol=1e-15)
    slope = np.sqrt(2 / np.pi) / erfcx(-cut / np.sqrt(2))
    assert_allclose(out[:2], slope, rtol=1e-8, atol=1e-300)
    assert_allclose(mirrored[:2], [-slope, slope], rtol=1e-8, atol=1e-300)
    assert_allclose(out[2:], slope * (slope + cut), rtol=1e-5, atol=1e-300)
    assert_allclose(
        mirrored[2:], slope * (slope + cut) * np.array([1, -1, 1]), rtol=1e-5, atol=1e-300
    )
