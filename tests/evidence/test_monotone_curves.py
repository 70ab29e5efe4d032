"""Monotone curves with little noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from anmmm.direction import infer_direction
from anmmm.evidence import description_lengths
from anmmm.evidence.models import FitCache
from anmmm.evidence.models.monotone import Monotone
from anmmm.evidence.models.postnonlinear import LINK_PRIOR, effect_scales
from drawn import variable_of

FUNCTIONS = {"exp": np.exp, "cubic": lambda x: x**3 + x}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("noise", [0.003, 0.01])
def test_nearly_exact_functions_have_the_direction_of_their_noise(name, noise):
    right, wrong = 0, 0
    for seed in range(6):
        rng = np.random.default_rng([seed, 8])
        x = rng.normal(size=300) if seed % 2 else rng.uniform(-1.5, 1.5, 300)
        y = FUNCTIONS[name](x)
        result = infer_direction(x, y + noise * y.std() * rng.normal(size=300))
        right += result.direction == 1
        wrong += result.direction != 1 and result.confidence >= 0.9
    assert right >= 5
    assert wrong == 0


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_curve_is_the_most_probable_one(rng, sign):
    x = rng.normal(size=120)
    y = sign * np.exp(x) + 0.02 * rng.normal(size=120)
    cause, effect = variable_of(x), variable_of(y)
    scale, values = cause.once(effect_scales)[1], effect.cells.values
    model = Monotone.over(scale, FitCache(cause, effect))
    integrals = scale.integrals(scale.sums.values)
    precision = LINK_PRIOR.fixed + LINK_PRIOR.bends

    def fitted(parameters):
        """A curve of log-slopes, in standard deviations of the noise, and of their logarithm."""
        return sign * np.exp(parameters[-1] + scale.start + parameters[:-1]) @ integrals

    def longer(parameters):
        b, log_noise = parameters[:-1], parameters[-1]
        squares = np.sum((values - fitted(parameters)) ** 2) * np.exp(-2.0 * log_noise)
        return 0.5 * (squares + b @ precision @ b) + len(y) * log_noise

    best = minimize(longer, np.append(np.zeros(len(integrals)), np.log(model.scale))).x
    # The link minimizes the squares of h under a fitted ρ²: the same up to the noise.
    assert np.std(model.curve - fitted(best)) < 0.2 * model.scale
    assert_allclose(model.scale, np.exp(best[-1]), rtol=0.05)
    at_causes = model.curves(cause.points)
    assert_allclose(at_causes.center[:, 0], model.curve)
    assert_allclose(at_causes.upper - at_causes.center, model.scale)


def test_only_nearly_exact_effects_without_ties_have_one(rng):
    x = rng.normal(size=200)
    y = np.exp(x) + 0.02 * rng.normal(size=200)
    assert "monotone" in description_lengths(x, y).forward.models
    for cause, effect in ((x.round(1), y), (x, y.round(1)), (x, y + rng.normal(size=200))):
        assert "monotone" not in description_lengths(cause, effect).forward.models
