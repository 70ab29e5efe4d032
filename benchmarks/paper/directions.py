"""Which variable is the cause, by every method: what figures 3, 4 and 5 measure and draw alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm import infer_direction
from anmmm._typing import FloatArray
from anmmm.plotting.style import COLORS
from benchmarks.baselines import DIRECTION_BASELINES
from benchmarks.paper.published import LAMBDAS
from benchmarks.paper.study import Record, attempt
from benchmarks.paper.tables import grouped, mean_error

# Rows of the tables, the honest protocol first: one fixed default, nothing chosen on these data.
DEFAULT = "ANM-MM, default"
FIXED = "ANM-MM, hsic, λ = 1"
# The paper's protocol: best λ of the grid for each setting, chosen on the very data it reports.
PAPER = "ANM-MM, hsic, best λ"
PROGRAM = "ANM-MM, hsic_ratio, best λ"

# Criteria of the paper: its Algorithm 1, and what the authors' program compares.
CRITERIA = {PAPER: "hsic", PROGRAM: "hsic_ratio"}

_LABELS = tuple(method.label for method in DIRECTION_BASELINES.values())
# Every row, in the order of the tables.
NAMES = (DEFAULT, FIXED, PAPER, PROGRAM, *_LABELS)


def _style(color: str, marker: str, line: str = "-") -> dict[str, Any]:
    # Dashed lines have hollow markers, for the reader without colors.
    face = color if line == "-" else "#ffffff"
    return {"color": color, "marker": marker, "linestyle": line, "markerfacecolor": face}


# Each method looks the same in every figure.
STYLES: Mapping[str, dict[str, Any]] = {
    DEFAULT: _style("#0072B2", "o"),
    PAPER: _style("#56B4E9", "s"),
    PROGRAM: _style("#56B4E9", "D", "--"),
    FIXED: _style("#0072B2", "o", "--"),
    **dict(zip(_LABELS, map(_style, (*COLORS[1:5], "#000000"), "^vPX*"), strict=True)),
}


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
    add(DEFAULT, None if result is None else result.score, cells, "evidence")
    for lam in LAMBDAS:
        options = {"criterion": "hsic", "fit_options": {"lam": lam}, "random_state": seed}
        result, cells = attempt(infer_direction, x, y, **options)
        for criterion in CRITERIA.values():
            score = None
            if result is not None:
                forward, backward = result.models.scores(criterion)
                score = backward - forward
            add("ANM-MM", score, cells, criterion, lam)
    for name, method in DIRECTION_BASELINES.items():
        order = by_source if name == "ecp" and by_source is not None else slice(None)
        add(method.label, *attempt(method.direction, x[order], y[order]))
    return records


def accuracies(records: list[Record]) -> dict[str, tuple[float, float, float | None]]:
    """Share of right decisions, its error, and the λ chosen, by protocol or method."""
    groups = grouped(records, "method", "criterion", "lam")
    shares: dict[str, tuple[float, float, float | None]] = {}
    for name in NAMES:
        tried = LAMBDAS if name in CRITERIA else (None,)
        entries = []
        for lam in tried:
            right = [record["right"] for record in groups[key_of(name, lam)]]
            entries.append((*mean_error(right), lam))
        # The first of equals: the smaller λ.
        shares[name] = max(entries, key=lambda entry: entry[0])
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
