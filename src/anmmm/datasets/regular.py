"""Files of a folder, of which a pipe would keep its reader waiting."""

from __future__ import annotations

import errno
import os
from pathlib import Path

__all__ = ["refuse_irregular"]


def refuse_irregular(path: str | os.PathLike[str]) -> None:
    """Refuse a file of a folder that is a pipe, a device, a socket or a link to nothing.

    A pipe that the user names is another matter: there is someone who writes to it.

    Parameters
    ----------
    path : path-like
        What is not there, and folders, are left to whoever opens them.

    Raises
    ------
    OSError
        If it is none of a regular file and a folder.
    """
    there = Path(path)
    if there.is_symlink() and not there.exists():
        raise OSError(errno.EINVAL, "a link to a file that is not there", os.fspath(path))
    if there.exists() and not there.is_file() and not there.is_dir():
        raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))
