"""One fit of a GPPOM: J minimized from one or several starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from anmmm._threads import blas_threads_for
from anmmm._typing import FloatArray, RandomState
from anmmm._validation import check_rng
from anmmm._warning import default_float_errors, warn_unconverged
from anmmm.gppom.objective import GPPOMObjective, as_matrices
from anmmm.gppom.optimize import Outcome, minimize_starts
from anmmm.gppom.options import FitOptions
from anmmm.gppom.result import FitResult
from anmmm.gppom.start import (
    evenly_spaced_rows,
    initial_hyperparameters,
    initial_latent,
    initial_weights,
    nearest_rows,
)

# Standard deviation of the perturbation of Θ (of deviation 1) in starts after the first.
PERTURBATION = 0.5


def fit_gppom(
    X: FloatArray | None,
    Y: FloatArray,
    *,
    fit_options: FitOptions | Mapping[str, Any] | None = None,
    random_state: RandomState = None,
) -> FitResult:
    """Minimize J on standardized data.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features_x) or None
        Hypothetical cause, standardized. None: only Θ explains Y, as in dual PPCA and the Gaussian
        process latent variable model; see `GPPOMObjective`.
    Y : ndarray of shape (n_samples, n_outputs)
        Hypothetical effect, standardized.
    fit_options : FitOptions or mapping, optional
    random_state : None, int, Generator or RandomState
        Perturbs starts after the first, draws the MLP's hidden layer, and fills latent columns that
        `init` does not determine. Not used by a free Θ with one start.

    Returns
    -------
    FitResult

    Raises
    ------
    TypeError, ValueError
        If X and Y are not matrices with the same number of rows, or an option is out of range.
    FloatingPointError
        If J cannot be evaluated at the start.

    Warns
    -----
    ConvergenceWarning
        If the winning start did not converge.

    Notes
    -----
    Some tens to some hundreds of evaluations, each O(N³), or O(N r²) with a factor of rank r.
    """
    X, Y = as_matrices(X, Y)
    with default_float_errors():
        result = _fit(X, Y, FitOptions.of(fit_options).filled(), check_rng(random_state))
    if not result.converged:
        warn_unconverged(
            f"the fit stopped without converging after {result.n_iter} iterations "
            f"(status {result.status!r}: {result.message}); raise max_iter, or tol"
        )
    return result


def _fit(X: FloatArray, Y: FloatArray, options: FitOptions, rng: Generator) -> FitResult:
    """Minimize J on checked data; X may have no columns."""
    scaled = options.scaled_for(len(X))
    objective = GPPOMObjective(X if X.shape[1] else None, Y, fit_options=scaled)
    # The low-rank engine's matrices are small: its blocks are for threads, not BLAS.
    with blas_threads_for(len(X) if options.engine == "dense" else 0):
        found = None
        if options.takes_subsample(len(X)):
            found = _from_subsample(objective, options, rng)
        outcome, winner, values, init, subsample = found or _from_init(objective, options, rng)
        terms = objective.terms(outcome.z)
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
        init=init,
        start=winner,
        objectives=values,
        history=outcome.history,
        parameters=outcome.z,
        lam=objective.lam,
        hyper_prior=scaled.hyper_prior,
        covariance=objective.covariance,
        subsample=subsample,
        _noise_floor=scaled.noise_floor,
    )


# End, winning start, final J of each, name of the initial Θ, and the fit of the subsample.
DescentResult = tuple[Outcome, int, FloatArray, str, FitResult | None]


def _from_init(objective: GPPOMObjective, options: FitOptions, rng: Generator) -> DescentResult:
    """Descend from `init` and from perturbations of it."""
    X = objective.X
    Y = objective.Y
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
    outcome, winner, values = minimize_starts(
        objective, starts, max_iter=options.max_iter, tol=options.tol_for(len(X))
    )
    return outcome, winner, values, init if winner == 0 else f"{init}+perturbed", None


def _from_subsample(
    objective: GPPOMObjective, options: FitOptions, rng: Generator
) -> DescentResult | None:
    """Fit a subsample, and descend from its end; None if that cannot be evaluated."""
    X = objective.X
    Y = objective.Y
    rows = evenly_spaced_rows(X, Y, int(options.subsample or len(X)))
    try:
        fit = _fit(X[rows], Y[rows], replace(options, subsample=None), rng)
        start = fit.parameters
        if options.latent_map == "free":
            start = objective.pack(fit.latent[nearest_rows(X, Y, rows)], fit.hyperparameters)
        tol = options.tol_for(len(X), begun=True)
        outcome, _, values = minimize_starts(objective, [start], max_iter=options.max_iter, tol=tol)
    except FloatingPointError:
        # The rank for all observations may be too large.
        return None
    return outcome, fit.start, values, fit.init, fit
