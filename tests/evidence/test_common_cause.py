"""A hidden common cause is a probability of cells, symmetric, and found where there is one."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln
from scipy.stats import multivariate_normal, norm, rankdata
from sklearn.metrics import adjusted_mutual_info_score

import oracle
from anmmm import infer_direction
from anmmm.datasets import make_anm_mixture, make_single_mechanism
from anmmm.evidence import common_cause as module
from anmmm.evidence.common_cause import describe_common_cause
from anmmm.evidence.hidden import (
    CURVE,
    Rival,
    Search,
    fit_curve,
    fit_groups,
    fit_sloped_groups,
)
from anmmm.evidence.hidden_code import encode, mass_of, position_cost
from anmmm.evidence.variable import LogScale
from anmmm.preprocessing import Cells
from drawn import seen_through, variable_of


def groups(n=300, seed=0, count=3):
    rng = np.random.default_rng(seed)
    labels = rng.integers(count, size=n)
    x = 2.0 * labels + 0.5 * rng.normal(size=n)
    return x, (labels - 1.0) ** 2 * 2.0 + 0.5 * rng.exponential(size=n), labels


def curve(n=300, seed=0, noise=0.15):
    rng = np.random.default_rng(seed)
    t = rng.uniform(size=n)
    x = np.cos(4.0 * t) + noise * rng.normal(size=n)
    return x, np.sin(5.0 * t) + noise * rng.normal(size=n), t


def counts(n=300, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    shares = np.array([[0.7, 0.2, 0.1], [0.1, 0.7, 0.2], [0.1, 0.2, 0.7]])[labels]
    category = (rng.uniform(size=(n, 1)) > np.cumsum(shares, axis=1)).sum(axis=1)
    return category.astype(float), rng.poisson(np.array([1, 6, 15])[labels]).astype(float), labels


def skewed(n=300, seed=0):
    x, y, labels = groups(n, seed)
    return -np.exp(x), y, labels


def species(n=300, seed=0):
    """Groups within which both are correlated, against the tendency between them."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=n)
    x, e = rng.normal(size=(2, n))
    return x + 3.0 * labels, 3.0 * labels - 0.7 * x + 0.6 * e, labels


def behind_a_function():
    return *seen_through(lambda x: np.sinh(2.0 * x)), None


def amounts(n=300, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    amount = np.exp(0.6 * rng.normal(size=n) + labels)
    x = np.where(rng.uniform(size=n) < np.array([0.7, 0.2])[labels], 0.0, amount)
    return x, 2.0 * labels + 0.6 * rng.normal(size=n), labels


DRAWN = {
    "amounts": amounts,
    "groups": groups,
    "curve": curve,
    "counts": counts,
    "skewed": skewed,
    "species": species,
    "behind a function": behind_a_function,
}


def fitted(pair, name, shortest=np.inf):
    search = Search.of(pair, Rival(shortest, pair.values.shape[1]))
    if name == "curve":
        return fit_curve(search.about_curve)
    if name == "species":
        return fit_sloped_groups(search.about_curve)
    return fit_groups(search)[0]


def described(x, y):
    return describe_common_cause(variable_of(x), variable_of(y))


@pytest.mark.parametrize("name", DRAWN)
def test_cells_have_probabilities_that_add_up_to_one(name):
    x, y, _ = DRAWN[name]()
    one, other = (variable_of(v).on_log_scale for v in (x, y))
    kinds = module._kinds(one)[-1], module._kinds(other)[-1]
    fit = fitted(module._pair(one, other, kinds), name.replace("species", "groups"))
    assert_allclose(fit.first.weights.sum(), 1.0)
    for noises in [(None, None), module._noises(fit, one, other)[1]]:
        first, second = (
            mass_of(fit, axis, v, noises[axis]).sum(axis=0) for axis, v in enumerate((one, other))
        )
        total = fit.first.weights @ (first * second)
        # Beyond the outermost cells, and for counts in between, there is a little.
        assert (0.97 if name in ("groups", "curve") else 0.9) < total <= 1.0 + 1e-12
    assert_allclose(described(x, y).probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize("name", DRAWN)
def test_exchange_exchanges_exactly(name):
    x, y, _ = DRAWN[name]()
    one, other = described(x, y), described(y, x)
    assert one.length == other.length
    assert np.array_equal(one.positions, other.positions[::-1], equal_nan=True)
    assert np.array_equal(one.probabilities, other.probabilities)


@pytest.mark.parametrize("name", DRAWN)
def test_neither_unit_nor_order_of_rows_matters(name):
    x, y, _ = DRAWN[name]()
    shuffled = np.random.default_rng(1).permutation(len(x))
    length = described(x, y).length
    assert_allclose(described(x[shuffled], y[shuffled]).length, length, atol=1e-6 * len(x))
    if name != "counts":
        assert_allclose(described(1e6 * x - 3.0, y / 7.0).length, length, atol=1e-6 * len(x))


def test_signs_do_not_matter_to_a_closed_curve():
    rng = np.random.default_rng(0)
    t = rng.uniform(0.0, 2.0 * np.pi, 300)
    x, y = (f(t) + 0.15 * rng.normal(size=300) for f in (np.cos, lambda t: np.sin(t + 0.4)))
    lengths = [described(s * x, r * y).length for s, r in product((-1.0, 1.0), repeat=2)]
    assert_allclose(lengths, lengths[0], atol=1e-3)


def test_groups_may_be_correlated_within():
    x, y, labels = species()
    result = infer_direction(x, y)
    found = result.models.common_cause
    assert (result.relation, found.model) == ("common cause", "hidden-3+slope")
    assert "are correlated within them" in result.summary()
    assert adjusted_mutual_info_score(labels, found.labels) > 0.8
    # The same law with groups that do not move x is an effect with noise of three components.
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 300))
    assert infer_direction(x, 3.0 * labels - 0.7 * x + 0.6 * noise).relation == "x→y"
    # Nor are groups of a cause, if its effect is on one line, or a step.
    x = 3.0 * rng.integers(3, size=300) + 0.5 * rng.normal(size=300)
    assert infer_direction(x, x + rng.normal(size=300)).confidence > 0.95
    x = rng.uniform(0.0, 2.0, 1000)
    assert infer_direction(x, (x > 1.0) + rng.uniform(-0.35, 0.35, 1000)).relation == "x→y"


def test_numbers_that_are_normal_together_have_no_common_cause():
    for seed in range(6):
        x, e = np.random.default_rng(seed).normal(size=(2, 300))
        pair = np.exp(x), np.exp(0.75 * x + 0.4 * e)
        assert infer_direction(*pair).relation != "common cause"
    one, other = map(variable_of, pair)
    # Their copula's density at the normal scores, which are standardized by its own moments.
    scores = np.stack([norm.ppf((rankdata(v) - 0.5) / 300) for v in pair])
    scores /= scores.std(axis=1, keepdims=True)
    together = multivariate_normal(cov=np.corrcoef(scores)).logpdf(scores.T)
    copula = (together - norm.logpdf(scores).sum(axis=0)).sum()
    expected = one.marginal.length + other.marginal.length - copula + 0.5 * math.log(300)
    assert_allclose(module._normal_together(one, other), expected)
    assert module._normal_together(one, variable_of(np.round(other.raw))) == math.inf
    assert math.isfinite(module._normal_together(one, one))
    # A common cause is only as much shorter as it is than such numbers.
    code, least = described(*pair), module._normal_together(one, other)
    compared = describe_common_cause(one, other, least + 50.0)
    assert_allclose(compared.length, code.length + 50.0, atol=1.0)
    assert describe_common_cause(other, one, least + 50.0).length == compared.length


@pytest.mark.parametrize("is_own", [0, 1])
def test_cells_of_correlated_groups_are_those_of_normals_on_lines(is_own):
    one, other = (variable_of(np.round(v, 1)) for v in species()[:2])
    fit = fitted(module._pair(one, other, (0, 0)), "species")
    fit = replace(fit, nodes=fit.nodes._replace(own_scales=is_own)).further(30)
    hidden, n = fit.first, 300
    x, y = one.cells, other.cells
    mass = np.zeros(n)
    for k in range(fit.shapes[0, 0]):
        (of_x, of_y), b = np.sqrt(hidden.variances[:, 0, k]), hidden.slopes[k]
        about_x = norm(hidden.positions[0, k], of_x)
        on_line = norm(hidden.positions[1, k] + b * x.values, of_y)
        inside = [v.cdf(c.upper) - v.cdf(c.lower) for v, c in ((about_x, x), (on_line, y))]
        mass += hidden.weights[k] * inside[0] * inside[1]
    expected = -np.log((1 - 1 / n) * mass + 1 / (n * x.n_distinct * y.n_distinct))
    found = encode(fit, one, other, -np.inf)
    assert_allclose(found.nats, expected, rtol=1e-8)
    # Seen from y, the same normals: means, and standard deviations of y itself.
    rows = found.probabilities.T
    assert_allclose(rows @ other.cells.values / rows.sum(axis=1), found.positions[1], atol=0.05)
    # A direction that is much longer than one with noise of as many components is no rival.
    far = encode(fit, one, other, found.length + 1e4)
    assert far.length > found.length + 9e3


def ring(rng):
    labels = rng.integers(6, size=600)
    angle = np.pi / 3.0 * labels + 0.2
    return *(2.0 * f(angle) + 0.3 * rng.normal(size=600) for f in (np.cos, np.sin)), labels


def with_uniform_noise(rng):
    labels = rng.integers(3, size=1000)
    noise = rng.uniform(-0.6, 0.6, (2, 1000))
    return 1.5 * labels + noise[0], 1.5 * np.array([1, 0, 2])[labels] + noise[1], labels


def on_logarithmic_scales(rng):
    labels = rng.integers(3, size=300)
    both = np.array([[0.0, 2.0, 4.0], [1.0, 3.0, 1.5]])[:, labels] + 0.4 * rng.normal(size=(2, 300))
    return *np.exp(both), labels


def counts_beyond_poisson(rng):
    labels = rng.integers(2, size=300)
    x = rng.negative_binomial(3, 3.0 / (3.0 + np.array([2.0, 20.0])[labels]))
    return x, 2.0 * labels + 0.4 * rng.normal(size=300), labels


@pytest.mark.parametrize(
    ("draw", "kind"),
    [
        (ring, "6 groups"),
        (with_uniform_noise, "3 groups"),
        (on_logarithmic_scales, "3 groups"),
        (counts_beyond_poisson, "2 groups"),
        (lambda rng: amounts(seed=0), "2 groups"),
    ],
)
def test_hidden_groups_are_found(draw, kind):
    x, y, labels = draw(np.random.default_rng(0))
    result = infer_direction(x, y)
    common = result.models.common_cause
    assert (result.relation, common.kind) == ("common cause", kind)
    assert adjusted_mutual_info_score(labels, common.labels) > 0.6
    # Positions are on the scale of the variable.
    if draw is on_logarithmic_scales:
        for axis, values in enumerate((x, y)):
            medians = [np.median(values[common.labels == k]) for k in range(3)]
            center, unit = values.mean(), values.std()
            assert_allclose(center + unit * common.positions[axis], medians, rtol=0.3)


def test_a_logarithmic_scale_begins_at_the_end_of_the_shorter_tail(rng):
    for sign in (1.0, -1.0):
        x = variable_of(sign * np.exp(1.5 * rng.normal(size=200))).cells.values
        scale = LogScale.of(Cells.of(x))
        assert scale.end == (x.min() if sign > 0.0 else x.max())
        z = scale.apply(x)
        assert_allclose([z.mean(), z.std()], [0.0, 1.0], atol=1e-9)
        assert np.array_equal(np.argsort(z), np.argsort(x))
        assert_allclose(scale.undo(z), x, atol=1e-12)
        # About log |x|, but for the smallest values.
        far = np.abs(x - scale.end) > 0.5 * np.abs(scale.distance)
        logs = np.log(np.abs(x - scale.end)[far])
        assert abs(np.corrcoef(z[far], logs)[0, 1]) > 0.999
    assert LogScale.of(Cells.of(np.array([-1.0, 0.0, 1.0]))) is None


def test_the_hidden_cause_of_a_curve_is_found_and_how_its_noise_grows():
    rng = np.random.default_rng(0)
    t = rng.uniform(size=1000)
    scale = 0.05 * np.exp(2.0 * t)
    x, y = (f(t) + scale * rng.normal(size=1000) for f in (lambda t: np.cos(5.0 * t), np.sin))
    found = described(x, y)
    assert found.is_curve
    slope = np.polyfit(np.linspace(0.0, 1.0, 32), np.log(found.scales.T), 1)[0]
    # Up to the direction of t, and its density.
    assert np.all(np.abs(slope) > 1.0)
    assert slope[0] * slope[1] > 0.0
    x, y, t = curve()
    assert abs(np.corrcoef(described(x, y).t[0], t)[0, 1]) > 0.95


def test_categories_and_counts_are_a_latent_class_model():
    x, y, labels = counts(1000)
    y[0] = 1e6
    result = infer_direction(x, y)
    assert result.relation == "common cause"
    found = result.evidence.common_cause
    assert np.isnan(found.positions).all(axis=1).tolist() == [True, False]
    assert adjusted_mutual_info_score(labels, found.labels) > 0.5
    assert_allclose(found.probabilities.sum(axis=1), 1.0)
    # As names of categories alike.
    named = infer_direction(np.array(["a", "b", "c"])[x.astype(int)], y)
    assert named.evidence.common_cause.length == pytest.approx(found.length)


@pytest.mark.parametrize("name", ["groups", "curve", "species"])
def test_the_cost_of_positions_is_by_their_observed_information(name):
    x, y, _ = DRAWN[name](120)
    one, other = variable_of(x), variable_of(y)
    fit = fitted(module._pair(one, other, (0, 0)), name, -np.inf).further(1000)
    nodes, hidden = fit.nodes, fit.first
    r, K = len(nodes.prior), fit.shapes[0, 0]
    smooth = np.where(np.arange(r) >= nodes.n_null, hidden.smoothing[:2, np.newaxis], 1.0)
    precision = (1.0 / (nodes.prior * smooth)).ravel()

    def minus_log(c):
        total = hidden.weights[:K]
        for axis in range(2):
            m = nodes.basis.T[:K] @ c[axis * r : (axis + 1) * r]
            e = fit.pair.values[axis][:, np.newaxis] - m
            e = e - axis * fit.pair.values[0][:, np.newaxis] * hidden.slopes[:K]
            v = hidden.variances[axis, 0, :K]
            total = total * np.exp(-0.5 * e**2 / v) / np.sqrt(2.0 * np.pi * v)
        return -np.log(total.sum(axis=1)).sum() + 0.5 * precision @ c**2

    at = hidden.coefficients.ravel()
    information = oracle.hessian(minus_log, at)
    values = np.maximum(np.linalg.eigvalsh(0.5 * (information + information.T)), precision.min())
    cost = np.log(values).sum() - np.log(precision).sum() + precision @ at**2
    assert fit.shapes[0, 1:].tolist() == [1, 1]
    assert_allclose(position_cost(fit), 0.5 * cost, rtol=0.01)
    assert (fit.nodes is CURVE) == (name == "curve")


def test_probabilities_add_up_and_leave_directions_alone(rng):
    for draw in (groups, curve):
        x, y, _ = draw()
        result = infer_direction(x, y)
        assert (result.relation, result.direction) == ("common cause", 0)
        assert result.probabilities.common_cause > 0.8
        assert result.confidence < 0.2
    for x, y, *_ in (
        make_anm_mixture("f3", 200, random_state=0),
        make_single_mechanism("AN", 300, random_state=0),
    ):
        result = infer_direction(x, y)
        assert result.direction == 1
        assert result.confidence == result.probabilities.forward > 0.9
    for _ in range(8):
        result = infer_direction(rng.normal(size=200), rng.exponential(size=200))
        assert result.relation == "independent"
        assert result.probabilities.independent > 0.9
        assert sum(result.probabilities) == pytest.approx(1.0)


def test_it_can_be_switched_off():
    x, y, _ = groups()
    result = infer_direction(x, y, common_cause=False)
    assert result.evidence.common_cause is None
    assert result.relation != "common cause"
    assert result.probabilities.common_cause == 0.0
    assert "common cause (not tried)" in result.summary()


def test_groups_that_a_gap_parts_have_laws_of_their_own(rng):
    labels = rng.integers(2, size=400)
    x = np.where(labels, 4.0 + rng.exponential(size=400), 2.0 * rng.normal(size=400))
    y = rng.exponential(size=400) + 20.0 * labels
    pair = [variable_of(each) for each in (x, y)]
    assert len(set(zip(labels, pair[1].sides, strict=True))) == 2
    found = describe_common_cause(*pair)
    assert found.kind == "2 groups"
    # By counts under Jeffreys' prior, and by marginals of each group.
    n, counts = 400, np.bincount(labels)
    expected = gammaln(n + 1.0) + 2.0 * gammaln(0.5) - gammaln(counts + 0.5).sum()
    expected += math.log(n) - math.log(0.05)
    for variable in pair:
        for group in range(2):
            expected += variable.part(labels == group)[1].marginal.length
    assert found.length == pytest.approx(expected, abs=2.0)
    assert np.array_equal(found.probabilities, np.eye(2)[pair[1].sides])
    assert infer_direction(x, y).relation == "common cause"
