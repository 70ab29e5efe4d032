"""Mixtures of additive noise models with known mechanisms, as the paper draws them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anmmm._typing import FloatArray, IntArray, RandomState
from anmmm._validation import check_choice, check_count, check_nonnegative, check_rng

MECHANISMS: dict[str, Callable[[FloatArray, float], FloatArray]] = {
    "f1": lambda x, theta: 1.0 / (1.5 + theta * x**2),
    "f2": lambda x, theta: 2.0 * x ** (theta - 0.25),
    "f3": lambda x, theta: np.exp(-theta * x),
    "f4": lambda x, theta: np.tanh(theta * x),
}


def make_anm_mixture(
    mechanism: str = "f3",
    n_samples: int = 100,
    *,
    theta_ranges: Sequence[tuple[float, float]] = ((1, 1.1), (3, 3.1)),
    noise_std: float = 0.05,
    proportions: Sequence[float] | None = None,
    random_state: RandomState = None,
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Draw observations from a mixture of additive noise models of one form.

    ``y = f(x; θ_c) + ε`` with x uniform on (0, 1), ε Gaussian, and one θ_c per mechanism,
    drawn uniformly from its range.

    Parameters
    ----------
    mechanism : {"f1", "f2", "f3", "f4"}
        The paper's f1 = 1/(1.5 + θx²), f2 = 2·x^(θ - 0.25), f3 = exp(-θx), f4 = tanh(θx).
    n_samples : int
        Number of observations.
    theta_ranges : sequence of (low, high)
        One range per mechanism.
    noise_std : float
        Standard deviation of the noise.
    proportions : sequence of float, optional
        Mixture weights, summing to 1; equal by default. The counts are not drawn but rounded by
        largest remainder; the order of the observations is random.
    random_state : None, int, SeedSequence, BitGenerator, Generator or RandomState
        Source of randomness.

    Returns
    -------
    x, y : ndarray of shape (n_samples,)
        Cause and effect.
    labels : ndarray of int, shape (n_samples,)
        Mechanism of each observation.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range; the text names it.

    References
    ----------
    S. Hu, Z. Chen, V. Partovi Nia, L. Chan, Y. Geng, "Causal Inference and Mechanism Clustering of
    a Mixture of Additive Noise Models", NeurIPS 2018, section 4.1.

    Examples
    --------
    >>> x, y, labels = make_anm_mixture("f3", 100, random_state=0)
    >>> x.shape, y.shape, int(labels.sum())
    ((100,), (100,), 50)
    """
    function = MECHANISMS[check_choice(mechanism, "mechanism", tuple(MECHANISMS))]
    n_samples = check_count(n_samples, "n_samples")
    ranges = np.array(theta_ranges, dtype=np.float64)
    is_table = ranges.ndim == 2 and ranges.shape[1] == 2
    if not is_table or not np.isfinite(ranges).all() or (ranges[:, 0] > ranges[:, 1]).any():
        raise ValueError(
            f"theta_ranges must have finite low <= high a mechanism, found {theta_ranges!r}"
        )
    n_mechanisms = len(ranges)
    weights = np.full(n_mechanisms, 1.0 / n_mechanisms)
    if proportions is not None:
        weights = np.array(proportions, dtype=np.float64)
    is_distribution = np.all(weights >= 0.0) and np.isclose(weights.sum(), 1.0)
    if weights.shape != (n_mechanisms,) or not is_distribution:
        raise ValueError(
            f"proportions must be {n_mechanisms} weights that add to 1, found {proportions!r}"
        )
    noise_std = check_nonnegative(noise_std, "noise_std")
    rng = check_rng(random_state)

    thetas = rng.uniform(ranges[:, 0], ranges[:, 1])
    labels = rng.permutation(np.repeat(np.arange(n_mechanisms), _counts(weights, n_samples)))
    x = rng.uniform(size=n_samples)
    y = np.empty_like(x)
    for label, theta in enumerate(thetas):
        members = labels == label
        y[members] = function(x[members], float(theta))
    y += noise_std * rng.standard_normal(n_samples)
    return x, y, labels


def _counts(weights: FloatArray, n_samples: int) -> IntArray:
    """Round ``weights * n_samples`` to whole numbers of the same sum, by largest remainder."""
    exact = weights * n_samples
    # Rounding puts sums such as 0.1 + 0.2 just below a whole number.
    counts = np.floor(exact + 1e-9).astype(np.intp)
    order = np.argsort(counts - exact, kind="stable")
    counts[order[: n_samples - int(counts.sum())]] += 1
    return counts
