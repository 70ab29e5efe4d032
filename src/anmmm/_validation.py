"""The one place that refuses data, and the checks of numbers and names that others call.

Lists and arrays of any library become finite float64 in C order. Every error names the argument,
names the fault and the remedy; scikit-learn's `check_array` has no name, position and count.
"""

from __future__ import annotations

import math
import numbers
import re
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from anmmm._signals import unless_signal
from anmmm._text import brief, counted, cut
from anmmm._typing import ArrayLike, FloatArray, RandomState
from anmmm._warning import default_float_errors

F = TypeVar("F", bound=Callable[..., Any])

MIN_SAMPLES = 10
# What is wrong with a column of dates, or of durations.
DATES = "holds dates; convert them to numbers first, such as days since the first one"
DURATIONS = "holds durations; convert them to numbers first, such as days"
MISSING = ("raise", "drop")
AS_NAMES = "if its values are mere names, declare it a column of categories"
PLAIN_NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
# Also with thousands separators, blanks among them.
NUMBER = r"[+-]?(\d{1,3}([.,'’_\s]\d{3})+([.,]\d*)?|\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?"
LIMIT = rf"[<>≤≥]=?\s*{NUMBER}"
NO_VALUE = r"(?i:[\W_]+|missing|none|unknown|nil|n\.?a\.?|n\.?d\.?|no data|not available|#nv)"
_WITH_UNIT = rf"([^\w\s+-]|[A-Z]{{3}}\s)?\s*{NUMBER}(\s*[^\d\s]\D{{0,15}})?"
_ADVICE = {
    PLAIN_NUMBER: "convert all values to numbers",
    LIMIT: "write a detection limit as its number, 0.35 for <0.35; equal values are expected",
    _WITH_UNIT: "remove units and thousands separators, and write decimals with a point",
    NO_VALUE: "a missing value is an empty cell, or None in Python",
}
EPS = float(np.finfo(np.float64).eps)
# Range of the middle half of all values, in units of the range, below which rounding shows in them.
FLATTENED = 64.0 * EPS
# Above, the objective itself could overflow.
LARGEST_WEIGHT = 1e100


def as_matrix(
    values: Any, name: str, *, min_samples: int = MIN_SAMPLES, resolved: bool = True
) -> FloatArray:
    """Return one variable as a finite matrix (n_samples, n_features) without a constant column."""
    array = _as_columns(as_real(values, name), name)
    n_samples = len(array)
    if n_samples < min_samples:
        raise ValueError(
            f"{name} has n_samples={n_samples}, but at least {min_samples} observations are needed"
        )
    _refuse_nonfinite(array, name)
    _refuse_columns(array, name, constant_problem)
    if resolved:
        _refuse_columns(array, name, _flattened)
    return np.ascontiguousarray(array, dtype=np.float64)


class MissingValueError(ValueError):
    """A variable lacks values, which an option may allow."""


def as_finite(values: Any, name: str) -> FloatArray:
    """Return an array of any shape as finite float64 in C order."""
    array = as_real(values, name)
    _refuse_nonfinite(array, name)
    return np.ascontiguousarray(array, dtype=np.float64)


def as_matrices(X: ArrayLike | None, Y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check that X and Y are finite matrices of equally many rows; X may be None: no columns."""
    if X is None:
        matrix = as_finite(Y, "Y")
        if matrix.ndim != 2 or not matrix.size:
            raise ValueError(
                "Y must be two-dimensional with a row and a column at least, found shape "
                f"{matrix.shape}"
            )
        return np.empty((len(matrix), 0)), matrix
    check_aligned(X, Y, ("X", "Y"))
    first, second = as_finite(X, "X"), as_finite(Y, "Y")
    matrices = first.ndim == second.ndim == 2 and first.size and second.size
    if not matrices or len(first) != len(second):
        raise ValueError(
            f"X and Y must be two-dimensional with equal numbers of rows and a column at least, "
            f"found shapes {first.shape} and {second.shape}"
        )
    return first, second


def as_pair(
    x: ArrayLike,
    y: ArrayLike,
    *,
    names: tuple[str, str] = ("x", "y"),
    min_samples: int = MIN_SAMPLES,
    resolved: bool = True,
    single: str = "",
) -> tuple[FloatArray, FloatArray]:
    """Check two variables as `as_matrix`, their lengths and, if `single` gives a reason, widths."""
    check_aligned(x, y, names)
    first = as_matrix(x, names[0], min_samples=min_samples, resolved=resolved)
    second = as_matrix(y, names[1], min_samples=min_samples, resolved=resolved)
    check_lengths(first, second, names)
    if single:
        check_single(first, names[0], single)
        check_single(second, names[1], single)
    return first, second


def check_aligned(x: Any, y: Any, names: tuple[str, str] = ("x", "y")) -> None:
    """Refuse series and frames whose indexes have a common label at different positions."""
    indexes: list[Any] = [getattr(values, "index", None) for values in (x, y)]
    if not all(hasattr(index, "isin") for index in indexes):
        return
    first, second = (index[: min(map(len, indexes))] for index in indexes)
    if first.equals(second) or first.nlevels != second.nlevels:
        return
    one, other = first.isin(second), second.isin(first)
    if one.any() and ((one != other).any() or not first[one].equals(second[other])):
        x, y = names
        raise ValueError(
            f"{x} and {y} have the same index labels at different positions; align them first, "
            f"e.g. {x}, {y} = {x}.align({y}, 'inner', axis=0), or pass arrays to pair them by "
            "position"
        )


def check_lengths(x: NDArray[Any], y: NDArray[Any], names: tuple[str, str]) -> None:
    """Refuse variables of unequal length."""
    if len(x) != len(y):
        raise ValueError(
            f"{names[0]} and {names[1]} must have the same number of observations, "
            f"found {len(x)} and {len(y)}"
        )


def check_single(variable: FloatArray, name: str, reason: str) -> FloatArray:
    """Return the one column of a checked variable, or raise "x has 2 columns, but `reason`"."""
    if variable.shape[1] != 1:
        raise ValueError(f"{name} has {counted(variable.shape[1], 'column')}, but {reason}")
    return variable[:, 0]


def all_or_nothing(fit: F) -> F:
    """Return a method ``fit`` that leaves its estimator as it was when it fails."""

    @wraps(fit)
    def fitting(self: Any, *data: Any, **named: Any) -> Any:
        before = dict(vars(self))
        try:
            with default_float_errors():
                return fit(self, *data, **named)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return cast(F, fitting)


def check_fit_input(
    estimator: Any, X: ArrayLike, y: ArrayLike | None, *, pair: bool
) -> tuple[FloatArray, FloatArray]:
    """Check the data of ``fit``, and count and name columns; `pair`: X may hold both."""
    # First, because scikit-learn's own look at the columns takes an array for granted.
    matrix = as_matrix(_as_two_dimensional(X), "X")
    _note_features(estimator, X, reset=True)
    if y is not None:
        check_aligned(X, y, ("X", "y"))
        X, y = as_pair(matrix, y, names=("X", "y"))
        estimator.n_outputs_ = y.shape[1]
        return X, y
    lacks_y = f"{type(estimator).__name__} requires y to be passed, but the target y is None"
    if not pair:
        raise ValueError(lacks_y)
    if matrix.shape[1] != 2:
        raise ValueError(
            f"{lacks_y}: without y, X must have the two columns of the pair, found "
            f"{matrix.shape[1]}"
        )
    estimator.n_outputs_ = 0
    return matrix[:, :1].copy(), matrix[:, 1:].copy()


def check_new_input(
    estimator: Any, X: ArrayLike, y: ArrayLike | None
) -> tuple[FloatArray, FloatArray | None]:
    """Check new observations, of the same columns as in the ``fit`` that `check_fit_input` saw."""
    matrix = as_finite(_as_two_dimensional(X), "X")
    _note_features(estimator, X, reset=False)
    if y is None:
        return matrix, None
    other = _as_columns(as_real(y, "y"), "y")
    if other.shape[1] != estimator.n_outputs_:
        n_outputs = estimator.n_outputs_
        fitted = f"{counted(n_outputs, 'column')} of y" if n_outputs else "the pair in X"
        found = counted(other.shape[1], "column")
        raise ValueError(f"y has {found}, but fit was given {fitted}")
    other = as_finite(other, "y")
    check_aligned(X, y, ("X", "y"))
    check_lengths(matrix, other, ("X", "y"))
    return matrix, other


def as_new_pair(
    x: ArrayLike, y: ArrayLike, n_features: int, n_outputs: int
) -> tuple[FloatArray, FloatArray]:
    """Check new observations of two variables that had so many columns when they were fitted."""
    check_aligned(x, y)
    first = _as_new_columns(x, "x", n_features)
    second = _as_new_columns(y, "y", n_outputs)
    check_lengths(first, second, ("x", "y"))
    return first, second


def as_new_cause(x: ArrayLike, n_features: int) -> FloatArray:
    """Check new observations of a cause that had so many columns when it was fitted."""
    return _as_new_columns(x, "x", n_features)


def _as_new_columns(values: ArrayLike, name: str, width: int) -> FloatArray:
    columns = as_finite(_as_columns(as_real(values, name), name), name)
    if columns.shape[1] != width:
        found = counted(columns.shape[1], "column")
        raise ValueError(f"{name} has {found}, but {width} when it was fitted")
    return columns


def _note_features(estimator: Any, X: ArrayLike, *, reset: bool) -> None:
    # Here, for functions do without scikit-learn, which takes longer to load than all else.
    from sklearn.utils.validation import validate_data

    validate_data(estimator, X, skip_check_array=True, reset=reset)


def check_nonnegative(value: Any, name: str) -> float:
    """Return a number from 0 to 1e100 as float, or refuse it by name."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, found {brief(value)} ({type(value).__name__})")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or number < 0.0:
        raise ValueError(f"{name} must be finite and not negative, found {brief(value)}")
    if number > LARGEST_WEIGHT:
        raise ValueError(f"{name} must be at most {LARGEST_WEIGHT:g}, found {brief(value)}")
    return number


def check_between(value: Any, name: str, low: float, high: float, *, ends: bool = True) -> float:
    """Return a number of a range as float, or refuse it by name; its ends belong to it or not."""
    number = check_nonnegative(value, name)
    if not low <= number <= high or (number in (low, high) and not ends):
        raise ValueError(f"{name} must lie between {low:g} and {high:g}, found {brief(value)}")
    return number


def check_count(value: Any, name: str, *, minimum: int = 1, maximum: int | None = None) -> int:
    """Return a whole number >= `minimum` and <= `maximum` as int, or refuse it by name."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(
            f"{name} must be a whole number, found {brief(value)} ({type(value).__name__})"
        )
    number = int(value)
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, found {brief(number)}")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be at most {maximum}, found {brief(number)}")
    return number


def check_truth(value: Any) -> int | None:
    """Return a true direction: 1, -1, 0, or None if it is unknown (None or NaN)."""
    try:
        number = float("nan" if value is None else value)
    except (TypeError, ValueError):
        number = math.inf
    if math.isnan(number):
        return None
    if number not in (1.0, -1.0, 0.0):
        raise ValueError(
            f"the truth must be 1 (x causes y), -1 (y causes x), 0 (neither) or missing; "
            f"found {brief(value)}"
        )
    return int(number)


def check_choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`, or refuse it with the list."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {listed}; found {brief(value)}")
    return value


def check_flag(value: Any, name: str) -> bool:
    """Return a boolean."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, found {value!r:.60}")
    return bool(value)


def check_rng(random_state: RandomState) -> np.random.Generator:
    """Return a generator for None, a seed, a ``SeedSequence``, ``Generator`` or ``RandomState``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be None, a whole number >= 0, or a NumPy generator; found "
            f"{brief(random_state)}"
        ) from None


def as_real(values: Any, name: str) -> NDArray[Any]:
    """Return values as an array of real numbers, None and its like as NaN."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise TypeError(f"{name} is a sparse matrix; pass a dense array, e.g. {name}.toarray()")
    n_masked = int(np.ma.getmaskarray(values).sum()) if np.ma.isMaskedArray(values) else 0
    if n_masked:
        raise ValueError(
            f"{name} holds {n_masked} masked values; remove or impute those observations"
        )
    if any(map(holds_categories, series_of(values))):
        raise TypeError(
            f"{name} must be numeric, found a column of a category type; pass its codes if the "
            "categories have an order"
        )
    try:
        array = np.asarray(values)
    except unless_signal(ValueError) as error:
        raise ValueError(f"{name} is not a rectangular array of numbers: {error}") from None
    except unless_signal(Exception) as error:
        # Libraries have exceptions of their own, polars for whole numbers of 128 bits.
        raise TypeError(
            f"{name} cannot be converted to an array ({error}); pass numbers, e.g. of type float64"
        ) from None
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has dtype {array.dtype}")
    if array.dtype.kind == "O" or (array.dtype.kind in "US" and array.size):
        # NumPy converts the numbers of a list with texts to text.
        return _from_objects(np.asarray(values, dtype=object), name)
    if array.dtype.kind in "mM":
        raise TypeError(f"{name} {DURATIONS if array.dtype.kind == 'm' else DATES}")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be numeric, found dtype {cut(str(array.dtype))}")
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
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


def _as_columns(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise ValueError(
            f"{name} must have one dimension (n_samples,) or two (n_samples, n_features), "
            f"found {array.ndim}, shape {array.shape}"
        )
    if array.shape[1] == 0:
        raise ValueError(
            f"{name} has 0 feature(s) (shape={array.shape}) while a minimum of 1 is required."
        )
    return array


def _as_two_dimensional(X: ArrayLike) -> NDArray[Any]:
    array = as_real(X, "X")
    if array.ndim != 2:
        raise ValueError(
            f"X must have two dimensions (n_samples, n_features), found shape {array.shape}. "
            f"Reshape your data with X.reshape(-1, 1) if it has a single feature"
        )
    return array


def is_missing(item: Any) -> bool:
    """Return whether an object means a missing value: None, pandas.NA, NaN and their like."""
    nothing = item is None or type(item).__name__ in ("NAType", "NaTType")
    return nothing or (isinstance(item, float) and math.isnan(item))


def _from_objects(array: NDArray[Any], name: str) -> FloatArray:
    numeric = np.empty(array.shape, dtype=np.float64)
    for index, item in np.ndenumerate(array):
        if isinstance(item, (complex, np.complexfloating)):
            raise ValueError(f"Complex data not supported: {name} holds {brief(item)}")
        try:
            # Text never counts as a number.
            if isinstance(item, (str, bytes)):
                raise TypeError
            numeric[index] = np.nan if is_missing(item) else float(item)
        except OverflowError:
            raise ValueError(f"{name} holds a number beyond float64 at position {index}") from None
        except (TypeError, ValueError):
            raise _not_numeric(name, item, index) from None
    return numeric


def _not_numeric(name: str, item: Any, index: tuple[int, ...]) -> TypeError:
    """Return the error over a value of an array, or, without a position, over another object."""
    text = next((kind for kind in (str, bytes) if isinstance(item, kind)), None)
    # The repr of other values may be long, or have an address, which differs in the next run.
    shown = f"{brief(item)} ({text.__name__})" if text else f"a value of type {type(item).__name__}"
    if not index:
        return TypeError(f"{name} must be numeric, found {shown}; pass a list or array of numbers")
    # In words that scikit-learn's checks of estimators know.
    advice = text_advice(str(item), "0, 1, 2, … for ordered levels")
    return TypeError(
        f"{name} must be numeric, found {shown} at position {index}; an argument must be no "
        f"string, but a number ({advice})"
    )


def text_advice(text: str, default: str = AS_NAMES) -> str:
    """Return what to do with a text among numbers."""
    known = (advice for pattern, advice in _ADVICE.items() if re.fullmatch(pattern, text))
    return next(known, default)


def _refuse_nonfinite(array: NDArray[Any], name: str) -> None:
    # Integers and booleans are always finite.
    if array.dtype.kind != "f":
        return
    bad = ~np.isfinite(array)
    if not bad.any():
        return
    counts = {"NaN": int(np.isnan(array).sum()), "infinite": int(np.isinf(array).sum())}
    faults = " and ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    row = int(np.flatnonzero(bad.reshape(len(array), -1).any(axis=1))[0]) if array.ndim else 0
    fault = MissingValueError if counts["NaN"] else ValueError
    raise fault(
        f"{name} holds {faults} values among {array.size}, the first in row {row} "
        "(from 0); remove or impute those observations"
    )


def _refuse_columns(array: NDArray[Any], name: str, fault: Callable[[NDArray[Any]], str]) -> None:
    """Raise the fault of the first column of which `fault` returns a text."""
    for column, values in enumerate(array.T):
        if text := fault(values):
            where = name if array.shape[1] == 1 else f"column {column} of {name}"
            raise ValueError(f"{where} {text}")


def constant_problem(values: NDArray[Any]) -> str:
    """Return a message if all values are equal, or equal up to rounding."""
    smallest, greatest = values.min().item(), values.max().item()
    low, high = float(smallest), float(greatest)
    largest = max(abs(low), abs(high)) or 1.0
    # Halved, so that the range of values near the largest float does not overflow.
    if 2.0 * (0.5 * (high / largest) - 0.5 * (low / largest)) > 32.0 * EPS:
        return ""
    if smallest == greatest:
        return f"is constant (every value is {low:.6g}); a constant has no cause and no effect"
    return (
        f"is constant up to rounding (range {smallest!r} to {greatest!r}); subtract its mean "
        f"before it is rounded to float64"
    )


def _flattened(values: NDArray[Any]) -> str:
    """Return a message if, relative to a few large values, half of the others are rounding."""
    largest = float(np.abs(values).max())
    scaled = np.asarray(values, dtype=np.float64) / largest
    flat = FLATTENED * (scaled.max() - scaled.min())
    quarter = scaled.size // 4
    quartiles = (quarter, len(scaled) - 1 - quarter)
    partitioned = np.partition(scaled, quartiles)
    if partitioned[quartiles[1]] - partitioned[quartiles[0]] > flat:
        return ""
    # If half of the values are equal, only the others are compared.
    distinct = np.unique(scaled)
    quarter = distinct.size // 4
    if not quarter or distinct[-1 - quarter] - distinct[quarter] > flat:
        return ""
    return (
        f"holds values as large as {largest:.6g}, next to which half of its {len(distinct)} "
        f"distinct values are equal up to rounding; remove such values if they are codes for "
        f"missing ones, or pass logarithms"
    )
