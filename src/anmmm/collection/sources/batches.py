"""One batch of rows of a Parquet file, on its way to the reader of its layout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from anmmm._record import Record
from anmmm.collection.sources.arrow import reading, without_decimals

__all__ = ["Batch", "batches"]

# Bytes of decoded values that one batch should hold, and rows that it may.
_BYTES = 16 << 20
_ROWS = 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Batch(Record):
    """Rows that stand together.

    Attributes
    ----------
    columns : dict of str to pyarrow.Array
        By their names here: ``pair_id``, ``x``, ``y``, and those of ``truth``, ``weight`` and
        ``group`` that the file has.
    first_row : int
        Number of the first row in the file, from 1.
    row_group : int
        From 0.
    """

    columns: dict[str, Any]
    first_row: int
    row_group: int

    def place(self, index: int) -> str:
        """Return where a row stands, for messages.

        Parameters
        ----------
        index : int
            In the batch, from 0.

        Returns
        -------
        str
        """
        return f"row {self.first_row + index} (row group {self.row_group})"


def batches(path: str, file: Any, columns: dict[str, str]) -> Iterator[Batch]:
    """Read a file one row group after the other.

    Parameters
    ----------
    path : str
        The file, for messages.
    file : pyarrow.parquet.ParquetFile
    columns : dict of str to str
        Name in the file of each column wanted.

    Yields
    ------
    Batch

    Raises
    ------
    SourceError
        If a row group is broken.
    """
    first_row = 1
    for row_group in range(file.num_row_groups):
        about = file.metadata.row_group(row_group)
        size = _BYTES * about.num_rows // max(about.total_byte_size, 1)
        walk = file.iter_batches(
            min(max(size, 1), _ROWS),
            row_groups=[row_group],
            columns=list(columns.values()),
            use_threads=False,
        )
        while True:
            with reading(path, f"row group {row_group}"):
                found = next(walk, None)
            if found is None:
                break
            arrays = {name: without_decimals(found.column(own)) for name, own in columns.items()}
            yield Batch(arrays, first_row, row_group)
            first_row += found.num_rows
