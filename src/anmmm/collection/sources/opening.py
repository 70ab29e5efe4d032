"""Choose the reader of a source of pairs."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._text import listed
from anmmm._typing import StrPath
from anmmm._validation import check_choice
from anmmm.collection.sources.cdt import PairCsv, is_pair_csv
from anmmm.collection.sources.columns import Table, is_frame, open_table
from anmmm.collection.sources.items import Items
from anmmm.collection.sources.long import LongPairs
from anmmm.collection.sources.parquet import PARQUET_SUFFIXES, REQUIRED, ParquetPairs, is_parquet
from anmmm.collection.sources.protocol import PairSource
from anmmm.collection.sources.table import TablePairs
from anmmm.datasets import SourceError, load_pairs, load_sample
from anmmm.datasets.text import check_header, refuse_binary
from anmmm.datasets.tuebingen import META, TEXT_SUFFIXES

_CHOOSE = "choose pairs of its columns with columns=[('a', 'b'), ...] or columns='all'"
_LONG = "for rows of many pairs, name the columns pair_id, x and y"
# Options of `as_pairs` that a format uses.
FORMATS: dict[str, set[str]] = {
    "tuebingen": {"header"},
    "folder": {"header"},
    "cdt": {"targets"},
    "parquet": set(),
    "table": {"columns", "categories", "header"},
}


def as_pairs(
    source: Any,
    *,
    format: str | None = None,
    columns: Any = None,
    categories: Any = None,
    targets: StrPath | Mapping[Any, Any] | None = None,
    header: bool | str | None = "auto",
) -> PairSource:
    """Open a collection of pairs, which are read during iteration.

    Parameters
    ----------
    source : str, path-like, data frame, ndarray, mapping, iterable or PairSource
        - ``"sample"``, the embedded sample (``"./sample"`` for a folder of that name);
        - a folder in Tübingen layout, or of text files with two columns each;
        - a CSV file ``SampleID,A,B`` with a pair in each line and blank-separated numbers in its
          cells;
        - a Parquet file, nested (a row for each pair, lists in ``x`` and ``y``) or long (a row for
          each observation), with ``pair_id``, ``x``, ``y`` and optionally ``truth`` or ``target``,
          ``weight``, ``group``; or, without `columns`, a table of these columns in long form;
        - with `columns`, a table with a variable in each column: a CSV, TSV or Parquet file, a data
          frame of pandas, polars, PyArrow or another library that narwhals reads, or a
          two-dimensional array;
        - a mapping of id to ``(x, y)``; or any iterable, generators included, of `Pair`,
          ``(x, y)`` or ``(id, x, y)``. Pairs without an id get their position, from "0".
    format : {"tuebingen", "folder", "cdt", "parquet", "table"}, optional
        Format of a path. By default a folder is in Tübingen layout if it has ``pairmeta.txt``, and
        the format of a file follows from its suffix and first line.
    columns : "all" or list of pairs of names, optional
        Columns of a table to pair: all two, or ``[("a", "b"), ...]``, x first. Text is categories.
        ``"all"`` leaves out dates, columns of more than 32 different texts, constants and unnamed
        columns that number the rows; a warning names them. A whole number is a position from 0 if
        no name is a whole number. The id of a pair is ``a,b`` as a line of CSV, so ids are unique.
    categories : list of names, optional
        Columns of a table whose values are categories, such as numeric codes, also as text; other
        text and category types need not be listed. They require the criterion ``"evidence"``.
    targets : path-like or mapping, optional
        Truth of the pairs of a ``SampleID,A,B`` file: a CSV file that begins with ``SampleID`` and
        ``Target``, in any order, or a mapping; 1 where A causes B, -1 where B causes A, 0 for
        neither. The truth of other pairs is None.
    header : "auto", True or False
        Whether the first line of a text table, or of every text file of a folder, names the
        columns. ``"auto"``: it does if none of its cells is a number. It also does, with a warning,
        if its numbers are whole and different, and count the columns, are years above other values,
        or stand above hardly any whole number.

    Returns
    -------
    PairSource
        In the order of the source, with its ids and column order. `operator.length_hint` returns
        their number if it is known. A pair that cannot be read has a `problem`.

    Raises
    ------
    OSError
        If a file or folder cannot be opened.
    SourceError
        A ValueError: if the content is not of the format, is broken or empty, or the format is
        unknown. During iteration, if a file cannot be read further, or has an id twice.
    TypeError, ValueError
        If an argument is wrong, or not used with this source.
    ImportError
        If the file is Parquet and PyArrow is not installed.

    Notes
    -----
    Memory during iteration: a line of a CSV file, some 16 MiB of a Parquet file, the columns used
    of a table; and some 200 bytes for each id of a file, to find duplicates.

    Examples
    --------
    >>> [pair.pair_id for pair in as_pairs("sample")][:2]
    ['pair0001', 'pair0007']
    >>> table = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0], [7.0, 8.0, 9.0]])
    >>> [(pair.pair_id, len(pair.x), pair.n_dropped) for pair in as_pairs(table, columns="all")]
    [('0,1', 2, 1), ('0,2', 3, 0), ('1,2', 2, 1)]
    """
    if format is not None:
        check_choice(format, "format", tuple(FORMATS))
    options = {"columns": columns, "categories": categories, "targets": targets}
    options["header"] = check_header(header)
    if isinstance(source, str) and source == "sample" and format is None:
        _refuse(options, "the embedded sample")
        return load_sample()
    if isinstance(source, str) and not source:
        raise ValueError("source must name a file or a folder, found ''; '.' is this folder")
    if isinstance(source, (str, os.PathLike)):
        return _from_path(source, format, options)
    kind = type(source).__name__
    if format not in (None, "table"):
        raise ValueError(f"format={format!r} is for paths; found {kind}")
    if isinstance(source, PairSource):
        _refuse(options, kind)
        return source
    # Tables are iterables, but of rows or column names.
    if isinstance(source, np.ndarray) or is_frame(source):
        _refuse(options, kind, {"columns", "categories"})
        table = open_table(source)
        if columns is None and not _is_long(table):
            raise TypeError(
                f"source is a single table ({kind}); {_CHOOSE}, or use infer_direction for one "
                f"pair; {_LONG}"
            )
        return _in_table(table, options)
    _refuse(options, kind)
    if format is None and isinstance(source, Iterable):
        return Items(source, kind)
    raise TypeError(
        f"source must be 'sample', a path, a table with columns=, a mapping of id to (x, y), or an "
        f"iterable of pairs; found {kind}"
    )


def _recognized(path: StrPath, columns: Any) -> str:
    there = Path(path)
    suffix = there.suffix.lower()
    if not there.exists():
        wanted = "file" if suffix in PARQUET_SUFFIXES | TEXT_SUFFIXES else "folder"
        raise OSError(errno.ENOENT, f"no such {wanted}", os.fspath(path))
    if there.is_dir():
        meta = there / META
        # Also if it cannot be read: it has the true directions.
        return "tuebingen" if os.path.lexists(meta) and not meta.is_dir() else "folder"
    if suffix in PARQUET_SUFFIXES:
        return "parquet" if columns is None else "table"
    if suffix in TEXT_SUFFIXES:
        return "cdt" if is_pair_csv(there) else "table"
    with there.open("rb") as file:
        refuse_binary(file.read(4096), os.fspath(path))
    raise SourceError(
        os.fspath(path),
        None,
        f"unknown format of {f'the suffix {suffix!r}' if suffix else 'a file without a suffix'}; "
        f"pass format=, one of {listed(tuple(FORMATS))}",
    )


def _from_path(path: StrPath, format: str | None, options: dict[str, Any]) -> PairSource:
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        raise SourceError(
            os.fspath(path),
            None,
            "a pipe or device can be read only once, but a collection is read several times; write "
            "it to a file",
        )
    format = format or _recognized(path, options["columns"])
    _refuse(options, format, FORMATS[format])
    if format in ("tuebingen", "folder"):
        return load_pairs(path, meta=format == "tuebingen", header=options["header"])
    if Path(path).is_dir():
        raise OSError(errno.EISDIR, f"a folder, but format {format!r} is a file", os.fspath(path))
    if format == "cdt":
        return PairCsv(path, options["targets"])
    if format == "parquet":
        return ParquetPairs(path)
    if is_parquet(path):
        _refuse(options, "Parquet files, which name their columns", {"columns", "categories"})
    table = open_table(path, options["header"])
    if options["columns"] is None and not _is_long(table):
        raise SourceError(
            table.name,
            None,
            f"a table with a variable in each column; {_CHOOSE}; {_LONG}. Its columns: "
            f"{listed(table.names)}",
        )
    return _in_table(table, options)


def _is_long(table: Table) -> bool:
    return {*REQUIRED} <= {*table.names}


def _in_table(table: Table, options: Mapping[str, Any]) -> PairSource:
    if options["columns"] is not None:
        return TablePairs(table, options["columns"], options["categories"])
    _refuse({"categories": options["categories"]}, "tables in long form")
    return LongPairs(table)


def _refuse(options: dict[str, Any], kind: str, used: Iterable[str] = ()) -> None:
    """Refuse options that have no effect."""
    use = {
        "columns": "tables",
        "categories": "tables",
        "targets": "files with the header SampleID,A,B (format 'cdt')",
        "header": "text files with a variable in each column, or folders of them",
    }
    for name, given in options.items():
        if given is not None and name not in used:
            raise ValueError(f"{name} is for {use[name]}, and has no effect for {kind}")
