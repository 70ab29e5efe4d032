r"""Fit the constants of `anmmm.confidence` to rows of decisions.

    python -m benchmarks.decide mixed -n 0 --seeds 10000:10600 -o mixed.parquet
    python -m benchmarks.decide confounded unconfounded -n 60 100 200 400 1000 --seeds 21:29 \\
        -o causes.parquet
    python -m benchmarks.calibrate mixed.parquet causes.parquet

Prints the slope of the confidence by the nats of a pair over their error, and slope and middle of
the probability of a common cause by the nats that it saves, for families of even and of odd places.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit

from anmmm.confidence import nats_error
from benchmarks.tables import judged

# Share of dependent pairs that have a hidden common cause.
PRIOR = 1.0 / 6.0


def confidence_slope(rows: pd.DataFrame) -> float:
    """Return the slope of a logistic, at least 1/2, of the largest likelihood."""
    spread = [nats_error(*pair) for pair in zip(rows["error"], rows["rows"], strict=True)]
    statistic = rows["nats"].abs() / spread
    # Where there is no direction, one of both is right by chance.
    has_direction = rows["truth"].abs() == 1
    right = np.where(has_direction, rows["right_by_score"], rows["sign"] == -1)
    right = np.where(rows["sign"] == 0, 0.5, right)

    def loss(log_slope: float) -> float:
        p = np.clip(expit(np.exp(log_slope) * statistic), 0.5, 1.0 - 1e-9)
        return -float(np.mean(right * np.log(p) + (1.0 - right) * np.log(1.0 - p)))

    return float(np.exp(minimize_scalar(loss, bounds=(-4.0, 4.0), method="bounded").x))


def cause_logit(rows: pd.DataFrame) -> tuple[float, float]:
    """Return slope and middle of the logit of the probability of a common cause."""
    confounded = rows["truth"] == 2
    share = confounded.mean()
    is_near = rows["common_cause_nats"].between(-30.0, 20.0)
    nats = rows["common_cause_nats"][is_near]
    caused = confounded[is_near]
    weight = np.where(caused, PRIOR / share, (1.0 - PRIOR) / (1.0 - share))

    def loss(parameters: np.ndarray) -> float:
        logit = parameters[0] * (nats - parameters[1])
        return float(np.mean(weight * np.logaddexp(0.0, np.where(caused, -logit, logit))))

    slope, middle = minimize(loss, [0.5, -3.0], method="Nelder-Mead").x
    return float(slope), float(middle)


def main() -> None:
    """Fit, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", nargs="+", type=Path, metavar="FILE.parquet")
    rows = judged(pd.concat([pd.read_parquet(path) for path in parser.parse_args().rows]))
    mixed = rows[rows["family"] == "mixed"]
    if len(mixed):
        print(f"confidence: slope {confidence_slope(mixed):.2f} of {len(mixed)} pairs")
    families = rows[rows["family"].str.contains("confounded/")]
    families = families[~families["family"].str.contains("/beside|/threshold")]
    names = list(dict.fromkeys(families["family"]))
    for half in (0, 1) if names else ():
        slope, middle = cause_logit(families[families["family"].isin(names[half::2])])
        print(f"common cause, families from place {half}: {slope:.2f} (nats - {middle:.1f})")


if __name__ == "__main__":
    main()
