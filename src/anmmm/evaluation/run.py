"""Run a criterion over many pairs, and estimate its accuracies."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from anmmm._record import Record
from anmmm._text import Table, with_error
from anmmm._validation import MIN_SAMPLES, check_count
from anmmm.collection import CollectionSummary, as_pairs, infer_directions
from anmmm.collection.records import PairResult
from anmmm.collection.summary import accuracy_lines
from anmmm.datasets import Pair
from anmmm.datasets.settings import SETTINGS, SETTINGS_TEXT, Setting
from anmmm.evaluation.rates import DecisionRates
from anmmm.evaluation.tally import Tally

N_PAIRS, N_SAMPLES = 50, 100


class Evaluation(Record):
    """Accuracies measured by `evaluate`.

    Attributes
    ----------
    source : str
        Name of the setting, folder, or kind of the source.
    setting : dict or None
        ``n_pairs``, ``n_samples`` and ``first_seed`` of a synthetic setting.
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
        Standard error of ``summary.weighted_accuracy``, by drawing data sets anew; see
        `accuracy_errors`.
    auc : float or None
        See `flipped_auc`; None for fewer than two scored pairs.
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
    setting: dict[str, int] | None
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
    pairs, setting = _open(source, n_pairs, n_samples, seed)
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
    named = isinstance(source, (str, os.PathLike))
    name = os.fspath(source) if named else type(source).__name__
    return measure(rows, name, setting, seed, options)


@dataclass(frozen=True)
class DrawnPairs:
    """Pairs of a setting, drawn lazily."""

    setting: Setting
    size: int
    seeds: range

    def __len__(self) -> int:
        return len(self.seeds)

    def __iter__(self) -> Iterator[Pair]:
        for seed in self.seeds:
            x, y = self.setting.draw(self.size, random_state=seed)
            yield Pair(f"{self.setting.name} seed {seed}", x, y, truth=1)


def _open(
    source: Any, n_pairs: int | None, n_samples: int | None, seed: int
) -> tuple[Any, dict[str, int] | None]:
    """Return the pairs of a source, and the setting that they were drawn from, if any."""
    if isinstance(source, str) and source in SETTINGS:
        count = check_count(N_PAIRS if n_pairs is None else n_pairs, "n_pairs")
        size = check_count(
            N_SAMPLES if n_samples is None else n_samples, "n_samples", minimum=MIN_SAMPLES
        )
        drawn = {"n_pairs": count, "n_samples": size, "first_seed": seed}
        return DrawnPairs(SETTINGS[source], size, range(seed, seed + count)), drawn
    for name, value in (("n_pairs", n_pairs), ("n_samples", n_samples)):
        if value is not None:
            raise ValueError(
                f"{name} is for the settings by name, and source is not one of them; "
                f"max_samples cuts larger pairs"
            )
    try:
        return as_pairs(source), None
    except FileNotFoundError:
        if isinstance(source, str) and os.path.basename(source) == source:
            raise ValueError(
                f"{source}: neither a folder nor a setting; the settings are {SETTINGS_TEXT}"
            ) from None
        raise


def measure(
    rows: tuple[PairResult, ...],
    source: str,
    setting: dict[str, int] | None,
    seed: int,
    options: dict[str, Any],
) -> Evaluation:
    """Return the measures of rows."""
    tally = Tally()
    for row in rows:
        tally.add(row)
    errors = tally.accuracy_errors(seed)
    ordered_by, rates = tally.rates()
    return Evaluation(
        source=source,
        setting=setting,
        seed=seed,
        options=options,
        summary=tally.summary(),
        n_groups=tally.n_groups,
        accuracy_error=errors[0],
        weighted_accuracy_error=errors[1],
        auc=tally.auc(seed),
        ordered_by=ordered_by,
        decision_rates=rates,
        seconds_per_pair=tally.median_seconds,
        rows=rows,
    )


def _lines(result: Evaluation) -> Iterator[str]:
    summary = result.summary
    yield _title(result)
    yield ""
    counts = (
        f"{summary.n_scored} of known direction, {summary.n_undecided} undecided, "
        f"{summary.n_unusable} unusable, {summary.n_error} failed"
    )
    yield f"pairs              {summary.n_pairs:>5}   ({counts})"
    if result.n_groups < summary.n_scored:
        yield f"data sets          {result.n_groups:>5}   (of these pairs; ± is between them)"
    errors = (result.accuracy_error, result.weighted_accuracy_error)
    yield from accuracy_lines(summary, errors=errors)
    if result.auc is not None:
        yield f"ROC-AUC            {result.auc:.3f}   (a random half of the pairs exchanged)"
    if result.seconds_per_pair is not None:
        yield f"seconds per pair   {result.seconds_per_pair:.3f}   (median)"
    if result.decision_rates is not None:
        rates = result.decision_rates
        columns = (rates.rates, rates.accuracy, rates.error, rates.thresholds)
        heads = {"decided": "<7", "accuracy": "<13", f"least {result.ordered_by}": ">9"}
        yield ""
        yield from Table(heads).lines(
            (f"{rate:>6.0%}", with_error(accuracy, error), f"{least:.4g}")
            for rate, accuracy, error, least in zip(*columns, strict=True)
        )
    if result.failures:
        width = max(map(len, result.failures))
        yield ""
        yield "not analyzed"
        yield from (f"{pair:<{width}}  {reason}" for pair, reason in result.failures.items())


def _title(result: Evaluation) -> str:
    if result.setting is None:
        facts = [f"seed {result.seed}"]
    else:
        first, count = result.setting["first_seed"], result.setting["n_pairs"]
        seeds = f"seeds {first} to {first + count - 1}" if count > 1 else f"seed {first}"
        facts = [f"{result.setting['n_samples']} observations a pair", seeds]
    facts += [f"{name} {value}" for name, value in result.options.items()]
    return ", ".join([result.source, *facts])
