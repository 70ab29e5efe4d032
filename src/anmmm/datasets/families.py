"""Pairs of a single mechanism from published families."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from anmmm._typing import FloatArray, RandomState
from anmmm._validation import check_choice, check_count, check_rng

FAMILIES = ("AN", "AN-s", "LS", "LS-s", "MN-U")

# Of mean 0 and standard deviation 1.
CAUSES: dict[str, Callable[[Generator, int], FloatArray]] = {
    "gaussian": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), n),
    "bimodal": lambda rng, n: (
        0.9 * rng.choice([-1.0, 1.0], n) + np.sqrt(0.19) * rng.standard_normal(n)
    ),
    "exponential": lambda rng, n: rng.exponential(size=n) - 1.0,
}


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

    References
    ----------
    N. Tagasovska, V. Chavez-Demoulin, T. Vatter, "Distinguishing Cause from Effect Using Quantiles:
    Bivariate Quantile Causal Discovery", ICML 2020. The sigmoids are those of P. Bühlmann, J.
    Peters, J. Ernest, "CAM: Causal Additive Models", Annals of Statistics 2014.

    Examples
    --------
    >>> x, y = make_single_mechanism("LS", 200, random_state=0)
    >>> x.shape, y.shape
    ((200,), (200,))
    """
    place = FAMILIES.index(check_choice(family, "family", FAMILIES))
    cause = check_choice(cause, "cause", tuple(CAUSES))
    n_samples = check_count(n_samples, "n_samples")
    rng = check_rng(seed_of_family(random_state, place))
    x = np.sqrt(2.0) * CAUSES[cause](rng, n_samples)
    noise = draw_noise(n_samples, rng)
    function = _sigmoid if family.endswith("-s") or family == "MN-U" else gaussian_process
    if family == "MN-U":
        return x, function(x, rng) * rng.uniform(size=n_samples)
    if family.startswith("LS"):
        return x, function(x, rng) + function(x, rng) * noise
    return x, function(x, rng) + noise


def seed_of_family(random_state: RandomState, place: int) -> RandomState:
    """Return a seed that no other family has; other sources of randomness as they are."""
    if not isinstance(random_state, (int, np.integer)) or isinstance(random_state, bool):
        return random_state
    seed = check_count(random_state, "random_state", minimum=0)
    return np.random.SeedSequence([seed, place + 1])


def draw_noise(n_samples: int, rng: Generator) -> FloatArray:
    """Draw Gaussian noise of a random standard deviation."""
    return rng.uniform(1 / 5, np.sqrt(2 / 5)) * rng.standard_normal(n_samples)


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
