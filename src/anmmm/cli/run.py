"""A collection on the command line: rows to a file or a table, progress to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import click

from anmmm._files import to_json_document
from anmmm._text import counted, cut, hypotheses, printable, table_lines
from anmmm.cli.input import echo_warnings, input_errors
from anmmm.cli.messages import FaultError, InputError, say, show
from anmmm.cli.options import given
from anmmm.cli.output import check_file
from anmmm.collection import LostWorkerError, as_pairs, summarize
from anmmm.collection.checkpoint import count_rows, remove_checkpoint
from anmmm.collection.files import SUFFIXES, file_values, row_writer
from anmmm.collection.records import PairClusters, PairResult
from anmmm.collection.results import MOST_ROWS, PairResults
from anmmm.direction.outcome import format_confidence, format_decision, is_decided

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
    pairs: Any,
    categories: Any,
    header: bool | None,
    **options: Any,
) -> None:
    """Call a function on the pairs of a source; write or print its rows, and print a summary."""
    checkpoint = _check_output(output, source, force=force, resume=resume)
    if resume and checkpoint is None:
        say(f"{output}: complete, nothing to do")
        return
    with input_errors(), echo_warnings():
        opened = as_pairs(source, pairs=pairs, categories=categories, header=header)
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        results = function(opened, checkpoint=checkpoint, progress=is_terminal, **given(options))
        is_printed = output is None or as_json
        if is_printed and (results.total or 0) > MOST_ROWS:
            raise InputError(f"{source}: more than {MOST_ROWS} pairs; write them to a file with -o")
        writer = nullcontext() if output is None else row_writer(output, results.record, force=True)
        with _kept_checkpoint(checkpoint), results, writer as write:
            try:
                summary = summarize(_written(results, write))
            except LostWorkerError as error:
                raise FaultError(str(error)) from None
            if summary.n_pairs and summary.n_error == summary.n_pairs:
                notes = results[0].notes if summary.n_pairs <= MOST_ROWS else "of several kinds"
                raise FaultError(f"all pairs ended in an error, and no row is written: {notes}")
        if resume:
            say(f"{counted(results.n_resumed, 'row')} of an earlier run used")
    if as_json:
        rows = [file_values(row) for row in results]
        click.echo(to_json_document({"rows": rows, "summary": summary.to_dict()}))
    else:
        lines = [*_lines(list(results)), ""] if is_printed else []
        show("\n".join([*lines, str(summary)]))
    if output is not None:
        say(f"{counted(summary.n_pairs, 'row')} written to {output}")


def _written(rows: PairResults[Any], write: Callable[[Any], None] | None) -> Iterator[Any]:
    """Yield rows after they are written."""
    for row in rows:
        if write is not None:
            write(row)
        yield row


def _check_output(output: str | None, source: str, *, force: bool, resume: bool) -> str | None:
    """Refuse an unusable output; return the name of its checkpoint, None if it is complete."""
    if output is None:
        if resume:
            raise InputError("--resume needs the file that the earlier run was to write, -o FILE")
        return None
    check_file(output, SUFFIXES, source, force=force or resume)
    checkpoint = f"{output}.checkpoint"
    # A file gets its name when it is complete; after that its checkpoint is removed.
    is_interrupted = os.path.exists(checkpoint)
    if resume and not is_interrupted and os.path.isfile(output) and os.path.getsize(output):
        return None
    with input_errors(output):
        if is_interrupted and not resume and count_rows(checkpoint):
            raise InputError(
                f"{checkpoint}: has the finished pairs of an interrupted run; continue it with "
                f"--resume, or delete this file to start again, unless another run is using it"
            )
    return checkpoint


@contextmanager
def _kept_checkpoint(checkpoint: str | None) -> Iterator[None]:
    """Remove the checkpoint if the block succeeds; else report its content."""
    try:
        yield
    except BaseException:
        count = 0
        if checkpoint is not None and os.path.exists(checkpoint):
            count = count_rows(checkpoint)
        if count:
            pairs = counted(count, "finished pair")
            say(f"{pairs} kept in {checkpoint}; --resume continues")
        elif checkpoint is not None:
            remove_checkpoint(checkpoint)
        raise
    if checkpoint is not None:
        remove_checkpoint(checkpoint)


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
        notes = row.notes if row.status == "ok" else f"{row.status}: {row.notes}"
        values = {"pair": row.pair_id, "n": f"{row.n or '—'}", "notes": notes}
        values |= _direction_cells(row) if isinstance(row, PairResult) else _cluster_cells(row)
        shown = {head: printable(values[head]) for head in heads}
        for head in ("pair", "relation", "cause"):
            if head in shown:
                shown[head] = cut(shown[head], LONGEST)
        cells.append(list(shown.values()))
    return table_lines(heads, cells)


def _direction_cells(row: PairResult) -> dict[str, str]:
    """Return relation, score and confidence, and whether they are right."""
    # An undecided pair is neither right nor wrong.
    is_right = row.is_right if is_decided(row) else None
    is_analyzed = row.status == "ok"
    cells = {
        "relation": format_decision(row, hypotheses(row.x, row.y)) if is_analyzed else "—",
        "score": "—" if row.score is None else f"{row.score:+.3f}",
        "confidence": format_confidence(row.confidence) if row.direction else "",
        "truth": {True: "✓", False: "✗", None: ""}[is_right],
    }
    if (row.n_mechanisms or 1) > 1:
        cells["notes"] = "; ".join(filter(None, [f"{row.n_mechanisms} mechanisms", row.notes]))
    return cells


def _cluster_cells(row: PairClusters) -> dict[str, str]:
    """Return the cause and the sizes of its mechanisms."""
    sizes = "—" if row.sizes is None else " ".join(map(str, row.sizes))
    return {"cause": row.cause or "—", "sizes of mechanisms": sizes}
