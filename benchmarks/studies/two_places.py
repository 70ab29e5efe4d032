"""Whether any option of the latent model reaches the paper's number of figure 6.

``python -m benchmarks.studies.two_places [--seeds COUNT] [--jobs COUNT]`` clusters Θ of the ozone
of two places by all combinations of the options below and prints how the adjusted Rand index is
distributed.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

from anmmm import cluster_mechanisms
from anmmm.datasets import load_bafu_air
from benchmarks.paper.fig6 import BACKWARD, FORWARD
from benchmarks.paper.published import BAFU_ARI, LAMBDAS
from benchmarks.paper.tables import grouped, markdown_table

LATENT_MAPS = ("free", "mlp")
STARTS = ("residual", "pca", "random")
# How far the descent may go: the authors' stops early, by loss of precision.
ITERATIONS = (3, 10, 30, 1000)
SCANNED = (*LAMBDAS, 100.0)
# How the widths of the kernels and the noise are treated. v is their prior's weight.
PRESETS = {
    "default": {},
    "constant λ": {"weight_growth": 0.0},
    "loose widths (v = 0.1)": {"hyper_prior": 0.1},
    "tight widths (v = 10)": {"hyper_prior": 10.0},
    "more noise (ν = 0.1)": {"noise_floor": 0.1},
}
OPTIONS = ("latent_map", "start", "iterations", "preset")
PRINTED = BAFU_ARI["ANM-MM"]


def combinations(n_seeds: int) -> list[dict]:
    # The wrong direction with the default alone.
    presets = [*product((FORWARD,), PRESETS), (BACKWARD, "default")]
    return [
        {
            "direction": direction,
            "preset": preset,
            "latent_map": latent_map,
            "start": start,
            "iterations": iterations,
            "lam": lam,
            "seed": seed,
        }
        for seed in range(n_seeds)
        for (direction, preset), latent_map, start, iterations, lam in product(
            presets, LATENT_MAPS, STARTS, ITERATIONS, SCANNED
        )
        # Nothing else is random where a free Θ starts from the data.
        if seed == 0 or latent_map == "mlp" or start == "random"
    ]


def measure(options: dict) -> dict:
    """Add the index of one clustering to its options; None where the fit failed."""
    temperature, ozone, place = load_bafu_air()
    x, y = (temperature, ozone) if options["direction"] == FORWARD else (ozone, temperature)
    start, seed = options["start"], options["seed"]
    if start == "random":
        start = np.random.default_rng(seed).standard_normal((len(x), 1))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            labels = cluster_mechanisms(
                x,
                y,
                refine=False,
                random_state=seed,
                fit_options={
                    "lam": options["lam"],
                    "init": start,
                    "latent_map": options["latent_map"],
                    "max_iter": options["iterations"],
                    **PRESETS[options["preset"]],
                },
            ).labels
    except ValueError as error:
        return {**options, "value": None, "problem": error}
    return {**options, "value": adjusted_rand_score(place, labels)}


def distribution(title: str, records: list[dict], *names: str) -> str:
    """Return the table of the index by the values of some options."""
    rows = []
    for key, group in grouped(records, *names).items():
        cells = key if isinstance(key, tuple) else (key,)
        values = np.array([record["value"] for record in group])
        quantiles = np.quantile(values, [0.0, 0.25, 0.5, 0.75, 1.0])
        label = ", ".join(
            f"{name} {cell:g}" if isinstance(cell, float) else f"{name} {cell}"
            for name, cell in zip(names, cells, strict=True)
        )
        reached = int((values >= PRINTED).sum())
        rows.append([label, str(len(values)), *(f"{v:.3f}" for v in quantiles), str(reached)])
    header = ["", "fits", "least", "25 %", "median", "75 %", "most", f"reach {PRINTED}"]
    return markdown_table(title, header, rows)


def report(records: list[dict]) -> str:
    scan = [record for record in records if record["value"] is not None]
    forward = [record for record in scan if record["direction"] == FORWARD]
    finished = [record for record in forward if record["iterations"] == ITERATIONS[-1]]
    default = [record for record in scan if record["preset"] == "default"]
    parts = [
        distribution("k-means on Θ at the end of the descent, by λ", finished, "latent_map", "lam"),
        distribution("... by how widths and noise are treated", finished, "preset"),
        distribution("... by where Θ starts", finished, "start"),
        distribution(
            "Descents cut short, by their iterations", forward, "latent_map", "iterations"
        ),
        distribution("Direction, default widths and noise", default, "direction"),
    ]
    remarks = []
    for which, group in (("at the end of the descent", finished), ("of all", forward)):
        best = max(group, key=lambda record: record["value"])
        reached = sum(record["value"] >= PRINTED for record in group)
        options = ", ".join(f"{name} {best[name]}" for name in (*OPTIONS, "lam", "seed"))
        remarks.append(
            f"- {reached} of {len(group)} fits {which} reach the printed {PRINTED}; the best has "
            f"{best['value']:.3f} ({options})."
        )
    remarks.append(f"- {len(records) - len(scan)} of {len(records)} fits failed.")
    return "\n\n".join([*parts, "\n".join(remarks)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    fits = Parallel(arguments.jobs)(delayed(measure)(o) for o in combinations(arguments.seeds))
    print(report(fits))


if __name__ == "__main__":
    main()
