"""Two variables by the names of columns: ``infer_direction(frame, "age", "crp")``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import wraps
from numbers import Integral
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from anmmm._text import brief
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
    """Have a function of x and y also take a frame and two names, and explain wrong arguments.

    It is computed under `default_float_errors`.
    """
    code = function.__code__
    n_positional = code.co_argcount

    @wraps(function)
    def checked(*given: Any, **options: Any) -> Any:
        named = [options.pop(name) for name in ("x", "y") if name in options]
        arguments = _two_variables(function.__name__, *given, *named)
        options_by_name = code.co_varnames[n_positional : n_positional + code.co_kwonlyargcount]
        if options_by_name and len(arguments) > n_positional:
            raise TypeError(
                f"{function.__name__} takes two variables, found {len(arguments)} arguments; give "
                f"options by name, such as {options_by_name[0]}={brief(arguments[n_positional])}"
            )
        with default_float_errors():
            return function(*arguments, **options)

    return checked


def _two_variables(call: str, x: Any = None, *more: Any) -> list[Any]:
    """Return the arguments of a call, with columns of a frame in place of their names."""
    if isinstance(x, (str, os.PathLike)):
        raise TypeError(
            f"x is {brief(x)}, which holds no data; read a file first, such as with "
            f"pandas.read_csv, then call {call}(frame, 'a', 'b')"
        )
    frame = None if more and not _may_name(more[0]) else _frame(x)
    if frame is not None and len(more) > 1 and _may_name(more[1]):
        return [_column(frame, more[0]), _column(frame, more[1]), *more[2:]]
    if more and not isinstance(more[0], (str, Integral)):
        return [x, *more]
    if more and frame is None:
        raise TypeError(
            f"y is {brief(more[0])}, but x is no data frame: it is of type {type(x).__name__}; "
            "pass two variables, such as x[:, 0] and x[:, 1], or a frame and two names"
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


def _frame(values: Any) -> Any:
    """Return a data frame as one of narwhals; None for anything else."""
    # Here, because arrays do without it.
    import narwhals.stable.v2 as nw

    frame = nw.from_native(values, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _column(frame: Any, name: Any) -> Any:
    """Return a column as a series of its library, or several as a frame."""
    if isinstance(name, (list, tuple)):
        return frame.select([_column(frame, part).name for part in name]).to_native()
    if name not in frame.columns:
        columns = [*map(str, frame.columns)]
        near = ", ".join(get_close_matches(str(name), columns, 1) or columns[:20])
        raise ValueError(f"unknown column {name!r}; the frame has {near}")
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
        first, second = _variable_name(x, "x"), _variable_name(y, "y")
    return (first, second) if first != second else ("x", "y")


def _variable_name(values: Any, default: str) -> str:
    """Return the name of a Series or of the column of a frame of one, if it is a text."""
    name = getattr(values, "name", None)
    columns = getattr(values, "columns", None)
    if columns is not None and len(columns) == 1:
        name = next(iter(columns))
    return name if isinstance(name, str) and name else default
