"""The decision on one pair: evidence or fits of both directions, confidence, outliers, result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from anmmm._categories import Variables, complete_variables
from anmmm._columns import takes_pairs, variable_names
from anmmm._compiling import listening
from anmmm._record import Record, computed
from anmmm._typing import ArrayLike, Missing, RandomState
from anmmm._validation import check_choice, check_flag, check_rng
from anmmm._warning import warn_unconverged
from anmmm.dependence import fit_both
from anmmm.direction.caveats import largest_confidence, outlier_cells, pair_caveats
from anmmm.direction.hypotheses import Hypotheses
from anmmm.direction.outcome import measured_note
from anmmm.direction.prior import PRIORS, Prior, log_odds
from anmmm.direction.result import FIT_DEFAULTS, DirectionResult
from anmmm.evidence import EvidenceResult
from anmmm.evidence.common_cause import MAX_ROWS
from anmmm.evidence.lengths import compare
from anmmm.evidence.variable import Describe, Variable
from anmmm.evidence.vectors import column_limit_error
from anmmm.gppom import FitOptions

Criterion = Literal["evidence", "hsic", "hsic_ratio"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


class DirectionOptions(Record):
    """Options of `infer_direction`, checked, the same for all pairs."""

    criterion: Criterion = "evidence"
    fit_options: FitOptions | Mapping[str, Any] | None = None
    common_cause: bool = True
    prior: Prior = "learned"

    def __post_init__(self) -> None:
        """Raise if an option is invalid for any pair."""
        check_choice(self.criterion, "criterion", CRITERIA)
        check_flag(self.common_cause, "common_cause")
        check_choice(self.prior, "prior", PRIORS)
        if self.criterion == "evidence" and self.fit_options is not None:
            raise ValueError(
                "fit_options has no effect under criterion 'evidence', which fits no Θ; leave it "
                "out, or choose the criterion 'hsic'"
            )
        for name, default in (("common_cause", True), ("prior", "learned")):
            if getattr(self, name) != default and self.criterion != "evidence":
                raise ValueError(
                    f"{name} has no effect under criterion {self.criterion!r}; leave it out"
                )
        if self.criterion != "evidence":
            FitOptions.of(self.fit_options)

    @computed
    def fit(self) -> FitOptions:
        """How Θ is fitted, with defaults filled in."""
        return FitOptions.of(self.fit_options).filled(**FIT_DEFAULTS)


@takes_pairs
def infer_direction(
    x: ArrayLike,
    y: ArrayLike,
    *,
    criterion: Criterion = "evidence",
    fit_options: FitOptions | Mapping[str, Any] | None = None,
    common_cause: bool = True,
    prior: Prior = "learned",
    missing: Missing = "raise",
    random_state: RandomState = None,
) -> DirectionResult:
    """Decide whether x causes y or y causes x.

    By default each direction is a generative model of the pair, a density of the cause and a model
    of the effect given the cause. How much shorter one encodes the data, weighed with plain
    features of the pair (see `prior`), decides. Under the other criteria (Algorithm 1 of the paper)
    a GPPOM is fitted in both directions, and the one in which Θ depends less on its hypothetical
    cause wins. Log-odds of at most 1e-3 and scores of at most 1e-5 under the other criteria, the
    tolerance of the fits behind them, leave it undecided.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,) or (n_samples, n_features)
        The two variables, at least 10 observations; columns of a category type (pandas, polars,
        Arrow) are categories, up to 32, and so is text unless it spells numbers. Categories with an
        order are numbered by it.
        Or a frame and two names of its columns: ``infer_direction(frame, "age", "crp")``.
    criterion : {"evidence", "hsic", "hsic_ratio"}
        ``"evidence"``: description length in nats per observation, see `anmmm.evidence`; for at
        most 16 columns in all, and at least 10 observations for each.
        ``"hsic"``: the term ``log(HSIC_b + ε₀)`` of the objective under the fitted kernels (the
        paper; the logarithm orders alike and is the scale on which the fit weighs it).
        ``"hsic_ratio"``: statistic of the gamma-approximated HSIC test of (Θ, cause) divided by
        its 5 % threshold (the authors' program).
    fit_options : FitOptions or mapping, optional
        How Θ is fitted, ``{"lam": 0.5}`` for instance. Only for the last two criteria; ``"auto"``
        there means a ``weight_growth`` of 0.25 and no ``subsample``.
    common_cause : bool
        Whether also to describe x and y as two effects of an unmeasured common cause, in groups
        or along a curve. Without it a direction may be sure although there is one.
        Only for ``"evidence"``, and up to 20 000 observations; a decision takes about twice
        as long with it.
    prior : {"learned", "flat"}
        ``"learned"``: how far lengths are trusted, and what plain features of the pair add, was
        learned from real and drawn pairs (docs/method/decisions.md). ``"flat"``: the lengths alone
        decide. Only for ``"evidence"``.
    missing : {"raise", "drop"}
        Whether a missing value is an error, or leaves its observation out; the result counts them.
    random_state : None, int or Generator
        Seeds the random starts of a fit (see `anmmm.GPPOM`); both directions get the
        same seed. ``"evidence"`` draws nothing. Exchanging x and y exactly reverses the score and
        keeps the confidence.

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
    mechanisms with additive noise, or up to eight if gaps separate them; or from one mechanism
    whose noise has a scale that depends on the cause, which is seen through a monotone function,
    is cut into levels, or is the mean of counts; and that no hidden variable causes both but
    groups or a number along a curve. Binary, ordered and grouped values and counts are known by
    their values. Text and unordered categories are names: as a cause they have a number each, as
    an effect probabilities that are smooth functions of the cause. It fails if no direction is
    distinguished (a linear mechanism with Gaussian noise: the score is then near 0), where
    several overlapping mechanisms meet few observations, and on about a fifth of the Tübingen
    pairs (docs/results/quality.md). It takes some 10 ms for 100 observations and is linear in
    their number but for two sorts. If a variable has outliers, such as missing-value codes, the
    pair is decided again without them. It is sure only if both decisions agree.

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
    >>> result = infer_direction(x, y)
    >>> result
    x → y (0.99), 2 mechanisms, additive Gaussian noise
    >>> result.relation, result.models.forward.model
    ('x->y', 'anm-2')
    """
    names = variable_names(x, y)
    variables, n_dropped = complete_variables(x, y, missing, names)
    options = DirectionOptions(
        criterion=criterion,
        fit_options=fit_options,
        common_cause=common_cause,
        prior=prior,
    )
    with listening(_compile_ahead):
        result = decide(variables, options, random_state, names=names)
    # Copies, because the caller may change the arrays.
    copied = variables._replace(x=variables.x.copy(), y=variables.y.copy())
    return replace(result, n_dropped=n_dropped, _variables=copied)


def _compile_ahead() -> None:
    """Compile the kernels of the first decision of this process on all cores."""
    from anmmm._ahead import compile_ahead

    compile_ahead()


def decide(
    variables: Variables,
    options: DirectionOptions,
    random_state: RandomState,
    describe: Describe = Variable.of,
    names: tuple[str, str] = ("x", "y"),
) -> DirectionResult:
    """Decide as `infer_direction`, with checked arguments; for `describe` see `compare`."""
    x, y, categorical, _ = variables
    _refuse_criterion(variables, options.criterion)
    if options.criterion != "evidence":
        seed = int(check_rng(random_state).integers(2**63))
        fits = fit_both(x, y, criterion=options.criterion, fit_options=options.fit, seed=seed)
        return DirectionResult(
            names=names,
            criterion=options.criterion,
            prior=options.prior,
            models=fits,
            _variables=variables,
        )
    if random_state is not None:
        # Nothing is drawn, but a wrong argument is an error under every criterion.
        check_rng(random_state)
    evidence = compare(
        x, y, categorical=categorical, describe=describe, common_cause=options.common_cause
    )
    _warn_of_convergence(evidence)
    hypotheses = Hypotheses(evidence, log_odds(evidence, options.prior))
    is_categorical = np.repeat(categorical, [x.shape[1], y.shape[1]])
    outliers = np.any(outlier_cells(np.hstack([x, y]), is_categorical), axis=1)
    caveats = pair_caveats(variables, hypotheses, options.prior, outliers)
    notes = [caveat.note for caveat in caveats if caveat.note]
    if evidence.confounded and evidence.common_cause is not None:
        note = measured_note(evidence.common_cause)
        if note:
            notes.append(note)
    if options.common_cause and len(x) > MAX_ROWS:
        notes.append(f"more than {MAX_ROWS} rows: no common cause tried")
    return DirectionResult(
        names=names,
        criterion=options.criterion,
        prior=options.prior,
        models=evidence,
        _variables=variables,
        hypotheses=replace(hypotheses, max_confidence=largest_confidence(caveats)),
        notes=tuple(notes),
        outliers=outliers if outliers.any() else None,
    )


def _refuse_criterion(variables: Variables, criterion: str) -> None:
    """Refuse a criterion that cannot decide a pair."""
    if criterion == "evidence":
        if problem := column_limit_error(variables.x, variables.y):
            raise ValueError(problem)
    elif any(variables.categorical):
        name = "x" if variables.categorical[0] else "y"
        raise ValueError(
            f"criterion {criterion!r} needs numbers, but {name} holds categories; leave the "
            "criterion out, or pass indicators of the categories"
        )


def _warn_of_convergence(evidence: EvidenceResult) -> None:
    by_hypothesis = {"x causes y": evidence.forward, "y causes x": evidence.backward}
    for hypothesis, direction in by_hypothesis.items():
        if not direction.converged:
            warn_unconverged(
                f"model {direction.model!r} of the hypothesis that {hypothesis} stopped without "
                "converging, so its description length may be too large; do not trust a score "
                "near 0"
            )
