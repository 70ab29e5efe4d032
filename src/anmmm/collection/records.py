"""Rows of a collection: one record a pair, whose fields are the columns of files."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any

from anmmm._record import Record
from anmmm._text import hypotheses
from anmmm.direction.outcome import format_with_confidence


class Row(Record, eq=True):
    """Fields of rows of every kind; rows compare by all fields but `seconds`."""

    pair_id: str
    status: str
    notes: str = ""
    x: str = "x"
    y: str = "y"
    n: int | None = None
    n_dropped: int = 0
    truth: int | None = None
    weight: float = 1.0
    group: str | None = None
    seconds: float = field(default=0.0, compare=False)

    @classmethod
    def columns(cls) -> dict[str, str]:
        """Return the type of each field by its name, such as ``"int"``."""
        return {column.name: str(column.type).removesuffix(" | None") for column in fields(cls)}

    def __post_init__(self) -> None:
        # Files have lists.
        for name, value in vars(self).items():
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict of plain values."""
        return dict(vars(self))


class PairResult(Row, eq=True):
    """One row of a collection's results.

    Attributes
    ----------
    pair_id : str
        Identifier of the pair in its source.
    status : str
        ``"ok"``; ``"unusable"`` if the data cannot be analyzed; ``"error"`` if the analysis failed
        unexpectedly.
    notes : str
        Why there is no result, or notes on the result; may be empty.
    x, y : str
        Names of both variables; ``"x"`` and ``"y"`` if the source has none.
    n, n_dropped : int or None, int
        Observations that were compared, and incomplete rows that were left out.
    truth, weight, group : int or None, float, str or None
        Known direction, weight in the collection's accuracy, and data set of the pair.
    seconds : float
        Wall time of the pair.
    relation : str or None
        ``"x->y"``, ``"y->x"``, ``"common cause"``, ``"independent"`` or ``"undecided"``.
    direction : int or None
        1, -1 or 0.
    score, log_odds : float or None
        See `DirectionResult`.
    confidence : float or None
        Probability of the direction; None under other criteria than ``"evidence"``, as are
        `log_odds`, `plausible`, `probabilities`, `model` and `check_pvalue`.
    plausible : str or None
        The most probable relations that together have 0.9, joined by ``"; "``.
    probabilities : tuple of float or None
        Of x → y, y → x, a common cause, and independence.
    model : str or None
        Model of the effect in the chosen direction, such as ``"anm-2"``.
    n_mechanisms : int or None
        Number of mechanisms of that model.
    converged : bool or None
        Whether the chosen models of both directions, or both fits, converged.
    check_pvalue : float or None
        Whether the model in the decided direction fits.
    independence_pvalue : float or None
        P-value of the HSIC test of x and y.
    """

    relation: str | None = None
    direction: int | None = None
    score: float | None = None
    log_odds: float | None = None
    confidence: float | None = None
    plausible: str | None = None
    probabilities: tuple[float, ...] | None = None
    model: str | None = None
    n_mechanisms: int | None = None
    converged: bool | None = None
    check_pvalue: float | None = None
    independence_pvalue: float | None = None

    @property
    def cause(self) -> str | None:
        """Name of the cause; None without a direction."""
        return {1: self.x, -1: self.y}.get(self.direction or 0)

    @property
    def effect(self) -> str | None:
        """Name of the effect; None without a direction."""
        return {1: self.y, -1: self.x}.get(self.direction or 0)

    @property
    def is_right(self) -> bool | None:
        """Whether the direction is the true one; None if the pair has no result or no truth."""
        if self.status != "ok" or self.truth not in (1, -1):
            return None
        return self.direction == self.truth

    def __repr__(self) -> str:
        if self.status != "ok":
            return f"<PairResult {self.pair_id}: {self.status}, {self.notes}>"
        text = format_with_confidence(self, hypotheses(self.x, self.y))
        return f"<PairResult {self.pair_id}: {text}>"


class PairClusters(Row, eq=True):
    """One row of a collection's mechanism labels.

    Attributes
    ----------
    pair_id, status, x, y, n, n_dropped, truth, weight, group, seconds
        As in `PairResult`.
    notes : str
        Under ``"ok"`` explains labels that were not refined.
    cause, effect : str or None
        Names of the variable used as the cause, and of the other one.
    cause_source : str or None
        ``"truth"``, ``"inferred"`` or ``"given"``.
    n_mechanisms : int or None
        Number requested, or chosen.
    labels : tuple of int or None
        Mechanism of each observation, from 0.
    sizes : tuple of int or None
        Observations of each mechanism.
    refined : bool or None
        Whether the labels are those of the mixture; see `ClusteringResult`.
    converged : bool or None
        Whether the fit of Θ converged.
    """

    cause: str | None = None
    effect: str | None = None
    cause_source: str | None = None
    n_mechanisms: int | None = None
    labels: tuple[int, ...] | None = None
    sizes: tuple[int, ...] | None = None
    refined: bool | None = None
    converged: bool | None = None

    def __repr__(self) -> str:
        if self.status != "ok" or self.sizes is None:
            return f"<PairClusters {self.pair_id}: {self.status}, {self.notes}>"
        sizes = ", ".join(map(str, self.sizes))
        return f"<PairClusters {self.pair_id}: {self.cause} → {self.effect}, mechanisms of {sizes}>"
