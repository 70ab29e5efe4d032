"""Tests of the residuals of a chosen model and the cause for independence.

A rejection warns, and decides nothing: no model of the list fits, as with a common cause or a
mechanism of another form.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anmmm._typing import FloatArray
from anmmm._warning import default_float_errors
from anmmm.evidence.code import clipped_quantiles
from anmmm.evidence.models import ConditionalModel
from anmmm.independence import HSICTest, HSICVariable, permutation_test

# Seed of the draws within the cells of tied values. Data drawn with the same seed would depend on
# the draws, so it is an unlikely one.
SEED = 0x2B7E151628AED2A6ABF7158809CF4F3C
# Nats per observation below which a column has no noise.
NOISELESS_NATS = 0.5


@default_float_errors()
def integral_transform(model: ConditionalModel, stream: int = 0) -> FloatArray:
    """Conditional distribution function of the effect, uniform on (0, 1) under a true model.

    Parameters
    ----------
    model : ConditionalModel
    stream : int
        Stream of the draws. Transforms that are compared need different ones: with equal draws
        independent columns of few values would appear dependent.

    Returns
    -------
    ndarray of shape (n_samples,)
        For tied values, drawn uniformly between both ends of the cell, with a fixed seed; else the
        middle.

    References
    ----------
    J. E. Smith, "Diagnostic checks of non-standard time series models", Journal of Forecasting 4
    (1985), for the draw.
    """
    below, above = model.levels()
    n = len(below)
    is_tied = model.cells.n_distinct < n
    fraction = np.random.default_rng(SEED + stream).uniform(size=n) if is_tied else 0.5
    return np.asarray(below + fraction * (above - below))


def normal_scores(model: ConditionalModel, stream: int = 0) -> FloatArray:
    """Return the residuals (n_samples,) of a model as Gaussian quantiles."""
    return clipped_quantiles(integral_transform(model, stream))


def is_determined(model: ConditionalModel) -> bool:
    """Return whether the causes determine nearly every value of many."""
    is_mostly_distinct = 2 * model.cells.n_distinct > len(model.nats)
    return is_mostly_distinct and float(model.nats.mean()) < NOISELESS_NATS


def check_models(models: Sequence[ConditionalModel], cause: HSICVariable) -> HSICTest:
    """Test the transforms of an effect, a model for each column, and the cause for independence.

    Notes
    -----
    The models were fitted to these data, so the p-value of true ones is somewhat too large. The
    test uses permutation moments (`anmmm.hsic_test`), without random permutations.
    """
    transforms = np.column_stack([integral_transform(model) for model in models])
    # Two levels, each encoded with certainty, have no residual.
    transforms = transforms[:, np.ptp(transforms, axis=0) >= 1e-12]
    if transforms.size == 0:
        return HSICTest(0.0, 1.0, 1.0, 0.0, "permutation")
    # The caller may test the same cause again.
    return permutation_test(cause, HSICVariable(transforms), again=True)
