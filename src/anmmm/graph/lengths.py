"""Description lengths of the columns of a table given sets of others, each fitted once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import joblib
import numpy as np

from anmmm._record import Record, computed, frozen
from anmmm._threads import single_thread
from anmmm._typing import FloatArray
from anmmm._workers import starting_workers, worker_options
from anmmm.evidence.check import EDGE, normal_scores
from anmmm.evidence.models import ConditionalModel
from anmmm.evidence.variable import Variable
from anmmm.evidence.vectors import describe_over
from anmmm.preprocessing import Standardization, standardize

# Fits that a worker does at a time, and below which no worker is used.
BATCH, FEW = 8, 8
# Rows at most from which it is guessed what a further cause may save, and nats from which it is
# fitted: 2 halves the time, and changed 3 graphs of 262 by an edge each (docs/notes/graphs.md).
HINT_ROWS, WORTH = 5000, 2.0
# Columns squared times rows, at least 300, below which workers cost more than they do.
SMALL = 200_000
# Models that are remembered, at least, and rows of them all.
LEAST_MODELS, MODEL_ROWS = 8, 500_000

# A column and its causes, in increasing order.
Key = tuple[int, tuple[int, ...]]


def key_of(node: int, causes: Iterable[int]) -> Key:
    """Return what a column given others is known by."""
    return node, tuple(sorted(causes))


@frozen
class Sample(Record):
    """The rows of a table: values (n_samples, n_columns), and which columns are categories."""

    values: FloatArray
    categorical: tuple[bool, ...]

    @property
    def standardized(self) -> FloatArray:
        """All columns at mean 0 and deviation 1."""
        return self._scaled[0]

    @property
    def scale(self) -> Standardization:
        """What takes the columns there and back."""
        return self._scaled[1]

    @computed
    def _scaled(self) -> tuple[FloatArray, Standardization]:
        return standardize(self.values)

    @computed
    def is_tied(self) -> bool:
        """Whether any column has ties."""
        return any(variable.is_tied for variable in self._alone)

    @computed
    def variables(self) -> list[Variable]:
        """Each column by itself, by the laws that apply beside all others."""
        return [each.beside_ties for each in self._alone] if self.is_tied else self._alone

    @computed
    def _alone(self) -> list[Variable]:
        return [self._variable(at) for at in range(len(self.categorical))]

    def _variable(self, at: int) -> Variable:
        values = np.ascontiguousarray(self.standardized[:, at])
        if self.categorical[at]:
            return Variable.of_categories(values)
        return Variable.of(values, np.ascontiguousarray(self.values[:, at]))

    def ordered(self, order: Sequence[int]) -> Sample:
        """Return the same with its columns in another order, and their descriptions."""
        values = np.ascontiguousarray(self.values[:, order])
        other = Sample(values, tuple(self.categorical[at] for at in order))
        vars(other)["_alone"] = [self._alone[at] for at in order]
        return other

    def model(self, key: Key) -> ConditionalModel:
        """Return the shortest model of a column given others."""
        node, causes = key
        return describe_over(
            self.variables[node], [self.variables[at] for at in causes], self.is_tied
        )

    def hints(self, causes: Sequence[int], model: ConditionalModel) -> FloatArray:
        """Guess the nats (n_columns,) that each column may save beside a model's `causes`.

        By what the model leaves, its square, and its product with each cause: their squared lengths
        along the first m curves over the column, less a nat for each of these.
        """
        some = slice(None, None, -(-len(self.values) // HINT_ROWS))
        left = normal_scores(model)[some]
        guesses = np.zeros(len(self.variables))
        if np.ptp(left) < EDGE:
            return guesses
        products = (left * self.standardized[some, at] for at in causes)
        targets = standardize(np.column_stack([left, left**2, *products]))[0]
        for at, variable in enumerate(self.variables):
            columns = variable.basis.design[some, 1:]
            shares = 0.5 / len(left) * (columns.T @ targets) ** 2 - 1.0
            guesses[at] = shares.cumsum(axis=0).max(initial=0.0)
        return guesses


class Lengths:
    """Description lengths in nats of columns given their causes, remembered.

    `seen` is called with new ones, as they are made.
    """

    def __init__(
        self,
        sample: Sample,
        n_jobs: int | None = None,
        seen: Callable[[dict[Key, float]], object] = bool,
    ) -> None:
        n, p = sample.values.shape
        self.n_jobs = n_jobs if p**2 * max(n, 300) >= SMALL else 1
        self.sample, self.seen = sample, seen
        self.fitted: dict[Key, float] = {}
        # Columns that may be further causes.
        self.hopeful: dict[Key, frozenset[int]] = {}
        size = max(LEAST_MODELS, MODEL_ROWS // len(sample.values))
        self.model = lru_cache(size)(sample.model)

    def __call__(self, node: int, causes: Iterable[int]) -> float:
        """Return the length of a column given others."""
        key = key_of(node, causes)
        if key not in self.fitted:
            self.fit([key])
        return self.fitted[key]

    def candidates(self, node: int, causes: frozenset[int]) -> frozenset[int]:
        """Return the columns that may save anything beside the causes of a column."""
        key = key_of(node, causes)
        if not causes:
            return frozenset(range(len(self.sample.categorical))) - {node}
        if key not in self.hopeful:
            with single_thread():
                guesses = self.sample.hints(key[1], self.model(key))
            some = np.flatnonzero(guesses > WORTH).tolist()
            self.hopeful[key] = frozenset(some) - {node, *causes}
        return self.hopeful[key]

    def fit(self, keys: Iterable[Key]) -> None:
        """Fit those that are not known yet, on all workers if they are many."""
        new = [key for key in dict.fromkeys(keys) if key not in self.fitted]
        if len(new) < FEW or joblib.effective_n_jobs(self.n_jobs) == 1:
            for key in new:
                with single_thread():
                    self.learn({key: self.model(key).length})
            return
        parts = [new[at : at + BATCH] for at in range(0, len(new), BATCH)]
        for found in in_parallel(self.n_jobs, _fit, [(self.sample, part) for part in parts]):
            self.learn(found)

    def learn(self, found: dict[Key, float]) -> None:
        """Take new lengths."""
        self.fitted.update(found)
        self.seen(found)


def in_parallel(n_jobs: int | None, work: Callable[..., Any], calls: Sequence[Any]) -> Any:
    """Return the results of calls in their order, from joblib's workers."""
    with starting_workers():
        parallel = joblib.Parallel(n_jobs=n_jobs, **worker_options())
        return parallel(joblib.delayed(work)(*arguments) for arguments in calls)


def _fit(sample: Sample, keys: Sequence[Key]) -> dict[Key, float]:
    sample = known(sample)
    with single_thread():
        return {key: sample.model(key).length for key in keys}


_last: list[Sample] = []


def known(sample: Sample) -> Sample:
    """Return the equal sample whose variables this process has described, if it was the last."""
    for last in _last:
        if last.categorical == sample.categorical and np.array_equal(last.values, sample.values):
            return last
    _last[:] = [sample]
    return sample
