"""Columns of a collection's files: names, types, order, version."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from anmmm._optional import pyarrow_module, require
from anmmm._record import computed
from anmmm._version import __version__
from anmmm._words import spelled
from anmmm.collection.records import PairClusters, PairResult, Row

# Increased when a column changes its name, type or meaning, or is removed; not when one is added.
SCHEMA_VERSION = 1

# Kinds of columns by the types of the record's fields.
_KINDS = {"str": "str", "int": "int", "float": "float", "bool": "bool", "list[int]": "ints"}
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

    def row(self, values: list[Any]) -> Any:
        """Return the record of a list of values, one per column."""
        return self.record(**dict(zip(self.columns, values, strict=True)))

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


DIRECTIONS = Schema("directions", PairResult)
CLUSTERS = Schema("clusters", PairClusters)
