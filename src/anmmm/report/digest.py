"""Statistics of rows for a page, added one by one."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from anmmm.collection.records import PairResult
from anmmm.direction.outcome import (
    COMMON_CAUSE,
    INDEPENDENT,
    UNRELATED_GIVEN,
    certainty_of,
    format_decision,
)
from anmmm.evaluation.tally import Tally

# Rows of neither extreme that are kept before they are dropped.
BATCH = 1000
# Kinds of reasons; those that quote the data differ for every pair.
MOST_GROUPS = 1000
FIRST_IDS = 5

_FOLDERS = re.compile(r"(?<![\w.])(?:[A-Za-z]:)?(?:[\\/][^\s\\/:;,'\"]+)*[\\/](?=[^\s\\/:;,'\"])")
_NUMBER = re.compile(r"(?<![\w.])(?<!\w-)[-+−]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?(?![\w])")
# Counted nouns of messages, to be made plural.
_ONE = re.compile(
    r"# ((?:incomplete )?(?:column|observation|point|row|sample|second|value))(?=\W|$)"
)


class Digest(Tally):
    """Content of a page: some 80 bytes per row, and the `n_shown` rows of either extreme."""

    def __init__(self, n_shown: int) -> None:
        super().__init__()
        self.models: Counter[str] = Counter()
        self.mechanisms: Counter[int] = Counter()
        self.relations: Counter[str] = Counter()
        # Of pairs of truth 0: independent, sure and so on.
        self.neither: Counter[str] = Counter()
        # For rows without a result, and for analyzed rows.
        self.failures, self.remarks = Reasons(), Reasons()
        # Hashes take a tenth of the memory of ids.
        self._ids = array("q")
        # Of the analyzed pairs that are not independent: |score|, known confidences, and scores of
        # unknown direction.
        self.sizes, self.confidences, self.unknown_scores = array("d"), array("d"), array("d")
        self._by_score, self._by_confidence = Extremes(n_shown), Extremes(n_shown)

    def add(self, row: PairResult) -> None:
        """Take one row."""
        super().add(row)
        self._ids.append(hash(row.pair_id))
        if row.status != "ok":
            self.failures.add(row.status, row.notes, row.pair_id)
            return
        if row.notes:
            named = f"{UNRELATED_GIVEN} {row.explained_by}"
            remark = row.notes.replace(named, f"{UNRELATED_GIVEN} other columns")
            self.remarks.add(row.status, remark, row.pair_id)
        self.relations[format_decision(row)] += 1
        if row.truth == 0:
            word = INDEPENDENT if row.relation == INDEPENDENT else certainty_of(row)
            self.neither[word or "other"] += 1
        if row.model is not None:
            self.models[row.model] += 1
        if row.n_mechanisms is not None:
            self.mechanisms[row.n_mechanisms] += 1
        # Only pairs with a direction are ranked by certainty.
        if row.score is None or row.relation in (INDEPENDENT, COMMON_CAUSE):
            return
        size = abs(row.score)
        self.sizes.append(size)
        self._by_score.add((size,), row)
        if row.truth is None:
            self.unknown_scores.append(row.score)
        if row.confidence is not None:
            self.confidences.append(row.confidence)
            self._by_confidence.add((row.confidence, size), row)

    @property
    def ordered_by(self) -> str:
        """Order of the shown pairs: by confidence, if every pair has one, else by |score|."""
        every = len(self.confidences) == len(self.sizes) > 0
        return "confidence" if every else "|score|"

    def repeated(self, rows: Iterable[PairResult]) -> set[str]:
        """Return the ids of these rows that several added rows have."""
        hashes, counts = np.unique(np.asarray(self._ids), return_counts=True)
        several = set(hashes[counts > 1].tolist())
        return {row.pair_id for row in rows if hash(row.pair_id) in several}

    def shown(self) -> tuple[list[PairResult], list[PairResult]]:
        """Return the most and the least certain rows, most extreme first; no row is in both."""
        by = self._by_confidence if self.ordered_by == "confidence" else self._by_score
        return by.both()


class Extremes:
    """The rows of the largest and of the smallest keys, `count` of either."""

    def __init__(self, count: int) -> None:
        self._count, self._n_seen = count, 0
        self._entries: list[tuple[tuple[float, ...], int, PairResult]] = []

    def add(self, key: tuple[float, ...], row: PairResult) -> None:
        """Take one row."""
        self._n_seen += 1
        # Among equal keys the earlier row is larger; rows themselves are never compared.
        self._entries.append((key, -self._n_seen, row))
        if len(self._entries) > 2 * self._count + BATCH:
            self._drop()

    def _drop(self) -> None:
        self._entries.sort(reverse=True)
        del self._entries[self._count : max(len(self._entries) - self._count, self._count)]

    def both(self) -> tuple[list[PairResult], list[PairResult]]:
        """Return the rows of the largest and of the smallest keys, most extreme first."""
        self._drop()
        rows = [row for _, _, row in self._entries]
        n_largest = -(-len(rows) // 2)
        return rows[:n_largest], rows[n_largest:][::-1]


@dataclass
class Group:
    """Rows of one status whose reasons have one pattern."""

    status: str
    pattern: str
    count: int = 0
    first_ids: list[str] = field(default_factory=list)


class Reasons:
    """Counts reasons in limited memory."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], Group] = {}

    def add(self, status: str, reason: str, pair_id: str) -> None:
        """Count one row; after `MOST_GROUPS` kinds, new kinds are counted together."""
        key = (status, pattern_of(reason, pair_id))
        if key not in self._groups and len(self._groups) >= MOST_GROUPS:
            key = (status, "other reasons")
        group = self._groups.setdefault(key, Group(*key))
        group.count += 1
        if len(group.first_ids) < FIRST_IDS:
            group.first_ids.append(pair_id)

    def groups(self) -> list[Group]:
        """Return the groups by decreasing size, then in the order of their first rows."""
        return sorted(self._groups.values(), key=lambda group: -group.count)


def pattern_of(reason: str, pair_id: str) -> str:
    """Return the text of a reason without id, numbers and folders."""
    text = _FOLDERS.sub("", reason)
    if pair_id and pair_id in text:
        # Whole words only: an id may be a single letter.
        text = re.sub(rf"(?<!\w){re.escape(pair_id)}(?!\w)", "‹id›", text)
    return _ONE.sub(r"# \1s", _NUMBER.sub("#", text)) or "no reason given"
