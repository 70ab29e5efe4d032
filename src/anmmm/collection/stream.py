"""A run over a collection: the stream of its rows in order."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Generator, Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

import joblib

from anmmm._compiling import LOGGER, can_report
from anmmm._typing import RandomState, StrPath
from anmmm._validation import check_between, check_count, check_rng
from anmmm._version import __version__
from anmmm.collection.checkpoint import Checkpoint
from anmmm.collection.results import PairResults
from anmmm.collection.schema import SCHEMA_VERSION
from anmmm.collection.sources import PairSource, as_pairs
from anmmm.collection.sources.table import TablePairs
from anmmm.collection.task import PairTask
from anmmm.collection.workers import run_in_order
from anmmm.datasets import SourceError

# Backends of this machine; more of their workers than cores would slow each other down.
_LOCAL = {"LokyBackend", "MultiprocessingBackend", "ThreadingBackend", "SequentialBackend"}


def stream(
    task: PairTask,
    source: Any,
    *,
    columns: Any = None,
    categories: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    random_state: RandomState = None,
    checkpoint: StrPath | None = None,
    shard: tuple[int, int] | None = None,
    explain: bool = False,
    screen: float | None = None,
) -> PairResults[Any]:
    """Check all arguments; return the rows of a task on the pairs of a source."""
    n_jobs = check_jobs(n_jobs)
    first, step = _check_shard(shard)
    _check_checkpoint(checkpoint, task)
    pairs = _open(source, columns, categories, explain, screen)
    # Files may change during the run.
    on_disk = bool(getattr(pairs, "files", ()))
    identity = pairs.fingerprint() if on_disk or checkpoint is not None else None
    task.prepare()
    schema, finished = task.schema, None
    entropy = int.from_bytes(check_rng(random_state).bytes(16), "little")
    if checkpoint is not None:
        finished = Checkpoint(checkpoint, schema)
        if random_state is None and finished.header is not None:
            # A graph's header has none; `begin` refuses it.
            entropy = int(finished.header.get("entropy", entropy))
        finished.begin(
            {
                "schema": [schema.kind, SCHEMA_VERSION],
                "version": __version__,
                "source": identity,
                "shard": f"{first + 1}/{step}",
                "entropy": str(entropy),
                **task.run_metadata(),
            }
        )
    hint = operator.length_hint(pairs, -1)
    total = len(range(first, hint, step)) if hint >= 0 else None
    n_pairs = "an unknown number of" if total is None else total
    LOGGER.info("%s: %s pairs from %s", schema.kind, n_pairs, pairs.name)
    rows = run_in_order(
        islice(enumerate(pairs), first, None, step),
        replace(task, entropy=entropy),
        n_jobs=n_jobs,
        checkpoint=finished,
    )
    rows = _watched(rows, total, finished, pairs, identity if on_disk else None, progress)
    return PairResults(
        rows,
        schema,
        total,
        finished,
        pairs.name,
        rows_hold_observations=task.rows_hold_observations,
    )


def _open(
    source: Any, columns: Any, categories: Any, explain: bool, screen: float | None
) -> PairSource:
    pairs = as_pairs(source, columns=columns, categories=categories)
    rate = None if screen is None else check_between(screen, "screen", 0.0, 1.0)
    if rate is not None and not (isinstance(pairs, TablePairs) and pairs.has_all):
        raise ValueError(
            "screen tests all pairs of a table: pass a table and columns='all', or no screen"
        )
    return pairs.prepared(explain, rate) if isinstance(pairs, TablePairs) else pairs


def _watched(
    rows: Generator[Any, None, None],
    total: int | None,
    checkpoint: Checkpoint | None,
    pairs: PairSource,
    identity: dict[str, Any] | None,
    progress: bool,
) -> Generator[Any, None, None]:
    """Count rows in a bar; at the end close the checkpoint, and refuse files that have changed."""
    shown: Iterable[Any] = rows
    if progress and can_report():
        from tqdm.auto import tqdm

        shown = tqdm(rows, total=total, unit="pair", file=sys.stderr)
    try:
        yield from shown
    finally:
        rows.close()
        if checkpoint is not None:
            checkpoint.close()
    if identity is not None and pairs.fingerprint() != identity:
        raise SourceError(
            pairs.name,
            None,
            "changed during the run, so rows may be of the old and the new content; run it again",
        )


def _check_checkpoint(name: Any, task: PairTask) -> None:
    if name is None:
        return
    if not (name and isinstance(name, str | os.PathLike)):
        raise TypeError(f"checkpoint must be the name of a file, found {name!r}")
    if task.keep_results:
        raise ValueError("keep_results=True cannot be used with a checkpoint, which has rows only")


def check_jobs(n_jobs: Any) -> int | None:
    """Return a number of workers as in joblib, on this machine at most the number of cores."""
    if n_jobs is None:
        return None
    jobs = check_count(n_jobs, "n_jobs", minimum=-joblib.cpu_count())
    if jobs == 0:
        raise ValueError("n_jobs must not be 0; 1 is one process, -1 is one per core")
    backend, _ = joblib.parallel.get_active_backend()
    return min(jobs, joblib.cpu_count()) if type(backend).__name__ in _LOCAL else jobs


def _check_shard(shard: Any) -> tuple[int, int]:
    """Return the position of a shard's first pair, and the step between its pairs."""
    if shard is None:
        return 0, 1
    try:
        number, count = shard
    except (TypeError, ValueError):
        raise TypeError(
            f"shard must be two whole numbers, (which, of how many), found {shard!r}"
        ) from None
    count = check_count(count, "shard[1]")
    return check_count(number, "shard[0]", maximum=count) - 1, count
