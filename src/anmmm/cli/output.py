"""Checks of the files that commands write."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from anmmm._files import check_overwrite, check_writable, is_same
from anmmm.cli.input import input_errors
from anmmm.cli.messages import InputError

PAGES, PLOTS = (".html", ".htm"), (".png", ".pdf", ".svg")
REMEDY = "use --force"


def check_file(
    path: str, suffixes: Sequence[str], *sources: str | None, force: bool = False
) -> None:
    """Refuse a file that cannot be written, is read, or exists."""
    if not path.lower().endswith(tuple(suffixes)):
        raise InputError(f"{path}: the name must end in {' or '.join(suffixes)}")
    for source in sources:
        if source is not None:
            refuse_input_as_output(path, source)
    with input_errors():
        check_overwrite(path, force=force, remedy=REMEDY)
        check_writable(path)


def check_plot(path: str | None, *sources: str | None, force: bool) -> None:
    """Refuse a plot that cannot be written, before its content is computed."""
    if path is None:
        return
    check_file(path, PLOTS, *sources, force=force)
    with input_errors("--plot"):
        # Imported here because it loads slowly.
        from anmmm.plotting import matplotlib_module

        matplotlib_module("figure")


def refuse_input_as_output(output: str, source: str) -> None:
    """Refuse to overwrite the input."""
    if source == "-":
        # Standard input may be closed, or not a file.
        with suppress(OSError, ValueError, AttributeError):
            if os.path.samestat(os.stat(output), os.fstat(sys.stdin.fileno())):
                raise InputError(f"{output}: is the input; write to another file")
    elif is_same(output, source):
        raise InputError(f"{output}: is part of the input; write to another file")


def is_within(output: str, source: str) -> bool:
    """Return whether the folder of a file is the source."""
    folder = os.path.dirname(os.path.realpath(output))
    return os.path.isdir(source) and os.path.isdir(folder) and os.path.samefile(folder, source)
