"""Which of two variables is the cause: by description length, or by Algorithm 1 of the paper.

A pair comes in; both directions are described by generative models, or fitted by a GPPOM whose Θ is
tested against its hypothetical cause, and a `DirectionResult` goes out.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from anmmm._record import Record
from anmmm._typing import ArrayLike, FloatArray, RandomState
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
from anmmm.confidence import (
    N_RESAMPLES,
    Resamples,
    confidence_from,
    confidence_of,
    resample_scores,
)
from anmmm.dependence import LatentFits, LatentFitting, dependence_scores, latent_test
from anmmm.evidence import EvidenceResult, beyond_limits, compare, evidence, sign_of
from anmmm.gppom import FitOptions, FitResult
from anmmm.independence import hsic_test
from anmmm.preprocessing import standardize

__all__ = [
    "CRITERIA",
    "CausalDirection",
    "DirectionOptions",
    "DirectionResult",
    "LatentFits",
    "dependence_scores",
    "infer_direction",
    "latent_test",
]

# By direction; -1 is the last one.
RELATIONS = ("undecided", "x→y", "y→x")
INDEPENDENT = "independent"

CRITERIA = ("evidence", "hsic", "hsic_ratio", "pvalue")

# With the growth that suits clusters the criterion errs on f2 and f4 between 200 and 3000
# observations, and with none on f1 from 500 on (docs/results/quality.md).
WEIGHT_GROWTH = 0.25


@dataclass(frozen=True, eq=False, repr=False)
class DirectionResult(Record):
    """Decision on one pair.

    Attributes
    ----------
    direction : int
        1: x causes y; -1: y causes x; 0: undecided.
    score : float
        ``backward_score - forward_score``; positive means x causes y, also where the decision was
        not sure enough.
    forward_score, backward_score : float
        What the criterion compares; lower is better. Under ``"evidence"`` the description length
        of the pair in nats per observation, otherwise the dependence of Θ on the hypothetical
        cause. Forward is the hypothesis that x causes y.
    criterion : str
        Criterion of the scores.
    lam : float
        Weight λ of the HSIC term of the fits. ``"evidence"`` decides without it.
    confidence : float or None
        Probability that the sign of the score is right, from 0.5 to 1, calibrated on simulated
        pairs (docs/method/decisions.md): by the scores of halves where there are some, else under
        ``"evidence"`` by the spread of the observations' lengths, else None.
    resamples : anmmm.confidence.Resamples or None
        Scores of the halves, and the seed that draws them again.
    evidence : EvidenceResult or None
        Both description lengths with their parts; None under the other criteria.
    relation : {"x→y", "y→x", "independent", "undecided"}
        What is said of the pair. ``"independent"`` only under ``"evidence"``: in both directions
        no model of the effect is shorter than one without the cause.
    dependence : float or None
        Nats per observation that the shortest model saves over independence; None under the other
        criteria.
    independence_pvalue : float
        Of the gamma-approximated HSIC test of x and y, made when it is first asked for.
    check_pvalue : float or None
        Whether the model in the decided direction fits: p-value of the HSIC test of the cause and
        what the model leaves unexplained (`anmmm.evidence.check_model`), the larger one of both
        directions where none is decided. Small values warn of a common cause or a mechanism that
        no model describes. None under the other criteria.

    Notes
    -----
    Under ``"evidence"`` no GPPOM is fitted for the decision. The first access to `latent_fits`,
    `forward`, `backward` or one of the p-values then fits both directions, as long as a decision
    by another criterion takes, with the options and the seed of the call, and may issue a
    ``ConvergenceWarning``; the outcome is kept. Under the other criteria everything is there.
    A result can be pickled before and after. Comparing two leaves `evidence` and the fits out.
    """

    direction: int
    score: float
    forward_score: float
    backward_score: float
    criterion: str
    lam: float
    confidence: float | None
    evidence: EvidenceResult | None = field(repr=False, compare=False)
    resamples: Resamples | None = field(repr=False, compare=False)
    # Copies of a result share it, and the fits once they are made.
    _fitting: LatentFitting = field(repr=False, compare=False)

    @property
    def relation(self) -> str:
        """What is said of the pair."""
        if self.direction == 0 and self.evidence is not None and self.evidence.independent:
            return INDEPENDENT
        return RELATIONS[self.direction]

    @property
    def dependence(self) -> float | None:
        """Nats per observation that the shortest model saves over independence."""
        return None if self.evidence is None else self.evidence.dependence

    @cached_property
    def independence_pvalue(self) -> float:
        """P-value of the HSIC test of x and y."""
        return hsic_test(self._fitting.x, self._fitting.y).pvalue

    @property
    def check_pvalue(self) -> float | None:
        """P-value of the check of the model in the decided direction."""
        if self.evidence is None:
            return None
        sides = self.evidence.forward, self.evidence.backward
        shown = sides if self.direction == 0 else sides[:1] if self.direction == 1 else sides[1:]
        return max(side.check.pvalue for side in shown)

    @property
    def latent_fits(self) -> LatentFits:
        """Both GPPOM fits and both tests."""
        return self._fitting.fits

    @property
    def forward(self) -> FitResult:
        """GPPOM fit of the hypothesis that x causes y."""
        return self.latent_fits.forward

    @property
    def backward(self) -> FitResult:
        """GPPOM fit of the hypothesis that y causes x."""
        return self.latent_fits.backward

    @property
    def forward_pvalue(self) -> float:
        """P-value of the HSIC test of Θ and x, Θ fitted with x as the cause.

        Θ was fitted to be independent of this very cause: p-values rank, they do not test.
        """
        return self.latent_fits.forward_test.pvalue

    @property
    def backward_pvalue(self) -> float:
        """P-value of the HSIC test of Θ and y, Θ fitted with y as the cause."""
        return self.latent_fits.backward_test.pvalue

    @property
    def converged(self) -> bool:
        """Whether what was compared converged: the chosen models, or both GPPOM fits."""
        sides = self.evidence or self.latent_fits
        return sides.forward.converged and sides.backward.converged

    @property
    def n_iter(self) -> int:
        """Iterations of the longest run: of the mixtures, or of both GPPOM fits."""
        sides = self.evidence or self.latent_fits
        return max(sides.forward.n_iter, sides.backward.n_iter)


@dataclass(frozen=True, eq=False, repr=False)
class DirectionOptions(Record):
    """Options of `infer_direction`, checked, which hold for any pair."""

    lam: float
    criterion: str
    n_resamples: int
    min_confidence: float
    fit: FitOptions

    @classmethod
    def check(
        cls,
        *,
        lam: float = 1.0,
        criterion: str = "auto",
        n_resamples: int = 0,
        min_confidence: float | None = None,
        **fit_options: Any,
    ) -> DirectionOptions:
        """Refuse what no decision can use."""
        count = check_count(n_resamples, "n_resamples", minimum=0)
        if count == 1:
            raise ValueError("n_resamples must be 0 or at least 2: one half has no spread; found 1")
        if min_confidence is not None:
            check_between(min_confidence, "min_confidence", 0.5, 1.0)
        return cls(
            lam=check_nonnegative(lam, "lam"),
            criterion=check_choice(criterion, "criterion", ("auto", *CRITERIA)),
            n_resamples=count,
            min_confidence=0.0 if min_confidence is None else float(min_confidence),
            fit=FitOptions.from_keywords({"weight_growth": WEIGHT_GROWTH, **fit_options}),
        )


def infer_direction(
    x: ArrayLike,
    y: ArrayLike,
    *,
    lam: float = 1.0,
    criterion: str = "auto",
    n_resamples: int = 0,
    min_confidence: float | None = None,
    random_state: RandomState = None,
    **fit_options: Any,
) -> DirectionResult:
    """Decide whether x causes y or y causes x.

    By default each direction is a generative model of the pair, a density of the cause and a model
    of the effect given the cause, and the one that encodes the data shorter wins. Under the other
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
        ``"auto"``: ``"evidence"``, but ``"hsic"`` where a variable of several columns takes the
        pair beyond 16 columns in all or below 10 observations for each; the result names the one
        taken.
        ``"evidence"``: description length in nats per observation; see `anmmm.evidence`.
        ``"hsic"``: the term ``log(HSIC_b + ε₀)`` of the objective under the fitted kernels (the
        paper; the logarithm orders alike and is the scale on which the fit weighs it).
        ``"hsic_ratio"``: statistic of the gamma-approximated HSIC test of (Θ, cause) divided by
        its 5 % threshold (the authors' program). ``"pvalue"``: minus the logarithm of that test's
        p-value.
    n_resamples : int
        Random halves of the data that are scored too, and then make the ``confidence``: 0 for none,
        or 2 or more. The calibration is for 10 and ``"evidence"``, which has a confidence without
        them. Each costs a decision on half of the data.
    min_confidence : float, optional
        Between 0.5 and 1: a decision of less confidence is 0, undecided. Under another criterion
        than ``"evidence"`` it takes 10 halves where `n_resamples` is 0.
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
    (docs/method/decisions.md). It takes some 25 ms for 100 observations and is linear in their
    number but for two sorts.

    The other criteria take two fits and two HSIC tests. They are made for mixtures: on data of a
    single mechanism they are no better than chance, with large scores (docs/results/quality.md).

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
    >>> result = infer_direction(x, y)
    >>> result.evidence.forward.model, result.evidence.forward.n_mechanisms
    ('anm-2', 2)
    """
    first, second = as_pair(x, y)
    options = DirectionOptions.check(
        lam=lam, criterion=criterion, n_resamples=n_resamples, min_confidence=min_confidence,
        **fit_options,
    )  # fmt: skip
    criterion = options.criterion
    if criterion == "auto":
        criterion = "hsic" if beyond_limits(first, second) else "evidence"
    rng = check_rng(random_state)
    seed, resample_seed = (int(number) for number in rng.integers(2**63, size=2))
    # The fits of an evidence come later, but what is wrong with their options is said now.
    options.fit.grown(options.lam, len(first))

    def fitting_of(x: FloatArray, y: FloatArray) -> LatentFitting:
        return LatentFitting(standardize(x)[0], standardize(y)[0], options.lam, options.fit, seed)

    def latent_scores(fitting: LatentFitting) -> tuple[float, float]:
        return dependence_scores(fitting.fits, criterion, options.fit.hsic_floor)

    fitting = fitting_of(first, second)

    lengths = None
    if criterion == "evidence":
        lengths = evidence(first, second)
        _warn_of_convergence(lengths)
        forward_score, backward_score = lengths.forward_score, lengths.backward_score
        score = lengths.score
    else:
        forward_score, backward_score = latent_scores(fitting)
        score = backward_score - forward_score
    resamples = None
    confidence = None if lengths is None else confidence_of(lengths)
    count = options.n_resamples
    if confidence is None and options.min_confidence > 0.0:
        count = count or N_RESAMPLES
    if count:

        def score_half(x: FloatArray, y: FloatArray) -> float:
            if criterion == "evidence":
                return compare(x, y).score
            forward, backward = latent_scores(fitting_of(x, y))
            return backward - forward

        with warnings.catch_warnings():
            # Whether a half converged is no news about the decision.
            warnings.simplefilter("ignore", ConvergenceWarning)
            resamples = resample_scores(
                first, second, score_half, n_resamples=count,
                random_state=resample_seed,
            )  # fmt: skip
        confidence = confidence_from(score, resamples)
    sure = confidence is None or confidence >= options.min_confidence
    return DirectionResult(
        direction=sign_of(score) if sure else 0,
        score=score,
        forward_score=forward_score,
        backward_score=backward_score,
        criterion=criterion,
        lam=options.lam,
        evidence=lengths,
        confidence=confidence,
        resamples=resamples,
        _fitting=fitting,
    )


class CausalDirection(BaseEstimator):  # type: ignore[misc]
    """Causal direction of a pair as a scikit-learn estimator.

    Parameters
    ----------
    lam, criterion, n_resamples, min_confidence, random_state
        See `infer_direction`.
    fit_options : dict, optional
        Fields of `anmmm.gppom.FitOptions`; ``weight_growth`` is 0.25 here.

    Attributes
    ----------
    direction_ : int
        1: the first variable causes the second; -1: the reverse; 0: undecided.
    score_ : float
        ``backward_score_ - forward_score_``.
    forward_score_, backward_score_ : float
        What the criterion compares; lower is better.
    forward_pvalue_, backward_pvalue_ : float
        Gamma-approximated HSIC test of (Θ, cause); not calibrated. Under ``"evidence"`` the first
        access fits both directions, see `DirectionResult`.
    confidence_ : float or None
        Probability that the sign of the score is right; see `DirectionResult`.
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
        random_state: RandomState = None,
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

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> CausalDirection:
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
        result = infer_direction(
            first, second, lam=self.lam, criterion=self.criterion, n_resamples=self.n_resamples,
            min_confidence=self.min_confidence, random_state=self.random_state,
            **(self.fit_options or {}),
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


def _warn_of_convergence(lengths: EvidenceResult) -> None:
    for hypothesis, side in (("x causes y", lengths.forward), ("y causes x", lengths.backward)):
        if not side.converged:
            warn_caller(
                f"model {side.model!r} of the hypothesis that {hypothesis} stopped without "
                "converging, so its description length may be too large; do not trust a score "
                "near 0",
                ConvergenceWarning,
            )
