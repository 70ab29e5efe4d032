"""Run a criterion over many pairs, and estimate its accuracies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anmmm._record import Record
from anmmm._text import table_lines
from anmmm.collection import CollectionSummary, infer_directions, summarize
from anmmm.collection.records import PairResult
from anmmm.evaluation.rates import DecisionRates, decision_rates, standard_error


class Evaluation(Record):
    """Accuracies measured by `evaluate`.

    Attributes
    ----------
    source : str
        Path or kind of the source.
    summary : CollectionSummary
        Counts and accuracies. An undecided pair of known direction counts as wrong.
    n_groups : int
        Data sets that the scored pairs come from (`Pair.group`; a pair without one is its own).
        All errors are between them.
    accuracy_error, weighted_accuracy_error : float or None
        Standard errors of ``summary.accuracy`` and ``summary.weighted_accuracy``; None for fewer
        than two data sets.
    ordered_by : str
        Certainty used by `decision_rates`: ``"|score|"`` or ``"confidence"``.
    decision_rates : DecisionRates or None
        Accuracy of the most certain 10 % to 100 % of the weight, as if every pair were decided by
        the sign of its log-odds (of its score without any): arrays `rates`, `accuracy`, `error`
        (NaN for a single data set) and `thresholds`. None if the scored pairs weigh nothing.
    rows : tuple of PairResult
        Every pair.
    """

    source: str
    summary: CollectionSummary
    n_groups: int
    accuracy_error: float | None
    weighted_accuracy_error: float | None
    ordered_by: str
    decision_rates: DecisionRates | None
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
            arrays = self.decision_rates._asdict()
            document["decision_rates"] = {name: array.tolist() for name, array in arrays.items()}
        del document["rows"]
        return document

    def __str__(self) -> str:
        """Return aligned text, as ``anmmm evaluate`` prints it."""
        return "\n".join(_lines(self))


def evaluate(source: Any, *, random_state: int = 0, **options: Any) -> Evaluation:
    """Run a criterion over pairs of known direction and measure its decisions.

    Parameters
    ----------
    source : str, path-like, mapping or iterable
        Pairs, as `anmmm.infer_directions` takes them. Those of unknown direction are not scored.
    random_state : int
        Seed of the fits and subsamples.
    **options
        Options of `anmmm.infer_directions`, such as ``criterion``, ``max_samples`` or ``n_jobs``.

    Returns
    -------
    Evaluation

    Raises
    ------
    TypeError, ValueError, OSError
        As `anmmm.infer_directions`.

    Examples
    --------
    >>> from anmmm import evaluate
    >>> from anmmm.datasets import Pair, make_anm_mixture
    >>> pairs = [Pair(f"{k}", *make_anm_mixture("f3", random_state=k)[:2], truth=1) for k in (0, 1)]
    >>> result = evaluate(pairs)
    >>> result.summary.n_scored, result.failures
    (2, {})
    """
    is_path = isinstance(source, (str, os.PathLike))
    name = os.fspath(source) if is_path else type(source).__name__
    with infer_directions(source, random_state=random_state, **options) as results:
        return measure(tuple(results), name)


def measure(rows: Sequence[PairResult], source: str = "") -> Evaluation:
    """Return the measures of rows."""
    scored = [row for row in rows if row.status == "ok" and row.is_right is not None]
    right = np.array([row.is_right for row in scored], dtype=float)
    weights = np.array([row.weight for row in scored])
    truths = np.array([row.truth for row in scored])
    groups = [row.group for row in scored]
    # Criteria without a confidence are ordered by their score.
    has_confidence = bool(scored) and all(row.confidence is not None for row in scored)
    log_odds = np.array([_log_odds(row) for row in scored])
    certainties = log_odds
    if has_confidence:
        certainties = np.array([row.confidence for row in scored])
    rates = None
    if weights.sum() > 0.0:
        rates = decision_rates(certainties, np.sign(log_odds) == truths, weights, groups=groups)
    return Evaluation(
        source=source,
        summary=summarize(rows),
        n_groups=len({group for group in groups if group is not None}) + groups.count(None),
        accuracy_error=_known(standard_error(right, groups=groups)),
        weighted_accuracy_error=_known(standard_error(right, weights, groups)),
        ordered_by="confidence" if has_confidence else "|score|",
        decision_rates=rates,
        rows=tuple(rows),
    )


def _log_odds(row: PairResult) -> float:
    """Return the log-odds of x → y, or the score of a criterion without them."""
    return (row.score if row.log_odds is None else row.log_odds) or 0.0


def _known(error: float) -> float | None:
    return None if np.isnan(error) else error


def _lines(result: Evaluation) -> Iterator[str]:
    yield result.source
    yield ""
    yield from str(result.summary).splitlines()
    summary = result.summary
    accuracies = {
        "accuracy": (summary.accuracy, result.accuracy_error),
        "weighted accuracy": (summary.weighted_accuracy, result.weighted_accuracy_error),
    }
    for name, (accuracy, error) in accuracies.items():
        if accuracy is not None:
            text = f"{name:<17}  {accuracy:.3f}"
            if error is not None:
                text += f" ± {error:.3f} (between {result.n_groups} data sets)"
            yield text
    if result.decision_rates is not None:
        heads = {"decided": "<7", "accuracy": "<13", f"least {result.ordered_by}": ">9"}
        cells: list[tuple[str, str, str]] = []
        for rate, accuracy, error, threshold in zip(*result.decision_rates, strict=True):
            shown_error = "" if np.isnan(error) else f" ± {error:.3f}"
            line = (f"{rate:>6.0%}", f"{accuracy:.3f}{shown_error}", f"{threshold:.4g}")
            # Pairs of equal certainty enter together, for several fractions at once.
            if line not in cells[-1:]:
                cells.append(line)
        yield ""
        yield from table_lines(heads, cells)
    for pair_id, reason in result.failures.items():
        yield f"{pair_id}  {reason}"
