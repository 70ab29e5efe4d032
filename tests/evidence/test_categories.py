"""Categories as cause and as effect: against slow truths, whatever they are called."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import logsumexp, softmax

import oracle
from anmmm import infer_direction
from anmmm._kernels.latent import MAX_LINEAR_VARIANCE
from anmmm._kernels.packed import HYPER
from anmmm.evidence import description_lengths
from anmmm.evidence.curves import model_curves
from anmmm.evidence.marginal import CategoricalMarginal
from anmmm.evidence.models.categories import NOISE, TOLERANCE, _Ascent, fit_classes
from anmmm.mixture.splines import SplineBasis, level_basis
from anmmm.preprocessing import Cells, indicators
from drawn import make_categories, standard

SIDES = [("effect", "gaussian"), ("cause", "bimodal")]


def drawn(role, shape, n=80, seed=0):
    """A number, and the numbers of categories."""
    first, second = make_categories(role, n, shape=shape, random_state=seed)
    number, names = (first, second) if role == "effect" else (second, first)
    return number, np.unique(names, return_inverse=True)[1].astype(float)


def fitted(role, shape, n=80, n_smooth=12):
    number, codes = drawn(role, shape, n)
    basis = SplineBasis.of(standard(number), n_smooth=n_smooth)
    return basis, Cells.of(codes)


def log_posterior(flat, design, index, contrasts, precision):
    """log p(classes | B) - ½ Σ precision B²."""
    B = flat.reshape(precision.shape)
    utility = design @ B @ contrasts.T
    chosen = utility[np.arange(len(index)), index]
    return (chosen - logsumexp(utility, axis=1)).sum() - 0.5 * (precision * B**2).sum()


def ascended(basis, cells):
    state = _Ascent(basis, cells)
    while not state.step():
        pass
    return state


@pytest.mark.parametrize(("role", "shape"), SIDES)
def test_coefficients_are_at_the_mode_and_cost_laplaces_evidence(role, shape):
    basis, cells = fitted(role, shape, n=40, n_smooth=3)
    state = ascended(basis, cells)
    precision = state._precision()

    def loss(flat):
        return -log_posterior(flat, basis.design, cells.index, state.contrasts, precision)

    # The posterior is concave: where its gradient is zero, it is at its mode.
    coefficients = state.coefficients.ravel()
    gradient, hessian = (
        oracle.central_difference(loss, coefficients),
        oracle.hessian(loss, coefficients),
    )
    assert np.abs(np.linalg.solve(hessian, gradient)).max() < 2 * TOLERANCE
    # Laplace: by the log determinant of the Hessian.
    log_det = np.linalg.slogdet(hessian)[1]
    penalty = 0.5 * float((precision * state.coefficients**2).sum())
    cost = penalty + 0.5 * (log_det - np.log(precision).sum())
    assert state.cost == pytest.approx(cost, abs=2e-3)


def test_scales_are_at_their_fixed_points():
    basis, cells = fitted("effect", "gaussian", n=200)
    state = ascended(basis, cells)
    m = state.coefficients.shape[1]
    wide = state._precision()[0, 0]
    expected = min(NOISE + (state.coefficients[1:] ** 2).sum() / m, MAX_LINEAR_VARIANCE)
    assert 1.0 / wide == pytest.approx(expected)
    # Where MacKay's steps settle, so do EM's: τ² = mean of (b² + its variance) over the prior's.
    curvature = state._hessian()
    curvature[np.diag_indices(len(curvature))] += state._precision().T.ravel()
    variance = np.diag(np.linalg.inv(curvature)).reshape(m, -1).T
    part = slice(basis.n_null, None)
    squares = (state.coefficients[part] ** 2 + variance[part]) / basis.prior[part, None]
    tau2 = (squares.sum() + 2 * HYPER) / (squares.size + 2 * HYPER)
    assert tau2 == pytest.approx(state.tau2, rel=0.05)


@pytest.mark.parametrize("cause_kind", ["categories", "tied"])
def test_equal_rows_are_one_with_its_weight(rng, cause_kind):
    cause, effect = rng.integers(0, 6, 200).astype(float), rng.integers(0, 4, 200)
    effect[cause > 3] = 0
    values = standard(cause)
    basis = level_basis(values[:, 0]) if cause_kind == "categories" else SplineBasis.of(values)
    cells = Cells.of(effect.astype(float))
    alone, grouped = fit_classes(basis, cells), fit_classes(basis, cells, cause.astype(np.intp))
    assert_allclose(grouped.probabilities, alone.probabilities, rtol=1e-6, atol=1e-9)
    assert_allclose(grouped.length, alone.length, rtol=1e-9)


@pytest.mark.parametrize(("role", "shape"), SIDES)
def test_probabilities_are_a_distribution_that_the_lengths_encode(role, shape):
    basis, cells = fitted(role, shape)
    fit = fit_classes(basis, cells)
    n, k = fit.probabilities.shape
    assert fit.converged
    assert_allclose(fit.probabilities.sum(axis=1), 1.0)
    assert_allclose(fit.coefficients.sum(axis=1), 0.0, atol=1e-12)
    z = basis.design[:, 1:2] * (basis.splines.combine[1, 1] ** -1)
    probabilities = softmax(fit.splines.evaluate(z) @ fit.coefficients, axis=1)
    assert_allclose(probabilities, fit.probabilities, atol=1e-8)
    chosen = fit.probabilities[np.arange(n), cells.index]
    assert_allclose(fit.nats, -np.log((1 - 1 / n) * chosen + 1 / (n * k)), rtol=1e-6)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(
    st.integers(0, 10_000),
    st.integers(20, 120),
    st.sampled_from(["effect", "cause"]),
    st.randoms(use_true_random=False),
)
def test_names_order_and_direction_do_not_matter(seed, n, role, random):
    first, second = make_categories(role, n, random_state=seed)
    names = sorted(set((second if role == "effect" else first).tolist()))
    if len(names) < 2:
        return
    score = description_lengths(first, second).score
    others = [f"name {i}" for i in range(len(names))]
    random.shuffle(others)
    renamed = dict(zip(names, others, strict=True))
    rows = list(range(n))
    random.shuffle(rows)

    def again(values):
        values = values[rows]
        return values if values.dtype.kind == "f" else [renamed[v] for v in values.tolist()]

    # A fit stops where a step is below 1e-3, which rounding may part.
    assert description_lengths(again(first), again(second)).score == pytest.approx(score, abs=1e-4)
    assert description_lengths(second, first).score == -score


@pytest.mark.parametrize("seed", [9, 31, 120])
def test_a_common_cause_of_categories_does_not_depend_on_their_names(seed):
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 5, 300)
    y = 1.5 * rng.normal(size=5)[place] + rng.normal(size=300)
    lengths = []
    for names in ("abcde", "dbeac", "ecdba"):
        evidence = infer_direction(np.array(list(names))[place], y).evidence
        lengths.append(evidence.common_cause.length)
    # Fits that end at a small step differ by rounding; other groups would by a nat or more.
    assert np.ptp(lengths) < 0.15


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.integers(12, 150))
def test_an_effect_is_never_longer_than_by_itself(seed, n):
    rng = np.random.default_rng(seed)
    k = rng.integers(3, 9)
    names = np.array(list("abcdefgh"))[rng.integers(0, k, n)]
    second = rng.standard_normal(n) if seed % 2 else np.array(list("uvwxyz"))[rng.integers(0, 6, n)]
    result = description_lengths(names, second)
    for side in (result.forward, result.backward):
        assert side.total <= side.independent
        assert side.converged
        assert np.isfinite(side.total)
    assert result.forward.independent == pytest.approx(result.backward.independent)


def test_shares_are_those_of_jeffreys_prior():
    index = np.array([0, 0, 1, 2, 2, 2, 2, 1, 0, 2])
    law = CategoricalMarginal.of(Cells.of(index.astype(float)))
    # Predicted one after the other, with half an observation more for each.
    seen, sequential = np.full(3, 0.5), 0.0
    for k in index:
        sequential -= np.log(seen[k] / seen.sum())
        seen[k] += 1
    guard = np.log(1 - 1 / 10 + 1 / 30 / ((np.bincount(index)[index] + 0.5) / 11.5)).sum()
    assert law.length == pytest.approx(sequential - guard)


def test_columns_over_categories_are_orthonormal_and_exchangeable():
    codes = np.repeat([0.0, 1.0, 2.0, 3.0], [5, 9, 2, 14])
    values = standard(codes)[:, 0]
    basis = level_basis(values)
    n = len(values)
    assert basis.n_null == 1
    assert_allclose(basis.design.T @ basis.design / n, np.eye(4), atol=1e-12)
    assert basis.prior[1:].sum() == pytest.approx(1.0)
    # The prior covariance of the effects is that of independent ones, centered on the data.
    center = np.eye(n) - np.ones((n, n)) / n
    raw = center @ indicators(values)
    expected = raw @ raw.T / (raw**2).mean(axis=0).sum()
    wiggly = basis.design[:, 1:]
    assert_allclose(wiggly * basis.prior[1:] @ wiggly.T, expected, atol=1e-10)
    assert_allclose(basis.splines.evaluate(values[:, None]), basis.design)


def test_a_category_is_a_group_with_a_mean_of_its_own(rng):
    names = np.repeat(["north", "south", "west"], 60)
    centers = {"north": 2.0, "south": -3.0, "west": 0.5}
    y = np.array([centers[name] for name in names]) + 0.3 * rng.standard_normal(180)
    side = description_lengths(names, y).forward
    assert side.model == "anm-1"
    category_codes = np.array([[0.0], [1.0], [2.0]])
    codes = np.unique(names, return_inverse=True)[1].astype(float)[:, None]
    curves = model_curves(side, codes, y[:, None], category_codes)
    assert_allclose(curves.center[:, 0], list(centers.values()), atol=0.15)


def test_two_categories_are_two_numbers(rng):
    x = rng.standard_normal(120)
    y = (x + 0.5 * rng.standard_normal(120) > 0).astype(float)
    names = np.where(y > 0, "yes", "no")
    assert description_lengths(x, names).score == description_lengths(x, y).score


def test_tests_of_independence_see_categories_and_not_their_numbers(rng):
    names = rng.choice(["a", "b", "c"], 200)
    # Of the middle category alone: no order of the names shows a trend.
    y = rng.standard_normal(200) + 2.0 * (names == "b")
    result = infer_direction(names, y)
    assert result.evidence.forward.points.shape == (200, 3)
    assert result.independence_pvalue < 1e-6
    renamed = infer_direction([{"a": "z", "b": "b", "c": "y"}[name] for name in names], y)
    assert renamed.independence_pvalue == pytest.approx(result.independence_pvalue, rel=1e-6)
    assert infer_direction(names, rng.standard_normal(200)).relation == "independent"
