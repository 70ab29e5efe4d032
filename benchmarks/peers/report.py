"""Markdown tables and the log-log plot of a run."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_info

from benchmarks.peers.measure import Cell
from benchmarks.peers.protocol import Peer

__all__ = [
    "environment",
    "markdown",
    "median_and_quartiles",
    "no_unit",
    "plot",
    "unit_of_time",
]

Cells = dict[int, dict[str, Cell]]

LIBRARIES = (
    "anmmm",
    "numpy",
    "scipy",
    "numba",
    "jax",
    "torch",
    "causal-learn",
    "lingam",
    "scikit-learn",
)

# Okabe and Ito's palette, which people with any common color vision can tell apart; markers and
# dashes tell the rest. By the first word of a name, then by turns within it.
COLORS = {
    "potrf": "#000000",
    "anmmm": "#D55E00",
    "NumPy": "#009E73",
    "JAX": "#0072B2",
    "PyTorch": "#CC79A7",
    "textbook": "#E69F00",
}
STYLES = (("-", "o"), ("--", "s"))


def markdown(peers: Sequence[Peer], cells: Cells, *, seconds: float, limit: float) -> str:
    """Ratios to the bound, then absolute times, then what they were measured with."""
    (bound,) = (peer.name for peer in peers if peer.bound)
    return "\n".join(
        [
            f"One evaluation of J and its gradient ÷ one {bound} of the same size; "
            "median, with lower and upper quartile.",
            "",
            _table(peers, cells, lambda cell: cell.ratios, no_unit),
            "",
            "Absolute times, for orientation; median, with lower and upper quartile.",
            "",
            _table(peers, cells, lambda cell: cell.seconds, unit_of_time),
            "",
            f"All of them measured in one run on one core, by turns, about {seconds:g} s for each "
            f"cell; left out where one evaluation was foreseen to take more than {limit:g} s. "
            "Before it was timed, each was checked to agree with the dense engine, to "
            f"{_tolerances(peers)}, relative.",
            "",
            f"Measured with {environment()}.",
        ]
    )


def _table(
    peers: Sequence[Peer],
    cells: Cells,
    values: Callable[[Cell], list[float]],
    unit_of: Callable[[float], tuple[float, str]],
) -> str:
    lines = ["| | " + " | ".join(f"N = {n}" for n in cells) + " |", "|---" * (len(cells) + 1) + "|"]
    for peer in peers:
        row = [peer.name]
        for n in cells:
            cell = cells[n][peer.name]
            if not cell.seconds:
                row.append(cell.note)
                continue
            row.append(median_and_quartiles(values(cell), unit_of))
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def median_and_quartiles(
    values: Sequence[float], unit_of: Callable[[float], tuple[float, str]]
) -> str:
    """Write the median in its unit, and the quartiles where they differ from it."""
    quartiles = np.quantile(values, [0.25, 0.5, 0.75])
    factor, unit = unit_of(quartiles[1])
    low, middle, high = (_digits(factor * quartile) for quartile in quartiles)
    return middle + unit + ("" if low == middle == high else f" ({low} to {high})")


def _digits(value: float) -> str:
    """Three significant digits, never in exponent notation."""
    decimals = max(0, 2 - int(np.floor(np.log10(value))))
    return f"{value:.{decimals}f}"


def no_unit(ratio: float) -> tuple[float, str]:
    """Factor and unit of a number without one."""
    return 1.0, ""


def unit_of_time(seconds: float) -> tuple[float, str]:
    """Factor and unit in which seconds are easy to read."""
    for factor, unit in ((1.0, " s"), (1e3, " ms")):
        if seconds * factor >= 1.0:
            return factor, unit
    return 1e6, " µs"


def _tolerances(peers: Sequence[Peer]) -> str:
    """How closely the peers agree with the dense engine."""
    usual = (Peer.value_rtol, Peer.gradient_rtol)
    others = [
        f"{peer.name}: {peer.value_rtol:g} and {peer.gradient_rtol:g}"
        for peer in peers
        if (peer.value_rtol, peer.gradient_rtol) != usual
    ]
    text = f"{usual[0]:g} in J and {usual[1]:g} in the gradient"
    text += f" ({'; '.join(others)})" if others else ""
    return text.replace("e-0", "e-")


def environment() -> str:
    """Name versions and the processor."""
    parts = [f"Python {platform.python_version()}"]
    for library in LIBRARIES:
        try:
            parts.append(f"{library} {importlib.metadata.version(library)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    blas = {
        f"{info['internal_api']} {info['version']} ({info.get('architecture', 'unknown kernels')})"
        for info in threadpool_info()
        if info["user_api"] == "blas"
    }
    return ", ".join([*parts, *sorted(blas)]) + f" on {_processor()}"


def _processor() -> str:
    """Name of the processor, as far as the system tells."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def plot(peers: Sequence[Peer], cells: Cells, path: str) -> None:
    """Draw times and ratios against N, both logarithmic, with quartiles shaded."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter, StrMethodFormatter

    figure = Figure(figsize=(10.0, 5.6), layout="constrained")
    times, ratios = figure.subplots(1, 2)
    turns: dict[str, int] = {}
    for peer in peers:
        sizes = [n for n in cells if cells[n][peer.name].seconds]
        if not sizes:
            continue
        family = next(word for word in COLORS if peer.name.startswith(word))
        line, marker = STYLES[turns.get(family, 0)]
        turns[family] = turns.get(family, 0) + 1
        for axes, quantity in ((times, "seconds"), (ratios, "ratios")):
            low, middle, high = np.transpose(
                [
                    np.quantile(getattr(cells[n][peer.name], quantity), [0.25, 0.5, 0.75])
                    for n in sizes
                ]
            )
            color = COLORS[family]
            axes.fill_between(sizes, low, high, color=color, alpha=0.2, linewidth=0)
            axes.plot(sizes, middle, line, marker=marker, color=color, ms=5, label=peer.name)
    (bound,) = (peer.name for peer in peers if peer.bound)
    times.set_ylabel("seconds an evaluation (value and gradient)")
    ratios.set_ylabel(f"evaluation ÷ {bound}")
    for axes in (times, ratios):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("observations N")
        # Powers of ten alone would leave most of the axis without a number.
        axes.set_xticks(list(cells))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.grid(which="major", color="0.88", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
    ratios.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    handles, labels = times.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(path, dpi=150)
