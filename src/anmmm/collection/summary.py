"""Rows of a collection come in; counts and accuracies go out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from sklearn.metrics import accuracy_score

from anmmm.results import PairResult

__all__ = ["CollectionSummary", "summarize"]


@dataclass(frozen=True)
class CollectionSummary:
    """Counts and accuracy of a collection.

    Attributes
    ----------
    n_pairs : int
        Rows in all.
    n_decided, n_undecided : int
        Analysed pairs with and without a direction.
    n_unusable, n_error : int
        Pairs that could not be analysed, and pairs that failed unexpectedly.
    n_not_converged : int
        Analysed pairs of which a fit or a chosen model did not converge.
    n_scored : int
        Analysed pairs of known direction (truth 1 or -1); an undecided one among them counts as
        wrong. Pairs that were not analysed are not scored.
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


def summarize(results: Iterable[PairResult]) -> CollectionSummary:
    """Count and score the rows of a collection.

    Parameters
    ----------
    results : iterable of PairResult

    Returns
    -------
    CollectionSummary
    """
    rows = list(results)
    analysed = [row for row in rows if row.status == "ok"]
    scored = [row for row in analysed if row.truth in (1, -1)]
    truths = [row.truth for row in scored]
    directions = [row.direction for row in scored]
    weights = [row.weight for row in scored]
    total_weight = float(sum(weights))
    accuracy = weighted = None
    if scored:
        accuracy = float(accuracy_score(truths, directions))
    if total_weight > 0.0:
        weighted = float(accuracy_score(truths, directions, sample_weight=weights))
    n_undecided = sum(row.direction == 0 for row in analysed)
    return CollectionSummary(
        n_pairs=len(rows),
        n_decided=len(analysed) - n_undecided,
        n_undecided=n_undecided,
        n_unusable=sum(row.status == "unusable" for row in rows),
        n_error=sum(row.status == "error" for row in rows),
        n_not_converged=sum(row.converged is False for row in analysed),
        n_scored=len(scored),
        n_correct=sum(row.direction == row.truth for row in scored),
        total_weight=total_weight,
        accuracy=accuracy,
        weighted_accuracy=weighted,
    )
