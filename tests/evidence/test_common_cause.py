"""A hidden common cause is a probability of cells, symmetric, and found where there is one."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import gammaln
from sklearn.metrics import adjusted_mutual_info_score

import oracle
from anmmm import infer_direction
from anmmm.datasets import make_anm_mixture, make_single_mechanism
from anmmm.evidence import common_cause as module
from anmmm.evidence.common_cause import describe_common_cause, mass_of, position_cost
from anmmm.evidence.hidden import CURVE, Search
from anmmm.evidence.splits import gap_groups, part_of
from drawn import variable_of


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


DRAWN = {
    "groups": groups,
    "curve": curve,
    "counts": counts,
}


def fitted(pair, name, to_beat=np.inf):
    search = Search.of(pair, to_beat)
    if name == "curve":
        return search.fit_curve(search.start_curves())
    return search.fit_groups(search.start_groups())


def described(x, y):
    return describe_common_cause(variable_of(x), variable_of(y))


@pytest.mark.parametrize("name", DRAWN)
def test_cells_have_probabilities_that_add_up_to_one(name):
    x, y, _ = DRAWN[name]()
    x_variable, y_variable = (variable_of(v) for v in (x, y))
    kinds = module._kinds(x_variable)[-1], module._kinds(y_variable)[-1]
    fit = fitted(module._pair(x_variable, y_variable, kinds), name)
    assert_allclose(fit.first.weights.sum(), 1.0)
    x_mass, y_mass = (
        mass_of(fit, axis, v).sum(axis=0) for axis, v in enumerate((x_variable, y_variable))
    )
    total = fit.first.weights @ (x_mass * y_mass)
    # Beyond the outermost cells, and for counts in between, there is a little.
    assert (0.97 if name in ("groups", "curve") else 0.9) < total <= 1.0 + 1e-12
    assert_allclose(described(x, y).probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize("name", DRAWN)
def test_exchange_exchanges_exactly(name):
    x, y, _ = DRAWN[name]()
    common, exchanged = described(x, y), described(y, x)
    assert common.length == exchanged.length
    assert np.array_equal(common.positions, exchanged.positions[::-1], equal_nan=True)
    assert np.array_equal(common.probabilities, exchanged.probabilities)


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


def ring(rng):
    labels = rng.integers(6, size=600)
    angle = np.pi / 3.0 * labels + 0.2
    return *(2.0 * f(angle) + 0.3 * rng.normal(size=600) for f in (np.cos, np.sin)), labels


def with_uniform_noise(rng):
    labels = rng.integers(3, size=1000)
    noise = rng.uniform(-0.6, 0.6, (2, 1000))
    return 1.5 * labels + noise[0], 1.5 * np.array([1, 0, 2])[labels] + noise[1], labels


def counts_beyond_poisson(rng):
    labels = rng.integers(2, size=300)
    x = rng.negative_binomial(3, 3.0 / (3.0 + np.array([2.0, 20.0])[labels]))
    return x, 2.0 * labels + 0.4 * rng.normal(size=300), labels


@pytest.mark.parametrize(
    ("draw", "groups_found"),
    [
        (ring, "6 groups"),
        (with_uniform_noise, "3 groups"),
        (counts_beyond_poisson, "2 groups"),
    ],
)
def test_hidden_groups_are_found(draw, groups_found):
    x, y, labels = draw(np.random.default_rng(0))
    result = infer_direction(x, y)
    common = result.models.common_cause
    assert (result.relation, common.kind) == ("common cause", groups_found)
    assert adjusted_mutual_info_score(labels, common.labels) > 0.6


def test_the_hidden_cause_of_a_curve_is_found():
    x, y, t = curve()
    assert abs(np.corrcoef(described(x, y).t[0], t)[0, 1]) > 0.95


def test_a_curve_that_orders_a_variable_is_that_variable_measured_with_noise(rng):
    t = rng.uniform(-2.0, 2.0, 300)
    x, y = t + 0.3 * rng.normal(size=300), np.sin(2.0 * t) + 0.2 * rng.normal(size=300)
    for names, pair in (("x → y", (x, y)), ("y → x", (y, x))):
        result = infer_direction(*pair)
        note = f"{names} with a cause measured with noise looks the same"
        assert result.relation == "common cause"
        assert note in result.notes
        assert note in repr(result)
    assert not infer_direction(*curve()[:2]).notes


def test_categories_and_counts_are_a_latent_class_model():
    x, y, labels = counts(1000)
    y[0] = 1e6
    result = infer_direction(x, y)
    assert result.relation == "common cause"
    common = result.evidence.common_cause
    assert np.isnan(common.positions).all(axis=1).tolist() == [True, False]
    assert adjusted_mutual_info_score(labels, common.labels) > 0.5
    assert_allclose(common.probabilities.sum(axis=1), 1.0)
    # As names of categories alike.
    named = infer_direction(np.array(["a", "b", "c"])[x.astype(int)], y)
    assert named.evidence.common_cause.length == pytest.approx(common.length)


@pytest.mark.parametrize("name", ["groups", "curve"])
def test_the_cost_of_positions_is_by_their_observed_information(name):
    x, y, _ = DRAWN[name](120)
    x_variable, y_variable = variable_of(x), variable_of(y)
    fit = fitted(module._pair(x_variable, y_variable, (0, 0)), name, -np.inf).iterate(1000)
    nodes, hidden = fit.nodes, fit.first
    r, K = len(nodes.prior), int(fit.n_used[0])
    smooth = np.where(np.arange(r) >= nodes.n_null, hidden.smoothing[:2, np.newaxis], 1.0)
    precision = (1.0 / (nodes.prior * smooth)).ravel()

    def minus_log(c):
        total = hidden.weights[:K]
        for axis in range(2):
            m = nodes.basis.T[:K] @ c[axis * r : (axis + 1) * r]
            e = fit.pair.values[axis][:, np.newaxis] - m
            v = hidden.variances[axis, 0, :K]
            total = total * np.exp(-0.5 * e**2 / v) / np.sqrt(2.0 * np.pi * v)
        return -np.log(total.sum(axis=1)).sum() + 0.5 * precision @ c**2

    coefficients = hidden.coefficients.ravel()
    information = oracle.hessian(minus_log, coefficients)
    values = np.maximum(np.linalg.eigvalsh(0.5 * (information + information.T)), precision.min())
    cost = np.log(values).sum() - np.log(precision).sum() + precision @ coefficients**2
    assert hidden.shape[1:].tolist() == [1, 1]
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


@pytest.mark.parametrize("name", ["groups", "curve"])
def test_the_length_does_not_depend_on_the_direction_that_it_beats(name):
    x, y = (variable_of(values) for values in DRAWN[name]()[:2])
    length = describe_common_cause(x, y).length
    for longer in (0.0, 5.0, 100.0):
        assert describe_common_cause(x, y, length + longer).length == length
    # A search without hope ends early, with nothing or with groups that gaps separate.
    hopeless = describe_common_cause(x, y, -1e9)
    assert hopeless is None or hopeless.length >= length


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
    pair = [variable_of(values) for values in (x, y)]
    assert len(set(zip(labels, pair[1].once(gap_groups), strict=True))) == 2
    common = describe_common_cause(*pair)
    assert common.kind == "2 groups"
    # By counts under Jeffreys' prior, and by marginals of each group.
    n, counts = 400, np.bincount(labels)
    expected = gammaln(n + 1.0) + 2.0 * gammaln(0.5) - gammaln(counts + 0.5).sum()
    expected += math.log(n) - math.log(0.05)
    for variable in pair:
        for group in range(2):
            expected += part_of(variable, labels == group).variable.marginal.length
    assert common.length == pytest.approx(expected, abs=2.0)
    assert np.array_equal(common.probabilities, np.eye(2)[pair[1].once(gap_groups)])
    assert infer_direction(x, y).relation == "common cause"
