"""Algorithm 1: which of two variables is the cause.

A pair comes in; both directions are fitted, the dependence of Θ on its hypothetical cause is
scored, and a `DirectionResult` goes out.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from anmmm._validation import as_pair, check_choice, check_fit_input, check_nonnegative, check_rng
from anmmm.gppom import FitOptions, fit_gppom
from anmmm.independence import hsic_test
from anmmm.preprocessing import standardise
from anmmm.results import DirectionResult, FitResult, HSICTest

__all__ = ["CRITERIA", "CausalDirection", "infer_direction"]

FloatArray = NDArray[np.float64]

CRITERIA = ("hsic", "hsic_ratio", "pvalue")

# With the growth that suits clusters the criterion errs on f2 and f4 between 200 and 3000
# observations, and with none on f1 from 500 on (docs/quality.md).
WEIGHT_GROWTH = 0.25


def infer_direction(
    x: Any,
    y: Any,
    *,
    lam: float = 1.0,
    criterion: str = "hsic",
    random_state: Any = None,
    **fit_options: Any,
) -> DirectionResult:
    """Decide whether x causes y or y causes x (Algorithm 1 of the paper).

    A GPPOM is fitted in both directions. The direction in which Θ depends less on its hypothetical
    cause wins; equal scores leave the pair undecided.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        The two variables, at least 10 observations.
    lam : float
        Weight λ of the HSIC term of the objective, at up to 100 observations; it grows with more
        (``weight_growth``).
    criterion : {"hsic", "hsic_ratio", "pvalue"}
        ``"hsic"``: the term ``log(HSIC_b + ε₀)`` of the objective under the fitted kernels (the
        paper; the logarithm orders alike and is the scale on which the fit weighs it).
        ``"hsic_ratio"``: statistic of the gamma-approximated HSIC test of (Θ, cause) divided by
        its 5 % threshold (the authors' program). ``"pvalue"``: minus the logarithm of that test's
        p-value.
    random_state : None, int or Generator
        Seeds what is drawn in a fit (see `anmmm.gppom.fit_gppom`); both directions get the same
        seed, so exchanging x and y exactly reverses the score.
    **fit_options
        Fields of `anmmm.gppom.FitOptions`; ``weight_growth`` is 0.25 here.

    Returns
    -------
    DirectionResult
        ``direction`` is 1 where x causes y, -1 where y causes x, 0 if undecided.

    Raises
    ------
    TypeError, ValueError
        If the data or an option cannot be used; the message names it.

    Warns
    -----
    ConvergenceWarning
        If a fit did not converge.

    Notes
    -----
    Two fits, and two HSIC tests. The model assumes that one of the two directions holds with
    additive noise; on data of a single mechanism with other noise it can be wrong with a large
    score (docs/quality.md).

    References
    ----------
    Hu, Chen, Partovi Nia, Chan, Geng: Causal Inference and Mechanism Clustering of a Mixture of
    Additive Noise Models. NeurIPS 2018, Algorithm 1.

    Examples
    --------
    >>> from anmmm import infer_direction
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> infer_direction(x, y).direction
    1
    >>> infer_direction(y, x).direction
    -1
    """
    first, second = as_pair(x, y)
    return _decide(first, second, lam, criterion, random_state, fit_options)


class CausalDirection(BaseEstimator):  # type: ignore[misc]
    """Causal direction of a pair as a scikit-learn estimator; see `infer_direction`.

    Parameters
    ----------
    lam : float, default=1.0
        Weight λ of the HSIC term.
    criterion : {"hsic", "hsic_ratio", "pvalue"}, default="hsic"
        What is compared between the directions.
    fit_options : dict, optional
        Fields of `anmmm.gppom.FitOptions`; ``weight_growth`` is 0.25 here.
    random_state : None, int or RandomState
        Seed of both fits.

    Attributes
    ----------
    direction_ : int
        1: the first variable causes the second; -1: the reverse; 0: undecided.
    score_ : float
        ``backward_score_ - forward_score_``.
    forward_score_, backward_score_ : float
        Dependence of Θ on the hypothetical cause; lower is more independent.
    forward_pvalue_, backward_pvalue_ : float
        Gamma-approximated HSIC test of (Θ, cause); not calibrated.
    result_ : DirectionResult
        Everything, with both fits.
    n_iter_ : int
        L-BFGS iterations of the longer fit.
    n_features_in_ : int
        Columns of X.

    Examples
    --------
    >>> import numpy as np
    >>> from anmmm import CausalDirection
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, labels = make_anm_mixture("f3", random_state=1)
    >>> CausalDirection().fit(np.column_stack([x, y])).direction_
    1
    """

    def __init__(
        self,
        lam: float = 1.0,
        *,
        criterion: str = "hsic",
        fit_options: dict[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.lam = lam
        self.criterion = criterion
        self.fit_options = fit_options
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that y may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any = None) -> CausalDirection:
        """Decide the direction of one pair.

        Parameters
        ----------
        X : array-like of shape (n_samples, 2), or (n_samples, n_features) with `y`
            The two variables as columns; or the first variable alone.
        y : array-like of shape (n_samples,) or (n_samples, n_features), optional
            The second variable, where X holds the first.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If the data or a parameter cannot be used.
        """
        first, second = check_fit_input(self, X, y, pair=True)
        options = dict(self.fit_options or {})
        result = _decide(first, second, self.lam, self.criterion, self.random_state, options)
        self.result_ = result
        self.direction_ = result.direction
        self.score_ = result.score
        self.forward_score_ = result.forward_score
        self.backward_score_ = result.backward_score
        self.forward_pvalue_ = result.forward_pvalue
        self.backward_pvalue_ = result.backward_pvalue
        self.n_iter_ = max(result.forward.n_iter, result.backward.n_iter)
        return self


def _decide(
    x: FloatArray,
    y: FloatArray,
    lam: Any,
    criterion: Any,
    random_state: Any,
    fit_options: dict[str, Any],
) -> DirectionResult:
    lam = check_nonnegative(lam, "lam")
    criterion = check_choice(criterion, "criterion", CRITERIA)
    options = FitOptions.from_keywords({"weight_growth": WEIGHT_GROWTH, **fit_options})
    seed = int(check_rng(random_state).integers(2**63))
    x, y = standardise(x)[0], standardise(y)[0]

    forward = fit_gppom(x, y, lam=lam, options=options, random_state=seed)
    backward = fit_gppom(y, x, lam=lam, options=options, random_state=seed)
    forward_test = _test_latent(forward.latent, x)
    backward_test = _test_latent(backward.latent, y)
    forward_score = _score(criterion, forward, forward_test, options.hsic_floor)
    backward_score = _score(criterion, backward, backward_test, options.hsic_floor)
    score = backward_score - forward_score
    return DirectionResult(
        direction=int(np.sign(score)),
        score=score,
        forward_score=forward_score,
        backward_score=backward_score,
        forward_pvalue=forward_test.pvalue,
        backward_pvalue=backward_test.pvalue,
        criterion=criterion,
        lam=lam,
        forward=forward,
        backward=backward,
    )


def _score(criterion: str, fit: FitResult, test: HSICTest, hsic_floor: float) -> float:
    if criterion == "hsic":
        # Rounding can leave an HSIC of zero a little below it, and both may be zero where λ is.
        return math.log(max(fit.hsic + hsic_floor, sys.float_info.min))
    if criterion == "hsic_ratio":
        return test.statistic / test.threshold
    return -test.log_pvalue


def _test_latent(latent: FloatArray, cause: FloatArray) -> HSICTest:
    varying = latent[:, np.ptp(latent, axis=0) > 1e-12]
    if varying.shape[1] == 0:
        # A latent that collapsed to a constant is independent of everything.
        return HSICTest(statistic=0.0, threshold=1.0, pvalue=1.0, log_pvalue=0.0)
    return hsic_test(varying, cause)
