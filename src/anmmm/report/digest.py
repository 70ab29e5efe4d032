"""Rows of a collection come in one by one; what a page says of them goes out.

Kept are counts, a few numbers a row in flat arrays (some 80 bytes a pair), and the rows of the
pairs that are to be shown.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from anmmm._typing import FloatArray
from anmmm.collection import CollectionSummary
from anmmm.collection.summary import Summarizer
from anmmm.evaluation import DecisionRates, accuracy_errors, signed_rates
from anmmm.report.reasons import Reasons
from anmmm.results import PairResult

__all__ = ["Digest", "Extremes"]


class Digest:
    """What a page says of the rows, as far as they were added.

    Parameters
    ----------
    n_shown : int
        Number of the most, and of the least certain pairs to be kept.

    Attributes
    ----------
    statuses, models, mechanisms : Counter
        Rows of each status; analysed rows of each model and number of mechanisms, where known.
    failures, remarks : Reasons
        Of rows without a result; of analysed rows.
    """

    def __init__(self, n_shown: int) -> None:
        self.statuses: Counter[str] = Counter()
        self.models: Counter[str] = Counter()
        self.mechanisms: Counter[int] = Counter()
        self.failures, self.remarks = Reasons(), Reasons()
        self._summarizer = Summarizer()
        # Hashes, since the ids themselves would be ten times as long.
        self._ids = array("q")
        self._sizes, self._confidences, self._seconds = array("d"), array("d"), array("d")
        self._unknown = array("d")
        # Of the pairs of known direction, as `evaluate` has them.
        self._scored = {name: array("d") for name in ("score", "truth", "weight", "confidence")}
        self._right = array("d")
        # Negative for a pair that is its own data set.
        self._groups = array("q")
        self._group_numbers: dict[str, int] = {}
        self._by_score, self._by_confidence = Extremes(n_shown), Extremes(n_shown)

    def add(self, row: PairResult) -> None:
        """Take one row.

        Parameters
        ----------
        row : PairResult
        """
        self._summarizer.add(row)
        self._ids.append(hash(row.pair_id))
        self.statuses[row.status] += 1
        if row.status != "ok":
            self.failures.add(row.status, row.reason, row.pair_id)
            return
        if row.reason:
            self.remarks.add(row.status, row.reason, row.pair_id)
        if row.model is not None:
            self.models[row.model] += 1
        if row.n_mechanisms is not None:
            self.mechanisms[row.n_mechanisms] += 1
        if row.seconds:
            self._seconds.append(row.seconds)
        known = row.truth in (1, -1)
        if known:
            confidence = np.nan if row.confidence is None else row.confidence
            values = (row.score or 0.0, row.truth or 0, row.weight, confidence)
            for column, value in zip(self._scored.values(), values, strict=True):
                column.append(value)
            self._right.append(row.direction == row.truth)
            numbers = self._group_numbers
            own = -len(self._right)
            self._groups.append(
                own if row.group is None else numbers.setdefault(row.group, len(numbers))
            )
        if row.score is None:
            return
        size = abs(row.score)
        self._sizes.append(size)
        self._by_score.add((size, 0.0), row)
        if not known:
            self._unknown.append(row.score)
        if row.confidence is not None:
            self._confidences.append(row.confidence)
            self._by_confidence.add((row.confidence, size), row)

    @property
    def summary(self) -> CollectionSummary:
        """Counts and accuracies."""
        return self._summarizer.summary()

    @property
    def median_size(self) -> float | None:
        """Median |score| of the analysed pairs."""
        return float(np.median(_values(self._sizes))) if self._sizes else None

    @property
    def mean_confidence(self) -> float | None:
        """Mean confidence of the analysed pairs that have one."""
        return float(_values(self._confidences).mean()) if self._confidences else None

    @property
    def n_confident(self) -> int:
        """Number of analysed pairs with a confidence."""
        return len(self._confidences)

    @property
    def median_seconds(self) -> float | None:
        """Median wall time of the analysed pairs whose time is recorded."""
        return float(np.median(_values(self._seconds))) if self._seconds else None

    @property
    def unknown_scores(self) -> FloatArray:
        """Scores of the analysed pairs of unknown direction, in order."""
        return _values(self._unknown)

    def accuracy_errors(self) -> tuple[float | None, float | None]:
        """Return the standard errors of both accuracies, as `evaluate` measures them."""
        return accuracy_errors(_values(self._right), _values(self._scored["weight"]), self._groups)

    def rates(self) -> tuple[str, DecisionRates | None]:
        """Return what certainty is and the decision rates, None without known directions."""
        columns = {name: _values(column) for name, column in self._scored.items()}
        confidences = columns["confidence"]
        return signed_rates(
            columns["score"],
            columns["truth"],
            columns["weight"],
            None if np.isnan(confidences).any() else confidences,
            self._groups,
        )

    @property
    def ordered_by(self) -> str:
        """What the shown pairs are ordered by: confidence, if every pair has one, or |score|."""
        every = len(self._confidences) == len(self._sizes) > 0
        return "confidence" if every else "|score|"

    def repeated(self, rows: Iterable[PairResult]) -> set[str]:
        """Return the ids of these rows that other rows have, too.

        Parameters
        ----------
        rows : iterable of PairResult
            Some of those that were added.

        Returns
        -------
        set of str
        """
        hashes, counts = np.unique(np.asarray(self._ids), return_counts=True)
        several = set(hashes[counts > 1].tolist())
        return {row.pair_id for row in rows if hash(row.pair_id) in several}

    def shown(self) -> tuple[list[PairResult], list[PairResult]]:
        """Return the rows to be shown, without a row in both.

        Returns
        -------
        list of PairResult
            The most certain ones, the most certain first.
        list of PairResult
            The least certain ones, the least certain first.
        """
        by = self._by_confidence if self.ordered_by == "confidence" else self._by_score
        return by.both()


class Extremes:
    """The rows of the largest and of the smallest keys.

    Parameters
    ----------
    count : int
        Number to be kept of either.
    """

    def __init__(self, count: int) -> None:
        self._count, self._seen = count, 0
        # Of equal keys the earlier row is the larger one, so that no row is among both.
        self._largest: list[tuple[Any, int, PairResult]] = []
        self._smallest: list[tuple[Any, int, PairResult]] = []

    def add(self, key: tuple[float, ...], row: PairResult) -> None:
        """Take one row.

        Parameters
        ----------
        key : tuple of float
        row : PairResult
        """
        self._seen += 1
        self._keep(self._largest, (key, -self._seen, row))
        self._keep(self._smallest, (tuple(-part for part in key), self._seen, row))

    def _keep(
        self, heap: list[tuple[Any, int, PairResult]], entry: tuple[Any, int, PairResult]
    ) -> None:
        # Positions differ, so rows are never compared.
        if len(heap) < self._count:
            heapq.heappush(heap, entry)
        elif heap and entry > heap[0]:
            heapq.heapreplace(heap, entry)

    def both(self) -> tuple[list[PairResult], list[PairResult]]:
        """Return the rows of the largest and of the smallest keys, the most extreme first.

        Of fewer rows than twice the count, one half is among the largest.
        """
        n_largest = min(self._count, -(-self._seen // 2))
        n_smallest = min(self._count, self._seen - n_largest)
        return (
            [row for _, _, row in sorted(self._largest, reverse=True)[:n_largest]],
            [row for _, _, row in sorted(self._smallest, reverse=True)[:n_smallest]],
        )


def _values(column: array[float]) -> FloatArray:
    # A copy: an array of Python's that is looked into cannot grow.
    return np.array(column, dtype=np.float64)
