"""One pair of a collection: check it, subsample it, analyze it; the result is always a row."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import field, fields, replace
from typing import Any, ClassVar

import numpy as np

from anmmm._categories import as_variables
from anmmm._record import Record
from anmmm._text import counted, hypotheses, renamed
from anmmm._threads import single_thread
from anmmm._typing import RandomState
from anmmm._validation import (
    MIN_SAMPLES,
    MISSING,
    MissingValueError,
    check_choice,
    check_count,
    check_rng,
)
from anmmm._warning import default_float_errors, suppress_convergence_warnings
from anmmm.collection.records import PairResult, Row
from anmmm.datasets import Pair, make_anm_mixture
from anmmm.direction import DirectionResult
from anmmm.direction.infer import DirectionOptions, decide
from anmmm.direction.outcome import (
    INDEPENDENT,
    LACK_OF_FIT_NOTE,
    LACK_OF_FIT_PVALUE,
    UNMODELED_NOTE,
    plausible_text,
)
from anmmm.evidence import DirectionEvidence
from anmmm.evidence.variable import cached_variable
from anmmm.gppom import FitOptions, FitResult

# Advice on pairs with missing values.
LEAVE_OUT = "missing='drop' leaves such rows out"

_prepared: set[str] = set()


class PairTask(Record, ABC):
    """Base of the work on one pair, which workers call."""

    options: dict[str, Any]
    missing: str = "raise"
    # Of the collection.
    seed: int = 0

    record: ClassVar[type[Row]]

    def __post_init__(self) -> None:
        check_choice(self.missing, "missing", MISSING)

    def facts(self) -> dict[str, Any]:
        """Return all that rows depend on besides the pairs, by the names of arguments."""
        facts = {fact.name: getattr(self, fact.name) for fact in fields(self) if fact.init}
        options = facts.pop("options")
        return {"random_state": facts.pop("seed"), **facts, **options}

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
        except Exception as error:  # No pair ends the collection.
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

    def failed(self, pair: Pair, status: str, notes: str) -> Any:
        """Return the row of a pair without a result."""
        return self.record(**pair_metadata(pair, status, notes))

    def unusable(self, pair: Pair, error: Exception) -> Any:
        """Return the row of a pair that cannot be analyzed, with the number of dropped rows."""
        if isinstance(error, np.linalg.LinAlgError):
            # A ValueError, but no fault of the data.
            raise error
        dropped = "" if isinstance(error, MissingValueError) else dropped_note(pair)
        return self.failed(pair, "unusable", joined(str(error), dropped))

    def seeds(self, index: int) -> tuple[int, int]:
        """Return the seeds of a pair, for its analysis and its subsample."""
        seeds = np.random.SeedSequence(self.seed, spawn_key=(index,)).generate_state(2)
        return int(seeds[0]), int(seeds[1])


class DirectionTask(PairTask):
    """Causal direction of one pair."""

    max_samples: int | None = None
    # The options of all pairs, checked once.
    checked: DirectionOptions = field(init=False)

    record = PairResult

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_samples is not None:
            check_count(self.max_samples, "max_samples", minimum=MIN_SAMPLES)
        object.__setattr__(self, "checked", DirectionOptions(**self.options))

    def analyze(self, index: int, pair: Pair) -> Any:
        fit_seed, sample_seed = self.seeds(index)
        notes = []
        try:
            pair = self.complete(pair)
            used = pair.checked()
            notes.append(dropped_note(pair))
            if self.max_samples is not None and len(used.x) > self.max_samples:
                notes.append(f"{self.max_samples} of {len(used.x)} rows were drawn")
                used = used.subsample(self.max_samples, sample_seed).checked()
            # The row reports convergence.
            with suppress_convergence_warnings():
                result = self.decide(used, fit_seed)
        except (TypeError, ValueError) as error:
            return self.unusable(pair, error)
        return _row_of(result, used, notes)

    def decide(self, pair: Pair, seed: int) -> DirectionResult:
        """Decide a checked pair; may raise ValueError."""
        # A column of a table is in several pairs.
        return decide(as_variables(pair.x, pair.y), self.checked, seed, cached_variable, pair.names)


def _row_of(result: DirectionResult, pair: Pair, notes: list[str]) -> PairResult:
    """Return the row of a decision on the rows of a pair."""
    models = result.models
    forward, backward = hypotheses(*pair.names)
    notes += _stopped(forward, models.forward) + _stopped(backward, models.backward)
    notes += [renamed(note, (forward, backward)) for note in result.notes]
    check = result.check_pvalue
    if check is not None and check < LACK_OF_FIT_PVALUE:
        independent = result.relation == INDEPENDENT
        notes.append(UNMODELED_NOTE if independent else LACK_OF_FIT_NOTE)
    described = result._described
    return PairResult(
        **pair_metadata(pair, "ok", joined(*notes)),
        relation=result.relation,
        direction=result.direction,
        score=result.score,
        log_odds=result.log_odds,
        confidence=result.confidence,
        plausible=plausible_text(result.plausible),
        probabilities=None if result.probabilities is None else tuple(result.probabilities),
        model=None if described is None else described.model,
        n_mechanisms=described.n_mechanisms if isinstance(described, DirectionEvidence) else None,
        converged=result.converged,
        check_pvalue=check,
        independence_pvalue=result.independence_pvalue,
    )


def as_seed(random_state: RandomState) -> int:
    """Return the seed of a collection."""
    return int.from_bytes(check_rng(random_state).bytes(16), "little")


def given_options(**options: Any) -> dict[str, Any]:
    """Return options as plain values, for checkpoints."""
    fit_options = options.pop("fit_options", None)
    if isinstance(fit_options, FitOptions):
        default = vars(FitOptions())
        given = vars(fit_options).items()
        fit_options = {name: value for name, value in given if value is not default[name]}
    return {**options, "fit_options": fit_options} if fit_options else options


def pair_metadata(pair: Pair, status: str, notes: str) -> dict[str, Any]:
    """Return the fields of any row: id, number of observations, truth and so on."""
    equal = np.ndim(pair.x) and len(pair.x) == len(np.atleast_1d(pair.y))
    return {
        "pair_id": pair.pair_id,
        "status": status,
        "notes": notes,
        "x": pair.names[0],
        "y": pair.names[1],
        "n": len(pair.x) if equal and not pair.problem else None,
        "n_dropped": pair.n_dropped,
        "truth": pair.truth,
        "weight": pair.weight,
        "group": pair.group,
    }


def joined(*notes: str) -> str:
    """Return the notes that are not empty as one text."""
    return "; ".join(filter(None, notes))


def dropped_note(pair: Pair) -> str:
    """Return the note on incomplete rows that were dropped; empty for none."""
    return f"{counted(pair.n_dropped, 'incomplete row')} dropped" if pair.n_dropped else ""


def _stopped(hypothesis: str, fit: FitResult | DirectionEvidence) -> list[str]:
    if fit.converged:
        return []
    if isinstance(fit, DirectionEvidence):
        return [f"{fit.model} of {hypothesis} did not converge: do not trust a score near 0"]
    return [f"the fit of {hypothesis} did not converge ({fit.status}): raise max_iter"]
