"""Curves over the scale on which a cause is Gaussian."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from anmmm import infer_direction
from anmmm.evidence import description_lengths
from anmmm.evidence.models import FitCache
from anmmm.evidence.models.discrete import Counts, Ordered
from anmmm.evidence.models.rescaled import LEVEL_SLACK, OverColumns
from anmmm.evidence.models.rescaled import gaussian_scale as rescaled_columns
from anmmm.evidence.vectors import describe_over
from drawn import standard, variable_of

CAUSES = {
    "lognormal": lambda rng: rng.lognormal(size=200),
    "negative": lambda rng: -rng.lognormal(size=200),
    "heavy tails": lambda rng: rng.standard_t(2, size=200),
    "tied": lambda rng: rng.negative_binomial(0.7, 0.08, size=200) + 0.5,
}
EFFECTS = {
    "smooth": lambda z, rng: np.tanh(z) + 0.3 * rng.normal(size=len(z)),
    "levels": lambda z, rng: np.digitize(z + 0.4 * rng.normal(size=len(z)), [-1.0, 0.0, 1.0]) + 0.5,
    "categories": lambda z, rng: np.array(list("abc"))[
        np.digitize(z + 0.4 * rng.normal(size=len(z)), [-0.5, 0.5])
    ],
}


def gaussian_scale(values):
    """Return Gaussian quantiles of the middle of each value's cell."""
    below, above = variable_of(values).marginal.levels()
    return stats.norm.ppf(0.5 * (below + above))


@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("effect", EFFECTS)
def test_a_rescaled_model_is_the_plain_one_of_the_rescaled_cause(cause, effect, rng):
    x = CAUSES[cause](rng)
    z = gaussian_scale(x)
    y = EFFECTS[effect](stats.zscore(z), rng)
    models = description_lengths(x, y).forward.models.values()
    (rescaled,) = (model for model in models if isinstance(model, OverColumns))
    plain = description_lengths(z, y).forward.models[rescaled.model.name]
    assert rescaled.name == plain.name + "+rescaled"
    assert rescaled.text.startswith(plain.text)
    assert_allclose(rescaled.length, plain.length + math.log(4.0), rtol=1e-9)
    # Curves at the observations are those of the plain model at the rescaled ones.
    z_points, x_points = (standard(values) for values in (z, x))
    assert_allclose(rescaled.curves(x_points).center, plain.curves(z_points).center, atol=1e-9)
    if effect != "categories":
        far_points = np.sort(np.concatenate([x_points[:, 0], [-50.0, 50.0]]))[:, np.newaxis]
        assert np.isfinite(rescaled.curves(far_points).upper).all()


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: rng.normal(size=300),
        lambda rng: rng.uniform(size=300),
        lambda rng: rng.normal(size=300) + 4.0 * rng.integers(2, size=300),
        lambda rng: rng.integers(2, size=300) + 0.5,
        lambda rng: rng.beta(0.3, 0.3, size=300),
    ],
)
def test_a_cause_without_heavy_tails_keeps_its_scale(draw, rng):
    assert rescaled_columns(variable_of(draw(rng))) is None


@pytest.mark.parametrize("cause", ["lognormal", "negative", "heavy tails"])
def test_a_saturating_effect_of_a_heavy_cause_is_known_by_its_scale(cause):
    right = []
    for seed in range(6):
        rng = np.random.default_rng([seed, 17])
        x = CAUSES[cause](rng)
        y = np.tanh(stats.zscore(gaussian_scale(x))) + 0.2 * rng.normal(size=200)
        right.append(infer_direction(x, y).direction == 1)
    assert np.mean(right) >= 5 / 6
    # A linear mechanism keeps its scale.
    assert not description_lengths(x, x + rng.normal(size=200)).forward.model.endswith("+rescaled")


def test_models_that_are_far_longer_over_the_own_scale_are_not_rescaled(rng, monkeypatch):
    x = CAUSES["lognormal"](rng)
    levels = np.digitize(gaussian_scale(x) + 0.3 * rng.normal(size=200), [-0.5, 0.5])
    fits = FitCache(variable_of(x), variable_of(np.array([1.0, 50.0, 55.0])[levels]))
    ordered_length = fits.shortest_of([Ordered]).length
    assert fits.shortest_of([Counts]).length > ordered_length + LEVEL_SLACK * len(x)
    assert rescaled_columns(fits.cause) is not None
    monkeypatch.setattr(Counts, "encode", lambda fits: pytest.fail("counts were rescaled"))
    (rescaled,) = OverColumns.encode(fits)
    assert isinstance(rescaled.model, Ordered)


def test_curves_over_several_causes_are_rescaled_too(rng):
    causes = rng.lognormal(size=(2, 300))
    effect = np.log(causes).sum(axis=0) + 0.3 * rng.normal(size=300)
    model = describe_over(variable_of(effect), [variable_of(x) for x in causes])
    assert isinstance(model, OverColumns)
    points = np.column_stack([variable_of(x).points for x in causes])
    spread = model.curves(points)
    assert_allclose(spread.center[:, 0], stats.zscore(effect), atol=1.0)
