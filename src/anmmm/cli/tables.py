"""The printed table of a collection, and its summary."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any
from unicodedata import combining, east_asian_width

from anmmm._text import Table, cut, hypotheses, printable
from anmmm.cli.messages import plain
from anmmm.direction.outcome import format_confidence, format_decision

# Collections load libraries that a single decision does not need.
if TYPE_CHECKING:
    from anmmm.collection.records import PairClusters, PairResult
    from anmmm.collection.summary import CollectionSummary

# Width of the column of ids if they are unknown before reading, and at most.
UNKNOWN_IDS, LONGEST_ID = 16, 60


class RowTable(ABC):
    """Lines of the table of a collection, one per pair."""

    def __init__(self, pairs: Any) -> None:
        # Empty if they are unknown before reading.
        ids = getattr(pairs, "ids", ())
        least = len("pair") if ids else UNKNOWN_IDS
        self._id_width = min(max([least, *map(len, ids)]), LONGEST_ID)
        self._columns = self.columns_for(pairs)
        self._table = Table({"pair": "", "n": ">10", **self._columns, "note": ""})

    def header(self) -> str:
        """Return the line of column names."""
        return self._table.line(_id_cell("pair", self._id_width), *[*self._table.columns][1:])

    def line(self, row: Any) -> str:
        """Return the line of one pair."""
        size = "—" if row.n is None else f"{row.n}"
        analyzed = row.status == "ok"
        n_cells = len(self._columns)
        cells = self.cells(row)[:n_cells] if analyzed else ["—", "—", *[""] * (n_cells - 2)]
        note = self.note(row) if analyzed else f"{row.status}: {row.notes}"
        # Replaced characters may be longer.
        spelled = map(plain, (size, *cells))
        return self._table.line(_id_cell(row.pair_id, self._id_width), *spelled, printable(note))

    @staticmethod
    @abstractmethod
    def columns_for(pairs: Any) -> dict[str, str]:
        """Return the columns for the pairs of a source."""

    @abstractmethod
    def cells(self, row: Any) -> list[str]:
        """Return the cells of the columns of an analyzed pair."""

    def note(self, row: Any) -> str:
        """Return the remark on an analyzed pair."""
        return str(row.notes)

    @staticmethod
    def closing(summary: CollectionSummary) -> str:
        """Describe the whole collection."""
        return str(summary)


class DirectionsTable(RowTable):
    """Lines of the table of a collection's directions."""

    @staticmethod
    def columns_for(pairs: Any) -> dict[str, str]:
        """Return the columns; pairs of a table have names and no truth."""
        names = sorted(map(len, getattr(pairs, "variables", ())))[-2:]
        width = max(14, min(sum(names) + len("leaning  → "), LONGEST_ID))
        columns = {"relation": f"<{width}", "score": ">10", "confidence": ">10"}
        return columns if names else columns | {"truth": "^5"}

    def cells(self, row: PairResult) -> list[str]:
        """Return relation, score, confidence, and whether they are correct."""
        from anmmm.collection.summary import is_right

        truth = {True: "✓", False: "✗", None: ""}[is_right(row)]
        confidence = format_confidence(row.confidence) if row.direction else ""
        decision = printable(format_decision(row, hypotheses(row.x, row.y)))
        score = "—" if row.score is None else f"{row.score:+.3f}"
        return [decision, score, confidence, truth]

    def note(self, row: PairResult) -> str:
        """Return the number of mechanisms, if there are several, and the remark."""
        several = f"{row.n_mechanisms} mechanisms" if (row.n_mechanisms or 1) > 1 else ""
        return "; ".join(filter(None, (several, row.notes)))


class ClustersTable(RowTable):
    """Lines of the table of a collection's mechanisms."""

    @staticmethod
    def columns_for(pairs: Any) -> dict[str, str]:
        """Return the columns."""
        widest = max([len("cause"), *map(len, getattr(pairs, "variables", ()))])
        return {"cause": f"<{min(widest, LONGEST_ID)}", "sizes of mechanisms": "<20"}

    def cells(self, row: PairClusters) -> list[str]:
        """Return the cause and the sizes of its mechanisms."""
        sizes = "—" if row.sizes is None else " ".join(map(str, row.sizes))
        return [printable(row.cause or "—"), sizes]

    @staticmethod
    def closing(summary: CollectionSummary) -> str:
        """Describe how many pairs were labeled."""
        n_labeled = summary.n_pairs - summary.n_unusable - summary.n_error
        return summary.counts(f"{n_labeled} labeled")


def _id_cell(pair_id: str, width: int) -> str:
    """Return an id on one line, cut if it is long, padded to the width of its column."""
    text = cut(printable(pair_id), LONGEST_ID)
    # East Asian letters take two columns of a terminal, combining accents none.
    taken = sum(
        0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text
    )
    return text + " " * (width - taken)
