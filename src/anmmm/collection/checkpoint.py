"""Finished results of a run in an SQLite file, so that a killed run loses none.

The file has one table: a digest of all that a result depends on, and the result as JSON. A run
looks up what it needs; what other runs have stored does no harm. Each result is a transaction; WAL
keeps those of a killed run without waiting for the disk.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import joblib
import numpy as np

from anmmm._typing import StrPath
from anmmm.datasets import Pair

# Marks the file as one of these ("anmm").
APPLICATION_ID = 0x616E6D6D
_SEED = "seed"


class CheckpointError(ValueError):
    """A checkpoint is damaged, in use, or another file."""


class Checkpoint:
    """Results by digest, in a file that only one run may open at a time."""

    def __init__(self, path: StrPath) -> None:
        self.path = Path(path)
        with self._naming_the_file():
            # Threads of joblib look up rows; SQLite has its own locks.
            self._database = sqlite3.connect(
                self.path.absolute(), timeout=0, isolation_level=None, check_same_thread=False
            )
            try:
                self._open()
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
        (fault,) = execute("PRAGMA quick_check(1)").fetchone()
        if fault != "ok":
            raise self.damage(fault)
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = NORMAL")
        execute(f"PRAGMA application_id = {APPLICATION_ID}")
        execute(
            "CREATE TABLE IF NOT EXISTS rows (digest TEXT PRIMARY KEY, content TEXT) WITHOUT ROWID"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __len__(self) -> int:
        with self._naming_the_file():
            query = "SELECT count(*) FROM rows WHERE digest != ?"
            (count,) = self._database.execute(query, (_SEED,)).fetchone()
        return int(count)

    def seed(self, seed: int) -> int:
        """Return the seed of the first run with this file, which is `seed` in a new file."""
        stored = self.find(_SEED)
        if stored is None:
            self.add(_SEED, str(seed))
            return seed
        return int(stored)

    def find(self, digest: str) -> Any:
        """Return the result of a digest, or None."""
        with self._naming_the_file():
            query = "SELECT content FROM rows WHERE digest = ?"
            found = self._database.execute(query, (digest,)).fetchone()
        return None if found is None else self._loaded(digest, found[0])

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield all digests and results."""
        with self._naming_the_file():
            query = "SELECT * FROM rows WHERE digest != ?"
            rows = self._database.execute(query, (_SEED,)).fetchall()
        for digest, content in rows:
            yield digest, self._loaded(digest, content)

    def add(self, digest: str, result: Any) -> None:
        """Add or replace a result."""
        row = digest, json.dumps(result)
        with self._naming_the_file():
            self._database.execute("INSERT OR REPLACE INTO rows VALUES (?, ?)", row)

    def close(self) -> None:
        """Close the file; the next run finds it."""
        self._database.close()

    def damage(self, fault: object) -> CheckpointError:
        """Return the error about damaged content."""
        return CheckpointError(f"{self.path}: is damaged ({fault}); delete it and run again")

    def _loaded(self, digest: str, content: Any) -> Any:
        try:
            return json.loads(content)
        except (TypeError, ValueError, RecursionError):
            raise self.damage(f"the row {digest} is no JSON") from None

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        """Translate errors of SQLite into ones that name the file and the remedy."""
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise CheckpointError(
                    f"{self.path}: another run is writing to this checkpoint; wait for its end, or "
                    "use another file"
                ) from None
            if name == "SQLITE_FULL":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path)) from None
            if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")):
                fault = f"{error}; is the disk full, a limit reached, or the folder protected?"
                raise OSError(errno.EIO, fault, str(self.path)) from None
            raise CheckpointError(
                f"{self.path}: is no checkpoint, or damaged ({error}); use another file, or delete "
                "it and run again"
            ) from None


def count_rows(path: StrPath) -> int:
    """Return the number of finished results in a file."""
    with Checkpoint(path) as checkpoint:
        return len(checkpoint)


def remove_checkpoint(path: StrPath) -> None:
    """Remove the file, and the log of a killed run."""
    for suffix in ("", "-wal"):
        Path(f"{os.fspath(path)}{suffix}").unlink(missing_ok=True)


def pair_digest(run: str, index: int, pair: Pair) -> str:
    """Return a digest of all that the row of a pair depends on; `run`: digest of the options."""
    metadata = (pair.pair_id, pair.names, pair.truth, pair.weight, pair.group)
    parts = (run, index, *metadata, pair.problem, pair.n_dropped)
    variables = [np.asanyarray(variable) for variable in (pair.x, pair.y)]
    return content_hash(parts, *variables, *(pair.others or ()))


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
