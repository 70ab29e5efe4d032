"""What sources that read files share: a fingerprint, and files and ids that they refuse."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anmmm._hash import content_hash, file_hash
from anmmm._typing import StrPath
from anmmm.datasets.errors import SourceError


class FromFiles:
    """Base of the sources whose pairs come out of files."""

    name: str
    kind: str
    # In order; none for a table in memory.
    files: Sequence[Path]
    # What the caller chose of the content, as plain values.
    options: dict[str, Any]

    def fingerprint(self) -> dict[str, Any]:
        """Return kind, name, size, hash (`file_hash`) and options, for checkpoints."""
        contents = [_content(file) for file in self.files]
        return {
            "kind": self.kind,
            # "." has no name of its own.
            "file": Path(self.name).name or Path(self.name).resolve().name,
            "size": sum(size for _, size, _ in contents),
            "sha256": content_hash(contents),
        } | {name: given for name, given in self.options.items() if given is not None}


def _content(path: Path) -> tuple[str, int, str]:
    try:
        refuse_irregular(path)
        return (path.name, *file_hash(path))
    except OSError:
        return path.name, 0, "missing"


def refuse_irregular(path: StrPath) -> None:
    """Refuse a file of a folder that is a pipe, a device or a link to nothing."""
    there = Path(path)
    if there.is_symlink() and not there.exists():
        raise OSError(errno.EINVAL, "a link to a file that is not there", os.fspath(path))
    if there.exists() and not there.is_file() and not there.is_dir():
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))


class SeenIds:
    """Refuses an id that comes a second time; some 200 bytes for each id seen."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._places: dict[str, str] = {}

    def add(self, pair_id: str, place: str, advice: str = "give every pair its own") -> None:
        """Note an id and where it stands, e.g. ``"line 7"``; every id has another place."""
        first = self._places.setdefault(pair_id, place)
        if first is not place:
            raise SourceError(
                self._path, place, f"the pair id {pair_id!r} was used in {first} already; {advice}"
            )
