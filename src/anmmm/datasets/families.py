"""Pairs of a single mechanism, as Tagasovska, Chavez-Demoulin and Vatter (ICML 2020) draw them.

A family's name and a seed come in; cause and effect go out.
"""

from __future__ import annotations

import numpy as np

from anmmm._typing import FloatArray, RandomState
from anmmm._validation import check_choice, check_count, check_rng

__all__ = ["FAMILIES", "make_single_mechanism"]

FAMILIES = ("AN", "AN-s", "LS", "LS-s", "MN-U")


def make_single_mechanism(
    family: str = "AN", n_samples: int = 100, *, random_state: RandomState = None
) -> tuple[FloatArray, FloatArray]:
    """Draw cause and effect of a pair with one mechanism.

    The cause is Gaussian with variance 2; ε is Gaussian of a standard deviation that is drawn
    uniformly from (1/5, √(2/5)).

    Parameters
    ----------
    family : {"AN", "AN-s", "LS", "LS-s", "MN-U"}
        ``"AN"``: ``f(x) + ε``; ``"LS"``: ``f(x) + g(x) ε``, f and g drawn from a Gaussian process
        of unit length scale. ``"AN-s"``, ``"LS-s"``: the same with sigmoid functions. ``"MN-U"``:
        ``f(x) u`` with a sigmoid f and u uniform on (0, 1).
    n_samples : int
        Number of observations.
    random_state : None, int, SeedSequence, BitGenerator, Generator or RandomState
        Source of randomness. With a whole number the families share no stream of random numbers.

    Returns
    -------
    x, y : ndarray of shape (n_samples,)
        Cause and effect.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range; the text names it.

    Notes
    -----
    A function of a Gaussian process is drawn at all observations at once, in O(n_samples³).

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
    family = check_choice(family, "family", FAMILIES)
    n_samples = check_count(n_samples, "n_samples")
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        seed = check_count(random_state, "random_state", minimum=0)
        random_state = np.random.SeedSequence([seed, FAMILIES.index(family) + 1])
    rng = check_rng(random_state)
    x = np.sqrt(2.0) * rng.standard_normal(n_samples)
    noise = rng.uniform(1 / 5, np.sqrt(2 / 5)) * rng.standard_normal(n_samples)
    function = _sigmoid if family.endswith("-s") or family == "MN-U" else _gaussian_process
    if family == "MN-U":
        return x, function(x, rng) * rng.uniform(size=n_samples)
    if family.startswith("LS"):
        return x, function(x, rng) + function(x, rng) * noise
    return x, function(x, rng) + noise


def _gaussian_process(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw a function with a squared exponential covariance of length scale 1."""
    covariance = np.exp(-0.5 * (x[:, np.newaxis] - x) ** 2)
    values, vectors = np.linalg.eigh(covariance)
    drawn: FloatArray = vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.standard_normal(len(x)))
    return drawn


def _sigmoid(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Draw ``a b (x + c) / (1 + |b (x + c)|)`` with random a, b, c."""
    a = rng.exponential(4.0) + 1.0
    b = rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0])
    z = b * (x + rng.uniform(-2.0, 2.0))
    drawn: FloatArray = a * z / (1.0 + np.abs(z))
    return drawn
