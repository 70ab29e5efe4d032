"""Fitted mechanisms, on the scale of the standardized variables, and one whose noise varies."""

from __future__ import annotations

import numpy as np

from anmmm._kernels.location_scale import location_scale
from anmmm._kernels.packed import N_INNER, Design
from anmmm._record import Record
from anmmm._typing import FloatArray, IntArray
from anmmm.mixture.layout import padded
from anmmm.mixture.splines import Columns, SplineBasis

# Smallest noise variance, relative to the effect's variance.
VARIANCE_FLOOR = 1e-6
# Location-scale fits: nats per observation by which the last iteration raises the evidence, and
# most iterations.
TOLERANCE = 1e-5
MAX_ITER = 60


class MixtureFit(Record):
    """A fitted mixture, on the scale of the standardized variables.

    Attributes
    ----------
    n_mechanisms : int
    weights : ndarray of shape (n_mechanisms,)
        Weight of each mechanism.
    scales : ndarray
        Variances: of the noise; smoothing of the curves about their center and of the center; of
        constant and linear coefficients about theirs.
    center : ndarray of shape (n_columns,)
        Posterior mean of the curves' center; zero with one mechanism.
    mean : ndarray of shape (n_mechanisms, n_columns)
        Posterior means of the curves' coefficients.
    factor : ndarray of shape (n_mechanisms, n_columns, n_columns)
        Upper triangular matrices F: ``F Fᵀ`` are the posterior covariances of the coefficients.
    splines : anmmm.mixture.splines.Columns
        The columns anywhere, on the scale of the standardized cause.
    probabilities : ndarray of shape (n_samples, n_mechanisms)
        Probability of each mechanism.
    curves : ndarray of shape (n_samples, n_mechanisms)
        Posterior mean of each curve at the observations.
    bound : float
        Lower bound on the log marginal likelihood; exact for one mechanism.
    curve_cost : float
        Cost of the curves in nats: the log-likelihood at their means minus `bound`.
    parameter_cost : float
        Cost of the noise variance and the weights in nats, by Laplace's method, minus log C!
        because every numbering of the mechanisms is the same mixture.
    n_iter : int
    converged : bool
    history : ndarray of shape (n_iter,)
        Bound after each iteration of the run that was continued.
    start : int
        Index of the start that won.
    """

    n_mechanisms: int
    weights: FloatArray
    scales: FloatArray
    center: FloatArray
    mean: FloatArray
    factor: FloatArray
    splines: Columns
    probabilities: FloatArray
    curves: FloatArray
    bound: float
    curve_cost: float
    parameter_cost: float
    n_iter: int
    converged: bool
    history: FloatArray
    start: int

    @property
    def noise_variance(self) -> float:
        """Variance σ² of the noise that all mechanisms share."""
        return float(self.scales[0])

    @property
    def criterion(self) -> float:
        """``parameter_cost - bound``; the smaller the better."""
        return self.parameter_cost - self.bound

    @property
    def labels(self) -> IntArray:
        """Most probable mechanism of each observation."""
        return np.asarray(self.probabilities.argmax(axis=1))

    def curves_at(self, X: FloatArray) -> FloatArray:
        """Each curve, (n_points, n_mechanisms), at points (n_points, n_features)."""
        return np.asarray(self.splines.evaluate(X) @ self.mean.T)


class LocationScaleFit(Record):
    """One mechanism whose noise has a scale that depends smoothly on the cause.

    Attributes
    ----------
    curve, scale : ndarray of shape (n_samples,)
        Mean and standard deviation of the effect at the observations.
    mean, log_scale : ndarray of shape (n_columns,)
        Coefficients of the curve and of the logarithm of the scale.
    splines : anmmm.mixture.splines.Columns
        Their columns anywhere.
    evidence : float
        Approximate log marginal likelihood.
    curve_cost : float
        Cost of both curves in nats.
    n_iter : int
    converged : bool
        Whether the evidence converged.
    """

    curve: FloatArray
    scale: FloatArray
    mean: FloatArray
    log_scale: FloatArray
    splines: Columns
    evidence: float
    curve_cost: float
    n_iter: int
    converged: bool

    def curves_at(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation, (n_points,) each, at points (n_points, n_features)."""
        columns = self.splines.evaluate(X)
        return columns @ self.mean, np.exp(columns @ self.log_scale)


def fit_location_scale(
    basis: SplineBasis, y: FloatArray, single: MixtureFit, *, floor: float = VARIANCE_FLOOR
) -> LocationScaleFit:
    """Fit one mechanism with a noise scale that depends on the cause, from one with constant noise.

    docs/method/decisions.md, eq. 9. O(N r²) an iteration.
    """
    mean, log_scale = np.zeros((2, padded(len(basis.prior))))
    scales = np.array([single.noise_variance, single.scales[1], 1.0])
    evidence, curve_cost, n_iter = location_scale(
        Design(basis.columns, basis.prior, basis.n_null),
        y,
        floor,
        N_INNER,
        TOLERANCE * len(y),
        MAX_ITER,
        scales,
        mean,
        log_scale,
    )
    r = len(basis.prior)
    mean = mean[:r]
    log_scale = log_scale[:r]
    return LocationScaleFit(
        curve=basis.design @ mean,
        scale=np.exp(basis.design @ log_scale),
        mean=mean,
        log_scale=log_scale,
        splines=basis.splines,
        evidence=evidence,
        curve_cost=curve_cost,
        n_iter=n_iter,
        converged=n_iter < MAX_ITER,
    )
