"""Cheap identities of files, by which a checkpoint knows that its source is still the same."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from anmmm.datasets.regular import refuse_irregular

__all__ = ["file_identity", "folder_identity"]

# Up to twice this size a file is hashed whole.
_PART = 1 << 20


def file_identity(path: str | os.PathLike[str], kind: str, **options: Any) -> dict[str, Any]:
    """Return what tells the content of a file from another.

    Parameters
    ----------
    path : path-like
    kind : str
        Kind of source.
    **options
        What chooses among the content; plain values that JSON can hold. None is left out.

    Returns
    -------
    dict
        ``kind``, ``file`` (without its folder), ``size`` in bytes, ``sha256``, and the options.

    Raises
    ------
    OSError
        If the file cannot be read.

    Notes
    -----
    Up to 2 MiB the hash covers the whole file, above that its size, first and last MiB: the cost
    does not grow with the file, but a change of the same length in the middle goes unseen. A
    Parquet file ends with the statistics of all its row groups.
    """
    file = Path(path)
    size, digest = _digest(file)
    given = {key: value for key, value in options.items() if value is not None}
    return {"kind": kind, "file": _name(file), "size": size, "sha256": digest} | given


def folder_identity(
    path: Path, kind: str, files: Iterable[Path], description: Iterable[object]
) -> dict[str, Any]:
    """Return what tells the content of a folder from another.

    Parameters
    ----------
    path : Path
        The folder.
    kind : str
        Kind of source.
    files : iterable of Path
        The files that count, in order. One that cannot be read, or is not regular, counts as
        missing.
    description : iterable
        What is said of them elsewhere; the `repr` is hashed.

    Returns
    -------
    dict
        As `file_identity`, of all files together. O(number of files).
    """
    whole = hashlib.sha256()
    total = 0
    for file, said in zip(files, description, strict=True):
        try:
            refuse_irregular(file)
            size, digest = _digest(file)
        except OSError:
            size, digest = 0, "missing"
        total += size
        whole.update(repr((file.name, digest, said)).encode())
    return {"kind": kind, "file": _name(path), "size": total, "sha256": whole.hexdigest()}


def _name(path: Path) -> str:
    # "." has no name of its own.
    return path.name or path.resolve().name


def _digest(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        content = hashlib.sha256(str(size).encode())
        if size <= 2 * _PART:
            content.update(file.read())
        else:
            content.update(file.read(_PART))
            file.seek(-_PART, os.SEEK_END)
            content.update(file.read())
    return size, content.hexdigest()
