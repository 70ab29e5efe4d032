"""The local score of a graph: the length of each column given its causes, fitted once.

Every phase of an inference asks here. A score keeps what fits said, divides them among workers, and
logs them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from functools import lru_cache, partial
from typing import Any

import joblib
import numpy as np

from anmmm._threads import single_thread
from anmmm._typing import FloatArray
from anmmm._workers import worker_options
from anmmm.evidence.check import normal_scores
from anmmm.evidence.code import EDGE
from anmmm.evidence.models import ConditionalModel
from anmmm.evidence.vectors import describe_over
from anmmm.graph.fits import FitLog, Number, Task
from anmmm.graph.sample import Sample
from anmmm.preprocessing import standardize

# Fits of a task of a worker.
FIT_BATCH = 8
# Most rows by which further causes are screened.
SCREEN_ROWS = 5000
# Guessed nats from which a further cause is fitted: 2 halves the time, and changed 3 graphs of 262
# by an edge each.
MIN_SCREEN_NATS = 2.0
# Best guesses of further causes that are fitted before there is none: 3 found all of 216 that
# saved nats; the first one that saved was the best one in 196.
MAX_GUESSES = 3
# Columns squared times rows, at least 300, below which processes cost more time than they save.
SMALL = 200_000

# Fewest rows by which causes of a column are compared.
MIN_ROWS = 20
# Rows that a fit needs for each cause.
ROWS_PER_PARENT = 10

# A column, its causes, and the columns with missing values that each row must have.
Fit = tuple[int, frozenset[int], frozenset[int]]
# A column and its causes.
Key = tuple[int, frozenset[int]]
# A column, its causes, and others that are compared with them.
Comparison = tuple[int, frozenset[int], frozenset[int]]
# Columns by node.
CauseSets = Mapping[int, frozenset[int]]


class LocalScore:
    """Description lengths in nats of columns given their causes, and other numbers of fits.

    The latest models stay in memory. `digest` is that of all that the fits depend on.
    """

    def __init__(
        self, sample: Sample, n_jobs: int | None = 1, log: FitLog | None = None, digest: str = ""
    ) -> None:
        n, p = sample.values.shape
        self.sample = sample
        self.n_jobs = 1 if p**2 * max(n, 300) < SMALL else n_jobs
        self.log = log or FitLog()
        self.digest = digest or sample.digest
        self.known: dict[Task, Any] = dict(self.log.known.get(self.digest, {}))
        self.fitted = lru_cache(sample.capacity)(self._describe)

    def with_sample(self, sample: Sample) -> LocalScore:
        """Return the score of another table, with the same workers and log."""
        return LocalScore(sample, self.n_jobs, self.log)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the log to the process that has it, and models out of pickles."""
        return vars(self) | {"log": FitLog(), "n_jobs": 1, "fitted": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.fitted = lru_cache(self.sample.capacity)(self._describe)

    def _describe(self, node: int, causes: frozenset[int], incomplete: frozenset[int]) -> Any:
        """Return the shortest model, in rows that have the columns `incomplete`."""
        part = self.sample.part(incomplete)
        return describe_over(part.variable(node), [part.variable(i) for i in sorted(causes)])

    def model(
        self, node: int, causes: Collection[int], beside: Collection[int] = ()
    ) -> ConditionalModel:
        """Return the model of a column given its causes, in rows that have columns `beside` too."""
        incomplete = self.sample.incomplete_among([node], causes, beside)
        model: ConditionalModel = self.fitted(node, frozenset(causes), incomplete)
        return model

    def length(self, node: int, causes: Collection[int], beside: Collection[int] = ()) -> float:
        """Return the length of a column given its causes, in rows that have columns `beside`."""
        incomplete = self.sample.incomplete_among([node], causes, beside)
        task = "length", node, frozenset(causes), incomplete
        if task not in self.known:
            self.fit_all([task[1:]])
        length: float = self.known[task]
        return length

    def saved(self, node: int, before: Collection[int], after: Collection[int]) -> float:
        """Return the nats that other causes of a column save, in the rows that have all of them.

        0 if these rows are too few.
        """
        if not self.is_comparable({node, *before, *after}):
            return 0.0
        return self.length(node, before, after) - self.length(node, after, before)

    def n_rows(self, *columns: int) -> int:
        """Return the number of rows that have these columns."""
        return len(self.sample.part(columns).values)

    def is_comparable(self, columns: Collection[int]) -> bool:
        """Return whether enough rows have a column and its causes, which vary there."""
        part = self.sample.part(columns)
        n_rows = len(part.values)
        if part is not self.sample and n_rows < ROWS_PER_PARENT * (len(columns) - 1):
            return False
        return n_rows >= MIN_ROWS and part.varying.issuperset(columns)

    def fit(self, comparisons: Iterable[Comparison]) -> None:
        """Fit columns given causes and others, if they are new, in workers if they are many."""
        fits = []
        for node, before, after in comparisons:
            if self.is_comparable({node, *before, *after}):
                incomplete = self.sample.incomplete_among([node], before, after)
                fits += [(node, before, incomplete), (node, after, incomplete)]
        self.fit_all(fits)

    def fit_all(self, fits: Iterable[Fit]) -> None:
        """Fit columns in rows that have others, if they are new."""
        new = [fit for fit in dict.fromkeys(fits) if ("length", *fit) not in self.known]
        self.compute("length", _length, new, FIT_BATCH, shares_known=False)

    def compute(
        self,
        name: str,
        work: Callable[..., Number],
        arguments: Iterable[tuple[Any, ...]],
        batch: int,
        *,
        shares_known: bool = True,
    ) -> list[Any]:
        """Return ``work(score, *arguments)`` for each of these, computed once and kept by name."""
        tasks = [(name, *columns) for columns in arguments]
        new = [task for task in dict.fromkeys(tasks) if task not in self.known]
        self.map(partial(_compute, work), new, batch, shares_known=shares_known)
        return [self.known[task] for task in tasks]

    def map(
        self,
        work: Callable[[LocalScore, Any], Any],
        items: Sequence[Any],
        batch: int,
        *,
        shares_known: bool = True,
    ) -> list[Any]:
        """Return ``work(score, item)`` for each item, in workers if there are several batches.

        `shares_known`: whether workers get what is known, megabytes for some hundred columns.
        """
        if len(items) <= batch or joblib.effective_n_jobs(self.n_jobs) == 1:
            return [work(self, item) for item in items]
        score = copy(self)
        score.known = dict(self.known) if shares_known else {}
        batches = [items[start : start + batch] for start in range(0, len(items), batch)]
        calls = (joblib.delayed(_run)(score, work, part) for part in batches)
        results = []
        for part, new in joblib.Parallel(self.n_jobs, **worker_options())(calls):
            self.store(new)
            results += part
        return results

    def store(self, numbers: Mapping[Task, Number]) -> None:
        """Keep results that are new."""
        new = {task: number for task, number in numbers.items() if task not in self.known}
        self.log.add(self.digest, new)
        self.known.update(new)

    def candidates(
        self, node: int, causes: frozenset[int], allowed: frozenset[int]
    ) -> list[list[int]]:
        """Return which of the allowed columns are tried as a further cause of a column.

        Columns are tried together, or the best guesses one after another.
        """
        if self.needs_all_candidates(node, causes):
            together = sorted(allowed - causes)
            return [together] if together else []
        guesses = [place for place in self.screen([(node, causes)])[0] if place in allowed]
        return [[place] for place in guesses[:MAX_GUESSES]]

    def needs_all_candidates(self, node: int, causes: frozenset[int]) -> bool:
        """Return whether a screen of further causes may miss one: it sees residuals only."""
        return not causes

    def screen(self, keys: Sequence[Key]) -> list[list[int]]:
        """Return the columns that may save nats as a further cause of each column, best first.

        Guessed by squared projections of `residuals` on the first m curves over each column, less a
        nat for each of these.
        """
        return self.compute("screen", _screen, keys, FIT_BATCH)

    def residuals(self, node: int, causes: frozenset[int], rows: slice = slice(None)) -> FloatArray:
        """Return all that a further cause may explain, standardized, (n_rows, n_targets).

        The residual of a column, its square and its product with each cause; zeros without one.
        """
        residual = normal_scores(self.model(node, causes))[rows]
        if np.ptp(residual) < EDGE:
            return np.zeros((len(residual), 1))
        values = self.sample.part([node], causes).standardized[rows]
        products = [residual * values[:, place] for place in sorted(causes)]
        return standardize(np.column_stack([residual, residual**2, *products]))[0]


def _length(
    score: LocalScore, node: int, causes: frozenset[int], incomplete: frozenset[int]
) -> float:
    return float(score.fitted(node, causes, incomplete).length)


def _screen(score: LocalScore, node: int, causes: frozenset[int]) -> list[int]:
    """Return the columns of `LocalScore.screen`; none if too few rows have the causes."""
    if not score.is_comparable({node} | causes):
        return []
    sample = score.sample
    step = 1 if sample.incomplete else math.ceil(len(sample.values) / SCREEN_ROWS)
    rows = slice(None, None, step)
    targets = score.residuals(node, causes, rows)
    guesses = {}
    for place in range(len(sample.categorical)):
        columns = {node, place} | causes
        if place == node or place in causes or not score.is_comparable(columns):
            continue
        common = targets
        if sample.incomplete:
            common = targets[sample.rows(columns)[sample.rows([node], causes)]]
        curves = sample.part(columns).variable(place).basis.design[rows, 1:]
        nats = 0.5 / len(common) * (curves.T @ common) ** 2 - 1.0
        guess = float(nats.cumsum(axis=0).max(initial=0.0))
        if guess > MIN_SCREEN_NATS:
            guesses[place] = guess
    return sorted(guesses, key=lambda place: -guesses[place])


def _compute(work: Callable[..., Number], score: LocalScore, task: Task) -> None:
    score.store({task: work(score, *task[1:])})


def _run(
    score: LocalScore, work: Callable[[LocalScore, Any], Any], items: Sequence[Any]
) -> tuple[list[Any], dict[Task, Number]]:
    """Return the results of `work` in a worker, and what it adds to what is known."""
    # A copy, because workers may be threads.
    score = copy(score)
    before = score.known
    score.known = dict(before)
    with single_thread(), joblib.parallel_config("sequential"):
        results = [work(score, item) for item in items]
    return results, {task: nats for task, nats in score.known.items() if task not in before}
