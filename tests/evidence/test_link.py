"""Scales of an effect and the functions fitted on them, against SciPy."""

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from anmmm.evidence import description_lengths
from anmmm.evidence.density import BASES, plain_density
from anmmm.evidence.marginal import smooth_density
from anmmm.evidence.models import FitCache, Regressors
from anmmm.evidence.models.discrete import OrderedLinked, scale_of_cuts
from anmmm.evidence.models.postnonlinear import (
    PostNonlinear,
    base_quantiles,
    effect_scales,
    fit_link,
    scales_of,
)
from anmmm.evidence.variable import Variable
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells
from drawn import standard

PLACES = ((-3.0, 8.0), (0.4, 1.7), (-0.3, 0.6))
LAWS = (stats.uniform, stats.norm, stats.t(df=3))


def quantiles(k, values):
    cells = Cells.of(np.array([0.0, 1.0]))
    base = plain_density(BASES[k], cells.values, cells.lower, cells.upper)
    location, scale = PLACES[k]
    return base_quantiles(replace(base, location=location, scale=scale), values)


def expected(k, values):
    """From whichever tail is smaller."""
    z = (values - PLACES[k][0]) / PLACES[k][1]
    below, above = LAWS[k].cdf(z), LAWS[k].sf(z)
    return np.where(below < above, stats.norm.ppf(below), stats.norm.isf(above))


@pytest.mark.parametrize("k", range(3))
def test_quantiles_are_those_of_the_base(k):
    values = np.concatenate([np.linspace(-2.99, 4.99, 997), -3.0 + np.logspace(-9, -2, 50)])
    assert_allclose(quantiles(k, values), expected(k, values), rtol=1e-11, atol=1e-13)
    # Far tails are exact, ends of a bounded base infinite.
    (location, scale), far = PLACES[2], np.logspace(0.0, 6.0, 200)
    z = quantiles(2, location + scale * far)
    tails = 0.5 * stats.beta.cdf(3.0 / (3.0 + far**2), 1.5, 0.5)
    assert_allclose(z, stats.norm.isf(tails), rtol=1e-10)
    z = quantiles(0, np.array([-3.0, -3.0 - 1e-15, 5.0, 5.0 + 1e-15, 1.0]))
    assert_allclose(z, [-np.inf, -np.inf, np.inf, np.inf, 0.0], atol=1e-15)


def test_quantiles_of_a_corrected_density_are_those_of_its_distribution_function(rng):
    y = standard(np.sinh(1.5 * rng.normal(0.5, size=300)))[:, 0]
    variable = Variable.of(y)
    density = variable.once(smooth_density).density
    assert not density.is_plain
    quantiles = base_quantiles(density, np.sort(y))
    assert_allclose(quantiles, stats.norm.ppf(density.cdf(np.sort(y))), atol=1e-9)
    # Its scale is the last of the effect's, at the cost of the correction.
    assert variable.once(effect_scales)[-1].base is density
    location_and_scale = math.log(300)
    assert variable.once(effect_scales)[-1].cost == pytest.approx(density.cost - location_and_scale)


@pytest.mark.parametrize("bend", [-0.6, 0.0, 0.4])
def test_a_bent_function_is_exponential_in_the_first_one(pair, bend):
    link = fit_link(*pair, scales_of(pair[1])[1]).link
    y = pair[1].values
    h, bent = link.apply(y), link.bent(bend)
    expected = np.exp(bend * h / h.std()) if bend else h
    bent_values = bent.apply(y)
    assert_allclose(bent_values, standard(np.sign(bend or 1.0) * expected)[:, 0], atol=1e-12)
    assert np.all(np.diff(bent.apply(np.linspace(-4.0, 4.0, 101))) > 0.0)


def test_skewed_noise_behind_a_function_bends_its_gaussian_fit(rng):
    x = rng.normal(size=300)
    y = np.sinh(x + 0.7 * rng.exponential(size=300))
    side = description_lengths(x, y).forward
    model = side.models["pnl+noise"]
    assert model.model.link.bend > 0.0
    assert model.length < side.models["pnl"].length - 30.0
    unbent = type(model).about(side.models["pnl"])
    assert model.length < unbent.length - 5.0
    # Residuals are more skewed: as the noise was drawn.
    of_noise = stats.skew(model.model.residual), stats.skew(unbent.model.residual)
    assert of_noise[0] > of_noise[1]


@pytest.fixture(name="pair")
def _pair(rng):
    """A basis of a cause, and cells of a bent effect with a few ties."""
    x = np.sort(rng.normal(size=(70, 1)), axis=0)
    y = standard(np.cbrt(x + np.sin(2.0 * x) + 0.3 * rng.normal(size=x.shape)))[:, 0]
    y[3], y[40] = y[60], y[12]
    return SplineBasis.of(x), Cells.of(y)


def test_rows_are_the_functions_and_the_nats(pair):
    basis, cells = pair
    for scale in scales_of(cells):
        fit = fit_link(basis, cells, scale)
        h = scale.integrals(scale.sums.values).T @ fit.link.slopes
        assert_allclose(h, fit.link.apply(cells.values), atol=1e-9)
        assert_allclose(fit.curve, basis.design @ fit.mean, atol=1e-9)
        assert_allclose(fit.residual, h - fit.curve, atol=1e-9)
        assert_allclose(fit.lower, fit.link.apply(cells.lower), atol=1e-9)
        assert_allclose(fit.upper, fit.link.apply(cells.upper), atol=1e-9)
        lower_mass = stats.norm.cdf(fit.upper - fit.curve) - stats.norm.cdf(fit.lower - fit.curve)
        upper_mass = stats.norm.sf(fit.lower - fit.curve) - stats.norm.sf(fit.upper - fit.curve)
        mass, n = np.where(fit.lower > fit.curve, upper_mass, lower_mass), len(lower_mass)
        mixed = (1 - 1 / n) * mass + 1 / n / cells.n_distinct
        assert_allclose(fit.nats, -np.log(mixed), rtol=1e-7)


def test_the_shortest_scale_wins_and_its_cost_counts(pair):
    basis, cells = pair
    effect = Variable.of(cells.values)
    lengths = [fit_link(basis, cells, scale).length for scale in effect.once(effect_scales)]
    model = next(PostNonlinear.encode(FitCache(Regressors(basis), effect)))
    assert model.length == pytest.approx(min(lengths))
    dearer = replace(effect.once(effect_scales)[0], cost=effect.once(effect_scales)[0].cost + 2.0)
    assert fit_link(basis, cells, dearer).length == pytest.approx(lengths[0] + 2.0)
    # Cuts are on the scale that is shortest without a cause.
    values = cells.values.round(1)
    variable = Variable.of(values)
    scales = scales_of(variable.cells)
    rows = FitCache.without_cause(variable).equal_rows
    lengths = [OrderedLinked.on(scale, rows, variable.cells).length for scale in scales]
    assert variable.once(scale_of_cuts).base.base == scales[int(np.argmin(lengths))].base.base


def test_a_base_that_the_effect_touches_the_end_of_is_left_out(rng):
    # Beside an outlier all others are at the lower end.
    y = np.append(1e-14 * rng.normal(size=40), 1.0)
    assert [scale.base.base for scale in scales_of(Cells.of(y))] == ["normal", "student"]
    usual = scales_of(Cells.of(rng.normal(size=40)))
    assert [scale.base.base for scale in usual] == list(BASES)
    assert math.isclose(usual[0].cost, math.log(40))
    assert [scale.cost for scale in usual[1:]] == [0.0, 0.0]
