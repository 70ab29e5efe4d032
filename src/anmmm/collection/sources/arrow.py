"""Arrow's columns as NumPy arrays, and its errors as sentences; PyArrow is imported when used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._optional import pyarrow_module
from anmmm._typing import FloatArray
from anmmm.datasets import SourceError


@contextmanager
def reading(path: str, place: str | None) -> Iterator[None]:
    """Turn what PyArrow raises over broken content into `SourceError`; the system's errors stay."""
    try:
        yield
    except SourceError:
        raise
    except (pyarrow_module().ArrowException, OSError, ValueError) as error:
        # PyArrow speaks of broken pages by OSError, too, but without a number of the system's.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise SourceError(path, place, f"the content is broken ({first})") from error


def is_number(kind: Any) -> bool:
    """Return whether the values of an Arrow type are real numbers."""
    types = pyarrow_module("types")
    tests = (types.is_floating, types.is_integer, types.is_decimal, types.is_boolean)
    return any(test(kind) for test in tests)


def is_list(kind: Any) -> bool:
    """Return whether an Arrow type holds lists in a form that `list_parts` reads."""
    types = pyarrow_module("types")
    return any(test(kind) for test in (types.is_list, types.is_large_list))


def floats(array: Any) -> FloatArray:
    """Return an Arrow array of numbers as float64, NaN for null.

    Shares memory with a float64 array without nulls, read-only.
    """
    double = pyarrow_module().float64()
    if array.type != double:
        # Whole numbers beyond 2^53 are rounded, as NumPy rounds them.
        array = array.cast(double, safe=False)
    values: FloatArray = array.to_numpy(zero_copy_only=False)
    return values


def without_decimals(array: Any) -> Any:
    """Return an Arrow array, of decimals as float64, and any other as it is."""
    decimal = pyarrow_module("types").is_decimal(array.type)
    return array.cast(pyarrow_module().float64()) if decimal else array


def list_parts(array: Any) -> tuple[list[int], FloatArray]:
    """Return where each list of an Arrow array starts, and the end, in the flat values.

    What a null stands over has no meaning.
    """
    starts = array.offsets.to_numpy()
    first, last = int(starts[0]), int(starts[-1])
    values = floats(array.values.slice(first, last - first))
    return (starts - first).tolist(), values


def encoded(array: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """Return an Arrow array as codes, -1 for null, and the value of each, no two the same."""
    if pyarrow_module("types").is_dictionary(array.type):
        # A dictionary from elsewhere may hold a value twice, or null.
        array = array.dictionary_decode()
    array = array.dictionary_encode()
    codes = array.indices.cast(pyarrow_module().int64()).fill_null(-1).to_numpy()
    return codes, array.dictionary.to_pylist()
