"""Rows of a collection: one record a pair, whose fields are the columns of files."""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, Any

from anmmm._record import Record
from anmmm._text import hypotheses
from anmmm.direction import DirectionResult
from anmmm.direction.outcome import UNRELATED_GIVEN, format_with_confidence

if TYPE_CHECKING:
    # It loads scikit-learn, which rows do not need.
    from anmmm.clustering import ClusteringResult


class Row(Record, eq=True):
    """Base of rows of plain values, which compare as dataclasses."""

    pair_id: str
    status: str
    reason: str = ""
    x: str = "x"
    y: str = "y"
    cause: str | None = None
    effect: str | None = None
    n: int | None = None

    @classmethod
    def column_names(cls) -> tuple[str, ...]:
        """Names of the columns: all fields but `result`, with status and reason after seconds."""
        names = [each.name for each in fields(cls) if each.name != "result"]
        names.remove("status")
        names.remove("reason")
        at = names.index("seconds") + 1
        return (*names[:at], "status", "reason", *names[at:])

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a flat dict of plain values, in the order of the columns."""
        return {name: getattr(self, name) for name in self.column_names()}


class PairResult(Row, eq=True):
    """One row of a collection's results.

    Attributes
    ----------
    pair_id : str
        Identifier of the pair in its source.
    x, y : str
        Names of both variables; ``"x"`` and ``"y"`` if the source has none.
    cause, effect : str or None
        Names of the variables in the decided direction.
    status : str
        ``"ok"``; ``"unusable"`` if the data cannot be analyzed; ``"error"`` if the analysis failed
        unexpectedly; ``"lost"`` if the worker process died.
    reason : str
        Why there is no result, or remarks on the result; may be empty.
    n : int or None
        Observations in the source, after incomplete rows were dropped.
    n_used : int or None
        Observations used; less than `n` if the pair was subsampled.
    subsample_seed : int or None
        Seed of the subsample, if one was drawn.
    direction : int or None
        1, -1 or 0; see `DirectionResult`.
    score, forward_score, backward_score : float or None
        See `DirectionResult`.
    forward_pvalue, backward_pvalue : float or None
        See `DirectionResult`; None under ``"evidence"``, which does not need their fits.
    confidence : float or None
        See `DirectionResult`; None under other criteria than ``"evidence"``.
    converged : bool or None
        Whether both fits, or the chosen models of both directions, converged.
    model : str or None
        Under ``"evidence"`` the model of the effect in the chosen direction, such as
        ``"anm-2"``; see `DirectionEvidence`.
    n_mechanisms : int or None
        Number of mechanisms of that model.
    engine : str or None
        Engine of the GPPOM fit in the chosen direction (x → y if undecided); None under
        ``"evidence"``.
    rank : int or None
        Rank of that fit's factor; None for the dense engine.
    seconds : float
        Wall time of the pair.
    truth : int or None
        1, -1, 0, or None if unknown.
    weight : float
        Weight of the pair in the collection's accuracy.
    group : str or None
        Data set of the pair.
    relation : str or None
        ``"x->y"``, ``"y->x"``, ``"common cause"``, ``"independent"`` or ``"undecided"``; see
        `DirectionResult`.
    dependence : float or None
        See `DirectionResult`; None under other criteria than ``"evidence"``.
    independence_pvalue : float or None
        P-value of the HSIC test of x and y.
    check_pvalue : float or None
        Whether the model in the decided direction fits; see `DirectionResult`.
    probability_common_cause : float or None
        Probability of a hidden common cause; None if it was not tried.
    explained_by : str or None
        Names of one or two other columns of the table given which no further dependence of x and y
        was found, as a line of CSV (``infer_directions(table, columns="all")``); None without any.
        These may be causes, effects or between x and y: x may still cause y directly.
    plausible : str or None
        The most probable relations that together have 0.9, joined by ``"; "``; None under other
        criteria than ``"evidence"``.
    log_odds : float or None
        See `DirectionResult`; None under other criteria than ``"evidence"``.
    result : DirectionResult or None
        The whole result, if requested (`infer_directions` with ``keep_results=True``).
    """

    direction: int | None = None
    score: float | None = None
    forward_score: float | None = None
    backward_score: float | None = None
    forward_pvalue: float | None = None
    backward_pvalue: float | None = None
    confidence: float | None = None
    n_mechanisms: int | None = None
    converged: bool | None = None
    engine: str | None = None
    rank: int | None = None
    seconds: float = field(default=0.0, compare=False)
    truth: int | None = None
    weight: float = 1.0
    group: str | None = None
    n_used: int | None = None
    subsample_seed: int | None = None
    model: str | None = None
    relation: str | None = None
    dependence: float | None = None
    independence_pvalue: float | None = None
    check_pvalue: float | None = None
    probability_common_cause: float | None = None
    explained_by: str | None = None
    plausible: str | None = None
    log_odds: float | None = None
    result: DirectionResult | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        if self.status != "ok":
            return f"<PairResult {self.pair_id}: {self.status}, {self.reason}>"
        text = format_with_confidence(self, hypotheses(self.x, self.y))
        if self.explained_by:
            text += f", {UNRELATED_GIVEN} {self.explained_by}"
        return f"<PairResult {self.pair_id}: {text}>"


class PairClusters(Row, eq=True):
    """One row of a collection's mechanism labels.

    Attributes
    ----------
    pair_id, status, reason
        As in `PairResult`. Under ``"ok"`` the reason explains labels that were not refined.
    n : int or None
        Observations, after incomplete rows were dropped.
    x, y : str
        Names of both variables; ``"x"`` and ``"y"`` if the source has none.
    cause, effect : str or None
        Names of the variable used as the cause, and of the other one.
    cause_source : str or None
        ``"truth"``, ``"inferred"`` or ``"given"``.
    n_mechanisms : int or None
        Number requested, or chosen.
    labels : list of int or None
        Mechanism of each observation, from 0.
    sizes : list of int or None
        Observations of each mechanism.
    refined : bool or None
        Whether the labels are those of the mixture; see `ClusteringResult`.
    converged : bool or None
        Whether the fit of Θ converged.
    engine : str or None
        Engine of that fit.
    rank : int or None
        Rank of its factor; None for the dense engine.
    seconds, truth, weight, group
        As in `PairResult`.
    result : ClusteringResult or None
        The whole result, if requested.
    """

    cause_source: str | None = None
    n_mechanisms: int | None = None
    labels: list[int] | None = None
    sizes: list[int] | None = None
    refined: bool | None = None
    converged: bool | None = None
    engine: str | None = None
    rank: int | None = None
    seconds: float = field(default=0.0, compare=False)
    truth: int | None = None
    weight: float = 1.0
    group: str | None = None
    result: ClusteringResult | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        if self.status != "ok" or self.sizes is None:
            return f"<PairClusters {self.pair_id}: {self.status}, {self.reason}>"
        sizes = ", ".join(map(str, self.sizes))
        return f"<PairClusters {self.pair_id}: {self.cause} → {self.effect}, mechanisms of {sizes}>"
