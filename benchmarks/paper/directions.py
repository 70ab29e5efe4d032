"""Which variable is the cause, by every method: what figures 3, 4 and 5 measure and draw alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from anmmm import infer_direction
from anmmm._typing import FloatArray
from anmmm.plotting.style import COLORS
from benchmarks.baselines import DIRECTION_BASELINES
from benchmarks.paper.common import Score, attempt, mean_error
from benchmarks.paper.published import LAMBDAS
from benchmarks.runs import Row

# Rows of the tables, the honest protocol first: one fixed default, nothing chosen on these data.
DEFAULT = "ANM-MM, default"
FIXED = "ANM-MM, hsic, λ = 1"
# The paper's protocol: best λ of the grid for each setting, chosen on the very data it reports.
PAPER = "ANM-MM, hsic, best λ"
PROGRAM = "ANM-MM, hsic_ratio, best λ"
# Fits of the latent, whose columns are scores of the paper's Algorithm 1 and of what the authors'
# program compares.
LATENT = "ANM-MM"
CRITERIA = {PAPER: "value", PROGRAM: "ratio"}
LABELS = {method.label: name for name, method in DIRECTION_BASELINES.items()}
# Every row, in the order of the tables.
NAMES = (DEFAULT, FIXED, PAPER, PROGRAM, *LABELS)
# Method and λ of everything that is computed.
METHODS = [(DEFAULT, "")]
METHODS += [(LATENT, f"{lam:g}") for lam in LAMBDAS]
METHODS += [(label, "") for label in LABELS]
# Color, marker and line of each method, the same in every figure.
_LOOKS = {
    DEFAULT: ("#0072B2", "o", "-"),
    PAPER: ("#56B4E9", "s", "-"),
    PROGRAM: ("#56B4E9", "D", "--"),
    FIXED: ("#0072B2", "o", "--"),
}
for _label, _color, _marker in zip(LABELS, (*COLORS[1:5], "#000000"), "^vPX*", strict=True):
    _LOOKS[_label] = (_color, _marker, "-")
STYLES: dict[str, dict[str, Any]] = {
    name: {
        "color": color,
        "marker": marker,
        "linestyle": line,
        # Dashed lines have hollow markers, for the reader without colors.
        "markerfacecolor": color if line == "-" else "#ffffff",
    }
    for name, (color, marker, line) in _LOOKS.items()
}


def with_methods(data_sets: list[Row]) -> list[Row]:
    """Return a task for each data set and method."""
    return [
        data_set | {"method": method, "lam": lam}
        for data_set in data_sets
        for method, lam in METHODS
    ]


def measure(
    x: FloatArray,
    y: FloatArray,
    *,
    method: str,
    lam: str,
    seed: int,
    by_source: NDArray[np.intp] | None = None,
) -> Row:
    """Score one pair by a method: positive where x causes y.

    `by_source` is an order that puts observations of one source beside each other. ECP alone gets
    the data in this order, because it reads the position in the data as the index of the mechanism.
    """

    def compute() -> Row:
        if method == DEFAULT:
            return {"value": infer_direction(x, y, random_state=seed).score}
        if method == LATENT:
            options = {"criterion": "hsic", "fit_options": {"lam": float(lam)}}
            models = infer_direction(x, y, random_state=seed, **options).models
            columns = {}
            for criterion, column in (("hsic", "value"), ("hsic_ratio", "ratio")):
                forward, backward = models.scores(criterion)
                columns[column] = backward - forward
            return columns
        name = LABELS[method]
        order = by_source if name == "ecp" and by_source is not None else slice(None)
        return {"value": DIRECTION_BASELINES[name].direction(x[order], y[order])}

    return attempt(compute)


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row a decision: its row of the tables, and whether it is right; none is not."""
    is_fit = rows["method"] == LATENT
    parts = [rows[~is_fit].assign(name=rows["method"])]
    parts.append(rows[is_fit & (rows["lam"] == "1")].assign(name=FIXED, lam=""))
    for name, column in CRITERIA.items():
        parts.append(rows[is_fit].assign(name=name, value=rows[column]))
    table = pd.concat(parts)
    return table.assign(right=table["value"] * table["truth"] > 0)


def accuracies(rows: pd.DataFrame) -> dict[str, Score]:
    """Share of right decisions, its error, and the λ chosen, by protocol or method."""
    shares: dict[str, Score] = {}
    for name, decisions in judged(rows).groupby("name"):
        entries = []
        for lam, right in decisions.groupby("lam")["right"]:
            entries.append((*mean_error(right), str(lam)))
        # The first of equals: the smaller λ.
        shares[str(name)] = max(entries, key=lambda entry: entry[0])
    return {name: shares[name] for name in NAMES}
