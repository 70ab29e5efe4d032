"""Files of text and records, each written whole or not at all."""

from __future__ import annotations

import csv
import errno
import json
import math
import os
import re
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from anmmm._optional import pyarrow_module
from anmmm._typing import StrPath
from anmmm._version import __version__

# Control characters (JSON escapes those below a blank), and marks of the direction of text.
STEERING = "\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_STEERING = re.compile(f"[{STEERING}]")


@contextmanager
def replacing(path: StrPath) -> Iterator[Path]:
    """Yield a file in the same folder that becomes `path` if the block succeeds."""
    # The target of a symbolic link is replaced, not the link.
    target = Path(os.path.realpath(path))
    temporary = _temporary(target)
    try:
        yield temporary
        with with_filename(path):
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def with_filename(path: StrPath) -> Iterator[None]:
    """Raise an `OSError` of the block with this file name, not a temporary one."""
    try:
        yield
    except OSError as error:
        # Arrow has its own text.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(error.errno, reason, os.fspath(path)) from None


@contextmanager
def atomic_writer(path: StrPath, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file that gets its name when it is complete; text is UTF-8."""
    with replacing(path) as temporary:
        with with_filename(path):
            options: dict[str, Any] = {} if binary else {"encoding": "utf-8", "newline": ""}
            file = temporary.open("wb" if binary else "w", **options)
        try:
            yield file
        finally:
            # Here the last error of writing shows, such as a full disk.
            with with_filename(path):
                file.close()


def checked_suffix(path: StrPath, suffixes: Sequence[str]) -> str:
    """Return the suffix of a file; raise if it is none of these, or its library is missing."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in suffixes:
        raise ValueError(f"{os.fspath(path)}: the name must end in {' or '.join(suffixes)}")
    if suffix == ".parquet":
        pyarrow_module()
    return suffix


def check_output(
    path: StrPath, *sources: StrPath | None, force: bool = False, remedy: str = "pass force=True"
) -> None:
    """Raise an `OSError` if a file cannot be written, is a source, or exists and is not empty.

    No file is left behind. `remedy`: how a caller says `force`.
    """
    target = Path(os.path.realpath(path))
    name = os.fspath(path)
    if any(source is not None and target == Path(os.path.realpath(source)) for source in sources):
        raise FileExistsError(errno.EEXIST, "is part of the input; write to another file", name)
    if not force and target.is_file() and target.stat().st_size:
        fault = f"exists; write to another file, or {remedy} to replace it"
        raise FileExistsError(errno.EEXIST, fault, name)
    if target.is_dir():
        raise OSError(errno.EISDIR, "this is a folder, not a file to write to", name)
    if not target.parent.is_dir():
        raise OSError(errno.ENOENT, "no such folder", str(Path(path).parent))
    # Permission bits do not show read-only or full disks.
    temporary = _temporary(target)
    with with_filename(path):
        temporary.open("x").close()
        temporary.unlink()


def dump_csv(file: IO[str], columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write records as CSV to an open file; floats read back exactly, None is an empty cell."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_plain(row[column]) for column in columns])


def records_of(columns: Mapping[str, Iterable[Any]]) -> list[dict[str, Any]]:
    """Return the records of columns of equal length."""
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def write_csv(path: StrPath, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write records as a CSV file, atomically; see `dump_csv`."""
    with atomic_writer(path) as file, with_filename(path):
        dump_csv(file, columns, rows)


def to_json(document: Any, *, line: bool = False) -> str:
    """Return strict JSON; control characters are escaped."""
    text = json.dumps(
        json_value(document), ensure_ascii=False, allow_nan=False, indent=None if line else 1
    )
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_json_document(parts: Mapping[str, Any]) -> str:
    """Return the JSON document that a command prints, with the version."""
    return to_json({**parts, "anmmm_version": __version__})


def json_value(value: Any) -> Any:
    """Return a value of types of JSON: NaN and infinities become None, and other types text."""
    value = _plain(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def _plain(value: Any) -> Any:
    """Return a NumPy scalar or array as Python's own, whose repr reads back exactly."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def _temporary(target: Path) -> Path:
    """Return a file name that no other machine, process or thread makes."""
    return target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
