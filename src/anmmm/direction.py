"""Which of two variables is the cause: by description length, or by Algorithm 1 of the paper.

A pair comes in; both directions are described by generative models, or fitted by a GPPOM whose Θ is
tested against its hypothetical cause, and a `DirectionResult` goes out.
"""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from anmmm._typing import FloatArray
from anmmm._validation import (
    as_pair,
    check_between,
    check_choice,
    check_count,
    check_fit_input,
    check_nonnegative,
    check_rng,
)
from anmmm._warning import warn_caller
from anmmm.confidence import N_RESAMPLES, confidence_from, resample_scores
from anmmm.evidence import evidence
from anmmm.gppom import FitOptions, check_fit, fit_gppom
from anmmm.independence import hsic_test
from anmmm.preprocessing import standardise
from anmmm.results import (
    DirectionResult,
    EvidenceResult,
    FitResult,
    HSICTest,
    LatentFits,
    sign_of,
)

__all__ = ["CRITERIA", "CausalDirection", "dependence_scores", "infer_direction", "latent_test"]

CRITERIA = ("evidence", "hsic", "hsic_ratio", "pvalue")

# With the growth that suits clusters the criterion errs on f2 and f4 between 200 and 3000
# observations, and with none on f1 from 500 on (docs/quality.md).
WEIGHT_GROWTH = 0.25


def infer_direction(
    x: Any,
    y: Any,
    *,
    lam: float = 1.0,
    criterion: str = "auto",
    n_resamples: int = 0,
    min_confidence: float | None = None,
    random_state: Any = None,
    **fit_options: Any,
) -> DirectionResult:
    """Decide whether x causes y or y causes x.

    By default each direction is a generative model of the pair, a density of the cause and a model
    of the effect given the cause, and the one that tells the data shorter wins. Under the other
    criteria (Algorithm 1 of the paper) a GPPOM is fitted in both directions, and the one in which
    Θ depends less on its hypothetical cause wins. Scores that differ by at most 1e-5, the
    tolerance of the fits behind them, leave the pair undecided.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        The two variables, at least 10 observations.
    lam : float
        Weight λ of the HSIC term of the objective of a GPPOM, at up to 100 observations; it grows
        with more (``weight_growth``). ``"evidence"`` decides without it.
    criterion : {"auto", "evidence", "hsic", "hsic_ratio", "pvalue"}
        ``"auto"``: ``"evidence"`` where both variables have one column, ``"hsic"`` otherwise; the
        result names the one taken.
        ``"evidence"``: description length in nats per observation; see `anmmm.evidence`.
        ``"hsic"``: the term ``log(HSIC_b + ε₀)`` of the objective under the fitted kernels (the
        paper; the logarithm orders alike and is the scale on which the fit weighs it).
        ``"hsic_ratio"``: statistic of the gamma-approximated HSIC test of (Θ, cause) divided by
        its 5 % threshold (the authors' program). ``"pvalue"``: minus the logarithm of that test's
        p-value.
    n_resamples : int
        Random halves of the data that are scored too, for ``confidence``: 0 for none, or 2 or more.
        The calibration is for 10 and ``"evidence"``. Each costs a decision on half of the data.
    min_confidence : float, optional
        Between 0.5 and 1: a decision of less confidence is 0, undecided. Takes 10 halves where
        `n_resamples` is 0.
    random_state : None, int or Generator
        Seeds the halves and what is drawn in a fit (see `anmmm.gppom.fit_gppom`); both directions
        get the same seeds. The score of ``"evidence"`` itself draws nothing. Exchanging x and y
        exactly reverses the score and keeps the confidence.
    **fit_options
        Fields of `anmmm.gppom.FitOptions`; ``weight_growth`` is 0.25 here. ``"evidence"`` checks
        them and decides without them: they shape the fits in the result.

    Returns
    -------
    DirectionResult
        ``direction`` is 1 where x causes y, -1 where y causes x, 0 if undecided (scores that
        differ by at most 1e-5, or a confidence below `min_confidence`).

    Raises
    ------
    TypeError, ValueError
        If the data or an option cannot be used; the message names it.

    Warns
    -----
    ConvergenceWarning
        If a fit, or the chosen model of a direction, did not converge.

    Notes
    -----
    ``"evidence"`` assumes that in the true direction the effect comes from one to four smooth
    mechanisms with additive noise, or from one mechanism whose noise has a scale that depends on
    the cause, and that nothing else causes both variables. It fails where no direction is
    distinguished (a linear mechanism with Gaussian noise: the score is then near 0), where several
    overlapping mechanisms meet few observations, and on about a third of the Tübingen pairs
    (docs/decisions.md). It takes some 25 ms for 100 observations and is linear in their number but
    for two sorts. ``forward``, ``backward`` and their p-values are GPPOM fits that it does not
    need; they are made when first asked for (`DirectionResult`).

    The other criteria take two fits and two HSIC tests. They are made for mixtures: on data of a
    single mechanism they are no better than chance, with large scores (docs/quality.md).

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
    >>> result = infer_direction(x, y)
    >>> result.evidence.forward.model, result.evidence.forward.n_mechanisms
    ('anm-2', 2)
    >>> infer_direction(x, y, criterion="hsic").direction
    1
    """
    first, second = as_pair(x, y)
    return _decide(
        first, second, lam, criterion, n_resamples, min_confidence, random_state, fit_options
    )


class CausalDirection(BaseEstimator):  # type: ignore[misc]
    """Causal direction of a pair as a scikit-learn estimator; see `infer_direction`.

    Parameters
    ----------
    lam : float, default=1.0
        Weight λ of the HSIC term; ``"evidence"`` decides without it.
    criterion : {"auto", "evidence", "hsic", "hsic_ratio", "pvalue"}, default="auto"
        What is compared between the directions. ``"auto"`` is ``"evidence"`` where both variables
        have one column, and ``"hsic"`` otherwise.
    n_resamples : int, default=0
        Random halves that are scored for `confidence_`; see `infer_direction`.
    min_confidence : float, optional
        Decisions of less confidence are 0.
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
        Description length in nats per observation, or dependence of Θ on the hypothetical cause;
        lower is better.
    forward_pvalue_, backward_pvalue_ : float
        Gamma-approximated HSIC test of (Θ, cause); not calibrated. Under ``"evidence"`` the first
        access fits both directions, see `DirectionResult`.
    confidence_ : float or None
        Probability that the sign of the score is right, where halves were scored.
    result_ : DirectionResult
        Everything.
    n_iter_ : int
        Iterations of the longest run: of the mixtures under ``"evidence"``, otherwise of L-BFGS.
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
        criterion: str = "auto",
        n_resamples: int = 0,
        min_confidence: float | None = None,
        fit_options: dict[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.lam = lam
        self.criterion = criterion
        self.n_resamples = n_resamples
        self.min_confidence = min_confidence
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
        result = _decide(
            first, second, self.lam, self.criterion, self.n_resamples, self.min_confidence,
            self.random_state, options,
        )  # fmt: skip
        self.result_ = result
        self.direction_ = result.direction
        self.score_ = result.score
        self.forward_score_ = result.forward_score
        self.backward_score_ = result.backward_score
        self.confidence_ = result.confidence
        self.n_iter_ = result.n_iter
        return self

    @property
    def forward_pvalue_(self) -> float:
        """P-value of the HSIC test of Θ and the first variable as the cause."""
        check_is_fitted(self)
        return self.result_.forward_pvalue

    @property
    def backward_pvalue_(self) -> float:
        """P-value of the HSIC test of Θ and the second variable as the cause."""
        check_is_fitted(self)
        return self.result_.backward_pvalue


def dependence_scores(
    fits: LatentFits, criterion: str, hsic_floor: float = FitOptions.hsic_floor
) -> tuple[float, float]:
    """Score both directions by the dependence of Θ on its hypothetical cause.

    Parameters
    ----------
    fits : LatentFits
    criterion : {"hsic", "hsic_ratio", "pvalue"}
    hsic_floor : float
        ε₀ of the fits.

    Returns
    -------
    forward, backward : float
        Lower is more independent.
    """
    return (
        _score(criterion, fits.forward, fits.forward_test, hsic_floor),
        _score(criterion, fits.backward, fits.backward_test, hsic_floor),
    )


def latent_test(latent: FloatArray, cause: FloatArray) -> HSICTest:
    """Test a fitted Θ and its cause for independence by HSIC.

    Parameters
    ----------
    latent : ndarray of shape (n_samples, n_latent)
        Its constant columns are left out.
    cause : ndarray of shape (n_samples, n_features)

    Returns
    -------
    HSICTest
        Of p-value 1 if nothing is left of Θ. Θ was fitted to be independent of this cause, so the
        p-value ranks, it does not test.

    Notes
    -----
    Cost as that of `anmmm.hsic_test`.
    """
    varying = latent[:, np.ptp(latent, axis=0) > 1e-12]
    if varying.shape[1] == 0:
        # A latent that collapsed to a constant is independent of everything.
        return HSICTest(statistic=0.0, threshold=1.0, pvalue=1.0, log_pvalue=0.0)
    return hsic_test(varying, cause)


@dataclass(frozen=True, eq=False)
class _Plan:
    """Both fits before they are made: standardised data, options and seed."""

    x: FloatArray
    y: FloatArray
    lam: float
    options: FitOptions
    seed: int

    def fit(self) -> LatentFits:
        x, y, lam, options, seed = self.x, self.y, self.lam, self.options, self.seed
        forward = fit_gppom(x, y, lam=lam, options=options, random_state=seed)
        backward = fit_gppom(y, x, lam=lam, options=options, random_state=seed)
        return LatentFits(
            forward=forward,
            backward=backward,
            forward_test=latent_test(forward.latent, x),
            backward_test=latent_test(backward.latent, y),
        )


class _Fits:
    """Hands out both fits; made when first called for, unless they are there already."""

    def __init__(self, state: _Plan | LatentFits) -> None:
        self._state = state

    def __call__(self) -> LatentFits:
        # One attribute, read once: two threads may both fit, to the same end, but none sees half.
        state = self._state
        if isinstance(state, _Plan):
            self._state = state = state.fit()
        return state


def _decide(
    x: FloatArray,
    y: FloatArray,
    lam: Any,
    criterion: Any,
    n_resamples: Any,
    min_confidence: Any,
    random_state: Any,
    fit_options: dict[str, Any],
) -> DirectionResult:
    lam = check_nonnegative(lam, "lam")
    criterion = check_choice(criterion, "criterion", ("auto", *CRITERIA))
    if criterion == "auto":
        criterion = "evidence" if x.shape[1] == y.shape[1] == 1 else "hsic"
    options = FitOptions.from_keywords({"weight_growth": WEIGHT_GROWTH, **fit_options})
    n_resamples, smallest = _check_confidence(n_resamples, min_confidence)
    rng = check_rng(random_state)
    seed, resample_seed = (int(number) for number in rng.integers(2**63, size=2))

    def planned(first: FloatArray, second: FloatArray) -> _Plan:
        return _Plan(standardise(first)[0], standardise(second)[0], lam, options, seed)

    def compared(fits: LatentFits) -> tuple[float, float]:
        return dependence_scores(fits, criterion, options.hsic_floor)

    plan, told = planned(x, y), None
    if criterion == "evidence":
        # The fits come later, but what is wrong with their options is said now.
        check_fit(plan.x, plan.y, lam=lam, options=options)
        told = evidence(x, y)
        _warn_of_convergence(told)
        fits = _Fits(plan)
        forward_score, backward_score = told.forward_score, told.backward_score
        score = told.score
    else:
        made = plan.fit()
        fits = _Fits(made)
        forward_score, backward_score = compared(made)
        score = backward_score - forward_score
    resamples = confidence = None
    if n_resamples:

        def score_part(first: FloatArray, second: FloatArray) -> float:
            if criterion == "evidence":
                return evidence(first, second).score
            forward, backward = compared(planned(first, second).fit())
            return backward - forward

        with warnings.catch_warnings():
            # Whether a half converged is no news about the decision.
            warnings.simplefilter("ignore", ConvergenceWarning)
            resamples = resample_scores(
                x, y, score_part, n_resamples=n_resamples, random_state=resample_seed
            )
        confidence = confidence_from(score, resamples)
    sure = confidence is None or confidence >= smallest
    return DirectionResult(
        direction=sign_of(score) if sure else 0,
        score=score,
        forward_score=forward_score,
        backward_score=backward_score,
        criterion=criterion,
        lam=lam,
        evidence=told,
        confidence=confidence,
        resamples=resamples,
        _fits=fits,
    )


def _check_confidence(n_resamples: Any, min_confidence: Any) -> tuple[int, float]:
    count = check_count(n_resamples, "n_resamples", minimum=0)
    if count == 1:
        raise ValueError("n_resamples must be 0 or at least 2: one half has no spread; found 1")
    if min_confidence is None:
        return count, 0.0
    smallest = check_between(min_confidence, "min_confidence", 0.5, 1.0)
    return count or N_RESAMPLES, smallest


def _warn_of_convergence(told: EvidenceResult) -> None:
    for hypothesis, side in (("x causes y", told.forward), ("y causes x", told.backward)):
        if not side.converged:
            warn_caller(
                f"model {side.model!r} of the hypothesis that {hypothesis} stopped without "
                "converging, so its description length may be too large; do not trust a score "
                "near 0",
                ConvergenceWarning,
            )


def _score(criterion: str, fit: FitResult, test: HSICTest, hsic_floor: float) -> float:
    if criterion == "hsic":
        # Rounding can leave an HSIC of zero a little below it, and both may be zero where λ is.
        return math.log(max(fit.hsic + hsic_floor, sys.float_info.min))
    if criterion == "hsic_ratio":
        return test.statistic / test.threshold
    return -test.log_pvalue
