"""How good decisions are: a criterion runs over many pairs, accuracies and their errors come out.

Pairs come in as a source of `anmmm.infer_directions` or as the name of a synthetic setting; an
`Evaluation` goes out. Plots are in `anmmm.plotting`, the command is ``anmmm evaluate``.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from anmmm._record import Record
from anmmm._validation import MIN_SAMPLES, as_finite, check_count, check_rng
from anmmm.collection import CollectionSummary, as_pairs, infer_directions, summarize
from anmmm.datasets import SETTINGS, Pair, Setting
from anmmm.results import PairResult

__all__ = [
    "DecisionRates",
    "Evaluation",
    "accuracy_errors",
    "decision_rates",
    "evaluate",
    "flipped_auc",
    "signed_rates",
]

FloatArray = NDArray[np.float64]

RATES = tuple(tenth / 10 for tenth in range(1, 11))
N_PAIRS, N_SAMPLES = 50, 100
# Draws of which pairs are exchanged, and of pairs for the standard error.
N_FLIPS = 100
N_BOOTSTRAP = 1000
# Pairs up to which the weighted accuracy is resampled.
MOST_RESAMPLED = 20_000


@dataclass(frozen=True, eq=False, repr=False)
class DecisionRates(Record):
    """Accuracy against the share of pairs that are decided, the most certain ones first.

    Attributes
    ----------
    rates : ndarray of shape (n_rates,)
        Decided share of the total weight.
    accuracy : ndarray of shape (n_rates,)
        Correct share of what is decided.
    error : ndarray of shape (n_rates,)
        Standard error of `accuracy` as of a proportion, with the effective number of decided pairs
        ``(Σw)² / Σw²``. Zero where all or none are correct, which does not mean certainty.
    thresholds : ndarray of shape (n_rates,)
        Certainty of the least certain pair decided: deciding from there on gives the rate.
    """

    rates: FloatArray
    accuracy: FloatArray
    error: FloatArray
    thresholds: FloatArray

    def to_dict(self) -> dict[str, list[float]]:
        """Return the fields as a dict of lists."""
        return {name: values.tolist() for name, values in asdict(self).items()}


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Record):
    """What `evaluate` found.

    Attributes
    ----------
    source : str
        Name of the setting, folder, or kind of the source.
    setting : dict or None
        ``n_pairs``, ``n_samples`` and ``first_seed`` of a synthetic setting.
    seed : int
        Seed of everything drawn.
    options : dict
        What was passed on to `anmmm.infer_direction`.
    summary : CollectionSummary
        Counts and accuracies. An undecided pair of known direction counts as wrong.
    accuracy_error : float or None
        Standard error of ``summary.accuracy``; None for fewer than two scored pairs.
    weighted_accuracy_error : float or None
        Standard error of ``summary.weighted_accuracy``, by resampling pairs.
    auc : float or None
        See `flipped_auc`; None for fewer than two scored pairs.
    ordered_by : str
        What `decision_rates` took as certainty: ``"|score|"`` or ``"confidence"``.
    decision_rates : DecisionRates or None
        At rates of 10 % to 100 %, by weight, as if every pair were decided by the sign of its
        score; None if the scored pairs weigh nothing.
    seconds_per_pair : float or None
        Median wall time of the analysed pairs.
    rows : tuple of PairResult
        Every pair.
    """

    source: str
    setting: dict[str, int] | None
    seed: int
    options: dict[str, Any]
    summary: CollectionSummary
    accuracy_error: float | None
    weighted_accuracy_error: float | None
    auc: float | None
    ordered_by: str
    decision_rates: DecisionRates | None
    seconds_per_pair: float | None
    rows: tuple[PairResult, ...]

    @property
    def failures(self) -> dict[str, str]:
        """Status and reason of each pair that was not analysed, by id."""
        return {
            row.pair_id: f"{row.status}: {row.reason}" for row in self.rows if row.status != "ok"
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as a dict of plain values.

        Returns
        -------
        dict
            With ``"failures"``.
        """
        document = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name != "rows"
        }
        document["summary"] = self.summary.to_dict()
        if self.decision_rates is not None:
            document["decision_rates"] = self.decision_rates.to_dict()
        document["failures"] = self.failures
        return document

    def __str__(self) -> str:
        """Return aligned text, as ``anmmm evaluate`` prints it."""
        return "\n".join(_lines(self))


def evaluate(
    source: Any,
    *,
    n_pairs: int | None = None,
    n_samples: int | None = None,
    seed: int = 0,
    max_samples: int | None = None,
    n_jobs: int = 1,
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
    seed : int
        The pairs of a setting are drawn with seeds `seed`, ``seed + 1``, …; it also seeds the
        fits, subsamples and standard errors.
    max_samples : int or None
        Larger pairs are cut to this many observations; see `anmmm.infer_directions`.
    n_jobs : int
        Number of processes; -1 is one a core.
    progress : bool
        Whether to show a progress bar on standard error.
    **options
        Keyword arguments of `anmmm.infer_direction`, such as ``criterion``.

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
    seed = check_count(seed, "seed", minimum=0)
    setting = None
    pairs: Any
    if isinstance(source, str) and source in SETTINGS:
        count = check_count(N_PAIRS if n_pairs is None else n_pairs, "n_pairs")
        size = check_count(
            N_SAMPLES if n_samples is None else n_samples, "n_samples", minimum=MIN_SAMPLES
        )
        pairs = _Drawn(SETTINGS[source], count, size, seed)
        setting = {"n_pairs": count, "n_samples": size, "first_seed": seed}
    else:
        for name, value in (("n_pairs", n_pairs), ("n_samples", n_samples)):
            if value is not None:
                raise ValueError(
                    f"{name} is for the settings by name ({', '.join(SETTINGS)}), and source is "
                    f"none of them; leave it out, or cut larger pairs with max_samples"
                )
        pairs = _open(source)
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
    return _measure(rows, _name(source), setting, seed, options)


def decision_rates(
    certainty: Any, correct: Any, weights: Any = None, *, rates: Sequence[float] = RATES
) -> DecisionRates:
    """Accuracy of the most certain decisions, for several shares of pairs that are decided.

    Parameters
    ----------
    certainty : array-like of shape (n_pairs,)
        Confidence or score of each pair; only the order of the absolute values matters.
    correct : array-like of bool, shape (n_pairs,)
        Whether the decision is right.
    weights : array-like of shape (n_pairs,), optional
        Weight of each pair; equal by default.
    rates : sequence of float
        Shares in (0, 1] of the total weight.

    Returns
    -------
    DecisionRates
        A pair on the boundary of a share enters with the part of its weight that fits. Pairs of
        equal certainty enter together, so that their order does not matter.

    Raises
    ------
    TypeError, ValueError
        If the lengths differ, or a value is out of range.

    Examples
    --------
    >>> found = decision_rates([0.9, 0.8, 0.6, 0.5], [True, True, False, True], rates=[0.5, 1])
    >>> found.accuracy.tolist(), found.thresholds.tolist()
    ([1.0, 0.75], [0.8, 0.5])
    """
    size = np.abs(_as_vector(certainty, "certainty"))
    right = _as_vector(correct, "correct", len(size))
    if not np.isin(right, (0.0, 1.0)).all():
        raise ValueError("correct must be True or False for each pair")
    weight = np.ones(len(size)) if weights is None else _as_vector(weights, "weights", len(size))
    if np.any(weight < 0.0) or weight.sum() <= 0.0:
        raise ValueError("weights must not be negative and must not sum to zero")
    shares = _as_vector(rates, "rates")
    if np.any(shares <= 0.0) or np.any(shares > 1.0):
        raise ValueError(f"rates must be above 0 and at most 1, found {shares.tolist()}")

    # One group a distinct certainty, the highest first.
    values, group = np.unique(-size[weight > 0.0], return_inverse=True)
    right, weight = right[weight > 0.0], weight[weight > 0.0]
    decided, correctly, squares = (
        np.concatenate([[0.0], np.cumsum(np.bincount(group, weights=each))])
        for each in (weight, weight * right, weight**2)
    )
    target = shares * decided[-1]
    accuracy = np.clip(np.interp(target, decided, correctly) / target, 0.0, 1.0)
    effective = np.maximum(target**2 / np.interp(target, decided, squares), 1.0)
    # Rounding must not ask for one more pair than a share holds.
    last = np.searchsorted(decided[1:], target * (1.0 - 1e-12))
    return DecisionRates(
        rates=shares,
        accuracy=accuracy,
        error=np.sqrt(accuracy * (1.0 - accuracy) / effective),
        thresholds=-values[last],
    )


def flipped_auc(
    scores: Any, truths: Any, *, n_flips: int = N_FLIPS, random_state: Any = None
) -> float:
    """Area under the ROC curve when random halves of the pairs are exchanged.

    In a collection the cause may stand first in every pair; there is then nothing to tell apart,
    and a criterion that always says "x causes y" would look perfect. Exchanging x and y negates
    score and truth.

    Parameters
    ----------
    scores : array-like of shape (n_pairs,)
        Signed score of each pair; positive means x causes y.
    truths : array-like of shape (n_pairs,)
        1 or -1.
    n_flips : int
        Number of draws that are averaged.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the draws.

    Returns
    -------
    float
        In each draw x is the cause in one half of the pairs (rounded down) and y in the others.

    Raises
    ------
    TypeError, ValueError
        If there are fewer than two pairs, the lengths differ, or a truth is neither 1 nor -1.

    Examples
    --------
    >>> flipped_auc([2.0, 1.0, 0.5, 3.0], [1, 1, 1, 1], random_state=0)
    1.0
    """
    values = _as_vector(scores, "scores")
    signs = _as_vector(truths, "truths", len(values))
    if len(values) < 2:
        raise ValueError(f"scores must hold at least two pairs, found {len(values)}")
    if not np.isin(signs, (-1.0, 1.0)).all():
        raise ValueError("truths must be 1 or -1 for each pair")
    rng = check_rng(random_state)
    halves = np.where(np.arange(len(values)) < len(values) // 2, 1.0, -1.0)
    areas = []
    for _ in range(check_count(n_flips, "n_flips")):
        target = rng.permutation(halves)
        areas.append(roc_auc_score(target, values * signs * target))
    return float(np.mean(areas))


class _Drawn:
    """Pairs of a setting, drawn while they are asked for."""

    def __init__(self, setting: Setting, count: int, size: int, first_seed: int) -> None:
        self._setting = setting
        self._size = size
        self._seeds = range(first_seed, first_seed + count)

    def __len__(self) -> int:
        return len(self._seeds)

    def __iter__(self) -> Iterator[Pair]:
        for seed in self._seeds:
            x, y = self._setting.draw(self._size, random_state=seed)
            yield Pair(f"{self._setting.name} seed {seed}", x, y, truth=1)


def _open(source: Any) -> Any:
    try:
        return as_pairs(source)
    except FileNotFoundError:
        if isinstance(source, str) and os.path.basename(source) == source:
            raise ValueError(
                f"{source}: neither a folder nor a setting; the settings are {', '.join(SETTINGS)}"
            ) from None
        raise


def _name(source: Any) -> str:
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else type(source).__name__


def _as_vector(values: Any, name: str, length: int | None = None) -> FloatArray:
    vector = as_finite(values, name)
    if vector.ndim != 1 or len(vector) == 0:
        raise ValueError(f"{name} must have one value for each pair, found shape {vector.shape}")
    if length is not None and len(vector) != length:
        raise ValueError(
            f"{name} must hold {length} values, one for each pair; found {len(vector)}"
        )
    return vector


def _measure(
    rows: tuple[PairResult, ...],
    source: str,
    setting: dict[str, int] | None,
    seed: int,
    options: dict[str, Any],
) -> Evaluation:
    analysed = [row for row in rows if row.status == "ok"]
    scored = [row for row in analysed if row.truth in (1, -1)]
    truths = np.array([row.truth or 0 for row in scored])
    scores = np.array([row.score or 0.0 for row in scored])
    weights = np.array([row.weight for row in scored])
    right = np.array([row.direction == row.truth for row in scored], dtype=float)
    confidences = [row.confidence for row in scored]
    ordered_by, decisions = signed_rates(
        scores, truths, weights, None if None in confidences else np.array(confidences)
    )
    error, weighted_error = accuracy_errors(right, weights, seed=seed)
    return Evaluation(
        source=source,
        setting=setting,
        seed=seed,
        options=options,
        summary=summarize(rows),
        accuracy_error=error,
        weighted_accuracy_error=weighted_error,
        auc=flipped_auc(scores, truths, random_state=seed) if len(scored) > 1 else None,
        ordered_by=ordered_by,
        decision_rates=decisions,
        seconds_per_pair=(statistics.median(row.seconds for row in analysed) if analysed else None),
        rows=rows,
    )


def signed_rates(
    scores: FloatArray,
    truths: NDArray[Any],
    weights: FloatArray,
    confidences: FloatArray | None,
) -> tuple[str, DecisionRates | None]:
    """Return decision rates, as if every pair were decided by the sign of its score.

    Parameters
    ----------
    scores, truths, weights : ndarray of shape (n_scored,)
        Signed score, true direction (1 or -1) and weight of each pair.
    confidences : ndarray of shape (n_scored,) or None
        What the pairs are ordered by; None where not every pair has one, and then it is |score|.

    Returns
    -------
    str
        ``"confidence"`` or ``"|score|"``.
    DecisionRates or None
        None if the pairs weigh nothing.
    """
    # Criteria that come without a confidence are ordered by their score.
    by_confidence = confidences is not None and len(scores) > 0
    decisions = None
    if weights.sum() > 0.0:
        certainty = confidences if by_confidence else scores
        decisions = decision_rates(certainty, np.sign(scores) == truths, weights)
    return "confidence" if by_confidence else "|score|", decisions


def accuracy_errors(
    right: FloatArray, weights: FloatArray, *, seed: int = 0
) -> tuple[float | None, float | None]:
    """Return the standard errors of the accuracy and of the weighted accuracy.

    Parameters
    ----------
    right : ndarray of shape (n_scored,)
        1.0 for a right decision, 0.0 for another.
    weights : ndarray of shape (n_scored,)
    seed : int
        Seed of the resampling.

    Returns
    -------
    float or None
        Of ``right.mean()``; None for fewer than two pairs.
    float or None
        Of the weighted mean, by resampling pairs of positive weight; None for fewer than two of
        them. Above 20 000 pairs, where 1000 resamplings take seconds, to first order instead,
        which says the same there.
    """
    plain = float(np.std(right, ddof=1) / np.sqrt(len(right))) if len(right) > 1 else None
    right, weights = right[weights > 0.0], weights[weights > 0.0]
    n = len(right)
    if n < 2:
        return plain, None
    if n > MOST_RESAMPLED:
        deviation = weights * (right - weights @ right / weights.sum())
        return plain, float(np.sqrt(deviation @ deviation) / weights.sum())
    rng = np.random.default_rng(seed)
    drawn = np.empty(N_BOOTSTRAP)
    for index in range(N_BOOTSTRAP):
        rows = rng.integers(n, size=n)
        drawn[index] = weights[rows] @ right[rows] / weights[rows].sum()
    return plain, float(drawn.std(ddof=1))


def _lines(result: Evaluation) -> Iterator[str]:
    summary = result.summary
    yield _title(result)
    yield ""
    counts = [
        f"{summary.n_scored} of known direction",
        f"{summary.n_undecided} undecided",
        f"{summary.n_unusable} unusable",
        f"{summary.n_error} failed",
    ]
    yield f"pairs              {summary.n_pairs:>5}   ({', '.join(counts)})"
    if summary.accuracy is None:
        yield "accuracy           unknown: no analysed pair has a known direction"
    else:
        yield f"accuracy           {_with_error(summary.accuracy, result.accuracy_error)}"
    if summary.weighted_accuracy is not None:
        error = result.weighted_accuracy_error
        weight = f"(total weight {summary.total_weight:.6g})"
        yield f"weighted accuracy  {_with_error(summary.weighted_accuracy, error)}   {weight}"
    if result.auc is not None:
        yield f"ROC-AUC            {result.auc:.3f}   (random halves of the pairs exchanged)"
    if result.seconds_per_pair is not None:
        yield f"seconds per pair   {result.seconds_per_pair:.3f}   (median)"
    rates = result.decision_rates
    if rates is not None:
        label = result.ordered_by
        width = max(len(label) + len("least "), 9)
        yield ""
        yield f"decided  {'accuracy':<13}  {'least ' + label:>{width}}"
        for rate, accuracy, error, least in zip(
            rates.rates, rates.accuracy, rates.error, rates.thresholds, strict=True
        ):
            yield f"{rate:>6.0%}   {_with_error(accuracy, error)}  {least:>{width}.4g}"
    if result.failures:
        width = max(map(len, result.failures))
        yield ""
        yield "not analysed"
        yield from (f"{pair:<{width}}  {reason}" for pair, reason in result.failures.items())


def _title(result: Evaluation) -> str:
    title = result.source
    if result.setting is not None:
        first, count = result.setting["first_seed"], result.setting["n_pairs"]
        title += f", {result.setting['n_samples']} observations a pair, "
        title += f"seeds {first} to {first + count - 1}" if count > 1 else f"seed {first}"
    else:
        title += f", seed {result.seed}"
    for name, value in result.options.items():
        title += f", {name} {value}"
    return title


def _with_error(value: float, error: float | None) -> str:
    return f"{value:.3f}" if error is None else f"{value:.3f} ± {error:.3f}"
