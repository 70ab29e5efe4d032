"""Tables and records go out to files, each written whole or not at all."""

from __future__ import annotations

import csv
import errno
import json
import math
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

__all__ = ["atomic_writer", "check_writable", "dump_csv", "to_json", "write_csv", "write_json"]


@contextmanager
def atomic_writer(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file that takes its name only when it is complete.

    What is written goes to a temporary file in the same folder, which replaces `path` when the
    block ends and is removed if it ends by an exception. What is no regular file (a pipe,
    ``/dev/null``) is written directly.

    Parameters
    ----------
    path : path-like
    binary : bool
        Whether bytes are written, such as those of a picture.

    Yields
    ------
    text or binary file
        Text is UTF-8, line ends as written.

    Raises
    ------
    OSError
        If the folder or the file cannot be written.
    """
    # A symbolic link stays one; the file it points to is replaced.
    target = Path(os.path.realpath(path))
    kind: dict[str, Any] = {} if binary else {"encoding": "utf-8", "newline": ""}
    suffix = "b" if binary else ""
    if target.exists() and not target.is_file():
        with target.open("w" + suffix, **kind) as file:
            yield file
        return
    temporary = _temporary(target)
    try:
        with temporary.open("x" + suffix, **kind) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise now what writing to `path` would raise after a long computation.

    Parameters
    ----------
    path : path-like
        File to be written later; nothing is left behind.

    Raises
    ------
    OSError
        If it is a folder, or its folder does not exist or refuses new files.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OSError(errno.EISDIR, "this is a folder, not a file to write to", os.fspath(path))
    if target.exists() and not target.is_file():
        return
    if not target.parent.is_dir():
        raise OSError(errno.ENOENT, "no such folder", str(Path(path).parent))
    # Permission bits do not tell of read-only or full disks; trying does.
    temporary = _temporary(target)
    try:
        temporary.open("x").close()
    except OSError as error:
        raise OSError(error.errno, f"cannot write: {error.strerror}", str(path)) from None
    temporary.unlink()


def write_csv(
    path: str | os.PathLike[str], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write records as a CSV file, atomically; see `dump_csv`.

    Parameters
    ----------
    path : path-like
    columns, rows
        See `dump_csv`.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with atomic_writer(path) as file:
        dump_csv(file, columns, rows)


def dump_csv(file: IO[str], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write records as CSV to an open file.

    Parameters
    ----------
    file : text file
    columns : sequence of str
        Header, and order of the cells.
    rows : iterable of mapping
        One record a line, with every column. Floats are written so that they read back exactly;
        None is an empty cell.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_plain(row[column]) for column in columns])


def write_json(path: str | os.PathLike[str], document: Any) -> None:
    """Write one JSON document, atomically; see `to_json`.

    Parameters
    ----------
    path : path-like
    document : Any

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    with atomic_writer(path) as file:
        file.write(to_json(document) + "\n")


def to_json(document: Any) -> str:
    """Return a JSON text that every reader accepts.

    Parameters
    ----------
    document : dict, list, str, number, ndarray or None
        NumPy values become plain ones; NaN and infinities, which JSON lacks, become null.

    Returns
    -------
    str
    """
    return json.dumps(_json_value(document), ensure_ascii=False, allow_nan=False, indent=1)


def _json_value(value: Any) -> Any:
    value = _plain(value)
    if isinstance(value, Mapping):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _plain(value: Any) -> Any:
    """Return a NumPy scalar or array as Python's own, whose repr reads back exactly."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.getpid()}.part")
