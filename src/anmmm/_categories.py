"""Variables whose values are names: text, columns of a category type, labels of mechanisms.

Convert the arguments of a caller to numbers, and report for each variable whether these are
categories without an order. Ordered categories, and only two categories, are numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import ArrayLike, BoolArray, FloatArray, IntArray
from anmmm._validation import (
    DATES,
    LIMIT,
    MISSING,
    NO_VALUE,
    NUMBER,
    MissingValueError,
    as_matrix,
    as_real,
    brief,
    check_aligned,
    check_choice,
    check_lengths,
    holds_categories,
    is_missing,
    series_of,
)
from anmmm._warning import warn_caller

# Text that spells a day, with or without a time.
_DAY = r"(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})"
_DATE = re.compile(_DAY + r"([T ]\d{1,2}:.*)?")
_NUMBER = re.compile(rf"[$€£¥]?\s*{NUMBER}\s*[%‰$€£¥]?")
_BESIDE_NUMBERS = re.compile(rf"{LIMIT}|{NO_VALUE}")
# As many values as are encoded by their frequencies.
MOST_CATEGORIES = 32


class Names(NamedTuple):
    """A variable of categories: values (n_samples,), and their order if they have one."""

    values: NDArray[np.str_]
    ordered: tuple[str, ...] | None = None

    @property
    def distinct(self) -> tuple[str, ...]:
        """The categories that occur."""
        there = set(self.values.tolist())
        names = sorted(there) if self.ordered is None else self.ordered
        return tuple(name for name in names if name in there)

    @property
    def codes(self) -> FloatArray:
        """Number of each observation's category, counted from 0 as in `distinct`."""
        return _codes(self.values.tolist(), self.distinct)


class Variables(NamedTuple):
    """A checked pair (n_samples, n_features); whether each has 3 or more unordered categories."""

    x: FloatArray
    y: FloatArray
    categorical: tuple[bool, bool]


def as_variables(x: ArrayLike, y: ArrayLike, *, names: tuple[str, str] = ("x", "y")) -> Variables:
    """Check two variables as `anmmm._validation.as_pair` does, either of which may be names."""
    check_aligned(x, y, names)
    (first, one), (second, other) = _as_variable(x, names[0]), _as_variable(y, names[1])
    check_lengths(first, second, names)
    widths = first.shape[1], second.shape[1]
    for flag, name, width in zip((other, one), names, widths, strict=True):
        if flag and width > 1:
            raise ValueError(
                f"{name} has {width} columns, and the other variable holds categories; pass one "
                "column with categories"
            )
    return Variables(first, second, (one, other))


def complete_variables(x: ArrayLike, y: ArrayLike, missing: Any) -> tuple[Variables, int]:
    """Check two variables as `as_variables`, and return the number of incomplete rows left out."""
    first, second, dropped = complete_rows(x, y, missing)
    for values, name in ((x, "x"), (y, "y")):
        if _spells_numbers(values):
            warn_caller(
                f"{name} holds numbers written as text, which are taken as categories; convert "
                "them, limits without <, without units and codes of missing values",
                UserWarning,
            )
    try:
        return as_variables(first, second), len(dropped)
    except MissingValueError as error:
        raise MissingValueError(f"{error}; missing='drop' leaves them out") from None


def _spells_numbers(values: Any) -> bool:
    """Return whether a variable of text, and of no category type, has only numbers."""
    labels, _ = _labels(values)
    if labels is None or not are_numbers(labels):
        return False
    return not any(map(holds_categories, series_of(values)))


def complete_rows(
    x: ArrayLike, y: ArrayLike, missing: Any, *, numbers: bool = False
) -> tuple[Any, Any, IntArray]:
    """Return both variables, without incomplete rows if `missing` is "drop", and their positions.

    `numbers`: refuse names and categories.
    """
    none = np.empty(0, dtype=np.intp)
    if check_choice(missing, "missing", MISSING) == "raise":
        return x, y, none
    check_aligned(x, y)
    (first, one), (second, other) = (_with_missing(*each, numbers) for each in ((x, "x"), (y, "y")))
    if not (first.ndim and second.ndim):
        # No variable: the checks that follow raise.
        return x, y, none
    check_lengths(first, second, ("x", "y"))
    incomplete = one | other
    if not incomplete.any():
        return x, y, none
    refuse_empty((one, other), ("x", "y"))
    return first[~incomplete], second[~incomplete], np.flatnonzero(incomplete)


def refuse_empty(missing: Iterable[BoolArray], names: Sequence[str]) -> None:
    """Refuse a variable without values; `missing`: which each lacks, (n_samples,)."""
    for absent, name in zip(missing, names, strict=True):
        if len(absent) and absent.all():
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
    absent = np.array([label is None for label in labels])
    if ordered is not None:
        return _codes(labels, ordered), absent
    return np.array([label or "" for label in labels]), absent


def names_of(x: Any, y: Any) -> tuple[str, str]:
    """Return the names of both variables, if they have some that differ; else x and y.

    If y is None, x is a frame of both columns.
    """
    if y is None:
        columns = [name for name in getattr(x, "columns", ()) if isinstance(name, str) and name]
        first, second = columns if len(columns) == 2 else ("x", "y")
    else:
        first, second = _name_of(x, "x"), _name_of(y, "y")
    return (first, second) if first != second else ("x", "y")


def _name_of(values: Any, default: str) -> str:
    """Return the name of a Series or of the column of a frame of one, if it is a text."""
    name = getattr(values, "name", None)
    columns = getattr(values, "columns", None)
    if columns is not None and len(columns) == 1:
        name = next(iter(columns))
    return name if isinstance(name, str) and name else default


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
    if ordered is None and are_dates(labels):
        raise TypeError(f"{name} {DATES}")
    return Names(np.asarray(labels, dtype=np.str_), ordered)


def are_dates(texts: Iterable[str | None]) -> bool:
    """Return whether all texts that are there spell dates."""
    present = [text for text in texts if text is not None]
    return bool(present) and all(map(_DATE.fullmatch, present))


def are_numbers(texts: Iterable[str | None]) -> bool:
    """Return whether texts spell numbers of any style, and perhaps limits and missing values."""
    present = [text for text in texts if text is not None]
    others = [text for text in present if not _NUMBER.fullmatch(text)]
    return len(others) < len(present) and all(map(_BESIDE_NUMBERS.fullmatch, others))


def as_labels(values: Any, name: str, n_samples: int) -> tuple[NDArray[Any], IntArray]:
    """Return the distinct labels in their order, and each observation's place among them."""
    array = np.asarray(values)
    if array.shape != (n_samples,):
        raise ValueError(
            f"{name} has shape {array.shape}, but needs one label for each of the {n_samples} "
            "observations"
        )
    n_missing = sum(map(is_missing, array.tolist()))
    if n_missing:
        raise ValueError(f"{name} lacks {n_missing} of {n_samples} labels; give each one")
    try:
        distinct, codes = np.unique(array, return_inverse=True)
    except TypeError:
        raise TypeError(
            f"{name} mixes labels that cannot be ordered; pass numbers only, or strings only"
        ) from None
    return distinct, codes


def plain(values: Any, name: str) -> Any:
    """Return names as an array of text, or of numbers if they have an order; others as is."""
    names = as_names(values, name)
    if names is None:
        return values
    return names.values if names.ordered is None else names.codes


def labels_of(column: Any) -> NDArray[Any]:
    """Return a narwhals column as names, None for missing; with an order as numbers and NaN."""
    ordered = _order_of(column)
    labels = _spelled(column.to_list())
    if ordered is not None:
        return _codes(labels, ordered)
    return np.array(labels, dtype=object)


def _codes(labels: Sequence[str | None], ordered: Sequence[str]) -> FloatArray:
    """Return places of labels in the order of those that occur, NaN for None."""
    there = set(labels)
    places = {name: float(at) for at, name in enumerate(n for n in ordered if n in there)}
    return np.array([math.nan if label is None else places[label] for label in labels])


def missing_of(values: NDArray[Any]) -> BoolArray:
    """Return which values of a column are missing: NaN among numbers, None among names."""
    if values.dtype.hasobject:
        return np.array([item is None for item in values.tolist()], dtype=np.bool_)
    return np.asarray(np.isnan(values))


def without_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return names, none of them missing, as text, which has bytes of its own; numbers as is."""
    return values.astype(np.str_) if values.dtype.hasobject else values


def _labels(values: Any) -> tuple[list[str | None] | None, tuple[str, ...] | None]:
    """Return each observation's name, None for missing, and their order; None for numbers."""
    if isinstance(values, (list, tuple, np.ndarray)):
        return _texts(values), None
    columns = series_of(values)
    if len(columns) != 1:
        return (_texts(np.asarray(values)) if hasattr(values, "__array__") else None), None
    (column,) = columns
    if holds_categories(column) or str(column.dtype) == "String":
        ordered = _order_of(column)
        return _spelled(column.to_list()), ordered
    return (_texts(column.to_list()) if str(column.dtype) == "Object" else None), None


def _texts(values: Any) -> list[str | None] | None:
    """Return a sequence of texts, None for missing ones; None if it holds anything else."""
    if isinstance(values, np.ndarray):
        single = values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1)
        if values.dtype.kind not in "OU" or not single:
            return None
        values = values.ravel().tolist()
    # Without a look at all values if the first one decides.
    present = (item for item in values if not is_missing(item))
    if isinstance(next(present, None), str) and all(isinstance(item, str) for item in present):
        return _spelled(values)
    return None


def _spelled(items: Sequence[Any]) -> list[str | None]:
    present = [item for item in items if not is_missing(item)]
    if len(set(map(type, present))) > 1:
        first: dict[str, Any] = {}
        for item in present:
            if first.setdefault(str(item), item) != item:
                raise ValueError(
                    f"the values {brief(first[str(item)])} and {brief(item)} are spelled alike; "
                    "give all values one type"
                )
    return [None if is_missing(item) else str(item) for item in items]


def _order_of(column: Any) -> tuple[str, ...] | None:
    """Return the categories of a column in their order, None if they have none."""
    native: Any = column.to_native()
    # The name of its type, because narwhals has several of that name.
    if column.implementation.is_polars():
        return tuple(column.dtype.categories) if str(column.dtype).startswith("Enum") else None
    # pandas and Arrow report it; pandas may have columns of Arrow.
    kind: Any = getattr(native, "dtype", None) or getattr(native, "type", None)
    kind = getattr(kind, "pyarrow_dtype", kind)
    names = tuple(map(str, getattr(kind, "categories", ())))
    if len({*names}) < len(names):
        listed = brief(list(kind.categories))
        raise ValueError(f"some of its categories {listed} are spelled alike; rename them")
    if getattr(kind, "ordered", False) is not True:
        return None
    if hasattr(kind, "categories"):
        return names
    chunks = native.array.__arrow_array__().chunks if hasattr(native, "array") else native.chunks
    orders = [tuple(map(str, chunk.dictionary.to_pylist())) for chunk in chunks]
    longest = max(orders, key=len, default=())
    # Arrow joins dictionaries of chunks by appending, which is no order.
    if any(order != tuple(name for name in longest if name in order) for order in orders):
        raise ValueError(
            f"its chunks order the categories differently, as {brief(longest)} and otherwise; "
            "give all one dictionary"
        )
    return longest


def _as_variable(values: Any, name: str) -> tuple[FloatArray, bool]:
    names = as_names(values, name)
    if names is None:
        return as_matrix(values, name), False
    distinct = names.distinct
    if len(distinct) == 1:
        raise ValueError(
            f"{name} is constant (every value is {brief(distinct[0])}); a constant has no cause "
            "and no effect"
        )
    unordered = names.ordered is None and len(distinct) > 2
    if unordered and len(distinct) > MOST_CATEGORIES:
        raise ValueError(
            f"{name} holds {len(distinct)} different texts among {len(names.values)}, but at most "
            f"{MOST_CATEGORIES} categories can be analyzed; join rare ones, or convert "
            "numbers that are written as text"
        )
    return as_matrix(names.codes, name), unordered
