"""Choose the reader of a source of pairs."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._tables import SourceError, Table, check_header, is_frame, is_parquet, open_table
from anmmm._typing import StrPath
from anmmm.collection.sources.items import Items
from anmmm.collection.sources.protocol import PairSource
from anmmm.collection.sources.rows import LongPairs, ParquetPairs
from anmmm.collection.sources.table import TablePairs
from anmmm.datasets import load_pairs, load_sample


def as_pairs(
    source: Any,
    *,
    pairs: Any = None,
    categories: Any = None,
    header: bool | str | None = "auto",
) -> PairSource:
    """Open a collection of pairs, which are read during iteration.

    Parameters
    ----------
    source : str, path-like, data frame, ndarray, mapping, iterable or PairSource
        - ``"sample"``, the embedded sample (``"./sample"`` for a folder of that name);
        - a folder in Tübingen layout, or of text files with two columns each;
        - a Parquet file with a row for each pair: ``pair_id``, lists in ``x`` and ``y``, and
          optionally ``truth`` or ``target``, ``weight``, ``group``; or, without `pairs`, a table or
          file of these columns with a row for each observation, in Parquet sorted by pair;
        - with `pairs`, a table with a variable in each column: a text or Parquet file, a data
          frame of pandas, polars, PyArrow or another library that narwhals reads, or a
          two-dimensional array;
        - a mapping of id to ``(x, y)``; or any iterable, generators included, of `Pair`,
          ``(x, y)`` or ``(id, x, y)``. Pairs without an id get their position, from "0".
    pairs : "all" or list of pairs of names, optional
        Columns of a table to pair: all two, or ``[("a", "b"), ...]``, x first. Text is categories.
        ``"all"`` leaves out dates, columns of more than 32 different texts, constants and unnamed
        columns that number the rows; a warning names them. A whole number is a position from 0 if
        no name is a whole number. The id of a pair is ``a,b`` as a line of CSV, so ids are unique.
    categories : list of names, optional
        Columns of a table whose values are categories, such as numeric codes, also as text; other
        text and category types need not be listed. They require the criterion ``"evidence"``.
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
        A ValueError: if the content is of another form, is broken or empty. During iteration, if a
        file cannot be read further, or has an id twice.
    TypeError, ValueError
        If an argument is wrong, or not used with this source.
    ImportError
        If a file needs PyArrow or pandas, which are not installed.

    Notes
    -----
    Memory during iteration: a file of a folder, some 8 MiB of Parquet with rows of pairs, the
    columns used of a table; and some 200 bytes for each id of a file, to find duplicates.

    Examples
    --------
    >>> [pair.pair_id for pair in as_pairs("sample")][:2]
    ['pair0001', 'pair0007']
    >>> table = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0], [7.0, 8.0, 9.0]])
    >>> [(pair.pair_id, len(pair.x), pair.n_dropped) for pair in as_pairs(table, pairs="all")]
    [('0,1', 2, 1), ('0,2', 3, 0), ('1,2', 2, 1)]
    """
    is_headed = check_header(header)
    options = {"pairs": pairs, "categories": categories, "header": is_headed}
    if isinstance(source, str) and source == "sample":
        _refuse(options, "the embedded sample")
        return load_sample()
    if isinstance(source, (str, os.PathLike)):
        path = _checked_path(source)
        if path.is_dir():
            _refuse({"pairs": pairs, "categories": categories}, "a folder")
            return load_pairs(source, header=is_headed)
        if pairs is None and is_parquet(path):
            found = ParquetPairs(source)
            _refuse(options, "a file with rows of pairs")
            return found
        return _table_pairs(open_table(source, is_headed), options)
    kind = type(source).__name__
    if isinstance(source, PairSource):
        _refuse(options, kind)
        return source
    # Tables are iterables, but of rows or column names.
    if isinstance(source, np.ndarray) or is_frame(source):
        _refuse({"header": is_headed}, kind)
        return _table_pairs(open_table(source), options)
    _refuse(options, kind)
    if isinstance(source, Iterable):
        return Items(source, kind)
    raise TypeError(
        f"source must be 'sample', a path, a table with pairs=, a mapping of id to (x, y), or an "
        f"iterable of pairs; found {kind}"
    )


def _checked_path(source: StrPath) -> Path:
    """Return the path of a file or folder that can be read several times."""
    path = Path(source)
    if not os.fspath(source):
        raise ValueError("source must name a file or a folder, found ''; '.' is this folder")
    if not path.exists():
        raise OSError(errno.ENOENT, "no such file or folder", os.fspath(source))
    if not path.is_file() and not path.is_dir():
        problem = "a pipe or device can be read only once; write it to a file"
        raise SourceError(os.fspath(source), None, problem)
    return path


def _table_pairs(table: Table, options: dict[str, Any]) -> PairSource:
    """Return the chosen pairs of a table, or those of a table in long form."""
    if options["pairs"] is not None:
        return TablePairs(table, options["pairs"], options["categories"])
    found = LongPairs(table)
    _refuse({"categories": options["categories"]}, "tables in long form")
    return found


def _refuse(options: dict[str, Any], kind: str) -> None:
    """Refuse options that have no effect."""
    use = {"header": "text files, or folders of them"}
    for name, value in options.items():
        if value is not None:
            raise ValueError(
                f"{name} is for {use.get(name, 'tables')}, and has no effect for {kind}"
            )
