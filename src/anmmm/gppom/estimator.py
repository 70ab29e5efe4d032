"""GPPOM as an estimator of scikit-learn: variables are checked and standardized, then fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from anmmm._estimators import TakesOutputs, all_or_nothing, check_fit_input, check_new_input
from anmmm._threads import blas_threads_for
from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._warning import default_float_errors
from anmmm.gppom.model import fit_gppom
from anmmm.gppom.options import FitOptions
from anmmm.gppom.prediction import MechanismPredictor
from anmmm.preprocessing import standardize


class GPPOM(TakesOutputs, BaseEstimator):  # type: ignore[misc]
    """Gaussian process partially observable model, ``Y = f(X; θ) + ε`` with one θ a sample.

    Parameters
    ----------
    fit_options : FitOptions or mapping, optional
        Options of the fit.
    random_state : None, int or RandomState
        Seed of the weights of the MLP; see `fit_gppom`.

    Attributes
    ----------
    latent_ : ndarray of shape (n_samples, n_latent)
        Fitted Θ.
    hyperparameters_ : Hyperparameters
        Fitted Ω, on the scale of the standardized variables.
    objective_, log_likelihood_, hsic_ : float
        Final J, L and HSIC_b.
    n_iter_ : int
        L-BFGS iterations.
    converged_ : bool
        Whether it converged.
    fit_result_ : FitResult
        All results of the fit.
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
        *,
        fit_options: FitOptions | Mapping[str, Any] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.fit_options = fit_options
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that y is needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @all_or_nothing
    def fit(self, X: ArrayLike, y: ArrayLike) -> GPPOM:
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
        y_given = y
        X, y = check_fit_input(self, X, y, pair=False)
        cause, record_x = standardize(X)
        effect, record_y = standardize(y)
        result = fit_gppom(
            cause, effect, fit_options=self.fit_options, random_state=self.random_state
        )
        self._flat = np.ndim(y_given) == 1
        self._cause = cause
        self._effect = effect
        self._record_x = record_x
        self._record_y = record_y
        self.fit_result_ = result
        self.latent_ = result.latent
        self.hyperparameters_ = result.hyperparameters
        self.objective_ = result.objective
        self.log_likelihood_ = result.log_likelihood
        self.hsic_ = result.hsic
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        return self

    @default_float_errors()
    def predict(self, X: ArrayLike) -> FloatArray:
        """Return the expected effect at new causes, all fitted θ being equally probable.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features_x)

        Returns
        -------
        ndarray of shape (n_new,) or (n_new, n_outputs)

        Raises
        ------
        NotFittedError
            If called before `fit`.
        TypeError, ValueError
            If X cannot be used, or the fit has more observations than
            `anmmm.gppom.prediction.MAX_SAMPLES`.

        Notes
        -----
        An average over mechanisms: observations need not be near it. O(N³) at each call.
        """
        check_is_fitted(self)
        points, _ = check_new_input(self, X, None)
        predictor = MechanismPredictor(self._cause, self._effect, self.fit_result_)
        with blas_threads_for(len(self.latent_)):
            mean = predictor.mean(self._record_x.apply(points))
        effect = np.asarray(self._record_y.undo(mean))
        return effect[:, 0] if self._flat else effect
