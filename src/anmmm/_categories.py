"""Variables of a caller or a table as columns: numbers, or categories as codes.

Text and values of a category type are categories. Ordered categories, and only two categories, are
analyzed as numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._arrays import as_narwhals, as_real, holds_categories, is_missing
from anmmm._cells import MOST_CATEGORIES, read_texts
from anmmm._typing import ArrayLike, BoolArray, FloatArray, IntArray
from anmmm._validation import (
    MISSING,
    MissingValueError,
    as_columns,
    as_matrix,
    as_pair,
    check_aligned,
    check_choice,
    check_lengths,
    constant_problem,
)

# What an option does about missing values.
LEAVE_OUT = "missing='drop' leaves them out"


class Column(NamedTuple):
    """Numbers (n_samples,) or (n_samples, n_features), or codes of categories; NaN is missing.

    `levels` names the values 0, 1, … of categories and booleans.
    """

    values: NDArray[Any]
    levels: tuple[str, ...] | None = None
    is_ordered: bool = True

    @property
    def missing(self) -> BoolArray:
        """Which observations lack a value, (n_samples,)."""
        if self.values.dtype.kind != "f":
            return np.zeros(len(self.values), dtype=np.bool_)
        is_nan: BoolArray = np.isnan(self.values)
        return is_nan if is_nan.ndim == 1 else np.asarray(is_nan.any(axis=1))

    @property
    def is_categorical(self) -> bool:
        """Whether these are three categories or more without an order."""
        return not self.is_ordered and len(self.levels or ()) > 2

    def is_constant(self) -> bool:
        """Return whether all values that are not missing are equal, up to rounding."""
        present = self.values[~self.missing]
        return bool(np.isfinite(present).all() and constant_problem(present))

    def too_many_levels(self) -> str:
        """Return what is wrong with categories that are too many; empty if they are not."""
        if not self.is_categorical or len(self.levels or ()) <= MOST_CATEGORIES:
            return ""
        return f"holds more than {MOST_CATEGORIES} different texts; join rare ones, or pass numbers"

    def take(self, rows: BoolArray) -> Column:
        """Return some rows; categories without an order that none of them has are dropped."""
        column = self._replace(values=self.values[rows])
        if self.is_ordered or self.levels is None:
            return column
        present = np.unique(column.values[~column.missing])
        codes = np.searchsorted(present, column.values).astype(np.float64)
        codes[column.missing] = math.nan
        levels = tuple(self.levels[int(code)] for code in present)
        return Column(codes, levels, is_ordered=False)

    def to_array(self) -> NDArray[Any]:
        """Return numbers, or the names of categories without an order: text, None for missing."""
        if self.is_ordered or self.levels is None:
            return self.values
        missing = self.missing
        if not missing.any():
            return np.array(self.levels, dtype=np.str_)[self.values.astype(np.intp)]
        places = np.where(missing, len(self.levels), self.values).astype(np.intp)
        return np.array([*self.levels, None], dtype=object)[places]


class Variables(NamedTuple):
    """A checked pair (n_samples, n_features); whether each has 3 or more unordered categories.

    `levels` has the names of the values 0, 1, … of each, None for numbers.
    """

    x: FloatArray
    y: FloatArray
    categorical: tuple[bool, bool]
    levels: tuple[tuple[str, ...] | None, ...] = (None, None)


def as_column(values: Any, name: str, *, spells_numbers: bool = False) -> Column:
    """Return a variable as a column; raise TypeError or ValueError by name if it is none.

    `spells_numbers`: text that spells numbers is numbers, and dates are refused.
    """
    if isinstance(values, Column):
        return values
    series = _only_series(values)
    if series is not None and holds_categories(series):
        return _of_names(_spelled(series.to_list()), _order_of(series))
    texts = _texts(values if series is None else series)
    if texts is not None and spells_numbers:
        numbers, problem, _ = read_texts(texts)
        if problem:
            raise TypeError(f"{name} {problem}")
        return _of_names(texts) if numbers is None else Column(numbers)
    if texts is not None:
        return _of_names(texts)
    array = as_real(values, name)
    as_columns(array, name)
    is_boolean = array.dtype.kind == "b"
    if series is not None:
        is_boolean = str(series.dtype).lower().startswith("bool")
    return Column(array, ("False", "True") if is_boolean else None)


def as_categories(values: Any, name: str) -> Column:
    """Return a variable that is declared to hold categories as a column."""
    series = _only_series(values)
    if series is not None and holds_categories(series):
        return as_column(series, name)
    return _of_names(_spelled(list(values if series is None else series.to_list())))


def given_pair(
    x: ArrayLike, y: ArrayLike, names: tuple[str, str] = ("x", "y")
) -> tuple[Column, Column]:
    """Return two variables of a caller as columns; text that spells numbers is numbers."""
    check_aligned(x, y)
    first = as_column(x, names[0], spells_numbers=True)
    second = as_column(y, names[1], spells_numbers=True)
    return first, second


def as_variables(
    x: ArrayLike | Column, y: ArrayLike | Column, *, names: tuple[str, str] = ("x", "y")
) -> Variables:
    """Check two variables as `anmmm._validation.as_pair` does, either of which may be names."""
    check_aligned(x, y, names)
    columns = as_column(x, names[0]), as_column(y, names[1])
    first, second = (_matrix(column, name) for column, name in zip(columns, names, strict=True))
    check_lengths(first, second, names)
    is_categorical = columns[0].is_categorical, columns[1].is_categorical
    for values, name in ((first, names[0]), (second, names[1])):
        if any(is_categorical) and values.shape[1] > 1:
            raise ValueError(
                f"{name} has {values.shape[1]} columns, and the other variable holds categories; "
                "pass one column with categories"
            )
    return Variables(first, second, is_categorical, (columns[0].levels, columns[1].levels))


def complete_variables(
    x: ArrayLike, y: ArrayLike, missing: Any, names: tuple[str, str]
) -> tuple[Variables, int]:
    """Check two variables as `as_variables`, and return the number of incomplete rows left out."""
    first, second = given_pair(x, y, names)
    first, second, dropped = complete_columns(first, second, missing, names)
    try:
        return as_variables(first, second, names=names), len(dropped)
    except MissingValueError as error:
        raise MissingValueError(f"{error}; {LEAVE_OUT}") from None


def complete_columns(
    x: Column, y: Column, missing: Any, names: tuple[str, str] = ("x", "y")
) -> tuple[Column, Column, IntArray]:
    """Return both columns, without incomplete rows if `missing` is "drop", and their positions."""
    nothing = np.empty(0, dtype=np.intp)
    if check_choice(missing, "missing", MISSING) == "raise":
        return x, y, nothing
    check_lengths(x.values, y.values, names)
    for column, name in ((x, names[0]), (y, names[1])):
        if len(column.values) and column.missing.all():
            raise ValueError(f"{name} has no values")
    is_incomplete = x.missing | y.missing
    if not is_incomplete.any():
        return x, y, nothing
    return x.take(~is_incomplete), y.take(~is_incomplete), np.flatnonzero(is_incomplete)


def complete_numbers(
    x: ArrayLike, y: ArrayLike, missing: Any, names: tuple[str, str]
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return two checked variables of numbers, and the positions of rows that were left out."""
    check_aligned(x, y)
    first = Column(as_columns(as_real(x, names[0]), names[0]))
    second = Column(as_columns(as_real(y, names[1]), names[1]))
    first, second, dropped = complete_columns(first, second, missing, names)
    try:
        return *as_pair(first.values, second.values, names=names), dropped
    except MissingValueError as error:
        raise MissingValueError(f"{error}; {LEAVE_OUT}") from None


def _matrix(column: Column, name: str) -> FloatArray:
    """Return a checked column as a matrix (n_samples, n_features)."""
    if problem := column.too_many_levels():
        raise ValueError(f"{name} {problem}")
    return as_matrix(column.values, name)


def _of_names(labels: Sequence[str | None], order: Sequence[str] | None = None) -> Column:
    """Return names, None for missing, as codes of those that occur."""
    present = {label for label in labels if label is not None}
    levels = sorted(present) if order is None else [name for name in order if name in present]
    codes: dict[str | None, float] = {name: float(code) for code, name in enumerate(levels)}
    codes[None] = math.nan
    values = np.array([codes[label] for label in labels], dtype=np.float64)
    return Column(values, tuple(levels), is_ordered=order is not None)


def _only_series(values: Any) -> Any:
    """Return a series, or the one column of a data frame, as a series of narwhals; else None."""
    data = as_narwhals(values)
    if not hasattr(data, "columns"):
        return data
    return data.get_column(data.columns[0]) if len(data.columns) == 1 else None


def _texts(values: Any) -> list[str | None] | None:
    """Return a sequence of texts, None for missing ones; None if it holds anything else."""
    if hasattr(values, "to_native"):
        if str(values.dtype) not in ("String", "Object"):
            return None
        items = values.to_list()
    elif isinstance(values, (list, tuple)):
        items = values
    else:
        array = np.asarray(values) if hasattr(values, "__array__") else np.empty(0)
        is_column = array.ndim == 1 or (array.ndim == 2 and array.shape[-1] == 1)
        if array.dtype.kind not in "OU" or not is_column:
            return None
        items = array.ravel().tolist()
    has_text = False
    for item in items:
        if isinstance(item, str):
            has_text = True
        elif not is_missing(item):
            return None
    return _spelled(items) if has_text else None


def _spelled(items: Sequence[Any]) -> list[str | None]:
    """Return values as text, None for missing ones."""
    return [None if is_missing(item) else str(item) for item in items]


def _order_of(series: Any) -> tuple[str, ...] | None:
    """Return the categories of a series of narwhals in their order, None if they have none."""
    if str(series.dtype).startswith("Enum"):
        return tuple(map(str, series.dtype.categories))
    native: Any = series.to_native()
    # narwhals drops the order of Arrow's dictionaries, which columns of pandas may be.
    if series.implementation.is_pandas() and hasattr(native.dtype, "pyarrow_dtype"):
        native = native.array.__arrow_array__()
    if not getattr(getattr(native, "type", None), "ordered", False):
        return None
    dictionaries = [chunk.dictionary for chunk in native.unify_dictionaries().chunks]
    return tuple(map(str, dictionaries[0].to_pylist())) if dictionaries else ()
