"""Decide pairs of families, a row a decision.

    python -m benchmarks.decide direct discrete -n 100 300 1000 --seeds 0:60 -o decisions.parquet
    python -m benchmarks.decide tuebingen:FOLDER -n 1000 -o decisions.parquet

A name is a family (``trades/5/insured value and premium``), a group (``trades``) or
real pairs: ``tuebingen:FOLDER`` and ``sim:FOLDER`` in the layout of Tübingen, ``real:FOLDER`` with
pairs.csv and pairs.npz. Drawn pairs of odd seeds are exchanged; -n is the largest number of rows of
a real pair. Rows that the file has are skipped, so that a killed run goes on.

Columns: truth and relation are of the pair as it was decided. Truth is 1 (x causes y), -1, 0
(unrelated), 2 (common cause) or 3 (no direction); `forward` to `independent` are probabilities.
`x_values` and `y_values` are numbers of distinct values.
`nats`, `error`, `common_cause_nats`, the `kind` of a pair and the columns *feature …* are what the
probabilities are made of; `seconds` is CPU time.
"""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from anmmm import DirectionResult, infer_direction
from anmmm.direction.outcome import LACK_OF_FIT_PVALUE, SURE
from anmmm.direction.prior import pair_features, standardized_nats
from anmmm.evidence import EvidenceResult
from anmmm.evidence.code import RESOLUTION
from anmmm.evidence.vectors import column_limit_error
from benchmarks.families import Family, chosen
from benchmarks.families.base import CAUSE
from benchmarks.families.real import RealPair
from benchmarks.methods import DIRECTIONS
from benchmarks.runs import OURS, Row, load_kernels, parser, read_common, run

# Begins the names of columns with a feature of the prior.
FEATURE = "feature "
KEYS = ("family", "n", "seed", "method", "options")
RELATIONS = {1: "x->y", -1: "y->x", 0: "undecided"}
SIGNS = {relation: sign for sign, relation in RELATIONS.items()}


@cache
def families_of(name: str) -> dict[str, Family]:
    """Return the families of a name of the command line."""
    return {family.name: family for family in chosen(name)}


def tasks_of(names: list[str], sizes: list[int], seeds: range, common: Row) -> list[Row]:
    """Return the arguments of `decide` for every pair."""
    tasks: list[Row] = []
    for n in sizes:
        for source in names:
            for family in families_of(source).values():
                numbers = [family.number] if isinstance(family, RealPair) else seeds
                for seed in numbers:
                    task = {"source": source, "family": family.name, "n": n, "seed": seed}
                    tasks.append(task | common)
    return tasks


def decide(source: str, family: str, n: int, seed: int, method: str, options: str) -> Row:
    """Decide one pair."""
    drawn = families_of(source)[family]
    x, y, truth = drawn.pair(n, seed)
    is_real = isinstance(drawn, RealPair)
    is_exchanged = not is_real and seed % 2 == 1
    if is_exchanged:
        x, y = y, x
        truth = -truth if truth == CAUSE else truth
    row: Row = {
        "exchanged": is_exchanged,
        "truth": truth,
        "rows": len(x),
        "columns": f"{np.size(x[0])} and {np.size(y[0])}",
        "x_values": len(np.unique(x)),
        "y_values": len(np.unique(y)),
        "weight": drawn.weight if isinstance(drawn, RealPair) else 1.0,
        "data_set": drawn.data_set if isinstance(drawn, RealPair) else "",
    }
    is_single = np.ndim(x) == np.ndim(y) == 1
    if is_single and min(row["x_values"], row["y_values"]) < 2:
        return row | {"relation": "constant"}
    if method == OURS:
        return row | ours(x, y, seed, json.loads(options))
    if not is_single:
        # Other methods compare single variables.
        return row | {"relation": RELATIONS[0], "score": 0.0}
    start = time.process_time()
    score = DIRECTIONS[method](x, y)
    seconds = time.process_time() - start
    return row | {"relation": RELATIONS[int(np.sign(score))], "score": score, "seconds": seconds}


def ours(x: np.ndarray, y: np.ndarray, seed: int, options: dict[str, Any]) -> Row:
    """Return the columns of a decision of `infer_direction`, timed with its check."""
    if "criterion" not in options and column_limit_error(_columns(x), _columns(y)):
        # Beyond the limits of evidence, and of its options.
        options = {"criterion": "hsic"}
    load_kernels()
    start = time.process_time()
    result = infer_direction(x, y, random_state=seed, **options)
    check_pvalue = result.check_pvalue
    seconds = time.process_time() - start
    row: Row = {
        "relation": result.relation,
        "criterion": result.criterion,
        "score": result.score,
        "log_odds": result.log_odds,
        "plausible": "; ".join(result.plausible),
        "confidence": result.confidence,
        "notes": "; ".join(result.notes),
        "check_pvalue": check_pvalue,
        "seconds": seconds,
    }
    if result.probabilities is not None:
        row |= result.probabilities._asdict()
    return row | _lengths(result)


def _lengths(result: DirectionResult) -> Row:
    """Return what is known of the models of a decision by evidence."""
    evidence = result.models
    if not isinstance(evidence, EvidenceResult):
        return {}
    shorter = evidence.chosen
    kind: str = ""
    features: dict[str, float] = {}
    if not evidence.is_vector:
        z = standardized_nats(evidence)
        kind, features = pair_features(evidence.forward, evidence.backward, z)
    return {
        "kind": kind,
        **{f"{FEATURE}{name}": value for name, value in features.items()},
        "model": shorter.model if shorter else "",
        "n_mechanisms": getattr(shorter, "n_mechanisms", None),
        "nats": evidence.nats,
        "error": evidence.error,
        "common_cause_nats": evidence.saved_by_common_cause if evidence.common_cause else -np.inf,
    }


def _columns(values: np.ndarray) -> np.ndarray:
    return np.reshape(values, (len(values), -1))


def judged(rows: pd.DataFrame) -> pd.DataFrame:
    """Add what follows from relation, truth and confidence; leave out constant variables."""
    rows = rows[rows["relation"] != "constant"].copy()
    rows["direction"] = rows["relation"].map(SIGNS).fillna(0).astype(int)
    rows["sign"] = np.where(rows["score"].abs() > RESOLUTION, np.sign(rows["score"]), 0.0)
    if "log_odds" in rows:
        # Of other methods and criteria the score decides.
        odds = rows["log_odds"].astype(float)
        rows["sign"] = np.where(odds.notna(), np.sign(odds), rows["sign"])
    rows["right"] = (rows["direction"] != 0) & (rows["direction"] == rows["truth"])
    rows["right_by_sign"] = (rows["sign"] != 0) & (rows["sign"] == rows["truth"])
    if "confidence" not in rows:
        return rows
    is_sure = (rows["direction"] != 0) & (rows["confidence"] >= SURE)
    rows["sure_right"] = is_sure & rows["right"]
    rows["sure_wrong"] = is_sure & ~rows["right"]
    directed = 1.0 - rows["common_cause"] - rows["independent"]
    is_sure_before = rows[["forward", "backward"]].max(axis=1) / directed >= SURE
    rows["sure_right_before"] = is_sure_before & rows["right_by_sign"]
    rows["sure_wrong_before"] = is_sure_before & ~rows["right_by_sign"]
    rows["called_common_cause"] = rows["relation"] == "common cause"
    rows["called_independent"] = rows["relation"] == "independent"
    rows["misfit"] = rows["check_pvalue"] < LACK_OF_FIT_PVALUE
    rows["noted"] = rows["misfit"] | (rows["notes"] != "")
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    command_line = parser(__doc__, "FAMILY", [OURS, *DIRECTIONS])
    given = command_line.parse_args(arguments)
    try:
        tasks = tasks_of(given.names, given.n, given.seeds, read_common(given))
    except (OSError, ValueError) as error:
        command_line.error(str(error))
    run(given.output, tasks, decide, KEYS, given.jobs)


if __name__ == "__main__":
    # From the module that worker processes import.
    from benchmarks import decide as module

    module.main()
