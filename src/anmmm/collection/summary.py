"""Rows of a collection come in; counts and accuracies go out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from anmmm._words import with_error
from anmmm.collection.records import PairClusters, PairResult

__all__ = ["CollectionSummary", "Summarizer", "accuracy_lines", "is_right", "summarize"]


@dataclass(frozen=True)
class CollectionSummary:
    """Counts and accuracy of a collection.

    Attributes
    ----------
    n_pairs : int
        Rows in all.
    n_decided, n_undecided : int
        Analyzed pairs with and without a direction.
    n_unusable, n_error : int
        Pairs that could not be analyzed; pairs that failed unexpectedly, took longer than allowed
        or ended their worker.
    n_not_converged : int
        Analyzed pairs of which a fit or a chosen model did not converge.
    n_scored : int
        Analyzed pairs of known direction (truth 1 or -1); an undecided one among them counts as
        wrong. Pairs that were not analyzed are not scored, nor are rows of mechanism labels, which
        decide nothing.
    n_correct : int
        Scored pairs whose direction is the true one.
    total_weight : float
        Weight of the scored pairs.
    accuracy : float or None
        ``n_correct / n_scored``; None if nothing was scored.
    weighted_accuracy : float or None
        Weight of the correct pairs over `total_weight`; None if that is zero.
    """

    n_pairs: int
    n_decided: int
    n_undecided: int
    n_unusable: int
    n_error: int
    n_not_converged: int
    n_scored: int
    n_correct: int
    total_weight: float
    accuracy: float | None
    weighted_accuracy: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict."""
        return asdict(self)


class Summarizer:
    """Counts rows one at a time, in constant memory; its heirs keep more of them."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self._undecided = self._not_converged = self._scored = self._correct = 0
        self._weight = self._correct_weight = 0.0

    def add(self, row: Any) -> None:
        """Count one row, a PairResult or a PairClusters."""
        self.statuses[row.status] += 1
        if row.status != "ok":
            return
        self._not_converged += row.converged is False
        # Labels have no direction to be right.
        self._undecided += isinstance(row, PairClusters) or row.direction == 0
        right = is_right(row)
        if right is not None:
            self._scored += 1
            self._correct += right
            self._weight += row.weight
            self._correct_weight += row.weight * right

    def summary(self) -> CollectionSummary:
        """Return the counts and accuracies of the rows so far."""
        n_pairs, n_analyzed = self.statuses.total(), self.statuses["ok"]
        n_unusable = self.statuses["unusable"]
        return CollectionSummary(
            n_pairs=n_pairs,
            n_decided=n_analyzed - self._undecided,
            n_undecided=self._undecided,
            n_unusable=n_unusable,
            n_error=n_pairs - n_analyzed - n_unusable,
            n_not_converged=self._not_converged,
            n_scored=self._scored,
            n_correct=self._correct,
            total_weight=float(self._weight),
            accuracy=self._correct / self._scored if self._scored else None,
            weighted_accuracy=self._correct_weight / self._weight if self._weight > 0.0 else None,
        )


def is_right(row: PairResult | PairClusters) -> bool | None:
    """Return whether the decision is the true one; None where the truth or a decision lacks."""
    if isinstance(row, PairClusters) or row.truth not in (1, -1):
        return None
    return row.direction == row.truth


def accuracy_lines(
    summary: CollectionSummary,
    *,
    errors: tuple[float | None, float | None] = (None, None),
    note: str = "",
) -> Iterator[str]:
    """Yield both accuracies, their standard errors where known, and a note on the first."""
    if summary.accuracy is None:
        yield "accuracy           unknown: no analyzed pair has a known direction"
    else:
        line = f"accuracy           {with_error(summary.accuracy, errors[0])}"
        yield f"{line}   {note}" if note else line
    if summary.weighted_accuracy is not None:
        accuracy = with_error(summary.weighted_accuracy, errors[1])
        yield f"weighted accuracy  {accuracy}   (total weight {summary.total_weight:.6g})"


def summarize(results: Iterable[PairResult | PairClusters]) -> CollectionSummary:
    """Count and score the rows of a collection.

    Parameters
    ----------
    results : iterable of PairResult or PairClusters
        Read one at a time; none is kept.

    Returns
    -------
    CollectionSummary
        Of mechanism labels the counts alone; both accuracies are None.
    """
    summarizer = Summarizer()
    for row in results:
        summarizer.add(row)
    return summarizer.summary()
