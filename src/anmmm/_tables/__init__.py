"""Tables of variables: text and Parquet files, data frames of any library, and arrays."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._tables.errors import SeenIds, SourceError
from anmmm._tables.table import Columns, Table
from anmmm._tables.text import check_header, parse_text, read_text
from anmmm._typing import StrPath

__all__ = [
    "Columns",
    "SeenIds",
    "SourceError",
    "Table",
    "check_header",
    "is_frame",
    "is_parquet",
    "open_table",
    "parse_text",
    "read_text",
]

PARQUET_SUFFIXES = frozenset({".parquet", ".pq", ".parq"})


def is_parquet(path: StrPath) -> bool:
    """Return whether a file is Parquet by its name."""
    return Path(path).suffix.lower() in PARQUET_SUFFIXES


def is_frame(data: Any) -> bool:
    """Return whether an object is a data frame."""
    # The class is checked because a lazy frame computes the attribute. Tensors of gCastle are
    # arrays that have it.
    return hasattr(type(data), "columns") and not isinstance(data, np.ndarray)


def open_table(data: Any, header: bool | None = None, columns: Any = None) -> Table:
    """Open a table with a variable in each column: a data frame, an array, or a file of one.

    `columns` name those of an array, if they are texts, or are not used.
    """
    if isinstance(data, Table):
        return data
    is_path = isinstance(data, (str, os.PathLike))
    if is_path and not is_parquet(data):
        return read_text(data, header)
    if header is not None:
        kind = "Parquet" if is_path else type(data).__name__
        raise ValueError(f"header is for text files, and has no effect for {kind}")
    # Here, because narwhals is not needed for text.
    from anmmm._tables import frames

    if is_path:
        return frames.ParquetTable(data)
    if isinstance(data, np.ndarray):
        return frames.ArrayTable(data, columns)
    if is_frame(data):
        return frames.FrameTable(data)
    raise TypeError(
        f"data must be a data frame, an array, or the name of a file, with a variable in each "
        f"column; found {type(data).__name__}"
    )
