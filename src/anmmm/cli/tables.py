"""What is printed of a collection: an aligned table of its pairs, and a summary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar
from unicodedata import combining, east_asian_width

from anmmm._words import Table, counted, hypotheses
from anmmm.cli.output import plain
from anmmm.cli.text import shown
from anmmm.collection import CollectionSummary
from anmmm.collection.records import PairClusters, PairResult
from anmmm.collection.summary import accuracy_lines, is_right, related_text
from anmmm.direction import said_of

# Width of the column of ids where these are not known before, and at most.
UNKNOWN_IDS, LONGEST_ID = 16, 60


class _RowTable(ABC):
    """Lines of the table of a collection, one a pair; `ids` are empty where not known before."""

    columns: ClassVar[dict[str, str]]

    def __init__(self, ids: Sequence[str]) -> None:
        least = len("pair") if ids else UNKNOWN_IDS
        self._id_width = min(max([least, *map(len, ids)]), LONGEST_ID)
        self._table = Table({"pair": "", "n": ">10", **self.columns, "remark": ""})

    def header(self) -> str:
        """Return the line of column names."""
        return self._table.line(_id_cell("pair", self._id_width), *[*self._table.columns][1:])

    def line(self, row: Any) -> str:
        """Return the line of one pair."""
        size = "—" if row.n is None else f"{row.n}"
        # Labels are those of all observations.
        if getattr(row, "n_used", None) not in (None, row.n):
            size = f"{row.n_used}/{row.n}"
        analyzed = row.status == "ok"
        cells = self.cells(row) if analyzed else ["—", "—", *[""] * (len(self.columns) - 2)]
        remark = row.reason if analyzed else f"{row.status}: {row.reason}"
        # What a terminal cannot show may be spelled longer.
        spelled = map(plain, (size, *cells))
        return self._table.line(_id_cell(row.pair_id, self._id_width), *spelled, shown(remark))

    @abstractmethod
    def cells(self, row: Any) -> list[str]:
        """Return the cells of the columns of an analyzed pair."""


class DirectionsTable(_RowTable):
    """Lines of the table of a collection's directions."""

    columns: ClassVar = {"relation": "<14", "score": ">10", "confidence": ">10", "truth": "^5"}

    def cells(self, row: PairResult) -> list[str]:
        """Return relation, score, confidence, and what the truth makes of them."""
        truth = {True: "✓", False: "✗", None: ""}[is_right(row)]
        confidence = "" if row.confidence is None else f"{row.confidence:.3f}"
        return [said_of(row, hypotheses()), f"{row.score:+.3f}", confidence, truth]


class ClustersTable(_RowTable):
    """Lines of the table of a collection's mechanisms."""

    columns: ClassVar = {"cause": "^5", "sizes of mechanisms": "<20"}

    def cells(self, row: PairClusters) -> list[str]:
        """Return the cause and the sizes of its mechanisms."""
        sizes = "—" if row.sizes is None else " ".join(map(str, row.sizes))
        return [row.cause or "—", sizes]


def _id_cell(pair_id: str, width: int) -> str:
    """Return an id on one line, cut where it is long, and filled up to the width of its column."""
    text = shown(pair_id)
    if len(text) > LONGEST_ID:
        text = f"{text[: LONGEST_ID - 1]}…"
    # Letters of East Asia take two columns of a terminal, accents that join their letter none.
    taken = sum(
        0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text
    )
    return text + " " * (width - taken)


def counts_text(summary: CollectionSummary) -> str:
    """Describe how many pairs of a collection were labeled."""
    n_labeled = summary.n_pairs - summary.n_unusable - summary.n_error
    return _counts(summary, f"{n_labeled} labeled")


def _counts(summary: CollectionSummary, analyzed: str) -> str:
    counts = [analyzed, f"{summary.n_unusable} unusable"]
    if summary.n_error:
        counts.append(f"{summary.n_error} failed")
    if summary.n_not_converged:
        counts.append(f"{summary.n_not_converged} not converged")
    return f"{counted(summary.n_pairs, 'pair')}: {', '.join(counts)}"


def summary_text(summary: CollectionSummary) -> str:
    """Describe a collection: counts, what is related, accuracy where directions are known."""
    decided = f"{summary.n_decided} decided"
    if summary.n_sure or summary.n_leaning:
        decided += f" ({summary.n_sure} sure, {summary.n_leaning} leaning)"
    analyzed = [decided, f"{summary.n_undecided - summary.n_independent} undecided"]
    if summary.n_independent:
        analyzed.append(f"{summary.n_independent} independent")
    right = f"({summary.n_correct} of {summary.n_scored} pairs of known direction)"
    lines = [_counts(summary, ", ".join(analyzed))]
    if summary.n_tested:
        lines.append(related_text(summary))
    return "\n".join([*lines, *accuracy_lines(summary, note=right)])
