"""Whether a chosen model leaves anything of the cause in what it does not explain.

A direction's models come in; an HSIC test of the cause and the effect's probability integral
transform goes out. It warns and does not decide: that no model of the list fits, as with a common
cause or a mechanism of another form.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.models import ConditionalModel
from anmmm.independence import HSICTest, TestedVariable, permutation_test

# Of the draws within the cells of tied values, so that a check can be repeated. Data drawn from the
# same stream would depend on the draws, so it is a seed that nobody takes.
SEED = 0x2B7E151628AED2A6ABF7158809CF4F3C
# Levels of a model this near to 0 or 1 are that.
EDGE = 1e-12
# Nats an observation below which a column has no noise.
DETERMINED = 0.5


def integral_transform(model: ConditionalModel, stream: int = 0) -> FloatArray:
    """Conditional distribution function of the effect, uniform on (0, 1) under a true model.

    Parameters
    ----------
    model : ConditionalModel
    stream : int
        Of the draws. Transforms that are compared with each other need different ones: with equal
        draws two independent columns of few values would seem to depend on each other.

    Returns
    -------
    ndarray of shape (n_samples,)
        Where values are tied, drawn uniformly between both ends of the cell, always alike; the
        middle otherwise.

    References
    ----------
    J. E. Smith, "Diagnostic checks of non-standard time series models", Journal of Forecasting 4
    (1985), for the draw.
    """
    below, above = model.levels()
    n = len(below)
    tied = model.cells.n_distinct < n
    share = np.random.default_rng(SEED + stream).uniform(size=n) if tied else 0.5
    return np.asarray(below + share * (above - below))


def normal_scores(model: ConditionalModel, stream: int = 0) -> FloatArray:
    """Return what a model leaves of a column, (n_samples,), as Gaussian quantiles."""
    return np.asarray(ndtri(np.clip(integral_transform(model, stream), EDGE, 1.0 - EDGE)))


def is_determined(model: ConditionalModel) -> bool:
    """Tell whether the causes tell nearly every value of many."""
    n_distinct, nats = model.cells.n_distinct, model.nats
    return 2 * n_distinct > len(nats) and float(nats.mean()) < DETERMINED


def check_model(model: ConditionalModel, cause: FloatArray | TestedVariable) -> HSICTest:
    """Test the transform of the effect and the cause, (n_samples,), for independence.

    Notes
    -----
    The model was fitted to these data, so the p-value of a true one is rather too large.
    By its permutation moments (`anmmm.hsic_test`), so that nothing is drawn for it.
    """
    return check_models([model], cause)


def check_models(
    models: Sequence[ConditionalModel],
    cause: FloatArray | TestedVariable,
    rows: IntArray | slice = slice(None),
) -> HSICTest:
    """Test the transforms of an effect's columns, each by its model, and the cause.

    `cause` is of shape (n_samples,) or (n_samples, n_features), or what was made of that before;
    `rows` are those that are looked at. What `check_model` notes holds.
    """
    transforms = np.column_stack([integral_transform(model)[rows] for model in models])
    # Two levels alone, each encoded with certainty: nothing is left.
    transforms = transforms[:, np.ptp(transforms, axis=0) >= 1e-12]
    if transforms.size == 0:
        return HSICTest(0.0, 1.0, 1.0, 0.0, "permutation")
    if isinstance(cause, TestedVariable):
        # Whoever hands it on may ask for its independence of the effect next.
        return permutation_test(cause, TestedVariable(transforms), again=True)
    return permutation_test(
        TestedVariable(cause.reshape(len(cause), -1)), TestedVariable(transforms)
    )
