"""Figure 6: ozone against temperature at two places, clustered without knowing the place.

Beside the paper's methods it scans the latent model's own options, to show whether any of them
reaches the printed number, and what knowing the curves would give.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from anmmm._typing import FloatArray
from anmmm.clustering import cluster_mechanisms
from anmmm.datasets import load_tuebingen
from anmmm.experiments.clusterings import (
    COLUMNS,
    DEFAULT,
    LATENT,
    METHODS,
    PAPER,
    cluster_scores,
    measure_clusterings,
)
from anmmm.experiments.drawing import new_figure
from anmmm.experiments.published import BAFU_ARI, LAMBDAS
from anmmm.experiments.study import (
    Measured,
    Record,
    Report,
    Scale,
    Study,
    Table,
    Unit,
    attempt,
    needed,
)
from anmmm.experiments.tables import failures, grouped, plus_minus
from anmmm.mixture import ANMMixture
from anmmm.plotting import COLOURS
from anmmm.plotting.style import colour_of, marker_of, tidy

__all__ = ["STUDY", "two_places"]

PLACES = ("pair0049", "pair0050")
FORWARD, BACKWARD = "temperature → ozone", "ozone → temperature"
SCAN = "scan"
KNOWN = "curves and noise of both places known"
LINE = "k-means on the residual of a line"
FROM_TRUTH = "two curves by EM, started from the truth"

KNOWING = (LINE, KNOWN, FROM_TRUTH)

# What of the fit bears on its clusters. All combinations of these ...
LATENT_MAPS = ("free", "mlp")
STARTS = ("residual", "pca", "random")
# ... of how far the descent may go: the authors' stops early, by loss of precision ...
ITERATIONS = (3, 10, 30, 1000)
SCANNED = (*LAMBDAS, 100.0)
# ... and of how the widths of the kernels and the noise are held. v is their prior's weight.
PRESETS: dict[str, dict[str, float]] = {
    "default": {},
    "constant λ": {"weight_growth": 0.0},
    "loose widths (v = 0.1)": {"hyper_prior": 0.1},
    "tight widths (v = 10)": {"hyper_prior": 10.0},
    "more noise (ν = 0.1)": {"noise_floor": 0.1},
}
OPTIONS = ("latent_map", "start", "iterations", "preset")


def two_places(data: Path | str) -> tuple[FloatArray, FloatArray, NDArray[np.intp]]:
    """Read temperature, ozone and place of the daily means of 2009 in Lausanne and Chaumont.

    Parameters
    ----------
    data : path-like
        Folder of the Tübingen pairs.

    Returns
    -------
    temperature, ozone : ndarray of shape (730,)
    place : ndarray of int, shape (730,)
        0 or 1.
    """
    folder = load_tuebingen(data)
    missing = [pair_id for pair_id in PLACES if pair_id not in folder.ids]
    if missing:
        raise ValueError(f"{folder.name} has no {' and no '.join(missing)}, which figure 6 draws")
    pairs = [folder[pair_id] for pair_id in PLACES]
    for pair in pairs:
        if pair.problem:
            raise ValueError(f"{pair.pair_id}: {pair.problem}")
    # Ozone is the first column of both files, and the effect.
    ozone = np.concatenate([pair.x for pair in pairs])
    temperature = np.concatenate([pair.y for pair in pairs])
    place = np.repeat([0, 1], [len(pair.x) for pair in pairs])
    return temperature, ozone, place


_read = cache(two_places)


def _units(scale: Scale, data: Path | None) -> list[Unit]:
    data = needed(data, "fig6")
    # What cannot be read is told before anything is computed.
    _read(str(data))
    common = {"data": str(data)}
    methods = [
        Unit(f"methods {direction} {seed}", {**common, "direction": direction, "seed": seed})
        for seed in range(scale.n_seeds)
        for direction in (FORWARD, BACKWARD)
    ]
    # The wrong direction with the default alone.
    presets = [*product((FORWARD,), PRESETS), (BACKWARD, "default")]
    # A sketch of it: the widths as they are.
    quick = scale.n_seeds == 1
    presets = [(FORWARD, "default")] if quick else presets
    starts = STARTS[:1] if quick else STARTS
    scan = [
        Unit(
            f"scan {direction} {preset} {latent_map} {start} {iterations} {seed}",
            {
                **common,
                "direction": direction,
                "seed": seed,
                "options": {
                    "latent_map": latent_map,
                    "start": start,
                    "iterations": iterations,
                    "preset": preset,
                },
            },
        )
        for seed in range(scale.n_seeds)
        for (direction, preset), latent_map, start, iterations in product(
            presets, LATENT_MAPS, starts, ITERATIONS
        )
        # Nothing else is random where a free Θ starts from the data.
        if seed == 0 or latent_map == "mlp" or start == "random"
    ]
    return [Unit("limits", {**common, "limits": True}), *methods, *scan]


def _measure(unit: Unit) -> list[Record]:
    given = unit.arguments
    temperature, ozone, place = _read(given["data"])
    if given.get("limits"):
        return _limits(temperature, ozone, place)
    x, y = (temperature, ozone) if given["direction"] == FORWARD else (ozone, temperature)
    common = {
        "direction": given["direction"],
        "seed": given["seed"],
        **dict.fromkeys(OPTIONS),
        **given.get("options", {}),
    }
    measured = Measured(common)
    if "options" not in given:
        measure_clusterings(measured, x, y, place, seed=given["seed"])
        return measured.records
    _scan(measured, x, y, place, given["seed"], given["options"])
    return measured.records


def _scan(
    measured: Measured,
    x: FloatArray,
    y: FloatArray,
    place: NDArray[np.intp],
    seed: int,
    options: dict[str, Any],
) -> None:
    """Cluster Θ under each λ."""
    start = options["start"]
    if start == "random":
        start = np.random.default_rng(seed).standard_normal((len(x), 1))
    for lam in SCANNED:
        found, seconds, problem = attempt(
            cluster_mechanisms,
            x,
            y,
            refine=None,
            lam=lam,
            random_state=seed,
            latent_map=options["latent_map"],
            init=start,
            max_iter=options["iterations"],
            **PRESETS[options["preset"]],
        )
        value = None if found is None else float(adjusted_rand_score(place, found.labels))
        measured.add(
            SCAN,
            value=value,
            lam=lam,
            options="",
            n_clusters=2,
            seconds=seconds,
            problem=problem,
        )


def _limits(x: FloatArray, y: FloatArray, place: NDArray[np.intp]) -> list[Record]:
    """Measure what knowledge gives that no method has, and what needs next to none."""
    residuals = np.empty((2, len(x)))
    for label in (0, 1):
        curve = ANMMixture(1).fit(x[place == label, np.newaxis], y[place == label])
        residuals[label] = y - curve.curves(x[:, np.newaxis])[:, 0]
    noise = np.array([residuals[label, place == label].std() for label in (0, 1)])
    density = -0.5 * (residuals / noise[:, np.newaxis]) ** 2 - np.log(noise)[:, np.newaxis]
    known = np.argmax(density, axis=0)
    mixture = ANMMixture(2, init=place).fit(x[:, np.newaxis], y)
    refined = np.argmax(mixture.membership(x[:, np.newaxis], y), axis=1)
    line = y - np.polyval(np.polyfit(x, y, 1), x)
    simplest = KMeans(2, n_init=10, random_state=0).fit_predict(line[:, np.newaxis])
    measured = Measured({"direction": FORWARD, "seed": None, **dict.fromkeys(OPTIONS)})
    blank = {"lam": None, "options": "", "n_clusters": 2, "seconds": None, "problem": ""}
    for name, labels in ((KNOWN, known), (FROM_TRUTH, refined), (LINE, simplest)):
        measured.add(name, value=float(adjusted_rand_score(place, labels)), **blank)
    return measured.records


def _report(records: list[Record]) -> Report:
    by_kind = grouped(records, "method", "direction")
    methods = [r for r in records if r["method"] not in (SCAN, *KNOWING)]
    scores = {
        direction: cluster_scores(group)
        for direction, group in grouped(methods, "direction").items()
    }
    n_seeds = len({record["seed"] for record in methods})
    rows = []
    for name in (DEFAULT, LATENT, PAPER, *METHODS):
        told = {d: scores[d][name] for d in (FORWARD, BACKWARD)}
        printed = BAFU_ARI.get("ANM-MM" if name.startswith("ANM-MM") else name)
        mean = told[FORWARD][0]
        rows.append(
            [
                name,
                "" if printed is None else f"{printed:.3f}",
                plus_minus(*told[FORWARD][:2]),
                "" if printed is None else f"{mean - printed:+.3f}",
                plus_minus(*told[BACKWARD][:2]),
                told[FORWARD][2],
            ]
        )
    rows += [
        [name, "", f"{by_kind[name, FORWARD][0]['value']:.3f}", "", "", ""] for name in KNOWING
    ]
    first = Table(
        "Ozone at two places",
        ["", "paper", FORWARD, "minus paper", BACKWARD, "λ"],
        rows,
        f"Adjusted Rand index, mean over {n_seeds} seeds ± standard error over seeds. Temperature "
        "is the cause. The last two rows know what no method does; the one above them knows "
        "next to nothing.",
    )
    scan = [r for r in records if r["method"] == SCAN and r["value"] is not None]
    forward = [r for r in scan if r["direction"] == FORWARD]
    finished = [r for r in forward if r["iterations"] == ITERATIONS[-1]]
    tables = [
        first,
        _spread("k-means on Θ at the end of the descent, by λ", finished, "latent_map", "lam"),
        _spread("... by how widths and noise are held", finished, "preset"),
        _spread("... by where Θ starts", finished, "start"),
        _spread("Descents cut short, by their iterations", forward, "latent_map", "iterations"),
    ]
    if any(r["direction"] == BACKWARD for r in scan):
        default = [r for r in scan if r["preset"] == "default"]
        tables.append(_spread("Direction, default widths and noise", default, "direction"))
    printed = BAFU_ARI["ANM-MM"]
    remarks = []
    for which, group in (("at the end of the descent", finished), ("of all", forward)):
        best = max(group, key=lambda r: r["value"])
        reached = sum(r["value"] >= printed for r in group)
        options = ", ".join(f"{name} {best[name]}" for name in (*OPTIONS, "lam", "seed"))
        remarks.append(
            f"{reached} of {len(group)} fits {which} reach the printed {printed:.3f}; the best has "
            f"{best['value']:.3f} ({options})."
        )
    return Report(tables, [*remarks, *failures(records)])


def _spread(title: str, scan: list[Record], *names: str) -> Table:
    """Tell the distribution of the index by the values of some columns."""
    rows = []
    for key, group in grouped(scan, *names).items():
        cells = key if isinstance(key, tuple) else (key,)
        values = np.array([record["value"] for record in group])
        quantiles = np.quantile(values, [0.0, 0.25, 0.5, 0.75, 1.0])
        label = ", ".join(
            f"{name} {cell:g}" if isinstance(cell, float) else f"{name} {cell}"
            for name, cell in zip(names, cells, strict=True)
        )
        reached = int((values >= BAFU_ARI["ANM-MM"]).sum())
        rows.append([label, str(len(values)), *(f"{v:.3f}" for v in quantiles), str(reached)])
    header = ["", "fits", "least", "25 %", "median", "75 %", "most", "reach 0.503"]
    return Table(title, header, rows)


def _draw(records: list[Record], data: Path | None) -> Any:
    temperature, ozone, place = _read(str(data))
    figure, axes = new_figure(2, 4, (12.0, 6.2))
    panels = [("the two places", place)]
    seed = 0
    default = cluster_mechanisms(temperature, ozone, 2, random_state=seed).labels
    panels.append((DEFAULT, default))
    panels += [
        (name, method.labels(temperature, ozone, 2, random_state=seed))
        for name, method in METHODS.items()
    ]
    for index, (ax, (name, labels)) in enumerate(zip(axes.flat, panels, strict=False)):
        _scatter(ax, temperature, ozone, labels)
        index_of = adjusted_rand_score(place, labels)
        ax.set_title(name if index == 0 else f"{name}: ARI {index_of:.3f}", fontsize=10)
    for ax in axes[1, :3]:
        ax.set_xlabel("temperature (°C)")
    for ax in axes[:, 0]:
        ax.set_ylabel("ozone (µg/m³)")
    _draw_scan(axes[1, 3], records)
    return figure


def _scatter(ax: Any, x: FloatArray, y: FloatArray, labels: NDArray[np.intp]) -> None:
    for label in np.unique(labels):
        # Noise of DBSCAN is no cluster.
        colour, marker = ("#999999", "x") if label < 0 else (colour_of(label), marker_of(label))
        kept = labels == label
        ax.plot(x[kept], y[kept], marker, color=colour, markersize=3, alpha=0.6, linestyle="")
    tidy(ax)


def _draw_scan(ax: Any, records: list[Record]) -> None:
    scan = [
        r
        for r in records
        if r["method"] == SCAN and r["direction"] == FORWARD and r["value"] is not None
    ]
    kinds = {"descents cut short": ITERATIONS[:-1], "finished descents": ITERATIONS[-1:]}
    for (name, iterations), shift, colour in zip(
        kinds.items(), (-0.2, 0.2), (COLOURS[4], COLOURS[0]), strict=True
    ):
        values = [
            [r["value"] for r in scan if r["lam"] == lam and r["iterations"] in iterations]
            for lam in SCANNED
        ]
        boxes = ax.boxplot(
            values,
            positions=np.arange(len(SCANNED)) + shift,
            widths=0.32,
            whis=(0, 100),
            patch_artist=True,
            boxprops={"facecolor": colour, "edgecolor": "#000000", "linewidth": 0.6},
            medianprops={"color": "#000000"},
        )
        boxes["boxes"][0].set_label(name)
    ax.axhline(BAFU_ARI["ANM-MM"], color=COLOURS[1], linestyle="--", label="printed in the paper")
    known = next(r["value"] for r in records if r["method"] == KNOWN)
    ax.axhline(known, color="#000000", linestyle=":", label="both curves known")
    ax.set_xticks(range(len(SCANNED)), [f"{lam:g}" for lam in SCANNED])
    ax.set_xlabel("λ")
    ax.set_ylabel("adjusted Rand index")
    ax.set_title("k-means on Θ: options, seeds", fontsize=10)
    ax.set_ylim(-0.1, 0.95)
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    tidy(ax)


STUDY = Study(
    "fig6",
    "Figure 6: ozone and temperature at two places",
    ("direction", "seed", *OPTIONS, *COLUMNS),
    _units,
    _measure,
    _report,
    _draw,
    needs_data=True,
)
