"""A collection on the command line: rows to a file or a table, progress to standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import click

from anmmm._files import check_overwrite, check_writable, is_replaceable, to_json_document
from anmmm._text import Table, counted, cut, hypotheses, printable
from anmmm.cli.input import echo_warnings, input_errors
from anmmm.cli.messages import STANDARD_OUTPUT, FaultError, InputError, plain, say
from anmmm.cli.options import given
from anmmm.cli.output import REMEDY, check_plot, refuse_input_as_output, write_plot
from anmmm.collection import CollectionSummary, LostWorkerError, as_pairs, summarize
from anmmm.collection.checkpoint import count_rows, remove_checkpoint
from anmmm.collection.files import check_sink, file_values, row_writer
from anmmm.collection.records import PairClusters, PairResult
from anmmm.collection.results import PairResults
from anmmm.datasets.tuebingen import META, is_pair_file
from anmmm.direction.outcome import INDEPENDENT, format_confidence, format_decision, is_decided

# Seconds between lines of progress without a terminal.
PROGRESS_SECONDS = 30.0
# Larger collections are not printed if they are written to a file.
SHORT = 1000
# Letters of an id or a name in a table.
LONGEST = 60


def run_collection(
    function: Callable[..., PairResults[Any]],
    source: str,
    *,
    output: str | None,
    force: bool,
    resume: bool,
    as_json: bool,
    plot: str | None = None,
    pairs: Any,
    categories: Any,
    header: bool | None,
    **options: Any,
) -> None:
    """Call a function on the pairs of a source; write or print its rows, and print a summary."""
    checkpoint, is_complete = _check_output(output, source, force=force, resume=resume)
    if is_complete:
        say(f"{output}: complete, nothing to do")
        return
    check_plot(plot, source, force=force)
    with input_errors(), echo_warnings():
        opened = as_pairs(source, pairs=pairs, categories=categories, header=header)
        if plot is not None and not getattr(opened, "variables", ()):
            raise InputError(
                f"{source}: a map (--plot) needs the pairs of one table, --pairs all; "
                "of other pairs write the rows with -o, then use anmmm report"
            )
        is_terminal = sys.stderr.isatty()
        # Refuses the checkpoint of another run, which then stays as it is.
        results = function(opened, checkpoint=checkpoint, progress=is_terminal, **given(options))
        is_printed = output is None or as_json or (results.total or SHORT + 1) <= SHORT
        shown: list[Any] = []
        mapped: list[Any] = []
        errors: list[str] = []
        with _remove_on_success(checkpoint), results, _writer(output, results) as write:

            def handled() -> Iterator[Any]:
                """Yield the rows after they are written, and keep those that are shown."""
                names: set[str] = set()
                said = time.monotonic()
                for count, row in enumerate(results, start=1):
                    write(row)
                    if is_printed:
                        shown.append(row)
                    # A map does not need each independent pair.
                    if plot and (row.relation != INDEPENDENT or not {row.x, row.y} <= names):
                        mapped.append(row)
                        names.update((row.x, row.y))
                    if not is_terminal and time.monotonic() - said > PROGRESS_SECONDS:
                        said = time.monotonic()
                        say(f"{count} of {results.total or '?'} pairs")
                    if row.status == "error" and not errors:
                        errors.append(row.notes)
                    yield row

            try:
                summary = summarize(handled())
            except LostWorkerError as error:
                raise FaultError(str(error)) from None
            _refuse_faults(summary, errors, output)
        if resume:
            say(f"{counted(results.n_resumed, 'row')} of an earlier run used")
    if plot is not None:
        from anmmm.plotting import plot_pairs

        write_plot(plot, lambda: plot_pairs(mapped))
    if as_json:
        document = {"rows": [file_values(row) for row in shown], "summary": summary.to_dict()}
        click.echo(to_json_document(document))
    else:
        _print([*_lines(shown), "", *str(summary).splitlines()])
    if output is not None:
        say(f"{counted(summary.n_pairs, 'row')} written to {output}")


def _writer(output: str | None, results: PairResults[Any]) -> AbstractContextManager[Any]:
    """Return a context with a function that writes a row to the output, if there is one."""
    if output is None:
        return nullcontext(lambda row: None)
    return row_writer(output, results.record, force=True)


def _lines(rows: list[Any]) -> list[str]:
    """Return the table of rows."""
    if not rows:
        return []
    heads = {"pair": "<4", "n": ">1"}
    if isinstance(rows[0], PairClusters):
        heads |= {"cause": "<5", "sizes of mechanisms": "<19"}
    else:
        heads |= {"relation": "<8", "score": ">5", "confidence": ">10"}
        if any(row.truth is not None for row in rows):
            heads["truth"] = "^5"
    heads["notes"] = "<1"
    cells = []
    for row in rows:
        values = {"pair": cut(printable(row.pair_id), LONGEST), "n": f"{row.n or '—'}"}
        values |= _direction_cells(row) if isinstance(row, PairResult) else _cluster_cells(row)
        cells.append([values[head] for head in heads])
    return Table(heads).lines(cells)


def _direction_cells(row: PairResult) -> dict[str, str]:
    """Return relation, score, confidence, whether they are right, and the notes."""
    notes = row.notes
    if row.status != "ok":
        notes = f"{row.status}: {row.notes}"
    elif (row.n_mechanisms or 1) > 1:
        notes = "; ".join(filter(None, [f"{row.n_mechanisms} mechanisms", row.notes]))
    decision = "—"
    if row.status == "ok":
        decision = format_decision(row, hypotheses(row.x, row.y))
    # An undecided pair is neither right nor wrong.
    is_right = row.is_right if is_decided(row) else None
    truth = {True: "✓", False: "✗", None: ""}[is_right]
    return {
        "relation": cut(printable(decision), LONGEST),
        "score": "—" if row.score is None else f"{row.score:+.3f}",
        "confidence": format_confidence(row.confidence) if row.direction else "",
        "truth": truth,
        "notes": printable(notes),
    }


def _cluster_cells(row: PairClusters) -> dict[str, str]:
    """Return the cause, the sizes of its mechanisms, and the notes."""
    notes = row.notes if row.status == "ok" else f"{row.status}: {row.notes}"
    return {
        "cause": cut(printable(row.cause or "—"), LONGEST),
        "sizes of mechanisms": "—" if row.sizes is None else " ".join(map(str, row.sizes)),
        "notes": printable(notes),
    }


def _print(lines: list[str]) -> None:
    """Print lines; errors of standard output name it."""
    try:
        click.echo(plain("\n".join(lines)))
        sys.stdout.flush()
    except OSError as error:
        error.filename = STANDARD_OUTPUT
        raise


def _check_output(
    output: str | None, source: str, *, force: bool, resume: bool
) -> tuple[str | None, bool]:
    """Refuse an unusable output; return the checkpoint, and whether the output is complete."""
    if output is None:
        if resume:
            raise InputError(
                "--resume needs the file that the interrupted run was to write, -o FILE"
            )
        return None, False
    with input_errors():
        check_sink(output)
    refuse_input_as_output(output, source)
    _refuse_pair(output, source)
    with input_errors(output):
        checkpoint = _checkpoint_of(output, resume=resume)
    with input_errors():
        # A file gets its name when it is complete; after that its checkpoint is removed.
        is_ended = checkpoint is not None and not os.path.exists(checkpoint)
        if resume and is_ended and os.path.isfile(output) and os.path.getsize(output):
            return None, True
        check_overwrite(output, force=force or resume, remedy=REMEDY)
        check_writable(output)
    return checkpoint, False


def _refuse_pair(output: str, source: str) -> None:
    """Refuse a file that the next run on a plain folder would read as a pair."""
    folder = os.path.dirname(os.path.realpath(output))
    is_read = is_pair_file(output) and os.path.realpath(source) == folder
    if is_read and not os.path.isfile(os.path.join(source, META)):
        raise InputError(
            f"{output}: the next run would read this file as a pair of the folder; write to "
            f"another folder, or to .jsonl or .parquet"
        )


def _checkpoint_of(output: str, *, resume: bool) -> str | None:
    """Return the name of the checkpoint of an output; None for a pipe or device."""
    if not is_replaceable(output):
        if resume:
            raise InputError(f"{output}: not a regular file, so it cannot be resumed")
        return None
    # A run that writes the same file by a link shall find the same lock.
    checkpoint = f"{os.path.realpath(output) if os.path.islink(output) else output}.checkpoint"
    if not resume and os.path.exists(checkpoint) and count_rows(checkpoint):
        raise InputError(
            f"{checkpoint}: has the finished pairs of an interrupted run; continue it with "
            f"--resume, or delete this file to start again, unless another run is using it"
        )
    return checkpoint


def _refuse_faults(summary: CollectionSummary, errors: list[str], output: str | None) -> None:
    """Raise if pairs ended in errors and none in a result: the machine is at fault."""
    n_failed = summary.n_error
    # A single failed pair may be the cause itself.
    if n_failed + summary.n_unusable < summary.n_pairs or n_failed < min(2, summary.n_pairs or 1):
        return
    written = "" if output is None else f"; {output} is not written"
    failed = f"{counted(n_failed, 'pair')} ended in an error and none in a result"
    raise FaultError(f"{failed}, the first in {errors[0]}{written}")


@contextmanager
def _remove_on_success(checkpoint: str | None) -> Iterator[None]:
    """Remove the checkpoint if the block succeeds; else report its content."""
    try:
        yield
    except BaseException:
        if checkpoint is not None:
            _report_checkpoint(checkpoint)
        raise
    if checkpoint is not None:
        remove_checkpoint(checkpoint)


def _report_checkpoint(checkpoint: str) -> None:
    """Report the content of an interrupted run's checkpoint; remove it if it is empty."""
    count = count_rows(checkpoint) if os.path.exists(checkpoint) else 0
    if count > 0:
        noun = "pair is" if count == 1 else "pairs are"
        say(f"{count} finished {noun} kept in {checkpoint}; --resume continues")
    else:
        remove_checkpoint(checkpoint)
