"""Directions of many pairs, in parallel, streamed in the order of the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anmmm._typing import Missing, RandomState, StrPath
from anmmm._words import known_arguments
from anmmm.collection.records import PairResult
from anmmm.collection.results import PairResults
from anmmm.collection.stream import Plan
from anmmm.collection.task import DirectionTask, given_options
from anmmm.direction.infer import Criterion, Rows
from anmmm.gppom import FitOptions


@known_arguments
def infer_directions(
    source: Any,
    *,
    columns: Any = None,
    categories: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    random_state: RandomState = None,
    max_samples: int | None = None,
    checkpoint: StrPath | None = None,
    shard: tuple[int, int] | None = None,
    keep_results: bool = False,
    explain: bool = True,
    screen: float | None = None,
    criterion: Criterion = "evidence",
    fit_options: FitOptions | Mapping[str, Any] | None = None,
    n_resamples: int = 0,
    min_confidence: float | None = None,
    common_cause: bool = True,
    rows: Rows = "auto",
    missing: Missing = "raise",
) -> PairResults[PairResult]:
    """Infer the causal direction of every pair of a collection.

    Parameters
    ----------
    source : str, path-like, mapping or iterable
        ``"sample"``, a folder in Tübingen layout, a mapping of id to ``(x, y)``, an iterable of
        `Pair`, ``(x, y)`` or ``(id, x, y)``, or with `columns` a data frame, array or file with a
        variable in each column; see `anmmm.collection.as_pairs`. Read while results are asked for.
    columns : "all" or list of pairs of names, optional
        Which columns of a table are paired: all two that hold numbers or categories, or
        ``[("a", "b"), ...]``.
    categories : list of names, optional
        Further columns of a table whose values are mere names, such as codes; text is without it.
    n_jobs : int or None
        Number of workers, as in joblib: None is one, or what `joblib.parallel_config` says; -1 is
        one a core. One works in this process. The results do not depend on it: every pair is
        computed on one thread, from seeds of its own. The backend is joblib's, so Dask and Ray
        take over under ``parallel_config("dask")`` and ``parallel_config("ray")``.
    progress : bool
        Whether to show a progress bar on standard error.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the collection. Every pair draws from a stream of its own, spawned by its position.
        None takes the seed of the checkpoint, if there is one.
    max_samples : int or None
        Larger pairs are cut to this many observations, drawn without replacement, and the row
        records the seed. By default every observation is used: the time grows with their number.
    checkpoint : path-like or None
        File that keeps every finished row. If it exists, its rows are taken and not computed
        again, but those of status ``"error"`` and of pairs that changed since; the results are
        those of an undisturbed run. It stays at the end.
    shard : (int, int) or None
        ``(i, n)``, i from 1 to n: only the pairs whose position is i - 1 modulo n, with the seeds
        that they have in the whole collection. All n shards together are the whole.
    keep_results : bool
        Whether each row keeps its `DirectionResult`, in `PairResult.result`: the description
        lengths, or both fits. Not with a checkpoint.
    explain : bool
        Whether all pairs of a table (``columns="all"``) are tried given one or two of its other
        columns: `PairResult.explained_by` names those given which x and y are independent, and such
        a pair has a confidence of at most 0.5. It adds a fifth to three quarters of the
        time.
    screen : float, optional
        False discovery rate, such as 0.05, for tables with ``columns="all"``: all pairs are first
        tested for dependence, a million in some seconds, and only those that pass are analyzed. The
        others are rows of relation ``"independent"`` with the p-value of this test and a remark.
    criterion, fit_options, n_resamples, min_confidence, common_cause, rows
        Options of the decision on a pair; see `anmmm.infer_direction`.
    missing : {"raise", "drop"}
        Whether pairs with incomplete rows are unusable, or used without these; the row says how
        many were left out.

    Returns
    -------
    PairResults
        Iterator of `PairResult` in the order of the source. A pair that cannot be analyzed
        (multivariate, missing values, constant, too short, unreadable) is a row of status
        ``"unusable"`` with the reason; one that fails unexpectedly or ends its worker process is a
        row of status ``"error"`` or ``"lost"``. None of them ends the collection. A fit or model
        that did not converge is remarked in `reason`.

    Raises
    ------
    TypeError, ValueError
        At once, if an argument or an option cannot be used or the source cannot be opened. A source
        that fails in mid-walk raises what it says after the rows of all pairs before, and one whose
        files changed meanwhile a `anmmm.collection.SourceError` after the last row.
    anmmm.collection.CheckpointError
        If the checkpoint is of another source, other options or another version, says what differs;
        a `ValueError`.
    OSError
        If a folder or a checkpoint cannot be opened, or the checkpoint cannot be written.

    Notes
    -----
    Memory does not grow with the collection: at most some ten thousand rows wait for an earlier
    pair that takes long. More in docs/guide/collections.md.

    The test of `screen` sums the squared correlations of polynomials (degree 1, up to 2, up to 4)
    of the ranks of both columns, or of which of its four most frequent categories a value is, over
    at most 5000 evenly spaced rows. It misses relations that turn more than some five times.
    Benjamini and Hochberg's rule over all pairs selects those that pass.

    Examples
    --------
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    >>> rows = infer_directions({"forward": (x, y), "flat": (x, 0 * y)}, random_state=0)
    >>> [(row.pair_id, row.status, row.direction) for row in rows]
    [('forward', 'ok', 1), ('flat', 'unusable', None)]
    """
    options = given_options(
        criterion=criterion,
        fit_options=fit_options,
        n_resamples=n_resamples,
        min_confidence=min_confidence,
        common_cause=common_cause,
        rows=rows,
    )
    return Plan(
        task=DirectionTask(
            options,
            keep_results,
            missing=missing,
            max_samples=max_samples,
        ),
        source=source,
        columns=columns,
        categories=categories,
        n_jobs=n_jobs,
        progress=progress,
        random_state=random_state,
        checkpoint=checkpoint,
        shard=shard,
        explain=explain,
        screen=screen,
    ).start()
