"""Description lengths of an effect by 1, 2, … mechanisms, in nats.

One mechanism is the shortest of the pair's models that have one; several are mixtures of curves.
docs/method/decisions.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtr

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.evidence.code import code_lengths, shortest
from anmmm.evidence.models import (
    ConditionalModel,
    FitCache,
    FreeNoise,
    Independent,
    Regressors,
    fit_models,
)
from anmmm.evidence.models.form import RANGES
from anmmm.evidence.variable import Variable
from anmmm.mixture.mechanisms import Mechanisms
from anmmm.mixture.splines import SplineBasis
from anmmm.preprocessing import Cells

# Places at which a density of noise is compared; how often higher than a valley both of its peaks
# are, and the fraction of the rows that each has.
N_PLACES = 200
VALLEY = 2.0
PEAK_FRACTION = 0.03
# Models of one mechanism that are mixtures themselves.
MIXTURES = ("clusters",)


class Described(Record):
    """The shortest description by a number of mechanisms."""

    length: float
    mechanisms: Mechanisms


def describe_numbers(
    fits: Mapping[int, Sequence[Mechanisms]], cells: Cells
) -> dict[int, Described]:
    """Return the shortest fit of each number; fits with an unused mechanism are left out."""
    described: dict[int, Described] = {}
    for number, candidates in fits.items():
        used = [fit for fit in candidates if number == 1 or fit.n_used == number]
        if used:
            lengths = [Described(mixture_length(cells, fit), fit) for fit in used]
            described[number] = shortest(lengths)
    return described


def mixture_length(cells: Cells, fit: Mechanisms) -> float:
    """Return the length of cells of the effect under a mixture."""
    lower = ndtr((cells.lower[:, np.newaxis] - fit.curves) / fit.noise_std)
    upper = ndtr((cells.upper[:, np.newaxis] - fit.curves) / fit.noise_std)
    mass = (np.exp(fit.log_weights) * (upper - lower)).sum(axis=1)
    width = cells.upper - cells.lower
    outliers = np.minimum(width * fit.outlier_density, 1.0)
    mass = (1.0 - fit.outlier_weight) * mass + fit.outlier_weight * outliers
    length = float(code_lengths(mass, cells.n_distinct).sum())
    return length + fit.curve_cost + fit.parameter_cost


def shortest_single(X: FloatArray, basis: SplineBasis, effect: Variable) -> ConditionalModel:
    """Return the shortest model of one mechanism of an effect given causes (n_samples, d)."""
    cause = Variable.of(X[:, 0]) if X.shape[1] == 1 else Regressors(basis)
    models = fit_models(FitCache(cause, effect, max_mechanisms=1))
    return shortest(model for model in models.values() if _is_single(model))


def _is_single(model: ConditionalModel) -> bool:
    """Return whether a model has one mechanism: no curves of parts, and no noise of two peaks."""
    form = model.form
    if form.base in MIXTURES or (RANGES in form.suffixes and form.base != Independent.FORM.base):
        return False
    return not (isinstance(model, FreeNoise) and has_two_peaks(model))


def has_two_peaks(model: FreeNoise) -> bool:
    """Return whether a fitted density of noise has a valley between two peaks."""
    residuals = model.model.residual_cells().values
    places = np.linspace(residuals.min(), residuals.max(), N_PLACES + 1)
    levels = model.noise.cdf(places)
    mass = np.diff(levels)
    highest_left = np.maximum.accumulate(mass)
    highest_right = np.maximum.accumulate(mass[::-1])[::-1]
    smaller_side = np.minimum(levels, 1.0 - levels)[1:]
    is_valley = mass * VALLEY < np.minimum(highest_left, highest_right)
    return bool(np.any(is_valley & (smaller_side > PEAK_FRACTION)))
