"""Arrays of real numbers from lists, arrays, series and frames of any library."""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._cells import DATES, text_advice
from anmmm._signals import unless_signal
from anmmm._text import brief, cut
from anmmm._typing import FloatArray

# What is wrong with a column of durations.
DURATIONS = "holds durations; convert them to numbers first, such as days"


def as_real(values: Any, name: str) -> NDArray[Any]:
    """Return values as an array of real numbers, None and its like as NaN."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(f"{name} is a sparse matrix; pass a dense array, e.g. {name}.toarray()")
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        n_masked = int(np.ma.getmaskarray(values).sum())
        raise ValueError(f"{name} holds {n_masked} masked values; remove those observations")
    if any(map(holds_categories, series_of(values))):
        raise TypeError(f"{name} must be numeric, found categories; pass codes if they are ordered")
    try:
        array = np.asarray(values)
    except unless_signal(ValueError) as error:
        raise ValueError(f"{name} is not a rectangular array of numbers: {error}") from None
    except unless_signal(Exception) as error:
        # Libraries have exceptions of their own, polars for whole numbers of 128 bits.
        raise TypeError(f"{name} cannot be converted to an array ({error})") from None
    kind = array.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {array.dtype}")
    if kind == "O" or (kind in "US" and array.size):
        # NumPy converts the numbers of a list with texts to text.
        return _from_objects(np.asarray(values, dtype=object), name)
    if kind in "mM":
        raise TypeError(f"{name} {DURATIONS if kind == 'm' else DATES}")
    if kind not in "biuf":
        raise TypeError(f"{name} must be numeric, found dtype {cut(str(array.dtype))}")
    if kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    return array


def series_of(values: Any) -> list[Any]:
    """Return the columns of a data frame, or the one of a series, as series of narwhals."""
    if values is None or isinstance(values, (list, tuple, np.ndarray, np.generic, numbers.Number)):
        return []
    # Here, because arrays do without it.
    import narwhals.stable.v2 as nw

    kind = type(values)
    if kind.__name__ in ("Categorical", "CategoricalIndex"):
        values = sys.modules["pandas"].Series(values)
    elif kind.__module__ == "pyarrow.lib" and hasattr(values, "dictionary_encode"):
        values = sys.modules["pyarrow"].chunked_array(getattr(values, "chunks", [values]))
    try:
        native: Any = nw.from_native(values, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        return []
    if isinstance(native, nw.DataFrame):
        return list(native.iter_columns())
    return [native] if isinstance(native, nw.Series) else []


def holds_categories(column: Any) -> bool:
    """Return whether a series of narwhals has a category type."""
    return str(column.dtype).startswith(("Categorical", "Enum"))


def is_missing(item: Any) -> bool:
    """Return whether an object means a missing value: None, pandas.NA, NaN and their like."""
    nothing = item is None or type(item).__name__ in ("NAType", "NaTType")
    return nothing or (isinstance(item, float) and math.isnan(item))


def _from_objects(array: NDArray[Any], name: str) -> FloatArray:
    """Return Python objects as numbers, missing ones as NaN."""
    numeric = np.empty(array.shape, dtype=np.float64)
    for index, item in np.ndenumerate(array):
        if isinstance(item, (complex, np.complexfloating)):
            raise ValueError(f"Complex data not supported: {name} holds {brief(item)}")
        if isinstance(item, (str, bytes)):
            # Text never counts as a number.
            raise _not_numeric(name, item, index)
        try:
            numeric[index] = np.nan if is_missing(item) else float(item)
        except OverflowError:
            raise ValueError(f"{name} holds a number beyond float64 at position {index}") from None
        except (TypeError, ValueError):
            raise _not_numeric(name, item, index) from None
    return numeric


def _not_numeric(name: str, item: Any, index: tuple[int, ...]) -> TypeError:
    """Return the error over a value of an array, or, without a position, over another object."""
    # The repr of other values may be long, or have an address, which differs in the next run.
    shown = f"a value of type {type(item).__name__}"
    if isinstance(item, (str, bytes)):
        shown = f"{brief(item)} ({type(item).__name__})"
    if not index:
        return TypeError(f"{name} must be numeric, found {shown}; pass a list or array of numbers")
    # In words that scikit-learn's checks of estimators know.
    advice = text_advice(str(item), "0, 1, 2, … for ordered levels")
    return TypeError(
        f"{name} must be numeric, found {shown} at position {index}; an argument must be no "
        f"string, but a number ({advice})"
    )
