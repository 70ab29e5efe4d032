"""Counts and accuracies of the rows of a collection."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import chain
from typing import Any

import numpy as np

from anmmm._record import Record
from anmmm._text import counted, with_error
from anmmm.collection.records import PairClusters, PairResult, Row
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    INDEPENDENT,
    LACK_OF_FIT_PVALUE,
    NO_PREFERENCE,
    SURE,
    UNRELATED_GIVEN,
    is_decided,
    is_sure,
)

# Advice on pairs with missing values.
LEAVE_OUT = "missing='drop' (--drop-missing) leaves such rows out"
# Note of pairs that a screen left out.
SCREENED = "not analyzed: the screen found no dependence"
# Expected fraction of unrelated pairs among those reported as related.
FALSE_DISCOVERIES = 0.05


class CollectionSummary(Record, eq=True):
    """Counts and accuracy of a collection.

    Attributes
    ----------
    n_pairs : int
        Rows in all.
    n_decided : int
        Analyzed pairs with a direction that is preferred: of a confidence of at least 0.6, of
        unknown confidence, or whose reverse is not plausible.
    n_no_preference : int
        Analyzed pairs with another direction.
    n_undecided : int
        Analyzed pairs without a direction, including independent ones and common causes.
    n_unusable, n_error : int
        Pairs that could not be analyzed; pairs that failed unexpectedly.
    n_not_converged : int
        Analyzed pairs of which a fit or a chosen model did not converge.
    n_scored : int
        Analyzed pairs of known direction (truth 1 or -1); an undecided pair counts as wrong. Rows
        of mechanism labels are not scored.
    n_correct : int
        Scored pairs whose direction is the true one.
    total_weight : float
        Weight of the scored pairs.
    accuracy : float or None
        ``n_correct / n_scored``; None if nothing was scored.
    weighted_accuracy : float or None
        Weight of the correct pairs over `total_weight`; None if that is zero.
    n_sure, n_leaning : int
        Decided pairs of a confidence of at least 0.9 (`SURE`), and below.
    n_independent : int
        Analyzed pairs whose relation is ``"independent"``.
    n_common_cause : int
        Analyzed pairs whose shortest description is a hidden common cause.
    n_poor_fit : int
        Analyzed pairs with a `check_pvalue` below 0.01: no model fits.
    n_tested : int
        Analyzed pairs with a p-value of the test of independence.
    n_related : int
        Tested pairs that are related at a false discovery rate of 0.05; see docs/guide/outcomes.md.
    n_related_sure : int
        Related pairs with a sure direction.
    n_incomplete : int
        Unusable pairs that ``missing="drop"`` may make usable.
    n_explained : int
        Analyzed pairs with `PairResult.explained_by`.
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
    n_sure: int = 0
    n_leaning: int = 0
    n_independent: int = 0
    n_common_cause: int = 0
    n_poor_fit: int = 0
    n_tested: int = 0
    n_related: int = 0
    n_related_sure: int = 0
    n_explained: int = 0
    n_no_preference: int = 0
    n_incomplete: int = 0

    @property
    def n_open(self) -> int:
        """Pairs without a direction that are neither independent nor have a common cause."""
        return self.n_undecided - self.n_independent - self.n_common_cause

    def __str__(self) -> str:
        """Return counts, the number of related pairs, and the accuracy if it is known."""
        parts = []
        if self.n_sure or self.n_leaning or self.n_decided == 0:
            parts = [f"{self.n_sure} sure"]
        n_unrated = self.n_decided - self.n_sure - self.n_leaning
        for count, words in (
            (self.n_leaning, "leaning"),
            (n_unrated, "decided without a confidence" if parts else "decided"),
            (self.n_no_preference, NO_PREFERENCE),
            (self.n_open, "undecided"),
            (self.n_independent, "independent"),
            (self.n_common_cause, "with a common cause"),
        ):
            if count:
                parts.append(f"{count} {words}")
        right = f"({self.n_correct} of {self.n_scored} pairs of known direction)"
        lines = [self.counts(", ".join(parts))]
        if self.n_tested:
            lines.append(self._related())
        if self.n_explained:
            pairs = counted(self.n_explained, "pair")
            lines.append(
                f"{pairs}: {UNRELATED_GIVEN} other columns (infer_graph, or anmmm graph, finds the "
                "arrows of the whole table)"
            )
        if self.accuracy is not None:
            lines += accuracy_lines(self, note=right)
        return "\n".join(lines)

    def counts(self, analyzed: str) -> str:
        """Return a line of counts that begins with those of analyzed pairs."""
        counts = [analyzed]
        if self.n_unusable:
            incomplete = f" ({self.n_incomplete} for missing values: {LEAVE_OUT})"
            counts.append(f"{self.n_unusable} unusable{incomplete if self.n_incomplete else ''}")
        if self.n_error:
            counts.append(f"{self.n_error} failed")
        if self.n_not_converged:
            counts.append(f"{self.n_not_converged} not converged")
        return f"{counted(self.n_pairs, 'pair')}: {', '.join(counts)}"

    def _related(self) -> str:
        """Return a sentence on related pairs, and those with a sure direction."""
        n_related, n_sure = self.n_related, self.n_related_sure
        are = "is" if 1 in (n_related, self.n_tested) else "are"
        text = f"{n_related} of {counted(self.n_tested, 'pair')} {are} related"
        if n_related == 1:
            text += f", {'with' if n_sure else 'without'} a sure direction"
        elif n_related:
            text += f", {n_sure} of them with a sure direction"
        return f"{text} (false discovery rate {FALSE_DISCOVERIES:g}, sure from {SURE:g} on)"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict."""
        return asdict(self)


class Summarizer:
    """Counts rows one at a time; keeps their p-values for the false discovery rate."""

    def __init__(self) -> None:
        self.statuses: Counter[str] = Counter()
        self._counts = Counter(
            n_undecided=0, n_no_preference=0, n_not_converged=0, n_scored=0, n_correct=0
        )
        self._weight = self._correct_weight = 0.0
        # Of pairs with a sure direction, of the other pairs, and of those that a screen left out.
        self._pvalues = {True: array("d"), False: array("d"), None: array("d")}

    def add(self, row: Any) -> None:
        """Count one row, a PairResult or a PairClusters."""
        self.statuses[row.status] += 1
        if row.status != "ok":
            self._counts["n_incomplete"] += LEAVE_OUT in row.notes
            return
        self._counts["n_not_converged"] += row.converged is False
        # Labels decide no direction.
        if isinstance(row, PairClusters):
            self._counts["n_undecided"] += 1
            return
        sure = is_sure(row)
        self._counts.update(
            n_undecided=row.direction == 0,
            n_independent=row.relation == INDEPENDENT,
            n_common_cause=row.relation == COMMON_CAUSE,
            n_poor_fit=row.check_pvalue is not None and row.check_pvalue < LACK_OF_FIT_PVALUE,
            n_sure=sure is True,
            n_leaning=sure is False and is_decided(row),
            n_no_preference=row.direction != 0 and not is_decided(row),
            n_explained=bool(row.explained_by),
        )
        if row.independence_pvalue is not None:
            # Only a screen tests without a decision.
            key = None if row.score is None else sure is True
            self._pvalues[key].append(row.independence_pvalue)
        right = is_right(row)
        if right is not None:
            self._counts.update(n_scored=1, n_correct=right)
            self._weight += row.weight
            self._correct_weight += row.weight * right

    @property
    def largest_related(self) -> float:
        """Largest p-value of related pairs so far, negative without any."""
        return largest_related(chain(*self._pvalues.values()))

    def summary(self) -> CollectionSummary:
        """Return the counts and accuracies of the rows so far."""
        limit, counts = self.largest_related, self._counts
        related = {key: int((np.asarray(p) <= limit).sum()) for key, p in self._pvalues.items()}
        n_pairs, n_analyzed = self.statuses.total(), self.statuses["ok"]
        n_unusable = self.statuses["unusable"]
        return CollectionSummary(
            n_pairs=n_pairs,
            n_decided=n_analyzed - counts["n_undecided"] - counts["n_no_preference"],
            n_unusable=n_unusable,
            n_error=n_pairs - n_analyzed - n_unusable,
            total_weight=float(self._weight),
            accuracy=counts["n_correct"] / counts["n_scored"] if counts["n_scored"] else None,
            weighted_accuracy=self._correct_weight / self._weight if self._weight > 0.0 else None,
            n_tested=sum(map(len, self._pvalues.values())),
            n_related=related[True] + related[False],
            n_related_sure=related[True],
            **counts,
        )


def largest_related(pvalues: Iterable[float], rate: float = FALSE_DISCOVERIES) -> float:
    """Return the largest p-value that Benjamini and Hochberg (1995) reject, negative for none."""
    values = np.fromiter(pvalues, float)
    if not len(values):
        return -1.0
    # It loads slowly, and workers do not need it.
    from scipy.stats import false_discovery_control

    rejected = values[false_discovery_control(values) <= rate]
    return float(rejected.max()) if len(rejected) else -1.0


def is_right(row: PairResult | PairClusters) -> bool | None:
    """Return whether the decision is correct; None if truth or decision is missing."""
    if isinstance(row, PairClusters) or row.truth not in (1, -1):
        return None
    return row.direction == row.truth


def accuracy_lines(
    summary: CollectionSummary,
    *,
    errors: tuple[float | None, float | None] = (None, None),
    note: str = "",
) -> Iterator[str]:
    """Yield lines of both accuracies, with standard errors if known and a note on the first."""
    if summary.accuracy is None:
        yield "accuracy           unknown: no analyzed pair has a known direction"
    else:
        line = f"accuracy           {with_error(summary.accuracy, errors[0])}"
        yield f"{line}   {note}" if note else line
    if summary.weighted_accuracy is not None:
        accuracy = with_error(summary.weighted_accuracy, errors[1])
        yield f"weighted accuracy  {accuracy}   (total weight {summary.total_weight:.6g})"


def summarize(results: Iterable[Row]) -> CollectionSummary:
    """Count and score the rows of a collection.

    Parameters
    ----------
    results : iterable of PairResult or PairClusters
        Read one at a time; 8 bytes of each are kept.

    Returns
    -------
    CollectionSummary
        For mechanism labels only counts; both accuracies are None.
    """
    summarizer = Summarizer()
    for row in results:
        summarizer.add(row)
    return summarizer.summary()
