"""Hidden common causes: ``python -m benchmarks.studies.common_causes OUT.csv``.

Pairs of every family of `benchmarks.studies.confounded`, and of all others that have a cause, half
of them exchanged, with a hidden common cause tried and without. A line of the file is a family and
a number of observations: shares of pairs called a common cause, and of sure directions, right and
wrong, with and without. Where nothing is a cause, every sure direction is wrong. Limits were chosen
on seeds from 11 to 22 and on families of even places; the others, and seeds from 30 000 on, report.

``--calibrate`` fits the two numbers of the probability of a common cause instead; ``--time`` takes
a pair of every family with and without by turns, and prints how much of the time is left without.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from itertools import product
from pathlib import Path
from time import perf_counter

import joblib
import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from anmmm import infer_direction
from anmmm.direction.outcome import SURE
from anmmm.evidence import EvidenceResult
from benchmarks.studies.blind import BLIND_DIRECT
from benchmarks.studies.common import decide_drawn, print_header, print_row
from benchmarks.studies.confounded import CONFOUNDED, CORRELATED, DIRECT
from benchmarks.studies.unforeseen import WITH_CAUSE

CHOSEN = CONFOUNDED | DIRECT
UNFORESEEN = {
    name: draw for name, draw in (WITH_CAUSE | BLIND_DIRECT).items() if name not in CHOSEN
}
FAMILIES = CHOSEN | UNFORESEEN | CORRELATED
KINDS = {"confounded": CONFOUNDED | CORRELATED, "direct": DIRECT, "unforeseen": UNFORESEEN}
HALVES = "chosen on", "reported"
# With an arrow beside the hidden cause: no direction is wrong.
BOTH = "beside a direct effect"
COLUMNS = (
    "family",
    "kind",
    "half",
    "n",
    "pairs",
    "common_cause",
    "median_nats",
    "right_before",
    "wrong_before",
    "right",
    "wrong",
)
# Share of dependent pairs that have a hidden common cause, in the calibration.
PRIOR = 1.0 / 6.0


def decide(name: str, n: int, seed: int) -> dict[str, float] | None:
    """Decide a pair of a family; None where nothing can be decided."""
    decided = decide_drawn(FAMILIES, name, n, seed)
    if decided is None:
        return None
    result, sign = decided
    evidence, confidence = result.models, result.confidence
    assert isinstance(evidence, EvidenceResult)
    assert confidence is not None
    assert result.probabilities is not None
    found = result.probabilities
    before = max(found.forward, found.backward) / (1.0 - found.common_cause - found.independent)
    is_caused = name not in KINDS["confounded"] or name.startswith(BOTH)
    right = evidence.direction == sign and is_caused
    return {
        "common_cause": float(evidence.confounded),
        "nats": evidence.saved_by_common_cause if evidence.common_cause else -np.inf,
        "right_before": before >= SURE and right,
        "wrong_before": before >= SURE and not right,
        "right": confidence >= SURE and right,
        "wrong": confidence >= SURE and not right,
    }


def seconds_to_draw(name: str, n: int) -> float:
    """Return the seconds that drawing a pair of a family takes."""
    start = perf_counter()
    FAMILIES[name](np.random.default_rng(0), n)
    return perf_counter() - start


def study(
    path: Path,
    sizes: list[int],
    first: int,
    count: int,
    n_jobs: int,
    kinds: list[str],
    slow: int | None = None,
) -> None:
    """Write a line a family and a number of observations.

    slow: pairs of a family of which drawing one takes more than a second, if they are fewer.
    """
    print_header(*COLUMNS)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for n in sizes:
            for place, name in enumerate(FAMILIES):
                kind = next(each for each in KINDS if name in KINDS[each])
                if kind not in kinds:
                    continue
                pairs = slow if slow and seconds_to_draw(name, n) > 1.0 else count
                seeds = range(first, first + pairs)
                rows = joblib.Parallel(n_jobs)(joblib.delayed(decide)(name, n, s) for s in seeds)
                facts = [row for row in rows if row is not None]
                line: dict[str, object] = {
                    "family": name,
                    "kind": kind,
                    "half": "chosen on" if name in CORRELATED else HALVES[place % 2],
                    "n": n,
                    "pairs": len(facts),
                    "median_nats": f"{np.median([fact['nats'] for fact in facts]):.1f}",
                }
                for column in ("common_cause", *COLUMNS[-4:]):
                    line[column] = f"{np.mean([fact[column] for fact in facts]):.3f}"
                writer.writerow(line)
                file.flush()
                print_row(*(line[column] for column in COLUMNS))


def calibrate(first: int, count: int, n_jobs: int) -> None:
    """Fit the logit of the probability of a common cause to families of even places."""
    rng = np.random.default_rng(first)
    sizes = np.rint(np.exp(rng.uniform(np.log(60.0), np.log(1000.0), count))).astype(int)
    for half in (0, 1):
        names = [n for n in list(CHOSEN)[half::2] if not n.startswith((BOTH, "threshold"))]
        jobs = [(name, int(n), first + i) for name in names for i, n in enumerate(sizes)]
        rows = joblib.Parallel(n_jobs)(joblib.delayed(decide)(*job) for job in jobs)
        pairs = [(r["nats"], job[0]) for r, job in zip(rows, jobs, strict=True) if r]
        near = [(nats, name in CONFOUNDED) for nats, name in pairs if -30.0 < nats < 20.0]
        nats, confounded = np.array(near).T
        share = np.mean([name in CONFOUNDED for _, name in pairs])
        weight = np.where(confounded, PRIOR / share, (1.0 - PRIOR) / (1.0 - share))

        def loss(at: np.ndarray, nats: object = nats, c: object = confounded, w: object = weight):  # type: ignore[no-untyped-def]
            logit = at[0] * (nats - at[1])
            return np.mean(w * np.where(c, np.logaddexp(0, -logit), np.logaddexp(0, logit)))

        fit = minimize(loss, [0.5, -3.0], method="Nelder-Mead")
        print(
            f"families of {'even' if half == 0 else 'odd'} places: slope {fit.x[0]:.2f}, even at "
            f"{fit.x[1]:.1f} nats; loss {fit.fun:.3f}, of 0.5 and -3 {loss([0.5, -3.0]):.3f}"
        )


def time_both(sizes: list[int], seed: int) -> None:
    """Print mean times of a decision without a common cause and with it, and their ratio."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    print_header("N", "pairs", "ms without", "ms with", "ratio", "median of pairs")
    for n in sizes:
        drawn = [
            draw(np.random.default_rng([seed, n, place]), n)
            for place, draw in enumerate(CHOSEN.values())
        ]
        pairs = [pair for pair in drawn if min(np.ptp(pair, axis=1)) > 0.0]
        times = np.full((len(pairs), 2), np.inf)
        for turn, (place, pair) in product(range(4), enumerate(pairs)):
            for k in ((0, 1), (1, 0))[turn % 2]:
                start = perf_counter()
                infer_direction(*pair, common_cause=bool(k))
                times[place, k] = min(times[place, k], perf_counter() - start)
        without, both = 1e3 * times.mean(axis=0)
        ratios = times[:, 0] / times[:, 1]
        cells = f"{without:.1f}", f"{both:.1f}", f"{without / both:.2f}", f"{np.median(ratios):.2f}"
        print_row(n, len(pairs), *cells)


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--samples", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--first-seed", type=int, default=30_000)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--slow", type=int, help="pairs where drawing one takes over a second")
    parser.add_argument("--only", choices=KINDS, help="families of this kind alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--calibrate", action="store_true")
    parser.add_argument("--time", action="store_true")
    arguments = parser.parse_args()
    if arguments.calibrate:
        calibrate(arguments.first_seed, arguments.count, arguments.jobs)
    elif arguments.time:
        time_both(arguments.samples, arguments.first_seed)
    elif arguments.out is None:
        parser.error("a file for the rows is missing")
    else:
        study(
            arguments.out,
            arguments.samples,
            arguments.first_seed,
            arguments.count,
            arguments.jobs,
            [arguments.only] if arguments.only else list(KINDS),
            arguments.slow,
        )


if __name__ == "__main__":
    main()
