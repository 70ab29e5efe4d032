"""Variables whose values are names: text and columns of a category type.

Whatever a caller holds comes in; numbers go out, and for each variable whether they stand for
categories without an order. What has an order, or two categories alone, is as good as a number.
"""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import ArrayLike, FloatArray
from anmmm._validation import MIN_SAMPLES, as_matrix, brief, check_lengths

__all__ = [
    "MOST_CATEGORIES", "Names", "Variables", "as_names", "as_variables", "labels_of", "plain",
]  # fmt: skip

# As many values as are encoded by their shares.
MOST_CATEGORIES = 32


class Names(NamedTuple):
    """A variable of categories.

    Attributes
    ----------
    values : ndarray of str, shape (n_samples,)
    ordered : tuple of str or None
        The categories in their order, where they have one.
    """

    values: NDArray[np.str_]
    ordered: tuple[str, ...] | None = None

    @property
    def distinct(self) -> tuple[str, ...]:
        """The categories that occur."""
        there = set(self.values.tolist())
        if self.ordered is None:
            return tuple(sorted(there))
        return tuple(name for name in self.ordered if name in there)

    @property
    def codes(self) -> FloatArray:
        """Number of each observation's category, counted from 0 as in `distinct`."""
        places = {name: float(place) for place, name in enumerate(self.distinct)}
        return np.array([places[name] for name in self.values.tolist()])


class Variables(NamedTuple):
    """A pair, checked.

    Attributes
    ----------
    x, y : ndarray of shape (n_samples, n_features)
        Finite numbers, or those of categories.
    categorical : tuple of two bool
        Which of both holds categories without an order, three or more.
    """

    x: FloatArray
    y: FloatArray
    categorical: tuple[bool, bool]


def as_variables(x: ArrayLike, y: ArrayLike, *, names: tuple[str, str] = ("x", "y")) -> Variables:
    """Check two variables as `anmmm._validation.as_pair` does, either of which may be names."""
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


def as_names(values: Any, name: str) -> Names | None:
    """Return a variable of text or of a category type as names; None where it is neither.

    Raises
    ------
    ValueError
        If a name is missing.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind not in "OUS":
        return None
    if isinstance(values, (list, tuple, np.ndarray)):
        array = np.asarray(values, dtype=object) if _is_flat(values) else None
        return _as_text(array, name)
    column = _as_series(values)
    if column is not None:
        return _of_series(column, name)
    # Such as an array of Arrow.
    has_objects = getattr(values, "__array__", None) is not None
    return _as_text(np.asarray(values), name) if has_objects else None


def plain(values: Any, name: str) -> Any:
    """Return a variable of names as an array of text, or of numbers where they have an order.

    What holds no names is returned as it is. Raises as `as_names`.
    """
    names = as_names(values, name)
    if names is None:
        return values
    return names.values if names.ordered is None else names.codes


def labels_of(column: Any) -> NDArray[Any]:
    """Return a column of a narwhals frame as names, None where one is missing.

    Of categories with an order their numbers, NaN where one is missing.
    """
    items = column.to_list()
    ordered = _order_of(column)
    if ordered is not None:
        places = {name: float(place) for place, name in enumerate(ordered)}
        return np.array([math.nan if _is_missing(i) else places[str(i)] for i in items])
    return np.array([None if _is_missing(item) else str(item) for item in items], dtype=object)


def _order_of(column: Any) -> tuple[str, ...] | None:
    """Return the categories of a column in their order, None where they have none."""
    native = column.to_native()
    # pandas and Arrow say so.
    kind = getattr(native, "dtype", None) or getattr(native, "type", None)
    if getattr(kind, "ordered", False) is not True:
        return None
    return tuple(str(each) for each in column.cat.get_categories().to_list())


def _is_flat(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim == 1
    # Without the cost of an array where the first numbers tell.
    present = (item for item in values if not _is_missing(item))
    return isinstance(next(present, None), str) and all(isinstance(item, str) for item in present)


def _as_text(array: NDArray[Any] | None, name: str) -> Names | None:
    if array is None or array.dtype.kind not in "OU" or not array.size:
        return None
    items = array.tolist()
    missing = [_is_missing(item) for item in items]
    texts = [isinstance(item, str) for item in items]
    if not any(texts) or not all(a or b for a, b in zip(missing, texts, strict=True)):
        return None
    _refuse_missing(sum(missing), len(items), name)
    return Names(np.asarray(items, dtype=np.str_))


def _as_series(values: Any) -> Any:
    """Return a column of a data frame as narwhals sees it, or None."""
    # Here, because whoever passes arrays can do without it.
    import narwhals.stable.v2 as nw

    if type(values).__name__ in ("Categorical", "CategoricalIndex"):
        # Of pandas, not yet in a series.
        values = sys.modules["pandas"].Series(values)
    column = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(column, nw.Series):
        return None
    named = (nw.Categorical, nw.Enum, nw.String)
    return column if column.dtype in named else _of_objects(column)


def _of_objects(column: Any) -> Any:
    """Return a column of Python objects if a text is among them."""
    import narwhals.stable.v2 as nw

    if column.dtype != nw.Object or not any(isinstance(item, str) for item in column.to_list()):
        return None
    return column


def _of_series(column: Any, name: str) -> Names | None:
    import narwhals.stable.v2 as nw

    items = column.to_list()
    missing = [_is_missing(item) for item in items]
    if column.dtype == nw.Object:
        return _as_text(np.asarray(items, dtype=object), name)
    _refuse_missing(sum(missing), len(items), name)
    return Names(np.asarray([str(item) for item in items], dtype=np.str_), _order_of(column))


def _is_missing(item: Any) -> bool:
    nothing = item is None or type(item).__name__ in ("NAType", "NaTType")
    return nothing or (isinstance(item, float) and math.isnan(item))


def _refuse_missing(count: int, n_samples: int, name: str) -> None:
    if count:
        raise ValueError(
            f"{name} lacks {count} of {n_samples} names; remove those observations, or give what "
            "is missing a name"
        )


def _as_variable(values: Any, name: str) -> tuple[FloatArray, bool]:
    names = as_names(values, name)
    if names is None:
        return as_matrix(values, name), False
    n, distinct = len(names.values), names.distinct
    if n < MIN_SAMPLES:
        raise ValueError(
            f"{name} has n_samples={n}, but at least {MIN_SAMPLES} observations are needed"
        )
    if len(distinct) == 1:
        raise ValueError(
            f"{name} is constant (every value is {brief(distinct[0])}); a constant has no cause "
            "and no effect"
        )
    unordered = names.ordered is None and len(distinct) > 2
    if unordered and len(distinct) > MOST_CATEGORIES:
        raise ValueError(
            f"{name} holds {len(distinct)} different texts among {n}, but at most "
            f"{MOST_CATEGORIES} categories can be analyzed; join rare ones, or convert text that "
            "stands for numbers to numbers"
        )
    return names.codes[:, np.newaxis], unordered
