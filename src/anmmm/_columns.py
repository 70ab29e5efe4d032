"""Two variables by the names of columns: ``infer_direction(frame, "age", "crp")``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from numbers import Integral
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from anmmm._arrays import as_narwhals
from anmmm._text import brief, listed
from anmmm._typing import ArrayLike
from anmmm._warning import default_float_errors

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
# A column, or several that are one variable.
Name = str | int | Sequence[str]


class PairFunction(Protocol[P, R]):
    """A function of two variables, or of a frame and two names of its columns."""

    @overload
    def __call__(self, x: ArrayLike, y: ArrayLike, *args: P.args, **options: P.kwargs) -> R: ...
    @overload
    def __call__(self, x: Any, y: Name, name: Name, /, *args: P.args, **options: P.kwargs) -> R: ...


def takes_pairs(function: Callable[Concatenate[ArrayLike, ArrayLike, P], R]) -> PairFunction[P, R]:
    """Have a function of x and y also take a frame and two names, under `default_float_errors`."""

    @wraps(function)
    def checked(*given: Any, **options: Any) -> Any:
        named = [options.pop(name) for name in ("x", "y") if name in options]
        arguments = _two_variables(function.__name__, *given, *named)
        with default_float_errors():
            return function(*arguments, **options)

    return checked


def _two_variables(call: str, x: Any = None, *others: Any) -> list[Any]:
    """Return the arguments of a call, with columns of a frame in place of their names."""
    has_names = bool(others) and _may_name(others[0])
    frame = as_narwhals(x) if has_names or not others else None
    if not hasattr(frame, "columns"):
        frame = None
    if frame is not None and len(others) > 1 and _may_name(others[1]):
        return [_column(frame, others[0]), _column(frame, others[1]), *others[2:]]
    if others and not isinstance(others[0], (str, Integral)):
        return [x, *others]
    if others and frame is None:
        raise TypeError(
            f"y is {brief(others[0])}, but x is no data frame: it is of type {type(x).__name__}; "
            "pass two variables, such as x[:, 0] and x[:, 1], or a frame, such as of "
            "pandas.read_csv, and two names"
        )
    columns = [] if frame is None else frame.columns
    example = f"frame, {columns[0]!r}, {columns[1]!r}" if len(columns) > 1 else "x, y"
    raise TypeError(
        f"{call} needs two variables, such as {call}({example}); for all pairs of columns use "
        "infer_directions(frame, pairs='all') or infer_graph(frame)"
    )


def _may_name(value: Any) -> bool:
    """Return whether a value may name a column, or several."""
    if isinstance(value, (list, tuple)):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, (str, Integral))


def _column(frame: Any, name: Any) -> Any:
    """Return a column as a series of its library, or several as a frame."""
    if isinstance(name, (list, tuple)):
        return frame.select([_column(frame, part).name for part in name]).to_native()
    if name not in frame.columns:
        raise ValueError(f"unknown column {name!r}; the frame has {listed(frame.columns)}")
    column = frame.get_column(name)
    native = column.to_native()
    # Columns of Arrow have no names of their own.
    return native if hasattr(native, "name") else column


def variable_names(x: Any, y: Any) -> tuple[str, str]:
    """Return the names of both variables, if they have some that differ; else x and y.

    If y is None, x is a frame of both columns.
    """
    if y is None:
        columns = [name for name in getattr(x, "columns", ()) if isinstance(name, str) and name]
        first, second = columns if len(columns) == 2 else ("x", "y")
    else:
        first = _variable_name(x, "x")
        second = _variable_name(y, "y")
    return (first, second) if first != second else ("x", "y")


def _variable_name(values: Any, default: str) -> str:
    """Return the name of a Series or of the column of a frame of one, if it is a text."""
    name = getattr(values, "name", None)
    columns = getattr(values, "columns", None)
    if columns is not None and len(columns) == 1:
        name = next(iter(columns))
    return name if isinstance(name, str) and name else default
