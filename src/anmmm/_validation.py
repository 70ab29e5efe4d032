"""The one place that refuses data, and the checks of numbers and names that others call.

Every error names the argument, the fault and the remedy. scikit-learn's `check_array` and
`check_scalar` would do a part of it, but take 1.5 seconds to load, longer than a decision.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._arrays import as_real
from anmmm._text import brief, counted
from anmmm._typing import ArrayLike, FloatArray, RandomState

MIN_SAMPLES = 10
MISSING = ("raise", "drop")
EPS = float(np.finfo(np.float64).eps)
# Range of the middle half of all values, in units of the range, below which rounding shows in them.
FLATTENED = 64.0 * EPS
# Above, the objective itself could overflow.
LARGEST_WEIGHT = 1e100


def as_matrix(
    values: Any, name: str, *, min_samples: int = MIN_SAMPLES, resolved: bool = True
) -> FloatArray:
    """Return one variable as a finite matrix (n_samples, n_features) without a constant column."""
    array = as_columns(as_real(values, name), name)
    n_samples = len(array)
    if n_samples < min_samples:
        raise ValueError(
            f"{name} has n_samples={n_samples}, but at least {min_samples} observations are needed"
        )
    _refuse_nonfinite(array, name)
    for column, values in enumerate(array.T):
        problem = constant_problem(values) or (resolved and _rounded_away(values))
        if problem:
            where = name if array.shape[1] == 1 else f"column {column} of {name}"
            raise ValueError(f"{where} {problem}")
    return np.ascontiguousarray(array, dtype=np.float64)


class MissingValueError(ValueError):
    """A variable lacks values, which an option may allow."""


def as_finite(values: Any, name: str) -> FloatArray:
    """Return an array of any shape as finite float64 in C order."""
    array = as_real(values, name)
    _refuse_nonfinite(array, name)
    return np.ascontiguousarray(array, dtype=np.float64)


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
    in_second = first.isin(second)
    in_first = second.isin(first)
    if not in_second.any():
        return
    if (in_second != in_first).any() or not first[in_second].equals(second[in_first]):
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


def _check_type(value: Any, name: str, kind: type, noun: str) -> None:
    """Refuse a value of another type; a boolean is no number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, kind):
        raise TypeError(f"{name} must be {noun}, found {brief(value)} ({type(value).__name__})")


def check_nonnegative(value: Any, name: str) -> float:
    """Return a number from 0 to 1e100 as float, or refuse it by name."""
    _check_type(value, name, numbers.Real, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0.0 <= number < math.inf:
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
    _check_type(value, name, numbers.Integral, "a whole number")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, found {brief(value)}")
    if maximum is not None and value > maximum:
        raise ValueError(f"{name} must be at most {maximum}, found {brief(value)}")
    return int(value)


def check_truth(value: Any) -> int | None:
    """Return a true direction: 1, -1, 0, or None if it is unknown (None or NaN)."""
    # NaN differs from itself.
    if value is None or value != value:
        return None
    # False may mean 0 or -1.
    if isinstance(value, (bool, np.bool_)) or value not in (1, -1, 0):
        raise ValueError(
            f"the truth must be 1 (x causes y), -1 (y causes x), 0 (neither) or missing; "
            f"found {brief(value)}"
        )
    return int(value)


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


def as_columns(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return an array as a matrix (n_samples, n_features) of a column at least."""
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


def _refuse_nonfinite(array: NDArray[Any], name: str) -> None:
    # Integers and booleans are always finite.
    if array.dtype.kind != "f":
        return
    bad = ~np.isfinite(array)
    if not bad.any():
        return
    counts = {"NaN": int(np.isnan(array).sum()), "infinite": int(np.isinf(array).sum())}
    faults = " and ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    row = int(np.argwhere(bad)[0][0]) if array.ndim else 0
    error = MissingValueError if counts["NaN"] else ValueError
    raise error(
        f"{name} holds {faults} values among {array.size}, the first in row {row} "
        "(from 0); remove or impute those observations"
    )


def constant_problem(values: NDArray[Any]) -> str:
    """Return a message if all values are equal, or equal up to rounding."""
    smallest = values.min().item()
    greatest = values.max().item()
    largest = max(abs(float(smallest)), abs(float(greatest))) or 1.0
    # Halved, so that the range of values near the largest float does not overflow.
    if 2.0 * (0.5 * (float(greatest) / largest) - 0.5 * (float(smallest) / largest)) > 32.0 * EPS:
        return ""
    if smallest == greatest:
        found = f"is constant (all values are {smallest!r})"
    else:
        found = f"is constant up to rounding (from {smallest!r} to {greatest!r})"
    return f"{found}; a constant has no cause and no effect"


def _rounded_away(values: NDArray[Any]) -> str:
    """Return a message if, relative to a few large values, half of the others are rounding."""
    largest = float(np.abs(values).max())
    scaled = np.sort(np.asarray(values, dtype=np.float64) / largest)
    flat = FLATTENED * (scaled[-1] - scaled[0])
    quarter = len(scaled) // 4
    if scaled[-1 - quarter] - scaled[quarter] > flat:
        return ""
    # If half of the values are equal, only the others are compared.
    distinct = np.unique(scaled)
    quarter = len(distinct) // 4
    if quarter == 0 or distinct[-1 - quarter] - distinct[quarter] > flat:
        return ""
    return (
        f"holds values as large as {largest:.6g}, next to which half of its {len(distinct)} "
        f"distinct values are equal up to rounding; remove such values if they are codes for "
        f"missing ones, or pass logarithms"
    )
