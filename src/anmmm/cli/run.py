"""A collection on the command line: rows to a file or a table, progress to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click
from tqdm import tqdm

from anmmm._files import (
    check_overwrite,
    check_writable,
    is_replaceable,
    to_json_document,
)
from anmmm._optional import require
from anmmm._text import counted
from anmmm.cli.input import echo_warnings, input_errors
from anmmm.cli.messages import STANDARD_OUTPUT, FaultError, InputError, plain, say
from anmmm.cli.options import given
from anmmm.cli.output import (
    REMEDY,
    check_plot,
    is_within,
    refuse_input_as_output,
)
from anmmm.cli.tables import RowTable
from anmmm.collection import CollectionSummary, LostWorkerError, as_pairs
from anmmm.collection.checkpoint import count_rows, remove_checkpoint
from anmmm.collection.files import check_sink, file_values, row_writer
from anmmm.collection.records import PairResult
from anmmm.collection.results import PairResults
from anmmm.collection.summary import Summarizer
from anmmm.datasets.tuebingen import META, is_pair_file

if TYPE_CHECKING:
    from anmmm.plotting.pairs import PairMap

# Interval of lines of progress without a terminal.
PROGRESS_SECONDS = 30.0
# Time limit of connecting to Dask.
DASK_SECONDS = 10
# Options of `as_pairs`.
_READING = ("pairs", "categories", "header")
# Larger collections are not printed if they are written to a file.
SHORT = 1000


@dataclass(frozen=True)
class CollectionRun:
    """Options of all commands on collections: source of the pairs, output of the rows."""

    source: str
    # Options of `as_pairs`.
    reading: dict[str, Any]
    shard: str | None
    dask: str | None
    output: str | None
    force: bool
    resume: bool
    as_json: bool
    plot: str | None = None

    @classmethod
    def of(cls, source: str, options: dict[str, Any]) -> CollectionRun:
        """Move these options out of those of a command."""
        reading = {name: options.pop(name) for name in _READING}
        names = [field.name for field in fields(cls) if field.name in options]
        return cls(source, reading, **{name: options.pop(name) for name in names})

    def run(
        self,
        function: Callable[..., PairResults[Any]],
        options: dict[str, Any],
        table: type[RowTable],
    ) -> None:
        """Print the rows of a function, called with these options of a command, and a summary."""
        options["missing"] = "drop" if options.pop("drop_missing") else "raise"
        options["shard"] = _parse_shard(self.shard)
        checkpoint, complete = self._check_output()
        if complete:
            say(f"{self.output}: complete, nothing to do")
            return
        check_plot(self.plot, self.source, force=self.force)
        rows: list[Any] = []
        shown: PairMap | None = None
        if self.plot is not None:
            from anmmm.plotting.pairs import PairMap

            shown = PairMap()
        with input_errors(), echo_warnings(), _workers_of(self.dask):
            pairs = as_pairs(self.source, **self.reading)
            if shown is not None and not getattr(pairs, "variables", ()):
                raise InputError(
                    f"{self.source}: a map (--plot) needs the pairs of one table, --pairs all; "
                    "of other pairs write the rows with -o, then use anmmm report"
                )
            # Refuses the checkpoint of another run, which then stays as it is.
            results = function(pairs, checkpoint=checkpoint, **given(**options))
            with remove_on_success(checkpoint), results:
                lines = table(pairs)
                try:
                    summary = self._take(results, lines, rows, shown)
                except LostWorkerError as error:
                    raise FaultError(str(error)) from None
                if self.resume:
                    say(f"{counted(results.n_resumed, 'row')} of an earlier run used")
        if self.plot is not None and shown is not None:
            from anmmm.cli.plots import draw_pairs

            draw_pairs(self.plot, shown)
        if self.as_json:
            document: dict[str, Any] = {"rows": [file_values(row) for row in rows]}
            if results.record is PairResult:
                document["summary"] = summary.to_dict()
            click.echo(to_json_document(document))
        else:
            click.echo("\n" + plain(table.closing(summary)))
        if self.output is not None:
            say(f"{counted(summary.n_pairs, 'row')} written to {self.output}")

    def _check_output(self) -> tuple[str | None, bool]:
        """Refuse an unusable output; return the checkpoint, and whether the output is complete."""
        output = self.output
        if output is None:
            if self.resume:
                raise InputError(
                    "--resume needs the file that the interrupted run was to write, -o FILE"
                )
            return None, False
        with input_errors():
            check_sink(output)
        refuse_input_as_output(output, self.source)
        self._refuse_pair(output)
        with input_errors(output):
            checkpoint = self._checkpoint_of(output)
        with input_errors():
            # A file gets its name when it is complete; after that its checkpoint is removed.
            is_ended = checkpoint is not None and not os.path.exists(checkpoint)
            if self.resume and is_ended and os.path.isfile(output) and os.path.getsize(output):
                return None, True
            check_overwrite(output, force=self.force or self.resume, remedy=REMEDY)
            check_writable(output)
        return checkpoint, False

    def _refuse_pair(self, output: str) -> None:
        """Refuse a file that the next run on a plain folder would read as a pair."""
        if not is_pair_file(output) or not is_within(output, self.source):
            return
        if not os.path.isfile(os.path.join(self.source, META)):
            raise InputError(
                f"{output}: the next run would read this file as a pair of the folder; write to "
                f"another folder, or to .jsonl or .parquet"
            )

    def _checkpoint_of(self, output: str) -> str | None:
        """Return the name of the checkpoint of an output; None for a pipe or device."""
        if not is_replaceable(output):
            if self.resume:
                raise InputError(f"{output}: not a regular file, so it cannot be resumed")
            return None
        # A run that writes the same file by a link shall find the same lock.
        checkpoint = f"{os.path.realpath(output) if os.path.islink(output) else output}.checkpoint"
        if not self.resume and os.path.exists(checkpoint) and count_rows(checkpoint):
            raise InputError(
                f"{checkpoint}: has the finished pairs of an interrupted run; continue it with "
                f"--resume, or delete this file to start again, unless another run is using it"
            )
        return checkpoint

    def _take(
        self,
        results: PairResults[Any],
        table: RowTable,
        rows: list[Any],
        shown: PairMap | None,
    ) -> CollectionSummary:
        """Write, print or collect each row; return the summary."""
        prints = self._prints(results)
        summarizer, error = Summarizer(), ""
        sink: AbstractContextManager[Callable[[Any], None]] = nullcontext(lambda row: None)
        if self.output is not None:
            sink = row_writer(self.output, results.record, force=True)
        with sink as write, _progress(results) as bar:
            if prints:
                _print(bar, table.header())
            for row in results:
                summarizer.add(row)
                if row.status == "error":
                    error = row.notes
                write(row)
                if self.as_json:
                    rows.append(row)
                if shown is not None:
                    shown.add(row)
                if prints:
                    _print(bar, table.line(row))
                bar.update()
            self._refuse_fault(summarizer, error)
        return summarizer.summary()

    def _prints(self, results: PairResults[Any]) -> bool:
        """Return whether rows are printed as a table."""
        is_short = self.output is None or (results.total or SHORT + 1) <= SHORT
        return is_short and not self.as_json

    def _refuse_fault(self, summarizer: Summarizer, error: str) -> None:
        """Raise if pairs ended in errors and none in a result: the machine is at fault."""
        counts = summarizer.statuses
        n_failed, n_pairs = counts["error"], counts.total()
        # A single failed pair may be the cause itself.
        if n_failed + counts["unusable"] < n_pairs or n_failed < min(2, max(1, n_pairs)):
            return
        written = "" if self.output is None else f"; {self.output} is not written"
        failed = f"{counted(n_failed, 'pair')} ended in an error and none in a result"
        raise FaultError(f"{failed}, the last in {error}{written}")


def _print(bar: tqdm[Any], line: str) -> None:
    """Print a line above the bar; errors of standard output name it."""
    try:
        bar.write(plain(line))
        sys.stdout.flush()
    except OSError as error:
        error.filename = STANDARD_OUTPUT
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
def _workers_of(address: str | None) -> Iterator[None]:
    """Compute on the Dask cluster of this address, if there is one."""
    if address is None:
        yield
        return
    import joblib

    distributed = require("dask.distributed", "dask", "--dask needs dask.distributed")
    try:
        client = distributed.Client(address, timeout=DASK_SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(f"--dask {address}: {error}") from None
    with client, joblib.parallel_config("dask", client=client):
        yield


def _progress(results: PairResults[Any]) -> tqdm[Any]:
    """Return a bar of finished pairs on a terminal, otherwise lines from time to time."""
    common = {"total": results.total, "unit": "pair", "leave": False}
    if sys.stderr.isatty():
        return tqdm(**common)
    left = "{n_fmt} of {total_fmt} pairs, {rate_noinv_fmt}, {remaining} left"
    return tqdm(
        **common,
        file=_Lines(),
        mininterval=PROGRESS_SECONDS,
        delay=PROGRESS_SECONDS,
        miniters=1,
        bar_format="{n_fmt} pairs, {rate_noinv_fmt}" if results.total is None else left,
    )


class _Lines:
    """Standard error for a bar that is shown line by line."""

    def write(self, text: str) -> None:
        line = text.strip("\r \n")
        if line:
            say(line)

    def flush(self) -> None:
        pass


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
        remove_checkpoint(checkpoint)


def report_checkpoint(checkpoint: str) -> None:
    """Report the content of an interrupted run's checkpoint; remove it if it is empty."""
    if not os.path.exists(checkpoint):
        say(f"{checkpoint}: was removed during the run, so no pair is kept")
        return
    count = count_rows(checkpoint)
    if count > 0:
        noun = "pair is" if count == 1 else "pairs are"
        say(f"{count} finished {noun} kept in {checkpoint}; --resume continues")
    else:
        remove_checkpoint(checkpoint)
