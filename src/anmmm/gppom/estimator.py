"""GPPOM: the fitted Gaussian process with one latent θ per observation, as scikit-learn has models.

Variables come in; they are checked and standardized, and what the fit found is kept.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sklearn.base import BaseEstimator

from anmmm._pickled import VersionedPickle
from anmmm._typing import ArrayLike, RandomState
from anmmm._validation import all_or_nothing, as_matrix, check_fit_input, check_nonnegative
from anmmm.gppom.model import fit_gppom
from anmmm.gppom.options import FitOptions
from anmmm.preprocessing import standardize


class GPPOM(VersionedPickle, BaseEstimator):  # type: ignore[misc]
    """Gaussian process partially observable model, ``Y = f(X; θ) + ε`` with one θ a sample.

    Parameters
    ----------
    n_latent : int, default=1
        Latent dimensions q.
    lam : float, default=1.0
        Weight λ of the term that makes Θ independent of X.
    latent_map, n_hidden, kernel_x, kernel_theta, combine, init, init_degree, n_starts
        See `FitOptions`.
    engine, engine_tol, n_chunks
        See `FitOptions`.
    noise_floor, hsic_floor, latent_prior, hyper_prior, weight_prior, weight_growth
        See `FitOptions`.
    max_iter, tol, subsample
        See `FitOptions`.
    random_state : None, int or RandomState
        Seed of starts and weights; see `fit_gppom`.

    Attributes
    ----------
    latent_ : ndarray of shape (n_samples, n_latent)
        Fitted Θ.
    hyperparameters_ : Hyperparameters
        Fitted Ω, on the scale of the standardized variables.
    objective_, log_likelihood_, hsic_ : float
        Final J, L and HSIC_b.
    n_iter_ : int
        L-BFGS iterations of the start that won.
    converged_ : bool
        Whether it ended by its tolerance.
    fit_result_ : FitResult
        Everything else that is known of the fit.
    n_features_in_ : int
        Columns of X; 0 without one.

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
        n_latent: int = FitOptions.n_latent,
        lam: float = 1.0,
        *,
        latent_map: str = FitOptions.latent_map,
        n_hidden: int = FitOptions.n_hidden,
        kernel_x: str = FitOptions.kernel_x,
        kernel_theta: str = FitOptions.kernel_theta,
        combine: str = FitOptions.combine,
        init: ArrayLike = FitOptions.init,
        init_degree: int = FitOptions.init_degree,
        n_starts: int = FitOptions.n_starts,
        engine: str = FitOptions.engine,
        engine_tol: float = FitOptions.engine_tol,
        n_chunks: int | None = FitOptions.n_chunks,
        noise_floor: float = FitOptions.noise_floor,
        hsic_floor: float = FitOptions.hsic_floor,
        latent_prior: float = FitOptions.latent_prior,
        hyper_prior: float = FitOptions.hyper_prior,
        weight_prior: float = FitOptions.weight_prior,
        weight_growth: float = FitOptions.weight_growth,
        max_iter: int = FitOptions.max_iter,
        tol: float | None = FitOptions.tol,
        subsample: int | None = FitOptions.subsample,
        random_state: RandomState = None,
    ) -> None:
        self.n_latent = n_latent
        self.lam = lam
        self.latent_map = latent_map
        self.n_hidden = n_hidden
        self.kernel_x = kernel_x
        self.kernel_theta = kernel_theta
        self.combine = combine
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
        self.subsample = subsample
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that y is needed and may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    @all_or_nothing
    def fit(self, X: ArrayLike | None, y: ArrayLike) -> GPPOM:
        """Fit Θ and Ω.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features_x) or None
            Hypothetical cause. None: there is none, and Θ alone explains y, as in dual PPCA
            (``kernel_theta="linear"``) and the Gaussian process latent variable model.
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
        if X is None:
            y, cause = as_matrix(y, "y"), None
            self.n_features_in_, self.n_outputs_ = 0, y.shape[1]
        else:
            X, y = check_fit_input(self, X, y, pair=False)
            cause = standardize(X)[0]
        keywords = {field.name: getattr(self, field.name) for field in fields(FitOptions)}
        result = fit_gppom(
            cause,
            standardize(y)[0],
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
