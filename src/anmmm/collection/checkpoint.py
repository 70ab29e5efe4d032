"""Finished results of a run in an SQLite file, so that a killed run loses none.

The table `rows` has a digest of all that a result depends on, and the result as JSON. The table
`options` has a digest of each option of a collection. Each result is a transaction; WAL keeps those
of a killed run without waiting for the disk.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import joblib
import numpy as np

from anmmm._text import listed
from anmmm._typing import StrPath
from anmmm.datasets import Pair

# Marks the file as one of these ("anmm").
APPLICATION_ID = 0x616E6D6D
SCHEMA = f"""
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA application_id = {APPLICATION_ID};
CREATE TABLE IF NOT EXISTS rows (digest TEXT PRIMARY KEY, content TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS options (name TEXT PRIMARY KEY, digest TEXT);
"""


class CheckpointError(ValueError):
    """A checkpoint is damaged, in use, of other options, or another file."""


class Checkpoint:
    """Results by digest, in a file that only one run may open at a time.

    `options`: what all results depend on; results of other ones are refused.
    """

    def __init__(self, path: StrPath, options: Mapping[str, Any] | None = None) -> None:
        self.path = Path(path)
        with self._named_errors():
            # Threads of joblib look up rows; SQLite has its own locks.
            self._database = sqlite3.connect(
                self.path, timeout=0, isolation_level=None, check_same_thread=False
            )
            try:
                self._open()
                if options is not None:
                    self._check_options(options)
            except BaseException:
                self._database.close()
                raise

    def _open(self) -> None:
        execute = self._database.execute
        execute("PRAGMA locking_mode = EXCLUSIVE")
        (application,) = execute("PRAGMA application_id").fetchone()
        (n_tables,) = execute("SELECT count(*) FROM sqlite_master").fetchone()
        if n_tables and application != APPLICATION_ID:
            raise CheckpointError(f"{self.path}: is no checkpoint; use another file")
        self._database.executescript(SCHEMA)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Store the options of a collection; refuse rows that were computed with other ones."""
        digests = {name: content_hash(value) for name, value in options.items()}
        stored = dict(self._database.execute("SELECT name, digest FROM options").fetchall())
        names = {**stored, **digests}
        changed = [name for name in names if stored.get(name) != digests.get(name)]
        if stored and changed and len(self):
            raise CheckpointError(
                f"{self.path}: its rows were computed with other options: {listed(changed)}; use "
                "the same ones or another file, or delete it to compute all pairs again"
            )
        if changed:
            self._database.execute("BEGIN")
            self._database.execute("DELETE FROM options")
            self._database.executemany("INSERT INTO options VALUES (?, ?)", digests.items())
            self._database.execute("COMMIT")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __len__(self) -> int:
        with self._named_errors():
            (count,) = self._database.execute("SELECT count(*) FROM rows").fetchone()
        return int(count)

    def find(self, digest: str) -> Any:
        """Return the result of a digest, or None."""
        query = "SELECT content FROM rows WHERE digest = ?"
        with self._named_errors():
            row = self._database.execute(query, (digest,)).fetchone()
        return None if row is None else json.loads(row[0])

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield all digests and results."""
        with self._named_errors():
            rows = self._database.execute("SELECT * FROM rows").fetchall()
        for digest, content in rows:
            yield digest, json.loads(content)

    def add(self, digest: str, result: Any) -> None:
        """Add or replace a result."""
        row = digest, json.dumps(result)
        with self._named_errors():
            self._database.execute("INSERT OR REPLACE INTO rows VALUES (?, ?)", row)

    def close(self) -> None:
        """Close the file; the next run finds it."""
        self._database.close()

    def damage(self, fault: object) -> CheckpointError:
        """Return the error about damaged content."""
        return CheckpointError(f"{self.path}: is damaged ({fault}); delete it and run again")

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Translate errors of SQLite into ones that name the file and the remedy."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorname", "")
            if code.startswith("SQLITE_BUSY"):
                raise CheckpointError(
                    f"{self.path}: another run is writing to this checkpoint; wait for its end, or "
                    "use another file"
                ) from None
            if code.startswith(("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READ")):
                fault = f"{error}; is the disk full, a limit reached, or the folder protected?"
                raise OSError(errno.EIO, fault, str(self.path)) from None
            raise CheckpointError(
                f"{self.path}: is no checkpoint, or damaged ({error}); use another file, or delete "
                "it and run again"
            ) from None


def pair_digest(index: int, pair: Pair) -> str:
    """Return a digest of all that the row of a pair depends on besides the options."""
    metadata = (pair.pair_id, pair.names, pair.truth, pair.weight, pair.group)
    parts = (index, *metadata, pair.problem, pair.n_dropped)
    return content_hash(parts, pair.x, pair.y)


def content_hash(*values: Any) -> str:
    """Return a hash of plain values and arrays, whatever the layout of these in memory."""
    parts = []
    for value in values:
        parts.append(np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value)
    return str(joblib.hash(parts))
