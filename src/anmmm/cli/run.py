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

from anmmm._words import counted
from anmmm.cli.fault import CommonFault
from anmmm.cli.input import (
    InputError,
    refuse_input_as_output,
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
from anmmm.cli.source import parse_categories, parse_columns

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
    categories: str | None,
    targets: str | None,
    header: bool | None,
    shard: str | None,
    output: str | None,
    resume: bool,
    timings: bool,
    dask: str | None,
    table: Callable[[Any], Any] | None,
) -> tuple[str | None, Any, list[dict[str, Any]]]:
    """Run a collection from its source to a file, a table, or records.

    ``start(pairs, shard=..., checkpoint=...)`` returns the stream of rows, ``table(ids)`` what has
    ``header()`` and ``line(row)``. Returns what is to be said of the file at the end, the summary,
    and the records where no table was asked for.
    """
    from anmmm._files import remove_leftovers
    from anmmm.collection import as_pairs
    from anmmm.collection.sinks import open_sink
    from anmmm.collection.summary import Summarizer

    part = _parse_shard(shard)
    options = given(
        format=source_format,
        columns=parse_columns(columns),
        categories=parse_categories(categories),
        targets=targets,
        header=header,
    )
    checkpoint, complete = check_output(output, source, targets, source_format, resume)
    if output is not None and complete:
        start, dask = partial(complete_results, output, schema), None
    records: list[dict[str, Any]] = []
    summarizer, fault = Summarizer(), CommonFault()
    with _raising_of_standard_output(), refusing(), saying_warnings(), ExitStack() as stack:
        pairs = as_pairs(source, **options)
        if dask is not None:
            stack.enter_context(_dask(dask))
        # Refuses a checkpoint of another run, which is then left alone and not spoken of.
        results = start(pairs, shard=part, checkpoint=checkpoint)
        stack.enter_context(keeping(checkpoint))
        stack.enter_context(results)
        if resume and not complete:
            n = results.n_resumed
            begun = f"{output}: nothing to resume, so it is begun"
            say(f"{n} finished pairs found in {checkpoint}" if n else begun)
        takers: list[Callable[[Any], None]] = [summarizer.add, fault.add]
        if output is not None and not complete:
            if checkpoint is not None:
                # The checkpoint is locked: no other run writes this file now.
                remove_leftovers(output)
            takers.append(stack.enter_context(open_sink(output, results.schema, timings=timings)))
        lines = None
        if table is None:
            values, names = results.schema.reader(timings=timings), results.schema.columns
            takers.append(lambda row: records.append(dict(zip(names, values(row), strict=True))))
        elif output is None or (results.total or SHORT + 1) <= SHORT:
            lines = table(getattr(pairs, "ids", ()))
            _print(lines.header(), click.echo)
        # The bar comes after the header, and steps aside for each line.
        update, echo = stack.enter_context(_progress(results.total, results.n_resumed))
        if lines is not None:
            takers.append(lambda row: _print(lines.line(row), echo))
        for row in results:
            for take in takers:
                take(row)
            update()
        if not complete:
            fault.refuse(output)
        if results.n_outdated:
            n_same = results.n_resumed - results.n_outdated
            held = f"{n_same} of {results.n_resumed} rows still hold"
            say(f"the source, or anmmm, changed since: {held}")
    summary = summarizer.summary()
    return _closing(output, complete, summary.n_pairs), summary, records


def _closing(output: str | None, complete: bool, n_rows: int) -> str | None:
    """Say what became of the file of results, if there is one."""
    if output is None:
        return None
    if complete:
        return f"{output}: complete, nothing to do ({n_rows} rows of {when_written(output)})"
    return f"{counted(n_rows, 'row')} written to {output}"


def check_output(
    output: str | None,
    source: str,
    targets: str | None,
    source_format: str | None,
    resume: bool,
) -> tuple[str | None, bool]:
    """Refuse what cannot be written to; return the checkpoint, and whether all is done."""
    from anmmm._files import check_writable
    from anmmm.collection.sinks import check_sink, refuse_foreign

    if output is None and resume:
        raise InputError("--resume needs the file that the interrupted run was to write, -o FILE")
    if output is None:
        return None, False
    with refusing():
        check_sink(output)
    refuse_input_as_output(output, source)
    if targets is not None:
        refuse_input_as_output(output, targets)
    _refuse_pair(output, source, source_format)
    with refusing(output):
        checkpoint = checkpoint_of(output, resume=resume)
    if resume and checkpoint is not None and is_complete(output, checkpoint):
        return None, True
    with refusing():
        check_writable(output)
        refuse_foreign(output)
    return checkpoint, False


@contextmanager
def keeping(checkpoint: str | None) -> Iterator[None]:
    """Remove the checkpoint of a run that came to its end; of another, say what it holds."""
    from anmmm._runlog import remove_log

    try:
        yield
    except BaseException:
        if checkpoint is not None:
            tell_of_checkpoint(checkpoint)
        raise
    if checkpoint is not None:
        remove_log(checkpoint)


class _StandardOutputError(Exception):
    """Standard output failed, and no file that could be named."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def _raising_of_standard_output() -> Iterator[None]:
    try:
        yield
    except _StandardOutputError as error:
        raise error.reason from None


def _print(line: str, echo: Callable[[str], None]) -> None:
    try:
        echo(plain(line))
        sys.stdout.flush()
    except OSError as error:
        raise _StandardOutputError(error) from None


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
