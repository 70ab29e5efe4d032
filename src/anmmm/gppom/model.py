"""One fit of a GPPOM: J minimized from an initial Θ, or from the fit of a subsample."""

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
from anmmm.gppom.optimize import Outcome, minimize_from
from anmmm.gppom.options import FitOptions
from anmmm.gppom.result import FitResult
from anmmm.gppom.start import (
    evenly_spaced_rows,
    initial_hyperparameters,
    initial_latent,
    initial_weights,
    nearest_rows,
)


def fit_gppom(
    X: FloatArray,
    Y: FloatArray,
    *,
    fit_options: FitOptions | Mapping[str, Any] | None = None,
    random_state: RandomState = None,
) -> FitResult:
    """Minimize J on standardized data.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features_x)
        Hypothetical cause, standardized.
    Y : ndarray of shape (n_samples, n_outputs)
        Hypothetical effect, standardized.
    fit_options : FitOptions or mapping, optional
    random_state : None, int, Generator or RandomState
        Draws the MLP's hidden layer, and fills latent columns that `init` does not determine.

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
        If the descent did not converge.

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
    """Minimize J on checked data."""
    scaled = options.scaled_for(len(X))
    objective = GPPOMObjective(X, Y, fit_options=scaled)
    # The low-rank engine's matrices are small: its blocks are for threads, not BLAS.
    with blas_threads_for(len(X) if options.engine == "dense" else 0):
        found = None
        if options.takes_subsample(len(X)):
            found = _from_subsample(objective, options, rng)
        outcome, init, subsample = found or _from_init(objective, options, rng)
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
        history=outcome.history,
        parameters=outcome.z,
        lam=objective.lam,
        hyper_prior=scaled.hyper_prior,
        covariance=objective.covariance,
        subsample=subsample,
        _noise_floor=scaled.noise_floor,
    )


# End, name of the initial Θ, and the fit of the subsample.
DescentResult = tuple[Outcome, str, FitResult | None]


def _from_init(objective: GPPOMObjective, options: FitOptions, rng: Generator) -> DescentResult:
    """Descend from `init`."""
    X = objective.X
    Y = objective.Y
    latent, init = initial_latent(X, Y, options.n_latent, options.init, rng)
    if options.latent_map == "mlp":
        latent = initial_weights(objective.layout, np.hstack([X, Y]), latent, rng)
    start = objective.pack(latent, initial_hyperparameters(X.shape[1], options.n_latent))
    return _descend(objective, start, options, options.tol_for(len(X))), init, None


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
        outcome = _descend(objective, start, options, options.tol_for(len(X), begun=True))
    except FloatingPointError:
        # The rank for all observations may be too large.
        return None
    return outcome, fit.init, fit


def _descend(
    objective: GPPOMObjective, start: FloatArray, options: FitOptions, tol: float
) -> Outcome:
    layout = objective.layout
    return minimize_from(
        objective.value_and_grad,
        start,
        layout.bounds,
        units=layout.units,
        max_iter=options.max_iter,
        tol=tol,
    )
