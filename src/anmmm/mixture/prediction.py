"""Curves, densities and effects of a fitted mixture, for variables in their own units."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from anmmm._record import Record
from anmmm._typing import ArrayLike, BoolArray, FloatArray, IntArray, RandomState
from anmmm._validation import check_rng
from anmmm.mixture.mechanisms import Mechanisms
from anmmm.preprocessing import Standardization

# Distance from the range of the fit, in its lengths, beyond which a cause is far.
FAR = 0.1
# Halvings of the interval that holds a quantile.
N_HALVINGS = 50


class EffectPrediction(Record):
    """Effects of new causes, by mechanism, in the unit of the effect.

    Attributes
    ----------
    weights : ndarray of shape (n_new, n_mechanisms)
        Probability of each mechanism given the cause.
    means, stds : ndarray of shape (n_new, n_mechanisms)
        Mean and standard deviation of the effect under each mechanism: of its noise and of the
        error of its curve together.
    is_far : ndarray of bool, shape (n_new,)
        Whether a cause is farther from those of the fit than a tenth of their range. Curves are
        straight lines there, and no data supports them.
    """

    weights: FloatArray
    means: FloatArray
    stds: FloatArray
    is_far: BoolArray

    @property
    def mean(self) -> FloatArray:
        """Expected effect (n_new,): `means` averaged by `weights`. It may be near no mechanism."""
        return np.asarray((self.weights * self.means).sum(axis=1))

    def quantiles(self, levels: ArrayLike) -> FloatArray:
        """Return quantiles of the effect, whatever its mechanism.

        Parameters
        ----------
        levels : array-like of shape (n_levels,)
            Probabilities between 0 and 1, such as ``[0.05, 0.95]``.

        Returns
        -------
        ndarray of shape (n_new, n_levels)
        """
        wanted = np.atleast_1d(np.asarray(levels, dtype=np.float64))
        if not np.all((wanted > 0.0) & (wanted < 1.0)):
            raise ValueError(f"levels must be between 0 and 1, found {wanted.tolist()}")
        # The quantile is between those of the mechanisms.
        ends = self.means[:, np.newaxis] + self.stds[:, np.newaxis] * ndtri(wanted)[:, np.newaxis]
        low = ends.min(axis=2)
        high = ends.max(axis=2)
        for _ in range(N_HALVINGS):
            middle = 0.5 * (low + high)
            is_below = self._probability_below(middle) < wanted
            low = np.where(is_below, middle, low)
            high = np.where(is_below, high, middle)
        return np.asarray(0.5 * (low + high))

    def draw(self, random_state: RandomState = None) -> tuple[FloatArray, IntArray]:
        """Draw an effect for each cause.

        Parameters
        ----------
        random_state : None, int or Generator
            Seed.

        Returns
        -------
        effects : ndarray of shape (n_new,)
        mechanisms : ndarray of int, shape (n_new,)
            The mechanism that each effect was drawn from.
        """
        rng = check_rng(random_state)
        uniform = rng.random((len(self.weights), 1))
        # The last sum may be 1 minus rounding.
        mechanisms = (uniform > self.weights.cumsum(axis=1)[:, :-1]).sum(axis=1)
        rows = np.arange(len(mechanisms))
        noise = rng.standard_normal(len(mechanisms))
        return self.means[rows, mechanisms] + self.stds[rows, mechanisms] * noise, mechanisms

    def _probability_below(self, effects: FloatArray) -> FloatArray:
        """Return the probability (n_new, n_levels) of smaller effects."""
        below = (effects[:, :, np.newaxis] - self.means[:, np.newaxis]) / self.stds[:, np.newaxis]
        return np.asarray((self.weights[:, np.newaxis] * ndtr(below)).sum(axis=2))


class ScaledMechanisms(Record):
    """A fitted mixture for causes and effects in their own units, (n_points, n_features) each."""

    mechanisms: Mechanisms
    scales: tuple[Standardization, Standardization]

    @property
    def unit(self) -> float:
        """Unit of the effect, per standardized one."""
        return float(self.scales[1].std[0] * self.scales[1].unit[0])

    def curves(self, X: FloatArray) -> FloatArray:
        """Return each curve, (n_points, n_mechanisms)."""
        return self.scales[1].undo(self.mechanisms.curves_at(self.scales[0].apply(X)))

    def curve_std(self, X: FloatArray, factor: FloatArray) -> FloatArray:
        """Return the standard deviation of each curve by a factor of its covariance."""
        return self.unit * self.mechanisms.curve_std_at(self.scales[0].apply(X), factor)

    def weights(self, X: FloatArray) -> FloatArray:
        """Return the weights of the mechanisms, (n_points, n_mechanisms)."""
        return np.asarray(np.exp(self.mechanisms.log_weights_at(self.scales[0].apply(X))))

    def effects(self, X: FloatArray, factor: FloatArray) -> EffectPrediction:
        """Predict the effects of causes; `factor` as in `curve_std`."""
        noise = self.unit * self.mechanisms.noise_std_at(self.scales[0].apply(X))
        stds = np.hypot(noise, self.curve_std(X, factor))
        return EffectPrediction(self.weights(X), self.curves(X), stds, self.is_far(X))

    def is_far(self, X: FloatArray) -> BoolArray:
        """Return which causes are far from those of the fit, (n_points,)."""
        points = self.scales[0].apply(X)
        low = self.mechanisms.polynomials.low
        high = self.mechanisms.polynomials.high
        distance = np.maximum(low - points, points - high)
        return np.asarray((distance > FAR * (high - low)).any(axis=1))

    def log_densities(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Return log weight plus expected log density of effects, (n_points, n_mechanisms)."""
        points = self.scales[0].apply(X)
        effects = np.ascontiguousarray(self.scales[1].apply(Y)[:, 0])
        return self.mechanisms.log_densities(points, effects) - self.scales[1].log_unit
