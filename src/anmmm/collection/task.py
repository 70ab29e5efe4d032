"""One pair of a collection: check it, subsample it, analyze it; the result is always a row."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import field, replace
from typing import Any, ClassVar

import numpy as np

from anmmm._categories import as_variables
from anmmm._record import Record
from anmmm._signals import unless_signal
from anmmm._text import counted, hypotheses, renamed
from anmmm._threads import single_thread
from anmmm._validation import MIN_SAMPLES, MISSING, MissingValueError, check_choice, check_count
from anmmm._warning import default_float_errors, suppress_convergence_warnings
from anmmm.collection.records import PairResult
from anmmm.collection.schema import DIRECTIONS, Schema
from anmmm.collection.sources.table import column_pair_id
from anmmm.collection.summary import LEAVE_OUT, SCREENED
from anmmm.datasets import Pair, make_anm_mixture
from anmmm.direction import DirectionOptions, DirectionResult, LatentFits
from anmmm.direction.infer import decide
from anmmm.direction.outcome import (
    DIRECTED,
    INDEPENDENT,
    LACK_OF_FIT_NOTE,
    LACK_OF_FIT_PVALUE,
    UNMODELED_NOTE,
    UNRELATED_GIVEN,
    plausible_text,
)
from anmmm.evidence import DirectionEvidence
from anmmm.evidence.explain import explaining
from anmmm.evidence.variable import cached_variable
from anmmm.gppom import FitOptions, FitResult

# Largest confidence of a pair that other columns explain: given them, x and y are independent.
EXPLAINED = 0.5

_prepared: set[str] = set()


class PairTask(Record, ABC):
    """Base of the work on one pair, which workers call."""

    options: dict[str, Any]
    keep_results: bool = False
    entropy: int = 0
    missing: str = "raise"

    schema: ClassVar[Schema]

    def __post_init__(self) -> None:
        check_choice(self.missing, "missing", MISSING)

    @property
    def rows_hold_observations(self) -> bool:
        """Whether a row has a value for each observation."""
        return self.keep_results

    def run_metadata(self) -> dict[str, Any]:
        """Return the options that the rows depend on, for checkpoints."""
        return {"options": self.options, "missing": self.missing}

    def complete(self, pair: Pair) -> Pair:
        """Return a pair without incomplete rows; refuse it if they may not be dropped."""
        if self.missing == "drop":
            return pair.complete()
        if pair.n_dropped:
            rows = counted(pair.n_dropped, "incomplete row")
            raise MissingValueError(f"{pair.missing or rows}; {LEAVE_OUT}")
        return pair

    def __call__(self, index: int, pair: Pair) -> Any:
        """Analyze one pair."""
        start = time.perf_counter()
        try:
            with single_thread(), default_float_errors():
                row = self.analyze(index, pair)
        except unless_signal(Exception) as error:  # No pair ends the collection.
            row = self.failed(pair, "error", f"{type(error).__name__}: {error}")
        return replace(row, seconds=time.perf_counter() - start)

    def prepare(self) -> None:
        """Load the compiled code in this process, once, and not within the time of a pair."""
        key = repr((type(self), self.options))
        if key in _prepared:
            return
        _prepared.add(key)
        x, y, _ = make_anm_mixture(n_samples=50, random_state=0)
        # A failure here does not concern the pairs.
        self(0, Pair("", x, y, truth=1))

    @abstractmethod
    def analyze(self, index: int, pair: Pair) -> Any:
        """Return the row of a pair; may raise."""

    def screened(self, pair: Pair) -> Any:
        """Return the row of a pair that a screen left out; None for work that has no screen."""
        return None

    def failed(self, pair: Pair, status: str, reason: str, **found: Any) -> Any:
        """Return the row of a pair without a result."""
        return self.schema.record(**pair_metadata(pair, status, reason), **found)

    def unusable(self, pair: Pair, error: Exception, **found: Any) -> Any:
        """Return the row of a pair that cannot be analyzed, with the number of dropped rows."""
        if isinstance(error, np.linalg.LinAlgError):
            # A ValueError, but no fault of the data.
            raise error
        dropped = "" if isinstance(error, MissingValueError) else dropped_remark(pair)
        return self.failed(pair, "unusable", joined(str(error), dropped), **found)

    def seeds(self, index: int) -> tuple[int, int]:
        """Return the seeds of a pair, for its analysis and its subsample."""
        seeds = np.random.SeedSequence(self.entropy, spawn_key=(index,)).generate_state(2)
        return int(seeds[0]), int(seeds[1])


class DirectionTask(PairTask):
    """Causal direction of one pair."""

    max_samples: int | None = None
    # The options of all pairs.
    checked: DirectionOptions = field(init=False)

    schema = DIRECTIONS

    def __post_init__(self) -> None:
        super().__post_init__()
        # Check options once, not for every pair.
        if self.max_samples is not None:
            most = check_count(self.max_samples, "max_samples", minimum=MIN_SAMPLES)
            object.__setattr__(self, "max_samples", most)
        object.__setattr__(self, "checked", DirectionOptions(**self.options))

    def run_metadata(self) -> dict[str, Any]:
        return {"max_samples": self.max_samples, **super().run_metadata()}

    def analyze(self, index: int, pair: Pair) -> Any:
        fit_seed, cut_seed = self.seeds(index)
        used_of: dict[str, Any] = {}
        try:
            pair = self.complete(pair)
            used = pair.checked()
            used_of["n_used"] = len(used.x)
            if self.max_samples is not None and len(used.x) > self.max_samples:
                used_of = {"n_used": self.max_samples, "subsample_seed": cut_seed}
                used = used.subsample(self.max_samples, cut_seed).checked()
            # The row reports convergence.
            with suppress_convergence_warnings():
                result = self.decide(used, fit_seed)
        except unless_signal(TypeError, ValueError) as error:
            return self.unusable(pair, error, **used_of)
        row = self._row_of(result, pair, used_of)
        if pair.others is None or row.relation == INDEPENDENT:
            return row
        names = [pair.others.names[at - 2] for at in explaining(*pair.others[1:])]
        return self._explained(row, names) if names else row

    def screened(self, pair: Pair) -> Any:
        """Return the row of a pair that the screen left out."""
        try:
            pair = self.complete(pair)
        except ValueError as error:
            return self.unusable(pair, error)
        return PairResult(
            **pair_metadata(pair, "ok", joined(dropped_remark(pair), SCREENED)),
            direction=0,
            relation=INDEPENDENT,
            independence_pvalue=pair.screened,
        )

    def _explained(self, row: PairResult, names: list[str]) -> PairResult:
        """Return the row of a pair without further dependence given other columns."""
        explained_by = column_pair_id(*names)
        remark = f"{UNRELATED_GIVEN} {explained_by}"
        row = replace(row, explained_by=explained_by, reason=joined(row.reason, remark))
        if row.confidence is not None:
            confidence = min(row.confidence, EXPLAINED)
            row = replace(row, confidence=confidence, plausible=plausible_text(DIRECTED))
        return row

    def decide(self, pair: Pair, seed: int) -> DirectionResult:
        """Decide a checked pair; may raise ValueError."""
        # A column of a table is in several pairs.
        return decide(as_variables(pair.x, pair.y), self.checked, seed, cached_variable, pair.names)

    def _row_of(self, result: DirectionResult, pair: Pair, used_of: dict[str, Any]) -> PairResult:
        models = result.models
        forward, backward = hypotheses(*pair.names)
        remarks = [dropped_remark(pair)]
        remarks += _stopped(forward, models.forward) + _stopped(backward, models.backward)
        remarks += [renamed(note, (forward, backward)) for note in result.notes]
        check = result.check_pvalue
        if check is not None and check < LACK_OF_FIT_PVALUE:
            independent = result.relation == INDEPENDENT
            remarks.append(UNMODELED_NOTE if independent else LACK_OF_FIT_NOTE)
        return PairResult(
            **pair_metadata(pair, "ok", joined(*remarks)),
            **used_of,
            result=result if self.keep_results else None,
            **{name: value for name, value in result.to_dict().items() if name in _OF_RESULT},
            **_of_its_criterion(result),
        )


# Columns that are parts of the document of a result.
_OF_RESULT = {*DIRECTIONS.columns}.difference(("x", "y", "n", "n_mechanisms"))


def _of_its_criterion(result: DirectionResult) -> dict[str, Any]:
    models, probabilities = result.models, result.probabilities
    if isinstance(models, LatentFits):
        fit = models.backward if result.direction == -1 else models.forward
        return {"engine": fit.engine, "rank": fit.rank}
    facts: dict[str, Any] = {}
    if models.is_common_cause_tried and probabilities is not None:
        facts["probability_common_cause"] = probabilities.common_cause
    if isinstance(models.winner, DirectionEvidence):
        facts["n_mechanisms"] = models.winner.n_mechanisms
    return facts


def given_options(**options: Any) -> dict[str, Any]:
    """Return options as plain values, for checkpoints."""
    fit_options = options.pop("fit_options", None)
    if isinstance(fit_options, FitOptions):
        default = FitOptions().get_params()
        given = fit_options.get_params().items()
        fit_options = {name: value for name, value in given if value is not default[name]}
    return {**options, **({} if fit_options is None else {"fit_options": fit_options})}


def pair_metadata(pair: Pair, status: str, reason: str) -> dict[str, Any]:
    """Return the fields of any row: id, number of observations, truth and so on."""
    equal = np.ndim(pair.x) and len(pair.x) == len(np.atleast_1d(pair.y))
    return {
        "pair_id": pair.pair_id,
        "x": pair.names[0],
        "y": pair.names[1],
        "status": status,
        "reason": reason,
        "n": len(pair.x) if equal and not pair.problem else None,
        "truth": pair.truth,
        "weight": pair.weight,
        "group": pair.group,
    }


def joined(*remarks: str) -> str:
    """Return the reason of a row: the remarks that are not empty."""
    return "; ".join(filter(None, remarks))


def dropped_remark(pair: Pair) -> str:
    """Return the remark on incomplete rows that were dropped; empty for none."""
    return f"{counted(pair.n_dropped, 'incomplete row')} dropped" if pair.n_dropped else ""


def _stopped(hypothesis: str, found: FitResult | DirectionEvidence) -> list[str]:
    if found.converged:
        return []
    if isinstance(found, DirectionEvidence):
        return [f"model {found.model} of {hypothesis} not converged"]
    return [f"fit of {hypothesis} not converged ({found.status})"]
