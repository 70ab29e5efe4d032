"""Every model and every marginal law is a distribution, and directions are compared by the same."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import nbinom, poisson

from anmmm import infer_direction
from anmmm.datasets import make_anm_mixture, make_single_mechanism
from anmmm.evidence import description_lengths
from anmmm.evidence.models import (
    MODELS,
    ConditionalModel,
    FitCache,
    marginals_of,
    model_text,
)
from anmmm.evidence.models.discrete import POISSON, best_size, fit_counts
from anmmm.evidence.models.form import SUFFIXES
from anmmm.evidence.models.free_noise import FreeNoise
from anmmm.evidence.models.parts import Parted
from anmmm.evidence.variable import Variable
from drawn import MARGINS, Rows, draw_effect, make_categories, standard, variable_of

KINDS = {
    "continuous": lambda seed: draw_effect("PNL-logistic", 90, random_state=seed),
    "mixture": lambda seed: make_anm_mixture("f3", 90, random_state=seed)[:2],
    "tied": lambda seed: draw_effect("grouped", 90, random_state=seed),
    "many ties": lambda seed: (lambda x, y: (np.round(x, 1), np.round(5 * y) / 10))(
        *make_single_mechanism("AN", 90, random_state=seed)
    ),
    "binary": lambda seed: draw_effect("binary", 90, random_state=seed),
    "ordered": lambda seed: draw_effect("ordered", 90, random_state=seed),
    "count": lambda seed: draw_effect("count", 90, random_state=seed),
    "positive count": lambda seed: positive(np.random.default_rng(seed), 90),
    "categories": lambda seed: make_categories("effect", 90, random_state=seed),
    "heavy": lambda seed: heavy(np.random.default_rng(seed), 90),
    "atoms": lambda seed: atoms(np.random.default_rng(seed), 90),
    "ranges": lambda seed: ranges(np.random.default_rng(seed), 150),
    "precise": lambda seed: precise(np.random.default_rng(seed), 90),
    "clusters": lambda seed: clusters(np.random.default_rng(seed), 90),
}


def clusters(rng, n):
    x = rng.uniform(-2.0, 2.0, n)
    return x, np.round(x + 0.4 * rng.normal(size=n)) + 0.05 * rng.normal(size=n)


def precise(rng, n):
    x = rng.normal(size=n)
    return x, np.exp(x) + 0.03 * rng.normal(size=n)


def positive(rng, n):
    x = rng.uniform(-1.0, 1.0, 3 * n)
    y = rng.negative_binomial(3, 3.0 / (3.0 + np.exp(1.0 + x)))
    return x[y > 0][:n], y[y > 0][:n]


def ranges(rng, n):
    x = rng.uniform(-2.0, 2.0, n)
    slow = rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * x))
    return x, np.where(slow, 2.0, 0.1) * np.exp(0.3 * rng.normal(size=n))


def heavy(rng, n):
    x = rng.lognormal(size=n)
    return x, x / (x + 1.0) + 0.1 * rng.normal(size=n)


def atoms(rng, n):
    x = np.where(rng.random(n) < 0.2, -1.0, rng.normal(size=n))
    zero = rng.random(n) < 1.0 / (1.0 + np.exp(1.0 + x))
    return x, np.where(zero, 0.0, 3.0 + np.tanh(x) + 0.3 * rng.normal(size=n))


# Of what has a unit and an order.
NUMBERS = [pair_kind for pair_kind in KINDS if pair_kind != "categories"]


def probability(nats, n_cells):
    """What the model's law gives to each cell: the lengths without the number of the cell."""
    n = len(nats)
    return (np.exp(-nats) - 1.0 / (n * n_cells)) / (1.0 - 1.0 / n)


def test_the_samples_have_every_model():
    models = [
        m
        for pair_kind in KINDS
        for m in description_lengths(*KINDS[pair_kind](1)).forward.models.values()
    ]
    assert {type(model) for model in models} == {*MODELS, FreeNoise}
    assert {suffix for model in models for suffix in model.form.suffixes} == {*SUFFIXES.values()}


@pytest.mark.parametrize("pair_kind", KINDS)
def test_every_model_is_a_distribution_with_curves(pair_kind):
    models = description_lengths(*KINDS[pair_kind](1)).forward.models
    points = np.linspace(-2.5, 2.5, 41)[:, np.newaxis]
    for model in models.values():
        below, above = model.levels()
        assert below.shape == above.shape == model.nats.shape
        assert np.all((below >= 0.0) & (below <= above) & (above <= 1.0 + 1e-12))
        assert np.isfinite(model.length)
        assert model_text(model.name) == model.text
        mass = probability(model.nats, model.cells.n_distinct)
        assert_allclose(above - below, mass, atol=1e-9)
        # All observations at one value of the effect after another, their causes kept.
        total = np.zeros(len(model.nats))
        for cell in range(0 if isinstance(model, Parted) else model.cells.n_distinct):
            below, above = levels_at(model, cell)
            assert np.all(below <= above + 1e-15)
            total += above - below
        assert np.all(total <= 1.0 + 1e-9)
        if model.name in ("ordered", "ordered+link", "categories"):
            assert_allclose(total, 1.0)
        assert model.responsibilities.shape == (len(model.nats), model.n_mechanisms)
        assert_allclose(model.responsibilities.sum(axis=1), 1.0)
        curves = model.curves(points)
        for part in (curves.lower, curves.center, curves.upper):
            assert part.shape == (41, len(curves.levels) or model.n_mechanisms)
            assert np.isfinite(part).all()
        assert np.all((curves.lower <= curves.center) & (curves.center <= curves.upper))
        again = pickle.loads(pickle.dumps(model))
        assert isinstance(again, ConditionalModel)
        for name in ("name", "length", "converged"):
            assert getattr(again, name) == getattr(model, name)
        assert np.array_equal(again.levels(), model.levels())


def levels_at(model, cell):
    """Levels of a model if the effect of every observation were in one cell."""
    cells = model.cells
    every = np.full(len(model.nats), int(np.flatnonzero(cells.index == cell)[0]))
    if model.name.endswith("+rescaled"):
        return levels_at(model.model, cell)
    if model.name == "independent":
        # The law is one of the effect alone.
        return tuple(level[every] for level in model.levels())
    parts = {"cells": at_rows(cells, every, "values", "index", "lower", "upper")}
    if model.name == "count":
        parts["counts"] = model.counts[every]
    if model.name == "pnl":
        parts["lower"], parts["upper"] = model.lower[every], model.upper[every]
    if model.name == "pnl+noise":
        shift = model.model.curve[every] - model.model.curve
        residuals = model.model.residual_cells()
        return tuple(model.noise.cdf(end[every] + shift) for end in residuals[1:])
    if isinstance(model, FreeNoise):
        return replace(model, model=replace(model.model, **parts)).levels()
    return replace(model, **parts).levels()


def at_rows(record, rows, *names):
    return replace(record, **{name: getattr(record, name)[rows] for name in names})


def assert_is_a_law(law, cells):
    below, above = law.levels()
    assert np.all((below >= 0.0) & (below <= above) & (above <= 1 + 1e-12))
    mass = above - below
    assert_allclose(mass, probability(law.nats, cells.n_distinct), atol=1e-9)
    first_rows = np.unique(cells.index, return_index=True)[1]
    assert mass[first_rows].sum() <= 1.0 + 1e-9
    # The law is one of the variable alone: tied observations are alike.
    assert_allclose(below, below[first_rows][cells.index], atol=1e-15)
    again = pickle.loads(pickle.dumps(law))
    assert (again.base, again.length) == (law.base, law.length)


def test_huge_counts_without_zeros_keep_probabilities():
    for seed in range(20000, 20003):
        rng = np.random.default_rng([seed, 11])
        result = description_lengths(*rng.zipf(1.5, (2, 300)).astype(float))
        for side in (result.forward, result.backward):
            assert min(model.nats.min() for model in side.models.values()) > -1e-9
            assert side.lengths["independent"] < side.lengths.get("count", np.inf)


@pytest.mark.parametrize("size", [None, 2.0])
def test_counts_from_one_on_are_without_their_zeros(size, rng):
    mean = 1.5
    y = rng.poisson(mean, 2000) if size is None else rng.negative_binomial(2, 2 / (2 + mean), 2000)
    raw = y[y > 0].astype(float)
    variable = variable_of(raw)
    model = fit_counts(FitCache.without_cause(variable).equal_rows, variable.cells, raw)
    assert np.exp(model.curve[0]) == pytest.approx(mean, abs=0.15)
    law = poisson(mean) if size is None else nbinom(2, 2 / (2 + mean))
    expected = law.pmf(raw) / (1.0 - law.pmf(0))
    assert np.sum(model.nats) == pytest.approx(-np.log(expected).sum(), abs=2.0)


@pytest.mark.parametrize("is_positive", [False, True])
@pytest.mark.parametrize("size", [0.3, 2.0, 30.0])
@pytest.mark.parametrize("start", [POISSON, 1.0])
def test_the_size_of_counts_is_the_likeliest(is_positive, size, start, rng):
    means = rng.uniform(1.0, 30.0, 3000)
    counts = rng.negative_binomial(size, size / (size + means)).astype(float)
    kept = counts > 0.0 if is_positive else counts >= 0.0
    counts, means = counts[kept], means[kept]
    n_equal = rng.integers(1, 3, len(counts)).astype(float)
    sizes = best_size(counts, n_equal, means, is_positive, start) * np.exp([0.0, -0.05, 0.05])
    laws = [nbinom(each, each / (each + means)) for each in sizes]
    logs = [law.logpmf(counts) - np.log1p(-is_positive * law.pmf(0)) for law in laws]
    lengths = -n_equal @ np.array(logs).T
    assert lengths.argmin() == 0


def test_marginals_are_distributions(rng):
    drawn = [raw for pair_kind in NUMBERS for raw in KINDS[pair_kind](2)]
    for raw in [*drawn, *(draw(Rows(rng, 150)) for draw in MARGINS.values())]:
        variable = variable_of(raw)
        laws = list(marginals_of(variable))
        assert variable.marginal.length == min(law.length for law in laws)
        for law in laws:
            assert_is_a_law(law, variable.cells)
    index = np.repeat([0.0, 1.0, 2.0, 3.0], [40, 3, 20, 7])
    variable = Variable.of_categories(standard(index)[:, 0])
    laws = list(marginals_of(variable))
    assert [law.base for law in laws] == ["levels", "logit"]
    assert variable.marginal.length == min(law.length for law in laws)
    for law in laws:
        assert_is_a_law(law, variable.cells)


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("Gaussian", "normal"),
        ("clipped on both sides", "cut"),
        ("rain: 50 % zeros, in tenths", "cut"),
        ("three clusters", "normals"),
        ("four clusters", "normals"),
    ],
)
def test_the_law_of_an_unusual_variable_is_the_one_made_for_it(name, base):
    rngs = map(np.random.default_rng, range(8))
    bases = [variable_of(MARGINS[name](Rows(rng, 400))).marginal.base for rng in rngs]
    assert bases.count(base) >= 6


def test_a_value_that_a_tenth_of_the_observations_have_ties_a_variable(rng):
    for n, n_equal, is_tied in ((200, 0, False), (200, 19, False), (200, 20, True), (60, 9, False)):
        values = rng.normal(size=n)
        values[:n_equal] = 0.0
        assert variable_of(values).is_tied == is_tied


@pytest.mark.parametrize("name", sorted(MARGINS))
def test_what_is_unusual_about_a_variable_is_no_dependence(name):
    results = []
    for seed in range(3):
        rng = np.random.default_rng([seed, 3])
        x, unusual = MARGINS[name](Rows(rng, 200)), MARGINS[name](Rows(rng, 200))
        unrelated = rng.normal(size=200)
        results += [infer_direction(x, unrelated), infer_direction(unusual, x)]
    assert max(result.confidence for result in results) < 0.9
    assert sum(result.relation == "independent" for result in results) >= 4


UNITS = {
    "shift": lambda x, y, rng: (x + 3.0, y - 0.7),
    "scale": lambda x, y, rng: (x / 2.54, 1.8 * y),
    "both": lambda x, y, rng: (-x / 3.0, 1.0 - 7.0 * y),
    "-x": lambda x, y, rng: (-x, y),
    "-y": lambda x, y, rng: (x, -y),
    "order": lambda x, y, rng: (lambda rows: (x[rows], y[rows]))(rng.permutation(len(x))),
}
pairs = st.tuples(st.sampled_from(NUMBERS), st.integers(0, 1000))


@given(pair=pairs)
@settings(max_examples=12)
def test_both_directions_are_compared_by_the_same_laws(pair):
    pair_kind, seed = pair
    x, y = KINDS[pair_kind](seed)
    result, exchanged = description_lengths(x, y), description_lengths(y, x)
    assert result.score == -exchanged.score
    assert result.forward.total == exchanged.backward.total
    assert_allclose(result.forward.independent, result.backward.independent, rtol=1e-12)
    for side in (result.forward, result.backward):
        assert side.total <= side.independent
    assert result.dependence >= 0.0


@given(pair=pairs, change=st.sampled_from(sorted(UNITS)))
@settings(max_examples=20)
def test_neither_unit_nor_sign_nor_order_matters(pair, change):
    pair_kind, seed = pair
    x, y = KINDS[pair_kind](seed)
    if pair_kind in ("count", "positive count", "ordered") and change != "order":
        # Whole numbers from 0 are counts in the one unit alone.
        y = y / 7.0
    original, changed = (
        description_lengths(x, y),
        description_lengths(*UNITS[change](x, y, np.random.default_rng(seed))),
    )
    lengths = abs(original.forward_score) + abs(original.backward_score)
    assert_allclose(changed.score, original.score, atol=1e-6 * lengths)
    for side, again in ((original.forward, changed.forward), (original.backward, changed.backward)):
        for name, length in side.lengths.items():
            # The search for a scale may end at another, in models that lose.
            if "rescaled" not in name:
                assert_allclose(again.lengths[name], length, rtol=1e-6)


def test_counts_in_another_unit_are_tied_data():
    x, y = KINDS["count"](3)
    counts, dozens = description_lengths(x, y), description_lengths(x, y / 12.0)
    assert "count" in counts.forward.models
    assert "count" not in dozens.forward.models
    for name, length in dozens.forward.lengths.items():
        # Without an end, the other values are counts in one unit only.
        if name != "independent" and not name.endswith("+atom"):
            assert_allclose(length, counts.forward.lengths[name], rtol=1e-9)
    assert counts.forward.independent <= dozens.forward.independent + 1e-9


def test_large_tied_whole_numbers_are_no_counts(rng):
    # Their unit and origin do not matter, as those of dates in nanoseconds.
    x = rng.normal(size=200)
    y = np.tanh(2 * x) + 0.3 * rng.normal(size=200)
    day = np.digitize(y, np.linspace(-2, 2, 30))
    large, small = infer_direction(9e15 + 1e9 * day, x), infer_direction(day / 12.0, x)
    assert "count" not in large.evidence.backward.models
    assert (large.score, large.confidence) == pytest.approx((small.score, small.confidence))
