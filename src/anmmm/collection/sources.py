"""The choice of the reader of a source, and pairs in memory."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._categories import as_column
from anmmm._columns import variable_names
from anmmm._tables import check_header, is_frame, open_table
from anmmm._validation import check_aligned
from anmmm.collection.pair_columns import column_pairs
from anmmm.collection.pair_rows import is_nested, long_pairs, nested_pairs
from anmmm.collection.pair_source import Pairs, PairSource
from anmmm.datasets import Pair, load_pairs, load_sample


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
          optionally ``truth``, ``weight``, ``group``, read a part at a time; or, without `pairs`,
          a table or file of these columns with a row for each observation;
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
    is_path = isinstance(source, (str, os.PathLike))
    if is_path and Path(source).is_dir():
        _refuse("a folder", pairs=pairs, categories=categories)
        return load_pairs(source, header=is_headed)
    if is_path or isinstance(source, np.ndarray) or is_frame(source):
        table: Any = open_table(source, is_headed)
        if pairs is not None:
            return column_pairs(table, pairs, categories)
        _refuse("tables with rows of pairs", categories=categories)
        return nested_pairs(table) if is_nested(table) else long_pairs(table)
    kind = type(source).__name__
    _refuse(kind, **options)
    if isinstance(source, PairSource):
        return source
    if not isinstance(source, Iterable):
        raise TypeError(
            f"source must be 'sample', a path, a table with pairs=, a mapping of id to (x, y), or "
            f"an iterable of pairs; found {kind}"
        )
    is_two = isinstance(source, (tuple, list)) and len(source) == 2
    if is_two and all(map(_is_variable, source)):
        raise TypeError(
            "source holds two variables, which are one pair: use infer_direction(x, y), or pass "
            "the collection [(x, y)]"
        )
    hint = operator.length_hint(source, -1)
    return Pairs(kind, hint if hint >= 0 else None, partial(_read_items, source))


def _is_variable(item: Any) -> bool:
    """Return whether an item is one variable: an array too long for a pair or a triple."""
    return isinstance(item, np.ndarray) and item.ndim == 1 and len(item) > 3


def _refuse(kind: str, **options: Any) -> None:
    """Refuse options that have no effect."""
    for name, value in options.items():
        if value is not None:
            use = "text files" if name == "header" else "tables"
            raise ValueError(f"{name} is for {use}, and has no effect for {kind}")


def _read_items(items: Any) -> Iterator[Pair]:
    """Yield one pair per item; an item of another form is a pair with a `problem`."""
    for key, item in items.items() if isinstance(items, Mapping) else enumerate(items):
        yield _as_pair(str(key), item)


def _as_pair(pair_id: str, item: Any) -> Pair:
    """Return an item as a pair that can be sent to any process; with a `problem` if it cannot."""
    if isinstance(item, Pair):
        return _with_arrays(item)
    is_sequence = isinstance(item, (tuple, list, np.ndarray))
    if is_sequence and len(item) == 3 and isinstance(item[0], (str, Integral)):
        pair_id = str(item[0])
        item = item[1:]
    if not is_sequence or len(item) != 2:
        size = f" of length {len(item)}" if is_sequence else ""
        fault = f"expected (x, y), (id, x, y) or a Pair, found {type(item).__name__}{size}"
        return Pair.unreadable(pair_id, fault)
    x, y = item
    pair = Pair(pair_id, x, y, names=variable_names(x, y))
    return _with_arrays(pair, spells_numbers=True)


def _with_arrays(pair: Pair, *, spells_numbers: bool = False) -> Pair:
    """Return a pair with its variables as arrays, or with a problem.

    `spells_numbers`: text that spells numbers is numbers; else all text is categories.
    """
    try:
        check_aligned(pair.x, pair.y)
        x = as_column(pair.x, "x", spells_numbers=spells_numbers).to_array()
        y = as_column(pair.y, "y", spells_numbers=spells_numbers).to_array()
    except (TypeError, ValueError) as error:
        problem = pair.problem or str(error)
        return replace(pair, x=np.empty(0), y=np.empty(0), problem=problem, n_dropped=0)
    return replace(pair, x=x, y=y)
