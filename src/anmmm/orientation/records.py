"""What is said of each edge of a graph, as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from anmmm._validation import check_between, check_choice
from anmmm.collection.records import Row
from anmmm.collection.schema import STATUSES, Schema
from anmmm.orientation.graph import MARKS

GIVEN, DATA, OPEN = "given", "data", "open"


@dataclass(frozen=True, repr=False)
class EdgeDecision(Row):
    """One row of an oriented graph: an edge, and why it is as it is.

    Attributes
    ----------
    pair_id : str
        ``source,target`` of the edge as the graph came in, written as a line of CSV.
    status : str
        ``"given"`` where the graph came with the edge so; otherwise that of the pair, see
        `anmmm.PairResult`.
    reason : str
        Why the edge has this direction or none, and remarks on the pair.
    source, target : str
        Cause and effect of a directed edge; of another one its nodes as the graph came in.
    edge : str
        ``"->"``, ``"--"`` (undirected), or ``"<->"`` as it was given.
    by : str
        ``"given"``: the graph had it so; ``"data"``: the decision on its pair; ``"open"``: it is
        undirected, and `reason` says why.
    score : float or None
        Of the pair, positive if the data favor source → target.
    confidence : float or None
        That the sign of the score is right.
    relation : str or None
        ``"source→target"``, ``"target→source"``, ``"independent"`` or ``"undecided"``: what the
        data say of the two nodes by themselves.
    independence_pvalue, check_pvalue : float or None
        See `anmmm.PairResult`; a small `check_pvalue` warns of a common cause.
    model : str or None
        Model of the effect, see `anmmm.PairResult`.
    n : int or None
        Observations that entered.
    seconds : float
        Wall time of the pair.
    """

    pair_id: str
    status: str
    reason: str = ""
    source: str = ""
    target: str = ""
    edge: str = "--"
    by: str = OPEN
    score: float | None = None
    confidence: float | None = None
    relation: str | None = None
    independence_pvalue: float | None = None
    check_pvalue: float | None = None
    model: str | None = None
    n: int | None = None
    seconds: float = 0.0


def _check(values: dict[str, Any]) -> None:
    """Raise ValueError over the values of a row that no oriented graph has."""
    check_choice(values["status"], "status", (*STATUSES, GIVEN))
    check_choice(values["edge"], "edge", MARKS)
    check_choice(values["by"], "by", (GIVEN, DATA, OPEN))
    for name in ("confidence", "independence_pvalue", "check_pvalue"):
        if values[name] is not None:
            check_between(values[name], name, 0.0, 1.0)
    if (values["status"] == GIVEN) != (values["by"] == GIVEN):
        raise ValueError(f"status and by must both be {GIVEN!r}, or neither")


EDGES = Schema("edges", EdgeDecision, check=_check)
