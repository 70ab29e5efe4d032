"""Mixtures of C smooth mechanisms whose noise and weights may depend on the cause.

A `Variant` says what is free; `Sample.fit` fits it by EM from the best of several starts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import expit

from anmmm._kernels._vectors import LANES
from anmmm._kernels.packed import N_INNER
from anmmm._kernels.posterior import CONVERGED, Fits, Problem, Work
from anmmm._kernels.varying import (
    GATE_RIDGE,
    NO_OUTLIERS,
    Mixing,
    NoiseOptions,
    Rows,
    fit_varying,
)
from anmmm._record import Record, computed
from anmmm._typing import FloatArray, IntArray
from anmmm.mixture.layout import aligned, padded
from anmmm.mixture.splines import N_SMOOTH, Columns, SplineBasis

# Squared distance, in variances of the effect, of what is too far for numbers.
FARTHEST = 1e300
# Prior rows of each mechanism's weight.
PSEUDO_ROWS = 2.0
# Rows of a mechanism: fewer are outliers.
MIN_ROWS = 3
# Smallest information of a combination of curves, as a fraction of that with known mechanisms.
SMALLEST_INFORMATION = 1e-3
# Places of the cause at which the polynomials of noise and gate are largest.
POLYNOMIAL_RANGE = 1.7


class Variant(Record, eq=True):
    """What is free in a mixture.

    `noise`: ``"shared"``, ``"own"`` of each mechanism, or ``"linear"``, own and log σ linear in
    a single cause. `gate`: degree of the polynomial of it whose softmax are the weights; 0 for
    constant weights, -1 for equal ones. `outliers`: whether some rows are of no mechanism and
    uniform in the range of the effect; only with constant or equal weights. `smoothness`:
    ``"shared"`` by curves about a common center, or ``"own"`` of each curve about zero.
    """

    noise: str = "shared"
    gate: int = 0
    outliers: bool = False
    smoothness: str = "shared"

    @property
    def text(self) -> str:
        """Describe noise, sizes and outliers in words."""
        noise = {
            "shared": "noise of one size",
            "own": "noise of its own size in each mechanism",
            "linear": "noise in each mechanism that changes with the cause",
        }[self.noise]
        sizes = "sizes free"
        if self.gate < 0:
            sizes = "sizes equal"
        elif self.gate > 0:
            sizes = "sizes depend on the cause"
        return f"{noise}, {sizes}" + (", with outliers" if self.outliers else "")

    def cost(self, n_samples: int, n_mechanisms: int) -> float:
        """Cost of the parameters of noise and weights, in nats, by Laplace's method."""
        log_n = math.log(n_samples)
        n_noise = 1 if self.noise == "shared" else n_mechanisms
        if self.noise == "linear":
            n_noise *= 2
        cost = 0.5 * log_n * n_noise
        if self.gate >= 0:
            prior = n_mechanisms * PSEUDO_ROWS
            cost += 0.5 * (n_mechanisms - 1) * math.log1p(n_samples / prior)
        if self.gate > 0:
            cost += 0.5 * (n_mechanisms - 1) * self.gate * log_n
        if self.outliers:
            cost += 0.5 * log_n
        if self.smoothness == "own":
            # Curves about a center have two: theirs and that of the center.
            cost += 0.5 * math.log(N_SMOOTH) * (n_mechanisms - 2)
        return cost


class Polynomials(Record):
    """Centered powers of standardized causes, constant beyond the range of the fit."""

    low: FloatArray
    high: FloatArray
    means: FloatArray  # (degree, n_features)

    @classmethod
    def of(cls, X: FloatArray, degree: int = 2) -> Polynomials:
        """Take range and means from points (n_samples, n_features)."""
        low = X.min(axis=0)
        high = X.max(axis=0)
        largest = POLYNOMIAL_RANGE * X / np.maximum(np.abs(low), np.abs(high))
        means = np.stack([(largest**power).mean(axis=0) for power in range(1, degree + 1)])
        return cls(low, high, means)

    def evaluate(self, X: FloatArray, degree: int) -> FloatArray:
        """Return columns (n_points, 1 + degree n_features), 1 first; none below degree 0."""
        if degree < 0:
            return np.empty((len(X), 0))
        scale = POLYNOMIAL_RANGE / np.maximum(np.abs(self.low), np.abs(self.high))
        points = np.clip(X, self.low, self.high) * scale
        columns = [np.ones((len(X), 1))]
        for power in range(1, degree + 1):
            columns.append(points**power - self.means[power - 1])
        return np.hstack(columns)


class Mechanisms(Record):
    """A fitted mixture, on the scale of the standardized variables.

    Attributes
    ----------
    variant : Variant
    mean : ndarray of shape (n_mechanisms, n_columns)
        Posterior means of the curves' coefficients.
    factor : ndarray of shape (n_mechanisms, n_columns, n_columns)
        ``F Fᵀ`` are the posterior covariances of the coefficients.
    noise, gate : ndarray of shape (n_mechanisms, n_terms)
        Coefficients of the log variance of the noise, and of the logits of the weights.
    floor : float
        Smallest noise variance.
    splines, polynomials : Columns, Polynomials
        The columns of curves, and of noise and gate, anywhere.
    probabilities : ndarray of shape (n_samples, n_mechanisms)
        Probability of each mechanism, if the row is no outlier.
    curves : ndarray of shape (n_samples, n_mechanisms)
        Posterior mean of each curve at the observations.
    noise_std, log_weights : ndarray of shape (n_samples, n_mechanisms)
        Standard deviation of the noise and log weight of each mechanism at the observations.
    outlier_weight, outlier_density : float
        Fraction of the rows that are of no mechanism, and their density.
    bound : float
        Lower bound on the log marginal likelihood of the effect.
    curve_cost : float
        Cost of the curves in nats: the log-likelihood at their means minus `bound`.
    parameter_cost : float
        Cost of noise and weights in nats, minus log C! of the numberings.
    n_iter : int
    converged : bool
    """

    variant: Variant
    mean: FloatArray
    factor: FloatArray
    noise: FloatArray
    gate: FloatArray
    floor: float
    splines: Columns
    polynomials: Polynomials
    probabilities: FloatArray
    curves: FloatArray
    noise_std: FloatArray
    log_weights: FloatArray
    outlier_weight: float
    outlier_density: float
    bound: float
    curve_cost: float
    parameter_cost: float
    n_iter: int
    converged: bool

    @property
    def n_mechanisms(self) -> int:
        """Number of mechanisms."""
        return len(self.mean)

    @property
    def criterion(self) -> float:
        """``parameter_cost - bound``; the smaller the better."""
        return self.parameter_cost - self.bound

    @property
    def labels(self) -> IntArray:
        """Most probable mechanism of each observation."""
        return np.asarray(self.probabilities.argmax(axis=1))

    @property
    def n_used(self) -> int:
        """Number of mechanisms that are the most probable one of at least `MIN_ROWS` rows."""
        sizes = np.bincount(self.labels, minlength=self.n_mechanisms)
        return int(np.count_nonzero(sizes >= MIN_ROWS))

    @property
    def weights(self) -> FloatArray:
        """Mean weight of each mechanism."""
        return np.asarray(np.exp(self.log_weights).mean(axis=0))

    def curves_at(self, X: FloatArray) -> FloatArray:
        """Each curve, (n_points, n_mechanisms), at points (n_points, n_features)."""
        return np.asarray(self.splines.evaluate(X) @ self.mean.T)

    def curve_std_at(self, X: FloatArray, factor: FloatArray) -> FloatArray:
        """Return the standard deviation (n_points, n_mechanisms) of curves by a `factor`."""
        return np.asarray(np.sqrt(((self.splines.evaluate(X) @ factor) ** 2).sum(axis=2).T))

    def factor_without_labels(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return `factor` of the covariances given the rows of the fit, but not their mechanisms.

        The information of rows with known mechanisms exceeds that of rows with uncertain ones by
        the covariance of the score (Louis, 1982). docs/method/decisions.md, labels.
        """
        n_mechanisms, r, _ = self.factor.shape
        R = self.probabilities * self.inlier_probabilities(X, y)[:, np.newaxis]
        scores = (y[:, np.newaxis] - self.curves) / self.noise_std**2
        # In coordinates in which the covariances of known mechanisms are identities.
        columns = self.splines.evaluate(X) @ self.factor
        information = np.eye(n_mechanisms * r)
        blocks = information.reshape(n_mechanisms, r, n_mechanisms, r)
        for c in range(n_mechanisms):
            for d in range(n_mechanisms):
                covariance = R[:, c] * ((c == d) - R[:, d])
                weights = covariance * scores[:, c] * scores[:, d]
                blocks[c, :, d] -= (columns[c] * weights[:, np.newaxis]).T @ columns[d]
        values, vectors = np.linalg.eigh(information)
        if values[0] < SMALLEST_INFORMATION:
            # EM ended before a maximum.
            return self.factor
        half = (vectors / np.sqrt(values)).reshape(n_mechanisms, r, -1)
        return np.asarray(self.factor @ np.linalg.cholesky(half @ half.transpose(0, 2, 1)))

    def inlier_probabilities(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return the probability (n_rows,) that effects are of a mechanism and no outliers."""
        if not self.variant.outliers:
            return np.ones(len(y))
        inside = np.logaddexp.reduce(self.log_densities(X, y), axis=1)
        outside = math.log(self.outlier_weight * self.outlier_density)
        return np.asarray(expit(inside - outside))

    def noise_std_at(self, X: FloatArray) -> FloatArray:
        """Return the standard deviation of the noise, (n_points, n_mechanisms)."""
        columns = self.polynomials.evaluate(X, int(self.variant.noise == "linear"))
        return noise_std(columns, self.noise, self.floor)

    def log_weights_at(self, X: FloatArray) -> FloatArray:
        """Log weights of the mechanisms, (n_points, n_mechanisms)."""
        columns = self.polynomials.evaluate(X, self.variant.gate)
        return log_softmax(columns @ self.gate.T)

    def log_densities(self, X: FloatArray, y: FloatArray) -> FloatArray:
        """Return log weight plus expected log density, (n_new, n_mechanisms), of other effects.

        Its log-sum-exp over the mechanisms is a lower bound on the predictive log density.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            variance = self.curve_std_at(X, self.factor) ** 2
            squared = (y[:, np.newaxis] - self.curves_at(X)) ** 2 + variance
        # Where numbers overflow, no mechanism is nearer.
        squared = np.nan_to_num(squared, nan=FARTHEST, posinf=FARTHEST)
        scale = self.noise_std_at(X)
        densities = -0.5 * math.log(2.0 * math.pi) - np.log(scale) - 0.5 * squared / scale**2
        return np.asarray(math.log1p(-self.outlier_weight) + self.log_weights_at(X) + densities)

    def numbered(self) -> Mechanisms:
        """Return the same fit with its mechanisms in the order of their first observations."""
        return self.reordered(by_first_appearance(self.labels, self.n_mechanisms))

    def reordered(self, order: IntArray) -> Mechanisms:
        """Return the same fit with its mechanisms in another order, (n_mechanisms,)."""
        return replace(
            self,
            mean=self.mean[order],
            factor=self.factor[order],
            noise=self.noise[order],
            gate=self.gate[order],
            probabilities=np.ascontiguousarray(self.probabilities[:, order]),
            curves=np.ascontiguousarray(self.curves[:, order]),
            noise_std=np.ascontiguousarray(self.noise_std[:, order]),
            log_weights=np.ascontiguousarray(self.log_weights[:, order]),
        )


def noise_std(columns: FloatArray, noise: FloatArray, floor: float) -> FloatArray:
    """Return the noise's standard deviation (n_points, C) from columns of it and coefficients."""
    return np.asarray(np.exp(0.5 * np.maximum(columns @ noise.T, math.log(floor))))


def log_softmax(logits: FloatArray) -> FloatArray:
    """Return the log of the softmax over the columns, without SciPy's checks."""
    centered = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(centered - np.log(np.exp(centered).sum(axis=1, keepdims=True)))


def by_first_appearance(labels: IntArray, n: int) -> IntArray:
    """Return the mechanisms 0 to n - 1 in order of first appearance, absent ones last."""
    seen, first = np.unique(labels, return_index=True)
    rest = np.setdiff1d(np.arange(n), seen)
    return np.concatenate([seen[np.argsort(first)], rest])


class Sample(Record):
    """Observations of an effect (n_samples,) over the columns of a basis."""

    basis: SplineBasis
    points: FloatArray  # (n_samples, n_features), standardized cause
    y: FloatArray
    floor: float

    @computed
    def polynomials(self) -> Polynomials:
        """The columns of noise and gate."""
        return Polynomials.of(self.points)

    @property
    def outlier_density(self) -> float:
        """Density of a row of no mechanism."""
        return 1.0 / max(float(np.ptp(self.y)), math.sqrt(self.floor))

    def fit(
        self,
        starts: Sequence[FloatArray],
        variant: Variant,
        noise_variance: float,
        *,
        tol: float,
        max_iter: int,
        label_likelihood: FloatArray | None = None,
    ) -> Mechanisms:
        """Fit a variant from the best of several starts, responsibilities (n_samples, C) each.

        `label_likelihood` (n_samples, C) is the log-likelihood of given labels; the bound has it.
        """
        n = len(self.y)
        S = len(starts)
        C = starts[0].shape[1]
        r = len(self.basis.prior)
        layout = self.basis.layout
        places = layout.places
        P = len(layout.rows.present)
        noise_columns = self.polynomials.evaluate(self.points, int(variant.noise == "linear"))
        gate_columns = self.polynomials.evaluate(self.points, variant.gate)
        n_noise = noise_columns.shape[1]
        n_gate = gate_columns.shape[1]
        width = padded(r)
        vectors = (S, C, width)
        elimination = (S, C, r, padded(r + 1) + width)
        kind, *space_shapes = layout.workspace(1)
        shapes: list[tuple[int, ...]] = [
            *((C, width), (width,), (width,), (width,)),
            *((S * C, 3 + self.basis.n_null), (S * C, width), (S, C), (S, C), vectors),
            *(elimination, vectors, (S, C, width + 1, width)),
            *((S, C, P), (S, C, P), (S, C, P), (S, C, n_noise), (S, C, n_gate)),
            *((S,), (S,), (S,), (S,), (C, P), (C, P), (2, P), (n_gate, n_gate), (LANES,)),
            *space_shapes,
            *((P,), (n_noise, P), (n_gate, P), (0 if label_likelihood is None else C, P)),
        ]
        _, arrays = aligned(*shapes)
        y, noise_slots, gate_slots, label_slots = arrays[-4:]
        first_mixing = len(Work._fields) + len(Fits._fields)
        first_space = first_mixing + len(Mixing._fields)
        made_work = Work(*arrays[: len(Work._fields)])
        made_fits = Fits(*arrays[len(Work._fields) : first_mixing])
        made = Mixing(*arrays[first_mixing:first_space])
        made_space = kind(*arrays[first_space:-4])
        y[places] = self.y
        noise_slots[:, places] = noise_columns.T
        gate_slots[:, places] = gate_columns.T
        if label_likelihood is not None:
            label_slots[:, places] = label_likelihood.T
        # The same arrays as fits of one curve each.
        curves = [array.reshape(S * C, 1, *array.shape[2:]) for array in made_fits[2:]]
        singles = Fits(made_fits.scales, made_fits.center, *curves)
        made_fits.scales[:] = 1.0
        for start, given in enumerate(starts):
            made.responsibilities[start][:, places] = given.T
        made.noise[:, :, 0] = math.log(noise_variance)
        information = 0.5 * gate_columns.T @ gate_columns + GATE_RIDGE * np.eye(n_gate)
        made.gate_inverse[:] = np.linalg.inv(information)
        placed = layout.rows._replace(y=y, responsibilities=y)
        rows = Rows(placed, noise_slots, gate_slots, label_slots, layout.rows.present, n)
        log_outliers = math.log(self.outlier_density) if variant.outliers else NO_OUTLIERS
        options = NoiseOptions(
            variant.noise == "shared",
            noise_variance,
            self.floor,
            PSEUDO_ROWS,
            log_outliers,
            variant.smoothness == "own",
        )
        problem = Problem(
            self.basis.prior, self.basis.n_null, N_INNER, 1.0, tol, max_iter, -math.inf
        )
        winner = fit_varying(
            problem, rows, options, made_space, made_work, made_fits, singles, made
        )
        return self._fitted(variant, winner, made_fits, made, noise_columns, gate_columns)

    def _fitted(
        self,
        variant: Variant,
        winner: int,
        fits: Fits,
        mixing: Mixing,
        noise_columns: FloatArray,
        gate_columns: FloatArray,
    ) -> Mechanisms:
        n, r = self.basis.design.shape
        C = fits.weights.shape[1]
        first = padded(r + 1)
        mean = fits.mean[winner, :, :r].copy()
        systems = fits.systems[winner, :, :, first : first + r]
        noise = mixing.noise[winner].copy()
        gate = mixing.gate[winner].copy()
        curves = self.basis.design @ mean.T
        std = noise_std(noise_columns, noise, self.floor)
        log_weights = log_softmax(gate_columns @ gate.T)
        joint = log_weights - np.log(std) - 0.5 * ((self.y[:, np.newaxis] - curves) / std) ** 2
        joint -= 0.5 * math.log(2.0 * math.pi)
        log_density = np.logaddexp.reduce(joint, axis=1)
        outlier_weight = float(mixing.outliers[winner])
        if variant.outliers:
            outlier = math.log(outlier_weight * self.outlier_density)
            log_density = np.logaddexp(math.log1p(-outlier_weight) + log_density, outlier)
        log_likelihood = float(log_density.sum())
        bound = float(mixing.bounds[winner])
        responsibilities = mixing.responsibilities[winner][:, self.basis.layout.places].T.copy()
        # Outliers so far that no mechanism has a number.
        is_far = ~responsibilities.any(axis=1)
        responsibilities[is_far] = np.exp(log_softmax(joint[is_far]))
        return Mechanisms(
            variant=variant,
            mean=mean,
            factor=systems.transpose(0, 2, 1) * np.sqrt(fits.pivots[winner, :, np.newaxis, :r]),
            noise=noise,
            gate=gate,
            floor=self.floor,
            splines=self.basis.splines,
            polynomials=self.polynomials,
            probabilities=responsibilities / responsibilities.sum(axis=1, keepdims=True),
            curves=curves,
            noise_std=std,
            log_weights=log_weights,
            outlier_weight=outlier_weight,
            outlier_density=self.outlier_density,
            bound=bound,
            curve_cost=log_likelihood - bound,
            parameter_cost=variant.cost(n, C) - math.lgamma(C + 1),
            n_iter=int(mixing.n_iter[winner]),
            converged=bool(mixing.state[winner] == CONVERGED),
        )
