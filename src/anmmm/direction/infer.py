"""A pair comes in; both directions are described or fitted, and the decision goes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anmmm._categories import Variables, as_variables
from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._validation import check_rng
from anmmm._warning import unconverged_untold, warn_unconverged
from anmmm.confidence import (
    N_RESAMPLES,
    Resamples,
    confidence_from,
    confidence_of,
    resample_scores,
)
from anmmm.dependence import LatentFitting, dependence_scores
from anmmm.direction.far import WithoutFar, without_far
from anmmm.direction.options import DirectionOptions
from anmmm.direction.result import DirectionResult
from anmmm.evidence import (
    DirectionEvidence,
    EvidenceResult,
    beyond_limits,
    compare,
    sign_of,
)
from anmmm.evidence.variable import Describe, Variable
from anmmm.preprocessing import indicators, standardize


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
        The two variables, at least 10 observations; text and columns of a category type (pandas,
        polars, Arrow) are categories, up to 32. Categories with an order are numbered by it.
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
        Fields of `anmmm.gppom.FitOptions`; ``weight_growth`` is 0.25 here and ``subsample`` None.
        ``"evidence"`` checks them and decides without them: they shape the fits in the result.

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
    mechanisms with additive noise; or from one mechanism whose noise has a scale that depends on
    the cause, which is seen through a monotone function, is cut into levels, or is the mean of
    counts; and that nothing else causes both variables. Binary, ordered and grouped values and
    counts are known by their values. Text and unordered categories are names: as a cause they have
    a number each, as an effect probabilities that are smooth functions of the cause. It fails
    where no direction is distinguished (a linear mechanism with Gaussian noise: the score is then
    near 0), where several overlapping mechanisms meet few observations, and on more than a quarter
    of the Tübingen pairs (docs/method/decisions.md). It takes some 10 ms for 100 observations and
    is linear in their number but for two sorts. Where values lie far from all others, as codes for
    missing ones do, or are heaped at their end, as at the limit of an instrument, the pair is
    decided again without them, and is sure only if the rest bears it out (`anmmm.WithoutFar`).

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
    variables = as_variables(x, y)
    options = DirectionOptions.check(
        lam=lam,
        criterion=criterion,
        n_resamples=n_resamples,
        min_confidence=min_confidence,
        **fit_options,
    )
    return infer_checked(variables, options, random_state)


def infer_checked(
    variables: Variables,
    options: DirectionOptions,
    random_state: RandomState,
    describe: Describe = Variable.of,
) -> DirectionResult:
    """Do what `infer_direction` does for what is checked; for `describe` see `compare`."""
    first, second, categorical = variables
    criterion = options.criterion
    problem = beyond_limits(first, second)
    if criterion == "auto":
        criterion = "hsic" if problem else "evidence"
    elif criterion == "evidence" and problem:
        raise ValueError(problem)
    if any(categorical) and criterion != "evidence":
        raise ValueError(
            f"criterion {criterion!r} needs numbers, but {'x' if categorical[0] else 'y'} holds "
            "categories; leave the criterion out, or pass indicators of the categories"
        )
    rng = check_rng(random_state)
    seed, resample_seed = (int(number) for number in rng.integers(2**63, size=2))
    # The fits of an evidence come later, but what is wrong with their options is said now.
    options.fit.grown(options.lam, len(first))
    scoring = _Scoring(criterion, options, seed, categorical)
    lengths, beside = None, None
    if criterion == "evidence":
        lengths = compare(first, second, categorical=categorical, describe=describe)
        beside = without_far(first, second, scoring.lengths, categorical)
    fitting = scoring.fitting(first, second, lengths)
    if lengths is None:
        forward_score, backward_score = scoring.latent_scores(fitting)
        score = backward_score - forward_score
    else:
        _warn_of_convergence(lengths)
        forward_score, backward_score = lengths.forward_score, lengths.backward_score
        score = lengths.score
    known = None if lengths is None else confidence_of(lengths)
    direction, confidence, resamples = decide(
        first, second, score, known, scoring.score, options, resample_seed, beside
    )
    return DirectionResult(
        direction=direction,
        score=score,
        forward_score=forward_score,
        backward_score=backward_score,
        criterion=criterion,
        lam=options.lam,
        evidence=lengths,
        confidence=confidence,
        resamples=resamples,
        without_far=beside,
        _fitting=fitting,
    )


def decide(
    x: FloatArray,
    y: FloatArray,
    score: float,
    known: float | None,
    score_of: Callable[[FloatArray, FloatArray], float],
    options: DirectionOptions,
    seed: int,
    beside: WithoutFar | None = None,
) -> tuple[int, float | None, Resamples | None]:
    """Return the direction of a score, the confidence in it, `known` or by halves, and the halves.

    Halves are scored where the options ask for them, or for a confidence that nothing else gives.
    The decision without far observations, `beside`, limits it.
    """
    resamples, confidence, count = None, known, options.n_resamples
    if confidence is None and options.min_confidence > 0.0:
        count = count or N_RESAMPLES
    if count:
        # Whether a half converged is no news about the decision.
        with unconverged_untold():
            resamples = resample_scores(x, y, score_of, n_resamples=count, random_state=seed)
        confidence = confidence_from(score, resamples)
    if confidence is not None and beside is not None:
        confidence = min(confidence, beside.limit(sign_of(score)))
    enough = confidence is None or confidence >= options.min_confidence
    return sign_of(score) if enough else 0, confidence, resamples


@dataclass(frozen=True)
class _Scoring:
    """What a pair and its halves are scored by."""

    criterion: str
    options: DirectionOptions
    seed: int
    categorical: tuple[bool, bool]

    def fitting(
        self, x: FloatArray, y: FloatArray, known: EvidenceResult | None = None
    ) -> LatentFitting:
        options = self.options
        sides = () if known is None else (known.forward, known.backward)
        # Standardized already.
        points = [side.points for side in sides if isinstance(side, DirectionEvidence)]
        if not points:
            points = [
                standardize(indicators(variable[:, 0]) if categorical else variable)[0]
                for variable, categorical in zip((x, y), self.categorical, strict=True)
            ]
        return LatentFitting(points[0], points[1], options.lam, options.fit, self.seed)

    def latent_scores(self, fitting: LatentFitting) -> tuple[float, float]:
        return dependence_scores(fitting.fits, self.criterion, self.options.fit.hsic_floor)

    def lengths(self, x: FloatArray, y: FloatArray) -> EvidenceResult:
        return compare(x, y, categorical=self.categorical)

    def score(self, x: FloatArray, y: FloatArray) -> float:
        if self.criterion == "evidence":
            return self.lengths(x, y).score
        forward, backward = self.latent_scores(self.fitting(x, y))
        return backward - forward


def _warn_of_convergence(lengths: EvidenceResult) -> None:
    sides = {"x causes y": lengths.forward, "y causes x": lengths.backward}
    for hypothesis, side in sides.items():
        if not side.converged:
            warn_unconverged(
                f"model {side.model!r} of the hypothesis that {hypothesis} stopped without "
                "converging, so its description length may be too large; do not trust a score "
                "near 0"
            )
