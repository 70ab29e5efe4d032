"""Content hashes, in hexadecimal digits."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np

# Files of up to twice this size are hashed whole.
_PART = 1 << 20


def content_hash(*values: Any) -> str:
    """Return the SHA-256 of values: of arrays their numbers and masks, of others their repr."""
    state = hashlib.sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            array = np.asarray(value)
            state.update(f"{array.dtype.str}{array.shape}".encode())
            if np.ma.is_masked(value):
                state.update(np.ma.getmaskarray(value).tobytes())
            # The bytes of objects are addresses.
            value = array.tolist() if array.dtype.hasobject else array.tobytes()
        if not isinstance(value, bytes):
            value = repr(value).encode("utf-8", "backslashreplace")
        state.update(value)
    return state.hexdigest()


def file_hash(path: Path) -> tuple[int, str]:
    """Return the size of a file and a hash of it, above 2 MiB of its first and last MiB."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size <= 2 * _PART:
            content = file.read()
        else:
            content = file.read(_PART)
            file.seek(-_PART, os.SEEK_END)
            content += file.read()
    return size, hashlib.sha256(f"{size}:".encode() + content).hexdigest()
