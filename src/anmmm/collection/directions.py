"""Directions of many pairs, in parallel, streamed in the order of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from anmmm._categories import as_variables
from anmmm._text import hypotheses, renamed
from anmmm._typing import Missing, RandomState, StrPath
from anmmm._validation import MIN_SAMPLES, check_count
from anmmm._warning import default_float_errors, suppress_convergence_warnings
from anmmm.collection.records import PairResult
from anmmm.collection.results import PairResults
from anmmm.collection.run import run_pairs
from anmmm.collection.task import PairTask, as_seed, dropped_note, joined, pair_metadata
from anmmm.datasets import Pair
from anmmm.direction import DirectionResult
from anmmm.direction.infer import Criterion, DirectionOptions, decide
from anmmm.direction.outcome import (
    INDEPENDENT,
    LACK_OF_FIT_NOTE,
    LACK_OF_FIT_PVALUE,
    UNMODELED_NOTE,
    plausible_text,
)
from anmmm.direction.prior import Prior
from anmmm.evidence import DirectionEvidence
from anmmm.evidence.variable import cached_variable
from anmmm.gppom import FitOptions, FitResult


@default_float_errors()
def infer_directions(
    source: Any,
    *,
    pairs: Any = None,
    categories: Any = None,
    n_jobs: int | None = None,
    progress: bool = False,
    random_state: RandomState = 0,
    max_samples: int | None = None,
    checkpoint: StrPath | None = None,
    shard: tuple[int, int] | None = None,
    skip: Sequence[str] = (),
    criterion: Criterion = "evidence",
    fit_options: FitOptions | Mapping[str, Any] | None = None,
    common_cause: bool = True,
    prior: Prior = "learned",
    missing: Missing = "raise",
) -> PairResults[PairResult]:
    """Infer the causal direction of every pair of a collection.

    Parameters
    ----------
    source : str, path-like, mapping or iterable
        ``"sample"``, a folder in Tübingen layout, a mapping of id to ``(x, y)``, an iterable of
        `Pair`, ``(x, y)`` or ``(id, x, y)``, or with `pairs` a data frame, array or file with a
        variable in each column; see `anmmm.collection.as_pairs`. Read during iteration.
    pairs : "all" or list of pairs of names, optional
        Columns of a table to pair: every two that hold numbers or categories, or
        ``[("a", "b"), ...]``.
    categories : list of names, optional
        Columns of a table whose values are categories, such as codes; text need not be listed.
    n_jobs : int or None
        Number of workers, as in joblib: None is one, or that of `joblib.parallel_config`; -1 is
        one per core. One works in this process. Results do not depend on it: every pair is
        computed on one thread, with its own seeds. The backend is joblib's, so Dask and Ray are
        used under ``parallel_config("dask")`` and ``parallel_config("ray")``.
    progress : bool
        Whether to show a progress bar on standard error.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the collection. Every pair has its own stream, spawned by its position. Under None
        every run has another one, so none continues a checkpoint.
    max_samples : int or None
        Larger pairs are subsampled to this many observations, without replacement; the row has
        the seed. By default every observation is used.
    checkpoint : path-like or None
        File that keeps finished rows. If it exists, its rows of the same pairs at the same
        positions are used instead of computed again, and rows of other options or seeds are
        refused. The results equal those of an uninterrupted run. The file is not removed at the
        end.
    shard : (int, int) or None
        ``(i, n)``, i from 1 to n: only the pairs whose position is i - 1 modulo n, with the seeds
        that they have in the whole collection. The n shards together are the whole collection.
    skip : list of str
        Ids of pairs that are left out, such as those that end their worker process: their rows have
        the status ``"unusable"``.
    criterion, fit_options, common_cause, prior
        Options of the decision on a pair; see `anmmm.infer_direction`.
    missing : {"raise", "drop"}
        Whether pairs with incomplete rows are unusable, or used without these rows; the row has
        their number.

    Returns
    -------
    PairResults
        Sequence of `PairResult` in the order of the source, computed when it is read. A pair that
        cannot be analyzed (missing values, constant, too short, unreadable) is a row of status
        ``"unusable"`` with the reason in its notes, and one that fails unexpectedly a row of status
        ``"error"``. None of them ends the collection.

    Raises
    ------
    TypeError, ValueError
        At once, if an argument or an option is wrong or the source cannot be opened. During
        iteration, errors of the source are raised after the rows of all pairs before.
    anmmm.collection.CheckpointError
        A `ValueError`: if the checkpoint is damaged, in use, of other options, or another file.
    anmmm.collection.LostWorkerError
        A `RuntimeError`: if a pair ends its worker process twice. The error names it.
    OSError
        If a folder or a checkpoint cannot be opened, or the checkpoint cannot be written.

    Notes
    -----
    Up to 100 000 rows are kept. Larger collections are read once: write them to a file while they
    are computed, `PairResults.write`. Memory then does not grow with their number. See
    docs/guide/collections.md.

    Two columns of a table may depend on each other only through a third one; the direct arrows of a
    whole table are those of `anmmm.infer_graph`.

    Examples
    --------
    >>> from anmmm.datasets import make_anm_mixture
    >>> x, y, _ = make_anm_mixture("f3", 60, random_state=1)
    >>> rows = infer_directions({"forward": (x, y), "flat": (x, 0 * y)}, random_state=0)
    >>> [(row.pair_id, row.status, row.direction) for row in rows]
    [('forward', 'ok', 1), ('flat', 'unusable', None)]
    """
    options = {
        "criterion": criterion,
        "fit_options": fit_options,
        "common_cause": common_cause,
        "prior": prior,
    }
    return run_pairs(
        DirectionTask(options, missing, as_seed(random_state), max_samples=max_samples),
        source,
        pairs=pairs,
        categories=categories,
        n_jobs=n_jobs,
        progress=progress,
        checkpoint=checkpoint,
        shard=shard,
        skip=skip,
    )


class DirectionTask(PairTask):
    """Causal direction of one pair."""

    max_samples: int | None = None
    # The options of all pairs, checked once.
    checked: DirectionOptions = field(init=False)

    record = PairResult

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_samples is not None:
            check_count(self.max_samples, "max_samples", minimum=MIN_SAMPLES)
        object.__setattr__(self, "checked", DirectionOptions(**self.options))

    def analyze(self, index: int, pair: Pair) -> PairResult:
        fit_seed, sample_seed = self.seeds(index)
        notes = [dropped_note(pair)]
        used = pair.checked()
        if self.max_samples is not None and len(used.x) > self.max_samples:
            notes.append(f"{self.max_samples} of {len(used.x)} rows were drawn")
            used = used.subsample(self.max_samples, sample_seed).checked()
        # The row reports convergence.
        with suppress_convergence_warnings():
            result = self.decide(used, fit_seed)
        return _row_of(result, used, notes)

    def decide(self, pair: Pair, seed: int) -> DirectionResult:
        """Decide a checked pair; may raise ValueError."""
        # A column of a table is in several pairs.
        return decide(as_variables(pair.x, pair.y), self.checked, seed, cached_variable, pair.names)


def _row_of(result: DirectionResult, pair: Pair, notes: list[str]) -> PairResult:
    """Return the row of a decision on the rows of a pair."""
    models = result.models
    forward, backward = hypotheses(*pair.names)
    notes += _stopped(forward, models.forward) + _stopped(backward, models.backward)
    notes += [renamed(note, (forward, backward)) for note in result.notes]
    check = result.check_pvalue
    if check is not None and check < LACK_OF_FIT_PVALUE:
        independent = result.relation == INDEPENDENT
        notes.append(UNMODELED_NOTE if independent else LACK_OF_FIT_NOTE)
    described = result._described
    return PairResult(
        **pair_metadata(pair, "ok", joined(*notes)),
        relation=result.relation,
        direction=result.direction,
        score=result.score,
        log_odds=result.log_odds,
        confidence=result.confidence,
        plausible=plausible_text(result.plausible),
        probabilities=None if result.probabilities is None else tuple(result.probabilities),
        model=None if described is None else described.model,
        n_mechanisms=described.n_mechanisms if isinstance(described, DirectionEvidence) else None,
        converged=result.converged,
        check_pvalue=check,
        independence_pvalue=result.independence_pvalue,
    )


def _stopped(hypothesis: str, fit: FitResult | DirectionEvidence) -> list[str]:
    """Return a note if a fit stopped before it converged."""
    if fit.converged:
        return []
    if isinstance(fit, DirectionEvidence):
        return [f"{fit.model} of {hypothesis} did not converge: do not trust a score near 0"]
    return [f"the fit of {hypothesis} did not converge ({fit.status}): raise max_iter"]
