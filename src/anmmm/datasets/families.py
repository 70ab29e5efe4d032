"""Pairs of a single mechanism: published families, and effects of other kinds of values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from anmmm._typing import FloatArray, RandomState
from anmmm._validation import check_choice, check_count, check_rng

CONTINUOUS = ("AN", "AN-s", "LS", "LS-s", "MN-U")

# Of mean 0 and standard deviation 1.
CAUSES: dict[str, Callable[[Generator, int], FloatArray]] = {
    "gaussian": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), n),
    "bimodal": lambda rng, n: (
        0.9 * rng.choice([-1.0, 1.0], n) + np.sqrt(0.19) * rng.standard_normal(n)
    ),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1.0,
}
# Levels of an ordered effect, at least; step of a grouped one.
FEWEST_LEVELS, MOST_LEVELS, STEP = 3, 6, 0.5


def make_single_mechanism(
    family: str = "AN",
    n_samples: int = 100,
    *,
    cause: str = "gaussian",
    random_state: RandomState = None,
) -> tuple[FloatArray, FloatArray]:
    """Draw cause and effect of a pair with one mechanism.

    Parameters
    ----------
    family : str
        ``"AN"``: ``f(x) + ε``; ``"LS"``: ``f(x) + g(x) ε``, f and g drawn from a Gaussian process
        of unit length scale. ``"AN-s"``, ``"LS-s"``: the same with sigmoid functions. ``"MN-U"``:
        ``f(x) u`` with a sigmoid f and u uniform on (0, 1). ε is Gaussian of a standard deviation
        that is drawn uniformly from (1/5, √(2/5)), the cause has variance 2.

        Of the others the cause has variance 1. With ε standard Gaussian, ``"PNL-arcsinh"``:
        ``arcsinh(5 (x + 0.3 x |x| + 0.4 ε))``; ``"PNL-logistic"``: ``logistic(2 (x + sin x +
        0.5 ε))``; ``"PNL-cbrt"``: ``cbrt(x³ + x + 0.5 ε)``. With AN's value v: ``"binary"``:
        whether v exceeds a quantile of it drawn from 0.3 to 0.7; ``"ordered"``: which of 3 to 6
        intervals v falls into; ``"grouped"``: v rounded to multiples of 0.5. ``"logistic"``: 1 with
        probability ``logistic(4 f(x))``, f of a Gaussian process; ``"count"``: Poisson of mean
        ``exp(x + 0.3)``.
    n_samples : int
        Number of observations.
    cause : {"gaussian", "uniform", "bimodal", "exponential"}
        Distribution of the cause.
    random_state : None, int, SeedSequence, BitGenerator, Generator or RandomState
        Source of randomness. With a whole number, families have different random streams.

    Returns
    -------
    x, y : ndarray of shape (n_samples,)
        Cause and effect.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range.

    Notes
    -----
    A function of a Gaussian process is drawn at all observations at once, in O(n_samples³).

    References
    ----------
    N. Tagasovska, V. Chavez-Demoulin, T. Vatter, "Distinguishing Cause from Effect Using Quantiles:
    Bivariate Quantile Causal Discovery", ICML 2020, for the first five. The sigmoids are those of
    P. Bühlmann, J. Peters, J. Ernest, "CAM: Causal Additive Models", Annals of Statistics 2014.

    Examples
    --------
    >>> x, y = make_single_mechanism("LS", 200, random_state=0)
    >>> x.shape, y.shape
    ((200,), (200,))
    """
    family = check_choice(family, "family", FAMILIES)
    cause = check_choice(cause, "cause", tuple(CAUSES))
    n_samples = check_count(n_samples, "n_samples")
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        # Families have different streams.
        seed = check_count(random_state, "random_state", minimum=0)
        random_state = np.random.SeedSequence([seed, FAMILIES.index(family) + 1])
    rng = check_rng(random_state)
    x = CAUSES[cause](rng, n_samples)
    if family in OTHER_EFFECTS:
        return x, OTHER_EFFECTS[family](x, rng)
    x = np.sqrt(2.0) * x
    noise = _noise(x, rng)
    function = _sigmoid if family.endswith("-s") or family == "MN-U" else gaussian_process
    if family == "MN-U":
        return x, function(x, rng) * rng.uniform(size=n_samples)
    if family.startswith("LS"):
        return x, function(x, rng) + function(x, rng) * noise
    return x, function(x, rng) + noise


def _noise(x: FloatArray, rng: Generator) -> FloatArray:
    return rng.uniform(1 / 5, np.sqrt(2 / 5)) * rng.standard_normal(len(x))


def _additive(x: FloatArray, rng: Generator) -> FloatArray:
    noise = _noise(x, rng)
    return gaussian_process(x, rng) + noise


def _binary(x: FloatArray, rng: Generator) -> FloatArray:
    value = _additive(x, rng)
    return np.asarray(value > np.quantile(value, rng.uniform(0.3, 0.7)), dtype=np.float64)


def _ordered(x: FloatArray, rng: Generator) -> FloatArray:
    value = _additive(x, rng)
    n_levels = rng.integers(FEWEST_LEVELS, MOST_LEVELS + 1)
    # No level has less than a third of its expected size.
    widths = 1.0 / 3.0 + rng.dirichlet(np.ones(n_levels)) * 2.0 * n_levels / 3.0
    cuts = np.quantile(value, np.cumsum(widths)[:-1] / n_levels)
    return np.asarray(np.searchsorted(cuts, value), dtype=np.float64)


def gaussian_process(x: FloatArray, rng: Generator) -> FloatArray:
    """Draw a function with a squared exponential covariance of length scale 1."""
    covariance = np.exp(-0.5 * (x[:, np.newaxis] - x) ** 2)
    values, vectors = np.linalg.eigh(covariance)
    drawn: FloatArray = vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.standard_normal(len(x)))
    return drawn


def _sigmoid(x: FloatArray, rng: Generator) -> FloatArray:
    """Draw ``a b (x + c) / (1 + |b (x + c)|)`` with random a, b, c."""
    a = rng.exponential(4.0) + 1.0
    b = rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0])
    z = b * (x + rng.uniform(-2.0, 2.0))
    drawn: FloatArray = a * z / (1.0 + np.abs(z))
    return drawn


OTHER_EFFECTS: dict[str, Callable[[FloatArray, Generator], FloatArray]] = {
    "PNL-arcsinh": lambda x, rng: np.arcsinh(
        5.0 * (x + 0.3 * x * np.abs(x) + 0.4 * rng.standard_normal(len(x)))
    ),
    "PNL-logistic": lambda x, rng: expit(2.0 * (x + np.sin(x) + 0.5 * rng.standard_normal(len(x)))),
    "PNL-cbrt": lambda x, rng: np.cbrt(x**3 + x + 0.5 * rng.standard_normal(len(x))),
    "binary": _binary,
    "logistic": lambda x, rng: (
        expit(4.0 * gaussian_process(x, rng)) > rng.uniform(size=len(x))
    ).astype(np.float64),
    "ordered": _ordered,
    "grouped": lambda x, rng: STEP * np.rint(_additive(x, rng) / STEP),
    "count": lambda x, rng: rng.poisson(np.exp(x + 0.3)).astype(np.float64),
}
FAMILIES = (*CONTINUOUS, *OTHER_EFFECTS)
