"""Variables whose values are names: text, columns of a category type, labels of mechanisms.

Convert the arguments of a caller to numbers, and report for each variable whether these are
categories without an order. Ordered categories, and only two categories, are numbers.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._text import brief
from anmmm._typing import ArrayLike, BoolArray, FloatArray, IntArray
from anmmm._validation import (
    DATES,
    LIMIT,
    MISSING,
    NO_VALUE,
    NUMBER,
    PLAIN_NUMBER,
    MissingValueError,
    as_matrix,
    as_real,
    check_aligned,
    check_choice,
    check_lengths,
    constant_problem,
    holds_categories,
    is_missing,
    series_of,
    text_advice,
)

# Text that spells a whole day, with or without a time. Months and short years are no dates:
# 2010/11, 1950-59, 1001-01 and 1.2.10 may as well be seasons, decades, codes and versions.
# So may be parts of codes outside of the years 1800 to 2199.
_YEAR = r"((?:1[89]|2[01])\d\d)"
_DAY = rf"(?:{_YEAR}([-/.])(\d\d?)\2(\d\d?)|(\d\d?)([-/.])(\d\d?)\6{_YEAR})([T ]\d\d?:.*)?"
_PLAIN_NUMBER = re.compile(rf"\s*{PLAIN_NUMBER}\s*")
# Also with units, decimal commas or thousands separators.
_NUMBER = re.compile(rf"[$€£¥]?\s*{NUMBER}\s*[%‰$€£¥]?")
_BESIDE_NUMBERS = re.compile(rf"{LIMIT}|{NO_VALUE}")
# As many values as are encoded by their frequencies.
MOST_CATEGORIES = 32
MANY_TEXTS = f"holds more than {MOST_CATEGORIES} different texts; join rare ones, or pass numbers"


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
    (first, one), (second, other) = _as_variable(x, names[0]), _as_variable(y, names[1])
    check_lengths(first, second, names)
    widths = first.shape[1], second.shape[1]
    for flag, name, width in zip((other, one), names, widths, strict=True):
        if flag and width > 1:
            raise ValueError(
                f"{name} has {width} columns, and the other variable holds categories; pass one "
                "column with categories"
            )
    return Variables(first, second, (one, other), (level_names(x), level_names(y)))


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


def read_texts(texts: Sequence[str | None]) -> tuple[NDArray[Any], str]:
    """Return texts, None for missing, as numbers if all spell them, else as they are.

    Also return why they are neither numbers nor categories, empty if they are.
    """
    labels = np.array(texts, dtype=object)
    distinct = {text for text in texts if text is not None}
    if distinct and all(map(_PLAIN_NUMBER.fullmatch, distinct)):
        return np.array([math.nan if text is None else float(text) for text in texts]), ""
    if distinct and all(map(_is_day, distinct)):
        return labels, DATES
    if _are_numbers(distinct):
        example = next(t for t in texts if t and not _PLAIN_NUMBER.fullmatch(t))
        advice = text_advice(example, "convert them")
        return (
            labels,
            f"holds numbers as text, such as {example!r}; {advice}; or declare it categories",
        )
    return labels, MANY_TEXTS if len(distinct) > MOST_CATEGORIES else ""


def _is_day(text: str) -> bool:
    match = re.fullmatch(_DAY, text)
    if match is None:
        return False
    # Of day and month, in either order, the smaller number can be the month.
    month, day = sorted(int(part) for part in match.group(3, 4, 5, 7) if part)
    year = int(match[1] or match[8])
    return month in range(1, 13) and day in range(1, monthrange(year, month)[1] + 1)


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
    return Names(np.asarray(labels, dtype=np.str_), ordered)


def level_names(values: Any) -> tuple[str, ...] | None:
    """Return the names of the values 0, 1, … of categories or booleans; None of numbers."""
    labels, ordered = _labels(values)
    if labels is not None:
        return Names(np.array([label for label in labels if label is not None]), ordered).distinct
    kind = getattr(values, "dtype", None) or np.asarray(values).dtype
    return ("False", "True") if "bool" in str(kind).lower() else None


def _are_numbers(texts: set[str]) -> bool:
    """Return whether texts spell numbers of any style, and perhaps limits and missing values."""
    others = [text for text in texts if not _NUMBER.fullmatch(text)]
    return len(others) < len(texts) and all(map(_BESIDE_NUMBERS.fullmatch, others))


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


def is_constant(values: NDArray[Any]) -> bool:
    """Return whether names, or numbers up to rounding, are equal; none of them is missing."""
    if values.dtype.hasobject:
        return bool(values.min() == values.max())
    return bool(np.isfinite(values).all() and constant_problem(values))


def without_objects(values: NDArray[Any]) -> NDArray[Any]:
    """Return names, none of them missing, as text, which has bytes of its own; numbers as is."""
    return values.astype(np.str_) if values.dtype.hasobject else values


def _labels(values: Any) -> tuple[list[str | None] | None, tuple[str, ...] | None]:
    """Return each observation's name, None for missing, and their order; None for numbers."""
    if isinstance(values, Names):
        return values.values.tolist(), values.ordered
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
