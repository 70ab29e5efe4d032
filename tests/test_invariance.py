"""Another unit, zero, sign or order of the data decides nothing, on all kinds of values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from anmmm import infer_direction
from anmmm.evidence import description_lengths


def counts(rng, n):
    x = rng.poisson(2.0, n)
    return x, rng.poisson(1.0 + x)


def mixture(rng, n):
    x = rng.uniform(-1.0, 1.0, n)
    return x, np.where(rng.random(n) < 0.5, x, -x) ** 3 + 0.1 * rng.normal(size=n)


UNRELATED = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n),
    "counts": lambda rng, n: 1.5 + rng.poisson(3.0, n),
    "rounded": lambda rng, n: np.round(rng.uniform(-2.0, 2.0, n), 1),
    "clipped": lambda rng, n: np.clip(rng.normal(size=n), -0.5, 0.7),
    "zeros": lambda rng, n: np.where(rng.random(n) < 0.4, 0.0, rng.exponential(size=n)),
    "clusters": lambda rng, n: rng.choice([0.0, 1.0, 5.0], n) + 0.1 * rng.normal(size=n),
    "heavy": lambda rng, n: rng.standard_cauchy(n) ** 3,
}
MIRRORED = {"x->y": "y->x", "y->x": "x->y", "independent": "independent", "undecided": "undecided"}


@given(
    kinds=st.tuples(*[st.sampled_from(sorted(UNRELATED))] * 2),
    n=st.sampled_from([12, 40, 90]),
    seed=st.integers(0, 10_000),
    shift=st.sampled_from([0.0, -7.5, 1000.0]),
    scale=st.sampled_from([1.0, 0.3, 2.54, 4096.0]),
)
@settings(max_examples=10)
def test_what_is_said_of_unrelated_data_has_no_order_and_no_unit(kinds, n, seed, shift, scale):
    rng = np.random.default_rng(seed)
    x, y = (UNRELATED[kind](rng, n) for kind in kinds)
    here, mirrored = infer_direction(x, y), infer_direction(y, x)
    assert mirrored.relation == MIRRORED[here.relation]
    assert mirrored.direction == -here.direction
    assert (mirrored.dependence, mirrored.confidence) == (here.dependence, here.confidence)
    elsewhere = infer_direction(x, shift + scale * y)
    assert elsewhere.relation == here.relation
    assert_allclose(elsewhere.dependence, here.dependence, rtol=1e-6, atol=1e-8)
    assert_allclose(elsewhere.confidence, here.confidence, rtol=1e-6)
    for other in (mirrored, elsewhere):
        for name in ("independence_pvalue", "check_pvalue"):
            assert_allclose(getattr(other, name), getattr(here, name), rtol=1e-5)


@pytest.mark.parametrize("kind", [counts, mixture])
def test_the_order_of_many_observations_does_not_matter(kind, rng):
    # Above 4000 the starts of mixtures are compared on some of them.
    x, y = kind(rng, 4500)
    rows = rng.permutation(4500)
    here, there = description_lengths(x, y), description_lengths(x[rows], y[rows])
    assert abs(here.score - there.score) <= 1e-9 * (1.0 + abs(here.forward_score))


def test_one_quantity_in_two_units_is_undecided_and_without_confidence(rng):
    celsius = rng.normal(20.0, 5.0, 100)
    for other in (celsius / 2.54, 1.8 * celsius + 32.0, -celsius):
        result = infer_direction(celsius, other)
        assert result.direction == 0
        assert abs(result.log_odds) < 1e-9
        assert result.confidence == pytest.approx(0.5)
