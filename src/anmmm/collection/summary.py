"""Counts and accuracies of the rows of a collection."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from anmmm._record import Record
from anmmm._text import counted
from anmmm._typing import BoolArray
from anmmm.collection.records import PairClusters, PairResult
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    INDEPENDENT,
    LACK_OF_FIT_PVALUE,
    NO_PREFERENCE,
    SURE,
    is_decided,
    is_sure,
)

# Expected fraction of unrelated pairs among those reported as related.
FALSE_DISCOVERIES = 0.05


class CollectionSummary(Record, eq=True):
    """Counts and accuracy of a collection.

    Attributes
    ----------
    n_pairs : int
        Rows in all.
    n_unusable, n_error : int
        Pairs that could not be analyzed; pairs that failed unexpectedly.
    n_not_converged : int
        Analyzed pairs of which a fit or a chosen model did not converge.
    n_labeled : int
        Pairs with mechanism labels. All further counts are of pairs with decisions.
    n_decided : int
        Pairs with a direction that is preferred: of a confidence of at least 0.6, of unknown
        confidence, or whose reverse is not plausible.
    n_sure, n_leaning : int
        Decided pairs of a confidence of at least 0.9 (`SURE`), and below.
    n_no_preference : int
        Pairs with another direction.
    n_undecided : int
        Pairs without a direction, including independent ones and common causes.
    n_independent, n_common_cause : int
        Pairs of this relation.
    n_poor_fit : int
        Pairs with a `check_pvalue` below 0.01: no model fits.
    n_tested, n_related, n_related_sure : int
        Pairs with a p-value of the test of independence; those of them that are related at a false
        discovery rate of 0.05, see docs/guide/outcomes.md; related ones with a sure direction.
    n_scored, n_correct : int
        Pairs of known direction (truth 1 or -1), and those whose direction is the true one. An
        undecided pair counts as wrong.
    n_decided_scored, n_decided_correct : int
        The same of decided pairs.
    total_weight : float
        Weight of the scored pairs.
    accuracy : float or None
        ``n_correct / n_scored``; None if nothing was scored.
    weighted_accuracy : float or None
        Weight of the correct pairs over `total_weight`; None if that is zero.
    """

    n_pairs: int = 0
    n_unusable: int = 0
    n_error: int = 0
    n_not_converged: int = 0
    n_labeled: int = 0
    n_decided: int = 0
    n_sure: int = 0
    n_leaning: int = 0
    n_no_preference: int = 0
    n_undecided: int = 0
    n_independent: int = 0
    n_common_cause: int = 0
    n_poor_fit: int = 0
    n_scored: int = 0
    n_correct: int = 0
    n_decided_scored: int = 0
    n_decided_correct: int = 0
    n_tested: int = 0
    n_related: int = 0
    n_related_sure: int = 0
    total_weight: float = 0.0
    accuracy: float | None = None
    weighted_accuracy: float | None = None

    def __str__(self) -> str:
        """Return counts, the number of related pairs, and of right directions if it is known."""
        parts = ", ".join(self._parts())
        pairs = counted(self.n_pairs, "pair")
        lines = [f"{pairs}: {parts}" if parts else pairs]
        if self.n_tested:
            lines.append(self._related())
        if self.n_scored:
            decided = f"{self.n_decided_correct} of {self.n_decided_scored} decided pairs"
            forced = f"{self.n_correct} of {self.n_scored} with the undecided ones"
            lines.append(f"right directions: {decided} of known direction ({forced})")
        return "\n".join(lines)

    def _parts(self) -> list[str]:
        """Return the counts that are not zero, with what they count."""
        n_unrated = self.n_decided - self.n_sure - self.n_leaning
        has_confidences = self.n_sure + self.n_leaning > 0
        counts = {
            "labeled": self.n_labeled,
            "sure": self.n_sure,
            "leaning": self.n_leaning,
            "decided without a confidence" if has_confidences else "decided": n_unrated,
            NO_PREFERENCE: self.n_no_preference,
            "undecided": self.n_undecided - self.n_independent - self.n_common_cause,
            "independent": self.n_independent,
            "with a common cause": self.n_common_cause,
            "unusable": self.n_unusable,
            "failed": self.n_error,
            "not converged": self.n_not_converged,
        }
        return [f"{count} {words}" for words, count in counts.items() if count]

    def _related(self) -> str:
        """Return a sentence on related pairs, and those with a sure direction."""
        are = "is" if 1 in (self.n_related, self.n_tested) else "are"
        related = f"{self.n_related} of {counted(self.n_tested, 'pair')} {are} related"
        return (
            f"{related}, {self.n_related_sure} of them with a sure direction "
            f"(false discovery rate {FALSE_DISCOVERIES:g}, sure from {SURE:g} on)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict."""
        return asdict(self)


def summarize(results: Iterable[PairResult | PairClusters]) -> CollectionSummary:
    """Count and score the rows of a collection.

    Parameters
    ----------
    results : iterable of PairResult or PairClusters
        Read one at a time; 9 bytes of each are kept.

    Returns
    -------
    CollectionSummary
        For mechanism labels only counts; both accuracies are None.

    Examples
    --------
    >>> from anmmm import infer_directions
    >>> from anmmm.collection import summarize
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, _ = make_anm_mixture("f3", random_state=1)
    >>> summary = summarize(infer_directions({"a": (x, y), "b": (y, x)}))
    >>> summary.n_pairs, summary.n_sure
    (2, 2)
    """
    counts = Counter(n_pairs=0, n_scored=0, n_correct=0)
    weight = 0.0
    correct_weight = 0.0
    # Of the pairs that were tested for independence, and whether they have a sure direction.
    pvalues = array("d")
    is_sure_direction = array("b")
    for row in results:
        counts.update(_counts_of(row))
        if row.status != "ok" or isinstance(row, PairClusters):
            continue
        if row.independence_pvalue is not None:
            pvalues.append(row.independence_pvalue)
            is_sure_direction.append(is_sure(row) is True)
        if row.is_right is not None:
            weight += row.weight
            correct_weight += row.weight * row.is_right
    related = are_related(pvalues)
    return CollectionSummary(
        **counts,
        total_weight=float(weight),
        accuracy=counts["n_correct"] / counts["n_scored"] if counts["n_scored"] else None,
        weighted_accuracy=correct_weight / weight if weight > 0.0 else None,
        n_tested=len(pvalues),
        n_related=int(related.sum()),
        n_related_sure=int(related[np.asarray(is_sure_direction, dtype=bool)].sum()),
    )


def _counts_of(row: PairResult | PairClusters) -> dict[str, bool]:
    """Return which counts of a summary a row belongs to."""
    is_analyzed = row.status == "ok"
    counts = {
        "n_pairs": True,
        "n_unusable": row.status == "unusable",
        "n_error": row.status == "error",
        "n_not_converged": is_analyzed and row.converged is False,
        "n_labeled": is_analyzed and isinstance(row, PairClusters),
    }
    if not is_analyzed or isinstance(row, PairClusters):
        return counts
    is_preferred = is_decided(row)
    sure = is_sure(row)
    has_truth = row.is_right is not None
    return {
        **counts,
        "n_decided": is_preferred,
        "n_sure": sure is True,
        "n_leaning": sure is False and is_preferred,
        "n_no_preference": row.direction != 0 and not is_preferred,
        "n_undecided": row.direction == 0,
        "n_independent": row.relation == INDEPENDENT,
        "n_common_cause": row.relation == COMMON_CAUSE,
        "n_poor_fit": row.check_pvalue is not None and row.check_pvalue < LACK_OF_FIT_PVALUE,
        "n_scored": has_truth,
        "n_correct": row.is_right is True,
        "n_decided_scored": is_preferred and has_truth,
        "n_decided_correct": is_preferred and row.is_right is True,
    }


def are_related(pvalues: Sequence[float]) -> BoolArray:
    """Return which p-values Benjamini and Hochberg (1995) reject."""
    if not pvalues:
        return np.empty(0, dtype=np.bool_)
    # It loads slowly, and workers do not need it.
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(pvalues) <= FALSE_DISCOVERIES)
