"""Variables whose values are names: text, columns of a category type, labels of mechanisms.

Convert the arguments of a caller to numbers, and report for each variable whether these are
categories without an order. Ordered categories, and only two categories, are numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._arrays import as_real, holds_categories, is_missing, series_of
from anmmm._cells import MANY_TEXTS, MOST_CATEGORIES, read_texts
from anmmm._text import brief
from anmmm._typing import ArrayLike, BoolArray, FloatArray, IntArray
from anmmm._validation import (
    MISSING,
    MissingValueError,
    as_matrix,
    check_aligned,
    check_choice,
    check_lengths,
    constant_problem,
)


class Names(NamedTuple):
    """A variable of categories: values (n_samples,), and their order if they have one."""

    values: NDArray[np.str_]
    ordered: tuple[str, ...] | None = None

    @property
    def distinct(self) -> tuple[str, ...]:
        """The categories that occur."""
        present = set(self.values.tolist())
        names = sorted(present) if self.ordered is None else self.ordered
        return tuple(name for name in names if name in present)

    @property
    def codes(self) -> FloatArray:
        """Number of each observation's category, counted from 0 as in `distinct`."""
        return _codes(self.values.tolist(), self.distinct)


class Variables(NamedTuple):
    """A checked pair (n_samples, n_features); whether each has 3 or more unordered categories.

    `levels` has the names of the values 0, 1, … of each, None for numbers.
    """

    x: FloatArray
    y: FloatArray
    categorical: tuple[bool, bool]
    levels: tuple[tuple[str, ...] | None, ...] = (None, None)


def as_variables(x: ArrayLike, y: ArrayLike, *, names: tuple[str, str] = ("x", "y")) -> Variables:
    """Check two variables as `anmmm._validation.as_pair` does, either of which may be names."""
    check_aligned(x, y, names)
    first, first_is_named = _as_variable(x, names[0])
    second, second_is_named = _as_variable(y, names[1])
    check_lengths(first, second, names)
    for other_is_named, name, values in (
        (second_is_named, names[0], first),
        (first_is_named, names[1], second),
    ):
        if other_is_named and values.shape[1] > 1:
            raise ValueError(
                f"{name} has {values.shape[1]} columns, and the other variable holds categories; "
                "pass one column with categories"
            )
    levels = level_names(x), level_names(y)
    return Variables(first, second, (first_is_named, second_is_named), levels)


def complete_variables(x: ArrayLike, y: ArrayLike, missing: Any) -> tuple[Variables, int]:
    """Check two variables as `as_variables`, and return the number of incomplete rows left out."""
    x, y = given_pair(x, y)
    first, second, dropped = complete_rows(x, y, missing)
    try:
        variables = as_variables(first, second)
    except MissingValueError as error:
        raise MissingValueError(f"{error}; missing='drop' leaves them out") from None
    # Ordered categories and booleans without incomplete rows are numbers.
    first_levels, second_levels = variables.levels
    levels = first_levels or level_names(x), second_levels or level_names(y)
    return variables._replace(levels=levels), len(dropped)


def given_pair(x: ArrayLike, y: ArrayLike) -> tuple[Any, Any]:
    """Return two variables of a caller, each as `as_given`."""
    check_aligned(x, y)
    return as_given(x, "x"), as_given(y, "y")


def as_given(values: Any, name: str) -> Any:
    """Return text that spells numbers as numbers, others and category types as is; refuse dates."""
    labels, _ = _labels(values)
    is_declared = isinstance(values, Names) or any(map(holds_categories, series_of(values)))
    if labels is None or is_declared:
        return values
    read, problem = read_texts(labels)
    if problem and problem != MANY_TEXTS:
        raise TypeError(f"{name} {problem}")
    return values if read.dtype.hasobject else read


def complete_rows(
    x: ArrayLike, y: ArrayLike, missing: Any, *, numbers: bool = False
) -> tuple[Any, Any, IntArray]:
    """Return both variables, without incomplete rows if `missing` is "drop", and their positions.

    `numbers`: refuse names and categories.
    """
    nothing = np.empty(0, dtype=np.intp)
    if check_choice(missing, "missing", MISSING) == "raise":
        return x, y, nothing
    check_aligned(x, y)
    first, first_missing = _with_missing(x, "x", numbers)
    second, second_missing = _with_missing(y, "y", numbers)
    if not (first.ndim and second.ndim):
        # No variable: the checks that follow raise.
        return x, y, nothing
    check_lengths(first, second, ("x", "y"))
    is_incomplete = first_missing | second_missing
    if not is_incomplete.any():
        return x, y, nothing
    refuse_empty((first_missing, second_missing), ("x", "y"))
    return first[~is_incomplete], second[~is_incomplete], np.flatnonzero(is_incomplete)


def refuse_empty(missing: Iterable[BoolArray], names: Sequence[str]) -> None:
    """Refuse a variable without values; `missing`: which each lacks, (n_samples,)."""
    for is_absent, name in zip(missing, names, strict=True):
        if len(is_absent) and is_absent.all():
            raise ValueError(f"{name} has no values")


def _with_missing(values: Any, name: str, numbers: bool) -> tuple[NDArray[Any], BoolArray]:
    """Return a variable as an array, and in which rows it has no value."""
    labels, ordered = (None, None) if numbers else _labels(values)
    if labels is None:
        if np.ma.isMaskedArray(values):
            values = np.ma.filled(values.astype(np.float64), np.nan)
        array = as_real(values, name)
        if array.dtype.kind != "f" or not array.size or not array.ndim:
            return array, np.zeros(array.shape[:1], dtype=np.bool_)
        return array, np.isnan(array).reshape(len(array), -1).any(axis=1)
    is_absent = np.array([label is None for label in labels])
    if ordered is not None:
        return _codes(labels, ordered), is_absent
    return np.array([label or "" for label in labels]), is_absent


def as_names(values: Any, name: str) -> Names | None:
    """Return a variable of text or of a category type as names; None if it is neither."""
    labels, ordered = _labels(values)
    if labels is None:
        return None
    if missing := labels.count(None):
        raise MissingValueError(
            f"{name} lacks {missing} of {len(labels)} names, the first in row "
            f"{labels.index(None)} (from 0); remove those observations, or name missing values"
        )
    return Names(np.asarray(labels, dtype=np.str_), ordered)


def level_names(values: Any) -> tuple[str, ...] | None:
    """Return the names of the values 0, 1, … of categories or booleans; None of numbers."""
    labels, ordered = _labels(values)
    if labels is not None:
        return Names(np.array([label for label in labels if label is not None]), ordered).distinct
    kind = getattr(values, "dtype", None) or np.asarray(values).dtype
    return ("False", "True") if "bool" in str(kind).lower() else None


def category_values(values: Any, name: str) -> Any:
    """Return names as an array of text, or of numbers if they have an order; others as is."""
    names = as_names(values, name)
    if names is None:
        return values
    return names.values if names.ordered is None else names.codes


def labels_of(column: Any) -> NDArray[Any]:
    """Return a narwhals column as names, None for missing; with an order as numbers and NaN."""
    labels = _spelled(column.to_list())
    ordered = _order_of(column)
    return np.array(labels, dtype=object) if ordered is None else _codes(labels, ordered)


def missing_of(values: NDArray[Any]) -> BoolArray:
    """Return which values of a column are missing: NaN among numbers, None among names."""
    if values.dtype.hasobject:
        return np.array([item is None for item in values.tolist()], dtype=np.bool_)
    return np.asarray(np.isnan(values))


def is_constant(values: NDArray[Any]) -> bool:
    """Return whether names, or numbers up to rounding, are equal; none of them is missing."""
    if values.dtype.hasobject:
        return bool(values.min() == values.max())
    return bool(np.isfinite(values).all() and constant_problem(values))


def without_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return names, none of them missing, as text, which has bytes of its own; numbers as is."""
    return values.astype(np.str_) if values.dtype.hasobject else values


def _codes(labels: Sequence[str | None], ordered: Sequence[str]) -> FloatArray:
    """Return places of labels in the order of those that occur, NaN for None."""
    present = set(labels)
    places = {name: float(place) for place, name in enumerate(n for n in ordered if n in present)}
    return np.array([math.nan if label is None else places[label] for label in labels])


def _labels(values: Any) -> tuple[list[str | None] | None, tuple[str, ...] | None]:
    """Return each observation's name, None for missing, and their order; None for numbers."""
    if isinstance(values, Names):
        return values.values.tolist(), values.ordered
    if isinstance(values, (list, tuple, np.ndarray)):
        return _texts(values), None
    columns = series_of(values)
    if len(columns) != 1:
        return (_texts(np.asarray(values)) if hasattr(values, "__array__") else None), None
    column = columns[0]
    if holds_categories(column) or str(column.dtype) == "String":
        return _spelled(column.to_list()), _order_of(column)
    return (_texts(column.to_list()) if str(column.dtype) == "Object" else None), None


def _texts(values: Any) -> list[str | None] | None:
    """Return a sequence of texts, None for missing ones; None if it holds anything else."""
    if isinstance(values, np.ndarray):
        is_column = values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1)
        if values.dtype.kind not in "OU" or not is_column:
            return None
        values = values.ravel().tolist()
    n_texts = 0
    for item in values:
        # Without a look at all values if the first one decides.
        if isinstance(item, str):
            n_texts += 1
        elif not is_missing(item):
            return None
    return _spelled(values) if n_texts else None


def _spelled(items: Sequence[Any]) -> list[str | None]:
    """Return values as text, None for missing ones; refuse different ones of the same text."""
    present = {item for item in items if not is_missing(item)}
    names: dict[str, Any] = {}
    for item in present:
        other = names.setdefault(str(item), item)
        if other is not item:
            raise ValueError(
                f"it holds {other!r} and {item!r}, which are the same as text; rename one of them"
            )
    return [None if is_missing(item) else str(item) for item in items]


def _order_of(column: Any) -> tuple[str, ...] | None:
    """Return the categories of a narwhals column in their order, None if they have none."""
    if str(column.dtype).startswith("Enum"):
        return tuple(map(str, column.dtype.categories))
    native: Any = column.to_native()
    # narwhals drops the order of Arrow's dictionaries, which columns of pandas may be.
    if column.implementation.is_pandas() and hasattr(native.dtype, "pyarrow_dtype"):
        native = native.array.__arrow_array__()
    if not getattr(getattr(native, "type", None), "ordered", False):
        return None
    orders = [tuple(map(str, chunk.dictionary.to_pylist())) for chunk in native.chunks]
    longest = max(orders, key=len, default=())
    # Arrow joins dictionaries of chunks by appending, which is no order.
    if any(order != tuple(name for name in longest if name in order) for order in orders):
        raise ValueError(
            f"its chunks order the categories differently, as {brief(longest)} and otherwise; "
            "give all one dictionary"
        )
    return longest


def _as_variable(values: Any, name: str) -> tuple[FloatArray, bool]:
    """Return a variable as numbers, and whether they are 3 or more unordered categories."""
    names = as_names(values, name)
    if names is None:
        return as_matrix(values, name), False
    distinct = names.distinct
    if len(distinct) == 1:
        raise ValueError(
            f"{name} is constant (every value is {brief(distinct[0])}); a constant has no cause "
            "and no effect"
        )
    is_unordered = names.ordered is None and len(distinct) > 2
    if is_unordered and len(distinct) > MOST_CATEGORIES:
        raise ValueError(
            f"{name} holds {len(distinct)} different texts among {len(names.values)}, but at most "
            f"{MOST_CATEGORIES} categories can be analyzed; join rare ones, or convert "
            "numbers that are written as text"
        )
    return as_matrix(names.codes, name), is_unordered
