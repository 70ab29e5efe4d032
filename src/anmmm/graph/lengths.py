"""Description lengths of the columns of a table given sets of causes, each fitted once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import joblib
import numpy as np

from anmmm._record import Record, computed
from anmmm._threads import single_thread
from anmmm._typing import FloatArray
from anmmm._workers import worker_options
from anmmm.collection.checkpoint import content_hash
from anmmm.evidence.check import EDGE, normal_scores
from anmmm.evidence.models import ConditionalModel
from anmmm.evidence.variable import Variable
from anmmm.evidence.vectors import describe_over
from anmmm.graph.fits import Fits, Key
from anmmm.preprocessing import Standardization, standardize

# Fits of a task of a worker.
BATCH = 8
# Most rows from which the gain of a further cause is guessed, and nats from which it is fitted: 2
# halves the time, and changed 3 graphs of 262 by an edge each.
HINT_ROWS, MIN_HINT = 5000, 2.0
# Columns squared times rows, at least 300, below which processes cost more time than they save; and
# rows from which kernels take most of the time, so that threads help there.
SMALL, THREAD_ROWS = 200_000, 500
# Models in memory: at least so many, or of so many rows in all.
LEAST_MODELS, MODEL_ROWS = 8, 500_000

# Results of work, and lengths and columns that may be further causes found by it.
Done = tuple[list[Any], dict[Key, float], dict[Key, frozenset[int]]]


class Sample(Record):
    """Columns of a table: values (n_samples, n_columns), which are categories, and their names.

    `levels` has the names of the values 0, 1, … of each column, None for numbers.
    """

    values: FloatArray
    categorical: tuple[bool, ...]
    names: tuple[Hashable, ...] = ()
    levels: tuple[tuple[str, ...] | None, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the descriptions of the columns out of pickles, as they are many times larger."""
        values = self.values.tobytes(), self.values.shape
        return _sample_of, (*values, self.categorical, self.names, self.levels)

    @computed
    def digest(self) -> str:
        """A digest of the columns, which their fits depend on."""
        return content_hash(self.values, self.categorical)

    @computed
    def standardized(self) -> FloatArray:
        """All columns at mean 0 and deviation 1."""
        return standardize(self.values)[0]

    @computed
    def scale(self) -> Standardization:
        """The map from values to standardized ones."""
        return standardize(self.values)[1]

    @computed
    def variables(self) -> list[Variable]:
        """Each column, described."""
        columns = np.ascontiguousarray(self.standardized.T)
        return [
            Variable.of_categories(column)
            if self.categorical[at]
            else Variable.of(column, np.ascontiguousarray(self.values[:, at]))
            for at, column in enumerate(columns)
        ]

    def points(self, values: FloatArray, causes: Iterable[int]) -> FloatArray:
        """Return the causes among standardized columns as curves take them: numbers first."""
        places = sorted(causes, key=lambda at: (self.categorical[at], at))
        return np.ascontiguousarray(values[:, places])

    def in_canonical_order(self) -> Sample:
        """Return the same columns in an order that depends only on their values."""
        lengths = [round(variable.marginal.length, 6) for variable in self.variables]
        points = self.standardized.T.round(6).tolist()
        order = sorted(range(len(lengths)), key=lambda at: (lengths[at], points[at]))
        levels = self.levels or (None,) * len(order)
        given = [(self.categorical[at], self.names[at], levels[at]) for at in order]
        other = Sample(np.ascontiguousarray(self.values[:, order]), *zip(*given, strict=True))
        vars(other)["variables"] = [self.variables[at] for at in order]
        return other

    def model(self, node: int, causes: frozenset[int]) -> ConditionalModel:
        """Return the shortest model of a column given its causes."""
        given = [self.variables[at] for at in sorted(causes)]
        return describe_over(self.variables[node], given)


class Lengths:
    """Description lengths in nats of columns given their causes, in a cache."""

    def __init__(
        self,
        sample: Sample,
        n_jobs: int | None = None,
        fits: Fits | None = None,
        digest: str = "",
    ) -> None:
        n, p = sample.values.shape
        # Whether threads of this process do the work.
        self.is_small = p**2 * max(n, 300) < SMALL
        self.n_jobs = 1 if self.is_small and n < THREAD_ROWS else n_jobs
        self.sample = sample
        self.fits = fits or Fits()
        # Of all that the lengths depend on.
        self.digest = digest or sample.digest
        self.fitted = dict(self.fits.known.get(self.digest, {}))
        # Columns that may be further causes, by their hints.
        self.hints: dict[Key, frozenset[int]] = {}
        self.most_models = max(LEAST_MODELS, MODEL_ROWS // n)
        self.model = lru_cache(self.most_models)(sample.model)

    def __call__(self, node: int, causes: Iterable[int]) -> float:
        """Return the length of a column given its causes."""
        key = node, frozenset(causes)
        if key not in self.fitted:
            self.fit([key])
        return self.fitted[key]

    def measured(self, node: int, causes: frozenset[int]) -> float:
        """Fit a column, and return its length given its causes."""
        return float(self.model(node, causes).length)

    def candidates(self, node: int, causes: frozenset[int]) -> frozenset[int]:
        """Return the columns that are tried as a further cause of a column."""
        if causes:
            return self.hinted(node, causes)
        return frozenset(range(len(self.sample.categorical))) - {node}

    def hinted(self, node: int, causes: frozenset[int]) -> frozenset[int]:
        """Return the columns that may save nats as a further cause of a column.

        Guessed by squared projections of `residuals` on the first m curves over each column, less a
        nat for each of these.
        """
        key, variables = (node, causes), self.sample.variables
        if key not in self.hints:
            some = slice(None, None, -(-len(self.sample.values) // HINT_ROWS))
            targets, found = self.residuals(node, causes, some), set[int]()
            for at in set(range(len(variables))).difference(causes, [node]):
                columns = variables[at].basis.design[some, 1:]
                nats = 0.5 / len(targets) * (columns.T @ targets) ** 2 - 1.0
                if nats.cumsum(axis=0).max(initial=0.0) > MIN_HINT:
                    found.add(at)
            self.hints[key] = frozenset(found)
        return self.hints[key]

    def residuals(self, node: int, causes: frozenset[int], rows: slice = slice(None)) -> FloatArray:
        """Return all that a further cause may explain, standardized, (n_rows, n_targets).

        The residual of a column, its square and its product with each cause; zeros without one.
        """
        residual, values = normal_scores(self.model(node, causes))[rows], self.sample.standardized
        if np.ptp(residual) < EDGE:
            return np.zeros((len(residual), 1))
        products = (residual * values[rows, at] for at in sorted(causes))
        return standardize(np.column_stack([residual, residual**2, *products]))[0]

    def fit(self, keys: Iterable[Key]) -> None:
        """Fit the keys that are not in the cache, in workers if they are many."""
        new = [key for key in dict.fromkeys(keys) if key not in self.fitted]
        in_batches(self, _fit, new, BATCH, knows=False)

    def store(self, fitted: Mapping[Key, float]) -> None:
        """Add lengths to the cache."""
        new = {key: nats for key, nats in fitted.items() if key not in self.fitted}
        self.fits.keep(self.digest, new)
        self.fitted |= new


def _fit(lengths: Lengths, key: Key) -> None:
    lengths.store({key: lengths.measured(*key)})


def in_batches(
    lengths: Lengths,
    work: Callable[[Lengths, Any], Any],
    items: Sequence[Any],
    size: int,
    *,
    knows: bool = True,
) -> list[Any]:
    """Return the result of `work` on each item, in workers if there are several batches.

    `knows`: whether workers get what was fitted before, megabytes for some hundred columns. Threads
    take one item at a time and share all models.
    """
    size = 1 if lengths.is_small else size
    n_jobs = joblib.effective_n_jobs(lengths.n_jobs)
    if len(items) <= size or n_jobs == 1:
        return [work(lengths, item) for item in items]
    batches = [items[at : at + size] for at in range(0, len(items), size)]
    # Copies, because what threads find is stored while others work.
    known = lengths.sample, *((dict(lengths.fitted), dict(lengths.hints)) if knows else ({}, {}))
    model = lengths.model if lengths.is_small else None
    calls = (joblib.delayed(_in_worker)(*known, model, work, batch) for batch in batches)
    done: Iterable[Done]
    if lengths.is_small:
        done = joblib.Parallel(n_jobs, backend="threading", return_as="generator")(calls)
    else:
        done = joblib.Parallel(lengths.n_jobs, **worker_options())(calls)
    results = []
    for some, fitted, hints in done:
        lengths.store(fitted)
        lengths.hints |= hints
        results += some
    return results


def _in_worker(
    sample: Sample,
    fitted: dict[Key, float],
    hints: dict[Key, frozenset[int]],
    model: Callable[[int, frozenset[int]], ConditionalModel] | None,
    work: Callable[[Lengths, Any], Any],
    items: Sequence[Any],
) -> Done:
    """Return the results of `work`, and what it adds to both caches."""
    lengths = Lengths(sample, 1)
    lengths.fitted, lengths.hints = dict(fitted), dict(hints)
    lengths.model = model or lengths.model
    with single_thread():
        results = [work(lengths, item) for item in items]
    added = lengths.fitted.items() - fitted.items(), lengths.hints.items() - hints.items()
    return results, dict(added[0]), dict(added[1])


@lru_cache(1)
def _sample_of(values: bytes, shape: tuple[int, int], *given: Any) -> Sample:
    """Return that of the last task again if it is equal, because its columns are described."""
    return Sample(np.frombuffer(values).reshape(shape).copy(), *given)
