"""A collection on the command line: rows to a file or a table, progress to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from typing import Any

import click

from anmmm.cli.fault import CommonFault
from anmmm.cli.input import (
    InputError,
    holds_rows,
    refuse_own_input,
    refusing,
    saying_warnings,
)
from anmmm.cli.options import given, say
from anmmm.cli.output import plain
from anmmm.cli.resume import (
    checkpoint_of,
    complete_results,
    is_complete,
    tell_of_checkpoint,
    when_written,
)
from anmmm.cli.source import parse_columns

__all__ = ["PROGRESS_SECONDS", "run_collection"]

# Between two lines of progress where there is no terminal for a bar.
PROGRESS_SECONDS = 30.0
# For a Dask scheduler to answer.
DASK_SECONDS = 10
# Collections up to this size are shown as a table also where they go to a file.
SHORT = 1000


def run_collection(
    start: Callable[..., Any],
    source: str,
    schema: Any,
    *,
    source_format: str | None,
    columns: tuple[str, ...],
    targets: str | None,
    header: bool | None,
    shard: str | None,
    output: str | None,
    resume: bool,
    timings: bool,
    dask: str | None,
    table: Callable[[Any], Any] | None,
) -> tuple[str | None, Any, list[dict[str, Any]]]:
    """Run a collection from its source to a file, a table, or records."""
    from anmmm._files import check_writable, remove_leftovers
    from anmmm._runlog import remove_log
    from anmmm.collection import as_pairs
    from anmmm.collection.sinks import check_sink, open_sink
    from anmmm.collection.summary import Summarizer

    part = _parse_shard(shard)
    source_options = given(
        format=source_format, columns=parse_columns(columns), targets=targets, header=header
    )
    if output is None and resume:
        raise InputError("--resume needs the file that the interrupted run was to write, -o FILE")
    checkpoint, complete, written = None, False, output
    if output is not None:
        with refusing():
            check_sink(output)
        refuse_own_input(output, source)
        if targets is not None:
            refuse_own_input(output, targets)
        _refuse_pair(output, source, source_format)
        with refusing(output):
            checkpoint = checkpoint_of(output, resume=resume)
        if resume and checkpoint is not None and is_complete(output, checkpoint):
            start = partial(complete_results, output, schema)
            complete, checkpoint, written, dask = True, None, None, None
        else:
            with refusing():
                check_writable(output)
            _refuse_foreign(output)
    records: list[dict[str, Any]] = []
    broken: list[OSError] = []
    summarizer, fault, count, started = Summarizer(), CommonFault(), 0, False
    try:
        with refusing(), saying_warnings(), ExitStack() as stack:
            pairs = as_pairs(source, **source_options)
            if dask is not None:
                stack.enter_context(_dask(dask))
            results = stack.enter_context(start(pairs, shard=part, checkpoint=checkpoint))
            started = True
            if resume and not complete:
                found = f"{results.n_resumed} finished pairs found in {checkpoint}"
                say(found if results.n_resumed else f"{output}: nothing to resume, so it is begun")
            write = None
            if written is not None:
                if checkpoint is not None:
                    # The checkpoint is locked: no other run writes this file now.
                    remove_leftovers(written)
                write = stack.enter_context(open_sink(written, results.schema, timings=timings))
            shown = None
            if table is not None and (output is None or (results.total or SHORT + 1) <= SHORT):
                shown = table(getattr(pairs, "ids", ()))
                with _standard_output(broken):
                    click.echo(plain(shown.header()))
            values = results.schema.reader(timings=timings)
            update, show = stack.enter_context(_progress(results.total, results.n_resumed))
            for row in results:
                summarizer.add(row)
                fault.add(row)
                count += 1
                if write is not None:
                    write(row)
                if table is None:
                    records.append(dict(zip(results.schema.columns, values(row), strict=True)))
                elif shown is not None:
                    with _standard_output(broken):
                        show(plain(shown.line(row)))
                        sys.stdout.flush()
                update()
            if not complete:
                fault.refuse(output)
            if results.n_outdated:
                n_same = results.n_resumed - results.n_outdated
                say(f"the source changed since: {n_same} of {results.n_resumed} rows still hold")
    except BaseException:
        # A file that was refused is left alone.
        if started and checkpoint is not None:
            tell_of_checkpoint(checkpoint)
        if broken:
            raise broken[0] from None
        raise
    if checkpoint is not None:
        # Someone else may have tidied up; the output is complete.
        remove_log(checkpoint)
    closing = None
    if output is not None and complete:
        closing = f"{output}: complete, nothing to do ({count} rows of {when_written(output)})"
    elif output is not None:
        closing = f"{count} rows written to {output}"
    return closing, summarizer.summary(), records


def _refuse_pair(output: str, source: str, source_format: str | None) -> None:
    """Refuse a file that the next walk through a plain folder would take for a pair."""
    from anmmm.datasets.tuebingen import META, is_pair_file

    if not os.path.isdir(source) or not is_pair_file(output):
        return
    described = source_format != "folder" and os.path.isfile(os.path.join(source, META))
    folder = os.path.dirname(os.path.realpath(output))
    if not described and os.path.isdir(folder) and os.path.samefile(folder, source):
        raise InputError(
            f"{output}: in this folder every such file is a pair of the next run; write to "
            f"another folder, or to .jsonl or .parquet"
        )


def _refuse_foreign(output: str) -> None:
    """Refuse to replace a file that is no result of an earlier run."""
    with refusing(output):
        there = os.path.isfile(output) and os.path.getsize(output) > 0
        if there and not holds_rows(output):
            raise InputError(
                f"{output}: exists, and is no result of an earlier run; write to another file, or "
                f"delete it"
            )


@contextmanager
def _standard_output(broken: list[OSError]) -> Iterator[None]:
    """Keep what standard output raises apart from what files raise; its reader is not the file."""
    try:
        yield
    except OSError as error:
        broken.append(error)
        raise


def _parse_shard(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    try:
        number, count = map(int, text.split("/"))
    except ValueError:
        raise InputError(f"--shard must be I/N, such as 2/8, found {text!r}") from None
    if not 1 <= number <= count:
        raise InputError(f"--shard must be I/N with I from 1 to N, found {text!r}")
    return number, count


@contextmanager
def _dask(address: str) -> Iterator[None]:
    import joblib

    try:
        distributed: Any = import_module("dask.distributed")
    except ModuleNotFoundError:
        raise InputError(
            '--dask needs dask.distributed, which is not installed: pip install "anmmm[dask]"'
        ) from None
    try:
        client = distributed.Client(address, timeout=DASK_SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(f"--dask {address}: {error}") from None
    with client, joblib.parallel_config("dask", client=client):
        yield


@contextmanager
def _progress(
    total: int | None, n_resumed: int
) -> Iterator[tuple[Callable[[], None], Callable[[str], None]]]:
    """Count finished pairs: a bar on a terminal, otherwise a line from time to time."""
    from tqdm import tqdm

    common = {"total": total, "unit": "pair", "leave": False, "initial": n_resumed}
    if sys.stderr.isatty():
        bar, show = tqdm(**common), tqdm.write
    else:
        bar = tqdm(
            **common,
            file=_Lines(),
            mininterval=PROGRESS_SECONDS,
            delay=PROGRESS_SECONDS,
            miniters=1,
            bar_format="{n_fmt} pairs, {rate_noinv_fmt}"
            if total is None
            else "{n_fmt} of {total_fmt} pairs, {rate_noinv_fmt}, {remaining} left",
        )
        show = click.echo
    # Rows of a checkpoint come first and are no work of this run.
    to_skip = n_resumed

    def update() -> None:
        nonlocal to_skip
        if to_skip:
            to_skip -= 1
        else:
            bar.update()

    with bar:
        yield update, show


class _Lines:
    """Standard error for a bar that is to be shown line by line."""

    def write(self, text: str) -> None:
        line = text.strip("\r \n")
        if line:
            say(line)

    def flush(self) -> None:
        pass
