"""From a file named on the command line to two columns, or to ``file:line: what is wrong``."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

import click
import numpy as np
from numpy.typing import NDArray

from anmmm._record import Record
from anmmm._validation import as_pair
from anmmm.cli.text import readable, shown
from anmmm.collection.sources.records import listed
from anmmm.datasets import SourceError, TableError, TextTable, parse_table, read_table

__all__ = [
    "Columns",
    "InputError",
    "holds_rows",
    "load_columns",
    "refuse_own_input",
    "refusing",
    "saying_warnings",
]

# Options whose arguments of the library have other names, which are no words.
_OPTIONS = {
    "max_samples": "--max-samples",
    "max_seconds_per_pair": "--max-seconds",
    "min_confidence": "--min-confidence",
    "n_jobs": "--jobs",
    "n_mechanisms": "--mechanisms",
    "n_pairs": "--count",
    "n_plots": "--plots",
    "n_resamples": "--resamples",
    "random_state": "--seed",
}
_ARGUMENT = re.compile(rf"\b({'|'.join(_OPTIONS)})\b")
# Words that mean an argument only where a message begins with them.
_WORD = re.compile(r"(lam|criterion|cause|format|columns|targets|header)\b(?=[ =])")


class InputError(click.ClickException):
    """What was given cannot be used: the text alone goes to stderr, exit status 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message without click's prefix, so that it starts with the place."""
        click.echo(shown(self.message), file=file, err=file is None)


@contextmanager
def refusing(place: str = "") -> Iterator[None]:
    """Turn what the library raises on bad input into an `InputError`.

    Parameters
    ----------
    place : str
        File that the input came from, put before errors that do not name one. Errors of arguments
        have none, and name the option.
    """
    prefix = f"{place}: " if place else ""
    try:
        yield
    except OSError as error:
        where = os.fsdecode(error.filename) if error.filename else place or "error"
        raise InputError(f"{where}: {error.strerror or error}") from None
    except TableError as error:
        raise InputError(str(error)) from None
    except MemoryError as error:
        raise InputError(f"{prefix}not enough memory: {error}; see --max-samples") from None
    except (TypeError, ValueError, FloatingPointError) as error:
        # In a file, these may be names of columns.
        named = str(error) if place or isinstance(error, SourceError) else _as_typed(str(error))
        raise InputError(f"{prefix}{named}") from None
    except ImportError as error:
        # The library says so of optional ones; a module that is lost is a fault of the program.
        if isinstance(error, ModuleNotFoundError):
            raise
        raise InputError(f"{prefix}{error}") from None


def _as_typed(message: str) -> str:
    """Return a message of the library with the options in place of its arguments."""
    return _ARGUMENT.sub(lambda found: _OPTIONS[found[0]], _WORD.sub(r"--\1", message, count=1))


@contextmanager
def saying_warnings() -> Iterator[None]:
    """Print the library's own warnings as other messages, without a line of code."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if category is UserWarning:
                click.echo(readable(str(message)), err=True)
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        yield


def refuse_own_input(output: str, source: str) -> None:
    """Refuse to write over what is read: the input file itself, or a file in the input folder.

    Parameters
    ----------
    output : str
        File to be written.
    source : str
        File or folder to be read.

    Raises
    ------
    InputError
        If they are the same, or `output` exists as a file in the folder `source`.
    """
    if not os.path.exists(output) or not os.path.exists(source):
        return
    folder = os.path.dirname(os.path.realpath(output))
    inside = os.path.isdir(source) and os.path.samefile(folder, source)
    if os.path.samefile(output, source) or (inside and not holds_rows(output)):
        raise InputError(f"{output}: is part of the input; write to another file")


def holds_rows(path: str) -> bool:
    """Tell whether a file is the result of an earlier run, which may be replaced.

    Parameters
    ----------
    path : str
    """
    # Every format has a mark of its own: the first column, and in Parquet the metadata at the end.
    if not os.path.isfile(path):
        # Whoever opens a pipe waits, and nothing is replaced.
        return True
    with open(path, "rb") as file:
        start = file.read(20).lstrip(b"{ \n")
        file.seek(max(0, os.path.getsize(path) - 100_000))
        return start.startswith((b"pair_id,", b'"pair_id"')) or (
            start.startswith(b"PAR1") and b"anmmm.kind" in file.read()
        )


@dataclass(frozen=True, eq=False, repr=False)
class Columns(Record):
    """The two columns of a file that are analysed.

    Attributes
    ----------
    x, y : ndarray of shape (n,)
    x_name, y_name : str
        Names of the header, or ``column 1`` and so on.
    lines : ndarray of int, shape (n,)
        Line of each row in the file.
    n_dropped : int
        Rows left out for missing values.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_name: str
    y_name: str
    lines: NDArray[np.intp]
    n_dropped: int


def load_columns(
    file: str, x: str | None, y: str | None, *, drop_missing: bool, header: bool | None = None
) -> Columns:
    """Read the two columns of a file.

    Parameters
    ----------
    file : str
        Path, or ``-`` for standard input.
    x, y : str or None
        Name or number (from 1) of a column; may be left out where the file has but two.
    drop_missing : bool
        Whether rows with a missing value are left out rather than refused.
    header : bool, optional
        Whether the first line names the columns; by default its contents tell.

    Returns
    -------
    Columns

    Raises
    ------
    InputError
        If anything prevents an analysis of the two columns.
    """
    place = "<stdin>" if file == "-" else file
    with refusing(place), saying_warnings():
        if file == "-":
            if sys.stdin is None:
                raise ValueError("standard input is closed; name a file, or pipe a table in")
            table = parse_table(sys.stdin.buffer.read(), place, header=header)
        else:
            table = read_table(file, header=header)
        first, second = _choose(table, x, y)
        values = table.numbers([first, second])
        names = _names(table, first, second)
        lines = np.asarray(table.lines)
        missing = np.isnan(values).any(axis=1)
        if missing.any() and not drop_missing:
            raise _missing(table, values, names)
        infinite = np.flatnonzero(np.isinf(values).any(axis=1))
        if infinite.size:
            name = names[int(np.argmax(np.isinf(values[infinite[0]])))]
            raise TableError(place, int(lines[infinite[0]]), f"the value of {name} is infinite")
        values, lines = values[~missing], lines[~missing]
        # Here rather than in the fit, so that the message has the names of the file.
        as_pair(values[:, 0], values[:, 1], names=names)
    return Columns(values[:, 0], values[:, 1], *names, lines, int(missing.sum()))


def _missing(table: TextTable, values: NDArray[np.float64], names: tuple[str, str]) -> TableError:
    missing = np.isnan(values)
    rows = np.flatnonzero(missing.any(axis=1))
    name = names[int(np.argmax(missing[rows[0]]))]
    count = (
        f"1 row of {len(values)} lacks"
        if len(rows) == 1
        else (f"{len(rows)} rows of {len(values)} lack")
    )
    return TableError(
        table.path,
        table.lines[int(rows[0])],
        f"the value of {name} is missing ({count} one); --drop-missing leaves such rows out",
    )


def _choose(table: TextTable, x: str | None, y: str | None) -> tuple[int, int]:
    if table.n_columns < 2:
        raise TableError(table.path, None, "two columns are needed, found 1")
    first = None if x is None else _find(table, x, "--x")
    second = None if y is None else _find(table, y, "--y")
    if first is None or second is None:
        if table.n_columns > 2:
            raise TableError(
                table.path,
                None,
                f"{table.n_columns} columns; choose two with --x and --y from {_listing(table)}",
            )
        # Two columns: the one that is not chosen is the other.
        first = first if first is not None else 0 if second is None else 1 - second
        second = second if second is not None else 1 - first
    if first == second:
        raise TableError(table.path, None, f"--x and --y are both {table.label(first)}")
    return first, second


def _names(table: TextTable, first: int, second: int) -> tuple[str, str]:
    names = (table.label(first), table.label(second))
    if names[0] == names[1]:
        return f"{names[0]} (column {first + 1})", f"{names[1]} (column {second + 1})"
    return names


def _find(table: TextTable, wanted: str, option: str) -> int:
    matches = [index for index, name in enumerate(table.names or ()) if name == wanted]
    if len(matches) > 1:
        raise TableError(
            table.path,
            None,
            f"{option} {wanted}: {len(matches)} columns have this name; give the number of one",
        )
    if matches:
        return matches[0]
    if wanted.isdecimal() and 1 <= int(wanted) <= table.n_columns:
        return int(wanted) - 1
    raise TableError(
        table.path, None, f"{option} {wanted}: no such column; there are {_listing(table)}"
    )


def _listing(table: TextTable) -> str:
    if table.names is None:
        return f"1 to {table.n_columns}"
    return listed([name or f"{index} (unnamed)" for index, name in enumerate(table.names, 1)])
