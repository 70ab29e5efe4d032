"""Run a criterion over many pairs, and estimate its accuracies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anmmm._record import Record
from anmmm._text import Table, with_error
from anmmm._validation import MIN_SAMPLES, check_count
from anmmm.collection import CollectionSummary, as_pairs, infer_directions, summarize
from anmmm.collection.records import PairResult
from anmmm.datasets import Pair
from anmmm.datasets.settings import SETTINGS, SETTINGS_TEXT
from anmmm.evaluation.rates import (
    DecisionRates,
    accuracy_errors,
    decision_rates,
    direction_auc,
)

N_PAIRS, N_SAMPLES = 50, 100


class Evaluation(Record):
    """Accuracies measured by `evaluate`.

    Attributes
    ----------
    source : str
        Name of the setting with what was drawn, name of the folder, or kind of the source.
    seed : int
        Seed of everything drawn.
    options : dict
        Options passed to `anmmm.infer_direction`.
    summary : CollectionSummary
        Counts and accuracies. An undecided pair of known direction counts as wrong.
    n_groups : int
        Data sets that the scored pairs come from (`Pair.group`; a pair without one is its own).
        All errors are between them.
    accuracy_error : float or None
        Standard error of ``summary.accuracy``, see `standard_error`; None for fewer than two data
        sets.
    weighted_accuracy_error : float or None
        Standard error of ``summary.weighted_accuracy``, by drawing data sets anew.
    auc : float or None
        Area under the ROC curve when each scored pair is given in both orders; None without any.
    ordered_by : str
        Certainty used by `decision_rates`: ``"|score|"`` or ``"confidence"``.
    decision_rates : DecisionRates or None
        At rates of 10 % to 100 %, by weight, as if every pair were decided by the sign of its
        log-odds (of its score without any); None if the scored pairs weigh nothing.
    seconds_per_pair : float or None
        Median wall time of the analyzed pairs.
    rows : tuple of PairResult
        Every pair.
    """

    source: str
    seed: int
    options: dict[str, Any]
    summary: CollectionSummary
    n_groups: int
    accuracy_error: float | None
    weighted_accuracy_error: float | None
    auc: float | None
    ordered_by: str
    decision_rates: DecisionRates | None
    seconds_per_pair: float | None
    rows: tuple[PairResult, ...]

    @property
    def failures(self) -> dict[str, str]:
        """Status and notes of each pair that was not analyzed, by id."""
        return {
            row.pair_id: f"{row.status}: {row.notes}" for row in self.rows if row.status != "ok"
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows, and the failures, as a dict of plain values."""
        document = {**vars(self), "summary": self.summary.to_dict(), "failures": self.failures}
        if self.decision_rates is not None:
            document["decision_rates"] = self.decision_rates.to_dict()
        del document["rows"]
        return document

    def __str__(self) -> str:
        """Return aligned text, as ``anmmm evaluate`` prints it."""
        return "\n".join(_lines(self))


def evaluate(
    source: Any,
    *,
    n_pairs: int | None = None,
    n_samples: int | None = None,
    random_state: int = 0,
    max_samples: int | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
    **options: Any,
) -> Evaluation:
    """Run a criterion over pairs of known direction and measure its decisions.

    Parameters
    ----------
    source : str, path-like, mapping or iterable
        Name of a synthetic setting, a key of `anmmm.datasets.SETTINGS` such as ``"f3"``,
        ``"f3-c4"``, ``"f3-sigma0.1"``, ``"AN"`` or ``"MN-U"``; or anything that
        `anmmm.infer_directions` takes (``"./f3"`` for a folder of that name).
    n_pairs, n_samples : int, optional
        Of a setting only: number of pairs, 50 by default, and of observations of each, 100 by
        default.
    random_state : int
        The pairs of a setting are drawn with seeds `random_state`, ``random_state + 1``, …; it also
        seeds the fits, subsamples and standard errors.
    max_samples : int or None
        Larger pairs are cut to this many observations; see `anmmm.infer_directions`.
    n_jobs : int or None
        Number of workers, as in joblib; None is one, -1 is one a core.
    progress : bool
        Whether to show a progress bar on standard error.
    **options
        Options of the decision on a pair, such as ``criterion``; see `anmmm.infer_directions`.

    Returns
    -------
    Evaluation

    Raises
    ------
    TypeError, ValueError
        If an argument cannot be used, or `n_pairs` or `n_samples` is given for anything but a
        setting.
    OSError
        If a folder cannot be opened.

    Examples
    --------
    >>> from anmmm import evaluate
    >>> result = evaluate("f3", n_pairs=3, n_samples=60, criterion="hsic")
    >>> result.summary.n_scored, result.failures
    (3, {})
    """
    seed = check_count(random_state, "random_state", minimum=0)
    pairs, name = _open(source, n_pairs, n_samples, seed)
    results = infer_directions(
        pairs,
        n_jobs=n_jobs,
        progress=progress,
        random_state=seed,
        max_samples=max_samples,
        **options,
    )
    with results:
        rows = tuple(results)
    return measure(rows, name, seed, options)


def _open(source: Any, n_pairs: int | None, n_samples: int | None, seed: int) -> tuple[Any, str]:
    """Return the pairs of a source, and its name."""
    if isinstance(source, str) and source in SETTINGS:
        count = check_count(N_PAIRS if n_pairs is None else n_pairs, "n_pairs")
        size = N_SAMPLES if n_samples is None else n_samples
        check_count(size, "n_samples", minimum=MIN_SAMPLES)
        seeds = range(seed, seed + count)
        drawn = []
        for number in seeds:
            x, y = SETTINGS[source].draw(size, random_state=number)
            drawn.append(Pair(f"{source} seed {number}", x, y, truth=1))
        return drawn, f"{source}, {size} observations a pair, seeds {seed} to {seeds[-1]}"
    for name, value in (("n_pairs", n_pairs), ("n_samples", n_samples)):
        if value is not None:
            raise ValueError(
                f"{name} is for the settings by name, and source is not one of them; "
                f"max_samples cuts larger pairs"
            )
    is_name = isinstance(source, (str, os.PathLike))
    try:
        return as_pairs(source), os.fspath(source) if is_name else type(source).__name__
    except FileNotFoundError:
        if is_name and os.path.basename(source) == source:
            raise ValueError(
                f"{source}: neither a folder nor a setting; the settings are {SETTINGS_TEXT}"
            ) from None
        raise


def measure(
    rows: Sequence[PairResult],
    source: str = "",
    seed: int = 0,
    options: dict[str, Any] | None = None,
) -> Evaluation:
    """Return the measures of rows."""
    analyzed = [row for row in rows if row.status == "ok"]
    scored = [row for row in analyzed if row.is_right is not None]
    right = np.array([row.is_right for row in scored], dtype=float)
    weights = np.array([row.weight for row in scored])
    truths = np.array([row.truth for row in scored])
    groups = [row.group for row in scored]
    accuracy_error, weighted_accuracy_error = accuracy_errors(right, weights, groups, seed=seed)
    # Criteria without a confidence are ordered by their score.
    has_confidence = bool(scored) and all(row.confidence is not None for row in scored)
    log_odds = np.array([_log_odds(row) for row in scored])
    certainties = [row.confidence for row in scored] if has_confidence else log_odds
    rates = None
    if weights.sum() > 0.0:
        rates = decision_rates(certainties, np.sign(log_odds) == truths, weights, groups=groups)
    seconds = [row.seconds for row in analyzed if row.seconds]
    return Evaluation(
        source=source,
        seed=seed,
        options=options or {},
        summary=summarize(rows),
        n_groups=len({group for group in groups if group is not None}) + groups.count(None),
        accuracy_error=accuracy_error,
        weighted_accuracy_error=weighted_accuracy_error,
        auc=direction_auc(log_odds, truths) if scored else None,
        ordered_by="confidence" if has_confidence else "|score|",
        decision_rates=rates,
        seconds_per_pair=float(np.median(seconds)) if seconds else None,
        rows=tuple(rows),
    )


def _log_odds(row: PairResult) -> float:
    """Return the log-odds of x → y, or the score of a criterion without them."""
    return (row.score if row.log_odds is None else row.log_odds) or 0.0


def _lines(result: Evaluation) -> Iterator[str]:
    yield ", ".join([result.source, *(f"{name} {value}" for name, value in result.options.items())])
    yield ""
    yield from str(result.summary).splitlines()
    if result.accuracy_error is not None and result.weighted_accuracy_error is not None:
        errors = f"{result.accuracy_error:.3f} and {result.weighted_accuracy_error:.3f}"
        yield f"standard errors    {errors}   (between {result.n_groups} data sets)"
    if result.auc is not None:
        yield f"ROC-AUC            {result.auc:.3f}   (each pair in both orders)"
    if result.seconds_per_pair is not None:
        yield f"seconds per pair   {result.seconds_per_pair:.3f}   (median)"
    if result.decision_rates is not None:
        rates = result.decision_rates
        columns = (rates.rates, rates.accuracy, rates.error, rates.thresholds)
        heads = {"decided": "<7", "accuracy": "<13", f"least {result.ordered_by}": ">9"}
        yield ""
        yield from Table(heads).lines(
            (f"{rate:>6.0%}", with_error(accuracy, error), f"{threshold:.4g}")
            for rate, accuracy, error, threshold in zip(*columns, strict=True)
        )
    for pair_id, reason in result.failures.items():
        yield f"{pair_id}  {reason}"
