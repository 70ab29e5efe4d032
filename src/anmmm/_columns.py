"""Two variables by the names of columns: ``infer_direction(frame, "age", "crp")``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import wraps
from numbers import Integral
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

import numpy as np

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
        if len(arguments) > n_positional:
            extra = arguments[n_positional]
            problem = f"{function.__name__} takes two variables, found {len(arguments)} arguments"
            if code.co_kwonlyargcount:
                value = brief(extra) if isinstance(extra, str) else "..."
                option = code.co_varnames[n_positional]
                problem += f"; give options by name, such as {option}={value}"
            raise TypeError(problem)
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
    names = more[:2]
    if names and not _may_name(names[0]):
        return [x, *more]
    frame = _frame(x)
    columns = [] if frame is None else frame.columns
    if names and isinstance(names[0], (list, tuple)):
        is_column_list = len(names) == 2 or {*names[0]} <= {*columns}
        if frame is None or not is_column_list:
            # Texts of y.
            return [x, *more]
    if names and frame is None:
        raise TypeError(
            f"y is {brief(names[0])}, but x is no data frame: it is of type {type(x).__name__}; "
            "pass two variables, such as x[:, 0] and x[:, 1], or a frame and two names"
        )
    has_third = len(more) > 2 and isinstance(more[2], str) and more[2] in columns
    if len(names) < 2 or not _may_name(names[1]) or has_third:
        example = "x[:, 0], x[:, 1]" if isinstance(x, np.ndarray) and x.ndim == 2 else "x, y"
        if len(columns) > 1:
            example = f"frame, {columns[0]!r}, {columns[1]!r}"
        raise TypeError(
            f"{call} needs two variables, such as {call}({example}); for all pairs of columns use "
            "infer_directions(frame, columns='all') or infer_graph(frame)"
        )
    return [*(_column(frame, name) for name in names), *more[2:]]


def _may_name(value: Any) -> bool:
    """Return whether a value may name a column, or several."""
    if isinstance(value, (list, tuple)):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, (str, Integral))


def _frame(values: Any) -> Any:
    """Return a data frame as one of narwhals; None for anything else."""
    if values is None or isinstance(values, (list, tuple, np.ndarray)):
        return None
    # Here, because arrays do without it.
    import narwhals.stable.v2 as nw

    try:
        frame: Any = nw.from_native(values, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        found = " ".join(str(error).split())
        raise ValueError(f"columns of x have the same name; rename them ({found})") from None
    return frame if isinstance(frame, nw.DataFrame) else None


def _column(frame: Any, name: Any) -> Any:
    """Return a column as a series of its library, or several as a frame."""
    names = [name] if isinstance(name, (str, Integral)) else list(name)
    for wanted in names:
        if wanted not in frame.columns:
            columns = [*map(str, frame.columns)]
            near = ", ".join(get_close_matches(str(wanted), columns, 1) or columns[:20])
            raise ValueError(f"unknown column {wanted!r}; the frame has {near}")
    if name not in frame.columns:
        return frame.select(names).to_native()
    column = frame.get_column(name)
    native = column.to_native()
    # Columns of Arrow have no names of their own.
    return native if hasattr(native, "name") else column
