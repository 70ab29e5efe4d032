"""Arrays of real numbers from lists, arrays, series and frames of any library."""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._cells import ADVICE, DATES
from anmmm._text import brief, cut
from anmmm._typing import FloatArray


def as_real(values: Any, name: str) -> NDArray[Any]:
    """Return values as an array of real numbers; missing and masked ones as NaN."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(f"{name} is a sparse matrix; pass a dense array, e.g. {name}.toarray()")
    data = as_narwhals(values)
    columns = () if data is None else data.iter_columns() if hasattr(data, "columns") else (data,)
    if any(map(holds_categories, columns)):
        raise TypeError(f"{name} must be numeric, found categories; pass codes if they are ordered")
    try:
        array = np.asarray(values if data is None else data.to_numpy())
    except ValueError as error:
        raise ValueError(f"{name} is not a rectangular array of numbers: {error}") from None
    except Exception as error:
        # Libraries have exceptions of their own, polars for whole numbers of 128 bits.
        raise TypeError(f"{name} cannot be converted to an array ({error})") from None
    kind = array.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {array.dtype}")
    if kind == "O":
        return _from_objects(array, name)
    if kind in "US" and array.size:
        # NumPy converts the numbers of a list with texts to text.
        return _from_objects(np.asarray(values, dtype=object), name)
    if kind in "mM":
        raise TypeError(f"{name} {DATES}")
    if kind not in "biuf":
        raise TypeError(f"{name} must be numeric, found dtype {cut(str(array.dtype))}")
    if np.ma.isMaskedArray(values):
        return np.ma.filled(values.astype(np.float64), math.nan)
    if kind == "f" and array.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    return array


def as_narwhals(values: Any) -> Any:
    """Return a series or data frame of any library as one of narwhals, None for other objects."""
    if values is None or isinstance(values, (list, tuple, np.ndarray, np.generic, numbers.Number)):
        return None
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
        return None
    return native if isinstance(native, (nw.DataFrame, nw.Series)) else None


def holds_categories(column: Any) -> bool:
    """Return whether a series of narwhals has a category type."""
    return str(column.dtype).startswith(("Categorical", "Enum"))


def is_missing(item: Any) -> bool:
    """Return whether an object means a missing value: None, pandas.NA, NaN and their like."""
    nothing = item is None or type(item).__name__ in ("NAType", "NaTType")
    return nothing or (isinstance(item, float) and math.isnan(item))


def _place(index: tuple[int, ...]) -> str:
    """Return where an item of an array is, in words; nothing if the array is a single item."""
    if not index:
        return ""
    return f" at position {index[0] if len(index) == 1 else index}"


def _from_objects(array: NDArray[Any], name: str) -> FloatArray:
    """Return Python objects as numbers, missing ones as NaN."""
    numeric = np.empty(array.shape, dtype=np.float64)
    for index, item in np.ndenumerate(array):
        if isinstance(item, (complex, np.complexfloating)):
            raise ValueError(f"Complex data not supported: {name} holds {brief(item)}")
        if isinstance(item, (str, bytes)):
            # Text never counts as a number. Checks of estimators look for the last words.
            raise TypeError(
                f"{name} must be numeric, found {brief(item)} ({type(item).__name__})"
                f"{_place(index)}; an argument must be no string, but a number: {ADVICE}"
            )
        try:
            numeric[index] = math.nan if is_missing(item) else float(item)
        except OverflowError:
            raise ValueError(f"{name} holds a number beyond float64{_place(index)}") from None
        except (TypeError, ValueError):
            # Its repr may be long, or have an address, which differs in the next run.
            raise TypeError(
                f"{name} must be numeric, found a value of type {type(item).__name__}; an "
                "argument must be no string or other object, but a list or array of numbers"
            ) from None
    return numeric
