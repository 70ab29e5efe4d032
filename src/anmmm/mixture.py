"""C smooth mechanisms with shared noise, and one mechanism with noise that depends on the cause.

Standardised variables come in; a `SplineBasis` turns the cause into a few columns, and fits by
variational EM go out to the estimator `ANMMixture`, to the refinement of mechanism labels and to
`anmmm.evidence`. The equations are in docs/decisions.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from anmmm._kernels.mixture import WEIGHT_PRIOR, location_scale, mixture_em, mixture_sweep
from anmmm._record import Record
from anmmm._validation import check_count, check_fit_input, check_new_input, check_nonnegative
from anmmm.density import Cells
from anmmm.preprocessing import Standardisation, standardise, tied
from anmmm.splines import SplineBasis

__all__ = [
    "ANMMixture",
    "LocationScaleFit",
    "MixtureFit",
    "by_first_appearance",
    "choose_mixture",
    "fit_location_scale",
    "fit_mixture",
    "fit_single",
    "is_auto",
    "refine_labels",
    "smallest_noise",
]

FloatArray = NDArray[np.float64]

# Smallest noise variance, as a share of the effect's variance.
VARIANCE_FLOOR = 1e-6
# Rounds of (curves, variances) between two passes over the observations: they cost r³, a pass n r².
N_INNER = 3
# Iterations of every start before the best of them is continued.
SHORT_RUN = 10
# Starts are compared on so many observations at most; the winner then sees all.
START_ROWS = 2000
# Share of an observation that a start leaves to the other mechanisms.
SOFTNESS = 0.1
# Residuals that differ by less, in units of the largest, are tied but for rounding.
TIED_RESIDUALS = 1e-9
MAX_MECHANISMS = 4
# Nats by which a given label speaks for an observation's mechanism. Where curves are well apart,
# likelihoods differ by far more; where they overlap, it keeps EM from leaving the labels.
LABEL_EVIDENCE = 0.2


@dataclass(frozen=True, eq=False, repr=False)
class MixtureFit(Record):
    """A fitted mixture, on the scale of the standardised variables.

    Attributes
    ----------
    n_mechanisms : int
    weights : ndarray of shape (n_mechanisms,)
        Share of each mechanism.
    scales : ndarray
        Variances: of the noise; smoothing of the curves about their centre and of the centre; of
        constant and linear coefficients about theirs.
    centre : ndarray of shape (n_columns,)
        Posterior mean of the curves' centre; zero with one mechanism.
    mean : ndarray of shape (n_mechanisms, n_columns)
        Posterior means of the curves' coefficients.
    covariance : ndarray of shape (n_mechanisms, n_columns * (n_columns + 1) // 2)
        Their posterior covariances, lower triangles by rows, off-diagonal entries doubled.
    membership : ndarray of shape (n_samples, n_mechanisms)
        Probability of each mechanism.
    curves : ndarray of shape (n_samples, n_mechanisms)
        Posterior mean of each curve at the observations.
    bound : float
        Lower bound on the log marginal likelihood; exact for one mechanism.
    complexity : float
        Nats that the curves cost: the log-likelihood at their means minus `bound`.
    numbers : float
        Nats that the noise variance and the weights cost, by Laplace's method, less log C! because
        every numbering of the mechanisms is the same mixture.
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
    centre: FloatArray
    mean: FloatArray
    covariance: FloatArray
    membership: FloatArray
    curves: FloatArray
    bound: float
    complexity: float
    numbers: float
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
        """``numbers - bound``; the smaller the better."""
        return self.numbers - self.bound

    @property
    def labels(self) -> NDArray[np.intp]:
        """Most probable mechanism of each observation."""
        return np.asarray(self.membership.argmax(axis=1))

    def assign(self, design: FloatArray, y: FloatArray) -> FloatArray:
        """Probability of each mechanism for other observations.

        Parameters
        ----------
        design : ndarray of shape (n_new, n_columns), C order
        y : ndarray of shape (n_new,)

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms)
        """
        membership = np.empty((len(y), self.n_mechanisms))
        sums = np.empty_like(self.covariance), np.empty_like(self.mean), np.empty_like(self.weights)
        mixture_sweep(
            design, y, self.mean, self.covariance, self.weights, self.noise_variance, membership,
            *sums,
        )  # fmt: skip
        return membership

    def reordered(self, order: NDArray[np.intp]) -> MixtureFit:
        """Return the same fit with its mechanisms in another order.

        Parameters
        ----------
        order : ndarray of int, shape (n_mechanisms,)

        Returns
        -------
        MixtureFit
        """
        return replace(
            self,
            weights=self.weights[order],
            mean=self.mean[order],
            covariance=self.covariance[order],
            membership=np.ascontiguousarray(self.membership[:, order]),
            curves=np.ascontiguousarray(self.curves[:, order]),
        )


@dataclass(frozen=True, eq=False, repr=False)
class LocationScaleFit(Record):
    """One mechanism whose noise has a scale that depends smoothly on the cause.

    Attributes
    ----------
    curve, scale : ndarray of shape (n_samples,)
        Mean and standard deviation of the effect at the observations.
    evidence : float
        Approximate log marginal likelihood.
    complexity : float
        What both curves cost in nats.
    n_iter : int
    converged : bool
        Whether the evidence settled before the most iterations.
    """

    curve: FloatArray
    scale: FloatArray
    evidence: float
    complexity: float
    n_iter: int
    converged: bool


@dataclass(frozen=True, eq=False)
class _Run:
    scales: FloatArray
    centre: FloatArray
    weights: FloatArray
    mean: FloatArray
    covariance: FloatArray
    membership: FloatArray
    history: FloatArray
    converged: bool

    @property
    def bound(self) -> float:
        return float(self.history[-1])


def fit_mixture(
    basis: SplineBasis,
    y: FloatArray,
    n_mechanisms: int,
    *,
    starts: Sequence[FloatArray],
    noise_variance: float = 0.5,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> MixtureFit:
    """Fit C curves from the best of several starts.

    Parameters
    ----------
    basis : SplineBasis
        Of the cause.
    y : ndarray of shape (n_samples,)
        Effect, standardised.
    n_mechanisms : int
    starts : sequence of ndarray of shape (n_samples, n_mechanisms)
        Responsibilities to start from. Each is run for a few iterations; the one of the highest
        bound is continued.
    noise_variance : float
        Where the noise variance starts.
    floor : float
        Smallest noise variance.
    tol : float
        Stop when an iteration raises the bound by less than `tol` nats per observation.
    max_iter : int

    Returns
    -------
    MixtureFit

    Notes
    -----
    docs/decisions.md, eqs. 3 to 8. O(N C r²) an iteration, r at most 14 for one cause; beyond 4000
    observations starts are compared on 2000 of them, at equal distances in the order of the cause.
    """
    n = len(y)
    rows: NDArray[np.intp] | slice = slice(None)
    if n > 2 * START_ROWS:
        rows = _spread_rows(basis.design[:, 1], y, START_ROWS)
    design, effect = np.ascontiguousarray(basis.design[rows]), y[rows]
    scales = np.ones(3 + basis.n_null)
    scales[0] = noise_variance
    centre = np.zeros(len(basis.prior))
    runs = [
        _run(basis, design, effect, start[rows], scales, centre, floor, tol, SHORT_RUN)
        for start in starts
    ]
    winner = int(np.argmax([run.bound for run in runs]))
    run = runs[winner]
    if not run.converged:
        run = _run(
            basis, design, effect, run.membership, run.scales, run.centre, floor, tol, max_iter
        )
    fit = _finish(design, effect, run, winner)
    if n > 2 * START_ROWS:
        membership = fit.assign(basis.design, y)
        run = _run(basis, basis.design, y, membership, run.scales, run.centre, floor, tol, max_iter)
        fit = _finish(basis.design, y, run, winner)
    return fit


def choose_mixture(
    basis: SplineBasis,
    y: FloatArray,
    *,
    n_mechanisms: int | None = None,
    max_mechanisms: int = MAX_MECHANISMS,
    extra_starts: Sequence[FloatArray] = (),
    first: tuple[MixtureFit, LocationScaleFit] | None = None,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> list[MixtureFit]:
    """Fit 1, 2, … mechanisms, each from starts made of the fits before it.

    Parameters
    ----------
    basis, y, floor, tol, max_iter
        See `fit_mixture`.
    n_mechanisms : int, optional
        Stop at this number. Otherwise stop at `max_mechanisms`, or after the first number above 2
        that does not lower the criterion.
    max_mechanisms : int
    extra_starts : sequence of ndarray of shape (n_samples, C)
        Further responsibilities, each used for its own C.
    first : (MixtureFit, LocationScaleFit), optional
        What `fit_single` gave for these data, where the caller needs it too.

    Returns
    -------
    list of MixtureFit
        One for each number from 1 on.

    Notes
    -----
    A start for C mechanisms cuts the residuals of a single curve into C equal shares, as they are
    and divided by a scale that depends on the cause; crosses them with the cause; and parts each
    mechanism of the fit with C - 1 by the sign of its residual.
    """
    if first is None:
        first = fit_single(basis, y, floor=floor, tol=tol, max_iter=max_iter)
    single, spread = first
    fits = [single]
    last = max_mechanisms if n_mechanisms is None else n_mechanisms
    for n in range(2, last + 1):
        starts = _starts(basis, y, n, fits[-1], single, spread)
        starts += [start for start in extra_starts if start.shape[1] == n]
        fits.append(
            fit_mixture(
                basis, y, n, starts=starts, noise_variance=single.noise_variance / n**2,
                floor=floor, tol=tol, max_iter=max_iter,
            )
        )  # fmt: skip
        if n_mechanisms is None and n > 2 and fits[-1].criterion > fits[-2].criterion:
            break
    return fits


def refine_labels(
    basis: SplineBasis,
    y: FloatArray,
    labels: NDArray[np.intp],
    n_mechanisms: int,
    *,
    fits: Sequence[MixtureFit],
    label_evidence: float = LABEL_EVIDENCE,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> MixtureFit:
    """Fit C mechanisms to the effect and to labels that tell a little of each observation.

    Parameters
    ----------
    basis, y, floor, tol, max_iter
        See `fit_mixture`.
    labels : ndarray of int, shape (n_samples,)
        Between 0 and ``n_mechanisms - 1``, such as the clusters of a GPPOM's Θ.
    n_mechanisms : int
    fits : sequence of MixtureFit
        Fits of the effect alone with 1, 2, … mechanisms (`choose_mixture`). The first tells the
        noise to start with; the one with `n_mechanisms`, if there is one, is a start beside the
        labels.
    label_evidence : float
        Log-odds of a label for its own mechanism against any other.

    Returns
    -------
    MixtureFit
        Of the start with the higher bound: 0 the labels, 1 the fit. Its membership and bound count
        the labels; `MixtureFit.assign` knows none of new observations.

    Notes
    -----
    docs/decisions.md, eq. 10. O(N C r²) an iteration.
    """
    starts: list[tuple[FloatArray, MixtureFit | None]] = [
        (_soften(np.eye(n_mechanisms)[labels]), None)
    ]
    if 1 < n_mechanisms <= len(fits):
        fit = fits[n_mechanisms - 1]
        # Mechanisms are numbered at will: take the numbering that agrees with the labels best.
        agreement = np.stack([fit.membership[labels == c].sum(axis=0) for c in range(n_mechanisms)])
        fit = fit.reordered(linear_sum_assignment(-agreement)[1])
        starts.append((fit.membership, fit))
    reading = np.ones((len(y), n_mechanisms))
    reading[np.arange(len(y)), labels] = math.exp(label_evidence)
    reading /= math.exp(label_evidence) + n_mechanisms - 1.0

    runs = []
    for membership, start in starts:
        scales, centre = np.ones(3 + basis.n_null), np.zeros(len(basis.prior))
        scales[0] = fits[0].noise_variance / n_mechanisms**2
        if start is not None:
            scales, centre = start.scales, start.centre
        history: list[float] = []
        converged = False
        while not converged and len(history) < max_iter:
            run = _run(basis, basis.design, y, membership, scales, centre, floor, tol, 1)
            joint = run.membership * reading
            totals = joint.sum(axis=1)
            membership, scales, centre = joint / totals[:, np.newaxis], run.scales, run.centre
            history.append(run.bound + float(np.log(totals).sum()))
            converged = len(history) > 1 and history[-1] - history[-2] < tol * len(y)
        runs.append(
            replace(run, membership=membership, history=np.array(history), converged=converged)
        )
    winner = int(np.argmax([run.bound for run in runs]))
    return _finish(basis.design, y, runs[winner], winner, reading)


def fit_single(
    basis: SplineBasis,
    y: FloatArray,
    *,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-6,
    max_iter: int = 500,
) -> tuple[MixtureFit, LocationScaleFit]:
    """Fit one mechanism with constant noise and with noise of a scale that depends on the cause.

    Parameters
    ----------
    basis, y, floor, tol, max_iter
        See `fit_mixture`.

    Returns
    -------
    single : MixtureFit
    spread : LocationScaleFit
    """
    start = np.ones((len(y), 1))
    single = fit_mixture(basis, y, 1, starts=[start], floor=floor, tol=tol, max_iter=max_iter)
    return single, fit_location_scale(basis, y, single, floor=floor)


def fit_location_scale(
    basis: SplineBasis,
    y: FloatArray,
    single: MixtureFit,
    *,
    floor: float = VARIANCE_FLOOR,
    tol: float = 1e-5,
    max_iter: int = 60,
) -> LocationScaleFit:
    """Fit one mechanism with a noise scale that depends on the cause.

    Parameters
    ----------
    basis, y, floor, tol, max_iter
        See `fit_mixture`.
    single : MixtureFit
        Fit of one mechanism with constant noise, to start from.

    Returns
    -------
    LocationScaleFit

    Notes
    -----
    docs/decisions.md, eq. 9. O(N r²) an iteration.
    """
    n = len(y)
    curve, log_scale = np.empty(n), np.empty(n)
    scales = np.array([single.noise_variance, single.scales[1], 1.0])
    evidence, complexity, n_iter = location_scale(
        basis.design, y, basis.prior, basis.n_null, floor, N_INNER, tol * n, max_iter, scales,
        curve, log_scale,
    )  # fmt: skip
    return LocationScaleFit(
        curve, np.exp(log_scale), evidence, complexity, n_iter, n_iter < max_iter
    )


class ANMMixture(BaseEstimator):  # type: ignore[misc]
    """Mixture of C smooth mechanisms with shared Gaussian noise, ``y = f_c(x) + ε``.

    Parameters
    ----------
    n_mechanisms : int or "auto", default=2
        Number of mechanisms; ``"auto"`` chooses it by `criterion_`.
    max_mechanisms : int, default=4
        Largest number that ``"auto"`` tries.
    init : array-like of shape (n_samples,) or (n_samples, n_mechanisms), optional
        Labels or responsibilities of a further start, such as the clusters of a GPPOM's Θ.
    tol : float, default=1e-6
        Stop when an iteration raises the bound by less than this many nats per observation.
    max_iter : int, default=500
        Most iterations of a run.

    Attributes
    ----------
    n_mechanisms_ : int
        Number of mechanisms fitted.
    labels_ : ndarray of int, shape (n_samples,)
        Most probable mechanism, numbered by first appearance.
    membership_ : ndarray of shape (n_samples, n_mechanisms_)
        Probability of each mechanism.
    weights_ : ndarray of shape (n_mechanisms_,)
        Share of each mechanism.
    noise_std_ : float
        Standard deviation of the noise, in the unit of y.
    log_likelihood_ : float
        Lower bound on the log marginal likelihood of the standardised effect, the curves
        integrated out.
    criterion_ : float
        ``-log_likelihood_`` plus the cost of weights and noise; the smaller the better.
    criteria_ : ndarray of shape (n_tried,)
        The criterion with 1, 2, … mechanisms.
    n_iter_ : int
        Iterations of the last run.
    converged_ : bool
        Whether it ended by its tolerance.
    fit_result_ : MixtureFit
        Everything else, on the standardised scale.
    n_features_in_ : int
        Columns of X.

    Notes
    -----
    Curves are smoothing splines whose smoothness is fitted by marginal likelihood. Linear in the
    number of observations. Nothing is random: beyond 4000 observations the starts are compared on
    2000 of them, at equal distances in the order of the cause.

    Examples
    --------
    >>> from sklearn.metrics import adjusted_rand_score
    >>> from anmmm import ANMMixture
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> model = ANMMixture("auto").fit(x.reshape(-1, 1), y)
    >>> model.n_mechanisms_
    2
    >>> bool(adjusted_rand_score(labels, model.labels_) > 0.8)
    True
    >>> model.curves([[0.0], [1.0]]).shape
    (2, 2)
    """

    def __init__(
        self,
        n_mechanisms: int | str = 2,
        *,
        max_mechanisms: int = MAX_MECHANISMS,
        init: Any = None,
        tol: float = 1e-6,
        max_iter: int = 500,
    ) -> None:
        self.n_mechanisms = n_mechanisms
        self.max_mechanisms = max_mechanisms
        self.init = init
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        """Declare that y is needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any) -> ANMMixture:
        """Fit curves, weights and noise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Cause.
        y : array-like of shape (n_samples,)
            Effect.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If the data or a parameter cannot be used; the message names it.
        """
        cause, effect = check_fit_input(self, X, y, pair=False)
        effect = _one_column(effect)
        n_samples = len(cause)
        wanted = None if is_auto(self.n_mechanisms) else check_count(
            self.n_mechanisms, "n_mechanisms", maximum=n_samples
        )  # fmt: skip
        x, self._record_x = standardise(cause)
        z, self._record_y = standardise(effect)
        basis = SplineBasis.of(x)
        fits = choose_mixture(
            basis,
            z[:, 0],
            n_mechanisms=wanted,
            max_mechanisms=check_count(self.max_mechanisms, "max_mechanisms", maximum=n_samples),
            extra_starts=[] if self.init is None else [as_responsibilities(self.init, n_samples)],
            floor=smallest_noise(Cells.of(z[:, 0])),
            tol=check_nonnegative(self.tol, "tol"),
            max_iter=check_count(self.max_iter, "max_iter"),
        )
        self.criteria_ = np.array([fit.criterion for fit in fits])
        fit = fits[-1] if wanted is not None else fits[int(self.criteria_.argmin())]
        self._order = by_first_appearance(fit.labels, fit.n_mechanisms)
        self._basis = basis
        self.fit_result_ = fit
        self.n_mechanisms_ = fit.n_mechanisms
        self.membership_ = fit.membership[:, self._order]
        self.labels_ = self.membership_.argmax(axis=1)
        self.weights_ = fit.weights[self._order]
        self.noise_std_ = math.sqrt(fit.noise_variance) * float(
            self._record_y.spread[0] * self._record_y.unit[0]
        )
        self.log_likelihood_ = fit.bound
        self.criterion_ = fit.criterion
        self.n_iter_ = fit.n_iter
        self.converged_ = fit.converged
        return self

    def curves(self, X: Any) -> FloatArray:
        """Every mechanism's curve at new points, in the unit of y.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms_)
        """
        check_is_fitted(self)
        cause, _ = check_new_input(self, X, None)
        design = self._basis.evaluate(self._record_x.apply(cause))
        return _undo(self._record_y, design @ self.fit_result_.mean[self._order].T)

    def membership(self, X: Any, y: Any) -> FloatArray:
        """Probability of each mechanism for new observations.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
        y : array-like of shape (n_new,)

        Returns
        -------
        ndarray of shape (n_new, n_mechanisms_)
        """
        check_is_fitted(self)
        cause, effect = check_new_input(self, X, y)
        if effect is None:
            raise ValueError("y is None: a mechanism shows in cause and effect together; pass y")
        design = self._basis.evaluate(self._record_x.apply(cause))
        z = np.ascontiguousarray(self._record_y.apply(_one_column(effect))[:, 0])
        return self.fit_result_.assign(design, z)[:, self._order]


def smallest_noise(cells: Cells) -> float:
    """Noise variance below which no mixture of a standardised effect may fall, told in cells."""
    return max(cells.variance, VARIANCE_FLOOR)


def as_responsibilities(init: Any, n_samples: int) -> FloatArray:
    """Turn labels or responsibilities into a start.

    Parameters
    ----------
    init : array-like of shape (n_samples,) or (n_samples, n_mechanisms)
        Labels of any kind, or numbers that are not negative.
    n_samples : int

    Returns
    -------
    ndarray of shape (n_samples, n_mechanisms), C order
        Rows sum to 1; labels leave a tenth of each observation to be shared by all mechanisms.

    Raises
    ------
    ValueError
        If the shape or a number is wrong.
    """
    array = np.asarray(init)
    if array.ndim not in (1, 2) or len(array) != n_samples:
        raise ValueError(
            f"init has shape {array.shape}, but needs one label or one row for each of the "
            f"{n_samples} observations"
        )
    if array.ndim == 1:
        distinct, codes = np.unique(array, return_inverse=True)
        return _soften(np.eye(len(distinct))[codes])
    membership = np.ascontiguousarray(array, dtype=np.float64)
    totals = membership.sum(axis=1, keepdims=True)
    if not np.all(np.isfinite(membership)) or membership.min() < 0.0 or totals.min() <= 0.0:
        raise ValueError("init must hold finite responsibilities >= 0 with a positive row sum")
    return np.asarray(membership / totals)


def is_auto(n_mechanisms: Any) -> bool:
    """Tell ``"auto"`` from a number; any other string is refused."""
    if not isinstance(n_mechanisms, str):
        return False
    if n_mechanisms != "auto":
        raise ValueError(f"n_mechanisms must be a whole number or 'auto', found {n_mechanisms!r}")
    return True


def _one_column(effect: FloatArray) -> FloatArray:
    if effect.shape[1] != 1:
        raise ValueError(f"y must have one column, found {effect.shape[1]}; fit each on its own")
    return effect


def _undo(record: Standardisation, curves: FloatArray) -> FloatArray:
    return np.asarray((curves * record.spread[0] + record.centre[0]) * record.unit[0])


def by_first_appearance(labels: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """Order of the mechanisms 0 to n - 1 in which they appear; those that do not come last."""
    seen, first = np.unique(labels, return_index=True)
    rest = np.setdiff1d(np.arange(n), seen)
    return np.concatenate([seen[np.argsort(first)], rest])


def _run(
    basis: SplineBasis,
    design: FloatArray,
    y: FloatArray,
    start: FloatArray,
    scales: FloatArray,
    centre: FloatArray,
    floor: float,
    tol: float,
    max_iter: int,
) -> _Run:
    n, n_mechanisms = start.shape
    r = design.shape[1]
    membership, scales, centre = start.copy(), scales.copy(), centre.copy()
    weights, mean = np.empty(n_mechanisms), np.empty((n_mechanisms, r))
    packed = np.empty((n_mechanisms, r * (r + 1) // 2))
    history = np.empty(max_iter)
    n_iter = mixture_em(
        design, y, basis.prior, basis.n_null, floor, N_INNER, tol * n, membership, scales, centre,
        weights, mean, packed, history,
    )  # fmt: skip
    history = history[:n_iter]
    converged = n_iter > 1 and bool(history[-1] - history[-2] < tol * n)
    return _Run(scales, centre, weights, mean, packed, membership, history, converged)


def _finish(
    design: FloatArray,
    y: FloatArray,
    run: _Run,
    winner: int,
    reading: FloatArray | float = 1.0,
) -> MixtureFit:
    n, n_mechanisms = run.membership.shape
    curves = design @ run.mean.T
    s2 = float(run.scales[0])
    squared = (y[:, np.newaxis] - curves) ** 2
    log_p = np.log(run.weights) - 0.5 * (squared / s2 + math.log(2.0 * math.pi * s2))
    log_p = log_p + np.log(reading)
    prior = n_mechanisms * WEIGHT_PRIOR
    return MixtureFit(
        n_mechanisms=n_mechanisms,
        weights=run.weights,
        scales=run.scales,
        centre=run.centre,
        mean=run.mean,
        covariance=run.covariance,
        membership=run.membership,
        curves=curves,
        bound=run.bound,
        complexity=float(np.logaddexp.reduce(log_p, axis=1).sum()) - run.bound,
        numbers=0.5 * math.log(n)
        + 0.5 * (n_mechanisms - 1) * math.log1p(n / prior)
        - math.lgamma(n_mechanisms + 1),
        n_iter=len(run.history),
        converged=run.converged,
        history=run.history,
        start=winner,
    )


def _soften(part: FloatArray) -> FloatArray:
    return np.asarray(SOFTNESS / part.shape[1] + (1.0 - SOFTNESS) * part)


def _spread_rows(x: FloatArray, y: FloatArray, count: int) -> NDArray[np.intp]:
    """Choose an even number of observations at equal distances in the order of the cause.

    Whatever the order of the observations; the same ones where the cause is negated, but for ties.
    """
    n = len(x)
    half = (2 * np.arange(count // 2) + 1) * n // (2 * count)
    return np.asarray(np.lexsort((y, x))[np.concatenate([half, n - 1 - half[::-1]])])


def _equal_shares(values: FloatArray, n: int) -> FloatArray:
    """Cut values into n shares of equal numbers; ties belong alike to all shares that they meet.

    Returns the part of each observation in each share, which depends on the order of the values
    alone, not on that of the observations, and is mirrored where the values are negated.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    near = TIED_RESIDUALS * max(ordered[-1], -ordered[0])
    first, last = tied(ordered, near)
    # In whole numbers, so that shares that are equal are so to the last bit.
    cuts = len(values) * np.arange(n + 1)[:, np.newaxis]
    inside = np.minimum(n * last, cuts[1:]) - np.maximum(n * first, cuts[:-1])
    share = np.maximum(inside, 0) / (n * (last - first))
    part = np.empty((len(values), n))
    part[order] = np.repeat(share.T, last - first, axis=0)
    return part


def _starts(
    basis: SplineBasis,
    y: FloatArray,
    n: int,
    previous: MixtureFit,
    single: MixtureFit,
    spread: LocationScaleFit,
) -> list[FloatArray]:
    residual = y - single.curves[:, 0]
    parts = [
        _equal_shares(residual, n),
        _equal_shares((y - spread.curve) / spread.scale, n),
        # Curves that cross in the middle of the cause's range.
        _equal_shares(residual * basis.design[:, 1], n),
    ]
    for c in range(n - 1 if n > 2 else 0):
        split = previous.labels.copy()
        split[(split == c) & (y > previous.curves[:, c])] = n - 1
        parts.append(np.eye(n)[split])
    return [_soften(part) for part in parts]
