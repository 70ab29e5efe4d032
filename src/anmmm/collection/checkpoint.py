"""Finished rows of a run in an SQLite file, so that a killed run loses none.

The one table has positions, JSON texts and a digest of both, because SQLite does not detect every
flipped bit. Contents are checked as well, as a file from elsewhere may have digests that agree. The
row of position -1 describes the run. WAL keeps the commits of a killed run without waiting for the
disk at each one; closing leaves one file.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Self

import joblib
import numpy as np

from anmmm._files import with_filename
from anmmm._text import brief, counted, cut, valid_utf8
from anmmm._typing import StrPath
from anmmm.collection.schema import DIRECTIONS, Schema
from anmmm.datasets import Pair

# Marks the file as one of these ("anmm").
_APPLICATION = 0x616E6D6D
_HEADER = -1
_TABLE = "CREATE TABLE rows (position INTEGER PRIMARY KEY, content TEXT, digest TEXT)"
# Parts of the header that may differ: a source with other content may share pairs with the old one.
_CONTENT = re.compile(r"source(\.\w+)*\.(size|sha256|pairs)")


class CheckpointError(ValueError):
    """A checkpoint is of another run, damaged, or in use."""


class Checkpoint:
    """Rows of one run, one per position; all are verified on opening, and the file is locked.

    A row with an empty key marks failed work, which is repeated.
    """

    def __init__(self, path: StrPath, schema: Schema = DIRECTIONS) -> None:
        self.path = Path(path)
        self._schema, self._values = schema, schema.reader()
        # None in a new file.
        self.header: dict[str, Any] | None = None
        self.n_finished = self.n_failed = 0
        # Rows whose pair has changed in the source since.
        self.n_outdated = 0
        # Threads that read the source look up rows while the main thread adds some.
        self._lock = Lock()
        self._is_new = not self.path.exists()
        with self._explaining():
            self._database = sqlite3.connect(
                self.path.absolute(), timeout=0, isolation_level=None, check_same_thread=False
            )
        with self._or_nothing(), self._explaining():
            self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
        if self._is_new:
            remove_log(self.path)

    def begin(self, header: Mapping[str, Any]) -> None:
        """Continue the run of this header, or begin it if the file has no row yet."""
        wanted = json.loads(_json(header))
        if self.n_finished + self.n_failed:
            found = _differences(self.header, wanted)
            differences = [text for name, text in found if not _CONTENT.fullmatch(name)]
            if differences:
                self.close()
                raise CheckpointError(
                    f"{self.path}: is the checkpoint of another run ({'; '.join(differences)}); "
                    "use the same arguments, or another checkpoint, or delete it"
                )
            return
        self.header = wanted
        with self._or_nothing():
            self._write([(_HEADER, wanted)])

    def find(self, position: int) -> tuple[str, Any] | None:
        """Return key and result of finished work, or None."""
        with self._lock, self._explaining():
            # Read to the end: an open cursor keeps the WAL from being restarted.
            query = "SELECT * FROM rows WHERE position = ?"
            rows = self._database.execute(query, (position,)).fetchall()
        key, result = self._verified(rows[0]) if rows else ("", None)
        return (key, result) if key else None

    def add(self, rows: Iterable[tuple[int, str, Any]]) -> None:
        """Add or replace rows of position, key and result, all or none."""
        self._write([(position, [key, result]) for position, key, result in rows])
        self._is_new = False

    def close(self) -> None:
        """Close the file; the next run finds it."""
        self._database.close()

    def row(self, index: int, pair: Pair) -> Any:
        """Return the row at this position, or None if there is none for this pair."""
        row = self.find(index)
        if row is None:
            return None
        key, values = row
        try:
            found = self._schema.row(values)
        except (TypeError, ValueError) as error:
            raise self.damage(f"in the row of position {index} {error}") from None
        if key == digest(pair):
            self._check(index, found, pair)
            return found
        if self.header is not None and self.header.get("source") is not None:
            self.n_outdated += 1
            return None
        raise CheckpointError(
            f"{self.path}: pair {pair.pair_id!r} at position {index} of the source is not the "
            f"one that was computed ({found.pair_id!r}); use another checkpoint, or delete it"
        )

    def _check(self, index: int, row: Any, pair: Pair) -> None:
        """Refuse a row that contradicts its pair, or lacks the score of its direction."""
        fault = ""
        for name in ("pair_id", "truth", "weight", "group"):
            found, expected = getattr(row, name), getattr(pair, name)
            if found != (valid_utf8(expected) if isinstance(expected, str) else expected):
                fault = f"{name} is {brief(found)}, but that of the pair is {brief(expected)}"
        if row.n and row.n > len(pair.x):
            fault = f"n is {row.n}, but the pair has {counted(len(pair.x), 'row')}"
        if getattr(row, "direction", None) and row.score is None:
            fault = "score is missing or not finite, but there is a direction"
        if fault:
            raise self.damage(f"in the row of position {index} {fault}")

    def keep(self, index: int, pair: Pair, row: Any) -> None:
        """Store the row of the pair at this position; it is repeated if it is an error."""
        self.add([(index, "" if row.status == "error" else digest(pair), self._values(row))])

    def _open(self) -> None:
        execute = self._database.execute
        # WAL then needs no shared memory.
        execute("PRAGMA locking_mode = EXCLUSIVE")
        (application,) = execute("PRAGMA application_id").fetchone()
        # A view or a trigger of a foreign file would be run.
        tables = execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        if tables and (application, tables) != (_APPLICATION, [("table", "rows", _TABLE)]):
            raise self._foreign()
        # A commit writes whole pages, and most rows are short.
        execute("PRAGMA page_size = 1024")
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = NORMAL")
        if not tables:
            self._database.executescript(
                f"BEGIN; PRAGMA application_id = {_APPLICATION}; {_TABLE}; COMMIT"
            )
        for row in execute("SELECT * FROM rows"):
            content = self._verified(row)
            if row[0] == _HEADER:
                self.header = content
            else:
                self.n_finished += bool(content[0])
                self.n_failed += not content[0]
        if self.header is None and self.n_finished + self.n_failed:
            raise self.damage("the row that describes the run is missing")

    def _write(self, rows: list[tuple[int, Any]]) -> None:
        texts = [(position, _json(content)) for position, content in rows]
        sealed = [(*row, _digest(*row)) for row in texts]
        with self._lock, self._explaining(), self._database:
            self._database.execute("BEGIN")
            self._database.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?, ?)", sealed)

    def _verified(self, row: tuple[int, str, str]) -> Any:
        position, text, written = row
        if written != _digest(position, text):
            raise self.damage(f"the row of position {position} is not as it was written")
        # The writer of a foreign file may have computed the digest as well.
        try:
            content = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            raise self.damage(f"the row of position {position} is no JSON of a run") from None
        if position == _HEADER:
            suits = isinstance(content, dict) and not _is_deep(content)
        else:
            is_pair = isinstance(content, list) and len(content) == 2
            suits = position >= 0 and is_pair and isinstance(content[0], str)
        if not suits or not isinstance(text, str):
            raise self.damage(f"the row of position {position} is not that of a run")
        return content

    def damage(self, fault: object) -> CheckpointError:
        """Return the error about damaged content."""
        return CheckpointError(f"{self.path}: is damaged ({fault}); delete it and run again")

    def _foreign(self) -> CheckpointError:
        return CheckpointError(f"{self.path}: is no checkpoint, or damaged; use another file")

    @contextmanager
    def _or_nothing(self) -> Iterator[None]:
        """Close the file if the block fails; remove it if it is new and the disk is full."""
        try:
            yield
        except BaseException as error:
            self.close()
            # After other errors, the file may be one that another run has just made.
            if self._is_new and isinstance(error, OSError):
                remove_log(self.path)
            raise

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Translate errors of SQLite into ones that name the file and the remedy."""
        try:
            yield
        except UnicodeDecodeError:
            # Raised by sqlite3 over a damaged schema.
            raise self.damage("a name in it is not text") from None
        except sqlite3.DatabaseError as error:
            # sqlite3 itself raises some, without a name.
            kind = getattr(error, "sqlite_errorname", "")
            if kind.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise CheckpointError(
                    f"{self.path}: another run is writing to this checkpoint; wait for its end, or "
                    f"use another file"
                ) from None
            if kind == "SQLITE_FULL":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path)) from None
            if kind.startswith("SQLITE_IOERR"):
                fault = "cannot be locked, read or written; is the disk full, or a limit reached?"
                raise OSError(errno.EIO, fault, str(self.path)) from None
            if kind.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")):
                # Opening it raises the reason of the system. SQLite holds no lock to lose yet.
                with with_filename(self.path):
                    open(self.path, "ab").close()
            raise (self._foreign() if kind == "SQLITE_NOTADB" else self.damage(error)) from None


def count_rows(path: StrPath) -> tuple[int, int]:
    """Return the number of finished rows, and of rows with errors, which are repeated."""
    with Checkpoint(path) as log:
        return log.n_finished, log.n_failed


def remove_log(path: StrPath) -> None:
    """Remove the file, and what a full disk or another program's look may have left beside it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{os.fspath(path)}{suffix}").unlink(missing_ok=True)


def digest(pair: Pair) -> str:
    """Return 16 hexadecimal digits of all that a row depends on."""
    metadata = (pair.pair_id, pair.names, pair.truth, pair.weight, pair.group)
    parts = (*metadata, pair.problem, pair.n_dropped)
    variables = [np.asanyarray(variable) for variable in (pair.x, pair.y)]
    return content_hash(parts, *variables, *(pair.others or ()))[:16]


def content_hash(*values: Any) -> str:
    """Return a hash of plain values and arrays, whatever the layout of these in memory."""
    return str(joblib.hash([_content(value) for value in values]))


def _content(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    mask = np.ma.getmaskarray(value) if np.ma.is_masked(value) else None
    array = np.ascontiguousarray(value)
    # Objects need not be picklable.
    return (repr(array.tolist()) if array.dtype.hasobject else array), mask


def _digest(position: int, content: str) -> str:
    return hashlib.blake2b(f"{position}\n{content}".encode(), digest_size=8).hexdigest()


def _plain(value: Any) -> Any:
    """Return NumPy values as Python's, and other objects as their repr."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else repr(value)


_json = json.JSONEncoder(default=_plain).encode


def _differences(before: Any, wanted: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the dotted name of each entry that differs, and how."""
    if isinstance(before, dict) and isinstance(wanted, dict):
        for key in dict.fromkeys([*before, *wanted]):
            place = f"{name}.{key}" if name else key
            yield from _differences(before.get(key), wanted.get(key), place)
    elif before != wanted:
        was, now = (cut(json.dumps(value), 60) for value in (before, wanted))
        yield name, f"{name} was {was} and is {now}"


def _is_deep(content: Any, most: int = 20) -> bool:
    """Return whether JSON is nested more than `most` deep, which recursive functions refuse."""
    inside = content.values() if isinstance(content, dict) else content
    return isinstance(content, (dict, list)) and (
        most == 0 or any(_is_deep(each, most - 1) for each in inside)
    )
