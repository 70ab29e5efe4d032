"""Columns of a collection's files: names, types, order, version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from anmmm._optional import pyarrow_module, require
from anmmm._record import computed
from anmmm._validation import brief, check_between, check_choice, check_nonnegative, check_truth
from anmmm._version import __version__
from anmmm._words import spelled
from anmmm.collection.records import PairClusters, PairResult, Row
from anmmm.direction import RELATIONS

# Increased when a column changes its name, type or meaning, or is removed; not when one is added.
SCHEMA_VERSION = 1
STATUSES = ("ok", "unusable", "error", "lost")

# Kinds of columns by the types of the record's fields.
_KINDS = {"str": "str", "int": "int", "float": "float", "bool": "bool", "list[int]": "ints"}
EXPECTED = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "ints": "a list of whole numbers",
}
_PROBABILITIES = (
    *("forward_pvalue", "backward_pvalue", "confidence"),
    *("independence_pvalue", "check_pvalue", "probability_common_cause"),
)
_COUNTS = ("n", "n_used", "n_mechanisms", "rank", "subsample_seed")
_PANDAS = {"int": "Int64", "float": "float64", "bool": "boolean", "str": "object", "ints": "object"}


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
        types = {
            each.name: str(each.type).removesuffix(" | None")
            for each in fields(self.record)  # type: ignore[arg-type]
        }
        return {name: _KINDS[types[name]] for name in self.columns}

    def reader(self, *, timings: bool = True) -> Callable[[Any], list[Any]]:
        """Return a function from a record to its values in the order of the columns."""
        get = attrgetter(*self.columns)
        texts = [at for at, kind in enumerate(self.types.values()) if kind == "str"]
        seconds = None if timings else self.columns.index("seconds")

        def values(row: Any) -> list[Any]:
            cells = list(get(row))
            for at in texts:
                text = cells[at]
                if text is not None and not text.isascii():
                    cells[at] = spelled(text)
            if seconds is not None:
                cells[seconds] = None
            return cells

        return values

    def row(self, values: Any) -> Any:
        """Return the record of a list of values, one per column; raise ValueError at others."""
        if not isinstance(values, list) or len(values) != len(self.columns):
            raise ValueError(f"a row is a list of {len(self.columns)} values")
        cells = dict(zip(self.columns, values, strict=True))
        for name, kind in self.types.items():
            if cells[name] is None and name in ("pair_id", "status", "reason"):
                raise ValueError(f"{name} is missing")
            if cells[name] is not None and not _is_of_kind(cells[name], kind):
                raise ValueError(f"{name} must be {EXPECTED[kind]}, found {brief(cells[name])}")
        check_cells(cells)
        return self.record(**cells)

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

    def to_pandas(self, rows: Iterable[list[Any]]) -> Any:
        """Return rows of values as a ``pandas.DataFrame``; whole numbers are ``Int64``."""
        pandas = require("pandas", None, "a data frame needs pandas")
        frame = pandas.DataFrame(list(rows), columns=list(self.columns), dtype=object)
        return frame.astype({name: _PANDAS[kind] for name, kind in self.types.items()})

    def to_polars(self, rows: Iterable[list[Any]]) -> Any:
        """Return rows of values as a ``polars.DataFrame``."""
        polars = require("polars", None, "a data frame of polars needs polars")
        kinds = {
            "str": polars.String,
            "int": polars.Int64,
            "float": polars.Float64,
            "bool": polars.Boolean,
            "ints": polars.List(polars.Int32),
        }
        schema = {name: kinds[kind] for name, kind in self.types.items()}
        return polars.DataFrame(list(rows), schema=schema, orient="row")


def check_cells(cells: Mapping[str, Any]) -> None:
    """Raise ValueError for cells of the right types whose values no row has."""
    check_choice(cells["status"], "status", STATUSES)
    if cells["weight"] is None:
        raise ValueError("weight must be finite")
    check_nonnegative(cells["weight"], "weight")
    check_truth(cells["truth"])
    if cells.get("direction") not in (1, -1, 0, None):
        raise ValueError(f"direction must be 1, -1 or 0, found {cells['direction']}")
    if cells.get("relation") is not None:
        check_choice(cells["relation"], "relation", RELATIONS)
    for name in _PROBABILITIES:
        value = cells.get(name)
        # NaN, which differs from itself, is none.
        if value is not None and value == value:
            check_between(value, name, 0.0, 1.0)
    for name in _COUNTS:
        if (cells.get(name) or 0) < 0:
            raise ValueError(f"{name} must not be negative, found {cells[name]}")


def _is_of_kind(value: Any, kind: str) -> bool:
    if kind == "ints":
        return isinstance(value, list) and all(_is_of_kind(each, "int") for each in value)
    if kind in ("int", "float") and isinstance(value, int):
        return not isinstance(value, bool) and abs(value) < 2**63
    return isinstance(value, {"str": str, "float": float, "bool": bool}.get(kind, ()))


DIRECTIONS = Schema("directions", PairResult)
CLUSTERS = Schema("clusters", PairClusters)
