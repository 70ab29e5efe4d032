"""The engines against each other and the oracle: the low-rank one is the dense one to `tol`.

Errors of J are relative to J. Errors of the gradient are relative to the largest component of the
whole gradient of -L + λ log(HSIC_b + ε₀), which is what a descent sees; a block may be smaller than
that by any factor, so for each block alone the bound is one on its own largest component plus a
share of the whole gradient's.
"""

from itertools import pairwise, product
from unittest import mock

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import oracle
from anmmm.gppom import FitOptions, Hyperparameters
from anmmm.gppom.engines import ENGINES, AutoEngine, DenseEngine, LowRankEngine, auto, factor
from anmmm.gppom.engines import dense as dense_engine
from anmmm.gppom.model import fit_gppom
from anmmm.gppom.options import FIT_TOLERANCE, OBJECTIVE_TOLERANCE
from drawn import objective_of
from kernel_forms import in_parallel

J_BOUND, GRADIENT_BOUND = 1e-8, 1e-6
NOISE_FLOOR, HSIC_FLOOR = 1e-2, 1e-8

SHAPES = list(product([1, 2], repeat=3))
shapes = pytest.mark.parametrize(("dx", "D", "q"), SHAPES)


def case(n, dx=1, D=1, q=1):
    """X, Θ and a Y that depends on both, with some noise."""
    rng = np.random.default_rng(1000 * n + 100 * dx + 10 * D + q)
    X, theta = rng.normal(size=(n, dx)), rng.normal(size=(n, q))
    Y = np.sin(2.0 * X[:, :1] + theta[:, :1]) + 0.1 * rng.normal(size=(n, D))
    return X, theta, Y


def hyperparameters(dx, q, log_a, log_beta, log_gamma_x, log_gamma_theta):
    """Ω whose scales differ between the coordinates of one input."""
    log_gammas = log_gamma_x - 0.3 * np.arange(dx), log_gamma_theta + 0.3 * np.arange(q)
    return Hyperparameters(np.exp(log_a), np.exp(log_beta), *map(np.exp, log_gammas))


OMEGA = (0.3, 2.0, 0.1, -0.4)  # ln a, ln β, ln γ_x, ln γ_θ: what a fit might have
LOW, HIGH = (0.0, 2.0, -3.0, -3.0), (0.0, 2.0, 6.0, 6.0)  # of low rank, and of full rank


def noise_of(omega, noise_floor=NOISE_FLOOR):
    return 1.0 / omega.beta + noise_floor


def value_of(terms, lam=1.0, hsic_floor=HSIC_FLOOR):
    penalty = lam * np.log(terms.hsic + hsic_floor) if lam else 0.0
    return -terms.log_likelihood + penalty


def gradient_of(terms, omega):
    """Blocks of the gradient, by log β as in J; copies, since an engine may reuse its memory."""
    return {
        "theta": np.array(terms.d_theta).ravel(),
        "log_amplitude": np.array([terms.d_log_amplitude]),
        "log_beta": np.array([-terms.d_noise / omega.beta]),
        "log_gamma_x": np.array(terms.d_log_gamma_x),
        "log_gamma_theta": np.array(terms.d_log_gamma_theta),
    }


def flat(terms, omega):
    parts = gradient_of(terms, omega).values()
    return np.concatenate([[terms.log_likelihood, terms.hsic], *parts])


def errors(actual, expected):
    """Error of (J, gradient blocks): of J, of the whole gradient, of each block against its own."""
    value, gradient = expected
    whole = max(np.abs(block).max() for block in gradient.values())
    absolute = {name: np.abs(actual[1][name] - gradient[name]).max() for name in gradient}
    # What a block may be off by without regard to its own size.
    share = 1e-7 * whole
    of_blocks = {
        name: max(absolute[name] - share, 0.0) / np.abs(gradient[name]).max() for name in gradient
    }
    return abs(actual[0] - value) / abs(value), max(absolute.values()) / whole, of_blocks


def outcome(engine, theta, omega, **weights):
    terms = engine.evaluate(theta, omega, noise_of(omega))
    assert terms.valid
    return value_of(terms, **weights), gradient_of(terms, omega)


def engine_of(kind, X, Y, q=1, lam=1.0, hsic_floor=HSIC_FLOOR, **options):
    options = {"engine_tol": OBJECTIVE_TOLERANCE, "hsic_floor": hsic_floor, **options}
    return kind(X, Y, lam, FitOptions(n_latent=q, **options))


def assert_engines_agree(n, dx, D, q, points, lam=1.0, hsic_floor=HSIC_FLOOR, **options):
    X, theta, Y = case(n, dx, D, q)
    dense = engine_of(DenseEngine, X, Y, q, lam, hsic_floor)
    lowrank = engine_of(LowRankEngine, X, Y, q, lam, hsic_floor, **options)
    weights = {"lam": lam, "hsic_floor": hsic_floor}
    failed = []
    for point in points:
        omega = hyperparameters(dx, q, *point)
        expected = outcome(dense, theta, omega, **weights)
        found = outcome(lowrank, theta, omega, **weights)
        of_value, of_gradient, of_blocks = errors(found, expected)
        if (
            of_value > J_BOUND
            or of_gradient > GRADIENT_BOUND
            or max(of_blocks.values()) > 10.0 * GRADIENT_BOUND
        ):
            failed.append((point, of_value, of_gradient, of_blocks))
    assert not failed


SMALL = {"WHOLE": 20, "BLOCK": 16, "SUBSAMPLE": 30, "ADDED": 8}


def in_small_blocks(**changes):
    """At N = 100 already: many blocks, a sub-sample, and candidates added to it."""
    return mock.patch.multiple(factor, **(SMALL | changes))


# --- Low rank against dense -----------------------------------------------------------------------

LOG_GAMMAS = (-12.0, -6.0, 0.0, 3.0, 6.0)
EXTREME = list(product((-12.0, -6.0, 0.0, 6.0), (-6.0, 3.0, 12.0), LOG_GAMMAS, LOG_GAMMAS))


@shapes
def test_lowrank_is_dense_over_a_grid_of_extreme_hyperparameters(dx, D, q):
    assert_engines_agree(40, dx, D, q, EXTREME[:: 1 if dx == D == q == 1 else 3])
    # No floor: the logarithm's slope is 1 / HSIC_b, however small that is.
    for lam in (0.0, 30.0):
        assert_engines_agree(40, dx, D, q, EXTREME[::17], lam=lam, hsic_floor=0.0)


def test_lowrank_is_dense_where_it_works_in_blocks():
    n = 2600
    assert n > factor.WHOLE
    assert n % factor.BLOCK
    points = [
        OMEGA,
        (-12.0, -6.0, 1.0, 1.0),
        (0.0, 12.0, -2.0, 0.0),
        (6.0, 3.0, -6.0, -2.0),
        (6.0, 12.0, -12.0, -2.0),
        (3.0, 3.0, 0.0, -12.0),
    ]
    assert_engines_agree(n, 1, 1, 1, points)


@shapes
def test_every_engine_is_the_oracle(monkeypatch, dx, D, q):
    # From one point on, so that "auto" is low rank here too.
    monkeypatch.setattr(auto, "SMALLEST_LOW_RANK", 1)
    X, theta, Y = case(12, dx, D, q)
    omega = hyperparameters(dx, q, *OMEGA)
    at = np.concatenate([theta.ravel(), oracle.log_of(omega)])
    log_likelihood, hsic = oracle.terms(X, theta, Y, omega, NOISE_FLOOR)
    weights = {"noise_floor": NOISE_FLOOR, "latent_prior": 0.0, "hyper_prior": 0.0}
    for lam, hsic_floor in ((1.7, 1e-3), (1.0, 0.0), (0.0, 0.0)):

        def value(z, lam=lam, hsic_floor=hsic_floor):
            moved, (a, beta, *gammas) = z[: 12 * q].reshape(12, q), np.exp(z[12 * q :])
            omega = Hyperparameters(a, beta, np.array(gammas[:dx]), np.array(gammas[dx:]))
            options = {"lam": lam, "hsic_floor": hsic_floor or 1e-300, **weights}
            return oracle.objective(X, moved, Y, omega, **options)

        expected = oracle.central_difference(value, at)
        for (name, make), blocks in product(
            ENGINES.items(), ({"WHOLE": 12}, {"WHOLE": 7, "BLOCK": 5, "SUBSAMPLE": 6})
        ):
            with in_small_blocks(**blocks):
                engine = engine_of(make, X, Y, q, lam, hsic_floor)
                terms = engine.evaluate(theta, omega, noise_of(omega))
            assert_allclose(terms.log_likelihood, log_likelihood, rtol=1e-11)
            assert_allclose(terms.hsic, hsic, rtol=1e-10)
            gradient = np.concatenate(list(gradient_of(terms, omega).values()))
            atol = 1e-8 * np.abs(expected).max()
            assert_allclose(gradient, expected, rtol=1e-6, atol=atol, err_msg=name)


@pytest.mark.parametrize("gamma", [1e-4, 1e-6])
def test_dense_hsic_gradient_keeps_its_digits_at_very_wide_scales(gamma):
    # To first order in the scales HSIC_b is then 4 γ_x γ_θ cov(x, θ)², so that log HSIC_b has slope
    # 1 in each log γ and 2 (x_i - x̄) / (N cov(x, θ)) in θ_i. Under so much noise -L is flat.
    X, noise, Y = case(20)
    theta = X + 0.3 * noise
    omega = Hyperparameters(1e-9, 1.0, np.array([gamma]), np.array([gamma]))
    terms = engine_of(DenseEngine, X, Y, hsic_floor=0.0).evaluate(theta, omega, 1e6)
    x = X[:, 0] - X.mean()
    covariance = x @ theta[:, 0] / len(x)
    assert_allclose(terms.hsic, (2.0 * gamma * covariance) ** 2, rtol=20 * gamma)
    assert_allclose([terms.d_log_gamma_x, terms.d_log_gamma_theta], 1.0, rtol=20 * gamma)
    slope = 2.0 * x / len(x) / covariance
    assert_allclose(terms.d_theta[:, 0], slope, atol=50 * gamma * np.abs(slope).max())


@pytest.mark.parametrize("engine", [DenseEngine, LowRankEngine])
def test_constant_latent_has_hsic_exactly_zero_and_one_observation_a_density(engine):
    X, theta, Y = case(37)
    omega = hyperparameters(1, 1, *OMEGA)
    made = engine_of(engine, X, Y, 1, 0.0, 0.0)
    terms = made.evaluate(np.full_like(theta, 0.3), omega, noise_of(omega))
    assert terms.valid
    assert terms.hsic == 0.0
    assert np.isfinite(flat(terms, omega)).all()
    terms = engine_of(engine, X[:1], Y[:1], 1, 0.0, 0.0).evaluate(theta[:1], omega, 0.2)
    variance = omega.amplitude + 0.2
    expected = -0.5 * (np.log(2 * np.pi * variance) + Y[0, 0] ** 2 / variance)
    assert_allclose(terms.log_likelihood, expected, rtol=1e-14)
    assert_allclose(terms.d_theta, [[0.0]], atol=1e-14)


# --- Error control --------------------------------------------------------------------------------


def test_residual_is_that_of_the_covariance_and_error_shrinks_with_tol():
    X, theta, Y = case(200)
    omega = hyperparameters(1, 1, *OMEGA)
    noise = noise_of(omega)
    exact = engine_of(DenseEngine, X, Y).evaluate(theta, omega, noise).log_likelihood
    rest = oracle.rbf(X, omega.gamma_x) * oracle.rbf(theta, omega.gamma_theta)
    ranks, differences = [0], []
    for tol in (1e-2, 1e-4, 1e-6, 1e-8, 1e-10):
        engine = engine_of(LowRankEngine, X, Y, engine_tol=tol)
        terms = engine.evaluate(theta, omega, noise)
        assert 0.0 < terms.residual <= tol * noise * 200
        differences.append(abs(terms.log_likelihood - exact))
        assert differences[-1] <= tol * 200
        assert terms.rank > ranks[-1]
        for _ in range(terms.rank - ranks[-1]):
            p = int(np.argmax(np.diag(rest)))
            rest = rest - np.outer(rest[p], rest[p]) / rest[p, p]
        ranks.append(terms.rank)
        assert_allclose(terms.residual, omega.amplitude * np.trace(rest), rtol=1e-3, atol=1e-12)
    # Each step of tol by a hundredth takes the error along, within a factor of ten.
    for earlier, later in pairwise(differences):
        assert later <= 0.1 * earlier
    # Rounding ends it though tol asks for less.
    omega = hyperparameters(1, 1, 12.0, 12.0, -6.0, -6.0)
    terms = engine_of(LowRankEngine, X, Y, engine_tol=0.0).evaluate(theta, omega, 0.01)
    assert terms.rank < 60
    assert terms.residual <= omega.amplitude * factor.ROUNDING * 200
    # Under so much noise nothing needs a factor.
    omega = hyperparameters(1, 1, -12.0, -12.0, 0.0, 0.0)
    terms = engine_of(LowRankEngine, X, Y, engine_tol=1e-3).evaluate(theta, omega, 1e6)
    assert terms.valid
    expected = -0.5 * (200 * np.log(2 * np.pi * 1e6) + (Y**2).sum() / 1e6)
    assert_allclose(terms.log_likelihood, expected, rtol=1e-10)


# --- Blocks, chunks, order, memory ----------------------------------------------------------------

many_and_one = pytest.mark.parametrize("blocks", [{}, {"WHOLE": 1000}], ids=["many", "one"])


@pytest.mark.parametrize("n_chunks", [None, *in_parallel(1, 3, 30)])
@pytest.mark.parametrize(("n", "dx", "D", "q"), [(2, 1, 1, 1), (7, 2, 2, 2), (20, 2, 1, 2)])
def test_dense_rows_computed_twice_give_the_same_bits_in_every_form(
    monkeypatch, n, dx, D, q, n_chunks
):
    X, theta, Y = case(n, dx, D, q)
    omega = hyperparameters(dx, q, *OMEGA)
    found = []
    for chunks, in_memory in ((None, 400), (n_chunks, 400), (n_chunks, 0)):
        monkeypatch.setattr(dense_engine, "LARGEST_IN_MEMORY", in_memory)
        engine = engine_of(DenseEngine, X, Y, q, 1.0, 0.0, n_chunks=chunks)
        found.append(flat(engine.evaluate(theta, omega, noise_of(omega)), omega))
    serial, kept, again = found
    assert_array_equal(again, kept)
    assert_allclose(kept, serial, rtol=1e-12, atol=1e-13 * np.abs(serial).max())


@pytest.mark.slow
@pytest.mark.parametrize("engine", [DenseEngine, LowRankEngine])
@pytest.mark.parametrize("n_chunks", [2, 3, 7, 16])
def test_bits_do_not_depend_on_threads(same_bits_under_each_thread_count, engine, n_chunks):
    X, theta, Y = case(101, 2, 2, 2)
    omega = hyperparameters(2, 2, *OMEGA)

    def run():
        with in_small_blocks():
            made = engine_of(engine, X, Y, 2, n_chunks=n_chunks)
            return flat(made.evaluate(theta, omega, 0.2), omega)

    same_bits_under_each_thread_count(run)


@pytest.mark.parametrize("n_chunks", [None, *in_parallel(1, 3, 40)])
@pytest.mark.parametrize("point", [OMEGA, (3.0, 6.0, -6.0, -4.0), (0.0, 2.0, 3.0, 3.0)], ids=str)
def test_many_blocks_are_one_block(rng, point, n_chunks):
    X, theta, Y = case(101, 2, 2, 2)
    omega = hyperparameters(2, 2, *point)
    order = rng.permutation(101)
    value, gradient = outcome(engine_of(LowRankEngine, X, Y, 2), theta, omega)
    permuted = gradient | {"theta": gradient["theta"].reshape(101, 2)[order].ravel()}
    with in_small_blocks():
        engine = engine_of(LowRankEngine, X, Y, 2, n_chunks=n_chunks)
        same = outcome(engine, theta, omega)
        reordered = engine_of(LowRankEngine, X[order], Y[order], 2, n_chunks=n_chunks)
        again = outcome(reordered, theta[order], omega)
        terms = engine.evaluate(theta, omega, noise_of(omega))
    for found, expected in ((same, (value, gradient)), (again, (value, permuted))):
        of_value, of_gradient, _ = errors(found, expected)
        assert of_value <= 1e-10
        assert of_gradient <= 1e-9
    rounding = omega.amplitude * factor.ROUNDING * 101
    assert terms.residual <= max(OBJECTIVE_TOLERANCE * noise_of(omega) * 101, rounding)


@many_and_one
def test_evaluations_leave_no_trace(blocks):
    # Nor does the memory that a larger rank asked for in between.
    X, theta, Y = case(101)
    small, large = (hyperparameters(1, 1, *point) for point in (LOW, HIGH))
    with in_small_blocks(**blocks):
        engine = engine_of(LowRankEngine, X, Y)
        first = engine.evaluate(theta, small, 0.2)
        kept = flat(first, small)
        between = engine.evaluate(theta, large, 0.2)
        again = engine.evaluate(theta, small, 0.2)
    assert first.rank < 64 < between.rank
    assert_array_equal(flat(first, small), kept)
    assert_array_equal(flat(again, small), kept)


# --- The factor -----------------------------------------------------------------------------------


def fill(made, points, gamma, total):
    """Fill a factor; its rows over all points."""
    made.fill(points, made.blocks(points), gamma, total)
    return made.unblock(made.L[:, : made.rank]).copy()


def assert_factors(made, points, gamma, total):
    L = fill(made, points, gamma, total)
    K = oracle.rbf(points.T, gamma)
    rest = K - L.T @ L
    assert_allclose(made.residual, np.trace(rest), atol=1e-13)
    assert np.linalg.eigvalsh(rest).min() >= -1e-12
    assert np.abs(rest).max() <= made.residual + 1e-12
    padding = made.L.shape[0] * made.L.shape[2] - points.shape[1]
    if padding:
        assert_array_equal(made.L[-1, : made.rank, -padding:], 0.0)
    return L


@pytest.mark.parametrize("n_chunks", [None, *in_parallel(3)])
@pytest.mark.parametrize("whole", [20, 1000])
def test_fill_leaves_no_more_than_the_total(rng, whole, n_chunks):
    for n, total in product((96, 97, 100), (1.0, 1e-6, 1e-12)):
        points, gamma = rng.normal(size=(2, n)), np.array([0.5, 1.1])
        with in_small_blocks(WHOLE=whole):
            made = factor.Factor(n, 2, n_chunks)
            assert_factors(made, points, gamma, total)
        assert made.residual <= total
        # Memory doubles until it suffices.
        assert made.rank <= made.L.shape[1] < 2 * made.rank + 16
    # The end of it is full rank, or rounding.
    distinct = 5.0 * np.arange(7.0)
    copies = distinct[rng.integers(7, size=100)][np.newaxis]
    for points, gamma, rank in ((rng.normal(size=(2, 100)), 5000.0, 100), (copies, 1.0, 7)):
        with in_small_blocks(WHOLE=whole, SUBSAMPLE=10):
            made = factor.Factor(100, 4, n_chunks)
            assert_factors(made, points, np.full(len(points), gamma), 0.0)
        assert made.rank == rank


def outliers(n, every):
    """One crowd at 0, and outliers, each far from all else, where a stride of `every` has none."""
    points = 1e-9 * np.arange(n, dtype=float)[np.newaxis]
    away = [i for i in range(n) if i % every in (3, 4)]
    points[0, away] = 100.0 * (1.0 + np.arange(len(away)))
    return points, away


def test_outliers_that_the_subsample_misses_are_added():
    points, away = outliers(100, 11)
    assert len(away) == 18
    with in_small_blocks(SUBSAMPLE=10):
        made = factor.Factor(100, 4, None)
        assert not set(np.linspace(0, 99, 10).astype(int)) & set(away)
        L = assert_factors(made, points, np.ones(1), 1e-8)
    # More than one round is needed: each adds 8 points at most.
    assert made.residual <= 1e-8
    assert made.rank == 1 + len(away)
    assert_allclose((L[:, away] ** 2).sum(axis=0), 1.0, atol=1e-12)


# --- Failed evaluations ---------------------------------------------------------------------------


def one_twice():
    """X, Θ and Y with one observation that is there a second time, but for its Y."""
    X, theta, Y = case(40)
    X[7], theta[7] = X[2], theta[2]
    return X, theta, Y


@pytest.mark.parametrize("n_chunks", [None, *in_parallel(3)])
def test_what_is_not_positive_definite_is_reported(n_chunks):
    X, theta, Y = one_twice()
    omega = hyperparameters(1, 1, *OMEGA)
    dense, lowrank = (
        engine_of(make, X, Y, n_chunks=n_chunks) for make in (DenseEngine, LowRankEngine)
    )
    wrong = [(dense, noise) for noise in (0.0, 1e-300, -3.0)]
    wrong += [(lowrank, noise) for noise in (0.0, 1e-300, -1e-3, -3.0, np.nan, np.inf)]
    for engine, noise in wrong:
        assert not engine.evaluate(theta, omega, noise).valid
        # And is as good as new afterwards.
        assert engine.evaluate(theta, omega, 0.1).valid


def assert_failed(objective, z):
    before = objective.n_failed_evaluations
    value, gradient = objective.value_and_grad(z)
    assert value == np.inf
    assert_array_equal(gradient, np.zeros(objective.n_params))
    assert objective.n_failed_evaluations == before + 1


engines = pytest.mark.parametrize("engine", ["auto", "dense", "lowrank"])


@engines
def test_failures_reach_the_optimizer_as_infinity_and_are_counted(monkeypatch, engine):
    # From one point on, so that "auto" is low rank here too.
    monkeypatch.setattr(auto, "SMALLEST_LOW_RANK", 1)
    X, theta, Y = one_twice()
    objective = objective_of(X, Y, engine=engine, noise_floor=0.0)
    z = objective.pack(theta, hyperparameters(1, 1, *OMEGA))
    for index, bad in ((0, np.nan), (5, np.inf), (39, -np.inf), (-4, np.nan), (-1, np.nan)):
        wrong = z.copy()
        wrong[index] = bad
        assert_failed(objective, wrong)
    if engine != "dense":
        # A diagonal that is not quite singular after rounding may pass there.
        noiseless = z.copy()
        noiseless[-3] = 700.0
        assert_failed(objective, noiseless)
    assert np.isfinite(objective.value_and_grad(z)[0])
    # HSIC 0, whose logarithm is asked for.
    floorless = objective_of(X, Y, engine=engine, hsic_floor=0.0)
    assert_failed(floorless, floorless.pack(0.0 * theta, hyperparameters(1, 1, *OMEGA)))
    # Latents beyond every scale have a finite value or fail.
    for size in (1e100, 1e160, 1e300):
        large = z.copy()
        large[:40] *= size
        value, gradient = objective.value_and_grad(large)
        assert not np.isnan(value)
        assert np.isfinite(gradient).all()


@engines
def test_equal_rows_without_noise_fail_whatever_the_rounding(engine):
    # The last pivot is rounding of either sign, as the processor sums: never a valid one.
    for n, seed in product((3, 10, 64, 200), range(5)):
        rng = np.random.default_rng(seed)
        X, latent, Y = rng.normal(size=(3, n, 1))
        scales = np.exp(rng.uniform(-2.0, 3.0, size=(2, 1)))
        amplitude = float(np.exp(rng.uniform(-5.0, 5.0)))
        X[n // 2], latent[n // 2] = X[0], latent[0]
        objective = objective_of(X, Y, noise_floor=0.0, engine=engine)
        z = objective.pack(latent, Hyperparameters(amplitude, 1e40, *scales))
        assert_failed(objective, z)
        terms = objective.terms(z)
        assert (terms.objective, np.isnan(terms.log_likelihood)) == (np.inf, True)


# --- The choice -----------------------------------------------------------------------------------


def engines_chosen(monkeypatch, n, points, patience=3):
    """Engines by which "auto" answers at a sequence of points, each held against dense."""
    monkeypatch.setattr(auto, "PATIENCE", patience)
    X, theta, Y = case(n)
    engine, dense = (engine_of(make, X, Y) for make in (AutoEngine, DenseEngine))
    names = []
    for point in points:
        omega = hyperparameters(1, 1, *point)
        terms = engine.evaluate(theta, omega, noise_of(omega))
        actual = value_of(terms), gradient_of(terms, omega)
        names.append(terms.engine)
        of_value, of_gradient, _ = errors(actual, outcome(dense, theta, omega))
        assert of_value <= J_BOUND
        assert of_gradient <= GRADIENT_BOUND
    return names


def test_auto_is_low_rank_from_its_threshold_on(monkeypatch):
    assert engines_chosen(monkeypatch, auto.SMALLEST_LOW_RANK - 1, [LOW] * 5) == ["dense"] * 5
    # A point whose rank is a third of so few observations.
    monkeypatch.setattr(auto, "LARGEST_RANK_FRACTION", 0.5)
    assert engines_chosen(monkeypatch, auto.SMALLEST_LOW_RANK, [LOW] * 5) == ["lowrank"] * 5


def test_auto_gives_way_to_dense_while_the_rank_is_too_large_and_looks_again(monkeypatch):
    names = engines_chosen(monkeypatch, 160, [LOW] * 2 + [HIGH] * 8 + [LOW] * 6, patience=3)
    # It looks at most 3 evaluations later; the rank is small from 10 on.
    assert names == ["lowrank"] * 2 + ["dense"] * 9 + ["lowrank"] * 5
    # Where the low-rank gradient loses digits, as at the corners of the box above.
    engines_chosen(monkeypatch, 160, [LOW, (12.0, 12.0, 12.0, 12.0), (12.0, 12.0, 12.0, 0.0)])


def test_auto_fails_where_dense_is_too_large(monkeypatch):
    X, theta, Y = case(160)
    monkeypatch.setattr(auto, "LARGEST_DENSE", 159)
    engine = engine_of(AutoEngine, X, Y)
    omegas = (hyperparameters(1, 1, *point) for point in (HIGH, LOW))
    high, low = (engine.evaluate(theta, omega, noise_of(omega)) for omega in omegas)
    assert (high.valid, high.engine, high.rank) == (False, "lowrank", 160 // 3)
    assert (low.valid, low.engine) == (True, "lowrank")


# --- Fits -----------------------------------------------------------------------------------------


def test_fits_record_rank_and_residual_and_agree():
    X, _, Y = case(160)
    options = {engine: FitOptions(engine=engine) for engine in ("dense", "lowrank", "auto")}
    results = {name: fit_gppom(X, Y, fit_options=each) for name, each in options.items()}
    assert (results["dense"].rank, results["dense"].residual) == (None, 0.0)
    for name in ("lowrank", "auto"):
        result = results[name]
        assert result.engine == "lowrank"
        noise = noise_of(result.hyperparameters)
        assert 1 <= result.rank < 160
        assert 0.0 < result.residual <= FIT_TOLERANCE * noise * 160
        assert result.n_failed_evaluations == 0
        assert_allclose(result.objective, results["dense"].objective, rtol=1e-4)
