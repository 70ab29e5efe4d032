"""What a source of pairs is, and the choice of its reader."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from anmmm._tables import SourceError, check_header, is_frame, is_parquet, open_table
from anmmm._typing import StrPath
from anmmm.collection.sources.items import Items
from anmmm.collection.sources.rows import LongPairs, NestedPairs, is_nested
from anmmm.collection.sources.table import TablePairs
from anmmm.datasets import Pair, load_pairs, load_sample


@runtime_checkable
class PairSource(Protocol):
    """A collection of pairs, read while it is iterated."""

    @property
    def name(self) -> str:
        """Path, or type of the object."""

    def __iter__(self) -> Iterator[Pair]:
        """Yield the pairs in the order of the source.

        A pair that cannot be read is a `Pair` with a `problem`. `SourceError` is raised only if
        the remaining pairs cannot be read or distinguished.
        """

    def __length_hint__(self) -> int:
        """Return the number of pairs, or NotImplemented if it is unknown."""


def as_pairs(
    source: Any,
    *,
    pairs: Any = None,
    categories: Any = None,
    header: bool | str | None = "auto",
) -> PairSource:
    """Open a collection of pairs, which are read during iteration; see docs/guide/collections.md.

    Parameters
    ----------
    source : str, path-like, data frame, ndarray, mapping, iterable or PairSource
        - ``"sample"``, the embedded sample (``"./sample"`` for a folder of that name);
        - a folder in Tübingen layout, or of text files with two columns each;
        - a Parquet file with a row for each pair: ``pair_id``, lists in ``x`` and ``y``, and
          optionally ``truth`` or ``target``, ``weight``, ``group``, read a part at a time; or,
          without `pairs`, a table or file of these columns with a row for each observation;
        - with `pairs`, a table with a variable in each column: a text or Parquet file, a data
          frame of any library that narwhals reads, or a two-dimensional array;
        - a mapping of id to ``(x, y)``; or any iterable, generators included, of `Pair`,
          ``(x, y)`` or ``(id, x, y)``. Pairs without an id get their position, from "0".
    pairs : "all" or list of pairs of names, optional
        Columns of a table to pair: all two that hold numbers or categories and vary, or
        ``[("a", "b"), ...]``, x first. A whole number is a position from 0 if no name is a whole
        number. The id of a pair is ``a,b`` as a line of CSV.
    categories : list of names, optional
        Columns of a table whose values are categories, such as numeric codes, also as text; other
        text and category types need not be listed. They require the criterion ``"evidence"``.
    header : "auto", True or False
        Whether the first line of a text table, or of every text file of a folder, names the
        columns. ``"auto"``: if none of its cells is a number or, with a warning, if its numbers
        look like names.

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
        If a file needs PyArrow, which is not installed.

    Examples
    --------
    >>> [pair.pair_id for pair in as_pairs("sample")][:2]
    ['pair0088', 'pair0023']
    >>> table = np.array([[1.0, 2.0, 3.0], [4.0, np.nan, 6.0], [7.0, 8.0, 9.0]])
    >>> [(pair.pair_id, len(pair.x), pair.n_dropped) for pair in as_pairs(table, pairs="all")]
    [('0,1', 2, 1), ('0,2', 3, 0), ('1,2', 2, 1)]
    """
    is_headed = check_header(header)
    options = {"pairs": pairs, "categories": categories, "header": is_headed}
    if isinstance(source, str) and source == "sample":
        _refuse("the embedded sample", **options)
        return load_sample()
    if isinstance(source, (str, os.PathLike)):
        path = _checked_path(source)
        if path.is_dir():
            _refuse("a folder", pairs=pairs, categories=categories)
            return load_pairs(source, header=is_headed)
        if pairs is None and is_parquet(path) and is_nested(path):
            _refuse("a file with rows of pairs", **options)
            return NestedPairs(source)
    elif not isinstance(source, np.ndarray) and not is_frame(source):
        kind = type(source).__name__
        _refuse(kind, **options)
        if isinstance(source, PairSource):
            return source
        if isinstance(source, Iterable):
            return Items(source, kind)
        raise TypeError(
            f"source must be 'sample', a path, a table with pairs=, a mapping of id to (x, y), or "
            f"an iterable of pairs; found {kind}"
        )
    table = open_table(source, is_headed)
    if pairs is not None:
        return TablePairs(table, pairs, categories)
    _refuse("tables in long form", categories=categories)
    return LongPairs(table)


def _checked_path(source: StrPath) -> Path:
    """Return the path of a file or folder that can be read several times."""
    path = Path(source)
    if not path.exists():
        raise OSError(errno.ENOENT, "no such file or folder", os.fspath(source))
    if not path.is_file() and not path.is_dir():
        problem = "a pipe or device can be read only once; write it to a file"
        raise SourceError(os.fspath(source), None, problem)
    return path


def _refuse(kind: str, **options: Any) -> None:
    """Refuse options that have no effect."""
    for name, value in options.items():
        if value is not None:
            use = "text files" if name == "header" else "tables"
            raise ValueError(f"{name} is for {use}, and has no effect for {kind}")
