"""Tables with a variable in each column: data frames, arrays, text and Parquet files."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from difflib import get_close_matches
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from anmmm._categories import labels_of, level_names, read_texts
from anmmm._record import Record, computed
from anmmm._text import brief, counted, has_digits, listed
from anmmm._typing import FloatArray, StrPath
from anmmm._validation import AS_NAMES, DATES, is_missing, text_advice
from anmmm._warning import warn_caller
from anmmm.collection.sources.parquet import (
    category_columns,
    floats,
    is_parquet,
    open_parquet,
    source_errors,
)
from anmmm.datasets import SourceError
from anmmm.datasets.text import UNNAMED, number_rows, read_table

Columns = dict[Hashable, NDArray[Any]]


class Table(Record):
    """A table of variables; `name` is its path or the type of the object."""

    name: str
    # All columns, in order, without duplicates.
    names: tuple[Hashable, ...]
    # Columns of numbers and booleans.
    numeric: tuple[Hashable, ...]
    # Why and where a column cannot be read as numbers.
    faults: Mapping[Hashable, SourceError]
    # Of two lists of names: the first columns as numbers, NaN for missing, and the second ones as
    # texts, None for missing.
    read: Callable[[list[Hashable], list[Hashable]], Columns]
    # Columns of text or of a category type; those of text, which may spell numbers.
    categories: tuple[Hashable, ...] = ()
    texts: tuple[Hashable, ...] = ()
    files: tuple[Path, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    # Names of the values 0, 1, … of a column of categories or booleans, None of numbers.
    level_names: Callable[[Hashable], tuple[str, ...] | None] = lambda name: None
    # Columns without a name in the file or frame.
    unnamed: tuple[Hashable, ...] = ()

    @computed
    def row_numbers(self) -> list[Hashable]:
        """Unnamed columns that number the rows, as the index of a data frame does."""
        names = [n for n in self.unnamed if n in self.numeric and n not in self.faults]
        return [n for n in names if number_rows(self.read([n], [])[n])]

    def values(
        self, names: Collection[Hashable], declared: Collection[Hashable]
    ) -> tuple[Columns, dict[Hashable, SourceError]]:
        """Read columns as numbers or, also if `declared`, categories; say why some are neither."""
        known = {*self.categories, *declared}
        faults = {n: self.faults[n] for n in names if n in self.faults and n not in known}
        numbers = [n for n in names if n not in known and n not in faults]
        columns = self.read(numbers, [n for n in names if n in known])
        for name in (n for n in self.texts if n in columns and n not in declared):
            columns[name], problem = read_texts(columns[name].tolist())
            if problem:
                del columns[name]
                faults[name] = SourceError(self.name, None, f"column {name!r} {problem}")
        return columns, faults

    def column(self, name: Any, argument: str) -> Hashable:
        """Return the column of a name or, of text, of its spelling; else of a position."""
        if isinstance(name, Hashable) and name in self._known:
            known = self._known[name]
            if _kind(known) is _kind(name):
                return known
        spelled = {str(each): each for each in self.names}
        is_whole = _kind(name) is int
        if is_whole and not has_digits(self.names) and 0 <= name < len(self.names):
            return self.names[int(name)]
        if str(name) in spelled and not is_whole:
            return spelled[str(name)]
        near = get_close_matches(str(name), spelled, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"the columns are {listed(self.names)}"
        if is_whole and str(name) in spelled:
            hint = f"names are digits here, not positions; give the name as text: {str(name)!r}"
        raise ValueError(
            f"{argument} names {brief(name)}, but {self.name} has no such column; {hint}"
        )

    def columns_of(self, names: Any, argument: str) -> list[Hashable]:
        """Return the columns of a list of names; raise TypeError or ValueError at others."""
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise TypeError(
                f"{argument} must be a list of names of columns, e.g. ['a']; found {brief(names)}"
            )
        return [self.column(name, argument) for name in names]

    @computed
    def _known(self) -> dict[Hashable, Hashable]:
        return {name: name for name in self.names}


def _kind(name: Any) -> type:
    """Return the type of a name, because False, 0 and 0.0 are equal but different names."""
    plain = name.item() if isinstance(name, np.generic) else name
    return next((kind for kind in (bool, int, float) if isinstance(plain, kind)), object)


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
        return _text(data, header)
    if header is not None:
        kind = "Parquet" if is_path else type(data).__name__
        raise ValueError(f"header is for text files, and has no effect for {kind}")
    if is_path:
        return _parquet(data)
    if isinstance(data, np.ndarray):
        return _array(data, columns)
    if is_frame(data):
        return _frame(data)
    raise TypeError(
        f"data must be a data frame, an array, or the name of a file, with a variable in each "
        f"column; found {type(data).__name__}"
    )


def _frame(frame: Any) -> Table:
    """Open a data frame; of a lazy one, only the columns used are collected, when they are read."""
    kind = type(frame)
    name = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    try:
        table: Any = nw.from_native(_dense(frame))
        kinds = dict(table.collect_schema())
    except nw.exceptions.DuplicateError as error:
        raise SourceError(name, None, str(error).replace("\n", " ")) from None
    lazy = isinstance(table, nw.LazyFrame)
    problems = {}
    for n in () if lazy else [*kinds]:
        if kinds[n] == nw.Object:
            items = [item for item in table.get_column(n).to_list() if not is_missing(item)]
            text = next((item for item in items if isinstance(item, str)), None)
            if items and all(isinstance(item, (Real, Decimal)) for item in items):
                kinds[n] = nw.Float64()
            elif text is not None:
                problems[n] = f"holds {brief(text)}, which is not a number; {text_advice(text)}"
        elif kinds[n] == nw.Unknown and hasattr(table.get_column(n).to_native(), "dtype"):
            dtype = table.get_column(n).to_native().dtype
            problems[n] = f"has values of the type {dtype}, which are no real numbers"

    def select(names: list[Hashable]) -> Any:
        return table.select(names).collect() if lazy else table

    return _selected(name, kinds, select, problems=problems)


def _dense(frame: Any) -> Any:
    """Return a data frame of pandas without sparse columns; others as they are."""
    dtypes = frame.dtypes.items() if hasattr(frame, "astype") else ()
    sparse = {n: kind.subtype for n, kind in dtypes if type(kind).__name__ == "SparseDtype"}
    return frame.astype(sparse) if sparse else frame


def _selected(
    name: str,
    kinds: Mapping[Any, Any],
    select: Callable[[list[Hashable]], Any],
    *,
    problems: Mapping[Hashable, str] = MappingProxyType({}),
    files: tuple[Path, ...] = (),
) -> Table:
    """Return a table of the types of narwhals in `kinds`, whose columns `select` returns.

    `problems` has those of columns whose values are neither numbers nor categories.
    """
    texts, categories, numeric, faults = [], [], [], {}
    for n, kind in kinds.items():
        if kind == nw.String:
            texts.append(n)
        elif kind in (nw.Categorical, nw.Enum):
            categories.append(n)
        elif kind.is_numeric() or kind == nw.Boolean:
            numeric.append(n)
        else:
            problem = f"holds {kind}, which is not numbers; {AS_NAMES}"
            if kind == nw.Unknown:
                problem = "has no values, or values of an unknown type"
            elif "date" in str(kind).lower():
                problem = DATES
            faults[n] = SourceError(name, None, f"column {n!r} {problems.get(n, problem)}")

    def number(column: Any) -> FloatArray:
        if column.dtype == nw.Object:
            return np.array([math.nan if is_missing(v) else float(v) for v in column.to_list()])
        if column.implementation.is_pyarrow():
            return floats(column.to_native())
        values: FloatArray = column.cast(nw.Float64).to_numpy()
        return values

    def read(numbers: list[Hashable], names: list[Hashable]) -> Columns:
        frame = select([*numbers, *names])
        columns: Columns = {n: number(frame.get_column(n)) for n in numbers}
        for n in names:
            try:
                columns[n] = labels_of(frame.get_column(n))
            except ValueError as error:
                raise SourceError(name, None, f"column {n!r}: {error}") from None
        return columns

    def names_in_order(n: Hashable) -> tuple[str, ...] | None:
        if n in numeric and kinds[n] != nw.Boolean:
            return None
        return level_names(select([n]).get_column(n).to_native())

    return Table(
        name,
        tuple(kinds),
        tuple(numeric),
        faults,
        read,
        (*categories, *texts),
        tuple(texts),
        files=files,
        level_names=names_in_order,
        unnamed=tuple(n for n in kinds if isinstance(n, str) and UNNAMED.fullmatch(n)),
    )


def _array(array: NDArray[Any], columns: Any) -> Table:
    """Open a matrix, whose columns have names or are positions; masked numbers are missing."""
    if array.ndim != 2:
        raise ValueError(f"a table must have two dimensions, found shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"a table must hold real numbers, found dtype {array.dtype}")

    names = _names_of(array, columns)

    def column(n: Any) -> FloatArray:
        values = array[:, names.index(n)].astype(np.float64)
        return np.ascontiguousarray(np.ma.filled(values, np.nan))

    def texts(n: Any) -> NDArray[Any]:
        items = column(n).tolist()
        return np.array([None if item != item else f"{item:.17g}" for item in items], dtype=object)

    def read(numbers: list[Hashable], names: list[Hashable]) -> Columns:
        return {n: column(n) for n in numbers} | {n: texts(n) for n in names}

    return Table("numpy.ndarray", names, names, {}, read)


def _names_of(array: NDArray[Any], columns: Any) -> tuple[Hashable, ...]:
    """Return the texts that name all columns of an array, else their positions."""
    positions = tuple(range(array.shape[1]))
    is_list = isinstance(columns, Sequence) and not isinstance(columns, str)
    if not is_list or not columns or not all(isinstance(name, str) for name in columns):
        return positions
    if len(columns) < len(positions) and {*columns} <= {*map(str, positions)}:
        return positions
    if len(columns) != len(positions):
        raise ValueError(
            f"columns has {counted(len(columns), 'name')}, but the array has "
            f"{counted(len(positions), 'column')}; name all of them, or choose by position"
        )
    return tuple(columns)


def _parquet(path: StrPath) -> Table:
    """Open a Parquet file; the columns used are read when the pairs are iterated."""
    name = os.fspath(path)
    with open_parquet(path) as file:
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
        coded = category_columns(name, file)
    _refuse_same_names(name, schema.names)
    if not schema.names or not n_rows:
        fault = "has columns, but no rows" if schema.names else "has no columns"
        raise SourceError(name, None, f"the file {fault}")

    def select(names: list[Hashable]) -> Any:
        with open_parquet(path) as file, source_errors(name, None):
            table: Any = nw.from_native(file.read(columns=names, use_threads=False))
        lost = [n for n in names if n in ordered and kinds[n] == nw.Categorical]
        return table.with_columns(nw.col(n).cast(nw.String) for n in lost)

    ordered = [n for n, has_order in coded.items() if has_order]
    if ordered:
        warn_caller(
            f"{name} has no order of these categories; text is used without one, and numbers in "
            f"the order of their values: {listed(ordered)}",
            UserWarning,
        )
    found = nw.from_native(schema.empty_table()).collect_schema().items()
    kinds = {n: nw.Categorical() if coded.get(n) is False else kind for n, kind in found}
    table = _selected(name, kinds, select, files=(Path(path),))

    def read(numbers: list[Hashable], names: list[Hashable]) -> Columns:
        columns = table.read(numbers, names)
        return columns | {n: _places(columns[n]) for n in numbers if n in ordered}

    return replace(table, read=read)


def _places(values: FloatArray) -> FloatArray:
    """Return the place of each number among the distinct ones, NaN for NaN."""
    places, present = np.full(len(values), math.nan), ~np.isnan(values)
    places[present] = np.unique(values[present], return_inverse=True)[1]
    return places


def _text(path: StrPath, header: bool | None) -> Table:
    """Read a text file; a column without any number holds categories."""
    table = read_table(path, header=header)
    names = [table.label(column) for column in range(table.n_columns)]
    _refuse_same_names(table.path, names)
    columns: Columns = {}
    faults: dict[Hashable, SourceError] = {}
    categories = tuple(n for at, n in enumerate(names) if table.is_text(at))
    for column, name in enumerate(names):
        if name in categories:
            continue
        try:
            columns[name] = table.numbers([column])[:, 0]
        except SourceError as error:
            faults[name] = error

    def read(numbers: list[Hashable], named: list[Hashable]) -> Columns:
        texts = {name: table.texts(names.index(str(name))) for name in named}
        return {name: columns[name] for name in numbers} | texts

    return Table(
        table.path,
        tuple(names),
        tuple(name for name in names if name not in categories),
        faults,
        read,
        categories,
        categories,
        files=(Path(path),),
        options={"header": header},
        unnamed=tuple(names[column] for column in table.unnamed),
    )


def _refuse_same_names(path: str, names: list[str]) -> None:
    if len(set(names)) < len(names):
        twice = min(name for name in names if names.count(name) > 1)
        raise SourceError(path, None, f"several columns are called {twice!r}; rename them")
