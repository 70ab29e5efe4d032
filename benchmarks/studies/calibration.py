"""How sure a direction is: simulate, fit the map of `anmmm.confidence`, check it on other data.

    python -m benchmarks.studies.calibration draw fit.csv --first-seed 10000 --count 1200
    python -m benchmarks.studies.calibration draw check.csv --first-seed 0 --count 800
    python -m benchmarks.studies.calibration pairs sim.csv --folder sim
    python -m benchmarks.studies.calibration pairs tuebingen.csv --folder tuebingen
    python -m benchmarks.studies.calibration fit fit.csv check.csv sim.csv tuebingen.csv
    python -m benchmarks.studies.calibration report check.csv sim.csv tuebingen.csv --plot a.png

A row of such a file is one pair, scores positive where they speak for the truth: whether the pair
was called independent, nats of the pair, their error by the observations' differences, its score,
the direction and the confidence that `infer_direction` reports. The first ones are those of two
directions alone, to which the map is fitted; those of `infer_direction` also know a common cause
and the rules by which a decision is not sure. Where nothing is to decide, a coin is the truth.
Drawing goes on where an unfinished file ends.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, logit

from anmmm import infer_direction
from anmmm.confidence import NATS_SLOPE, nats_error
from anmmm.datasets import make_anm_mixture, make_single_mechanism
from anmmm.datasets.families import CAUSES, CONTINUOUS, OTHER_EFFECTS
from anmmm.evaluation import decision_rates
from anmmm.evidence import RESOLUTION
from anmmm.plotting import COLORS, MARKERS
from benchmarks.studies.common import mean_and_error, print_header, print_row, read_pairs
from benchmarks.studies.unforeseen import FAMILIES, WITH_CAUSE

SMALLEST, LARGEST = 30, 500
# What is simulated, as shares of 48. It decides what a confidence means: among such pairs.
KINDS = (
    ["mixture"] * 7
    + ["family"] * 5
    + ["general"] * 5
    + ["weak"] * 4
    + ["noisy"] * 2
    + ["linear"] * 2
    + ["other"] * 6
    + ["independent"] * 3
    + ["common"] * 2
    + ["unforeseen"] * 9
    + ["neither"] * 3
)
NOTHING = ("linear", "independent", "common", "neither")
# Seeds from here on draw unforeseen families of even places, those below the others.
FIT_SEEDS = 10_000
FLOORS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# Of the bins in which confidences are compared with what came true; most pairs lie near 1.
EDGES = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
TITLES = {"check": "simulated, other seeds", "sim": "SIM", "tuebingen": "Tübingen"}
THETA_RANGES = ((1, 1.1), (3, 3.1), (0.5, 0.6), (2, 2.1))


def draw_pair(seed: int) -> tuple[str, np.ndarray, np.ndarray]:
    """Draw kind, cause and effect of one simulated pair."""
    rng = np.random.default_rng([seed, 99])
    kind = KINDS[seed % len(KINDS)]
    n = round(np.exp(rng.uniform(np.log(SMALLEST), np.log(LARGEST))))
    if kind == "mixture":
        C = int(rng.choice([2, 2, 3, 4]))
        x, y, _ = make_anm_mixture(
            str(rng.choice(["f1", "f2", "f3", "f4"])),
            n,
            theta_ranges=THETA_RANGES[:C],
            noise_std=np.exp(rng.uniform(np.log(0.01), np.log(0.3))),
            proportions=rng.dirichlet(np.full(C, 5.0)),
            random_state=rng,
        )
        return kind, x, y
    if kind in ("family", "noisy", "other"):
        families = tuple(OTHER_EFFECTS) if kind == "other" else CONTINUOUS
        cause = str(rng.choice(list(CAUSES))) if kind == "other" else "gaussian"
        family = str(rng.choice(families))
        x, y = make_single_mechanism(family, n, cause=cause, random_state=rng)
        if kind == "noisy":
            y = y + rng.uniform(0.5, 2.0) * y.std() * rng.standard_normal(n)
        return kind, x, y
    if kind == "linear":
        return kind, *draw_linear(n, rng)
    if kind == "independent":
        return kind, *(draw_margin(n, rng) for _ in range(2))
    if kind == "common":
        return kind, *draw_common(n, rng)
    if kind in ("unforeseen", "neither"):
        families = [name for name in FAMILIES if (name in WITH_CAUSE) == (kind == "unforeseen")]
        name = str(rng.choice(families[0 if seed >= FIT_SEEDS else 1 :: 2]))
        return kind, *FAMILIES[name](rng, n)
    return kind, *(draw_weak(n, rng) if kind == "weak" else draw_general(n, rng))


def draw_linear(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a linear Gaussian pair: nothing tells its direction."""
    x = rng.standard_normal(n)
    return x, rng.uniform(-2.0, 2.0) * x + rng.standard_normal(n)


def draw_weak(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw a nearly linear mechanism with various causes and noises."""
    draws = {
        "normal": rng.standard_normal,
        "uniform": lambda n: rng.uniform(-1.7, 1.7, n),
        "laplace": lambda n: rng.laplace(scale=0.7, size=n),
        "skew": lambda n: rng.gamma(4.0, 0.5, n) - 2.0,
        "two": lambda n: 0.9 * rng.choice([-1.0, 1.0], n) + 0.4 * rng.standard_normal(n),
    }
    x = draws[str(rng.choice(list(draws)))](n)
    noise = draws[str(rng.choice(list(draws)))](n)
    bend = np.exp(rng.uniform(np.log(0.02), np.log(0.5)))
    bent = x**2 if rng.uniform() < 0.5 else np.sin(2.0 * x)
    return x, x + bend * bent + rng.uniform(0.2, 1.5) * noise


def draw_margin(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a variable of some kind."""
    draws = [
        lambda: rng.normal(size=n),
        lambda: rng.uniform(size=n),
        lambda: rng.exponential(size=n),
        lambda: np.exp(rng.normal(size=n)),
        lambda: rng.standard_t(3, n),
        lambda: 0.9 * rng.choice([-1.0, 1.0], n) + 0.44 * rng.normal(size=n),
        lambda: (rng.permutation(n) < max(2, 0.35 * n)) * 1.0,
        lambda: rng.poisson(2.0, n) * 1.0,
        lambda: np.round(rng.normal(size=n), 1),
        lambda: rng.integers(0, 5, n) * 1.0,
    ]
    return draws[rng.integers(len(draws))]()


def draw_common(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw two effects of a hidden cause, each by a function and a noise of its own."""
    z = rng.standard_normal(n)
    covariance = np.exp(-0.5 * (z[:, None] - z) ** 2)
    x, y = (
        gaussian_process(covariance, rng) + rng.uniform(0.1, 0.5) * rng.standard_normal(n)
        for _ in range(2)
    )
    return x, y


def draw_general(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw an effect ``f(x, e)``, f a Gaussian process of both, and measure it with noise.

    Cause and e are warped normals, much as Mooij et al. (JMLR 2016) simulate pairs. The noise is
    not additive, so none of the models that evidence compares is the true one.
    """
    x, e = warped_normal(n, rng), warped_normal(n, rng)
    lengths = np.exp(rng.uniform(np.log([0.7, 1.0]), np.log([3.0, 10.0])))
    distance = ((x[:, None] - x) / lengths[0]) ** 2 + ((e[:, None] - e) / lengths[1]) ** 2
    y = gaussian_process(np.exp(-0.5 * distance), rng)
    y = (y - y.mean()) / y.std()
    error = np.exp(rng.uniform(np.log(0.01), np.log(0.2), size=2))
    return x + error[0] * rng.standard_normal(n), y + error[1] * rng.standard_normal(n)


def warped_normal(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a standardized, increasing function of normal variables, the function at random."""
    z = np.sort(rng.standard_normal(n))
    steepness = np.exp(gaussian_process(np.exp(-0.5 * (z[:, None] - z) ** 2), rng))
    x = np.concatenate([[0.0], np.cumsum(0.5 * (steepness[1:] + steepness[:-1]) * np.diff(z))])
    return rng.permutation((x - x.mean()) / x.std())


def gaussian_process(covariance: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    values, vectors = np.linalg.eigh(covariance)
    return vectors @ (np.sqrt(np.maximum(values, 0.0)) * rng.standard_normal(len(values)))


def append_rows(path: Path, pairs: Iterator[tuple]):
    """Score pairs (id, kind, x, y, truth, weight, data set) and append them to a file."""
    done = set()
    if path.exists():
        done = {row[0] for row in csv.reader(path.open())}
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        for pair_id, kind, x, y, truth, weight, group in pairs:
            if pair_id in done:
                continue
            if min(len(np.unique(x)), len(np.unique(y))) < 2:
                continue
            if kind in NOTHING:
                truth = 1 if int(pair_id) % 2 else -1
            decision = infer_direction(x, y)
            result = decision.models
            facts = [pair_id, kind, len(x), weight, group or "", int(result.independent)]
            values = [
                truth * result.nats,
                result.error,
                truth * result.score,
                truth * decision.direction,
                decision.confidence,
            ]
            writer.writerow([*facts, *map(float, values)])
            file.flush()


class Rows:
    """Scored pairs of a file; a score is right where it is positive."""

    def __init__(self, path: Path) -> None:
        with path.open() as file:
            rows = list(csv.reader(file))
        self.name = path.stem
        self.odd = np.array([row[0][-1] in "13579" for row in rows])
        self.kind = np.array([row[1] for row in rows])
        self.n = np.array([int(row[2]) for row in rows])
        self.weight = np.array([float(row[3]) for row in rows])
        # A pair that names no data set is its own.
        self.group = np.array([row[4] or f"pair {row[0]}" for row in rows])
        self.independent = np.array([row[5] == "1" for row in rows])
        self.nats, self.error = np.array([row[6:8] for row in rows], dtype=float).T
        self.score = np.array([float(row[8]) for row in rows])
        self.reported, self.reported_confidence = np.array(
            [row[9:11] for row in rows], dtype=float
        ).T
        self.right = (self.score > 0.0).astype(float)
        # What is undecided, as an independent pair is, is half right.
        self.right[np.abs(self.score) <= RESOLUTION] = 0.5
        spread = np.array([nats_error(*pair) for pair in zip(self.error, self.n, strict=True)])
        self.confidence = expit(NATS_SLOPE * np.abs(self.nats) / spread)

    def statistics(self) -> dict[str, np.ndarray]:
        """Return what a confidence might be made of, positive where it speaks for the score."""
        np.seterr(divide="ignore", invalid="ignore")
        nats = np.abs(self.nats)
        found = {
            f"|S| / √(s² + {c}² + {g} N)": nats / np.sqrt(self.error**2 + c * c + g * self.n)
            for c, g in ((0, 0), (2, 0), (3, 0), (5, 0), (2, 0.1), (2, 0.2), (2, 0.5), (5, 0.2))
        }
        found["log(1 + |S| / √(s² + 2² + 0.2 N))"] = np.log1p(found["|S| / √(s² + 2² + 0.2 N)"])
        found |= {
            "|score|": np.abs(self.score),
            "N |score|": nats,
            "log(1 + N |score|)": np.log1p(nats),
        }
        # Where independence is the shortest in both directions there is no error either.
        return {name: np.nan_to_num(values, posinf=1e3) for name, values in found.items()}


def log_loss(probability: np.ndarray, right: np.ndarray) -> float:
    p = np.clip(probability, 1e-9, 1.0 - 1e-9)
    return -float(np.mean(right * np.log(p) + (1.0 - right) * np.log(1.0 - p)))


def fit_slope(statistic: np.ndarray, right: np.ndarray) -> float:
    """Fit ``p = 1 / (1 + exp(-slope * statistic))``, at least 1/2, by maximum likelihood."""

    def loss(log_slope: float) -> float:
        return log_loss(np.maximum(expit(np.exp(log_slope) * statistic), 0.5), right)

    # The loss may have other minima where the statistic is signed: a grid finds the basin.
    grid = np.linspace(-8.0, 8.0, 81)
    best = grid[np.argmin([loss(value) for value in grid])]
    return float(np.exp(minimize_scalar(loss, bounds=(best - 0.2, best + 0.2)).x))


def slope_and_error(
    statistic: np.ndarray, right: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the slope of `fit_slope`, and its standard deviation over 50 resamples."""
    drawn = [rng.integers(len(right), size=len(right)) for _ in range(50)]
    spread = np.std([fit_slope(statistic[rows], right[rows]) for rows in drawn], ddof=1)
    return fit_slope(statistic, right), float(spread)


def fit(paths: list[Path]) -> None:
    """Fit the slope of every candidate on the first file and print its loss on the others."""
    data = [Rows(path) for path in paths]
    right = data[0].right
    rng = np.random.default_rng(0)
    print(f"{'statistic':<32}  {'slope':>14}  log loss on " + ", ".join(d.name for d in data))
    for name, statistic in data[0].statistics().items():
        slope, spread = slope_and_error(statistic, right, rng)
        losses = [
            log_loss(np.maximum(expit(slope * d.statistics()[name]), 0.5), d.right) for d in data
        ]
        listed = "  ".join(f"{loss:.4f}" for loss in losses)
        print(f"{name:<32}  {slope:>6.3g} ± {spread:<5.2g}  {listed}")


def abstain(rows: Rows) -> None:
    """Print how many pairs are decided from a confidence on, and how many of these are right."""
    print_header("confidence at least", *map(str, FLOORS))
    floors = [rows.reported_confidence >= floor for floor in FLOORS]
    decided = [chosen & (rows.reported != 0.0) for chosen in floors]
    print_row(f"{rows.name}: decided", *(f"{each.mean():.2f}" for each in decided))
    print_row("right", *(f"{np.mean(rows.reported[each] > 0.0):.3f}" for each in decided))


def recalibrate(rows: Rows) -> None:
    """Print the factor of the logits of reported confidences that would fit best, and its error."""
    directed = rows.reported != 0.0
    logits = logit(np.clip(rows.reported_confidence[directed], 0.5, 1.0 - 1e-9))
    right = (rows.reported[directed] > 0.0).astype(float)
    factor, spread = slope_and_error(logits, right, np.random.default_rng(0))
    print(f"{rows.name}: reported logits fit best times {factor:.2f} ± {spread:.2f}")


def bins_of(confidence: np.ndarray) -> np.ndarray:
    return np.minimum(np.searchsorted(EDGES, confidence, side="right") - 1, len(EDGES) - 2)


def report(paths: list[Path], plot: Path | None) -> None:
    """Print how well confidences come true, and draw it."""
    data = [Rows(path) for path in paths]
    print_header(
        "pairs", "number", "accuracy", "mean confidence", "Brier", "of the accuracy alone", "ECE"
    )
    for rows in data:
        groups = {rows.name: np.ones(len(rows.n), dtype=bool)}
        if "pairs" in rows.kind:
            groups |= {f"{rows.name}, odd pairs": rows.odd, f"{rows.name}, even pairs": ~rows.odd}
        if len(set(rows.kind)) > 1:
            groups |= {f"{rows.name}, {kind}": rows.kind == kind for kind in dict.fromkeys(KINDS)}
            groups |= {
                f"{rows.name}, N < 80": rows.n < 80,
                f"{rows.name}, 80 ≤ N < 200": (rows.n >= 80) & (rows.n < 200),
                f"{rows.name}, N ≥ 200": rows.n >= 200,
            }
        for name, members in groups.items():
            columns = (rows.confidence, rows.right, rows.group)
            print_row(*cells_of(name, *(column[members] for column in columns)))
        if np.ptp(rows.weight) > 0.0:
            weighted = np.average(rows.right, weights=rows.weight)
            mean = np.average(rows.confidence, weights=rows.weight)
            print_row(f"{rows.name}, weighted", "", f"{weighted:.3f}", f"{mean:.3f}", "", "", "")
        decided = rows.right != 0.5
        columns = rows.confidence, rows.right, rows.weight
        rates = decision_rates(*(column[decided] for column in columns), groups=rows.group[decided])
        listed = ", ".join(f"{value:.2f}" for value in rates.accuracy)
        print(f"<!-- {rows.name}: accuracy at decision rates of 10 % to 100 %: {listed} -->")
    for rows in data:
        abstain(rows)
        recalibrate(rows)
    if plot is not None:
        draw(data, plot)


def cells_of(
    name: str, confidence: np.ndarray, right: np.ndarray, group: np.ndarray
) -> list[object]:
    brier = np.mean((confidence - right) ** 2)
    accuracy = right.mean()
    where = bins_of(confidence)
    gaps = [
        np.mean(where == index) * abs(np.mean((confidence - right)[where == index]))
        for index in set(where)
    ]
    numbers = (confidence.mean(), brier, accuracy * (1.0 - accuracy), sum(gaps))
    return [name, len(right), mean_and_error(right, group), *(f"{n:.3f}" for n in numbers)]


def draw(data: list[Rows], path: Path) -> None:
    """Draw predicted against observed, and how often each confidence is given."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.2 * len(data), 5.6), layout="constrained")
    axes = figure.subplots(2, len(data), sharex=True, sharey="row", height_ratios=[3, 1])
    axes = np.reshape(axes, (2, len(data)))
    for rows, (upper, lower), color, marker in zip(data, axes.T, COLORS, MARKERS, strict=False):
        where = bins_of(rows.confidence)
        used = sorted(set(where))
        mean = np.array([rows.confidence[where == index].mean() for index in used])
        right = np.array([rows.right[where == index].sum() for index in used])
        count = np.array([np.sum(where == index) for index in used])
        low, high = wilson(right, count)
        observed = right / count
        upper.plot([0.5, 1], [0.5, 1], "--", color="#666666", linewidth=1, label="calibrated")
        upper.errorbar(
            mean,
            observed,
            [observed - low, high - observed],
            color=color,
            marker=marker,
            markersize=6,
            linewidth=1.5,
            capsize=3,
            label="share right, 68 % interval",
        )
        brier = np.mean((rows.confidence - rows.right) ** 2)
        upper.set_title(
            f"{TITLES.get(rows.name, rows.name)}\n{len(rows.n)} pairs, Brier {brier:.3f}"
        )
        upper.set_ylim(0.15, 1.03)
        bars = lower.bar(
            EDGES[used], count, np.diff(EDGES)[used], align="edge", color=color, edgecolor="white"
        )
        lower.bar_label(bars, padding=1, fontsize=8)
        lower.set_xlabel("confidence")
        lower.set_xlim(0.49, 1.01)
        for ax in (upper, lower):
            ax.grid(color="#dddddd", linewidth=0.6)
            ax.set_axisbelow(True)
            ax.spines[["top", "right"]].set_visible(False)
        upper.legend(frameon=False, loc="lower right")
    axes[0, 0].set_ylabel("share of right directions")
    axes[1, 0].set_ylabel("pairs")
    axes[1, 0].set_ylim(0, 1.2 * axes[1, 0].get_ylim()[1])
    figure.savefig(path, dpi=130)


def wilson(right: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Interval of one standard error for a proportion that stays sensible at 0 and 1."""
    center = (right + 0.5) / (count + 1.0)
    share = right / count
    half = np.sqrt(share * (1.0 - share) / count + 0.25 / count**2) / (1.0 + 1.0 / count)
    return np.minimum(center - half, share), np.maximum(center + half, share)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=["draw", "pairs", "fit", "report"])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    if arguments.study == "draw":
        seeds = range(arguments.first_seed, arguments.first_seed + arguments.count)
        drawn = ((seed, *draw_pair(seed)) for seed in seeds)
        rows = ((str(seed), kind, x, y, 1, 1.0, None) for seed, kind, x, y in drawn)
        append_rows(arguments.files[0], rows)
    elif arguments.study == "fit":
        fit(arguments.files)
    elif arguments.study == "report":
        report(arguments.files, arguments.plot)
    elif arguments.folder is None:
        parser.error("study pairs needs --folder")
    else:
        read = read_pairs(arguments.folder, "all", arguments.samples)
        rows = ((pair_id, "pairs", *pair) for pair_id, *pair in read)
        append_rows(arguments.files[0], rows)


if __name__ == "__main__":
    main()
