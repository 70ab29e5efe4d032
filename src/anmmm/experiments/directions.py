"""Which variable is the cause, by every method: what figures 3, 4 and 5 measure alike.

A pair comes in, one record a method goes out, and shares of right decisions of many such records.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm.baselines import DIRECTION_BASELINES
from anmmm.direction import dependence_scores, infer_direction
from anmmm.experiments.published import LAMBDAS
from anmmm.experiments.study import Record, attempt
from anmmm.experiments.tables import grouped, mean_error

# Rows of the tables, the honest protocol first: one fixed default, nothing chosen on these data.
DEFAULT = "ANM-MM, default"
FIXED = "ANM-MM, hsic, λ = 1"
# The paper's protocol: best λ of the grid for each setting, chosen on the very data it reports.
PAPER = "ANM-MM, hsic, best λ"
PROGRAM = "ANM-MM, hsic_ratio, best λ"
PROTOCOLS = (DEFAULT, FIXED, PAPER, PROGRAM)

BASELINES = ("anm", "pnl", "igci", "ecp", "lingam")

# Criteria of the paper: its Algorithm 1, and what the authors' program compares.
CRITERIA = {PAPER: "hsic", PROGRAM: "hsic_ratio"}

# Every row, in the order of the tables.
NAMES = (*PROTOCOLS, *(DIRECTION_BASELINES[name]().label for name in BASELINES))

COLUMNS = ("method", "criterion", "lam", "value", "right", "seconds", "problem")


def measure_directions(
    x: FloatArray,
    y: FloatArray,
    *,
    truth: int,
    seed: int,
    by_source: NDArray[np.intp] | None = None,
) -> list[Record]:
    """Score one pair by every method, a record for each method, λ and criterion.

    `right` says whether the sign of the score, `value`, is that of `truth`; no decision, and no
    answer, are not right. `by_source` is an order that puts observations of one source beside each
    other. ECP alone gets the data in this order, because it reads the position in the data as the
    index of the mechanism; the others never see it.
    """
    records: list[Record] = []

    def add(
        method: str, score: float | None, cells: Record, criterion: Any = None, lam: Any = None
    ) -> None:
        right = score is not None and score * truth > 0
        record = {"method": method, "criterion": criterion, "lam": lam, "value": score}
        records.append({**record, "right": right, **cells})

    result, cells = attempt(infer_direction, x, y, random_state=seed)
    score = None if result is None else result.score
    add(DEFAULT, score, cells, "evidence")
    for lam in LAMBDAS:
        result, cells = attempt(infer_direction, x, y, criterion="hsic", lam=lam, random_state=seed)
        for criterion in CRITERIA.values():
            score = None
            if result is not None:
                forward, backward = dependence_scores(result.latent_fits, criterion)
                score = backward - forward
            add("ANM-MM", score, cells, criterion, lam)
    for name in BASELINES:
        method = DIRECTION_BASELINES[name]()
        order = by_source if name == "ecp" and by_source is not None else slice(None)
        score, cells = attempt(method.direction, x[order], y[order], random_state=seed)
        add(method.label, score, cells)
    return records


def accuracies(
    records: list[Record], share: Callable[[list[Record]], tuple[float, float]] | None = None
) -> dict[str, tuple[float, float, float | None]]:
    """Share of right decisions, its error, and the λ chosen, by protocol or method.

    `share` gives (mean, error) of the records of one method; by default each record counts alike.
    """
    share = share or (lambda group: mean_error([record["right"] for record in group]))
    groups = grouped(records, "method", "criterion", "lam")
    shares: dict[str, tuple[float, float, float | None]] = {}
    for name in NAMES:
        tried = LAMBDAS if name in CRITERIA else (None,)
        each = [(*share(groups[key_of(name, lam)]), lam) for lam in tried]
        # The first of equals: the smaller λ.
        shares[name] = max(each, key=lambda entry: entry[0])
    return shares


def key_of(name: str, lam: float | None) -> tuple[str, str | None, float | None]:
    """Return method, criterion and λ of the records behind a row of the tables."""
    if name == DEFAULT:
        return DEFAULT, "evidence", None
    if name == FIXED:
        return "ANM-MM", "hsic", 1.0
    if name in CRITERIA:
        return "ANM-MM", CRITERIA[name], lam
    return name, None, None
