"""GPPOM: the fitted Gaussian process with one latent θ per observation.

Checked variables come in; they are standardised, J is minimised from one or several starts, and a
`FitResult` goes out to the direction and the clustering.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from anmmm._record import Record
from anmmm._threads import blas_threads_for
from anmmm._typing import FloatArray
from anmmm._validation import (
    LARGEST_WEIGHT,
    as_matrices,
    check_choice,
    check_count,
    check_fit_input,
    check_nonnegative,
    check_rng,
)
from anmmm._warning import warn_caller
from anmmm.gppom.engines import TOLERANCE
from anmmm.gppom.objective import GPPOMObjective
from anmmm.gppom.optimize import minimise_starts
from anmmm.gppom.start import INITS, initial_hyperparameters, initial_latent, initial_weights
from anmmm.preprocessing import standardise
from anmmm.results import FitResult

__all__ = ["GPPOM", "FitOptions", "check_fit", "fit_gppom"]

# Spread of the perturbation of Θ (standard deviation 1) in starts after the first.
PERTURBATION = 0.5
# The default weights were chosen on data of this size.
REFERENCE_SIZE = 100
# Nats per unit of J/N that an iteration must gain for a descent to go on. J grows with N, and what
# parts good from bad latents does not: at a million observations 1e-6 of J is more than that.
DEFAULT_TOL, SMALLEST_GAIN = 1e-6, 0.05


@dataclass(frozen=True, eq=False, repr=False)
class FitOptions(Record):
    """Everything that shapes a fit, λ aside. The keyword arguments called ``fit_options``.

    Attributes
    ----------
    n_latent : int
        Latent dimensions q.
    latent_map : {"free", "mlp"}
        Θ itself is optimised, or the weights of an MLP that makes it from [x, y].
    n_hidden : int
        Logistic units of the MLP.
    init : {"residual", "pca"} or array-like of shape (n_samples, n_latent)
        Where Θ starts.
    init_degree : int
        Degree of the polynomial whose residual is taken, 0 to 10.
    n_starts : int
        Descents; the first from `init`, the others from seeded perturbations of it. The lowest J
        is kept.
    engine : {"auto", "dense", "lowrank"}
        How the objective is evaluated.
    engine_tol : float
        Accuracy of the low-rank engine; see `anmmm.GPPOMObjective`.
    n_chunks : int, optional
        Run the engine's loops on Numba's threads, dealt out to so many chunks (16, say, on any
        machine: results depend on it by rounding, and not on the number of threads). For a single
        fit of many observations; collections use their cores better on several pairs.
    noise_floor, hsic_floor : float
        ν and ε₀.
    latent_prior, hyper_prior, weight_prior : float
        Precisions of the Gaussian priors on Θ, log Ω and the MLP's weights.
    weight_growth : float
        λ and `hyper_prior` are multiplied by ``max(1, N / 100)**weight_growth``, N observations.
        With constant weights (0, the paper's J) the likelihood, which grows with N, outweighs them:
        γ_x tends to 0, where HSIC sees nothing, and clusters blur (docs/results/quality.md).
    max_iter : int
        Most L-BFGS iterations of a descent.
    tol : float, optional
        Stop when an iteration lowers J by less than `tol` times its size. By default
        ``min(1e-6, 0.05 / N)``; the second counts from 50 000 observations on.
    """

    n_latent: int = 1
    latent_map: str = "free"
    n_hidden: int = 20
    init: Any = "residual"
    init_degree: int = 1
    n_starts: int = 1
    engine: str = "auto"
    engine_tol: float = TOLERANCE
    n_chunks: int | None = None
    noise_floor: float = 1e-2
    hsic_floor: float = 1e-8
    latent_prior: float = 1.0
    hyper_prior: float = 1.2
    weight_prior: float = 1.0
    weight_growth: float = 0.5
    max_iter: int = 1000
    tol: float | None = None

    def __post_init__(self) -> None:
        """Check what the objective does not check."""
        if isinstance(self.init, str):
            check_choice(self.init, "init", INITS)
        check_count(self.init_degree, "init_degree", minimum=0, maximum=10)
        check_count(self.n_starts, "n_starts")
        check_count(self.max_iter, "max_iter")
        if self.tol is not None:
            check_nonnegative(self.tol, "tol")
        check_nonnegative(self.weight_growth, "weight_growth")

    def tol_for(self, n_samples: int) -> float:
        """Return `tol`, or what it is by default for so many observations."""
        if self.tol is not None:
            return self.tol
        return min(DEFAULT_TOL, SMALLEST_GAIN / n_samples)

    @classmethod
    def from_keywords(cls, keywords: dict[str, Any]) -> FitOptions:
        """Build options, refusing unknown names with the list of known ones."""
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(keywords) - set(known))
        if unknown:
            raise TypeError(
                f"unknown option {', '.join(map(repr, unknown))}; the options of a fit are "
                f"{', '.join(known)}"
            )
        return cls(**keywords)


def fit_gppom(
    X: FloatArray, Y: FloatArray, *, lam: float, options: FitOptions, random_state: Any = None
) -> FitResult:
    """Minimise J on standardised data.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features_x)
        Hypothetical cause, standardised.
    Y : ndarray of shape (n_samples, n_outputs)
        Hypothetical effect, standardised.
    lam : float
        Weight λ of the HSIC term, at up to 100 observations; see ``weight_growth``.
    options : FitOptions
    random_state : None, int, Generator or RandomState
        Perturbs starts after the first, draws the MLP's hidden layer, and fills latent columns that
        `init` leaves empty. A free Θ with one start needs none of it.

    Returns
    -------
    FitResult

    Raises
    ------
    TypeError, ValueError
        If X and Y are no matrices of equally many rows, or an option is out of range.
    FloatingPointError
        If J cannot be evaluated at the start.

    Warns
    -----
    ConvergenceWarning
        If the start that won did not end by its tolerance.

    Notes
    -----
    Some tens to some hundreds of evaluations, each O(N³).
    """
    X, Y = as_matrices(X, Y)
    objective = _objective(X, Y, len(X), lam, options)
    rng = check_rng(random_state)
    theta, init = initial_latent(X, Y, options.n_latent, options.init, options.init_degree, rng)
    omega = initial_hyperparameters(X.shape[1], options.n_latent)
    starts = []
    for start in range(options.n_starts):
        latent = theta
        if start > 0:
            latent = theta + PERTURBATION * rng.standard_normal(theta.shape)
        if options.latent_map == "mlp":
            latent = initial_weights(objective.layout, np.hstack([X, Y]), latent, rng)
        starts.append(objective.pack(latent, omega))

    # The low-rank engine's matrices are small; its blocks are what threads may share.
    with blas_threads_for(len(X) if options.engine == "dense" else 0):
        outcome, winner, values = minimise_starts(
            objective.value_and_grad,
            starts,
            objective.layout.bounds,
            units=objective.layout.units,
            max_iter=options.max_iter,
            tol=options.tol_for(len(X)),
        )
        terms = objective.terms(outcome.z)
    if not outcome.converged:
        warn_caller(
            f"the fit stopped without converging after {outcome.n_iter} iterations "
            f"(status {outcome.status!r}: {outcome.message}); raise max_iter, or tol",
            ConvergenceWarning,
        )
    latent, omega = objective.unpack(outcome.z)
    return FitResult(
        latent=latent,
        hyperparameters=omega,
        objective=outcome.value,
        log_likelihood=terms.log_likelihood,
        hsic=terms.hsic,
        n_iter=outcome.n_iter,
        n_evaluations=outcome.n_evaluations,
        converged=outcome.converged,
        status=outcome.status,
        message=outcome.message,
        n_failed_evaluations=outcome.n_failed_evaluations,
        engine=terms.engine,
        rank=terms.rank,
        residual=terms.residual,
        init=init if winner == 0 else f"{init}+perturbed",
        start=winner,
        objectives=values,
        history=outcome.history,
        parameters=outcome.z,
        lam=objective.lam,
        hyper_prior=objective.hyper_prior,
    )


def check_fit(X: FloatArray, Y: FloatArray, *, lam: float, options: FitOptions) -> None:
    """Raise what `fit_gppom` would say to wrong options, without fitting.

    Parameters
    ----------
    X, Y, lam, options
        See `fit_gppom`.

    Raises
    ------
    TypeError, ValueError
        If an option cannot be used; the message names it.
    """
    # Two rows: an engine takes memory by their number.
    _objective(X[:2], Y[:2], len(X), lam, options)
    if not isinstance(options.init, str):
        initial_latent(
            X, Y, options.n_latent, options.init, options.init_degree, np.random.default_rng(0)
        )


def _objective(
    X: FloatArray, Y: FloatArray, n_samples: int, lam: float, options: FitOptions
) -> GPPOMObjective:
    logarithm = options.weight_growth * math.log(max(1.0, n_samples / REFERENCE_SIZE))
    if logarithm > math.log(LARGEST_WEIGHT):
        raise ValueError(
            f"weight_growth={options.weight_growth!r} multiplies lam and hyper_prior by more than "
            f"{LARGEST_WEIGHT:g} at {n_samples} observations; the default is 0.5"
        )
    growth = max(1.0, n_samples / REFERENCE_SIZE) ** options.weight_growth
    return GPPOMObjective(
        X,
        Y,
        lam=lam * growth,
        n_latent=options.n_latent,
        latent_map=options.latent_map,
        n_hidden=options.n_hidden,
        engine=options.engine,
        engine_tol=options.engine_tol,
        n_chunks=options.n_chunks,
        noise_floor=options.noise_floor,
        hsic_floor=options.hsic_floor,
        latent_prior=options.latent_prior,
        hyper_prior=options.hyper_prior * growth,
        weight_prior=options.weight_prior,
    )


class GPPOM(BaseEstimator):  # type: ignore[misc]
    """Gaussian process partially observable model, ``Y = f(X; θ) + ε`` with one θ a sample.

    Parameters
    ----------
    n_latent : int, default=1
        Latent dimensions q.
    lam : float, default=1.0
        Weight λ of the term that makes Θ independent of X.
    latent_map, n_hidden, init, init_degree, n_starts, engine, engine_tol, n_chunks
        See `FitOptions`.
    noise_floor, hsic_floor, latent_prior, hyper_prior, weight_prior, weight_growth, max_iter, tol
        See `FitOptions`.
    random_state : None, int or RandomState
        Seed of starts and weights; see `fit_gppom`.

    Attributes
    ----------
    latent_ : ndarray of shape (n_samples, n_latent)
        Fitted Θ.
    hyperparameters_ : Hyperparameters
        Fitted Ω, on the scale of the standardised variables.
    objective_, log_likelihood_, hsic_ : float
        Final J, L and HSIC_b.
    n_iter_ : int
        L-BFGS iterations of the start that won.
    converged_ : bool
        Whether it ended by its tolerance.
    fit_result_ : FitResult
        Everything else that is known of the fit.
    n_features_in_ : int
        Columns of X.

    Examples
    --------
    >>> from anmmm import GPPOM
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", n_samples=60, random_state=0)
    >>> model = GPPOM().fit(x.reshape(-1, 1), y)
    >>> model.latent_.shape
    (60, 1)
    >>> model.converged_
    True
    """

    def __init__(
        self,
        n_latent: int = 1,
        lam: float = 1.0,
        *,
        latent_map: str = "free",
        n_hidden: int = 20,
        init: Any = "residual",
        init_degree: int = 1,
        n_starts: int = 1,
        engine: str = "auto",
        engine_tol: float = TOLERANCE,
        n_chunks: int | None = None,
        noise_floor: float = 1e-2,
        hsic_floor: float = 1e-8,
        latent_prior: float = 1.0,
        hyper_prior: float = 1.2,
        weight_prior: float = 1.0,
        weight_growth: float = 0.5,
        max_iter: int = 1000,
        tol: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_latent = n_latent
        self.lam = lam
        self.latent_map = latent_map
        self.n_hidden = n_hidden
        self.init = init
        self.init_degree = init_degree
        self.n_starts = n_starts
        self.engine = engine
        self.engine_tol = engine_tol
        self.n_chunks = n_chunks
        self.noise_floor = noise_floor
        self.hsic_floor = hsic_floor
        self.latent_prior = latent_prior
        self.hyper_prior = hyper_prior
        self.weight_prior = weight_prior
        self.weight_growth = weight_growth
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that y is needed and may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any) -> GPPOM:
        """Fit Θ and Ω.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_x)
            Hypothetical cause.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Hypothetical effect.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If the data or a parameter cannot be used; the message names it.
        """
        X, y = check_fit_input(self, X, y, pair=False)
        keywords = {field.name: getattr(self, field.name) for field in fields(FitOptions)}
        result = fit_gppom(
            standardise(X)[0],
            standardise(y)[0],
            lam=check_nonnegative(self.lam, "lam"),
            options=FitOptions.from_keywords(keywords),
            random_state=self.random_state,
        )
        self.fit_result_ = result
        self.latent_ = result.latent
        self.hyperparameters_ = result.hyperparameters
        self.objective_ = result.objective
        self.log_likelihood_ = result.log_likelihood
        self.hsic_ = result.hsic
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        return self
