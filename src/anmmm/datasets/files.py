"""Shared by sources that read files: fingerprints, and errors about files and ids."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anmmm._signals import unless_signal
from anmmm._tables.errors import SourceError
from anmmm._typing import StrPath


class FromFiles:
    """Base of sources that read files."""

    name: str
    kind: str
    # Empty for a table in memory.
    files: Sequence[Path]
    # Options that the pairs depend on, as plain values.
    options: dict[str, Any]

    def fingerprint(self) -> dict[str, Any]:
        """Return kind, name, size, SHA-256 and options, for checkpoints."""
        contents = [_content(file) for file in self.files]
        return {
            "kind": self.kind,
            # "." has no name.
            "file": Path(self.name).name or Path(self.name).resolve().name,
            "size": sum(size for _, size, _ in contents),
            "sha256": hashlib.sha256(repr(contents).encode()).hexdigest(),
        } | {name: given for name, given in self.options.items() if given is not None}


def _content(path: Path) -> tuple[str, int, str]:
    try:
        refuse_irregular(path)
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            return path.name, size, hashlib.file_digest(file, "sha256").hexdigest()
    except unless_signal(OSError):
        return path.name, 0, "missing"


def refuse_irregular(path: StrPath) -> None:
    """Refuse a pipe, a device or a broken link."""
    there = Path(path)
    if there.is_symlink() and not there.exists():
        raise OSError(errno.EINVAL, "a broken link", os.fspath(path))
    if there.exists() and not there.is_file() and not there.is_dir():
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))


class SeenIds:
    """Refuses duplicate ids; some 200 bytes for each id."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._places: dict[str, str] = {}

    def add(self, pair_id: str, place: str, advice: str = "give every pair its own") -> None:
        """Note an id and its place, e.g. ``"line 7"``."""
        first = self._places.setdefault(pair_id, place)
        if first is not place:
            raise SourceError(
                self._path, place, f"the pair id {pair_id!r} was used in {first} already; {advice}"
            )
