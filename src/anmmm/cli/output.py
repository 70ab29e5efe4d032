"""Checks of the files that commands write, and the checkpoint of an interrupted run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from anmmm._files import check_writable, is_replaceable, is_result_file
from anmmm._optional import require
from anmmm.cli.input import input_errors
from anmmm.cli.messages import InputError, say
from anmmm.collection.checkpoint import count_rows, remove_log
from anmmm.collection.sinks import check_sink
from anmmm.datasets.tuebingen import META, is_pair_file

PAGES, PLOTS = (".html", ".htm"), (".png", ".pdf", ".svg")


def check_file(
    path: str, suffixes: Sequence[str], *sources: str | None, force: bool = False
) -> None:
    """Refuse a file that cannot be written, is read, or is no result of an earlier run."""
    if not path.lower().endswith(tuple(suffixes)):
        raise InputError(f"{path}: the name must end in {' or '.join(suffixes)}")
    for source in sources:
        if source is not None:
            refuse_input_as_output(path, source)
    check_overwritable(path, force=force)
    with input_errors():
        check_writable(path)


def check_plot(path: str | None, source: str, *, force: bool) -> None:
    """Refuse a plot that cannot be written, before its content is computed from `source`."""
    if path is None:
        return
    check_file(path, PLOTS, source, force=force)
    with input_errors("--plot"):
        require("matplotlib.figure", "plot", "plots need Matplotlib")


def check_output(
    output: str | None,
    source: str,
    targets: str | None,
    source_format: str | None,
    resume: bool,
    force: bool,
) -> tuple[str | None, bool]:
    """Refuse an unusable output; return the checkpoint, and whether the output is complete."""
    if output is None and resume:
        raise InputError("--resume needs the file that the interrupted run was to write, -o FILE")
    if output is None:
        return None, False
    with input_errors():
        check_sink(output)
    for read in (source, targets):
        if read is not None:
            refuse_input_as_output(output, read)
    _refuse_pair(output, source, source_format)
    with input_errors(output):
        checkpoint = _checkpoint_of(output, resume=resume)
    with input_errors():
        check_overwritable(output, force=force)
        # A file gets its name when it is complete; after that its checkpoint is removed.
        is_there = os.path.isfile(output) and os.path.getsize(output) > 0 and is_result_file(output)
        if resume and checkpoint and is_there and not os.path.exists(checkpoint):
            return None, True
        check_writable(output)
    return checkpoint, False


def _checkpoint_of(output: str, *, resume: bool) -> str | None:
    """Return the name of the checkpoint of an output; None for a pipe or device."""
    if not is_replaceable(output):
        if resume:
            raise InputError(f"{output}: not a regular file, so it cannot be resumed")
        return None
    # A run that writes the same file by a link shall find the same lock.
    checkpoint = f"{os.path.realpath(output) if os.path.islink(output) else output}.checkpoint"
    if not resume and os.path.exists(checkpoint) and any(count_rows(checkpoint)):
        raise InputError(
            f"{checkpoint}: has the finished pairs of an interrupted run; continue it with "
            f"--resume, or delete this file to start again, unless another run is using it"
        )
    return checkpoint


@contextmanager
def remove_on_success(checkpoint: str | None) -> Iterator[None]:
    """Remove the checkpoint if the block succeeds; else report its content."""
    try:
        yield
    except BaseException:
        if checkpoint is not None:
            report_checkpoint(checkpoint)
        raise
    if checkpoint is not None:
        remove_log(checkpoint)


def report_checkpoint(checkpoint: str) -> None:
    """Report the content of an interrupted run's checkpoint; remove it if it is empty."""
    if not os.path.exists(checkpoint):
        say(f"{checkpoint}: was removed during the run, so no pair is kept")
        return
    count, n_failed = count_rows(checkpoint)
    if count > 0:
        noun = "pair is" if count == 1 else "pairs are"
        say(f"{count} finished {noun} kept in {checkpoint}; --resume continues")
    elif n_failed > 0:
        say(f"{checkpoint} is kept; --resume repeats the pairs that ended in an error")
    else:
        remove_log(checkpoint)


def check_overwritable(output: str, *, force: bool) -> None:
    """Refuse to replace a file that is no result of an earlier run, unless forced."""
    with input_errors():
        if not force and not is_result_file(output):
            raise InputError(
                f"{output}: exists, and is no result of an earlier run; write to another file, or "
                "replace it with --force"
            )


def refuse_input_as_output(output: str, source: str) -> None:
    """Refuse to overwrite the input, or a file of the input folder."""
    if source == "-":
        # Standard input may be closed, or not a file.
        with suppress(OSError, ValueError, AttributeError):
            if os.path.samestat(os.stat(output), os.fstat(sys.stdin.fileno())):
                raise InputError(f"{output}: is the input; write to another file")
    elif os.path.exists(output) and os.path.exists(source):
        inside = _is_within(output, source)
        if os.path.samefile(output, source) or (inside and not is_result_file(output)):
            raise InputError(f"{output}: is part of the input; write to another file")


def _refuse_pair(output: str, source: str, source_format: str | None) -> None:
    """Refuse a file that the next run on a plain folder would read as a pair."""
    if not is_pair_file(output) or not _is_within(output, source):
        return
    if source_format == "folder" or not os.path.isfile(os.path.join(source, META)):
        raise InputError(
            f"{output}: the next run would read this file as a pair of the folder; write to "
            f"another folder, or to .jsonl or .parquet"
        )


def _is_within(output: str, source: str) -> bool:
    """Return whether the folder of a file is the source."""
    folder = os.path.dirname(os.path.realpath(output))
    return os.path.isdir(source) and os.path.isdir(folder) and os.path.samefile(folder, source)
