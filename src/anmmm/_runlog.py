"""Finished work of a run, on disk so that a killed run loses none: an SQLite database.

A header states what is computed; each row is the position of a finished piece of work, a digest of
its input, and its result as JSON. Rows and header carry a seal of themselves, so that damage that
SQLite does not see is never misread. WAL keeps a killed run's commits, also through a power cut but
for the last seconds, and waits for no disk at each one; on closing, one file is left.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from anmmm._files import naming

# Marks the file as a log of this layout ("anm", 3); the layouts before it were text.
_LAYOUT = 0x616E6D03
_TABLES = """
BEGIN;
PRAGMA application_id = {layout};
CREATE TABLE header (header TEXT, seal TEXT);
CREATE TABLE rows (position INTEGER PRIMARY KEY, digest TEXT, result TEXT, seal TEXT);
COMMIT;
"""


class CheckpointError(ValueError):
    """A checkpoint is of another run, damaged, or in use."""


class RunLog:
    """Rows of one run, at most one for each position; locked while it is open.

    Every row is verified when the log is opened. A row with an empty digest is of work that failed
    and is to be done again.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        # Of the file as it was opened; None where there is none yet.
        self.header: dict[str, Any] | None = None
        self.n_finished = self.n_failed = 0
        # Threads that read the source look up rows while the main one adds some.
        self._lock = Lock()
        with self._explaining():
            self._database = _connected(self.path)
        try:
            with self._explaining():
                self._open()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> RunLog:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def begin(
        self, header: Mapping[str, Any], *, may_differ: re.Pattern[str] | None = None
    ) -> None:
        """Continue the run that this header describes, or begin it where there is no row yet.

        `may_differ` matches the dotted names of entries that need not be equal.
        """
        wanted = json.loads(_json(header))
        if self.n_finished + self.n_failed:
            differences = [
                text
                for name, text in _differences(self.header, wanted)
                if may_differ is None or not may_differ.fullmatch(name)
            ]
            if differences:
                raise CheckpointError(
                    f"{self.path}: is the checkpoint of another run ({'; '.join(differences)}); "
                    f"use the same arguments, or another checkpoint, or delete it"
                )
            return
        self.header, text = wanted, _json(wanted)
        with self._transaction():
            self._database.execute("DELETE FROM header")
            self._database.execute("INSERT INTO header VALUES (?, ?)", (text, _seal(text)))

    def find(self, position: int) -> tuple[str, Any] | None:
        """Return digest and result of finished work, or None."""
        with self._lock, self._explaining():
            # All of them: a cursor that is not at its end would keep the WAL from starting anew.
            rows = self._database.execute(
                "SELECT position, digest, result, seal FROM rows WHERE position = ?", (position,)
            ).fetchall()
        for row in rows:
            self._verify(row)
            if row[1]:
                return row[1], json.loads(row[2])
        return None

    def add(self, rows: Iterable[tuple[int, str, Any]]) -> None:
        """Add rows of position, digest and result, all or none, in place of those there."""
        texts = [(position, digest, _json(result)) for position, digest, result in rows]
        with self._transaction():
            self._database.executemany(
                "INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)",
                [(*row, _seal(*row)) for row in texts],
            )

    def close(self) -> None:
        """Close the file, on disk; it stays for the next run."""
        self._database.close()

    def _open(self) -> None:
        execute = self._database.execute
        (layout,) = execute("PRAGMA application_id").fetchone()
        (is_new,) = execute("SELECT count(*) = 0 FROM sqlite_master").fetchone()
        if layout != _LAYOUT and not is_new:
            raise CheckpointError(f"{self.path}: is no checkpoint, or damaged; use another file")
        # A commit writes whole pages, and most rows are short.
        execute("PRAGMA page_size = 1024")
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = NORMAL")
        if is_new:
            self._database.executescript(_TABLES.format(layout=_LAYOUT))
        (check,) = execute("PRAGMA quick_check(1)").fetchone()
        if check != "ok":
            raise self._damage(check)
        for text, seal in execute("SELECT header, seal FROM header"):
            if seal != _seal(text):
                raise self._damage("nothing tells what was computed")
            self.header = json.loads(text)
        for row in execute("SELECT position, digest, result, seal FROM rows"):
            self._verify(row)
            self.n_finished += bool(row[1])
            self.n_failed += not row[1]
        if self.header is None and self.n_finished + self.n_failed:
            raise self._damage("nothing tells what was computed")

    def _verify(self, row: tuple[int, str, str, str]) -> None:
        if row[3] != _seal(*row[:3]):
            raise self._damage(f"the row of position {row[0]} is not what was written")

    def _damage(self, what: object) -> CheckpointError:
        return CheckpointError(f"{self.path}: is damaged ({what}); delete it, and begin anew")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, self._explaining():
            self._database.execute("BEGIN")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                # SQLite has undone it already where it is the disk that fails.
                with suppress(sqlite3.DatabaseError):
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Raise what SQLite raises as an error that names the file and what to do."""
        try:
            yield
        except UnicodeDecodeError:
            # Words of SQLite about names in the file that are no text any more.
            raise self._damage("a name in it is no text") from None
        except sqlite3.DatabaseError as error:
            # Python itself raises some, such as for text that is no UTF-8.
            kind = getattr(error, "sqlite_errorname", "")
            if kind.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise CheckpointError(
                    f"{self.path}: another run is writing to this checkpoint; wait for its end, or "
                    f"use another file"
                ) from None
            if kind == "SQLITE_FULL":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path)) from None
            if kind.startswith("SQLITE_IOERR"):
                raise OSError(
                    errno.EIO,
                    "cannot be read or written; is the disk full, or a limit reached?",
                    str(self.path),
                ) from None
            if kind.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")):
                # The system knows why. SQLite has no lock on the file that this could take off.
                with naming(self.path):
                    open(self.path, "ab").close()
            if kind == "SQLITE_NOTADB":
                raise self._foreign() from None
            raise self._damage(error) from None

    def _foreign(self) -> CheckpointError:
        with naming(self.path), open(self.path, "rb") as file:
            is_old = file.read(40).lstrip(b"[").startswith(b'{"anmmm_checkpoint"')
        if is_old:
            return CheckpointError(
                f"{self.path}: is a checkpoint of an older version of anmmm; finish it with the "
                f"version that wrote it, or delete it"
            )
        return CheckpointError(f"{self.path}: is no checkpoint, or damaged; use another file")


def _connected(path: Path, options: str = "") -> sqlite3.Connection:
    database = sqlite3.connect(
        f"{path.absolute().as_uri()}{options}",
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
    )
    # WAL then needs no memory that processes share.
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    try:
        database.execute("PRAGMA application_id").fetchone()
    except sqlite3.DatabaseError as error:
        database.close()
        if error.sqlite_errorname != "SQLITE_IOERR_LOCK":
            raise
        # This file system has no locks: a second run is then the user's care.
        return _connected(path, "?nolock=1")
    return database


def remove_log(path: str | os.PathLike[str]) -> None:
    """Remove the file, and what a full disk may have left beside it."""
    for suffix in ("", "-wal"):
        Path(f"{os.fspath(path)}{suffix}").unlink(missing_ok=True)


def _seal(*parts: object) -> str:
    text = "\n".join(map(str, parts))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _plain(value: Any) -> Any:
    """Return NumPy's values as Python's, and what else is no JSON by its repr."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else repr(value)


_json = json.JSONEncoder(default=_plain).encode


def _differences(before: Any, wanted: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the dotted name of each entry that differs, and how."""
    if isinstance(before, dict) and isinstance(wanted, dict):
        for key in dict.fromkeys([*before, *wanted]):
            place = f"{name}.{key}" if name else key
            yield from _differences(before.get(key), wanted.get(key), place)
    elif before != wanted:
        yield name, f"{name} was {_short(before)} and is {_short(wanted)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
