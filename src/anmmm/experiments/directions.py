"""Which variable is the cause, by every method: what figures 3, 4 and 5 measure alike.

A pair comes in, one record a method goes out, and shares of right decisions of many such records.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anmmm._typing import FloatArray
from anmmm.baselines import DIRECTION_BASELINES
from anmmm.direction import dependence_scores, infer_direction
from anmmm.experiments.published import LAMBDAS
from anmmm.experiments.study import Measured, Record, attempt
from anmmm.experiments.tables import grouped, mean_error

__all__ = [
    "BASELINES",
    "COLUMNS",
    "CRITERIA",
    "DEFAULT",
    "FIXED",
    "NAMES",
    "PAPER",
    "PROGRAM",
    "PROTOCOLS",
    "accuracies",
    "key_of",
    "measure_directions",
]

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
    measured: Measured,
    x: FloatArray,
    y: FloatArray,
    *,
    truth: int,
    seed: int,
    by_source: NDArray[np.intp] | None = None,
) -> None:
    """Score one pair by every method.

    Parameters
    ----------
    measured : Measured
        Takes one record a method, λ and criterion: its score as `value`, and whether its sign is
        that of `truth` as `right`. No decision, and no answer, are not right.
    x, y : ndarray of shape (n_samples,)
    truth : {1, -1}
    seed : int
        Of everything random in the methods.
    by_source : ndarray of int, shape (n_samples,), optional
        Order that puts observations of one source beside each other. ECP alone gets the data in
        this order, because it reads the position in the data as the index of the mechanism; the
        others are not told.
    """

    def add(method: str, value: float | None, **cells: Any) -> None:
        right = value is not None and value * truth > 0
        filled: Record = {"criterion": None, "lam": None, "problem": "", **cells}
        measured.add(method, value=value, right=right, **filled)

    told, seconds, problem = attempt(infer_direction, x, y, random_state=seed)
    score = None if told is None else told.score
    add(DEFAULT, score, criterion="evidence", seconds=seconds, problem=problem)
    for lam in LAMBDAS:
        told, seconds, problem = attempt(
            infer_direction, x, y, criterion="hsic", lam=lam, random_state=seed
        )
        for criterion in CRITERIA.values():
            score = None
            if told is not None:
                forward, backward = dependence_scores(told.latent_fits, criterion)
                score = backward - forward
            add(
                "ANM-MM",
                score,
                criterion=criterion,
                lam=lam,
                seconds=seconds,
                problem=problem,
            )
    for name in BASELINES:
        method = DIRECTION_BASELINES[name]()
        first, second = x, y
        if name == "ecp" and by_source is not None:
            first, second = x[by_source], y[by_source]
        score, seconds, problem = attempt(method.direction, first, second, random_state=seed)
        add(method.label, score, seconds=seconds, problem=problem)


def accuracies(
    records: list[Record], share: Any = None
) -> dict[str, tuple[float, float, float | None]]:
    """Share of right decisions of each protocol and method, for the records of one setting.

    Parameters
    ----------
    records : list of Record
    share : callable, optional
        ``share(records)`` of one method gives (mean, error); by default of `right`, each record
        counting alike.

    Returns
    -------
    dict
        By name of the protocol or method: mean, standard error, and the λ chosen, if any.
    """
    share = share or (lambda group: mean_error([record["right"] for record in group]))
    groups = grouped(records, "method", "criterion", "lam")
    found: dict[str, tuple[float, float, float | None]] = {}
    for name in NAMES:
        tried = LAMBDAS if name in CRITERIA else (None,)
        each = [(share(groups[key_of(name, lam)]), lam) for lam in tried]
        # The first of equals: the smaller λ.
        (mean, error), lam = max(each, key=lambda entry: entry[0][0])
        found[name] = (mean, error, lam)
    return found


def key_of(name: str, lam: float | None) -> tuple[str, str | None, float | None]:
    """Return method, criterion and λ of the records that a row of the tables is made of.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    lam : float or None
        The λ chosen, where the row chooses one.
    """
    if name == DEFAULT:
        return DEFAULT, "evidence", None
    if name == FIXED:
        return "ANM-MM", "hsic", 1.0
    if name in CRITERIA:
        return "ANM-MM", CRITERIA[name], lam
    return name, None, None
