"""Directions of many pairs, in parallel, streamed in the order of the source."""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Generator, Iterable, Iterator
from types import TracebackType
from typing import Any

import joblib
from sklearn.exceptions import ConvergenceWarning
from tqdm import tqdm

from anmmm._threads import single_thread
from anmmm._validation import MIN_SAMPLES, check_count, check_rng
from anmmm.collection.schema import DIRECTIONS
from anmmm.collection.sources import as_pairs
from anmmm.collection.task import Task
from anmmm.datasets import Pair, make_anm_mixture
from anmmm.direction import infer_direction
from anmmm.results import PairResult

__all__ = ["PairResults", "infer_directions"]


class PairResults(Iterator[PairResult]):
    """Results of a collection, computed while they are asked for.

    An iterator: it can be walked through once. Use it as a context manager, or call `close`, to
    stop the workers where the walk ends early.

    Parameters
    ----------
    rows : generator of PairResult
    total : int or None
        Number of pairs in the source, where it is known.
    """

    def __init__(self, rows: Generator[PairResult, None, None], total: int | None) -> None:
        self._rows = rows
        self.total = total

    def __next__(self) -> PairResult:
        return next(self._rows)

    def __enter__(self) -> PairResults:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop; pairs that are not computed yet are given up."""
        self._rows.close()

    def to_list(self) -> list[PairResult]:
        """Compute all remaining pairs.

        Returns
        -------
        list of PairResult
        """
        return list(self)

    def to_pandas(self) -> Any:
        """Compute all remaining pairs; pandas must be installed.

        Returns
        -------
        pandas.DataFrame
            One row a pair, columns as in `PairResult.to_row`. Whole numbers that may be missing
            are of dtype ``Int64``.
        """
        return DIRECTIONS.to_pandas(map(DIRECTIONS.reader(), self))


def infer_directions(
    source: Any,
    *,
    n_jobs: int = 1,
    progress: bool = False,
    random_state: Any = None,
    max_samples: int | None = None,
    keep_detail: bool = False,
    **options: Any,
) -> PairResults:
    """Infer the causal direction of every pair of a collection.

    Parameters
    ----------
    source : str, path-like, mapping or iterable
        ``"sample"``, a folder in Tübingen layout, a mapping of id to ``(x, y)``, or an iterable of
        `Pair`, ``(x, y)`` or ``(id, x, y)``; see `anmmm.collection.as_pairs`. Read while results
        are asked for.
    n_jobs : int
        Number of processes, as in joblib; -1 is one a core. Every pair is computed on one thread,
        and the results do not depend on `n_jobs`.
    progress : bool
        Whether to show a progress bar on standard error.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the collection. Every pair draws from a stream of its own, spawned by its position.
    max_samples : int or None
        Larger pairs are cut to this many observations, drawn without replacement, and the row
        records the seed. By default every observation is used: the time grows with their number.
    keep_detail : bool
        Whether each row keeps its `DirectionResult`, in `PairResult.detail`: the description
        lengths, or both fits.
    **options
        Keyword arguments of `anmmm.infer_direction`: ``criterion``, ``lam``, options of the fit.

    Returns
    -------
    PairResults
        Iterator of `PairResult` in the order of the source. A pair that cannot be analysed
        (multivariate, missing values, constant, too short, unreadable) is a row of status
        ``"unusable"`` with the reason, one that fails unexpectedly a row of status ``"error"``
        with the exception; neither ends the collection. A fit or model that did not converge is
        remarked in `reason`.

    Raises
    ------
    TypeError, ValueError
        At once, if an argument or an option cannot be used or the source cannot be opened.
    OSError
        If a folder cannot be opened.

    Examples
    --------
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    >>> rows = infer_directions({"forward": (x, y), "flat": (x, 0 * y)}, random_state=0)
    >>> [(row.pair_id, row.status, row.direction) for row in rows]
    [('forward', 'ok', 1), ('flat', 'unusable', None)]
    """
    if max_samples is not None:
        max_samples = check_count(max_samples, "max_samples", minimum=MIN_SAMPLES)
    if check_count(n_jobs, "n_jobs", minimum=-joblib.cpu_count()) == 0:
        raise ValueError("n_jobs must not be 0; 1 is one process, -1 is one a core")
    # The work is arithmetic: more processes than cores only take each other's time and memory.
    n_jobs = min(n_jobs, joblib.cpu_count())
    entropy = int.from_bytes(check_rng(random_state).bytes(16), "little")
    pairs = as_pairs(source)
    _try_options(options)
    task = Task(entropy, max_samples, options, keep_detail)
    hint = operator.length_hint(pairs, -1)
    total = hint if hint >= 0 else None
    return PairResults(_rows(pairs, task, n_jobs, total, progress), total)


def _rows(
    pairs: Iterable[Pair], task: Task, n_jobs: int, total: int | None, progress: bool
) -> Generator[PairResult, None, None]:
    computed = _in_order(pairs, task, n_jobs)
    with tqdm(total=total, unit="pair", file=sys.stderr, disable=not progress) as bar:
        try:
            for row in computed:
                yield row
                bar.update()
        finally:
            computed.close()


def _in_order(pairs: Iterable[Pair], task: Task, n_jobs: int) -> Generator[PairResult, None, None]:
    if n_jobs == 1:
        for index, pair in enumerate(pairs):
            yield task(index, pair)
        return
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
    rows = parallel(joblib.delayed(task)(index, pair) for index, pair in enumerate(pairs))
    try:
        for row in rows:  # noqa: UP028  (would close them before the warning is silenced)
            yield row
    finally:
        with warnings.catch_warnings():
            # Joblib warns of tasks given up; whoever closes early means just that.
            warnings.simplefilter("ignore", UserWarning)
            rows.close()


def _try_options(options: dict[str, Any]) -> None:
    """Raise what `infer_direction` says to wrong options, on a small pair that is usable.

    A wrong option would otherwise come back once for every pair, disguised as a fault of the data.
    It also fills Numba's cache before several processes would compile the same code.
    """
    x, y, _ = make_anm_mixture(n_samples=50, random_state=0)
    with single_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            infer_direction(x, y, random_state=0, **options)
        except (TypeError, ValueError):
            raise
        except Exception:
            # A numerical failure on these points says nothing about the pairs to come.
            return
