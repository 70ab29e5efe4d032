"""The model of an effect whose values are categories without an order.

docs/method/decisions.md, eq. 18.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import log_softmax, softmax

from anmmm._kernels.latent import HALVINGS, MAX_LINEAR_VARIANCE, MIN_GAIN_FRACTION
from anmmm._kernels.packed import HYPER
from anmmm._typing import FloatArray, IntArray
from anmmm.evidence.code import code_lengths
from anmmm.evidence.models.base import ConditionalModel, EffectCurves, FitCache, row_groups
from anmmm.evidence.models.form import Form
from anmmm.mixture.splines import Columns, SplineBasis
from anmmm.preprocessing import Cells

# Change of a coefficient at which steps have converged.
TOLERANCE = 1e-3
MAX_ITER = 100
# Variance of the noise of a latent variable: Gumbel's.
NOISE = math.pi**2 / 6.0


class Categories(ConditionalModel):
    """Multinomial logistic regression: probabilities of categories depend on the cause."""

    FORM = Form(
        "categories",
        "one mechanism, probabilities of categories are smooth functions of the cause",
    )
    MARGINAL_NAME = "logit"

    probabilities: FloatArray  # (n_samples, n_classes)
    coefficients: FloatArray  # (n_columns, n_classes), of `splines`; rows sum to zero
    splines: Columns
    is_converged: bool

    @classmethod
    def encode(cls, fits: FitCache) -> Iterator[ConditionalModel]:
        """Encode an effect of categories."""
        if fits.effect.is_categorical:
            fit = fit_classes(fits.cause.basis, fits.effect.cells, row_groups(fits.cause))
            yield fit.plus(fits.price)

    @property
    def converged(self) -> bool:
        """Whether the fit of the curves converged."""
        return self.is_converged

    def curves(self, points: FloatArray) -> EffectCurves:
        """Return the probability of each category."""
        probabilities = softmax(self.splines.evaluate(points) @ self.coefficients, axis=1)
        return EffectCurves.of_levels(self.cells, probabilities)

    def levels(self) -> tuple[FloatArray, FloatArray]:
        """Conditional distribution function at both ends, the categories as they are numbered."""
        above = np.cumsum(self.probabilities, axis=1)
        rows = np.arange(len(above))
        upper = above[rows, self.cells.index]
        return upper - self.probabilities[rows, self.cells.index], upper


def fit_classes(basis: SplineBasis, cells: Cells, groups: IntArray | None = None) -> Categories:
    """Fit curves by Newton's method, τ² by MacKay's; O(G r² K²) a step of G `groups` of rows."""
    state = _Ascent(basis, cells, groups)
    converged = False
    for _ in range(MAX_ITER):
        converged = state.step()
        if converged:
            break
    probabilities = state.probabilities[state.groups]
    mass = probabilities[np.arange(len(cells.index)), cells.index]
    return Categories(
        nats=code_lengths(mass, cells.n_distinct),
        cost=state.cost,
        cells=cells,
        probabilities=probabilities,
        coefficients=state.coefficients @ state.contrasts.T,
        splines=basis.splines,
        is_converged=converged,
    )


class _Ascent:
    """Newton's steps of the coefficients B, (n_columns, n_classes - 1), and EM steps of scales."""

    def __init__(self, basis: SplineBasis, cells: Cells, groups: IntArray | None = None) -> None:
        self.basis = basis
        n = len(cells.index)
        k = cells.n_distinct
        self.groups = np.arange(n) if groups is None else groups
        first_rows = np.unique(self.groups, return_index=True)[1]
        self.design = np.ascontiguousarray(basis.design[first_rows])
        # An orthonormal complement of the ones.
        self.contrasts = np.linalg.svd(np.ones((k, 1)))[0][:, 1:]
        # Counts of each category in each group, and of observations in each group.
        self.counts = np.zeros((len(first_rows), k))
        np.add.at(self.counts, (self.groups, cells.index), 1.0)
        self.sizes = self.counts.sum(axis=1)
        self.coefficients = np.zeros((basis.design.shape[1], k - 1))
        self.coefficients[0] = np.log(self.counts.sum(axis=0) + 0.5) @ self.contrasts
        self.tau2 = 1.0
        self.cost = 0.0
        self.log_likelihood, self.probabilities = self._evaluate(self.coefficients)

    def _evaluate(self, coefficients: FloatArray) -> tuple[float, FloatArray]:
        """Return log-likelihood and probabilities."""
        logs = log_softmax(self.design @ coefficients @ self.contrasts.T, axis=1)
        return float((self.counts * logs).sum()), np.exp(logs)

    def _precision(self) -> FloatArray:
        n_null = self.basis.n_null
        m = self.coefficients.shape[1]
        latent_variance = NOISE + float((self.coefficients[1:] ** 2).sum()) / m
        linear_variance = min(latent_variance, MAX_LINEAR_VARIANCE)
        linear = np.full(n_null, 1.0 / linear_variance)
        smooth = 1.0 / (self.basis.prior[n_null:] * self.tau2)
        return np.repeat(np.concatenate([linear, smooth])[:, np.newaxis], m, axis=1)

    def _hessian(self) -> FloatArray:
        """Minus the Hessian of the log-likelihood, contrasts first: (m r, m r)."""
        design = self.design
        p = self.probabilities
        contrasts = self.contrasts
        r, m = self.coefficients.shape
        projected = p @ contrasts
        full = np.empty((m, r, m, r))
        for a in range(m):
            for b in range(a + 1):
                weights = (
                    p @ (contrasts[:, a] * contrasts[:, b]) - projected[:, a] * projected[:, b]
                )
                full[a, :, b] = design.T @ ((self.sizes * weights)[:, np.newaxis] * design)
                full[b, :, a] = full[a, :, b].T
        return full.reshape(m * r, m * r)

    def step(self) -> bool:
        """Update coefficients and scales once; return whether they have converged."""
        r, m = self.coefficients.shape
        precision = self._precision()
        curvature = self._hessian()
        curvature[np.diag_indices(m * r)] += precision.T.ravel()
        factor = cho_factor(curvature, lower=True)
        expected = self.sizes[:, np.newaxis] * self.probabilities
        residual = (self.counts - expected) @ self.contrasts
        slope = self.design.T @ residual - precision * self.coefficients
        newton_step = cho_solve(factor, slope.T.ravel()).reshape(m, r).T
        log_det = 2.0 * float(np.log(np.diag(factor[0])).sum())
        log_prior = float(np.log(precision).sum())
        self.cost = _penalty(self.coefficients, precision) + 0.5 * (log_det - log_prior)
        covariance = np.diag(cho_solve(factor, np.eye(m * r))).reshape(m, r).T
        is_fixed = bool(np.abs(newton_step).max() < TOLERANCE)
        if not is_fixed:
            self._move(newton_step, precision, float((slope * newton_step).sum()))
        tau2 = self._smoothing(covariance)
        if is_fixed and abs(math.log(tau2 / self.tau2)) < 10.0 * TOLERANCE:
            return True
        self.tau2 = tau2
        return False

    def _smoothing(self, covariance: FloatArray) -> float:
        """Return MacKay's step of τ², which has EM's fixed point and converges faster."""
        n_null = self.basis.n_null
        prior = self.basis.prior[n_null:, np.newaxis]
        squares = float((self.coefficients[n_null:] ** 2 / prior).sum())
        # Coefficients that the data determine.
        fitted = float((1.0 - covariance[n_null:] / (prior * self.tau2)).sum())
        return (squares + 2.0 * HYPER) / (max(fitted, 0.0) + 2.0 * HYPER)

    def _move(self, newton_step: FloatArray, precision: FloatArray, gain: float) -> None:
        """Take a Newton step, halved until the log posterior, which is concave, increases."""
        start = self.coefficients
        start_posterior = self.log_likelihood - _penalty(start, precision)
        length = 1.0
        for _ in range(HALVINGS):
            self.coefficients = start + length * newton_step
            self.log_likelihood, self.probabilities = self._evaluate(self.coefficients)
            posterior = self.log_likelihood - _penalty(self.coefficients, precision)
            if posterior >= start_posterior + MIN_GAIN_FRACTION * length * gain:
                break
            length *= 0.5


def _penalty(coefficients: FloatArray, precision: FloatArray) -> float:
    return 0.5 * float((precision * coefficients**2).sum())
