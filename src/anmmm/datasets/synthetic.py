"""Mixtures of additive noise models with known mechanisms, as the paper draws them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from anmmm._record import Record
from anmmm._typing import FloatArray, IntArray, RandomState
from anmmm._validation import check_count, check_nonnegative, check_rng

Mechanism = Callable[[FloatArray, float], FloatArray]

MECHANISMS: dict[str, Mechanism] = {
    "f1": lambda x, theta: 1.0 / (1.5 + theta * x**2),
    "f2": lambda x, theta: 2.0 * x ** (theta - 0.25),
    "f3": lambda x, theta: np.exp(-theta * x),
    "f4": lambda x, theta: np.tanh(theta * x),
}


class ANMMixtureSample(Record):
    """A mixture, not standardized, with the parameters θ_c and weights that it was drawn with.

    `labels` (n_samples,) are indices into `thetas` and `proportions`.
    """

    x: FloatArray
    y: FloatArray
    labels: IntArray
    thetas: FloatArray
    proportions: FloatArray
    noise_std: float
    function: Mechanism

    def bayes_labels(self) -> IntArray:
        """Return the labels of the classifier that knows f, θ, σ and the proportions.

        No method that estimates the mechanisms can surpass it in expectation.
        """
        residuals = np.stack([self.y - self.function(self.x, float(t)) for t in self.thetas])
        # Multiplied by σ², so that σ = 0 is the limit and not a division by zero.
        possible = self.proportions > 0.0
        log_proportions = np.log(self.proportions, where=possible, out=np.zeros(len(possible)))
        log_posterior = log_proportions[:, np.newaxis] * self.noise_std**2 - 0.5 * residuals**2
        log_posterior[~possible] = -np.inf
        labels: IntArray = np.argmax(log_posterior, axis=0)
        return labels


def make_anm_mixture(
    mechanism: str | Mechanism = "f3",
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
    mechanism : {"f1", "f2", "f3", "f4"} or callable
        The paper's f1 = 1/(1.5 + θx²), f2 = 2·x^(θ - 0.25), f3 = exp(-θx), f4 = tanh(θx); or a
        function of the array x and the number θ that returns an array like x.
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
    sample = draw_anm_mixture(
        mechanism,
        n_samples,
        theta_ranges=theta_ranges,
        noise_std=noise_std,
        proportions=proportions,
        random_state=random_state,
    )
    return sample.x, sample.y, sample.labels


def draw_anm_mixture(
    mechanism: str | Mechanism = "f3",
    n_samples: int = 100,
    *,
    theta_ranges: Sequence[tuple[float, float]] = ((1, 1.1), (3, 3.1)),
    noise_std: float = 0.05,
    proportions: Sequence[float] | None = None,
    random_state: RandomState = None,
) -> ANMMixtureSample:
    """Draw a mixture as `make_anm_mixture` does, and return all parameters."""
    function = _check_mechanism(mechanism)
    n_samples = check_count(n_samples, "n_samples")
    ranges = _check_ranges(theta_ranges)
    weights = _check_proportions(proportions, len(ranges))
    noise_std = check_nonnegative(noise_std, "noise_std")
    rng = check_rng(random_state)

    thetas = rng.uniform(ranges[:, 0], ranges[:, 1])
    labels = rng.permutation(np.repeat(np.arange(len(ranges)), _counts(weights, n_samples)))
    x = rng.uniform(size=n_samples)
    y = np.empty_like(x)
    for index, theta in enumerate(thetas):
        members = labels == index
        values = np.asarray(function(x[members], float(theta)))
        finite = np.all(np.isfinite(values))
        if values.shape != (members.sum(),) or not finite:
            raise ValueError(
                f"mechanism must return one finite number for each x; at theta = {theta:.6g} it "
                f"returned an array of shape {values.shape} for {members.sum()} observations"
                f"{'' if finite else ', not all finite'}"
            )
        y[members] = values
    y += noise_std * rng.standard_normal(n_samples)
    return ANMMixtureSample(x, y, labels, thetas, weights, noise_std, function)


def _check_mechanism(mechanism: str | Mechanism) -> Mechanism:
    if callable(mechanism):
        return mechanism
    if not isinstance(mechanism, str) or mechanism not in MECHANISMS:
        known = ", ".join(map(repr, MECHANISMS))
        raise ValueError(f"mechanism must be one of {known} or a callable; found {mechanism!r}")
    return MECHANISMS[mechanism]


def _check_ranges(theta_ranges: Sequence[tuple[float, float]]) -> FloatArray:
    try:
        ranges = np.asarray(theta_ranges, dtype=np.float64)
    except (TypeError, ValueError):
        ranges = np.empty(0)
    if ranges.ndim != 2 or ranges.shape[1] != 2 or len(ranges) == 0:
        raise ValueError(
            f"theta_ranges must hold one (low, high) per mechanism, found {theta_ranges!r}"
        )
    if not np.all(np.isfinite(ranges)) or np.any(ranges[:, 0] > ranges[:, 1]):
        raise ValueError(f"theta_ranges must be finite with low <= high, found {theta_ranges!r}")
    return ranges


def _check_proportions(proportions: Sequence[float] | None, n_mechanisms: int) -> FloatArray:
    if proportions is None:
        return np.full(n_mechanisms, 1.0 / n_mechanisms)
    weights = np.asarray(proportions, dtype=np.float64)
    if weights.shape != (n_mechanisms,):
        raise ValueError(
            f"proportions must hold one weight for each of the {n_mechanisms} theta_ranges, "
            f"found {proportions!r}"
        )
    if not np.all(weights >= 0.0) or not math.isclose(weights.sum(), 1.0, abs_tol=1e-8):
        raise ValueError(f"proportions must not be negative and sum to 1, found {proportions!r}")
    return weights


def _counts(weights: FloatArray, n_samples: int) -> IntArray:
    """Round ``weights * n_samples`` to whole numbers of the same sum, by largest remainder."""
    exact = weights * n_samples
    # Rounding puts sums such as 0.1 + 0.2 just below a whole number.
    counts = np.floor(exact + 1e-9).astype(np.intp)
    order = np.argsort(counts - exact, kind="stable")
    counts[order[: n_samples - int(counts.sum())]] += 1
    return counts
