"""Log-odds of x → y against y → x: description lengths, weighed with plain features of the pair.

How far lengths are to be trusted depends on how variables were observed: real ones are rounded,
counted or designed. Three kinds of pairs have coefficients of their own, learned from real pairs
and drawn ones (`python -m benchmarks.calibrate`), with z the difference of lengths over its error:

    distinct   hardly any value occurs twice          a tanh(z / 4)
    tied       values occur again                     b tanh(z / 2) + features of both variables
    few        one variable has at most 12 values     c tanh(z / 4) + features of that variable

docs/method/decisions.md, "The prior". All features are bounded and free of units and of the order
of rows, and exchanging x and y negates the log-odds exactly.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Literal, Protocol, get_args

import numpy as np

from anmmm._typing import FloatArray
from anmmm.evidence import EvidenceResult
from anmmm.preprocessing import Cells

Prior = Literal["learned", "flat"]
PRIORS: tuple[Prior, ...] = get_args(Prior)

# Error of the models beside that of the observations' differences, in nats, and the growth of its
# square with N: it does not vanish. Chosen on odd pairs of the Tübingen and SIM folders.
MODEL_ERROR = 2.0
MODEL_ERROR_GROWTH = 0.2
# Log-odds for nats over their error under the flat prior, fitted to 600 drawn pairs
# (`benchmarks.calibrate constants`, seeds 10000 to 10599).
NATS_SLOPE = 1.4
# Most distinct values of a variable with few of them.
FEW_VALUES = 12
# Distinct values per observation, of the variable that has fewer, from which none counts as tied.
DISTINCT_FRACTION = 0.9
# Mean squared error that an exact cubic curve is given, of a variable between 0 and 1.
LEAST_ERROR = 1e-9
# The same of the deviation of equal gaps.
LEAST_SPACING = 0.1


class Column(Protocol):
    """One column of numbers or categories."""

    @property
    def cells(self) -> Cells:
        """Its values at their own resolution."""

    @property
    def is_categorical(self) -> bool:
        """Whether its values are categories without an order."""


def log_odds(evidence: EvidenceResult, prior: Prior, fraction: float = 1.0) -> float:
    """Return the log-odds of x → y against y → x if a `fraction` of the rows counts."""
    z = standardized_nats(evidence, fraction)
    if evidence.is_vector or prior == "flat":
        return NATS_SLOPE * z
    return learned_log_odds(evidence.forward, evidence.backward, z)


def learned_log_odds(x: Column, y: Column, z: float) -> float:
    """Return the log-odds of x → y against y → x whose lengths differ by z errors."""
    pair_kind, features = pair_features(x, y, z)
    coefficients = learned_coefficients()[pair_kind]
    return math.fsum(coefficients[name] * value for name, value in features.items())


def nats_error(error: float, n_samples: float) -> float:
    """Return the standard error of a pair's nats, with that of the models."""
    return math.sqrt(error**2 + MODEL_ERROR**2 + MODEL_ERROR_GROWTH * n_samples)


def standardized_nats(evidence: EvidenceResult, fraction: float = 1.0) -> float:
    """Return the nats by which x → y is shorter over their error, of a `fraction` of the rows."""
    n_rows = fraction * len(evidence.forward.nats)
    return fraction * evidence.nats / nats_error(math.sqrt(fraction) * evidence.error, n_rows)


@cache
def learned_coefficients() -> dict[str, dict[str, float]]:
    """Return the coefficients of each kind of pair by the names of features."""
    table = files("anmmm.direction").joinpath("prior.json").read_text(encoding="utf-8")
    coefficients: dict[str, dict[str, float]] = json.loads(table)["coefficients"]
    return coefficients


def has_few_values(variable: Column) -> bool:
    """Return whether a column has few values or categories."""
    cells = variable.cells
    n_repeated = (1.0 - DISTINCT_FRACTION) * len(cells.values)
    has_repeated = len(cells.values) - cells.n_distinct > n_repeated
    return variable.is_categorical or (cells.n_distinct <= FEW_VALUES and has_repeated)


def pair_features(x: Column, y: Column, z: float) -> tuple[str, dict[str, float]]:
    """Return the kind of a pair and its features, positive if they speak for x → y."""
    is_few_x = has_few_values(x)
    is_few_y = has_few_values(y)
    if is_few_x and is_few_y:
        return "tied", {"lengths": math.tanh(0.5 * z)}
    if is_few_x:
        return "few", few_features(x.cells, y.cells, z)
    if is_few_y:
        features = few_features(y.cells, x.cells, -z)
        return "few", {name: -value for name, value in features.items()}
    n_distinct_x = x.cells.n_distinct
    n_distinct_y = y.cells.n_distinct
    if min(n_distinct_x, n_distinct_y) >= DISTINCT_FRACTION * len(x.cells.values):
        return "distinct", {"lengths": math.tanh(0.25 * z)}
    features = {
        "lengths": math.tanh(0.5 * z),
        "regression error": math.tanh(log_error_ratio(x.cells.values, y.cells.values)),
        "distinct values": math.tanh(math.log(n_distinct_y) - math.log(n_distinct_x)),
    }
    return "tied", features


def log_error_ratio(x: FloatArray, y: FloatArray) -> float:
    """Return the log of both cubic regressions' errors, backward over forward (RECI).

    Both variables (n_samples,) are scaled to [0, 1]: Blöbaum, Janzing, Washio, Shimizu, Schölkopf,
    AISTATS 2018.
    """
    x = unit_interval(x)
    y = unit_interval(y)
    forward = cubic_error(x, y)
    backward = cubic_error(y, x)
    return math.log(backward + LEAST_ERROR) - math.log(forward + LEAST_ERROR)


def unit_interval(values: FloatArray) -> FloatArray:
    """Return values (n_samples,) scaled to [0, 1]."""
    low = values.min()
    return np.asarray((values - low) / (values.max() - low))


def cubic_error(cause: FloatArray, effect: FloatArray) -> float:
    """Return the mean squared error of a cubic curve, (n_samples,) between 0 and 1."""
    columns = np.polynomial.legendre.legvander(2.0 * cause - 1.0, 3)
    # Not `solve`: beside one far value the columns are nearly dependent.
    coefficients = np.linalg.lstsq(columns.T @ columns, columns.T @ effect)[0]
    return float(np.mean((effect - columns @ coefficients) ** 2))


def few_features(few_cells: Cells, many_cells: Cells, z: float) -> dict[str, float]:
    """Return the features of a pair, positive if they speak for the variable of few values."""
    counts = np.bincount(few_cells.index, minlength=few_cells.n_distinct)
    level_means = np.bincount(few_cells.index, weights=many_cells.values) / counts
    return {
        "lengths": math.tanh(0.25 * z),
        "uneven spacing": math.tanh(log_spacing(many_cells.distinct)),
        "two values": float(few_cells.n_distinct == 2),
        "balance": float(counts.min() / counts.max()),
        "explained variance": float(counts @ level_means**2 / len(many_cells.values)),
    }


def log_spacing(distinct: FloatArray) -> float:
    """Return the log of deviation over mean of the gaps between distinct values, increasing."""
    gaps = np.diff(distinct)
    return math.log(gaps.std() / gaps.mean() + LEAST_SPACING)
