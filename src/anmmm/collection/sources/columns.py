"""Tables with a variable in each column, wherever they are held, behind one small interface.

pandas, polars and whatever else narwhals reads, arrays, Parquet and text files come in; names,
which of them hold numbers, and float64 columns go out.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm.collection.sources.arrow import floats, is_number, pyarrow_module, reading
from anmmm.collection.sources.parquet import open_parquet
from anmmm.datasets import SourceError, TableError, read_table
from anmmm.datasets.fingerprints import file_identity

__all__ = ["Table", "array_table", "frame_table", "parquet_table", "text_table"]


@dataclass(frozen=True)
class Table:
    """A table of variables.

    Attributes
    ----------
    name : str
        Path or kind of object.
    names : tuple
        Names of all columns, in order, no two the same.
    numeric : tuple
        Names of the columns of numbers, in order.
    load : callable
        From names to a dict of float64 columns, NaN where a value is missing; what holds no numbers
        is a str that says so.
    identity : callable
        From names to what a fingerprint says of these columns.
    """

    name: str
    names: tuple[Hashable, ...]
    numeric: tuple[Hashable, ...]
    load: Callable[[Iterable[Hashable]], dict[Hashable, FloatArray | str]]
    identity: Callable[[Iterable[Hashable]], dict[str, Any]]


def frame_table(frame: Any) -> Table:
    """Take a data frame.

    Parameters
    ----------
    frame : data frame
        Of pandas, polars, PyArrow or another library that narwhals reads. A lazy one is collected,
        the columns used alone, when the pairs are walked.

    Returns
    -------
    Table
        Booleans count as numbers where they are asked for by name.

    Raises
    ------
    TypeError
        If narwhals does not know the object.
    ValueError
        If two columns share a name.
    """
    own = type(frame)
    name = f"{own.__module__.partition('.')[0]}.{own.__name__}"
    try:
        table: Any = nw.from_native(frame)
        schema = table.collect_schema()
    except nw.exceptions.DuplicateError as error:
        raise SourceError(name, None, str(error).replace("\n", " ")) from None

    def load(names: Iterable[Hashable]) -> dict[Hashable, FloatArray | str]:
        wanted = list(names)
        usable = [n for n in wanted if schema[n].is_numeric() or schema[n] == nw.Boolean]
        lazy = isinstance(table, nw.LazyFrame)
        held: Any = table.select(usable).collect() if lazy else table
        loaded: dict[Hashable, FloatArray | str] = {
            n: f"column {n!r} holds {schema[n]}, which is not numbers" for n in wanted
        }
        return loaded | {n: held.get_column(n).cast(nw.Float64).to_numpy() for n in usable}

    numeric = tuple(n for n, kind in schema.items() if kind.is_numeric())
    return Table(name, tuple(schema), numeric, load, _of_content(load))


def array_table(array: NDArray[Any]) -> Table:
    """Take a two-dimensional array, whose columns are named by their positions.

    Parameters
    ----------
    array : ndarray of shape (n_rows, n_columns)
        Real numbers; those that are masked count as missing.

    Returns
    -------
    Table

    Raises
    ------
    TypeError, ValueError
        If the array is of another form.
    """
    if array.ndim != 2:
        raise ValueError(f"a table must have two dimensions, found shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a table must hold real numbers, found dtype {array.dtype}")
    names = tuple(range(array.shape[1]))

    def column(n: Any) -> FloatArray:
        values = array[:, n].astype(np.float64)
        return np.ascontiguousarray(np.ma.filled(values, np.nan))

    def load(wanted: Iterable[Hashable]) -> dict[Hashable, FloatArray | str]:
        return {n: column(n) for n in wanted}

    return Table("numpy.ndarray", names, names, load, _of_content(load))


def parquet_table(path: str | os.PathLike[str]) -> Table:
    """Open a Parquet file with a variable in each column.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    Table
        The columns used are read when the pairs are walked.

    Raises
    ------
    ImportError, OSError, SourceError
        As `anmmm.collection.sources.parquet.open_parquet`; also if two columns share a name or
        there are no rows.
    """
    name = os.fspath(path)
    with open_parquet(path) as file:
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
    _refuse_same_names(name, schema.names)
    if not n_rows:
        raise SourceError(name, None, "the file has columns, but no rows")
    kinds = dict(zip(schema.names, schema.types, strict=True))

    def load(names: Iterable[Hashable]) -> dict[Hashable, FloatArray | str]:
        wanted = list(names)
        usable = [n for n in wanted if is_number(kinds[n])]
        with open_parquet(path) as file, reading(name, None):
            held = file.read(columns=usable, use_threads=False)
        loaded: dict[Hashable, FloatArray | str] = {
            n: f"column {n!r} holds {kinds[n]}, which is not numbers" for n in wanted
        }
        return loaded | {n: floats(held.column(n).combine_chunks()) for n in usable}

    is_boolean = pyarrow_module("types").is_boolean
    numeric = tuple(n for n, kind in kinds.items() if is_number(kind) and not is_boolean(kind))
    return Table(name, tuple(kinds), numeric, load, lambda _: file_identity(path, "table"))


def text_table(path: str | os.PathLike[str], *, header: bool | None = None) -> Table:
    """Read a text file with a variable in each column.

    Parameters
    ----------
    path : path-like
        See `anmmm.datasets.read_table` for what it may be like. Without a header the columns are
        ``"column 1"`` and so on.
    header : bool, optional
        Whether the first line names the columns; by default its contents tell.

    Returns
    -------
    Table
        The file is read at once. A column counts as numeric if one of its cells is a number; one
        that is not makes all its pairs unusable, and they say so.

    Raises
    ------
    OSError
        If the file cannot be opened.
    SourceError
        If it is no table; see `anmmm.datasets.parse_table`.
    """
    table = read_table(path, header=header)
    names = [table.label(column) for column in range(table.n_columns)]
    _refuse_same_names(table.path, names)
    position = {name: column for column, name in enumerate(names)}
    columns: dict[Hashable, FloatArray | str] = {}
    for name, column in position.items():
        try:
            columns[name] = table.numbers([column])[:, 0]
        except TableError as error:
            columns[name] = f"{os.path.basename(table.path)}:{error.line}: {error.problem}"
    numeric = tuple(
        n for n in names if isinstance(columns[n], np.ndarray) or table.any_number(position[n])
    )
    return Table(
        table.path,
        tuple(names),
        numeric,
        lambda wanted: {name: columns[name] for name in wanted},
        lambda _: file_identity(path, "table", header=header),
    )


def _refuse_same_names(path: str, names: list[str]) -> None:
    twice = (
        sorted({name for name in names if names.count(name) > 1})
        if len(set(names)) < len(names)
        else []
    )
    if twice:
        raise SourceError(path, None, f"several columns are called {twice[0]!r}; rename them")


def _of_content(
    load: Callable[[Iterable[Hashable]], dict[Hashable, FloatArray | str]],
) -> Callable[[Iterable[Hashable]], dict[str, Any]]:
    def identity(names: Iterable[Hashable]) -> dict[str, Any]:
        whole = hashlib.sha256()
        for name, column in load(names).items():
            whole.update(repr(name).encode())
            whole.update(column.encode() if isinstance(column, str) else column.tobytes())
        return {"kind": "table", "sha256": whole.hexdigest()}

    return identity
