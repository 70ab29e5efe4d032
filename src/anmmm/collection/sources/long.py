"""Pairs of a table in long form: a row for each observation, as in long Parquet files."""

from collections.abc import Iterator

from anmmm.collection.sources.columns import Table
from anmmm.collection.sources.parquet import REQUIRED, pair_columns, pair_of_rows
from anmmm.collection.sources.protocol import UNKNOWN_LENGTH
from anmmm.datasets import Pair, SourceError
from anmmm.datasets.files import FromFiles


class LongPairs(FromFiles):
    """The pairs of a table with the columns pair_id, x and y, in the order of their first rows."""

    kind = "long"

    def __init__(self, table: Table) -> None:
        self.name, self.files, self.options = table.name, table.files, table.options
        self._table, self._columns = table, pair_columns(table.name, table.names)
        self._texts = [c for name, c in self._columns.items() if name in ("pair_id", "group")]
        self._numbers = [c for c in self._columns.values() if c not in self._texts]
        for column in self._numbers:
            fault = SourceError(table.name, None, f"column {column!r} must hold numbers")
            if column in {*table.faults, *table.categories}:
                raise table.faults.get(column, fault)

    def __iter__(self) -> Iterator[Pair]:
        """Read the columns, and yield the rows of each id."""
        columns = self._table.read([*self._numbers], [*self._texts])
        rows: dict[str | None, list[int]] = {}
        for row, pair_id in enumerate(columns["pair_id"].tolist()):
            rows.setdefault(pair_id, []).append(row)
        for pair_id, chosen in rows.items():
            if pair_id is None:
                yield Pair.unreadable("", f"{len(chosen)} rows have no pair_id")
                continue
            values = {name: columns[column][chosen] for name, column in self._columns.items()}
            about = {n: v.tolist() for n, v in values.items() if n not in REQUIRED}
            yield pair_of_rows(pair_id, values["x"], values["y"], about)

    def __length_hint__(self) -> int:
        """Return NotImplemented: the number of ids is unknown."""
        return UNKNOWN_LENGTH
