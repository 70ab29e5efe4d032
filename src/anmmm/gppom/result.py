"""Record of one fitted GPPOM."""

from __future__ import annotations

from dataclasses import field

from anmmm._record import Record
from anmmm._typing import FloatArray
from anmmm.gppom.covariance import Covariance
from anmmm.gppom.parameters import Hyperparameters


class FitResult(Record):
    """One fitted GPPOM.

    Attributes
    ----------
    latent : ndarray of shape (n_samples, n_latent)
        Fitted Θ, one row an observation.
    hyperparameters : Hyperparameters
        Fitted Ω.
    objective : float
        Final ``J``, priors included; lower is better.
    log_likelihood : float
        ``L`` of the effect given the cause and Θ.
    hsic : float
        ``HSIC_b`` of cause and Θ under the fitted kernels, the term of ``J``.
    n_iter, n_evaluations : int
        L-BFGS iterations and evaluations of value and gradient.
    converged : bool
        Whether the optimizer stopped by its tolerance.
    status : str
        ``"converged"``, ``"max_iter"``, ``"max_evaluations"``, ``"line_search"`` or
        ``"cholesky_failed"``.
    message : str
        The optimizer's message.
    n_failed_evaluations : int
        Evaluations at which the covariance could not be factorized (0 in a healthy fit).
    engine : str
        Engine of the last evaluation.
    rank : int or None
        Rank of its factor of the covariance; None for the dense engine.
    residual : float
        Trace of the residual of ``a K_X ∘ K_θ``; 0 for the dense engine.
    init : str
        Initial Θ: ``"residual"`` or ``"given"``, with ``"+noise"`` if columns had to be filled with
        seeded noise.
    history : ndarray of shape (n_iter + 1,)
        ``J`` at the start and after each iteration.
    parameters : ndarray
        The flat vector that the optimizer returned, in the objective's layout.
    lam, hyper_prior : float
        Weights λ and v of this fit, scaled for N.
    covariance : anmmm.gppom.covariance.Covariance
        Kernels of X and Θ, and how they are combined.
    subsample : anmmm.gppom.FitResult or None
        The fit of a subsample (`FitOptions.subsample`) from whose end this one started, and whose
        `init` it has. None if the descent started at `init`.
    """

    latent: FloatArray
    hyperparameters: Hyperparameters
    objective: float
    log_likelihood: float
    hsic: float
    n_iter: int
    n_evaluations: int
    converged: bool
    status: str
    message: str
    n_failed_evaluations: int
    engine: str
    rank: int | None
    residual: float
    init: str
    history: FloatArray
    parameters: FloatArray
    lam: float
    hyper_prior: float
    covariance: Covariance = field(default=Covariance())
    subsample: FitResult | None = None
    # ν, a part of the noise.
    _noise_floor: float = field(kw_only=True, repr=False)
