"""A collection on the command line: rows to a file or a table, progress to standard error."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from anmmm._files import to_json_document
from anmmm._text import counted, cut, hypotheses, printable, table_lines
from anmmm.cli.messages import FaultError, InputError, has_terminal, say, show
from anmmm.cli.options import given
from anmmm.cli.output import check_file
from anmmm.collection import LostWorkerError, as_pairs, summarize
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.files import SUFFIXES, file_values, written
from anmmm.collection.records import PairClusters, PairResult
from anmmm.collection.results import MOST_ROWS, PairResults
from anmmm.direction.outcome import format_confidence, format_decision, is_decided

# Letters of an id or a name in a table.
LONGEST = 60
# Alignments and least widths of columns.
HEADS = {
    "pair": "<4",
    "n": ">1",
    "cause": "<5",
    "sizes of mechanisms": "<19",
    "relation": "<8",
    "score": ">5",
    "confidence": ">10",
    "truth": "^5",
    "notes": "<1",
}


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
    checkpoint = None if output is None else f"{output}.checkpoint"
    check_file(output, SUFFIXES, source, force=force or resume)
    if resume and _is_complete(output, checkpoint):
        say(f"{output}: complete, nothing to do")
        return
    if not resume and _count_rows(checkpoint):
        raise InputError(
            f"{checkpoint}: has the finished pairs of an interrupted run; continue it with "
            f"--resume, or delete this file to start again, unless another run is using it"
        )
    opened = as_pairs(source, pairs=pairs, categories=categories, header=header)
    results = function(opened, checkpoint=checkpoint, progress=has_terminal(), **given(options))
    is_printed = output is None or as_json
    if is_printed and (results.total or 0) > MOST_ROWS:
        raise InputError(f"{source}: more than {MOST_ROWS} pairs; write them to a file with -o")
    rows = _refuse_errors(results)
    if output is not None:
        rows = written(rows, output, results.record, force=True)
    with _kept_checkpoint(checkpoint), results, closing(rows):
        try:
            summary = summarize(rows)
        except LostWorkerError as error:
            raise FaultError(str(error)) from None
    if resume:
        say(f"{counted(results.n_resumed, 'row')} of an earlier run used")
    if as_json:
        documents = [file_values(row) for row in results]
        click.echo(to_json_document({"rows": documents, "summary": summary.to_dict()}))
    else:
        lines = [*_lines(list(results)), ""] if is_printed else []
        show("\n".join([*lines, str(summary)]))
    if output is not None:
        say(f"{counted(summary.n_pairs, 'row')} written to {output}")


def _is_complete(output: str | None, checkpoint: str | None) -> bool:
    """Return whether an earlier run came to its end."""
    if output is None or checkpoint is None:
        raise InputError("--resume needs the file that the earlier run was to write, -o FILE")
    # A file gets its name when it is complete; after that its checkpoint is removed.
    has_rows = os.path.isfile(output) and os.path.getsize(output) > 0
    return has_rows and not os.path.exists(checkpoint)


def _refuse_errors(rows: Iterable[Any]) -> Generator[Any, None, None]:
    """Yield rows; raise a `FaultError` if all of them are errors."""
    n_usable = 0
    row = None
    for row in rows:
        n_usable += row.status != "error"
        yield row
    if row is not None and n_usable == 0:
        raise FaultError(f"all pairs ended in an error, and no row is written: {row.notes}")


def _count_rows(checkpoint: str | None) -> int:
    """Return the number of finished pairs in a checkpoint, 0 if there is none."""
    if checkpoint is None or not os.path.exists(checkpoint):
        return 0
    with Checkpoint(checkpoint) as finished:
        return len(finished)


@contextmanager
def _kept_checkpoint(checkpoint: str | None) -> Iterator[None]:
    """Remove the checkpoint if the block succeeds or left no row; else report its content."""
    try:
        yield
    except BaseException:
        n_kept = _count_rows(checkpoint)
        if n_kept:
            pairs = counted(n_kept, "finished pair")
            say(f"{pairs} kept in {checkpoint}; --resume continues")
        else:
            _remove(checkpoint)
        raise
    _remove(checkpoint)


def _remove(checkpoint: str | None) -> None:
    if checkpoint is not None:
        Path(checkpoint).unlink(missing_ok=True)


def _lines(rows: list[Any]) -> list[str]:
    """Return the table of rows."""
    if not rows:
        return []
    table = [_cells(row) for row in rows]
    if all(row.truth is None for row in rows):
        for cells in table:
            cells.pop("truth", None)
    heads = {head: HEADS[head] for head in table[0]}
    return table_lines(heads, [list(cells.values()) for cells in table])


def _cells(row: PairResult | PairClusters) -> dict[str, str]:
    """Return the cells of a row by their heads."""
    is_analyzed = row.status == "ok"
    notes = [row.notes if is_analyzed else f"{row.status}: {row.notes}"]
    cells = {"pair": cut(printable(row.pair_id), LONGEST), "n": f"{row.n or '—'}"}
    if isinstance(row, PairClusters):
        cells["cause"] = cut(printable(row.cause or "—"), LONGEST)
        cells["sizes of mechanisms"] = " ".join(map(str, row.sizes or "—"))
    else:
        relation = format_decision(row, hypotheses(row.x, row.y)) if is_analyzed else "—"
        cells["relation"] = cut(printable(relation), LONGEST)
        cells["score"] = "—" if row.score is None else f"{row.score:+.3f}"
        cells["confidence"] = format_confidence(row.confidence) if row.direction else ""
        # An undecided pair is neither right nor wrong.
        is_right = row.is_right if is_decided(row) else None
        cells["truth"] = {True: "✓", False: "✗", None: ""}[is_right]
        if (row.n_mechanisms or 1) > 1:
            notes.insert(0, f"{row.n_mechanisms} mechanisms")
    cells["notes"] = printable("; ".join(filter(None, notes)))
    return cells
