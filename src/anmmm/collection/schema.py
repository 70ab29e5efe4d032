"""Columns of a collection's files: names, types, order, version."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from anmmm._optional import pyarrow_module
from anmmm._record import computed
from anmmm._text import brief, valid_utf8
from anmmm._validation import check_between, check_choice, check_nonnegative, check_truth
from anmmm._version import __version__
from anmmm.collection.records import PairClusters, PairResult, Row
from anmmm.direction.outcome import RELATIONS

# Increased when a column changes its name, type or meaning, or is removed; not when one is added.
SCHEMA_VERSION = 1
STATUSES = ("ok", "unusable", "error", "lost")

# Kinds of columns by the types of the record's fields.
_KINDS = {"str": "str", "int": "int", "float": "float", "bool": "bool", "list[int]": "ints"}
_PROBABILITIES = (
    *("forward_pvalue", "backward_pvalue", "confidence"),
    *("independence_pvalue", "check_pvalue", "probability_common_cause"),
)
_COUNTS = ("n", "n_used", "n_mechanisms", "rank", "subsample_seed")
_CHOICES = {
    "status": STATUSES,
    "relation": RELATIONS,
    "cause_source": ("truth", "inferred", "given"),
}
# Columns that every row fills, and columns whose text may be empty, which CSV cannot express.
_FILLED = ("status", "weight")
_TEXTS = ("pair_id", "reason", "x", "y")
# Columns that an analyzed pair fills.
_RESULT = {"directions": "direction", "clusters": "cause"}


@dataclass(frozen=True)
class Schema:
    """Columns of one kind of rows, each a field of their record."""

    # Name of the kind, written to Parquet files.
    kind: str
    record: type[Row]

    @computed
    def columns(self) -> tuple[str, ...]:
        """Names, in the order of files."""
        return self.record.column_names()

    @computed
    def types(self) -> dict[str, str]:
        """Type of each column: ``"str"``, ``"int"``, ``"float"``, ``"bool"`` or ``"ints"``."""
        types = {each.name: str(each.type).removesuffix(" | None") for each in fields(self.record)}
        return {name: _KINDS[types[name]] for name in self.columns}

    def reader(self, *, timings: bool = True) -> Callable[[Any], list[Any]]:
        """Return a function from a record to its values in the order of the columns."""
        get, seconds = attrgetter(*self.columns), self.columns.index("seconds")

        def values(row: Any) -> list[Any]:
            cells = [valid_utf8(cell) if isinstance(cell, str) else cell for cell in get(row)]
            if not timings:
                cells[seconds] = None
            return cells

        return values

    def row(self, values: Any) -> Any:
        """Return the record of a list of values, one per column; raise ValueError at others."""
        if not isinstance(values, list) or len(values) != len(self.columns):
            raise ValueError(f"a row is a list of {len(self.columns)} values")
        return self.record_of(dict(zip(self.columns, values, strict=True)))

    def record_of(self, cells: Mapping[str, Any]) -> Any:
        """Return the record of cells that are values, texts or None; raise ValueError at others."""
        values: dict[str, Any] = {}
        for name, kind in self.types.items():
            cell = cells[name]
            if cell is None:
                if name in _FILLED:
                    raise ValueError(f"{name} is missing")
                values[name] = "" if name in _TEXTS else None
                continue
            read, expected = _CELLS[kind]
            try:
                values[name] = read(cell)
            except (TypeError, ValueError, OverflowError, RecursionError):
                raise ValueError(f"{name} must be {expected}, found {brief(cell)}") from None
        _check_cells(values)
        result = _RESULT[self.kind]
        if values["status"] == "ok" and values[result] is None:
            raise ValueError(f"the pair was analyzed (status ok), but its {result} is missing")
        return self.record(**values)

    def to_arrow_schema(self) -> Any:
        """Return the ``pyarrow.Schema``, kind and version in its metadata."""
        pyarrow = pyarrow_module()
        arrow = {
            "str": pyarrow.string(),
            "int": pyarrow.int64(),
            "float": pyarrow.float64(),
            "bool": pyarrow.bool_(),
            "ints": pyarrow.list_(pyarrow.int32()),
        }
        return pyarrow.schema(
            [(name, arrow[kind]) for name, kind in self.types.items()],
            metadata={
                "anmmm.kind": self.kind,
                "anmmm.schema_version": str(SCHEMA_VERSION),
                "anmmm.version": __version__,
            },
        )

    def to_arrow(self, rows: Iterable[list[Any]]) -> Any:
        """Return rows of values as a ``pyarrow.Table``."""
        columns = list(zip(*rows, strict=True)) or [()] * len(self.columns)
        return pyarrow_module().table(columns, schema=self.to_arrow_schema())


def _check_cells(cells: Mapping[str, Any]) -> None:
    """Raise ValueError for cells of the right types whose values no row has."""
    if cells["weight"] is None:
        raise ValueError("weight must be finite")
    check_nonnegative(cells["weight"], "weight")
    check_truth(cells["truth"])
    if cells.get("direction") not in (1, -1, 0, None):
        raise ValueError(f"direction must be 1, -1 or 0, found {cells['direction']}")
    causes: dict[Any, Any] = {1: cells["x"], -1: cells["y"], 0: None}
    if cells["cause"] not in (None, causes.get(cells.get("direction"), cells["cause"])):
        raise ValueError(f"cause must be that of the direction, found {brief(cells['cause'])}")
    for name, choices in _CHOICES.items():
        if cells.get(name) is not None:
            check_choice(cells[name], name, choices)
    for name in _PROBABILITIES:
        if cells.get(name) is not None:
            check_between(cells[name], name, 0.0, 1.0)
    for name in _COUNTS:
        if (cells.get(name) or 0) < 0:
            raise ValueError(f"{name} must not be negative, found {cells[name]}")
    if None not in (cells["n"], cells.get("n_used")) and cells["n_used"] > cells["n"]:
        raise ValueError(f"n_used must be at most n, {cells['n']}, found {cells['n_used']}")
    labels, sizes = cells.get("labels"), cells.get("sizes")
    if labels is not None or sizes is not None:
        counts: Counter[int] = Counter(labels)
        most = min(cells["n_mechanisms"] or 0, len(labels or ()))
        found = [counts.pop(at, 0) for at in range(most)]
        if counts or sizes not in (None, found) or sum(found) != cells["n"]:
            raise ValueError("labels, sizes, n and n_mechanisms contradict each other")


def _whole(cell: Any) -> int:
    # Other programs write whole numbers with gaps as floats.
    number = int(cell) if isinstance(cell, str) and cell.lstrip("-").isdecimal() else float(cell)
    if not abs(number) < 2**63 or number != int(number):
        raise ValueError
    return int(number)


def _finite(cell: Any) -> float | None:
    number = float(cell)
    return number if math.isfinite(number) else None


def _truth_value(cell: Any) -> bool:
    return bool(("false", "true").index(str(cell).lower()))


def _whole_numbers(cell: Any) -> list[int]:
    return list(map(_whole, cell.split() if isinstance(cell, str) else cell))


# How a cell of each kind is read, and the words for it.
_CELLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "int": (_whole, "a whole number"),
    "float": (_finite, "a number"),
    "bool": (_truth_value, "true or false"),
    "str": (str, "text"),
    "ints": (_whole_numbers, "a list of whole numbers"),
}

DIRECTIONS = Schema("directions", PairResult)
CLUSTERS = Schema("clusters", PairClusters)
