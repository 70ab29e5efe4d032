"""What an earlier run of the same command left: nothing, a checkpoint, or a complete file."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from datetime import datetime
from itertools import islice, zip_longest
from typing import Any

from anmmm._words import spelled
from anmmm.cli.input import InputError
from anmmm.cli.options import say


def checkpoint_of(output: str, *, resume: bool) -> str | None:
    """Return the name of the checkpoint of an output; None where none can be kept."""
    from anmmm._files import is_replaceable
    from anmmm.collection.checkpoint import count_rows

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


def is_complete(output: str, checkpoint: str) -> bool:
    """Tell whether a run has left an output and nothing to go on with.

    Files take their names when they are complete, and their checkpoints go after that.
    """
    return os.path.exists(output) and not os.path.exists(checkpoint)


def complete_results(
    output: str,
    schema: Any,
    pairs: Any,
    *,
    shard: tuple[int, int] | None,
    checkpoint: None,
) -> Any:
    """Return the rows of a complete output as if they were computed now.

    They are read beside the pairs, as an output does not say what it was computed from: ids and
    numbers of observations must be those of the source. Options are not in it.
    """
    from anmmm.collection.stream import PairResults, expected_total

    first, step = (0, 1) if shard is None else (shard[0] - 1, shard[1])
    rows = _beside(output, schema, islice(pairs, first, None, step))
    return PairResults(rows, schema, expected_total(pairs, first, step))


def _beside(output: str, schema: Any, pairs: Iterator[Any]) -> Generator[Any, None, None]:
    from anmmm.collection.task import carried

    together = zip_longest(_rows(output, schema), map(carried, pairs))
    for place, (row, pair) in enumerate(together, start=1):
        there = "no row" if row is None else _described(row.pair_id, row.n)
        asked = "no more pair" if pair is None else _described(spelled(pair["pair_id"]), pair["n"])
        if row is None or there != asked:
            raise InputError(
                f"{output}: is complete, but of other pairs: row {place} is {there}, and the "
                f"source has {asked}; write to another file, or leave out --resume to replace it"
            )
        yield row


def when_written(output: str) -> str:
    """Return date and time of the last change of a file."""
    return datetime.fromtimestamp(os.path.getmtime(output)).isoformat(" ", "seconds")


def tell_of_checkpoint(checkpoint: str) -> None:
    """Say what an interrupted run leaves; nothing, if nothing was finished."""
    from anmmm._runlog import remove_log
    from anmmm.collection.checkpoint import count_rows

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


def _rows(output: str, schema: Any) -> Iterator[Any]:
    from anmmm.collection import read_rows

    try:
        yield from read_rows(output, schema)
    except ValueError as error:
        raise InputError(
            f"{error}; write to another file, or leave out --resume to replace it"
        ) from None


def _described(pair_id: str, n: int | None) -> str:
    return repr(pair_id) if n is None else f"{pair_id!r} ({n} observations)"
