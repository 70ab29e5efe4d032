"""Columns of a collection's files: names, types, order, version.

Rows come in as records of `anmmm.results`, tuples of plain values in the order of the columns go
out to sinks and checkpoints, and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any

from anmmm.results import CLUSTER_COLUMNS, PAIR_COLUMNS, PairClusters, PairResult

__all__ = ["CLUSTERS", "DIRECTIONS", "SCHEMA_VERSION", "Schema"]

# Grows when a column changes its name, type or meaning, or goes; not when one joins at the end.
SCHEMA_VERSION = 1

# Every column that is no text.
_TYPES = {
    "n": "int",
    "n_used": "int",
    # Unsigned 32 bits, which int64 holds.
    "subsample_seed": "int",
    "direction": "int",
    "score": "float",
    "forward_score": "float",
    "backward_score": "float",
    "forward_pvalue": "float",
    "backward_pvalue": "float",
    "confidence": "float",
    "n_mechanisms": "int",
    "labels": "ints",
    "sizes": "ints",
    "refined": "bool",
    "converged": "bool",
    "rank": "int",
    "seconds": "float",
    "truth": "int",
    "weight": "float",
}
_PANDAS = {"int": "Int64", "float": "float64", "bool": "boolean", "str": "object", "ints": "object"}


@dataclass(frozen=True)
class Schema:
    """Columns of one kind of rows.

    Attributes
    ----------
    kind : str
        ``"directions"`` or ``"clusters"``; stands in checkpoints and Parquet metadata.
    record : type
        Record of a row.
    columns : tuple of str
        Names of the columns in order, each a field of the record.
    """

    kind: str
    record: Callable[..., Any]
    columns: tuple[str, ...]

    @property
    def types(self) -> dict[str, str]:
        """Type of each column: ``"str"``, ``"int"``, ``"float"``, ``"bool"`` or ``"ints"``."""
        return {name: _TYPES.get(name, "str") for name in self.columns}

    def reader(self, *, timings: bool = True) -> Callable[[Any], list[Any]]:
        """Return the function from a record to its values in the order of the columns.

        Parameters
        ----------
        timings : bool
            Whether ``seconds`` is kept; otherwise it is None, so that files of the same results
            are the same.

        Returns
        -------
        callable
            Of some microseconds; text that is no Unicode (a file name of other bytes) is spelled
            with backslashes.
        """
        fields = attrgetter(*self.columns)
        texts = [at for at, kind in enumerate(self.types.values()) if kind == "str"]
        seconds = None if timings else self.columns.index("seconds")

        def values(row: Any) -> list[Any]:
            found = list(fields(row))
            for at in texts:
                text = found[at]
                if text is not None and not text.isascii():
                    found[at] = text.encode("utf-8", "backslashreplace").decode("utf-8")
            if seconds is not None:
                found[seconds] = None
            return found

        return values

    def row(self, values: Iterable[Any]) -> Any:
        """Return the record of values in the order of the columns."""
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
            metadata={"anmmm.kind": self.kind, "anmmm.schema_version": str(SCHEMA_VERSION)},
        )

    def to_arrow(self, rows: Iterable[list[Any]]) -> Any:
        """Return rows of values as a ``pyarrow.Table``."""
        pyarrow, schema = pyarrow_module(), self.to_arrow_schema()
        columns = list(zip(*rows, strict=True)) or [()] * len(self.columns)
        arrays = [
            pyarrow.array(column, type=field.type)
            for column, field in zip(columns, schema, strict=True)
        ]
        return pyarrow.Table.from_arrays(arrays, schema=schema)

    def to_pandas(self, rows: Iterable[list[Any]]) -> Any:
        """Return rows of values as a ``pandas.DataFrame``; whole numbers are ``Int64``."""
        pandas = _optional("pandas", "pandas", "a data frame")
        frame = pandas.DataFrame(list(rows), columns=list(self.columns), dtype=object)
        return frame.astype({name: _PANDAS[kind] for name, kind in self.types.items()})


def pyarrow_module(part: str = "") -> Any:
    """Return pyarrow or one of its modules.

    Parameters
    ----------
    part : str
        Such as ``"parquet"``; empty for pyarrow itself.

    Returns
    -------
    module

    Raises
    ------
    ImportError
        If pyarrow is not installed; says how to install it.
    """
    name = f"pyarrow.{part}" if part else "pyarrow"
    return _optional(name, "anmmm[parquet]", "Parquet and Arrow")


def _optional(module: str, install: str, purpose: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError:
        library = module.split(".")[0]
        raise ImportError(
            f'{purpose} needs {library}, which is not installed: pip install "{install}"'
        ) from None


DIRECTIONS = Schema("directions", PairResult, PAIR_COLUMNS)
CLUSTERS = Schema("clusters", PairClusters, CLUSTER_COLUMNS)
