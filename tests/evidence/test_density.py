"""Densities of one variable: they are densities, and their codes are codes."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import oracle
from anmmm._kernels import densities, distributions
from anmmm._kernels import log_density as kernels
from anmmm._kernels.densities import fit_base
from anmmm._kernels.packed import HYPER
from anmmm.evidence.code import code_lengths, gaussian_nats
from anmmm.evidence.density import (
    BASES,
    GRID,
    N_BINS,
    densest_point,
    fit_density,
    plain_density,
)
from anmmm.evidence.marginal import DensityMarginal, smooth_density
from anmmm.preprocessing import Cells
from drawn import standard, variable_of
from kernel_forms import from_python
from record_comparison import assert_same

fit_student = from_python(densities.fit_student)
normal_levels = from_python(distributions.normal_levels)
student_levels = from_python(distributions.student_levels)
count_bins, log_density = from_python(kernels.count_bins), from_python(kernels.log_density)
masses = from_python(kernels.masses)


NAMES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.uniform(size=n),
    "student": lambda rng, n: rng.standard_t(3, size=n),
    "exponential": lambda rng, n: rng.exponential(size=n),
    "two modes": lambda rng, n: rng.normal(size=n) + 6 * rng.integers(2, size=n),
    "counts": lambda rng, n: rng.poisson(3.0, size=n).astype(float),
    "binary": lambda rng, n: rng.integers(2, size=n).astype(float),
    "outlier": lambda rng, n: np.append(rng.normal(size=n - 1), 1e6),
}


def drawn(name, n=500, seed=0):
    return NAMES[name](np.random.default_rng(seed), n)


def description_length(mass, n_cells):
    return code_lengths(mass, n_cells).sum()


def mass_of(density, lower, upper):
    """Probability of each interval; ends are finite."""
    low, high = (N_BINS * density.quantile(ends) for ends in (lower, upper))
    return mass_inside(low, high, np.exp(density.log_p))


def mass_inside(low, high, p):
    """Probability of intervals in units of bins of probabilities p."""
    mass = np.full(len(low), np.nan)
    masses(low, high, p, mass)
    return mass


def fit(values, **options):
    """Cells, density, length."""
    cells = Cells.of(values)
    density, nats = fit_density(values, cells.lower, cells.upper, cells.n_distinct, **options)
    return cells, density, nats.sum() + density.cost


def test_log_density_is_the_penalized_optimum(rng):
    B, r = 48, 6
    cosines = np.sqrt(2) * np.cos(np.pi * np.outer(np.arange(1, 2 * r + 1), np.arange(B) + 0.5) / B)
    features = cosines[:r].T
    counts = rng.multinomial(300, rng.dirichlet(5 * np.ones(B))).astype(float)
    prior = np.arange(1.0, r + 1) ** -4
    log_p = np.empty(B)
    cost = log_density(counts, cosines, prior, log_p)
    p = np.exp(log_p)
    assert_allclose(p.sum(), 1.0)
    # log p = features · beta - const, so beta is what centered features regress to.
    centered = features - features.mean(axis=0)
    beta = np.linalg.lstsq(centered, log_p - log_p.mean(), rcond=None)[0]
    assert_allclose(centered @ beta, log_p - log_p.mean(), atol=1e-9)
    gradient = features.T @ (counts - 300 * p)
    tau2 = np.median(beta / (prior * gradient))
    assert_allclose(gradient, beta / (prior * tau2), rtol=0.05, atol=0.05)
    hessian = 300 * (features.T @ (p[:, None] * features) - np.outer(p @ features, p @ features))
    precision = hessian + np.diag(1 / (prior * tau2))
    second = beta**2 + np.diag(np.linalg.inv(precision))
    assert_allclose(tau2, ((second / prior).sum() + 2 * HYPER) / (r + 2 * HYPER), rtol=0.05)
    evidence = -0.5 * (
        np.linalg.slogdet(precision)[1] + (beta**2 / (prior * tau2) + np.log(prior * tau2)).sum()
    )
    assert_allclose(cost, -evidence, atol=0.1)


def test_points_are_counted_as_by_the_oracle(rng):
    points = np.concatenate(
        [rng.uniform(0, 8, size=50), np.arange(9.0), [3.0 + 1e-12, 5.0 - 1e-12, 2.0 + 1e-6]]
    )
    counts = np.full(8, np.nan)
    count_bins(points, counts)
    assert_allclose(counts, oracle.bin_shares(points, kernels.ON_EDGE, 8))
    assert_allclose(counts.sum(), len(points))


def test_mass_of_intervals_matches_the_oracle(rng):
    p = rng.dirichlet(np.ones(8))
    ends = np.sort(np.concatenate([rng.uniform(0, 8, size=(60, 2)), [[0, 8], [2, 3], [4, 4]]]))
    low, high = np.ascontiguousarray(ends.T)
    mass = mass_inside(low, high, p)
    expected = [oracle.piecewise_mass(*interval, p) for interval in ends]
    assert_allclose(mass, expected, rtol=1e-12, atol=1e-15)


def test_student_fit_is_the_likelihoods_maximum(rng):
    values = 2.0 + 0.5 * rng.standard_t(3, size=400)
    location, variance = fit_student(values, 1e-12, 100, (0.0, 1.0))
    _, best_location, best_scale = stats.t.fit(values, f0=3)
    assert_allclose(location, best_location, atol=1e-3)
    assert_allclose(np.sqrt(variance), best_scale, rtol=2e-3)
    assert fit_student(values, 9.0, 100, (0.0, 1.0))[1] == 9.0


@pytest.mark.parametrize("n", [9, 10, 11, 250])
def test_places_of_the_bases_match_the_oracle(n):
    for values in (drawn(name, n) for name in NAMES):
        cells = Cells.of(values)
        ends = cells.lower, cells.upper
        places = [fit_base(base, values, *ends) for base in range(len(BASES))]
        low, high = cells.edges[0], cells.edges[-1]
        assert places[0] == pytest.approx((low, high - low), rel=1e-12)
        assert places[1] == pytest.approx((values.mean(), values.std()), rel=1e-9, abs=1e-12)
        assert_allclose(places[2], oracle.student_place(values, *ends), rtol=1e-9, atol=1e-12)


def test_distribution_functions_are_exact_in_the_lower_tail():
    points = np.concatenate([np.linspace(-8.4, 8.4, 1001), [0.0, 3.0**0.5, -(3.0**0.5)]])
    levels = points.copy()
    normal_levels(levels)
    assert_allclose(levels, stats.norm.cdf(points), rtol=3e-14)
    levels = points.copy()
    student_levels(levels)
    assert_allclose(levels, stats.t.cdf(points, 3), atol=5e-16)
    for function in (normal_levels, student_levels):
        far = np.array([-np.inf, -1e200, 1e200, np.inf])
        function(far)
        assert_allclose(far, [0.0, 0.0, 1.0, 1.0])


def test_cells_part_neighbors_at_their_midpoint():
    cells = Cells.of(np.array([3.0, 0.0, 1.0, 1.0]))
    assert_allclose(cells.edges, [-0.5, 0.5, 2.0, 4.0])
    assert_allclose(cells.lower, [2.0, -0.5, 0.5, 0.5])
    assert_allclose(cells.upper, [4.0, 0.5, 2.0, 2.0])
    assert cells.n_distinct == 3
    with pytest.raises(ValueError, match="at least two distinct"):
        Cells.of(np.ones(5))


@pytest.mark.parametrize("base", BASES)
def test_a_density_integrates_to_one(base):
    for name in NAMES:
        cells, density, _ = fit(drawn(name), bases=[base])
        grid = np.linspace(cells.edges[0], cells.edges[-1], 4001)
        mass, levels = mass_of(density, grid[:-1], grid[1:]), density.cdf(grid)
        assert np.all(mass >= 0)
        assert_allclose(density.cdf(np.array([-1e15, 1e15])), [0.0, 1.0], atol=1e-9)
        assert_allclose(mass.sum(), levels[-1] - levels[0], atol=1e-9)
        assert np.all(np.diff(levels) >= -1e-12)
        # And so do the codes of the cells.
        cell = mass_of(density, cells.edges[:-1], cells.edges[1:])
        share = 1.0 / len(cells.values)
        told = (1 - share) * cell + share / cells.n_distinct
        assert told.min() > 0
        assert told.sum() <= 1.0 + 1e-9


def test_a_density_comes_near_the_truth():
    truths = {"normal": stats.norm(), "uniform": stats.uniform(), "student": stats.t(3)}
    truths["exponential"] = stats.expon()
    for name, truth in truths.items():
        cells, density, length = fit(drawn(name, n=4000))
        mass = truth.cdf(cells.upper) - truth.cdf(cells.lower)
        assert (length - description_length(mass, cells.n_distinct)) / 4000 < 0.03
        if name in BASES:
            assert density.base == name


def test_an_outlier_costs_a_bounded_number_of_nats_and_a_coin_log_two():
    values = drawn("normal")
    moved = values.copy()
    moved[0] = 1e9
    assert fit(moved)[2] - fit(values)[2] < 0.1 * len(values)
    assert_allclose(fit(np.arange(1000) % 2.0)[2] / 1000, np.log(2), atol=0.02)


def test_nats_of_intervals_keep_both_tails():
    # So many cells that the nats are those of the mass alone.
    edges = np.array([-np.inf, -9.0, -8.0, -1.0, 1.0, 8.0, 9.0, np.inf])
    nats = gaussian_nats(edges[:-1], edges[1:], 10**18, np.zeros(7))
    below = np.diff(stats.norm.cdf(edges[:4]))
    middle = 1.0 - 2.0 * stats.norm.cdf(-1.0)
    mass = np.concatenate([below, [middle], below[::-1]])
    assert_allclose(nats, -np.log(mass * 6 / 7 + 1 / 7e18), rtol=1e-10)


@pytest.mark.parametrize(
    ("base", "draw"), [("uniform", "integers"), ("normal", "normal"), ("student", "exponential")]
)
def test_a_law_is_the_shorter_of_a_base_and_its_correction(rng, base, draw):
    integers = rng.integers(0, 6, size=90).astype(float)
    values = integers if draw == "integers" else getattr(rng, draw)(size=90)
    cells = Cells.of(values)
    ends, n_cells = (cells.lower, cells.upper), cells.n_distinct
    plain, counts, log_p = plain_density(base, values, *ends), np.empty(N_BINS), np.empty(N_BINS)
    count_bins(N_BINS * plain.quantile(values), counts)
    cost = log_density(counts, GRID.cosines, GRID.prior, log_p)
    corrected = replace(plain, log_p=log_p, cost=plain.cost + cost)
    best = min(
        (plain, corrected),
        key=lambda law: description_length(mass_of(law, *ends), n_cells) + law.cost,
    )
    density, nats = fit_density(values, *ends, n_cells, bases=[base])
    assert (density.base, density.cost) == (base, pytest.approx(best.cost))
    assert_allclose(density.log_p, best.log_p, atol=1e-11)
    assert_allclose(nats, code_lengths(mass_of(best, *ends), n_cells), rtol=1e-11)


def test_the_shortest_of_all_bases_is_chosen(rng):
    for draw in (rng.normal, rng.uniform, rng.standard_cauchy):
        cells = Cells.of(draw(size=60))
        ends = cells.values, cells.lower, cells.upper
        density, nats = fit_density(*ends, 60)
        fits = {base: fit_density(*ends, 60, bases=[base]) for base in BASES}
        lengths = {base: fit[0].cost + fit[1].sum() for base, fit in fits.items()}
        assert density.base == min(lengths, key=lengths.get)
        assert_same(density, fits[density.base][0])
        assert_allclose(nats, fits[density.base][1], rtol=0)


@pytest.mark.parametrize("name", ["normal", "uniform", "outlier"])
def test_the_mass_of_a_narrow_interval_is_exact(name):
    density = fit(drawn(name))[1]
    points = np.linspace(
        density.location - 30 * density.scale, density.location + 30 * density.scale, 200_001
    )
    edges = np.interp(np.arange(1, 128) / 128, density.quantile(points), points)
    if density.base == "uniform":
        edges = density.location + density.scale * np.arange(1, 128) / 128
    # Within a bin the density is smooth; across an edge it is the mean of both sides.
    width = 1e-9 * density.scale
    halves = mass_of(density, edges - width, edges) + mass_of(density, edges, edges + width)
    assert_allclose(mass_of(density, edges - width, edges + width), halves, rtol=1e-5)


@pytest.mark.parametrize("name", ["uniform", "exponential", "counts", "outlier"])
def test_a_mirrored_density_is_that_of_the_negated_variable(name):
    cells, density, _ = fit(drawn(name))
    mirrored = density.mirrored()
    assert_allclose(mirrored.cdf(-cells.edges), 1.0 - density.cdf(cells.edges), atol=1e-13)
    mass = mass_of(mirrored, -cells.upper, -cells.lower)
    assert_allclose(mass, mass_of(density, cells.lower, cells.upper), rtol=1e-9, atol=1e-14)


def cube(n=300):
    return standard((np.random.default_rng(1).normal(size=n) + 0.3) ** 3)[:, 0]


def test_a_spike_is_shorter_by_roots_and_its_codes_are_of_its_distribution_function():
    values = cube()
    cells = Cells.of(values)
    rooted = DensityMarginal.spiked(cells)
    assert rooted.length < variable_of(values).once(smooth_density).length - 50.0
    below, above = rooted.levels()
    assert_allclose(rooted.nats, code_lengths(above - below, cells.n_distinct), rtol=1e-6)
    assert np.all(np.diff(rooted.density.cdf(np.linspace(-9.0, 9.0, 101))) >= 0.0)


def test_a_mirrored_spike_is_the_same():
    values = cube()
    rooted = DensityMarginal.spiked(Cells.of(values))
    mirrored = DensityMarginal.spiked(Cells.of(-values))
    assert mirrored.length == pytest.approx(rooted.length)
    points = np.linspace(-3.0, 3.0, 50)
    assert_allclose(rooted.density.mirrored().cdf(-points), 1.0 - rooted.density.cdf(points))


@pytest.mark.parametrize("values", [cube(), np.linspace(-1.0, 2.0, 40), np.arange(3.0)])
def test_the_densest_point_follows_shift_unit_and_sign(values):
    point = densest_point(values)
    assert densest_point(-values) == pytest.approx(-point)
    assert densest_point(7.0 + 3.0 * values) == pytest.approx(7.0 + 3.0 * point)


def test_the_densest_point_of_a_cube_is_near_its_spike():
    z = np.random.default_rng(1).normal(size=300) + 0.3
    assert abs(densest_point(z**3)) < 0.01
