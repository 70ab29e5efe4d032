"""Finished rows of a collection, kept on disk so that a killed run loses none.

A text file that is only appended to: the first line says what is computed, every other one holds
the position, the digest and the values of a finished pair, in the order in which they finished.
Each line ends with a check of itself; of several lines of one pair the last one counts.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from array import array
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from anmmm._files import naming
from anmmm.collection.schema import SCHEMA_VERSION, Schema
from anmmm.datasets import Pair

__all__ = ["CHECKPOINT_VERSION", "Checkpoint", "CheckpointError", "count_rows", "digest"]

# Grows when the layout of the file changes.
CHECKPOINT_VERSION = 2

# A source whose content alone is another may share pairs with the one before.
_CONTENT = re.compile(r"source(\.\w+)*\.(size|sha256|pairs)")
# The check of a line stands behind the rest of it, between these two.
_CHECK, _END = b', "', b'"]\n'
_CHECK_DIGITS = 16


class CheckpointError(ValueError):
    """A checkpoint is of another run, damaged, or in use."""


class Checkpoint:
    """Rows of one run on disk; opened for reading what is there and for appending.

    Parameters
    ----------
    path : path-like
        Continued if it exists, otherwise made.
    schema : Schema
        Columns of the rows.
    header : mapping of str to JSON value
        What determines the rows: source, options, seed, version of the package. An ``entropy`` of
        None takes that of the file.

    Attributes
    ----------
    entropy : int
        Seed of the run.
    n_outdated : int
        Rows that `read` found to be of other data than the source holds now.

    Raises
    ------
    CheckpointError
        If the file is of another source, other options or another version (says what differs), is
        no checkpoint, is damaged before the end of its last line, or another run writes to it.
    OSError
        If it cannot be read or written.

    Notes
    -----
    A line that a kill cut short is dropped, as the row was not finished. A file without a row holds
    nothing of a run, so that another one may take it. Where the source is the same but for its
    content, the rows of pairs that did not change are those of this run. Rows of status ``"error"``
    are not taken: such a fault may be the machine's. Floats are written by their ``repr`` and read
    back exactly. The file is handed to the system with every batch of rows, so that they outlive
    the process; `close` also waits for the disk. Memory is 16 bytes a row: the rows stay on disk.
    """

    def __init__(
        self, path: str | os.PathLike[str], schema: Schema, header: Mapping[str, Any]
    ) -> None:
        self.path = Path(path)
        self._schema = schema
        self._values = schema.reader()
        self._has_identity = header.get("source") is not None
        self.n_outdated = 0
        with naming(path):
            # Unbuffered: what was written is with the system, whatever becomes of this process.
            self._file = open(self.path, "a+b", buffering=0)  # noqa: SIM115
        try:
            self._lock()
            self._start(
                {
                    "anmmm_checkpoint": CHECKPOINT_VERSION,
                    "schema": [schema.kind, SCHEMA_VERSION],
                    **_plain(header),
                }
            )
        except BaseException:
            self._file.close()
            raise

    def __len__(self) -> int:
        """Return the number of rows to be taken that were there when the file was opened."""
        return len(self._indices)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def find(self, index: int) -> int | None:
        """Return where the row of a pair stands in the file, or None.

        Parameters
        ----------
        index : int
            Position of the pair in its source.
        """
        at = int(np.searchsorted(self._indices, index))
        if at == len(self._indices) or self._indices[at] != index:
            return None
        return int(self._offsets[at])

    def read(self, offset: int, pair: Pair) -> Any:
        """Return the row of a pair, or None if it was computed from other data.

        Parameters
        ----------
        offset : int
            From `find`.
        pair : Pair
            The pair of this position in the source as it is now.

        Returns
        -------
        record or None

        Raises
        ------
        CheckpointError
            If the row was computed from other data and the source has no identity, so that it may
            be another one altogether.
        """
        self._reader.seek(offset)
        record = json.loads(self._reader.readline())
        if record[1] != digest(pair) and self._has_identity:
            self.n_outdated += 1
            return None
        if record[1] != digest(pair):
            raise CheckpointError(
                f"{self.path}: pair {pair.pair_id!r} at position {record[0]} of the source is not "
                f"the one that was computed ({record[2]!r}); use another checkpoint, or delete it"
            )
        return self._schema.row(record[2:-1])

    def append(self, rows: list[tuple[int, str, Any]]) -> None:
        """Add finished rows.

        Parameters
        ----------
        rows : list of (index, digest, record)

        Raises
        ------
        OSError
            If they cannot be written; the file keeps its whole lines.
        """
        lines = [
            # Without a digest it is the row of no pair, and the pair is computed again.
            _line([index, "" if row.status == "error" else mark, *self._values(row)])
            for index, mark, row in rows
        ]
        self._write(b"".join(lines))

    def close(self) -> None:
        """Close the file, on disk; it stays for the next run."""
        if not self._file.closed:
            with suppress(OSError):
                os.fsync(self._file.fileno())
            self._reader.close()
            self._file.close()

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        with naming(self.path):
            while view:
                view = view[self._file.write(view) :]

    def _lock(self) -> None:
        try:
            fcntl: Any = import_module("fcntl")
        except ImportError:
            # No such locks on this system.
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CheckpointError(
                f"{self.path}: another run is writing to this checkpoint; wait for its end, or "
                f"use another file"
            ) from None
        except OSError:
            # Some network file systems have no locks; a second run is then the user's care.
            return

    def _start(self, header: dict[str, Any]) -> None:
        self._reader = open(self.path, "rb")  # noqa: SIM115
        first = self._reader.readline()
        if first.endswith(b"\n") and self._is_of(first, header):
            self._indices, self._offsets = self._scan(len(first))
        else:
            if not first.endswith(b"\n") and not _line([header]).startswith(first[:20]):
                raise CheckpointError(f"{self.path}: is no checkpoint; use another file")
            # Nothing, a kill in the first line, or another run that had no row yet.
            self._file.truncate(0)
            if header["entropy"] is None:
                header["entropy"] = str(np.random.SeedSequence().entropy)
            self._write(_line([header]))
            self._indices = self._offsets = np.empty(0, dtype=np.int64)
        self.entropy = int(header["entropy"])

    def _is_of(self, line: bytes, header: dict[str, Any]) -> bool:
        found = _header(line)
        if found is None:
            raise CheckpointError(f"{self.path}:1: is no checkpoint; use another file")
        has_rows = self._reader.readline().endswith(b"\n")
        self._reader.seek(len(line))
        version = found["anmmm_checkpoint"]
        if has_rows and version != CHECKPOINT_VERSION:
            raise CheckpointError(
                f"{self.path}:1: is a checkpoint of layout {version}, and this version of anmmm "
                f"reads layout {CHECKPOINT_VERSION}; finish it with the version that wrote it, or "
                f"delete it"
            )
        if has_rows and not _is_whole(line):
            raise CheckpointError(
                f"{self.path}:1: is damaged, so that nothing tells what was computed; delete the "
                f"file"
            )
        if header["entropy"] is None:
            header["entropy"] = found.get("entropy")
        all_differences = dict(_differences(found, header))
        differences = [
            text for name, text in all_differences.items() if not _CONTENT.fullmatch(name)
        ]
        if differences and has_rows:
            raise CheckpointError(
                f"{self.path}: is the checkpoint of another run ({'; '.join(differences)}); use "
                f"the same arguments, or another checkpoint, or delete it"
            )
        return has_rows or not all_differences

    def _scan(self, start: int) -> tuple[Any, Any]:
        indices, offsets, at = array("q"), array("q"), start
        for number, line in enumerate(self._reader, start=2):
            if not line.endswith(b"\n"):
                # Cut short by a kill; new rows are to start a line of their own.
                self._file.truncate(at)
                break
            if not _is_whole(line):
                raise CheckpointError(
                    f"{self.path}:{number}: is damaged; delete this line, and the pair is "
                    f"computed again"
                )
            index, mark = _place(line)
            indices.append(index)
            offsets.append(at if mark else -1)
            at += len(line)
        # Backwards, as the last of several lines counts.
        found, places = np.unique(np.frombuffer(indices, np.int64)[::-1], return_index=True)
        starts = np.frombuffer(offsets, np.int64)[::-1][places]
        return found[starts >= 0], starts[starts >= 0]


def count_rows(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Return how many pairs a checkpoint holds rows of; damaged lines do not count.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    n_finished, n_failed : int
        Rows that another run would take, and those of status ``"error"``, which it tries again.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    # A byte for each position.
    seen = bytearray()
    with open(path, "rb") as file:
        file.readline()
        for line in filter(_is_whole, file):
            index, mark = _place(line)
            seen.extend(bytes(max(0, index + 1 - len(seen))))
            seen[index] = 1 if mark else 2
    return seen.count(1), seen.count(2)


def digest(pair: Pair) -> str:
    """Return a short digest of what a pair's row is computed from.

    Parameters
    ----------
    pair : Pair

    Returns
    -------
    str
        16 hexadecimal digits of its id, its problem, what is carried to the row, and its data.
    """
    carried = (pair.pair_id, pair.problem, pair.truth, pair.weight, pair.group, pair.n_dropped)
    state = hashlib.blake2b(repr(carried).encode("utf-8", "backslashreplace"), digest_size=8)
    for variable in (pair.x, pair.y):
        values = np.asarray(variable)
        state.update(f"{values.dtype.str}{values.shape}".encode())
        if values.dtype.kind in "biufc":
            state.update(values.tobytes())
        else:
            state.update(repr(values.tolist()).encode("utf-8", "backslashreplace"))
        if np.ma.is_masked(variable):
            state.update(np.ma.getmaskarray(variable).tobytes())
    return state.hexdigest()


def _line(record: list[Any]) -> bytes:
    body = json.dumps(record, ensure_ascii=True, default=_scalar).encode().removesuffix(b"]")
    return body + _CHECK + _check(body) + _END


def _is_whole(line: bytes) -> bool:
    """Tell whether a line is, byte for byte, what was written."""
    at = len(line) - len(_CHECK) - _CHECK_DIGITS - len(_END)
    return at >= 0 and line[at:] == _CHECK + _check(line[:at]) + _END


def _check(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECK_DIGITS // 2).hexdigest().encode()


def _place(line: bytes) -> tuple[int, str]:
    """Return position and digest of a whole line."""
    index, mark = line[1:].split(b", ", 2)[:2]
    return int(index), mark.decode().strip('"')


def _header(line: bytes) -> dict[str, Any] | None:
    """Return what the first line of a checkpoint of any layout says; None if it is none."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    # The first layout had an object there and no check.
    if isinstance(found, list) and found:
        found = found[0]
    return found if isinstance(found, dict) and "anmmm_checkpoint" in found else None


def _scalar(value: Any) -> Any:
    """Return NumPy's values as Python's, and what else is no JSON by its repr."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else repr(value)


def _plain(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header as it reads back, so that it can be compared."""
    plain: dict[str, Any] = json.loads(json.dumps(header, default=_scalar))
    return plain


def _differences(found: Any, wanted: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield what differs by its dotted name, and what is said of it."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for key in dict.fromkeys([*found, *wanted]):
            place = f"{name}.{key}" if name else key
            yield from _differences(found.get(key), wanted.get(key), place)
    elif found != wanted:
        yield name, f"{name} was {_short(found)} and is {_short(wanted)}"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
