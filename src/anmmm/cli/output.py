"""The file that a command writes: what it must not replace, and what an earlier run left of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from anmmm._files import check_writable, is_replaceable, is_result_file
from anmmm.cli.input import input_errors
from anmmm.cli.messages import InputError, say
from anmmm.collection.checkpoint import count_rows, remove_log
from anmmm.collection.sinks import check_sink
from anmmm.datasets.tuebingen import META, is_pair_file


def check_output(
    output: str | None,
    source: str,
    targets: str | None,
    source_format: str | None,
    resume: bool,
    force: bool,
) -> tuple[str | None, bool]:
    """Refuse what cannot be written to; return the checkpoint, and whether all is done."""
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
        # Files take their names when they are complete, and their checkpoints go after that.
        is_there = os.path.isfile(output) and os.path.getsize(output) > 0 and is_result_file(output)
        if resume and checkpoint and is_there and not os.path.exists(checkpoint):
            return None, True
        check_writable(output)
    return checkpoint, False


def _checkpoint_of(output: str, *, resume: bool) -> str | None:
    """Return the name of the checkpoint of an output; None where none can be kept."""
    if not is_replaceable(output):
        if resume:
            raise InputError(f"{output}: is no regular file, so there is nothing to resume")
        return None
    # Whoever writes the file under its other name is to meet the same lock.
    checkpoint = f"{os.path.realpath(output) if os.path.islink(output) else output}.checkpoint"
    if not resume and os.path.exists(checkpoint) and any(count_rows(checkpoint)):
        raise InputError(
            f"{checkpoint}: holds the finished pairs of an interrupted run; --resume goes on with "
            f"them, or delete it to start anew, if no other run is at work on it"
        )
    return checkpoint


@contextmanager
def remove_on_success(checkpoint: str | None) -> Iterator[None]:
    """Remove the checkpoint of a run that came to its end; of another, say what it holds."""
    try:
        yield
    except BaseException:
        if checkpoint is not None:
            tell_of_checkpoint(checkpoint)
        raise
    if checkpoint is not None:
        remove_log(checkpoint)


def tell_of_checkpoint(checkpoint: str) -> None:
    """Say what an interrupted run leaves; nothing, if nothing was finished."""
    if not os.path.exists(checkpoint):
        say(f"{checkpoint}: was removed during the run, so nothing is kept")
        return
    count, n_failed = count_rows(checkpoint)
    if count > 0:
        noun = "pair is" if count == 1 else "pairs are"
        say(f"{count} finished {noun} kept in {checkpoint}; --resume goes on")
    elif n_failed > 0:
        say(f"{checkpoint} is kept; --resume tries the pairs again that ended in an error")
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
    """Refuse to write over the input file itself, or over a file of the input folder."""
    if source == "-":
        # Standard input may be closed, or no file.
        with suppress(OSError, ValueError, AttributeError):
            if os.path.samestat(os.stat(output), os.fstat(sys.stdin.fileno())):
                raise InputError(f"{output}: is the input; write to another file")
    elif os.path.exists(output) and os.path.exists(source):
        inside = _is_within(output, source)
        if os.path.samefile(output, source) or (inside and not is_result_file(output)):
            raise InputError(f"{output}: is part of the input; write to another file")


def _refuse_pair(output: str, source: str, source_format: str | None) -> None:
    """Refuse a file that the next walk through a plain folder would take for a pair."""
    if not is_pair_file(output) or not _is_within(output, source):
        return
    if source_format == "folder" or not os.path.isfile(os.path.join(source, META)):
        raise InputError(
            f"{output}: in this folder every such file is a pair of the next run; write to "
            f"another folder, or to .jsonl or .parquet"
        )


def _is_within(output: str, source: str) -> bool:
    """Tell whether a file lies, or would lie, in the folder of a source."""
    folder = os.path.dirname(os.path.realpath(output))
    return os.path.isdir(source) and os.path.isdir(folder) and os.path.samefile(folder, source)
