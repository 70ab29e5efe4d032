"""One pair of a collection: check it and analyze it; the result is always a row."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np

from anmmm._record import Record
from anmmm._text import counted
from anmmm._threads import single_thread
from anmmm._typing import RandomState
from anmmm._validation import MISSING, MissingValueError, check_choice, check_rng
from anmmm._warning import default_float_errors
from anmmm.collection.records import Row
from anmmm.datasets import Pair, make_anm_mixture

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

    def prepare(self) -> None:
        """Load the compiled code in this process, once, and not within the time of a pair."""
        key = repr((type(self), self.options))
        if key in _prepared:
            return
        _prepared.add(key)
        x, y, _ = make_anm_mixture(n_samples=50, random_state=0)
        # A failure here does not concern the pairs.
        self(0, Pair("", x, y, truth=1))

    def __call__(self, index: int, pair: Pair) -> Any:
        """Return the row of a pair; no pair ends the collection."""
        start = time.perf_counter()
        try:
            with single_thread(), default_float_errors():
                row = self._row(index, pair)
        except Exception as error:
            row = self.failed(pair, "error", f"{type(error).__name__}: {error}")
        return replace(row, seconds=time.perf_counter() - start)

    def _row(self, index: int, pair: Pair) -> Any:
        """Return the row of a pair without incomplete rows, if these may be dropped."""
        try:
            if self.missing == "drop":
                pair = pair.complete()
            elif pair.n_dropped:
                rows = counted(pair.n_dropped, "incomplete row")
                raise MissingValueError(f"{pair.missing or rows}; {LEAVE_OUT}")
            return self.analyze(index, pair)
        except np.linalg.LinAlgError:
            # A ValueError, but no fault of the data.
            raise
        except (TypeError, ValueError) as error:
            dropped = dropped_note(pair) if self.missing == "drop" else ""
            return self.failed(pair, "unusable", joined(str(error), dropped))

    @abstractmethod
    def analyze(self, index: int, pair: Pair) -> Any:
        """Return the row of a pair; raise TypeError or ValueError if it cannot be used."""

    def failed(self, pair: Pair, status: str, notes: str) -> Any:
        """Return the row of a pair without a result."""
        return self.record(**pair_metadata(pair, status, notes))

    def seeds(self, index: int) -> tuple[int, int]:
        """Return the seeds of a pair, for its analysis and its subsample."""
        seeds = np.random.SeedSequence(self.seed, spawn_key=(index,)).generate_state(2)
        return int(seeds[0]), int(seeds[1])


def as_seed(random_state: RandomState) -> int:
    """Return the seed of a collection."""
    return int.from_bytes(check_rng(random_state).bytes(16), "little")


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
